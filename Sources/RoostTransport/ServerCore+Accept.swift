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
        guard perAddress[address, default: 0] < settings.connectionsPerAddressMax else {
            counters.refusedAddress += 1
            return refused.answer(descriptor, with: response(.address), isLast: false)
        }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        adopt(descriptor, from: address)
    }

    private func adopt(_ descriptor: Int32, from address: in_addr_t) {
        let connection = Connection(id: nextID, address: address, core: self)
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
        connection.isForgotten = true
        socketCount -= 1
        let left = perAddress[connection.address, default: 1] - 1
        perAddress[connection.address] = left > 0 ? left : nil
    }

    private enum Shortage { case full, address }

    private func response(_ shortage: Shortage) -> [UInt8] {
        let response: HTTPResponse =
            switch shortage {
            case .full: .full(retryAfterSeconds: settings.retryAfterSeconds)
            case .address:
                .refusal(
                    429,
                    code: "too_many_connections",
                    reason: "too many connections from this address",
                    retryAfterSeconds: settings.retryAfterSeconds
                )
            }
        return response.serialized(keepAlive: false)
    }
}

extension HTTPResponse {
    /// The refusal of a relay that has no room for more connections.
    static func full(retryAfterSeconds: Int) -> HTTPResponse {
        .refusal(503, code: "full", reason: "the relay is full", retryAfterSeconds: retryAfterSeconds)
    }
}
