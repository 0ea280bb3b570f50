import Foundation
import Observation
import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// The chat on a pipe, for scripts: it sends every line, prints what happens in lines, and ends with the input when all
/// that it sent is acked.
@MainActor
final class PlainChat {
    // Most messages that wait for their acks. Above this, no more input is read.
    private static let unackedMax = 100
    private static let goodbyeWait = Duration.seconds(10)
    private static let listWait = Duration.seconds(5)

    private let chat: ChatSession
    private let store: String
    private var judge: SessionJudge
    private let words: Words
    private var report: PlainReport
    private var isOpen = false
    private var isTelling = false
    // Own messages that the relay hasn't stored yet, and how many it refused.
    private var unacked: Set<TimelineItem.ID> = []
    // Changes that it hasn't made yet: how each message looks when it has.
    private var changing: [(id: TimelineItem.ID, isMade: (TimelineMessage) -> Bool)] = []
    private var refused = 0
    private var told: Set<Int64> = []
    private var isQuitting = false
    private var failure: ChatFailure?
    private var waiters: [(isEnough: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ chat: ChatSession, judge: SessionJudge, store: String) {
        (self.chat, words) = (chat, chat.words)
        self.judge = judge
        self.store = store
        report = PlainReport(chat.words)
    }

    func run(_ name: String) async throws {
        follow()
        await chat.roost.connect()
        let reader = Task { await readInput() }
        let opener = Task { await open(name) }
        await wait { self.isQuitting }
        opener.cancel()
        reader.cancel()
        await chat.roost.disconnect()
        if let failure { throw failure }
    }

    private func say(_ line: String) { Terminal.write(line + "\n") }

    // MARK: News from the kit

    private func follow() {
        guard !isQuitting else { return }
        withObservationTracking {
            tell()
        } onChange: {
            Task { @MainActor in self.follow() }
        }
        wake()
    }

    // Whatever is read here makes the next call come when it changes.
    private func tell() {
        let session = chat.roost.snapshot
        let (presences, list) = (chat.roost.presences, chat.roost.conversations.snapshot)
        let requests = chat.roost.requests.snapshot
        let timeline = chat.timeline?.snapshot
        report.names = chat.names
        if let line = judge.end(session) { return end(ChatFailure(line)) }
        report.lines(session).forEach(say)
        guard let timeline, isOpen, session.isUpToDate || session.lastLoss != nil || isTelling else { return }
        isTelling = true
        let user = chat.user
        report.lines(timeline, user: user).forEach(say)
        report.lines(presences, of: timeline, user: user).forEach(say)
        let open = timeline.conversation?.id
        report.lines(list, open: open, user: user, isUpToDate: session.isUpToDate).forEach(say)
        report.lines(requests: requests, open: open).forEach(say)
        settle(timeline)
        let seen = timeline.items.last { $0.message?.sequence != nil && $0.message?.isOwn == false }
        if let sequence = seen?.message?.sequence { Task { await chat.seen(upTo: sequence) } }
    }

    private func settle(_ timeline: TimelineSnapshot) {
        for message in timeline.items.compactMap(\.message) {
            settleChanges(of: message)
            if case .failed = message.state, let item = message.outboxItem {
                // There is no user to choose, and it must not go out with another run.
                if unacked.remove(message.id) != nil { refused += 1 }
                Task {
                    try? await chat.timeline?.discard(item)
                    try? await chat.timeline?.resume()
                }
            } else if message.state != .sending {
                unacked.remove(message.id)
            }
        }
    }

    private func settleChanges(of message: TimelineMessage) {
        if let failed = message.failedChange {
            changing.removeAll { $0.id == message.id }
            if told.insert(failed.outboxItem).inserted {
                refused += 1
                say(
                    "✗ "
                        + words(
                            .changeRefused(why: words.why(failed.failure), text: TimelineLines.preview(message, words)))
                )
                Task { try? await chat.timeline?.discard(failed.outboxItem) }
            }
        } else {
            changing.removeAll { $0.id == message.id && !message.isChanging && $0.isMade(message) }
        }
    }

    private var isSettled: Bool { unacked.isEmpty && changing.isEmpty }

    // What is done when the relay has done it.
    private func expect(_ act: Act, on message: TimelineMessage?) {
        guard let message else { return }
        switch act {
        case .edit(let text): changing.append((message.id, { $0.text == text && $0.editedAt != nil }))
        case .delete: changing.append((message.id, { $0.isDeleted }))
        case .react(let reaction, let isOn):
            changing.append(
                (message.id, { now in now.reactions.contains { $0.reaction == reaction && $0.isMine } == isOn }))
        default: break
        }
    }

    // MARK: Opening

    private func open(_ name: String) async {
        while !Task.isCancelled, failure == nil {
            for await now in chat.roost.snapshots() where now.isUpToDate || chat.known(name) != nil { break }
            guard !Task.isCancelled, !isQuitting else { return }
            do {
                let destination = try await chat.resolve(name)
                let timeline = try await chat.open(destination)
                if timeline.conversation == nil, destination.hasPrefix("@") {
                    let shown = String(destination.dropFirst())
                    say("· \(words(.neverTalked(shown))) \(words(.firstMessageBegins))")
                }
                await waitForMembers(of: timeline)
                isOpen = true
                return follow()
            } catch let failure as ChatFailure {
                return end(failure)
            } catch {
                // The session was lost meanwhile, or the relay asks to wait.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    // The users that a text mentions are known when the conversation is: a new device may still wait for its list.
    private func waitForMembers(of timeline: ConversationTimeline) async {
        guard !timeline.destination.hasPrefix("@") else { return }
        let reading = Task { for await now in timeline.snapshots() where now.conversation != nil { break } }
        let patience = Task {
            try await Task.sleep(for: PlainChat.listWait)
            reading.cancel()
        }
        await reading.value
        patience.cancel()
    }

    // MARK: Input

    private func readInput() async {
        var splitter = LineSplitter(bytesMax: Limits().frameBytes)
        for await bytes in Terminal.input {
            for line in splitter.feed(bytes) {
                await take(line)
                await wait { self.unacked.count <= PlainChat.unackedMax }
            }
            if isQuitting { return }
        }
        if let rest = splitter.finish() { await take(rest) }
        await quit(leaving: 0)
    }

    private func take(_ typed: String) async {
        let line = TypedLine(typed)
        if line == .nothing || isQuitting { return }
        if line == .act(.quit) { return await quit(leaving: 0) }
        if !isOpen {
            // The end of the input isn't seen before, so this waits no longer than the end of it would.
            await waitForOpening()
            guard isOpen else { return }
        }
        switch line {
        case .message(let text):
            do {
                if let id = try await chat.send(text) { unacked.insert(id) }
            } catch {
                let why = (error as? RoostFailure).map(words.failure) ?? words(.failed("\(error)"))
                say("✗ " + words(.notSent(why: why, text: TextWidth.clip(TerminalText.printable(text), 60))))
            }
            if let timeline = chat.timeline { settle(timeline.snapshot) }
        case .act(let act, let number):
            // A command refers to the messages before it, so those must have been acked.
            await wait { self.isSettled }
            await perform(act, on: number.map { .sequence($0) })
        case .mistake(let mistake): say("· " + mistake.text(words))
        case .nothing: break
        }
    }

    private func waitForOpening() async {
        let patience = Task {
            try await Task.sleep(for: PlainChat.goodbyeWait)
            await quit(leaving: 1)
        }
        await wait { self.isOpen }
        patience.cancel()
    }

    private func perform(_ act: Act, on id: TimelineItem.ID?) async {
        switch act {
        case .help:
            for command in ChatCommandWord.all { say("  \(command.usage(words))\n        \(words.say(command.what))") }
        case .history: await showEarlier()
        case .open: say("· " + words(.needsAnotherChat))
        case .jump, .end: say("· " + words(.needsTerminal))
        default:
            expect(act, on: OneMessage(chat: chat).target(of: act, id))
            await show(chat.perform(act, on: id))
            if let timeline = chat.timeline { settle(timeline.snapshot) }
        }
    }

    private func show(_ answer: ChatSession.Answer) async {
        switch answer {
        case .nothing: break
        case .line(let line): say("· " + line)
        case .sent(let id): unacked.insert(id)
        case .lines(let title, let lines):
            say("· " + title)
            lines.forEach(say)
        case .found(let messages):
            for one in messages.reversed() {
                guard let sequence = one.sequence, let time = one.time.map(Timestamp.init) else { continue }
                let text = TerminalText.printable(one.body?.text ?? "")
                say("#\(sequence.value) [\(words.time(time))] \(chat.names.short(one.from)): \(text)")
            }
            if messages.isEmpty { say("· " + words(.nothingFound)) }
        case .open(let id): say("· " + words(.opened(id: id)))
        case .choices(let title, let choices):
            say("· " + title)
            choices.map(\.line).forEach(say)
        case .forwarded(let id, let destination, let line):
            say("· " + line)
            await settle(forward: id, to: destination)
        case .thread: await showThread()
        case .conversation: say("· " + words(.backInConversation))
        case .left(let line):
            say("· " + line)
            await quit(leaving: 0)
        }
    }

    // The messages of the thread come from the relay, unless there is none to be asked.
    private func showThread() async {
        guard let thread = chat.thread else { return }
        if chat.roost.connection == .connected {
            let reading = Task { for await now in thread.snapshots() where now.isRead { break } }
            let patience = Task {
                try await Task.sleep(for: PlainChat.goodbyeWait)
                reading.cancel()
            }
            await reading.value
            patience.cancel()
        }
        report.lines(thread.snapshot, user: chat.user).forEach(say)
        say("· " + words(.threadUntilClose))
    }

    // What was sent on counts as sent when the relay has it where it goes to.
    private func settle(forward id: TimelineItem.ID, to destination: String) async {
        unacked.insert(id)
        guard destination != chat.timeline?.destination, destination != chat.timeline?.conversation?.id,
            let target = try? await chat.roost.timeline(with: destination)
        else { return }
        Task {
            for await now in target.snapshots() {
                guard let message = now.items.compactMap(\.message).first(where: { $0.id == id }) else { continue }
                if case .failed(let failure) = message.state, let item = message.outboxItem {
                    let text = TextWidth.clip(TimelineLines.preview(message, words), 60)
                    say("✗ " + words(.notSent(why: words.why(failure), text: text)))
                    refused += 1
                    try? await target.discard(item)
                    try? await target.resume()
                } else if message.state == .sending {
                    continue
                }
                unacked.remove(id)
                return wake()
            }
        }
    }

    private func showEarlier() async {
        guard let conversation = chat.timeline?.conversation, let first = report.first, first > SequenceNumber(1) else {
            return say("· " + words(.nothingEarlier))
        }
        do {
            let page = try await chat.roost.client.history(
                of: conversation.id, before: first, limit: PlainReport.firstPage)
            say("— \(words(.earlier)) —")
            for line in report.earlier(page, user: chat.user) { say(line) }
            say("— \(words(page.hasMore ? .moreEarlier : .beginning)) —")
        } catch {
            say("· " + words.failure(error))
        }
    }

    // MARK: The end

    /// Waits some time for the acks of what was sent, then leaves.
    private func quit(leaving lines: Int) async {
        guard !isQuitting else { return }
        let patience = Task {
            try await Task.sleep(for: PlainChat.goodbyeWait)
            giveUp()
        }
        if lines == 0 { await wait { self.isSettled } }
        patience.cancel()
        let lost = unacked.count + changing.count
        if lost > 0 {
            return end(ChatFailure(words(.notSent(lost, store: store))))
        }
        if lines > 0 { return end(ChatFailure(words(.nothingSent))) }
        end(refused > 0 ? ChatFailure(words(.someRefused(refused))) : nil)
    }

    private func end(_ failure: ChatFailure?) {
        guard !isQuitting else { return }
        isQuitting = true
        self.failure = failure
        giveUp()
    }

    // MARK: Waiting

    /// Waits until something is so, or until waiting makes no sense any more.
    private func wait(until isEnough: @escaping () -> Bool) async {
        guard !isEnough(), !isQuitting else { return }
        await withCheckedContinuation { waiters.append((isEnough, $0)) }
    }

    private func wake() {
        let ready = waiters.filter { $0.isEnough() }
        waiters.removeAll { $0.isEnough() }
        for waiter in ready { waiter.continuation.resume() }
    }

    private func giveUp() {
        let all = waiters
        waiters = []
        for waiter in all { waiter.continuation.resume() }
    }
}
