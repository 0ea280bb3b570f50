internal import CLibwebsockets
internal import RoostWire

extension Connection {
    /// Takes a part of a message as the library read it: at most 1 KiB, and often the whole message. RFC 6455, section
    /// 5.1 asks servers to refuse unmasked frames, but libwebsockets 4.1 accepts them and doesn't tell us. They do no
    /// harm here: masking protects proxies that mistake frames for HTTP.
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
        // Counts the bytes that the frame's header announces, to refuse a message that is too long before it arrives.
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
        // Taken out first, because the handler may close the connection, which clears `message`.
        var whole = SplitMessage()
        swap(&whole, &message)
        deliver(whole.contents)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        // RFC 6455, section 8.1. libwebsockets could check this itself, byte by byte. But it misses a character that an
        // empty last frame cuts off, and it disconnects without waiting for the peer, whose system may then drop the
        // close frame.
        guard Text.isValid(bytes) else { return close(.invalidText) }
        core.counters.messagesIn += 1
        core.counters.bytesIn += bytes.count
        core.events?.received(bytes, on: self)
    }
}

extension ServerCore {
    /// Reads again from connections whose last read ended in the middle of a message, since more has probably arrived.
    /// The library reads about a kilobyte at a time. A write, which also wakes its receiver, costs more than twice as
    /// much as a read, so it pays to read everything that waits before anything is answered. Must not be called from
    /// the library's callbacks.
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
