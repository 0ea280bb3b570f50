internal import CBuild

/// The version of this process: the relay's. A test compares them.
package enum ServicesVersion {
    /// Semantic Versioning 2.0.0.
    package static let number = "0.1.0"
    /// The commit that was built; nil if it isn't known.
    package static let commit: String? = {
        let commit = String(cString: roost_commit())
        return commit.isEmpty ? nil : commit
    }()
}
