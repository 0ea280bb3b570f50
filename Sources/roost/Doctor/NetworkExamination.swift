import Foundation
import Glibc
import RoostChat
import RoostClient
import RoostServer
import RoostWire

/// The path between people and the relay: names, and a proxy with its time-outs.
enum NetworkExamination {
    /// Whether a name is found.
    static func name(_ host: String, key: String) -> Diagnosis {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0 else {
            return .ill(
                "name", "\(host) (\(key)): \(String(cString: gai_strerror(code)))",
                mend: "add it where your names are kept, or correct \(key)")
        }
        return .well("name", "\(host) is known")
    }

    /// Whether a relay answers at this address, and whether a connection that says nothing stays open for so long.
    static func relay(at address: String, token: String, quiet seconds: Int, by connector: any SocketConnector)
        async -> [Diagnosis]
    {
        let client: OperatorClient
        do throws(RoostFailure) {
            client = try OperatorClient(url: address, token: token, connector: connector)
            _ = try await client.connect()
        } catch {
            return [
                .ill(
                    "relay", "\(address): \(FailureLine.text(error))",
                    mend: "start it, or look at the proxy: it must pass Upgrade and Connection on, for /v1/socket")
            ]
        }
        let answers = Diagnosis.well("relay", "answers at \(address)")
        guard seconds > 0 else {
            await client.close()
            return [answers]
        }
        let stayed = await stays(client, seconds: seconds)
        await client.close()
        guard !stayed else { return [answers, .well("proxy", "a quiet connection stayed open for \(seconds) s")] }
        return [
            answers,
            .ill(
                "proxy", "a quiet connection was closed within \(seconds) s",
                mend:
                    "raise its time-outs above a minute: proxy_read_timeout of nginx, the idle time of a balancer"),
        ]
    }

    private static func stays(_ client: OperatorClient, seconds: Int) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in client.samples {}
                return Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return true
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }
}
