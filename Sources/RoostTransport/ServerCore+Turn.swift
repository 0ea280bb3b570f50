internal import CLibwebsockets
internal import RoostFraming
internal import RoostWire

/// A turn is everything that has happened when the loop looks. The kernel hands events out in the order in which they
/// happened, so behind 10,000 connections that break at once all others would wait for half a second. Therefore
/// connected clients that send something get a turn of their own in between.
extension ServerCore {
    /// Begins to watch where turns end and are cut.
    func watchTurns(owner: UnsafeMutableRawPointer) {
        shim_ev_prepare_init(
            watchers.turn, { _, watcher, _ in ServerCore.from(watcher?.pointee.data)?.endTurn() }, owner)
        ev_prepare_start(library.loop, watchers.turn)
        shim_ev_check_init(
            watchers.awake, { _, watcher, _ in ServerCore.from(watcher?.pointee.data)?.beginTurn() }, owner)
        ev_check_start(library.loop, watchers.awake)
        shim_ev_urgent_init(
            watchers.between, { _, watcher, _ in ServerCore.from(watcher?.pointee.data)?.cutTurn() }, owner)
    }

    /// A connection came, asked for something before it was welcomed, or went. These are dear, and come in thousands:
    /// after so many of them the turn is cut.
    func countChange() {
        changes += 1
        if changes == settings.changesPerTurn { shim_ev_feed(library.loop, watchers.between) }
    }

    // Runs when the loop has slept, before everything that has happened meanwhile.
    private func beginTurn() { turnBeganAt = ServerCore.readFineClock() }

    // Ends this turn in the middle of what has happened, and makes a short one for those who talk. Called by the loop,
    // so no callback of the library is under way.
    private func cutTurn() {
        counters.turnsCut += 1
        onWake()
        for guest in guests.talking(atMost: settings.talkersPerCut) {
            if guest.phase == .open, let wsi = guest.wsi { shim_lws_read(wsi, guest.descriptor) }
        }
        finishTurn()
        // Work that is spread over turns waits until the loop has looked at all other connections.
        library.wake.send()
    }

    private func finishTurn() {
        events?.turnEnded()
        buffer.forget()
        forgetTime()
        changes = 0
    }

    // Runs before the loop sleeps, when everything that arrived has been handled.
    private func endTurn() {
        finishTurn()
        if !ends.leaving.isEmpty || !ends.closing.isEmpty { endConnections() }
        forgetTime()
        if !waiting.isEmpty { serveWaiting() }
        counters.turnMicroseconds.record((ServerCore.readFineClock() - turnBeganAt) / 1_000)
    }

    // Begins the next turn with them. Their effects are handled at its end.
    private func serveWaiting() {
        var served: [Connection] = []
        swap(&served, &waiting)
        library.wake.send()
        for connection in served { connection.serveWaiting() }
    }

    // Ends the connections that are to end in this turn. The handler's reaction needs a turn of its own, and so do
    // closes beyond a turn's bound.
    private func endConnections() {
        var gone: [Connection] = []
        swap(&gone, &ends.leaving)
        for connection in gone { connection.sendFarewell() }
        gone = Array(ends.closing.prefix(settings.changesPerTurn))
        ends.closing.removeFirst(gone.count)
        // The library calls back, and the connection's reference is released.
        for connection in gone { if let wsi = connection.wsi { shim_lws_kill_now(wsi) } }
        library.wake.send()
    }
}
