import ArgumentParser
import RoostClient
import RoostClientLibwebsockets

/// The certificates that a command trusts when it connects to a relay.
struct TrustOptions: ParsableArguments {
    @Option(help: "File of trusted certificates for wss://; otherwise the system's.")
    var caFile: String?

    /// Makes the connector. Called once.
    func connector() throws -> any SocketConnector {
        guard let caFile else { return LibwebsocketsConnector() }
        do throws(SocketFailure) { return try LibwebsocketsConnector(caFile: caFile) } catch {
            throw ValidationError("--ca-file: \(error.reason)")
        }
    }
}
