/// The version of this relay: the one place where it is written. `welcome`, `roost version` and metrics show it.
public enum ServerVersion {
    /// Semantic Versioning 2.0.0.
    public static let number = "0.1.0"
}
