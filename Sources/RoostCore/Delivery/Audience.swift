import RoostWire

/// The live sessions of a conversation's members in one flat array, so that a fan-out follows no pointers from members
/// to users to sessions and counts no references. It borrows the sessions: it is valid only as long as no session has
/// come or gone, which `changes` shows. Loop thread only.
struct Audience {
    private struct Listener {
        var session: Unmanaged<Session>
        /// Messages up to this one are not shown to the session's user.
        var since: SequenceNumber
    }

    private var listeners: [Listener] = []
    /// `Roll.changes` when the sessions were found; 0 if a member has come or gone since.
    private(set) var changes: UInt64 = 0

    /// A member came or left.
    mutating func forget() { changes = 0 }

    /// Finds the present sessions, in the order of members and of each member's sessions.
    mutating func find(_ members: MemberTable, _ roll: Roll) {
        changes = roll.changes
        listeners.removeAll(keepingCapacity: listeners.capacity <= 2 * listeners.count + 16)
        for index in members.places.indices {
            let place = members.places[index]
            switch roll.presence(of: place.seat) {
            case .none: continue
            case .one:
                guard let session = roll.first(of: place.seat) else { continue }
                listeners.append(Listener(session: session, since: place.since))
            case .several:
                for session in members.all[index].user.sessions {
                    listeners.append(Listener(session: .passUnretained(session), since: place.since))
                }
            }
        }
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
