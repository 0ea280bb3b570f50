/// The directory's prepared statements.
struct DirectoryStatements {
    let insertUser: Statement
    let deleteUser: Statement
    let nameOfUser: Statement
    let insertDevice: Statement
    let deleteDevice: Statement
    let setCursor: Statement
    let setEnd: Statement
    let setPresence: Statement
    let setStatus: Statement
    let setPrivacy: Statement
    let setRevocation: Statement
    let widenRevocation: Statement
    let forgetDevicesRevoked: Statement
    let endSignIn: Statement
    let forgetSignIns: Statement
    let setFeedCursor: Statement
    let forgetFeedCursor: Statement
    let setException: Statement
    let deleteException: Statement
    let setWatermark: Statement
    let setAnswered: Statement
    let insertConversation: Statement
    let showConversation: Statement
    let setExpiry: Statement
    let setSlow: Statement
    let setJoining: Statement
    let setRequest: Statement
    let setGone: Statement
    let deleteConversation: Statement
    let deleteMembers: Statement
    let findMember: Statement
    let addMember: Statement
    let removeMember: Statement
    let setRole: Statement
    let updateLast: Statement

    private static let insertUserSQL = """
        INSERT INTO user
            (number, name, state, is_here, last_seen, choice, status, told_status, status_until,
                shown_to, seen_as, read_to)
        VALUES (?1, ?2, 0, 0, 0, 0, '', '', 0, 0, 0, 0)
        """

    private static let showSQL = """
        UPDATE conversation SET name = coalesce(?2, name), photo = coalesce(?3, photo),
            description = coalesce(?4, description) WHERE number = ?1
        """

    init(_ database: Database) throws {
        insertUser = try database.prepare(DirectoryStatements.insertUserSQL)
        deleteUser = try database.prepare("DELETE FROM user WHERE number = ?1")
        nameOfUser = try database.prepare("SELECT name FROM user WHERE number = ?1")
        insertDevice = try database.prepare(
            "INSERT INTO device (number, user, name, cursor, is_new) VALUES (?1, ?2, ?3, ?4, 1)")
        deleteDevice = try database.prepare("DELETE FROM device WHERE number = ?1")
        setCursor = try database.prepare("UPDATE device SET cursor = ?2, is_new = 0 WHERE number = ?1")
        setEnd = try database.prepare("UPDATE device SET ended = ?2, ended_at = ?3 WHERE number = ?1")
        setStatus = try database.prepare(
            "UPDATE user SET choice = ?2, status = ?3, told_status = ?4, status_until = ?5 WHERE number = ?1")
        setPrivacy = try database.prepare(
            "UPDATE user SET shown_to = ?2, seen_as = ?3, read_to = ?4 WHERE number = ?1")
        setException = try database.prepare("REPLACE INTO exception (user, other, kind) VALUES (?1, ?2, ?3)")
        deleteException = try database.prepare("DELETE FROM exception WHERE user = ?1 AND other = ?2")
        setRevocation = try database.prepare("REPLACE INTO revocation (user, device, time) VALUES (?1, ?2, ?3)")
        widenRevocation = try database.prepare(
            """
            REPLACE INTO revocation (user, device, time)
            SELECT user, '', max(time) FROM revocation WHERE user = ?1 GROUP BY user
            """)
        forgetDevicesRevoked = try database.prepare("DELETE FROM revocation WHERE user = ?1 AND device <> ''")
        endSignIn = try database.prepare("REPLACE INTO ended_sign_in (name, until) VALUES (?1, ?2)")
        forgetSignIns = try database.prepare("DELETE FROM ended_sign_in WHERE until <= ?1")
        setFeedCursor = try database.prepare("REPLACE INTO feed_cursor (consumer, position) VALUES (?1, ?2)")
        forgetFeedCursor = try database.prepare("DELETE FROM feed_cursor WHERE consumer = ?1")
        setPresence = try database.prepare(
            "UPDATE user SET state = ?2, is_here = ?3, last_seen = ?4 WHERE number = ?1")
        setWatermark = try database.prepare(
            """
            UPDATE member SET delivered = ?3, delivered_at = ?4, read = ?5, read_at = ?6, own = ?7, marked = ?8
            WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL
            """)
        setAnswered = try database.prepare(
            "UPDATE member SET answered = 1 WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL")
        insertConversation = try database.prepare(
            """
            INSERT INTO conversation (number, id, kind, name, photo, description, created_at, opener, request,
                last_sequence, last_position, last_time, expiry, slow, joining, gone)
            VALUES (?1, ?2, ?3, ?4, '', '', ?6, ?5, ?7, 0, 0, 0, 0, 0, 0, '')
            """)
        showConversation = try database.prepare(DirectoryStatements.showSQL)
        setExpiry = try database.prepare("UPDATE conversation SET expiry = ?2 WHERE number = ?1")
        setSlow = try database.prepare("UPDATE conversation SET slow = ?2 WHERE number = ?1")
        setJoining = try database.prepare("UPDATE conversation SET joining = ?2 WHERE number = ?1")
        setRequest = try database.prepare("UPDATE conversation SET request = ?2 WHERE number = ?1")
        setGone = try database.prepare("UPDATE conversation SET gone = ?2 WHERE number = ?1")
        deleteConversation = try database.prepare("DELETE FROM conversation WHERE number = ?1")
        deleteMembers = try database.prepare("DELETE FROM member WHERE conversation = ?1")
        findMember = try database.prepare(
            "SELECT 1 FROM member WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL")
        // An existing member is left unchanged.
        addMember = try database.prepare(
            """
            INSERT INTO member (conversation, user, role, since, joined_after, joined_at, ordinal, left_at, answered,
                delivered, delivered_at, read, read_at, own, marked)
            VALUES (?1, ?2, ?3, ?4, ?7, ?5, ?6, 0, 0, 0, 0, 0, 0, '', '')
            ON CONFLICT DO UPDATE SET role = excluded.role, since = excluded.since,
                joined_after = excluded.joined_after, joined_at = excluded.joined_at, ordinal = excluded.ordinal,
                left_at = 0, answered = 0, delivered = 0, delivered_at = 0, read = 0, read_at = 0, own = '',
                marked = ''
            WHERE role IS NULL
            """)
        removeMember = try database.prepare(
            "UPDATE member SET role = NULL, left_at = ?3 WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL")
        setRole = try database.prepare(
            "UPDATE member SET role = ?3 WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL")
        updateLast = try database.prepare(
            "UPDATE conversation SET last_sequence = ?2, last_position = ?3, last_time = ?4 WHERE number = ?1")
    }
}
