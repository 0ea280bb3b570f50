internal import CLibwebsockets
internal import RoostTLS

/// Plain HTTP on the same port, and what comes before an upgrade.
extension Connection {
    /// Takes bytes of requests. They are held while a response waits to be read. A peer that sends more meanwhile than
    /// one head may have is cut.
    func receivedRequest(_ bytes: UnsafeRawBufferPointer) {
        // The time for the first request runs from accept on.
        if isKept, head.isEmpty, unsent.isEmpty { setTimeout(core.settings.headerTimeoutSeconds) }
        head.append(contentsOf: bytes)
        if phase == .preface {
            guard takePreface() else { return }
            if tls != nil {
                var rest: [UInt8] = []
                swap(&rest, &head)
                return rest.withUnsafeMutableBytes { received($0) }
            }
        }
        guard unsent.isEmpty else {
            if head.count > RequestHead.Bounds.bytes {
                core.counters.cutUnread += 1
                core.end(self)
            }
            return
        }
        if !isNextWaiting { serveRequest() }
    }

    /// Answers the next request, if it has arrived. One in a turn: a packet has room for a hundred requests of a page
    /// that takes long, and all connections would wait for it.
    func serveRequest() {
        guard phase == .request, unsent.isEmpty, !isFinishing, !head.isEmpty else { return }
        core.countChange()
        switch requests.next(&head) {
        case .incomplete: return
        case .refused(let refusal):
            core.counters.requests += 1
            respond(refusal, keepAlive: false, withBody: !head.starts(with: "HEAD ".utf8))
        case .whole(let request):
            attribute(request)
            let path = request.path
            let isGuarded = core.settings.certifiedPaths.contains { path == $0 || path.hasPrefix($0 + "/") }
            if isGuarded, tls?.isPeerKnown != true {
                respond(.needsCertificate, keepAlive: false, withBody: request.method != "HEAD")
            } else if let shortage = place.shortage, !core.settings.reservedPaths.contains(request.path) {
                refuse(shortage)
            } else if request.list("upgrade").contains(where: { $0.lowercased() == "websocket" }) {
                upgrade(request)
            } else {
                answer(request, isTrusted: isGuarded || request.isLocal(from: sender))
            }
        }
        guard !head.isEmpty else { return head = [] }
        if phase == .open { receivedEarly() }
        if phase == .request, unsent.isEmpty, !isFinishing { waitForTurn() }
    }

    // Takes the header of the PROXY protocol off the front. Returns false if there is no more to do.
    private func takePreface() -> Bool {
        switch ProxyHeader.read(head) {
        case .incomplete: return false
        case .invalid:
            phase = .request
            core.counters.requests += 1
            respond(.badRequest("the header of the PROXY protocol is missing or wrong"), keepAlive: false)
            return false
        case .header(let count, let client):
            phase = .request
            head.removeFirst(count)
            if let client {
                sender = client
                core.move(self, to: client)
            }
            return !head.isEmpty
        }
    }

    // Counts the connection for the client that sent the request. A proxy may send requests of many clients on one
    // connection.
    private func attribute(_ request: RequestHead) {
        let proxies = core.settings.proxies
        guard proxies.contains(sender) else { return }
        core.move(self, to: proxies.origin(of: sender, forwardedFor: request.value("x-forwarded-for")))
    }

    private func refuse(_ shortage: Admission<Connection>.Shortage) {
        switch shortage {
        case .full:
            core.counters.refusedFull += 1
            respond(.full(retryAfterSeconds: core.settings.retryAfterSeconds), keepAlive: false)
        case .address:
            core.counters.refusedAddress += 1
            respond(.tooManyConnections(retryAfterSeconds: core.settings.retryAfterSeconds), keepAlive: false)
        }
    }

    // If more were read meanwhile, a client that sends many requests together would be cut, although it reads the
    // responses. This doesn't wait for the socket to take more: a peer that reads nothing must be read on, and cut.
    private func waitForTurn() {
        guard let wsi else { return }
        isNextWaiting = true
        lws_rx_flow_control(wsi, 0)
        core.waiting.append(self)
    }

    /// Answers the request that has waited for this turn.
    func serveWaiting() {
        isNextWaiting = false
        guard let wsi else { return }
        lws_rx_flow_control(wsi, 1)
        serveRequest()
    }

    // A client may send frames right behind its handshake. They have come with it.
    private func receivedEarly() {
        var early: [UInt8] = []
        swap(&early, &head)
        early.withUnsafeMutableBytes { received($0) }
    }

    private func answer(_ request: RequestHead, isTrusted: Bool) {
        core.counters.requests += 1
        let response = response(to: request, isTrusted: isTrusted)
        let keepAlive = response.status < 400 && request.mayBeFollowed && place.shortage == nil
        respond(response, keepAlive: keepAlive, withBody: request.method != "HEAD")
    }

    private func response(to request: RequestHead, isTrusted: Bool) -> HTTPResponse {
        guard
            core.settings.unmeteredPaths.contains(request.path)
                || core.admission.takeRequest(of: clientAddress, at: core.monotonicMilliseconds)
        else {
            core.counters.refusedRate += 1
            return .tooManyRequests
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = HTTPResponse.refusal(
                405, code: "method_not_allowed", reason: "only GET and HEAD are allowed")
            response.headers = [("Allow", "GET, HEAD")]
            return response
        }
        if request.path == core.settings.path { return .upgradeRequired }
        let request = HTTPRequest(
            method: request.method, path: request.path, query: request.query,
            authorization: request.value("authorization"), accept: request.value("accept"),
            acceptEncoding: request.value("accept-encoding"), ifNoneMatch: request.value("if-none-match"),
            clientAddress: clientAddress, isTrusted: isTrusted)
        return core.events?.respond(to: request) ?? .notFound
    }

    /// Sends a response. Without `keepAlive`, the connection ends when it has been sent.
    func respond(_ response: HTTPResponse, keepAlive: Bool, withBody: Bool = true) {
        if response.refusal != nil { core.events?.refused(self, response) }
        isKept = keepAlive
        send(response.serialized(keepAlive: keepAlive, withBody: withBody))
        setRequestTimeout()
        if !keepAlive { finish() }
    }

    /// The time that the peer has to read a response, for the rest of a request, or for the next one.
    func setRequestTimeout() {
        let isIdle = unsent.isEmpty && head.isEmpty
        setTimeout(isIdle ? core.settings.keepAliveSeconds : core.settings.headerTimeoutSeconds)
    }
}

extension RequestHead {
    /// Whether it was made on this machine. A proxy on this machine connects from here, too, but names its client.
    func isLocal(from sender: ClientAddress) -> Bool {
        sender.isLoopback && RequestHead.forwardedFields.allSatisfy { count($0) == 0 }
    }

    /// The header fields that proxies add (RFC 7239, RFC 9110, section 7.6.3, and the usual ones before it).
    private static let forwardedFields = ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "via"]

    /// Whether a body follows, or could.
    var hasBody: Bool { count("content-length") + count("transfer-encoding") > 0 }

    /// Whether the connection may be kept after the answer. No page takes a body, so a request with one is answered,
    /// and its connection is closed. The same holds for an upgrade to another protocol, which a server may ignore
    /// (RFC 9110, section 7.8).
    var mayBeFollowed: Bool {
        guard !isOld, !hasBody, count("upgrade") == 0 else { return false }
        return !list("connection").contains { $0.lowercased() == "close" }
    }
}
