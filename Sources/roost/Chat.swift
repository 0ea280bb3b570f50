import RoostClient
import RoostWire

/// One conversation on a terminal or a pipe: it takes lines and shows what happens. It owns the screen and what was
/// shown; the client owns the session. It never prints other people's text without removing control characters.
actor Chat {
    // Most messages from a pipe that wait for their acks. Above this, no more input is read.
    static let pendingMax = 100
    // Most lines that wait until the conversation is open.
    static let waitingMax = 1_000
    static let goodbyeWait = Duration.seconds(10)

    let client: ChatClient
    let peer: String
    let isTokenFixed: Bool
    var user: String
    var screen: ChatScreen
    var editor = LineEditor(scalarsMax: Limits().textScalars)

    // The conversation, once the server has told us its id.
    var conversation: String?
    var openedAt = Timestamp.never
    var members: [String] = []
    var first = SequenceNumber.none
    var shown = SequenceNumber.none
    var lastOfOthers = SequenceNumber.none
    var isAway = false
    var isConnected = false
    var failure: ChatFailure?

    // Lines that wait in order, and the number of messages that are not acked yet.
    var isOpening = false
    var waiting: [String] = []
    var pending = 0
    var waiters = Waiters()
    var typingSince: ContinuousClock.Instant?
    var isQuitting = false

    var ticks = Ticks()
    var typing = TypingNotice()
    var presence: [String: UserPresence] = [:]

    init(_ relay: ChatRelay, user: String?, peer: String, isTokenFixed: Bool) {
        client = ChatClient(
            url: relay.url, device: relay.device, connector: relay.connector, token: relay.token)
        self.peer = peer
        self.user = user ?? ""
        self.isTokenFixed = isTokenFixed
        screen = ChatScreen(isInteractive: Terminal.isInteractive)
    }

    /// Runs until /quit, the end of the input, or a final refusal by the server.
    func run() async throws {
        if screen.isInteractive { Terminal.takeOver() }
        defer { Terminal.restore() }
        screen.type("")
        await client.connect()
        let reader = Task { await self.readInput() }
        for await event in client.events { await show(event) }
        reader.cancel()
        screen.finish()
        if let failure { throw failure }
    }

    private func readInput() async {
        var splitter = LineSplitter(bytesMax: Limits().frameBytes)
        for await bytes in Terminal.input {
            if screen.isInteractive {
                for action in editor.feed(bytes) { await typed(action) }
            } else {
                for line in splitter.feed(bytes) {
                    await take(line)
                    await wait { self.pending + self.waiting.count <= Self.pendingMax }
                }
            }
            if isQuitting { return }
        }
        if let rest = splitter.finish() { await take(rest) }
        await quit()
    }

    private func typed(_ action: LineEditor.Action) async {
        switch action {
        case .changed:
            screen.type(editor.text)
            await tellTyping()
        case .submitted(let line):
            screen.type("")
            await take(line)
        case .interrupted:
            screen.finish()
            Terminal.interrupt()
        case .ended: await quit()
        case .full: Terminal.write("\u{07}")
        }
    }

    // A line that begins with a slash is a command for this program, so it isn't shown as typing. Repeats `typing`
    // every two seconds, because the server forgets it after three.
    private func tellTyping() async {
        guard let conversation, !isAway else { return }
        let now = ContinuousClock.now
        if editor.text.isEmpty || editor.text.hasPrefix("/") {
            guard typingSince != nil else { return }
            typingSince = nil
            await client.typing(in: conversation, isActive: false)
        } else if typingSince.map({ now - $0 > .seconds(2) }) ?? true {
            typingSince = now
            await client.typing(in: conversation)
        }
    }

    /// Waits some time for the acks of what was sent, then leaves.
    func quit() async {
        guard !isQuitting else { return }
        isQuitting = true
        let patience = Task {
            try await Task.sleep(for: Self.goodbyeWait)
            self.waiters.giveUp()
        }
        await wait { self.pending + self.waiting.count == 0 }
        patience.cancel()
        let lost = pending + waiting.count
        if lost > 0, failure == nil {
            failure = ChatFailure("\(lost) message\(lost == 1 ? " was" : "s were") not acknowledged")
        }
        await client.disconnect()
    }

    /// Ends with an error.
    func fail(_ line: String) async {
        if failure == nil { failure = ChatFailure(line) }
        waiters.giveUp()
        await client.disconnect()
    }

    // MARK: Waiting

    /// Waits until enough messages are acked, or until waiting makes no sense any more.
    func wait(until isEnough: @escaping () -> Bool) async {
        guard !isEnough(), failure == nil else { return }
        await withCheckedContinuation { waiters.add($0, until: isEnough) }
    }
}
