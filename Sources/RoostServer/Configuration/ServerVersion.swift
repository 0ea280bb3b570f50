/// The version of this relay. It is written only here; `welcome`, `roost version` and the metrics show it.
public enum ServerVersion {
    /// Semantic Versioning 2.0.0.
    public static let number = "0.1.0"
}
