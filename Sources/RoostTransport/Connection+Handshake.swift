internal import CLibwebsockets

extension Connection {
    /// Judges a request with an `Upgrade` header. Returns 0 to accept it, or -1 to close the connection after the
    /// refusal was written.
    ///
    /// This reads the `Upgrade` header from the header table, never through the callback's argument. When a kept-alive
    /// connection asks for an unknown protocol, libwebsockets 4.1 has already answered and freed the headers, so the
    /// argument points into freed memory. The copy from the table is then empty.
    func confirmUpgrade(_ wsi: OpaquePointer) -> Int32 {
        guard let upgrade = header(WSI_TOKEN_UPGRADE, of: wsi, max: 32)?.lowercased() else { return -1 }
        // A server may ignore an upgrade to another protocol (RFC 9110, section 7.8). Only h2c gets this far.
        guard upgrade == "websocket" else { return answer(wsi, mayKeepAlive: false) }
        if let refusal = fault(of: wsi) {
            core.counters.refusedUpgrade += 1
            return refuse(wsi, with: refusal)
        }
        let request = UpgradeRequest(
            peerAddress: peerAddress,
            origin: header(WSI_TOKEN_ORIGIN, of: wsi),
            host: header(WSI_TOKEN_HOST, of: wsi),
            userAgent: header(WSI_TOKEN_HTTP_USER_AGENT, of: wsi),
            authorization: header(WSI_TOKEN_HTTP_AUTHORIZATION, of: wsi),
            forwardedFor: header(WSI_TOKEN_X_FORWARDED_FOR, of: wsi)
        )
        guard let refusal = core.events?.admit(request) else { return 0 }
        core.counters.refusedByHandler += 1
        return refuse(wsi, with: refusal)
    }

    // Checks what libwebsockets accepts wrongly or drops without an answer (RFC 6455, section 4.2.1).
    private func fault(of wsi: OpaquePointer) -> HTTPResponse? {
        let target = target(of: wsi)
        guard target.path == core.settings.path else { return .notFound }
        guard target.method == "GET", header(WSI_TOKEN_HTTP, of: wsi) == "HTTP/1.1" else {
            return .malformedUpgrade("an upgrade must be a GET request in HTTP/1.1")
        }
        guard header(WSI_TOKEN_VERSION, of: wsi) == "13" else { return .upgradeRequired }
        // libwebsockets reads the next two headers into 128 bytes and gives up if they don't fit.
        guard list(WSI_TOKEN_CONNECTION, of: wsi).contains(where: { $0.lowercased() == "upgrade" }) else {
            return .malformedUpgrade("the header Connection does not name Upgrade")
        }
        guard list(WSI_TOKEN_PROTOCOL, of: wsi).contains(where: { $0 == core.settings.subprotocol }) else {
            return .refusal(
                400,
                code: "no_subprotocol",
                reason: "the header Sec-WebSocket-Protocol does not offer \(core.settings.subprotocol)"
            )
        }
        guard lws_hdr_total_length(wsi, WSI_TOKEN_HOST) > 0 else {
            return .malformedUpgrade("the header Host is missing")
        }
        // 16 bytes in base64 are 24 characters.
        guard lws_hdr_total_length(wsi, WSI_TOKEN_KEY) == 24 else {
            return .malformedUpgrade("the header Sec-WebSocket-Key is missing or wrong")
        }
        guard core.openCount < core.settings.connectionsMax else {
            return .full(retryAfterSeconds: core.settings.retryAfterSeconds)
        }
        return nil
    }

    private func refuse(_ wsi: OpaquePointer, with refusal: HTTPResponse) -> Int32 {
        send(refusal.serialized(keepAlive: false), on: wsi)
        return -1
    }

    private func list(_ token: lws_token_indexes, of wsi: OpaquePointer) -> [String] {
        let words = header(token, of: wsi, max: 126)?.split(separator: ",") ?? []
        return words.map { String($0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }) }
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
