internal import CEpoll
import Glibc

extension ClientSocket {
    private enum Outcome { case empty, short, full }

    /// Something happened to the descriptor.
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
            // Who is listed has its turn in any case, and no second one.
            if !isListed { read(loop) }
        } else if over {
            end(ending ?? .failed("reset while nobody read"))
        }
    }

    /// Reads until nothing is left, or until its turn is over. epoll reports only news, so what is left then has to be
    /// fetched without it.
    func read(_ loop: SocketLoop) {
        if isReading, hasBacklog { takeBacklog(loop) }
        for _ in 0..<SocketLoop.readsPerTurn {
            guard isReading, phase != .ended else { return }
            switch readOnce(loop) {
            case .empty: return
            // All there was, for now: what comes later is news.
            case .short: if !isEnding { return }
            case .full: continue
            }
        }
        loop.list(self)
    }

    private func readOnce(_ loop: SocketLoop) -> Outcome {
        let shared = loop.shared
        let waiting = tail.count
        // A frame that is longer than the shared buffer gathers where it will be whole.
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

    /// Hands out what is whole in `bytes`; returns how much of them is done with.
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
        // What follows a close frame means nothing.
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
