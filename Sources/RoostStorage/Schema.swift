/// The tables as they were first released. Never edited: a change is a new migration.
enum Schema {
    /// The log itself: blocks of rows, by the position of the first (see `LogBlock`). It has no index but that; a batch
    /// of appends dirties only the pages at its end.
    static let log = """
        CREATE TABLE log (position INTEGER PRIMARY KEY, rows BLOB NOT NULL) STRICT;
        CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID, STRICT;
        """

    /// Who and what the numbers stand for, and how far everybody is. A member's `role` is NULL after it left.
    static let directory = """
        CREATE TABLE user (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, is_online INTEGER NOT NULL, last_seen INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE device (
            number INTEGER PRIMARY KEY, user INTEGER NOT NULL, name TEXT NOT NULL, cursor INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE conversation (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            kind INTEGER NOT NULL,
            name TEXT NOT NULL,
            last_sequence INTEGER NOT NULL,
            last_position INTEGER NOT NULL,
            last_time INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE member (
            conversation INTEGER NOT NULL,
            user INTEGER NOT NULL,
            role INTEGER,
            since INTEGER NOT NULL,
            joined_at INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            left_at INTEGER NOT NULL,
            delivered INTEGER NOT NULL,
            delivered_at INTEGER NOT NULL,
            read INTEGER NOT NULL,
            read_at INTEGER NOT NULL,
            PRIMARY KEY (conversation, user)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE reaction (
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            user INTEGER NOT NULL,
            reaction TEXT NOT NULL,
            PRIMARY KEY (conversation, sequence, user, reaction)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE reaction_count (
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            reaction TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (conversation, sequence, reaction)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE erasure (up_to INTEGER PRIMARY KEY, conversation INTEGER NOT NULL) STRICT;
        """

    /// Derived from the log, behind it: complete up to `indexed_to` in `meta`, and possibly some rows beyond. A block
    /// holds many keys or rows: see `KeyIndex` and `EventIndex`.
    static let indexes = """
        CREATE TABLE key_run (
            first_block INTEGER PRIMARY KEY,
            bits INTEGER NOT NULL,
            keys INTEGER NOT NULL,
            target INTEGER,
            moved INTEGER
        ) STRICT;
        CREATE TABLE key_block (number INTEGER PRIMARY KEY, keys BLOB NOT NULL) STRICT;
        CREATE TABLE event_block (
            conversation INTEGER NOT NULL,
            before INTEGER NOT NULL,
            position INTEGER NOT NULL,
            rows BLOB NOT NULL,
            PRIMARY KEY (conversation, before, position)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE event_stage (
            number INTEGER PRIMARY KEY,
            up_to INTEGER NOT NULL,
            conversation INTEGER NOT NULL,
            before INTEGER NOT NULL,
            position INTEGER NOT NULL,
            rows BLOB NOT NULL
        ) STRICT;
        INSERT INTO meta (name, value)
            VALUES ('indexed_to', 0), ('events_to', 0), ('head_floor', 0), ('alive_at', 0),
                ('hash_key_0', random()), ('hash_key_1', random());
        """
}
