import RoostCore
import RoostTransport
import RoostWire

/// The HTTP pages beside the socket: health, readiness, metrics, the operators' page, and at `/` the chat page or a
/// greeting.
extension Gateway {
    func respond(to request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/healthz": return text(200, "ok\n")
        case "/readyz": return readiness()
        case "/metrics":
            guard isAuthorized(request) else {
                var response = HTTPResponse.refusal(
                    401, code: "unauthorized",
                    reason: "/metrics requires a bearer token, or this machine if none is set")
                response.headers.append(("WWW-Authenticate", "Bearer"))
                return response
            }
            return HTTPResponse(
                status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
                body: metrics.page(at: now.monotonic) { metricsPage() })
        case "/v1/page" where configuration.hasChatPage || configuration.hasAdminPage:
            return ChatPage.settings(services: configuration.listen.services)
        case let path:
            if configuration.hasChatPage || ChatPage.isClient(path),
                let page = ChatPage.response(to: request, services: configuration.listen.services)
            {
                return page
            }
            if path == "/" { return greeting }
            let page =
                configuration.hasAdminPage ? AdminPage.response(to: path, services: configuration.listen.services) : nil
            return page ?? .refusal(404, code: "not_found", reason: "there is no such page")
        }
    }

    /// The text for clients other than browsers, and for all if the chat page is off.
    private var greeting: HTTPResponse {
        var response = text(
            200, "Roost \(ServerVersion.number). Clients connect by WebSocket to /v1/socket, subprotocol roost.v1.\n")
        if configuration.hasChatPage { response.headers.append(("Vary", "Accept")) }
        return response
    }

    private func readiness() -> HTTPResponse {
        if hasStoreFailed {
            return .refusal(503, code: "store_failed", reason: "the store has failed", retryAfterSeconds: 5)
        }
        guard case .serving = phase else {
            return .refusal(503, code: "draining", reason: "the relay is stopping", retryAfterSeconds: 5)
        }
        if relay.isFull {
            return .refusal(
                503, code: "disk_full", reason: "the disk of the store is full", retryAfterSeconds: 10)
        }
        if relay.isStalled {
            return .refusal(
                503, code: "store_stalled", reason: "the store has taken nothing for a while", retryAfterSeconds: 5)
        }
        return text(200, "ready\n")
    }

    private func text(_ status: Int, _ line: String) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: [UInt8](line.utf8))
    }

    /// Without a token, only this machine may read: counters betray what people do. Compares in constant time, so that
    /// the time it takes doesn't reveal how much of the token is right.
    private func isAuthorized(_ request: HTTPRequest) -> Bool {
        guard let token = configuration.metrics.token else { return request.isTrusted }
        // The name of the scheme may be written in any case (RFC 9110, section 11.1).
        let (scheme, header) = ("bearer ", request.authorization ?? "")
        guard header.prefix(scheme.count).lowercased() == scheme else { return false }
        let expected = [UInt8](token.utf8)
        let given = [UInt8](header.dropFirst(scheme.count).utf8)
        guard expected.count == given.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(expected, given) { difference |= one ^ other }
        return difference == 0
    }
}
