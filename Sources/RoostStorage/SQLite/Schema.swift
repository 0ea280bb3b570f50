/// The tables of a store. `Docs/Schema.md` explains each column to operators. Before the first release there is one
/// version; once released it is never edited, and a change is a new migration.
enum Schema {
    /// The log: one row for each durable event, and nothing that a commit has to look up. A batch of appends dirties
    /// only the pages at the end of the table; what happened to conversations, which is rare, has an index. The body is
    /// the last column, so that no other column of a long row is on overflow pages.
    ///
    /// A message has its own `sequence`; any other row has that of the last message before it, so that within a
    /// conversation the order by (sequence, position) is the order by position. Missing values, such as a key or body,
    /// are NULL. An edit has no body and no extras of its own; it replaces the message's.
    static let log = """
        CREATE TABLE log (
            position INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            sender INTEGER NOT NULL,
            time INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            reference INTEGER,
            flag INTEGER,
            edited_at INTEGER,
            deleted_at INTEGER,
            device TEXT,
            key TEXT,
            label TEXT,
            extras TEXT,
            body TEXT
        ) STRICT;
        CREATE INDEX log_changes ON log (conversation, sequence) WHERE kind = 5;
        CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID, STRICT;
        INSERT INTO meta (name, value)
            VALUES ('indexed_to', 0), ('head_floor', 0), ('renewed_to', 0), ('marked_to', 0), ('expired_to', 0),
                ('alive_at', 0), ('epoch', \(newEpoch)), ('hash_key_0', random()), ('hash_key_1', random());
        """

    /// The names and properties behind the numbers, and the positions of all users and devices. A member's `role` is
    /// NULL after it left.
    static let directory = """
        CREATE TABLE user (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, state INTEGER NOT NULL, is_here INTEGER NOT NULL,
            last_seen INTEGER NOT NULL, choice INTEGER NOT NULL, status TEXT NOT NULL, told_status TEXT NOT NULL,
            status_until INTEGER NOT NULL, shown_to INTEGER NOT NULL, seen_as INTEGER NOT NULL, read_to INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE exception (
            user INTEGER NOT NULL, other INTEGER NOT NULL, kind INTEGER NOT NULL, PRIMARY KEY (user, other)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE profile (
            user INTEGER PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL, username TEXT NOT NULL,
            photo TEXT NOT NULL, bio TEXT NOT NULL, role TEXT NOT NULL, tier TEXT NOT NULL, deleted INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE contact (
            low INTEGER NOT NULL, high INTEGER NOT NULL, inviter INTEGER, since INTEGER NOT NULL,
            low_kind TEXT NOT NULL, high_kind TEXT NOT NULL, low_label TEXT NOT NULL, high_label TEXT NOT NULL,
            inferred INTEGER NOT NULL DEFAULT 0, withheld INTEGER NOT NULL,
            PRIMARY KEY (low, high)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE prospect (
            user INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, note TEXT NOT NULL, PRIMARY KEY (user, id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE invite (
            user INTEGER NOT NULL, id TEXT NOT NULL, hash BLOB NOT NULL, conversation INTEGER, kind TEXT NOT NULL,
            uses INTEGER NOT NULL, used INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
            PRIMARY KEY (user, id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE revocation (
            user INTEGER NOT NULL, device TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (user, device)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE ended_sign_in (name TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX ended_sign_in_by_until ON ended_sign_in (until);
        CREATE TABLE report (
            number INTEGER PRIMARY KEY, reporter INTEGER NOT NULL, user INTEGER NOT NULL, conversation TEXT NOT NULL,
            sequence INTEGER NOT NULL, reason INTEGER NOT NULL, text TEXT NOT NULL, time INTEGER NOT NULL,
            closed_by TEXT, note TEXT, closed_at INTEGER
        ) STRICT;
        CREATE TABLE feed_cursor (consumer TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE device (
            number INTEGER PRIMARY KEY, user INTEGER NOT NULL, name TEXT NOT NULL, cursor INTEGER NOT NULL,
            is_new INTEGER NOT NULL, ended INTEGER, ended_at INTEGER
        ) STRICT;
        CREATE TABLE conversation (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            kind INTEGER NOT NULL,
            name TEXT NOT NULL,
            photo TEXT NOT NULL,
            description TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            opener INTEGER,
            request INTEGER NOT NULL,
            last_sequence INTEGER NOT NULL,
            last_position INTEGER NOT NULL,
            last_time INTEGER NOT NULL,
            expiry INTEGER NOT NULL,
            slow INTEGER NOT NULL,
            joining INTEGER NOT NULL,
            gone TEXT NOT NULL
        ) STRICT;
        CREATE TABLE member (
            conversation INTEGER NOT NULL,
            user INTEGER NOT NULL,
            role INTEGER,
            since INTEGER NOT NULL,
            joined_after INTEGER NOT NULL,
            joined_at INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            left_at INTEGER NOT NULL,
            answered INTEGER NOT NULL,
            delivered INTEGER NOT NULL,
            delivered_at INTEGER NOT NULL,
            read INTEGER NOT NULL,
            read_at INTEGER NOT NULL,
            own TEXT NOT NULL,
            marked TEXT NOT NULL,
            PRIMARY KEY (conversation, user)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE receipt (
            conversation INTEGER NOT NULL,
            user INTEGER NOT NULL,
            delivered_from INTEGER NOT NULL,
            delivered_to INTEGER NOT NULL,
            delivered BLOB,
            read_from INTEGER NOT NULL,
            read_to INTEGER NOT NULL,
            read BLOB,
            PRIMARY KEY (conversation, user)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE state (
            user INTEGER NOT NULL,
            key TEXT NOT NULL,
            position INTEGER NOT NULL,
            time INTEGER NOT NULL,
            device TEXT NOT NULL,
            value TEXT,
            PRIMARY KEY (user, key)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX state_by_position ON state (user, position);
        CREATE INDEX state_mutes ON state (user, key) WHERE key >= 'mute/' AND key < 'mute0';
        CREATE TABLE mention (
            conversation INTEGER NOT NULL,
            user INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            author INTEGER NOT NULL,
            PRIMARY KEY (conversation, user, sequence)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE pin (
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            user INTEGER NOT NULL,
            time INTEGER NOT NULL,
            position INTEGER NOT NULL,
            author INTEGER NOT NULL,
            hidden_from INTEGER NOT NULL,
            PRIMARY KEY (conversation, sequence)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE restriction (
            conversation INTEGER NOT NULL, user INTEGER NOT NULL, until INTEGER NOT NULL, reason INTEGER NOT NULL,
            by INTEGER NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (conversation, user)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE veil (
            conversation INTEGER PRIMARY KEY, user INTEGER NOT NULL, sequence INTEGER NOT NULL,
            position INTEGER NOT NULL, time INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE reaction (
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            user INTEGER NOT NULL,
            reaction TEXT NOT NULL,
            withheld INTEGER NOT NULL,
            PRIMARY KEY (conversation, sequence, user, reaction)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX reaction_withheld ON reaction (conversation, sequence) WHERE withheld <> 0;
        CREATE TABLE erasure (up_to INTEGER PRIMARY KEY, conversation INTEGER NOT NULL) STRICT;
        """

    /// Derived from the log, and written later: complete up to `indexed_to` in `meta` (keys: up to
    /// the last generation's `up_to`), possibly with some later rows.
    /// See `KeyIndex` and `EventIndex`.
    static let indexes = """
        CREATE TABLE key_block (
            generation INTEGER NOT NULL,
            part INTEGER NOT NULL,
            hash INTEGER NOT NULL,
            position INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            keys BLOB NOT NULL,
            PRIMARY KEY (generation, part, hash, position)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE key_generation (
            number INTEGER PRIMARY KEY,
            parts INTEGER NOT NULL,
            keys INTEGER NOT NULL,
            up_to INTEGER NOT NULL,
            filter BLOB,
            checksum INTEGER
        ) STRICT;
        CREATE TABLE event_block (
            conversation INTEGER NOT NULL,
            position INTEGER NOT NULL,
            before INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            rows BLOB NOT NULL,
            PRIMARY KEY (conversation, position)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX event_block_by_sequence ON event_block (conversation, before, position);
        CREATE TABLE expiring (
            expires INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (expires, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE thread (
            conversation INTEGER NOT NULL, root INTEGER NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL,
            withheld_by INTEGER NOT NULL,
            PRIMARY KEY (conversation, root, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE reaction_count (
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            reaction TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (conversation, sequence, reaction)
        ) WITHOUT ROWID, STRICT;
        """

    /// The tables created by `indexes`, and the statements that fill those whose content isn't read from the log.
    static let derivedTables = ["key_block", "key_generation", "event_block", "expiring", "thread", "reaction_count"]
    static let countReactions = """
        INSERT INTO reaction_count (conversation, sequence, reaction, count)
            SELECT conversation, sequence, reaction, count(*) FROM reaction GROUP BY conversation, sequence, reaction
        """

    /// Messages whose time has come have been deleted at it. Those that were deleted before still count as unread until
    /// then.
    static let findExpiring = """
        SELECT CAST(extras ->> '$.expires' AS INTEGER) AS expires, position FROM log
        WHERE kind = 1 AND json_valid(extras) AND extras ->> '$.expires' IS NOT NULL
            AND (deleted_at IS NULL OR deleted_at < extras ->> '$.expires')
        """
    static let fillExpiring = "INSERT INTO expiring (expires, position) \(findExpiring)"

    /// Messages in threads that stand.
    static let findThreads = """
        SELECT conversation, CAST(extras ->> '$.thread' AS INTEGER) AS root, sequence, time,
            iif(extras ->> '$.withheld', sender, 0) AS withheld_by FROM log
        WHERE kind = 1 AND deleted_at IS NULL AND json_valid(extras) AND extras ->> '$.thread' IS NOT NULL
        """
    static let fillThreads =
        "INSERT OR IGNORE INTO thread (conversation, root, sequence, time, withheld_by) \(findThreads)"

    /// Views for operators, with names instead of numbers and times as text in UTC. `CROSS JOIN` keeps the log, or the
    /// members, in the outer loop, so a view is read once from beginning to end, in that order. Rows of erased
    /// conversations, which are about to be removed, aren't shown.
    static let views = """
        CREATE VIEW events AS SELECT
            log.position,
            \(text(of: "log.time")) AS time,
            conversation.id AS conversation,
            \(word(of: "log.kind", ["message", "edit", "delete", "react", "conversation"])) AS kind,
            coalesce(log.reference, log.sequence) AS sequence,
            user.name AS sender,
            log.device, log.key, log.label, log.flag, log.extras, log.body
        FROM log CROSS JOIN conversation ON conversation.number = log.conversation
            CROSS JOIN user ON user.number = log.sender;
        CREATE VIEW messages AS SELECT
            log.position,
            \(text(of: "log.time")) AS time,
            conversation.id AS conversation,
            log.sequence,
            user.name AS sender,
            log.device, log.key,
            log.label AS kind,
            log.reference AS reply_to,
            log.extras,
            log.body,
            \(text(of: "log.edited_at")) AS edited,
            \(text(of: "log.deleted_at")) AS deleted
        FROM log CROSS JOIN conversation ON conversation.number = log.conversation
            CROSS JOIN user ON user.number = log.sender
        WHERE log.kind = 1;
        CREATE VIEW members AS SELECT
            conversation.id AS conversation,
            user.name AS user,
            \(word(of: "member.role", ["member", "admin", "owner"])) AS role,
            member.since, member.joined_after, member.joined_at, member.left_at,
            member.delivered,
            \(text(of: "member.delivered_at")) AS delivered_time,
            member.read,
            \(text(of: "member.read_at")) AS read_time
        FROM member CROSS JOIN conversation ON conversation.number = member.conversation
            CROSS JOIN user ON user.number = member.user;
        CREATE VIEW devices AS SELECT
            user.name AS user, device.name AS device, device.cursor
        FROM device CROSS JOIN user ON user.number = device.user;
        """

    /// Eight random characters [0-9a-z].
    static let newEpoch = (0..<8)
        .map { _ in "substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + (random() & 0x7fffffff) % 36, 1)" }
        .joined(separator: " || ")

    /// Gives the log a new epoch.
    static let renewEpoch = "UPDATE meta SET value = \(newEpoch) WHERE name = 'epoch'"

    /// Milliseconds since 1970 as text in UTC; 0 means never and becomes NULL.
    private static func text(of column: String) -> String {
        "strftime('%Y-%m-%d %H:%M:%f', nullif(\(column), 0) / 1000.0, 'unixepoch')"
    }

    /// Words for the numbers from 1.
    private static func word(of column: String, _ words: [String]) -> String {
        let cases = words.enumerated().map { "WHEN \($0.offset + 1) THEN '\($0.element)'" }
        return "CASE \(column) \(cases.joined(separator: " ")) END"
    }
}

extension Schema {
    /// The keys of the derived tables, and of the index of one.
    private static let derivedKeys = [
        ("key_block", ["generation", "part", "hash", "position"]), ("key_generation", ["number"]),
        ("event_block", ["conversation", "position"]), ("event_block", ["conversation", "before", "position"]),
        ("reaction_count", ["conversation", "sequence", "reaction"]), ("expiring", ["expires", "position"]),
        ("thread", ["conversation", "root", "sequence"]),
    ]

    /// Throws `damagedIndex` if neither the first nor the last row of a derived table can be read. Then it is most
    /// likely the page from which all searches begin, and no client could catch up.
    static func checkDerivedTables(of database: Database) throws {
        for (table, key) in derivedKeys {
            func read(_ order: String) throws {
                let columns = key.map { "\($0) \(order)" }.joined(separator: ", ")
                _ = try database.value("SELECT \(key[0]) FROM \(table) ORDER BY \(columns) LIMIT 1")
            }
            do { try read("ASC") } catch let failure as StorageFailure where failure.isDamage {
                do { try read("DESC") } catch let failure as StorageFailure where failure.isDamage {
                    throw StorageFailure.damagedIndex("\(failure)")
                }
            }
        }
    }
}
