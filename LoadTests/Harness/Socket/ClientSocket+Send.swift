import Glibc

extension ClientSocket {
    /// Queues one text message. It is sent at the end of the turn, in one write with everything else that is queued.
    /// Returns false and queues nothing if the connection isn't open or more than `HarnessLimits.sendBytesMax` would
    /// wait.
    @discardableResult
    func send(_ text: UnsafeRawBufferPointer) -> Bool {
        guard phase == .open, let loop, queue(text, .text, loop) else { return false }
        loop.sent &+= 1
        loop.sentBytes &+= UInt64(text.count)
        return true
    }

    /// Answers a ping, unless the queue is full. Then the peer doesn't read, and only the newest ping needs an answer
    /// (RFC 6455, section 5.5.3).
    func queuePong(_ payload: UnsafeRawBufferPointer) {
        guard phase == .open, let loop else { return }
        _ = queue(payload, .pong, loop)
    }

    /// Queues the last frame, even if the queue is full, because there is only one. 1005 means no code.
    func queueClose(_ code: UInt16) {
        guard let loop else { return }
        withUnsafeBytes(of: code.bigEndian) { bytes in
            let payload = code == 1005 ? UnsafeRawBufferPointer(start: nil, count: 0) : bytes
            FrameWriter.append(payload, .close, key: loop.masks.nextKey(), to: &unsent)
        }
        loop.markDirty(self)
    }

    private func queue(_ payload: UnsafeRawBufferPointer, _ opcode: FrameHeader.Opcode, _ loop: SocketLoop) -> Bool {
        let room = HarnessLimits.sendBytesMax - unsent.count - FrameWriter.overhead(payload.count)
        guard payload.count <= room else { return false }
        FrameWriter.append(payload, opcode, key: loop.masks.nextKey(), to: &unsent)
        loop.markDirty(self)
        return true
    }

    /// Writes what is queued, as far as the system takes it. epoll reports when it takes more.
    func flush(_ loop: SocketLoop) {
        guard !isBlocked, phase != .ended else { return }
        if let tls, tls.isOpen, unsent.count > 0 {
            tls.encrypt(unsent.bytes) { encrypted.append($0) }
            unsent.clear()
        }
        let bytes = tls == nil ? unsent.bytes : encrypted.bytes
        guard bytes.count > 0 else { return }
        var count = 0
        repeat {
            count = Glibc.send(key.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        } while count < 0 && errno == EINTR
        if count >= 0 {
            isBlocked = count < bytes.count
            if tls == nil { unsent.removeFirst(count) } else { encrypted.removeFirst(count) }
        } else if errno == EAGAIN {
            isBlocked = true
        } else {
            cannotSend(errno, loop)
        }
    }

    private func cannotSend(_ code: Int32, _ loop: SocketLoop) {
        isBlocked = true
        unsent.clear()
        encrypted.clear()
        let failure = ending ?? .failed("send: \(SocketFailure.text(of: code))")
        ending = failure
        if isReading, code == EPIPE || code == ECONNRESET {
            // The peer is gone, but its last messages, and its reason, may still wait to be read.
            isEnding = true
            loop.list(self)
        } else {
            loop.endSoon(self, failure)
        }
    }
}
