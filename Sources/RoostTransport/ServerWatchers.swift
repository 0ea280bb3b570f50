internal import CLibwebsockets

/// The descriptors that a server's loop watches, apart from connections. Never freed, like the loop.
struct ServerWatchers {
    /// The listener.
    let accepting = ServerWatchers.make(ev_io())
    /// The handler's timer.
    let deadline = ServerWatchers.make(ev_timer())
    /// Once a second.
    let beat = ServerWatchers.make(ev_timer())
    /// Before the loop sleeps.
    let turn = ServerWatchers.make(ev_prepare())
    /// After it has slept.
    let awake = ServerWatchers.make(ev_check())
    /// Never started: it is called when it is fed, before everything else that has happened.
    let between = ServerWatchers.make(ev_prepare())

    private static func make<Watcher>(_ watcher: Watcher) -> UnsafeMutablePointer<Watcher> {
        let place = UnsafeMutablePointer<Watcher>.allocate(capacity: 1)
        place.initialize(to: watcher)
        return place
    }
}
