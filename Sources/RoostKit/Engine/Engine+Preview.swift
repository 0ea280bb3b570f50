import RoostClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Substitutes for a relay and a file in previews.
extension Engine {
    /// The name of no view.
    static let noView = 0

    /// An engine in memory that never connects, for all previews of a program.
    static let preview: Engine = {
        let settings = RoostSettings(
            relay: URL(filePath: "/"), file: nil, device: "preview", connector: NoConnector(), token: { "" })
        let told = Told(
            session: AsyncStream.makeStream().continuation, presence: AsyncStream.makeStream().continuation,
            others: Acquaintances.Shown(
                people: AsyncStream.makeStream().continuation, contacts: AsyncStream.makeStream().continuation,
                settings: AsyncStream.makeStream().continuation))
        do { return try Engine(settings, told) } catch {
            preconditionFailure("SQLite can't open a database in memory: \(error)")
        }
    }()
}

private struct NoConnector: SocketConnector {
    func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket {
        throw SocketFailure("a preview has no relay")
    }
}
