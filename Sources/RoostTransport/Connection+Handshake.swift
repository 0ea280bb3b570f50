extension Connection {
    /// Judges a request to upgrade to WebSocket, and answers it.
    func upgrade(_ request: RequestHead) {
        if let refusal = fault(of: request) {
            core.counters.refusedUpgrade += 1
            return respond(refusal, keepAlive: false, withBody: request.method != "HEAD")
        }
        let asked = UpgradeRequest(
            clientAddress: clientAddress,
            origin: request.value("origin"),
            host: request.value("host"),
            userAgent: request.value("user-agent"),
            authorization: request.value("authorization")
        )
        if let refusal = core.events?.admit(asked) {
            core.counters.refusedByHandler += 1
            return respond(refusal, keepAlive: false)
        }
        accept(key: request.value("sec-websocket-key") ?? "")
    }

    // RFC 6455, section 4.2.1.
    private func fault(of request: RequestHead) -> HTTPResponse? {
        guard request.path == core.settings.path else { return .notFound }
        guard request.method == "GET", !request.isOld, !request.hasBody else {
            return .malformedUpgrade("an upgrade must be a GET request in HTTP/1.1 without a body")
        }
        guard request.value("sec-websocket-version") == "13" else { return .upgradeRequired }
        guard request.list("connection").contains(where: { $0.lowercased() == "upgrade" }) else {
            return .malformedUpgrade("the header Connection does not name Upgrade")
        }
        if let subprotocol = core.settings.subprotocol,
            !request.list("sec-websocket-protocol").contains(subprotocol)
        {
            return .refusal(
                400,
                code: "no_subprotocol",
                reason: "the header Sec-WebSocket-Protocol does not offer \(subprotocol)"
            )
        }
        guard HandshakeKey.isNonce(request.value("sec-websocket-key") ?? "") else {
            return .malformedUpgrade("the header Sec-WebSocket-Key is missing or not 16 bytes in base64")
        }
        return nil
    }

    private func accept(key: String) {
        var head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Accept: \(HandshakeKey.answer(to: key))\r\n"
        if let subprotocol = core.settings.subprotocol { head += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        head += "\r\n"
        send(Array(head.utf8))
        // The peer may be gone already.
        guard phase == .request else { return }
        setTimeout(0)
        phase = .open
        isTold = true
        core.openCount += 1
        core.counters.opened += 1
        core.events?.opened(self)
    }
}

extension HTTPResponse {
    static let notFound = refusal(404, code: "not_found", reason: "there is no such path")

    static func malformedUpgrade(_ reason: String) -> HTTPResponse {
        refusal(400, code: "malformed_upgrade", reason: reason)
    }

    /// Names the supported version, as RFC 6455, section 4.4 requires.
    static var upgradeRequired: HTTPResponse {
        var response = refusal(
            426, code: "upgrade_required", reason: "this path only accepts a WebSocket upgrade, version 13")
        response.headers = [("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket")]
        return response
    }
}
