internal import CLibwebsockets
internal import Glibc

extension ServerCore {
    /// Accepts connections that wait at the listener, a bounded number at a time.
    func acceptWaiting() {
        for _ in 0..<settings.acceptsPerTurn {
            var peer = sockaddr_in()
            let descriptor = listener.accept(from: &peer)
            if descriptor >= 0 {
                take(descriptor, from: peer)
                continue
            }
            switch errno {
            case ECONNABORTED, EINTR, EPROTO: continue
            case EMFILE, ENFILE:
                guard refuseWithSpare() else { return pauseAccepting() }
            case EAGAIN: return
            default: return pauseAccepting()
            }
        }
    }

    // Refuses a connection when no descriptor is left. Without the spare descriptor the listener would stay readable
    // and the loop would spin.
    private func refuseWithSpare() -> Bool {
        var peer = sockaddr_in()
        let descriptor = listener.acceptWithSpare(from: &peer)
        if descriptor >= 0 {
            counters.accepted += 1
            counters.refusedDescriptor += 1
            refused.answer(descriptor, with: response(.full), isLast: true)
        }
        return listener.restoreSpare() && descriptor >= 0
    }

    // Stops accepting until the next beat.
    private func pauseAccepting() { ev_io_stop(library.loop, accepting) }

    private func take(_ descriptor: Int32, from peer: sockaddr_in) {
        counters.accepted += 1
        let address = peer.sin_addr.s_addr
        guard socketCount < settings.connectionsMax + settings.requestSocketsMax else {
            counters.refusedFull += 1
            return refused.answer(descriptor, with: response(.full), isLast: false)
        }
        // A few more of one address than may be connected, so that its health checks still get in.
        guard perAddress[address, default: 0] < settings.connectionsPerAddressMax + settings.requestSocketsMax else {
            counters.refusedAddress += 1
            return refused.answer(descriptor, with: response(.address), isLast: false)
        }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        adopt(descriptor, from: address)
    }

    private func adopt(_ descriptor: Int32, from address: in_addr_t) {
        let connection = Connection(id: nextID, address: address, descriptor: descriptor, core: self)
        nextID += 1
        socketCount += 1
        perAddress[address, default: 0] += 1
        let held = Unmanaged.passRetained(connection)
        // On failure the library closes the socket. Depending on how far it got, it calls back with WSI_DESTROY or not.
        if shim_lws_adopt(vhost, descriptor, held.toOpaque()) == nil, !connection.isForgotten { forget(held) }
    }

    /// Stops counting a socket and releases its connection.
    func forget(_ held: Unmanaged<Connection>) {
        let connection = held.takeRetainedValue()
        uncount(connection)
    }

    private func uncount(_ connection: Connection) {
        guard !connection.isForgotten else { return }
        connection.isForgotten = true
        socketCount -= 1
        let left = perAddress[connection.address, default: 1] - 1
        perAddress[connection.address] = left > 0 ? left : nil
    }

    /// Whether more sockets of this address are there than may be connected.
    func hasTooMany(from address: in_addr_t) -> Bool {
        perAddress[address, default: 0] > settings.connectionsPerAddressMax
    }

    /// Makes room for others as soon as a connection only drains. Returns false if too many do: it has to be cut.
    func beginDraining(_ connection: Connection) -> Bool {
        guard drainingCount < settings.refusedSocketsMax else { return false }
        drainingCount += 1
        uncount(connection)
        return true
    }

    /// Closes a connection's socket at the end of this turn. Until then the handler hears nothing of it, so this may be
    /// called by what the handler calls.
    func end(_ connection: Connection) {
        guard connection.phase != .ended else { return }
        if connection.phase == .draining { drainingCount -= 1 }
        connection.phase = .ended
        ending.append(connection)
    }

    /// Ends what is to end in this turn. What the handler does about it needs a turn of its own.
    func endConnections() {
        var gone: [Connection] = []
        swap(&gone, &leaving)
        for connection in gone { connection.sendFarewell() }
        gone = []
        swap(&gone, &ending)
        // The library calls back, and the connection's reference is released.
        for connection in gone { if let wsi = connection.wsi { shim_lws_kill_now(wsi) } }
        library.wake.send()
    }

    private enum Shortage { case full, address }

    private func response(_ shortage: Shortage) -> [UInt8] {
        let response: HTTPResponse =
            switch shortage {
            case .full: .full(retryAfterSeconds: settings.retryAfterSeconds)
            case .address: .tooMany(retryAfterSeconds: settings.retryAfterSeconds)
            }
        return response.serialized(keepAlive: false)
    }
}

extension HTTPResponse {
    /// The refusal of an address that has enough connections.
    static func tooMany(retryAfterSeconds: Int) -> HTTPResponse {
        .refusal(
            429, code: "too_many_connections", reason: "too many connections from this address",
            retryAfterSeconds: retryAfterSeconds)
    }

    /// The refusal of a relay that has no room for more connections.
    static func full(retryAfterSeconds: Int) -> HTTPResponse {
        .refusal(503, code: "full", reason: "the relay is full", retryAfterSeconds: retryAfterSeconds)
    }
}
