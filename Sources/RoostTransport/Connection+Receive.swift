internal import CLibwebsockets
internal import RoostWire

extension Connection {
    /// Takes a part of a message as the library read it: at most 1 KiB, and often the whole of it. libwebsockets 4.1
    /// takes unmasked frames too and doesn't say so; RFC 6455, section 5.1 wants them refused. They harm nobody here:
    /// masking protects proxies that mistake frames for HTTP.
    func received(_ part: UnsafeRawBufferPointer) {
        guard phase == .open, let wsi else { return }
        let isLast = lws_is_final_fragment(wsi) != 0
        if isLast, !message.isPending, part.count <= core.settings.frameBytesMax {
            if lws_frame_is_binary(wsi) != 0 { return close(.unsupportedData) }
            return deliver(part)
        }
        collect(part, isLast: isLast, of: wsi)
    }

    private func collect(_ part: UnsafeRawBufferPointer, isLast: Bool, of wsi: OpaquePointer) {
        if lws_frame_is_binary(wsi) != 0 { return close(.unsupportedData) }
        // What the frame's header announces counts at once: no need to wait for a message that is too long anyway.
        let announced = lws_remaining_packet_payload(wsi)
        let room = core.settings.frameBytesMax - message.count - part.count
        guard room >= 0, announced <= room else { return close(.tooBig) }
        message.append(part, endsFrame: announced == 0)
        guard message.fragments <= core.settings.fragmentsMax else { return close(.tooBig) }
        guard isLast else { return awaitRest() }
        deliverCollected()
    }

    private func awaitRest() {
        guard !isUnfinished else { return }
        isUnfinished = true
        core.unfinished.append(self)
    }

    private func deliverCollected() {
        // Taken out first, so that the handler may close the connection, which clears it.
        var whole = SplitMessage()
        swap(&whole, &message)
        deliver(whole.contents)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        // RFC 6455, section 8.1. libwebsockets could check it byte by byte, but misses a character that an empty last
        // frame cuts off, and hangs up without waiting for the peer, whose system may then drop the close frame.
        guard Text.isValid(bytes) else { return close(.invalidText) }
        core.counters.messagesIn += 1
        core.counters.bytesIn += bytes.count
        core.events?.received(bytes, on: self)
    }
}

extension ServerCore {
    /// Reads again from those whose last read ended in the middle of a message: more has most likely arrived. The
    /// library reads about a kilobyte at a time, and a write, which wakes whoever it is for, costs more than twice what
    /// a read does; so what waited together is answered together. Never from within the library's callbacks.
    func readOn() {
        for _ in 1..<max(settings.readsPerTurn, 1) {
            guard !unfinished.isEmpty else { return }
            var connections: [Connection] = []
            swap(&connections, &unfinished)
            for connection in connections {
                connection.isUnfinished = false
                let isWaiting = connection.phase == .open && connection.message.isPending
                if isWaiting, let wsi = connection.wsi { library.read(wsi) }
            }
        }
    }
}
