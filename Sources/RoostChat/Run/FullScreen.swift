import Foundation
import Observation
import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// The chat on a terminal: it shows the scene, passes keys and the kit's news to it, and does what it asks for. All of
/// it runs on the main actor, which waits for nothing but the terminal.
@MainActor
final class FullScreen {
    /// Time between two frames: the eye doesn't see more of them, and a slow line still keeps up.
    private static let frame = Duration.milliseconds(33)
    /// Time that a lone escape waits for the rest of a key. Terminals send a key in one piece.
    private static let escapeWait = Duration.milliseconds(50)
    /// Longest wait, when the chat ends, for messages that are just being sent. What is left is on disk.
    private static let goodbyeWait = Duration.seconds(2)

    private let chat: ChatSession
    private let words: Words
    private var judge: SessionJudge
    private var scene: Scene
    private var painter = Painter(hasColours: Terminal.hasColours)
    private var title = WindowTitle()
    private var parser = KeyParser(pasteMax: Limits().frameBytes)
    // What is under way, one of each kind.
    private var wanted: [String] = []
    private var acts: AsyncStream<Effect>.Continuation?
    private var drawing: Task<Void, Never>?
    private var lastFrame = ContinuousClock.now
    private var isDirty = false
    private var ticking: Task<Void, Never>?
    // The newest look at the kit's news.
    private var following = 0
    // Keys that came before the first conversation was open.
    private var isOpening = false
    private var held: [Key] = []
    private var isOver = false
    private var failure: ChatFailure?
    private var quit: CheckedContinuation<Void, Never>?

    init(_ chat: ChatSession, relay: String, judge: SessionJudge) {
        (self.chat, words) = (chat, chat.words)
        self.judge = judge
        scene = Scene(chat.words)
        scene.relay = relay
    }

    /// Runs until the user leaves, or until there can be no session.
    /// - Parameter name: the other side; nil to choose.
    func run(_ name: String?) async throws {
        Terminal.guardSignals()
        Terminal.takeOver()
        defer { Terminal.restore() }
        Terminal.onResize { Task { @MainActor in self.changed() } }
        Terminal.onContinue { Task { @MainActor in self.redraw() } }
        let (effects, acts) = AsyncStream<Effect>.makeStream()
        self.acts = acts
        // One after another, in the order of the keys.
        let worker = Task { for await effect in effects { await perform(effect) } }
        let reader = Task { await readKeys() }
        isOpening = name != nil
        follow()
        await chat.roost.connect()
        if let name { await begin(name) }
        isOpening = false
        take(held)
        if !isOver { await withCheckedContinuation { quit = $0 } }
        for task in [worker, reader, drawing, ticking] { task?.cancel() }
        await sayGoodbye()
        if let failure { throw failure }
    }

    private func begin(_ name: String) async {
        if let known = chat.known(name) { return await open(known) }
        // Without the relay's word, a name that isn't known here is a user's.
        for await now in chat.roost.snapshots() where now.isUpToDate || now.lastLoss != nil || isOver { break }
        guard !isOver else { return }
        do {
            await open(try await chat.resolve(name))
        } catch let failure as ChatFailure {
            end(failure)
        } catch {
            await open("@" + name)
        }
    }

    private func end(_ failure: ChatFailure? = nil) {
        guard !isOver else { return }
        isOver = true
        self.failure = failure
        quit?.resume()
        quit = nil
    }

    private func sayGoodbye() async {
        let patience = Task {
            try await Task.sleep(for: FullScreen.goodbyeWait)
            await chat.roost.disconnect()
        }
        for await now in chat.roost.snapshots() where now.pendingCount == 0 || now.connection != .connected { break }
        patience.cancel()
        let left = chat.roost.pendingCount
        await chat.roost.disconnect()
        Terminal.restore()
        if left > 0 {
            Terminal.write(words(.waitingHere(left)) + "\n")
        }
    }

    // MARK: News from the kit

    // Whatever is read here makes the next call come when it changes.
    private func follow() {
        guard !isOver else { return }
        following += 1
        let number = following
        withObservationTracking {
            let roost = chat.roost
            scene.session = roost.snapshot
            scene.presences = roost.presences
            scene.names = chat.names
            scene.list = roost.conversations.snapshot
            if let shown { scene.timeline = shown }
            scene.requests = roost.requests.rows.count
        } onChange: {
            // Called once more meanwhile, that call looks at all.
            Task { @MainActor in if number == self.following { self.follow() } }
        }
        if let line = judge.end(scene.session) { return end(ChatFailure(line)) }
        if let sequence = scene.seen { Task { await chat.seen(upTo: sequence) } }
        tick()
        changed()
    }

    // The conversation that is open, or its thread.
    private var shown: TimelineSnapshot? {
        guard let timeline = chat.timeline?.snapshot else { return nil }
        return chat.thread?.snapshot.timeline(in: timeline) ?? timeline
    }

    // Counts down to the next try.
    private func tick() {
        guard case .waiting(let until) = scene.session.connection else {
            scene.secondsToTry = nil
            return
        }
        let left = until - .now
        scene.secondsToTry = max(0, Int((left + .milliseconds(500)).components.seconds))
        guard ticking == nil else { return }
        ticking = Task {
            try? await Task.sleep(for: .seconds(1))
            ticking = nil
            guard !Task.isCancelled else { return }
            tick()
            changed()
        }
    }

    // MARK: Drawing

    private func redraw() {
        painter.forget()
        title.forget()
        changed()
    }

    /// Draws soon: at most one frame in a while, with all that has changed until then.
    private func changed() {
        isDirty = true
        guard drawing == nil, !isOver else { return }
        drawing = Task {
            let wait = FullScreen.frame - (.now - lastFrame)
            if wait > .zero { try? await Task.sleep(for: wait) }
            drawing = nil
            guard !Task.isCancelled, !isOver else { return }
            draw()
        }
    }

    private func draw() {
        guard isDirty else { return }
        isDirty = false
        scene.size = Terminal.size
        scene.now = WallClock.now
        let picture = Picture(&scene)
        let output = painter.frame(picture.grid, cursor: picture.cursor)
        let named = Terminal.hasTitle ? title.change(to: scene.session) : ""
        if !output.isEmpty || !named.isEmpty { Terminal.write(named + output) }
        lastFrame = .now
        for want in scene.wants() { fetch(want) }
    }

    // MARK: Keys

    private func readKeys() async {
        for await bytes in Terminal.input {
            take(parser.feed(bytes))
            guard parser.isWaiting else { continue }
            Task {
                try? await Task.sleep(for: FullScreen.escapeWait)
                if parser.isWaiting { take(parser.flush()) }
            }
        }
        end()
    }

    private func take(_ keys: [Key]) {
        for key in keys {
            // What is typed ahead is for the conversation that is just being opened.
            if isOpening, key != .control("c") { held.append(key) } else { scene.take(key).forEach(take) }
        }
        changed()
    }

    private func take(_ effect: Effect) {
        switch effect {
        case .interrupt:
            // The draft is on disk; so is what was sent.
            Terminal.interrupt()
        case .suspend: Terminal.suspend()
        case .redraw: redraw()
        case .bell: Terminal.write("\u{07}")
        case .draft: saveDraft()
        case .older, .newer, .toEnd, .moreConversations, .fill: fetch(effect)
        case .open, .send, .edit, .replace, .act: acts?.yield(effect)
        }
    }

    private func saveDraft() {
        // What is written in a thread is no draft of the conversation.
        if chat.thread == nil, let timeline = chat.timeline, timeline.draft != draft { timeline.draft = draft }
    }

    // A command is not for others, so they don't see that it is typed.
    private var draft: String {
        guard scene.purpose == .write || scene.purpose.isReply else { return "" }
        let text = scene.composer.text
        return text.hasPrefix("/") && !text.hasPrefix("//") ? "" : text
    }

    // MARK: Doing

    private func perform(_ effect: Effect) async {
        do {
            switch effect {
            case .open(let destination): await open(destination)
            case .send(let text, let replyTo):
                _ = try await chat.send(text, replyTo: replyTo)
                if chat.roost.connection != .connected { await chat.roost.wake() }
            case .edit(let id, let text): try await chat.edit(id, text)
            case .replace(let item, let text): try await chat.replace(item, text)
            case .act(let act, let id): await perform(act, id)
            default: break
            }
        } catch {
            scene.notice = notice(of: error) { .failed($0) }
        }
        changed()
    }

    private func open(_ destination: String) async {
        do {
            let timeline = try await chat.open(destination)
            scene.open(destination, timeline.snapshot, draft: timeline.draft)
            follow()
        } catch {
            scene.notice = notice(of: error) { .cannotOpen($0) }
        }
    }

    private func notice(of error: any Error, _ phrase: (String) -> FailurePhrase) -> String {
        (error as? RoostFailure).map(words.failure) ?? words(phrase("\(error)"))
    }

    private func perform(_ act: Act, _ id: TimelineItem.ID?) async {
        switch act {
        case .quit: return end()
        case .help: scene.overlay = HelpOverlay.make(width: max(scene.layout.width, scene.layout.list), words)
        case .list: scene.focus = .list
        case .history: scene.overlay = nil
        case .end: fetch(.toEnd)
        case .jump(let sequence): await jump(to: sequence)
        default: await show(chat.perform(act, on: id))
        }
    }

    private func show(_ answer: ChatSession.Answer) async {
        switch answer {
        case .nothing, .sent: break
        case .line(let line): scene.notice = line
        case .forwarded(_, _, let line): scene.notice = line
        case .choices(let title, let choices):
            scene.overlay = Overlay(title, choices.map { Overlay.Row([Span($0.line)], act: $0.act) })
        case .lines(let title, let lines): scene.overlay = Overlay(title, lines.map { Overlay.Row($0) })
        case .found(let messages): scene.overlay = FoundOverlay.make(messages, scene.names, words)
        case .open(let destination): await open(destination)
        case .thread, .conversation: showThread()
        case .left(let line):
            chat.close()
            scene.close()
            scene.notice = line
        }
    }

    // The thread that is open now, or the conversation that it was left for.
    private func showThread() {
        guard let timeline = chat.timeline, let shown else { return }
        scene.show(shown, thread: chat.thread?.root, draft: chat.thread == nil ? timeline.draft : "")
        follow()
    }

    private func jump(to sequence: SequenceNumber) async {
        if chat.thread != nil {
            chat.closeThread()
            showThread()
        }
        do {
            try await chat.timeline?.jump(to: sequence)
            if let timeline = chat.timeline { scene.timeline = timeline.snapshot }
            scene.show(sequence)
        } catch {
            scene.notice = words(.unavailable)
        }
    }

    // What the screen lacks is asked for once at a time, and not again at once if it can't be had.
    private func fetch(_ want: Effect) {
        let name = "\(want)"
        guard !wanted.contains(name), let timeline = chat.timeline else { return }
        if want == .toEnd { scene.viewport.toEnd() }
        wanted.append(name)
        let (roost, thread) = (chat.roost, chat.thread)
        let before = (shown, roost.conversations.rows.count)
        Task {
            do {
                switch want {
                case .older:
                    if let thread { try await thread.loadOlder() } else { try await timeline.loadOlder() }
                case .newer: try await timeline.loadNewer()
                case .toEnd: try await timeline.jumpToEnd()
                case .moreConversations: try await roost.conversations.loadMore()
                case .fill(_, let to): try await timeline.fill(.gap(to))
                default: break
                }
            } catch {
                // Without a session it is tried again later.
            }
            // What changed nothing isn't repeated at once.
            if before == (shown, roost.conversations.rows.count) {
                try? await Task.sleep(for: .seconds(1))
            }
            wanted.removeAll { $0 == name }
            changed()
        }
    }
}
