import RoostClient
import RoostWire

/// One conversation on a terminal or a pipe: takes lines, shows what happens. It owns the screen and what was shown;
/// the client owns the session. Nothing that somebody else wrote is printed as it came.
actor Chat {
    // Own messages whose ticks may still change; older ones were scrolled away.
    static let ownMax = 200
    // Messages of a pipe that may wait for their acks before more is read.
    static let pendingMax = 100
    // Lines that wait until there is a conversation.
    static let waitingMax = 1_000
    static let goodbyeWait = Duration.seconds(10)

    let client: RoostClient
    let peer: String
    let isTokenFixed: Bool
    var user: String
    var screen: ChatScreen
    var editor = LineEditor(scalarsMax: Limits().textScalars)

    // The conversation, once the server has told its id.
    var conversation: String?
    var openedAt = Timestamp.never
    var members: [String] = []
    var first = SequenceNumber.none
    var shown = SequenceNumber.none
    var lastOfOthers = SequenceNumber.none
    var isAway = false
    var isConnected = false
    var failure: ChatFailure?

    // Lines in their order, and messages on their way.
    var isOpening = false
    var waiting: [String] = []
    var pending = 0
    var waiters: [(isEnough: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    var typingSince: ContinuousClock.Instant?
    var isQuitting = false

    // What the ticks say.
    var own: [SequenceNumber] = []
    var marks: [String: Watermark] = [:]
    var toldDelivered: [String: SequenceNumber] = [:]
    var toldRead: [String: SequenceNumber] = [:]
    var presence: [String: Presence] = [:]

    init(_ relay: ChatRelay, user: String?, peer: String, isTokenFixed: Bool) {
        client = RoostClient(url: relay.url, device: relay.device, token: relay.token)
        self.peer = peer
        self.user = user ?? ""
        self.isTokenFixed = isTokenFixed
        screen = ChatScreen(isInteractive: Terminal.isInteractive)
    }

    /// Until /quit, the end of the input, or the server's last word.
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

    // A line that begins with a slash is for this program. The server forgets after three seconds.
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

    /// Waits for what was sent, a while, and leaves.
    func quit() async {
        guard !isQuitting else { return }
        isQuitting = true
        let patience = Task {
            try await Task.sleep(for: Self.goodbyeWait)
            self.giveUpWaiting()
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
        giveUpWaiting()
        await client.disconnect()
    }

    // MARK: Waiting

    /// Until enough of what was sent is acked, or there is no more point in waiting.
    func wait(until isEnough: @escaping () -> Bool) async {
        guard !isEnough(), failure == nil else { return }
        await withCheckedContinuation { waiters.append((isEnough, $0)) }
    }

    func pendingChanged() {
        for waiter in waiters where waiter.isEnough() { waiter.continuation.resume() }
        waiters.removeAll { $0.isEnough() }
    }

    private func giveUpWaiting() {
        for waiter in waiters { waiter.continuation.resume() }
        waiters.removeAll()
    }
}
