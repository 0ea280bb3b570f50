import RoostFraming
import RoostWire

/// `hello`, the token's renewal, and what the server has to be told again on every connection.
extension RoostClient {
    func sayHello() {
        let token = currentToken
        let failure = issue("hello") { [device, isBackground] frame in
            frame.member("token", token)
            frame.member("device", device)
            if isBackground { frame.member("background", true) }
        } then: { reply in
            self.greeted(reply)
        }
        currentToken = ""
        if failure != nil { lose(code: nil, "hello can't be sent") }
    }

    private func greeted(_ reply: Result<JSONValue, RoostFailure>) {
        guard phase == .greeting else { return }
        switch reply {
        case .success(let value):
            guard let welcome = Welcome(EventMembers(value)) else { return lose(code: nil, "not a welcome") }
            becomeReady(welcome)
        case .failure(.refused(let refusal)):
            // Where a close code says what to do, it follows at once.
            if refusal.is(.tokenExpired) || refusal.is(.unauthorized) || refusal.is(.forbidden) { return }
            guard refusal.isTemporary else {
                return end(Ending(code: nil, reason: refusal.reason, isWanted: false))
            }
            askedWait = refusal.retryAfter
            lose(code: nil, refusal.reason)
        case .failure: lose(code: nil, "no answer to hello")
        }
    }

    private func becomeReady(_ welcome: Welcome) {
        phase = .ready
        cancel(.welcome)
        readySince = elapsed()
        heardAt = elapsed()
        askedWait = nil
        self.welcome = welcome
        tell(.connected(welcome))
        set(.quiet, after: limits.quietTime)
        if let expires = welcome.expires { planRefresh(expires, now: welcome.time) }
        if let activity { issue("presence", { $0.member("state", word: activity.word) }, then: { _ in }) }
        for users in watchCalls { watchAgain(users) }
        for conversation in reads.keys { sendRead(conversation) }
        resumeSending()
    }

    private func watchAgain(_ users: [String]) {
        issue("watch", { $0.list("users", users) }) { reply in
            switch reply {
            case .success(let value): self.tell(.presence(EventMembers(value).presences()))
            case .failure(.refused): self.watchCalls.removeAll { $0 == users }
            case .failure: break
            }
        }
    }

    // MARK: Token

    private func planRefresh(_ expires: Timestamp, now: Timestamp) {
        let (left, overflow) = expires.milliseconds.subtractingReportingOverflow(now.milliseconds)
        // Ten years, so that no arithmetic of the clock overflows.
        let life = Duration.milliseconds(min(max(0, overflow ? .max : left), 315_360_000_000))
        // Whoever gives the same token again isn't asked in a circle.
        set(.refresh, after: max(life - min(limits.refreshMargin, life / 5), limits.backoffFirst))
    }

    /// Gets a new token and hands it to the server. When that fails it tries again; when it goes on failing, the server
    /// closes, and the next connection begins with a new token.
    func refreshToken() {
        guard phase == .ready, !isRefreshing else { return }
        isRefreshing = true
        let number = connection
        let token = token
        Task { [weak self] in
            do {
                let text = try await token()
                await self?.refresh(with: text, number)
            } catch {
                await self?.refreshFailed(number)
            }
        }
    }

    private func refresh(with token: String, _ number: Int) {
        guard number == connection, phase == .ready else { return }
        let issued = elapsed()
        let failure = issue("refresh", { $0.member("token", token) }) { reply in
            self.refreshed(reply, issued, number)
        }
        if failure != nil { refreshFailed(number) }
    }

    private func refreshed(_ reply: Result<JSONValue, RoostFailure>, _ issued: Duration, _ number: Int) {
        guard number == connection, phase == .ready else { return }
        guard case .success(let value) = reply else { return refreshFailed(number) }
        isRefreshing = false
        if let expires = EventMembers(value).time("expires"), let welcome, let readySince {
            let since = (elapsed() - readySince).wholeMilliseconds
            planRefresh(expires, now: Timestamp(milliseconds: welcome.time.milliseconds &+ since))
        }
        resumeSending()
    }

    private func refreshFailed(_ number: Int) {
        guard number == connection, phase == .ready else { return }
        isRefreshing = false
        set(.refresh, after: limits.backoffFirst + sendBackoff.next(&generator))
    }

    // MARK: Signs of life

    /// The server's pings are answered by the socket and not seen here; so after a long silence the client asks.
    func askForLife() {
        guard phase == .ready else { return }
        let silence = elapsed() - heardAt
        guard silence >= limits.quietTime else { return set(.quiet, after: limits.quietTime - silence) }
        // No answer in time gives the connection up.
        issue("ping", { _ in }, then: { _ in })
        set(.quiet, after: limits.quietTime)
    }
}
