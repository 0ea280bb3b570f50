import RoostAuth
import RoostCore
import RoostWire

/// Where the pages of a relay are, and the links that bring a token there. Browsers don't send what is behind the `#`
/// to any server.
public struct PageAddress: Sendable {
    /// Default lifetime of a link's token: long enough to forget about it, short enough that a link in some old mail is
    /// worth nothing.
    public static let linkSeconds: Int64 = 30 * 86_400

    private let root: String

    /// Creates it from the address of a relay, `ws://…/v1/socket`, or of its page, `https://…`; nil if it is neither,
    /// or below a path: the page names its parts from the root of its host, where its service worker has to be, too.
    public init?(relay: String) {
        if relay.hasPrefix("http://") || relay.hasPrefix("https://") {
            let isAtRoot = relay.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last.map {
                rest in
                !rest.dropLast(rest.hasSuffix("/") ? 1 : 0).contains { "/?#".contains($0) }
            }
            guard isAtRoot == true else { return nil }
            root = relay.hasSuffix("/") ? relay : relay + "/"
            return
        }
        let path = "/v1/socket"
        guard relay.hasPrefix("ws://") || relay.hasPrefix("wss://"), relay.hasSuffix(path) else { return nil }
        // ws becomes http, and wss https.
        root = "http" + relay.dropFirst(2).dropLast(path.count) + "/"
    }

    /// A link with a token: to the chat page, or to a page below it.
    public func link(to page: String = "", token: String) -> String { "\(root)\(page)#token=\(token)" }

    /// A link of an invitation.
    public func link(invite code: String) -> String { "\(root)#invite=\(code)" }

    /// Makes a token for a link.
    public static func token(
        for user: String, key: SigningKey, auth: Configuration.Auth, seconds: Int64 = linkSeconds
    ) async throws -> String {
        let now = Clock.now().wall.milliseconds
        return try await key.token(
            user: user, issued: Timestamp(milliseconds: now), expires: Timestamp(milliseconds: now + seconds * 1_000),
            audience: auth.audience, issuer: auth.issuer)
    }
}
