import Crypto
import Foundation
import RoostStore

/// The statements about all users of past imports. For a deleted account only a digest of the id stays, so that the
/// next import doesn't bring it back.
enum ImportedTable {
    private static func key(_ user: String) -> LocalValue {
        .bytes(Array(SHA256.hash(data: Data(user.utf8)).prefix(16)))
    }

    static func insert(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("INSERT INTO imported(digest) VALUES (?) ON CONFLICT DO NOTHING", [key(user)])
    }

    static func has(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try !database.rows("SELECT 1 FROM imported WHERE digest = ?", [key(user)]) { _ in }.isEmpty
    }
}
