internal import CBuild
import RoostStorage

/// The version of this relay. It is written only here; `welcome`, `roost version` and the metrics show it.
public enum ServerVersion {
    /// Semantic Versioning 2.0.0.
    public static let number = "0.1.0"
    /// The commit that was built, with a `+` behind it if there were changes; nil if it isn't known.
    public static let commit: String? = {
        let commit = String(cString: roost_commit())
        return commit.isEmpty ? nil : commit
    }()
    /// The newest migration of the store that this relay knows.
    public static let schema = SQLiteLog.newestSchema
}
