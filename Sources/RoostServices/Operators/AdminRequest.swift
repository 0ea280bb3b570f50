import Glibc
import RoostAuth
import RoostConfiguration
import RoostServicesConfiguration

/// A request to the operators' routes of a running process, made by another one of the same program: it may read the
/// keys, so it needs no password.
package struct AdminRequest: Sendable {
    private let configuration: ServicesConfiguration
    private let name: String
    private let limits = ServicesLimits()

    /// - Parameter name: the operator's, for the audit log.
    package init(_ configuration: ServicesConfiguration, as name: String) {
        self.configuration = configuration
        self.name = name
    }

    /// A token for the command line, or for the operators' page, which stays open for a while.
    package func token(isForPage: Bool = false) throws -> String {
        var limits = limits
        // The running process reads new keys with its chores.
        limits.keySettlingSeconds += Int64(limits.choreSeconds)
        let ring = try KeyRing(data: try folder(), limits: limits, clock: .system)
        let seconds = isForPage ? limits.pageTokenSeconds : limits.commandTokenSeconds
        return try OperatorToken.make(for: name, by: ring, issued: WallClock.system.seconds, seconds: seconds)
    }

    /// The folder of the keys. It is never made here: a token of new keys would be useless.
    private func folder() throws(KeyFailure) -> String {
        let data = configuration.data
        try DataFolder.checkNotLost(data)
        guard access(data + "/keys/secret", F_OK) == 0 else {
            throw KeyFailure("\(data): there are no keys of roost-services; name their folder by --set services.data=…")
        }
        return data
    }

    /// Sends it. Returns the status and the body.
    /// - Parameters:
    ///   - token: one to use instead of a new one.
    ///   - url: where the process is, if not where the configuration says.
    ///   - caFile: the certificates that its own is checked by; nil for the system's.
    package func send(
        _ method: String, _ path: String, body: [UInt8], token: String?, url: String?, caFile: String?
    ) async throws -> (status: Int, body: [UInt8]) {
        let anywhere = ["0.0.0.0/0", "::/0"].compactMap(AddressRange.init)
        var bounds = OutgoingBounds()
        // The person at the command line can repeat the command.
        bounds.tries = 1
        let client = try OutgoingClient(
            OutgoingSettings(policy: AddressPolicy(allowed: anywhere), caFile: caFile, bounds: bounds))
        var headers = [(name: "Authorization", value: "Bearer \(try token ?? self.token())")]
        if !body.isEmpty { headers.append((name: "Content-Type", value: "application/json")) }
        let answer = try await client.send(
            OutgoingRequest(method, address(url) + path, headers: headers, body: body, mayRepeat: false))
        return (answer.status, answer.body)
    }

    private func address(_ url: String?) -> String {
        if let url { return url.hasSuffix("/") ? String(url.dropLast()) : url }
        let host =
            switch configuration.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: configuration.host
            }
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(configuration.port)"
    }
}
