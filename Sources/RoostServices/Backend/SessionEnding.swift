import RoostStore
import RoostWire

/// Ends the sessions that a backend's revocation names. The relay knows nothing of them: their refresh tokens would
/// give tokens that are newer than what it refuses. It knows no HTTP. A value.
struct SessionEnding: Sendable {
    let accounts: Accounts

    /// Ends the sessions. A command that the relay is going to refuse, because it names no user or two things, ends
    /// nothing.
    /// - Parameter members: those of `sessions/revoke`.
    func end(_ members: JSONMembers) async throws(ServiceFault) {
        let (user, device, sid) = (members["user"], members["device"], members["sid"])
        switch (user?.string, sid?.string) {
        case (let user?, nil) where sid == nil && members["until"] == nil && (device == nil || device?.string != nil):
            try await end(user, on: device?.string)
        // There may be none: the relay knows sign-ins of other issuers.
        case (nil, let sid?) where user == nil && device == nil: try await end(sid: sid)
        default: return
        }
        accounts.wakeRelay()
    }

    private func end(_ user: String, on device: String?) async throws(ServiceFault) {
        let now = accounts.clock.now()
        try await accounts.database.write { database throws(LocalFailure) in
            for session in try SessionTable.all(user, database) where device == nil || session.device == device {
                try SessionTable.end(session, now: now, database)
            }
        }
    }

    private func end(sid: String) async throws(ServiceFault) {
        let now = accounts.clock.now()
        try await accounts.database.write { database throws(LocalFailure) in
            guard let session = try SessionTable.find(sid, database) else { return }
            try SessionTable.end(session, now: now, database)
        }
    }
}
