internal import CLibwebsockets
internal import Glibc
internal import RoostTLS
internal import RoostWire

extension ServerCore {
    /// Accepts connections that wait at the listener, a bounded number at a time.
    func acceptWaiting() {
        for _ in 0..<settings.acceptsPerTurn {
            var peer = sockaddr_storage()
            let descriptor = listener.accept(from: &peer)
            if descriptor >= 0 {
                take(descriptor, from: peer)
                continue
            }
            switch errno {
            case ECONNABORTED, EINTR, EPROTO: continue
            case EMFILE, ENFILE:
                // Its descriptor is free at the end of this turn.
                if let oldest = admission.oldestOfLargestCrowd { return oldest.giveWay() }
                guard refuseWithSpare() else { return pauseAccepting() }
            case EAGAIN: return
            default: return pauseAccepting()
            }
        }
    }

    // Refuses a connection when no descriptor is left. Without the spare descriptor the listener would stay readable
    // and the loop would spin.
    private func refuseWithSpare() -> Bool {
        var peer = sockaddr_storage()
        let descriptor = listener.acceptWithSpare(from: &peer)
        if descriptor >= 0 {
            counters.accepted += 1
            counters.refusedDescriptor += 1
            let response = HTTPResponse.full(retryAfterSeconds: settings.retryAfterSeconds)
            ServerCore.answerAtOnce(descriptor, with: response.serialized(keepAlive: false))
        }
        return listener.restoreSpare() && descriptor >= 0
    }

    // Sends a response to a request that was hardly read, and closes the socket.
    private static func answerAtOnce(_ descriptor: Int32, with response: [UInt8]) {
        // Unread bytes would reset the connection, and the peer might lose the response.
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            _ = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        }
        _ = response.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        close(descriptor)
    }

    // Stops accepting until the next beat.
    private func pauseAccepting() { ev_io_stop(library.loop, watchers.accepting) }

    private func take(_ descriptor: Int32, from peer: sockaddr_storage) {
        counters.accepted += 1
        countChange()
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let sender = ClientAddress(peer)
        let connection = Connection(id: nextID, sender: sender, descriptor: descriptor, core: self)
        if let certificate = listener.certificate {
            guard let tls = try? TLSStream(server: certificate) else {
                close(descriptor)
                return
            }
            connection.tls = tls
        }
        if settings.takesProxyHeader, settings.proxies.contains(sender) { connection.phase = .preface }
        nextID += 1
        socketCount += 1
        count(connection, for: sender)
        let held = Unmanaged.passRetained(connection)
        guard shim_lws_adopt(vhost, descriptor, held.toOpaque()) == nil, connection.phase != .ended else { return }
        // On failure the library closes the socket. Depending on how far it got, it calls back with WSI_DESTROY or not.
        connection.ended()
        socketCount -= 1
        held.release()
    }

    // MARK: Bounds

    // Counts a connection for an address. Where there is no room, another one is dropped, or it gets into the reserve.
    private func count(_ connection: Connection, for address: ClientAddress) {
        var shortage: Admission<Connection>.Shortage?
        switch admission.room(for: address) {
        case .free: break
        case .instead(let other): other.giveWay()
        case .reserve(let found, let other):
            shortage = found
            other?.giveWay()
        }
        connection.place = admission.add(connection, of: address, shortage)
    }

    /// Counts a connection for another address from now on.
    func move(_ connection: Connection, to address: ClientAddress) {
        guard connection.place.isCounted, connection.place.address != address else { return }
        admission.remove(&connection.place)
        count(connection, for: address)
    }

    /// Counts a connection no longer.
    func uncount(_ connection: Connection) {
        admission.remove(&connection.place)
        guests.remove(connection)
        if connection.isLeaver {
            connection.isLeaver = false
            leaverCount -= 1
        }
    }

    /// Makes room for others as soon as a connection only waits for its peer to end. Returns false if too many do: it
    /// has to be cut.
    func letGo(_ connection: Connection) -> Bool {
        guard !connection.isLeaver else { return true }
        guard leaverCount < settings.leaversMax else { return false }
        uncount(connection)
        connection.isLeaver = true
        leaverCount += 1
        return true
    }

    /// Notes how much of an unfinished message a connection holds. If all of them hold too much, cuts the oldest.
    func notePartial(_ bytes: Int, of connection: Connection, isNew: Bool) {
        partialFrames.note(bytes, of: connection, at: &connection.partial, isNew: isNew)
        while let oldest = partialFrames.surplus {
            counters.partialsCut += 1
            oldest.fail(.overloaded)
        }
    }

    /// Closes a connection's socket at the end of this turn. Until then the handler hears nothing of it, so this may be
    /// called by what the handler calls.
    func end(_ connection: Connection) {
        guard connection.phase != .ended else { return }
        uncount(connection)
        connection.phase = .ended
        ends.closing.append(connection)
    }
}

extension HTTPResponse {
    /// The refusal of an address that has enough connections.
    static func tooManyConnections(retryAfterSeconds: Int) -> HTTPResponse {
        .refusal(
            429, code: "too_many_connections", reason: "too many connections from this address",
            retryAfterSeconds: retryAfterSeconds)
    }

    /// The refusal of a relay that has no room for more connections.
    static func full(retryAfterSeconds: Int) -> HTTPResponse {
        .refusal(503, code: "full", reason: "the relay is full", retryAfterSeconds: retryAfterSeconds)
    }

    /// The refusal of an address that has sent enough requests in this second.
    static var tooManyRequests: HTTPResponse {
        .refusal(
            429, code: "too_many_requests", reason: "too many requests from this address", retryAfterSeconds: 1)
    }
}
