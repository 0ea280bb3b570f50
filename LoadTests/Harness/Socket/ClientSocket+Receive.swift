internal import CEpoll
import Glibc
import RoostTLS

extension ClientSocket {
    private enum Outcome { case empty, short, full }

    /// Handles events of the descriptor.
    func happened(_ events: UInt32, _ loop: SocketLoop) {
        let over = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        let isWritable = events & EPOLLOUT.rawValue != 0
        if phase == .connecting, over || isWritable, !becameConnected() { return }
        if isBlocked, isWritable, !over {
            isBlocked = false
            flush(loop)
        }
        if over || events & EPOLLRDHUP.rawValue != 0 { isEnding = true }
        guard isEnding || events & EPOLLIN.rawValue != 0 else { return }
        if isReading {
            // A listed connection gets its turn anyway, and only one.
            if !isListed { read(loop) }
        } else if over {
            end(ending ?? .failed("reset while nobody read"))
        }
    }

    /// Reads until nothing is left or its turn is over. epoll reports only changes, so the rest must be fetched without
    /// a further event.
    func read(_ loop: SocketLoop) {
        if isReading, hasBacklog { takeBacklog(loop) }
        for _ in 0..<SocketLoop.readsPerTurn {
            guard isReading, phase != .ended else { return }
            switch readOnce(loop) {
            case .empty: return
            // Everything was read. epoll will report what comes later.
            case .short: if !isEnding { return }
            case .full: continue
            }
        }
        loop.list(self)
    }

    private func readOnce(_ loop: SocketLoop) -> Outcome {
        if let tls { return readOnce(loop, tls) }
        let shared = loop.shared
        let waiting = tail.count
        // A frame longer than the shared buffer is collected where it will be whole.
        let isLong = needed > shared.count
        let room: UnsafeMutableRawBufferPointer
        if isLong {
            room = tail.room(needed - waiting)
        } else {
            shared.copyMemory(from: tail.bytes)
            room = UnsafeMutableRawBufferPointer(rebasing: shared[waiting...])
        }
        let count = recv(key.descriptor, room.baseAddress, room.count, 0)
        guard count > 0 else { return readNothing(count, errno) }
        let at = SocketLoop.now()
        if isLong {
            tail.add(count)
            if tail.count == needed {
                let taken = take(tail.bytes, loop, at: at)
                if phase == .ended { clearReceived() } else { tail.removeFirst(taken) }
            }
        } else {
            let bytes = UnsafeRawBufferPointer(rebasing: shared[..<(waiting + count)])
            let taken = take(bytes, loop, at: at)
            tail.clear()
            if phase == .ended {
                clearReceived()
            } else {
                tail.append(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
            }
        }
        return count == room.count ? .full : .short
    }

    /// Reads into the shared buffer, decrypts into the tail, and hands out what is whole.
    private func readOnce(_ loop: SocketLoop, _ tls: TLSStream) -> Outcome {
        let count = recv(key.descriptor, loop.shared.baseAddress, loop.shared.count, 0)
        guard count > 0 else { return readNothing(count, errno) }
        let at = SocketLoop.now()
        do throws(TLSFailure) {
            let goesOn = try tls.receive(UnsafeRawBufferPointer(rebasing: loop.shared[..<count])) {
                encrypted.append($0)
            } plain: {
                tail.append(UnsafeRawBufferPointer($0))
                return true
            }
            if !goesOn { isEnding = true }
        } catch {
            end(.failed(error.description))
            return .empty
        }
        loop.markDirty(self)
        let taken = take(tail.bytes, loop, at: at)
        if phase == .ended { clearReceived() } else { tail.removeFirst(taken) }
        return count == loop.shared.count ? .full : .short
    }

    private func takeBacklog(_ loop: SocketLoop) {
        let taken = take(tail.bytes, loop, at: SocketLoop.now())
        if phase == .ended { clearReceived() } else { tail.removeFirst(taken) }
    }

    private func readNothing(_ count: Int, _ code: Int32) -> Outcome {
        if count < 0, code == EAGAIN { return .empty }
        if count < 0, code == EINTR { return .full }
        if let ending {
            end(ending)
        } else if count < 0 {
            end(.failed("recv: \(SocketFailure.text(of: code))"))
        } else if phase == .upgrading {
            end(.failed("the peer hung up during the handshake"))
        } else {
            end(.closed(code: 1006, reason: ""))
        }
        return .empty
    }

    /// Hands out whole frames in `bytes`. Returns how many bytes are done.
    private func take(_ bytes: UnsafeRawBufferPointer, _ loop: SocketLoop, at: UInt64) -> Int {
        isHandingOut = true
        defer { isHandingOut = false }
        hasBacklog = false
        needed = 0
        var taken = phase == .upgrading ? takeAnswer(bytes, loop) : 0
        guard let owner else { return taken }
        while phase == .open || phase == .closing {
            guard isReading else {
                hasBacklog = taken < bytes.count
                return taken
            }
            switch reader.next(UnsafeRawBufferPointer(rebasing: bytes[taken...])) {
            case .incomplete(let needed):
                self.needed = needed
                return taken
            case .text(let text, let count):
                taken += count
                loop.count(text)
                owner.received(text, on: self, at: at)
            case .none(let count): taken += count
            case .ping(let payload, let count):
                taken += count
                queuePong(payload)
            case .close(let code, let reason): peerCloses(code, String(decoding: reason, as: UTF8.self), loop)
            case .violation(let violation): end(.failed(violation.rawValue))
            }
        }
        // Bytes after a close frame have no meaning.
        return phase == .awaitingEnd ? bytes.count : taken
    }

    private func peerCloses(_ code: UInt16, _ reason: String, _ loop: SocketLoop) {
        ending = .closed(code: code, reason: reason)
        if phase == .open {
            loop.closes.add(key, now: SocketLoop.now())
            queueClose(code)
        }
        phase = .awaitingEnd
    }
}
