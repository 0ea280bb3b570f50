/// The tables of the relay's data on this device. All of it can be read anew, so another user or another log empties
/// them. `message` has stored messages only: what waits to be sent is in `outbox`.
///
/// A sequence between two rows of `message` that has no row is a gap: the device doesn't have that message. Names of
/// users have no spaces (Docs/Protocol.md, section 2), so that `members` and `mentions` separate them by spaces.
///
/// `thread` is the first message of the thread that a message belongs to; `replies`, `last_reply` and `replied_at` are
/// those of the thread that a message began. The message with the highest `place` was pinned last.
///
/// `request` is the raw value of `RequestState`, and absent for an ordinary conversation.
///
/// A `setting` without a value was removed; its version keeps an older answer from bringing it back. `has_settings` is
/// 1 if all of them are here, and 2 while they are being fetched.
enum CacheTables {
    static let migrations = [
        LocalMigration(
            name: "2 cache",
            sql: """
                CREATE TABLE identity(
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    device TEXT NOT NULL,
                    user TEXT,
                    epoch TEXT,
                    position TEXT,
                    is_listed INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE TABLE conversation(
                    id TEXT PRIMARY KEY,
                    kind INTEGER NOT NULL,
                    peer TEXT,
                    name TEXT,
                    role INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    members TEXT NOT NULL,
                    first INTEGER NOT NULL,
                    sequence INTEGER NOT NULL,
                    read INTEGER NOT NULL,
                    unread INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    is_stale INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX conversation_time ON conversation(time, id);
                CREATE INDEX conversation_peer ON conversation(peer) WHERE peer IS NOT NULL;
                CREATE INDEX conversation_stale ON conversation(id) WHERE is_stale;
                CREATE INDEX conversation_unread ON conversation(unread) WHERE unread > 0;
                CREATE TABLE message(
                    conversation TEXT NOT NULL,
                    sequence INTEGER NOT NULL,
                    key TEXT,
                    sender TEXT NOT NULL,
                    time INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    body BLOB,
                    reply_to INTEGER,
                    edited_at INTEGER,
                    deleted_at INTEGER,
                    reactions BLOB,
                    is_stale INTEGER NOT NULL,
                    UNIQUE (conversation, sequence)
                ) STRICT;
                CREATE TABLE watermark(
                    conversation TEXT NOT NULL,
                    user TEXT NOT NULL,
                    delivered INTEGER NOT NULL,
                    delivered_at INTEGER,
                    read INTEGER NOT NULL,
                    read_at INTEGER,
                    PRIMARY KEY (conversation, user)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE draft(destination TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
                """),
        LocalMigration(
            name: "4 hidden and disappearing messages, mentions, settings",
            sql: """
                ALTER TABLE message ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE message ADD COLUMN expires INTEGER;
                ALTER TABLE message ADD COLUMN mentions TEXT;
                CREATE INDEX message_expires ON message(expires) WHERE expires IS NOT NULL AND deleted_at IS NULL;
                CREATE INDEX message_mentions ON message(conversation, sequence) WHERE mentions IS NOT NULL;
                ALTER TABLE conversation ADD COLUMN expiry INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE conversation ADD COLUMN mentions INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE conversation ADD COLUMN first_mention INTEGER;
                ALTER TABLE identity ADD COLUMN clock_ahead INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE identity ADD COLUMN has_settings INTEGER NOT NULL DEFAULT 0;
                CREATE TABLE setting(
                    key TEXT PRIMARY KEY,
                    value BLOB,
                    version INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX setting_removed ON setting(version) WHERE value IS NULL;
                """),
        LocalMigration(
            name: "8 threads, forwarded and pinned messages",
            sql: """
                ALTER TABLE message ADD COLUMN thread INTEGER;
                ALTER TABLE message ADD COLUMN origin TEXT;
                ALTER TABLE message ADD COLUMN replies INTEGER;
                ALTER TABLE message ADD COLUMN last_reply INTEGER;
                ALTER TABLE message ADD COLUMN replied_at INTEGER;
                CREATE INDEX message_thread ON message(conversation, thread, sequence) WHERE thread IS NOT NULL;
                CREATE TABLE pin(
                    conversation TEXT NOT NULL,
                    sequence INTEGER NOT NULL,
                    place INTEGER NOT NULL,
                    user TEXT,
                    time INTEGER,
                    PRIMARY KEY (conversation, sequence)
                ) STRICT, WITHOUT ROWID;
                """),
        LocalMigration(
            name: "10 requests",
            sql: """
                ALTER TABLE conversation ADD COLUMN request INTEGER;
                CREATE INDEX conversation_request ON conversation(request) WHERE request IS NOT NULL;
                """),
        // `history` says which version an edited message has.
        LocalMigration(
            name: "12 versions of messages",
            sql: """
                ALTER TABLE message ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
                UPDATE message SET is_stale = 1 WHERE edited_at IS NOT NULL AND deleted_at IS NULL;
                """),
        LocalMigration(name: "13 inviters", sql: "ALTER TABLE conversation ADD COLUMN inviter TEXT"),
        LocalMigration(
            name: "18 who may write",
            sql: """
                ALTER TABLE conversation ADD COLUMN posting INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE conversation ADD COLUMN timeout INTEGER;
                ALTER TABLE conversation ADD COLUMN timeout_reason INTEGER;
                """),
        LocalMigration(
            name: "19 slow mode", sql: "ALTER TABLE conversation ADD COLUMN slow INTEGER NOT NULL DEFAULT 0"),
        LocalMigration(
            name: "20 who waits",
            sql: """
                ALTER TABLE conversation ADD COLUMN joining INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE conversation ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
                """),
    ]

    /// Forgets everything but who this device is.
    static let empty = """
        DELETE FROM conversation; DELETE FROM message; DELETE FROM watermark; DELETE FROM setting;
        DELETE FROM person; DELETE FROM pin; DELETE FROM line; DELETE FROM contact;
        UPDATE identity SET position = NULL, is_listed = 0, has_settings = 0, badge = NULL, is_live = 0,
            newest_conversation = NULL
        """
}
