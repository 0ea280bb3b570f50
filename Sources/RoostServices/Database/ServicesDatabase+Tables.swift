import RoostStore

extension ServicesDatabase {
    /// The tables. All rows of a person depend on `account` and go with it. Times are milliseconds since 1970. Only
    /// what must be compared is kept of a secret: SHA-256 of tokens of 256 bits, Argon2 of passwords (and Firebase's
    /// scrypt, until their owners sign in). Names are compared without case (ASCII), for operators who search.
    /// `verified` is 1 if the address was confirmed, and 2 if the account is proven (`Account.isProven`). `operator` is
    /// the time since when the account is an operator's, or 0. The trigger is for an account that is suspended while
    /// its owner's password is checked.
    package static let migrations = [
        LocalMigration(
            name: "accounts",
            sql: """
                CREATE TABLE account(
                    user TEXT PRIMARY KEY, email TEXT UNIQUE, name TEXT NOT NULL COLLATE NOCASE, role TEXT, tier TEXT,
                    language TEXT NOT NULL, hash TEXT, verified INTEGER NOT NULL, suspended INTEGER NOT NULL,
                    operator INTEGER NOT NULL, created INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX account_firebase ON account(user) WHERE substr(hash, 1, 17) = '$firebase-scrypt$';
                CREATE TABLE imported(digest BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
                CREATE INDEX account_operator ON account(operator) WHERE operator > 0;
                CREATE INDEX account_name ON account(name, user);
                CREATE TABLE session(
                    sid TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES account(user) ON DELETE CASCADE,
                    device TEXT NOT NULL, current BLOB NOT NULL, exchange BLOB, renewals TEXT NOT NULL,
                    created INTEGER NOT NULL, used INTEGER NOT NULL, expires INTEGER NOT NULL,
                    access_until INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TRIGGER session_suspended BEFORE INSERT ON session
                    WHEN (SELECT suspended FROM account WHERE user = NEW.user)
                    BEGIN SELECT RAISE(ABORT, 'the account is suspended'); END;
                CREATE INDEX session_user ON session(user, used);
                CREATE INDEX session_expires ON session(expires);
                CREATE TABLE link(
                    hash BLOB PRIMARY KEY, user TEXT REFERENCES account(user) ON DELETE CASCADE,
                    purpose TEXT NOT NULL, expires INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX link_user ON link(user, purpose, expires);
                CREATE INDEX link_expires ON link(expires);
                CREATE TABLE identity(
                    id TEXT PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL,
                    user TEXT NOT NULL REFERENCES account(user) ON DELETE CASCADE, created INTEGER NOT NULL,
                    client TEXT, sealed BLOB, UNIQUE(issuer, subject)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX identity_user ON identity(user, created);
                CREATE TABLE ended_grant(
                    id INTEGER PRIMARY KEY AUTOINCREMENT, issuer TEXT NOT NULL, client TEXT NOT NULL,
                    sealed BLOB NOT NULL, tries INTEGER NOT NULL
                ) STRICT;
                -- Whatever deletes an identity, in the same transaction, an account that goes with it included.
                CREATE TRIGGER identity_deleted AFTER DELETE ON identity WHEN OLD.sealed IS NOT NULL BEGIN
                    INSERT INTO ended_grant(issuer, client, sealed, tries)
                        VALUES (OLD.issuer, OLD.client, OLD.sealed, 0);
                END;
                CREATE TABLE revocation(
                    id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, device TEXT, sid TEXT,
                    until INTEGER NOT NULL, created INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX revocation_user ON revocation(user);
                CREATE TABLE audit(
                    id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, actor TEXT NOT NULL,
                    act TEXT NOT NULL, user TEXT, detail TEXT
                ) STRICT;
                CREATE INDEX audit_user ON audit(user, id);
                CREATE INDEX audit_time ON audit(time);
                CREATE TABLE api_key(
                    name TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, words TEXT NOT NULL, created INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                -- What is written to see whether something can be.
                CREATE TABLE probe(id INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT;
                CREATE TABLE erasure(user TEXT PRIMARY KEY, after TEXT, until INTEGER) STRICT, WITHOUT ROWID;
                CREATE TABLE profile_due(
                    serial INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL UNIQUE, parts INTEGER NOT NULL
                ) STRICT;
                -- Whatever changes what others see of an account, in the same transaction: 1 name, 2 role, 4 tier.
                CREATE TRIGGER account_inserted AFTER INSERT ON account BEGIN
                    REPLACE INTO profile_due(user, parts) VALUES (NEW.user, 7);
                END;
                CREATE TRIGGER account_updated AFTER UPDATE OF name, role, tier ON account
                    WHEN OLD.name COLLATE BINARY IS NOT NEW.name OR OLD.role IS NOT NEW.role OR OLD.tier IS NOT NEW.tier
                    BEGIN
                    REPLACE INTO profile_due(user, parts) VALUES (NEW.user,
                        (OLD.name COLLATE BINARY IS NOT NEW.name) + 2 * (OLD.role IS NOT NEW.role)
                        + 4 * (OLD.tier IS NOT NEW.tier)
                        | coalesce((SELECT parts FROM profile_due WHERE user = NEW.user), 0));
                END;
                CREATE TRIGGER account_deleted AFTER DELETE ON account BEGIN
                    REPLACE INTO profile_due(user, parts) VALUES (OLD.user, 0);
                END;
                """),
        LocalMigration(
            name: "introductions",
            sql: """
                -- Who came by a friend's link, until the relay has introduced the user to the owner.
                CREATE TABLE introduction_due(
                    user TEXT PRIMARY KEY REFERENCES account(user) ON DELETE CASCADE
                ) STRICT, WITHOUT ROWID;
                """),
        LocalMigration(
            name: "factors",
            sql: """
                -- The secret is sealed. `since` is 0 until its owner has shown a code; `step` is the last one taken.
                CREATE TABLE factor(
                    user TEXT PRIMARY KEY REFERENCES account(user) ON DELETE CASCADE, sealed BLOB NOT NULL,
                    since INTEGER NOT NULL, step INTEGER NOT NULL, created INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE recovery_code(
                    digest BLOB PRIMARY KEY, user TEXT NOT NULL REFERENCES account(user) ON DELETE CASCADE
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX recovery_code_user ON recovery_code(user);
                """),
    ]
}
