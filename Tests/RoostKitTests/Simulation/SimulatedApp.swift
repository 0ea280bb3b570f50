import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// One device with an app, and what its user did with it.
@MainActor
final class SimulatedApp {
    let user: String
    let name: String
    let device: Device
    let airplane: Airplane
    private(set) var roost: Roost?
    private(set) var timelines: [String: ConversationTimeline] = [:]
    /// Typed texts, in order, by the place they were written to.
    private(set) var typed: [String: [String]] = [:]
    /// The new text of a changed message; nil for a deletion. By the first text.
    private(set) var changed: [String: String?] = [:]
    private var ids: [String: (destination: String, id: TimelineItem.ID)] = [:]
    private var ranks: [TimelineItem.ID: Int] = [:]
    private var watchers: [Task<Void, Never>] = []
    private var count = 0

    init(_ user: String, _ name: String, on relay: TestRelay) throws {
        self.user = user
        self.name = name
        airplane = Airplane(relay.connector)
        device = try Device(user, on: relay, name: name)
        device.connector = airplane
        // Nothing that isn't answered is waited for longer than the test may take.
        device.clientLimits.replyTimeout = .milliseconds(200)
        device.clientLimits.welcomeTimeout = .milliseconds(200)
        device.clientLimits.quietTime = .milliseconds(100)
        device.clientLimits.goodbyeTimeout = .milliseconds(50)
    }

    var isRunning: Bool { roost != nil }

    // MARK: The app

    func start() async throws {
        guard roost == nil else { return }
        let roost = try await device.start()
        self.roost = roost
        await roost.connect()
    }

    /// The app is gone, as after a crash: the relay hears nothing of it.
    func stop() async {
        airplane.become(.silent)
        await roost?.disconnect()
        for watcher in watchers { watcher.cancel() }
        watchers = []
        timelines = [:]
        roost = nil
        airplane.become(.off)
    }

    func timeline(_ destination: String) async throws -> ConversationTimeline? {
        if let open = timelines[destination] { return open }
        guard let opened = try await roost?.timeline(with: destination) else { return nil }
        timelines[destination] = opened
        watchers.append(
            Task { [weak self] in
                for await now in opened.snapshots() { self?.note(now) }
            })
        return opened
    }

    // States only go forward, also over the app's end.
    private func note(_ now: TimelineSnapshot) {
        for message in now.items.compactMap(\.message) {
            guard let state = message.state else { continue }
            if case .failed = state { continue }
            let before = ranks[message.id] ?? 0
            #expect(state.rank >= before, "\(name): \(message.text ?? "") went back from \(before) to \(state)")
            ranks[message.id] = max(before, state.rank)
        }
    }

    // MARK: The user's actions

    func send(to destination: String, replyTo: TimelineItem.ID? = nil) async throws {
        guard let timeline = try await timeline(destination) else { return }
        count += 1
        let text = "\(user)-\(name)-\(count)"
        let id = try await timeline.send(text, replyTo: replyTo)
        typed[destination, default: []].append(text)
        ids[text] = (destination, id)
    }

    func edit(_ text: String) async throws {
        guard let (destination, id) = ids[text], let timeline = try await timeline(destination) else { return }
        if case .some(nil) = changed[text] { return }
        count += 1
        let now = "\(text)/\(count)"
        if try await isThere({ try await timeline.edit(id, now) }) { changed[text] = now }
    }

    func delete(_ text: String) async throws {
        guard let (destination, id) = ids[text], let timeline = try await timeline(destination) else { return }
        if case .some(nil) = changed[text] { return }
        if try await isThere({ try await timeline.delete(id) }) { changed[text] = .some(nil) }
    }

    // A gap may have taken a message away from this device, or an answer come just now.
    @discardableResult
    private func isThere(_ change: () async throws -> Void) async throws -> Bool {
        do { try await change() } catch OutboxFailure.noSuchItem { return false }
        return true
    }

    func react(in destination: String, pick: Int) async throws {
        guard let timeline = try await timeline(destination) else { return }
        let rows = timeline.items.compactMap(\.message).filter { !$0.isDeleted }
        guard !rows.isEmpty else { return }
        let row = rows[pick % rows.count]
        // Others' devices never take this one back.
        let isOn = !row.reactions.contains { $0.reaction == name && $0.isMine }
        try await isThere { try await timeline.react(row.id, name, isOn: isOn) }
    }

    func look(at destination: String, scrolls: Bool) async throws {
        guard let timeline = try await timeline(destination) else { return }
        if let last = timeline.items.last(where: { $0.message?.sequence != nil })?.message?.sequence {
            try await timeline.seen(upTo: last)
        }
        // Without a session there is only what is here.
        if scrolls { try? await timeline.loadOlder() }
    }

    var anyTyped: [String] { ids.keys.sorted() }

    // MARK: The end

    /// Tries again what the relay refused, until nothing waits any more.
    func settle() async throws {
        guard let roost else { return }
        for await now in roost.snapshots() {
            if now.isUpToDate, now.pendingCount == 0 { return }
            for (_, timeline) in timelines { try await retry(in: timeline) }
        }
    }

    private func retry(in timeline: ConversationTimeline) async throws {
        if timeline.snapshot.failure != nil { try await timeline.resume() }
        for message in timeline.items.compactMap(\.message) {
            if case .failed = message.state, let item = message.outboxItem {
                try await isThere { try await timeline.retry(item) }
            }
            if let change = message.failedChange { try await isThere { try await timeline.retry(change.outboxItem) } }
        }
    }
}
