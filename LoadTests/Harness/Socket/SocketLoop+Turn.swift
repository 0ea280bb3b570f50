internal import CEpoll
import Glibc

extension SocketLoop {
    /// Sends what is queued, waits until something happens or `deadline` comes (monotonic nanoseconds; in the past:
    /// only looks), handles it, and sends what that queued. A signal ends the wait too. On an idle machine it is late
    /// by the kernel's timer slack, 50 µs unless set otherwise.
    func turn(until deadline: UInt64) {
        precondition(!isTurning, "a loop can't be turned from within a callback")
        isTurning = true
        defer { isTurning = false }
        flushDirty()
        let isBusy = !listed.isEmpty || !doomed.isEmpty
        var due: [ClientSocket] = []
        swap(&due, &listed)
        let before = SocketLoop.now()
        if wokeAt > 0 { lastTurn = before - wokeAt }
        let count = wait(until: isBusy || polls ? 0 : min(deadline, nextDeadline()))
        wokeAt = SocketLoop.now()
        for place in 0..<count {
            let event = events[place]
            // It may have ended since the event was fetched; then no socket of that key is found.
            find(SocketKey(packed: event.data.u64))?.happened(event.events, self)
        }
        for socket in due { readAgain(socket) }
        endDoomed()
        endLate()
        flushDirty()
    }

    // MARK: Lists

    func markDirty(_ socket: ClientSocket) {
        guard !socket.isDirty else { return }
        socket.isDirty = true
        dirty.append(socket)
    }

    /// Will be read in the next turn, without an event.
    func list(_ socket: ClientSocket) {
        guard !socket.isListed else { return }
        socket.isListed = true
        listed.append(socket)
    }

    func endSoon(_ socket: ClientSocket, _ ending: SocketEnding) { doomed.append((socket, ending)) }

    private func flushDirty() {
        // Nothing is handed out meanwhile, so nothing more is queued.
        for socket in dirty {
            socket.isDirty = false
            socket.flush(self)
        }
        dirty.removeAll(keepingCapacity: true)
    }

    private func readAgain(_ socket: ClientSocket) {
        socket.isListed = false
        if socket.phase != .ended { socket.read(self) }
    }

    private func endDoomed() {
        guard !doomed.isEmpty else { return }
        let due = doomed
        doomed = []
        for (socket, ending) in due { socket.end(ending) }
    }

    // MARK: Time

    /// Waits in two or three steps if it is long: the kernel may let a timer be late by a thousandth of its time.
    private func wait(until deadline: UInt64) -> Int {
        while true {
            let now = SocketLoop.now()
            let left = deadline > now ? min(deadline - now, 1_000_000_000_000) : 0
            let step = left > 10_000_000 ? left - left / 64 : left
            var time = timespec(tv_sec: Int(step / 1_000_000_000), tv_nsec: Int(step % 1_000_000_000))
            let count = epoll_pwait2(epoll, events, Int32(SocketLoop.eventsPerTurn), &time, nil)
            if count != 0 || step == left { return max(Int(count), 0) }
        }
    }

    private func nextDeadline() -> UInt64 {
        while let entry = handshakes.first, !isUpgrading(entry.key) { handshakes.removeFirst() }
        while let entry = closes.first, find(entry.key) == nil { closes.removeFirst() }
        return min(handshakes.first?.at ?? .max, closes.first?.at ?? .max)
    }

    private func isUpgrading(_ key: SocketKey) -> Bool {
        guard let socket = find(key) else { return false }
        return socket.phase == .connecting || socket.phase == .upgrading
    }

    private func endLate() {
        guard handshakes.first != nil || closes.first != nil else { return }
        let now = SocketLoop.now()
        while let entry = handshakes.first, entry.at <= now {
            handshakes.removeFirst()
            guard isUpgrading(entry.key) else { continue }
            find(entry.key)?.end(.failed("no answer to the upgrade in \(handshakes.seconds) s"))
        }
        while let entry = closes.first, entry.at <= now {
            closes.removeFirst()
            guard let socket = find(entry.key) else { continue }
            socket.end(socket.ending ?? .failed("no answer to the close frame in \(closes.seconds) s"))
        }
    }
}
