import RoostLock

/// The place where an app keeps its sign-in. The data is as good as a password: `KeychainTokenStore` on Apple's
/// systems, `FileTokenStore` elsewhere. It may block for a moment, as a disk does.
public protocol TokenStore: Sendable {
    /// Returns the bytes that were saved last; nil if there are none.
    func load() throws -> [UInt8]?
    /// Keeps these bytes in place of others. They are on disk when it returns: older ones are of no use.
    func save(_ bytes: [UInt8]) throws
    /// Keeps nothing.
    func clear() throws
}

/// A store that ends with the process: for tests, and for users who don't want to stay signed in.
public final class MemoryTokenStore: TokenStore {
    private let bytes = Locked<[UInt8]?>(nil)

    /// Empty.
    public init() {}

    /// Returns the bytes that were saved last.
    public func load() -> [UInt8]? { bytes.withLock { $0 } }

    /// Keeps these bytes.
    public func save(_ bytes: [UInt8]) { self.bytes.withLock { $0 = bytes } }

    /// Keeps nothing.
    public func clear() { bytes.withLock { $0 = nil } }
}
