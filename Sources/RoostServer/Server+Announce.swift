import Dispatch
import Glibc
import RoostAuth
import RoostTransport
import RoostWire

/// The relay's text on standard output when it listens. Nothing of it goes into the log.
extension Server {
    func announce(port: UInt16) {
        let program = CommandLine.arguments.first ?? "roost"
        let host = configuration.listen.host
        let authority = ListenAddress(host)?.authority(port: port, as: host)
        let secure = configuration.tls.isOn ? "s" : ""
        let address = authority.map { "ws\(secure)://\($0)/v1/socket" } ?? host
        let metrics =
            authority.map { "http\(secure)://\($0)/metrics" }
            ?? "curl --unix-socket \(host.dropFirst("unix:".count)) http://roost/metrics"
        let hint = configuration.hint(port: port)
        let page =
            configuration.listen.services.isEmpty
            ? "\(program) link --user alice\(hint.relay)"
            : ([program, "admin", "link"] + words.map(Configuration.quoted)).joined(separator: " ")
        print(
            """
            Roost \(ServerVersion.number) listens on \(address)
              store       \(configuration.store.path), durability \(configuration.store.durability.rawValue)
              page        \(page)     prints a link to the chat page
              chat        \(program) chat --as alice --with bob\(hint.relay)     and, in another terminal,
                          \(program) chat --as bob --with alice\(hint.relay)
              by hand     \(program) token --user alice --ttl 1h\(hint.key)    then connect with subprotocol roost.v1
              operators   \(program) top\(hint.relay)     and \(program) admin page\(hint.relay), which prints a link
              metrics     \(metrics)
            """)
        announceLinks(port: port)
        print("Stop it with Ctrl-C.")
        fflush(nil)
    }

    /// Prints a link to the chat page for each user named; on a terminal, for two who can talk at once. A link is as
    /// good as a password, so it isn't printed where the output may be kept, nor where another issuer makes the tokens.
    private func announceLinks(port: UInt16) {
        var users = linkedUsers
        let isAlone = configuration.auth.publicKeys.isEmpty
        if users.isEmpty, isAlone, isatty(STDOUT_FILENO) == 1 { users = ["you", "friend"] }
        guard configuration.hasChatPage, !users.isEmpty, let url = configuration.url(port: port),
            let page = PageAddress(relay: url)
        else { return }
        let links = users.compactMap { user in token(for: user).map { (user, page.link(token: $0)) } }
        let width = links.map(\.0.count).max() ?? 0
        print("\nOpen the chat page in a browser, and let somebody else open the other link:")
        for (user, link) in links {
            print("  \(user)\(String(repeating: " ", count: width - user.count))  \(link)")
        }
        print("")
    }

    /// A token by the relay's own key; nil if the name can't be a user's. Signing is asynchronous, and this is the main
    /// thread before anything else runs.
    private func token(for user: String) -> String? {
        let auth = configuration.auth
        guard let key = try? SigningKey.load(path: auth.keyFile) else { return nil }
        let done = DispatchSemaphore(value: 0)
        let box = TokenBox()
        Task {
            box.token = try? await PageAddress.token(for: user, key: key, auth: auth)
            done.signal()
        }
        done.wait()
        return box.token
    }

    /// Carries the token to the main thread: written before the semaphore is signalled, read after.
    private final class TokenBox: @unchecked Sendable {
        var token: String?
    }
}
