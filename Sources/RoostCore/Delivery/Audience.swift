import RoostWire

/// The live sessions of a conversation's members in one flat array, so that a fan-out follows no pointers from members
/// to users to sessions and counts no references. It borrows the sessions. Every change of members or sessions makes
/// the conversation drop it (`Conversation.forgetAudience`), and the next fan-out builds it again. Loop thread only.
struct Audience {
    private struct Listener {
        var session: Unmanaged<Session>
        /// Messages up to this one are not shown to the session's user.
        var since: SequenceNumber
    }

    private let listeners: [Listener]

    /// The present sessions, in the order of members and of each member's sessions.
    init(of members: [Member]) {
        var listeners: [Listener] = []
        listeners.reserveCapacity(members.count)
        for member in members {
            for session in member.user.sessions {
                listeners.append(Listener(session: .passUnretained(session), since: member.since))
            }
        }
        self.listeners = listeners
    }

    /// Number of sessions.
    var count: Int { listeners.count }

    /// Calls `body` for each session. `body` must not change members or connections.
    @inline(__always)
    func forEach(_ body: (_ session: Session, _ since: SequenceNumber) -> Void) {
        listeners.withUnsafeBufferPointer { listeners in
            for listener in listeners { listener.session._withUnsafeGuaranteedRef { body($0, listener.since) } }
        }
    }

    /// Whether it contains exactly the present sessions. For assertions.
    func isTrue(of members: [Member]) -> Bool {
        let there = members.flatMap { member in member.user.sessions.map { (ObjectIdentifier($0), member.since) } }
        return there.elementsEqual(listeners) { there, listener in
            there.0 == ObjectIdentifier(listener.session.takeUnretainedValue()) && there.1 == listener.since
        }
    }
}
