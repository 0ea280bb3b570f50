import RoostStore

extension Accounts {
    /// The user who makes a request.
    package struct Caller: Sendable, Equatable {
        package var user: String
        package var sid: String
    }

    /// The caller with this access token. Its session must not have ended.
    package func caller(_ token: String?) async throws(ServiceFault) -> Caller {
        guard let token, let read = AccessToken.read(token, by: keys, now: clock.seconds) else {
            throw .unauthorized
        }
        let now = clock.now()
        let account: Account? = try await database.read { database throws(LocalFailure) in
            guard let session = try SessionTable.find(read.sid, database), session.user == read.user,
                session.expires > now
            else { return nil }
            return try AccountTable.find(user: read.user, database)
        }
        guard let account else { throw .unauthorized }
        guard !account.isSuspended else { throw .suspended }
        return Caller(user: read.user, sid: read.sid)
    }

    /// Where the caller is signed in.
    package func sessions(of caller: Caller) async throws(ServiceFault) -> [Session] {
        let now = clock.now()
        return try await database.read { database throws(LocalFailure) in
            try SessionTable.all(caller.user, database).filter { $0.expires > now }
        }
    }

    /// Ends one of the caller's sessions.
    package func end(_ sid: String, of caller: Caller) async throws(ServiceFault) {
        let now = clock.now()
        let isEnded = try await database.write { database throws(LocalFailure) in
            guard let session = try SessionTable.find(sid, database), session.user == caller.user else { return false }
            try SessionTable.end(session, now: now, database)
            return true
        }
        guard isEnded else { throw ServiceFault(.notFound, "there is no such session") }
        wakeRelay()
    }

    /// Ends all of the caller's sessions.
    package func endAll(of caller: Caller) async throws(ServiceFault) {
        let now = clock.now()
        _ = try await database.write { database throws(LocalFailure) in
            try SessionTable.endAll(caller.user, now: now, database)
        }
        wakeRelay()
    }
}
