import RoostClient
import RoostStore
public import RoostWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Loads under way for a timeline, and the last error.
public struct TimelineLoading: Sendable {
    /// Whether older messages are being loaded.
    public internal(set) var isLoadingOlder = false
    /// Whether newer messages are being loaded.
    public internal(set) var isLoadingNewer = false
    /// The gaps that are being filled.
    public internal(set) var gaps: Set<TimelineItem.ID> = []
    /// Why something couldn't be loaded, or the draft not be kept; nil after the next success.
    public internal(set) var lastError: (any Error)?
}

extension ConversationTimeline {
    // How many rows before an end more is loaded: about half a screen of a phone.
    static let margin = 5

    // MARK: Scrolling

    /// Reports that a row is on the screen: a list calls this as it shows one. A message counts as seen; a gap is
    /// filled; near an end of the window more is loaded there. `loading` shows the progress.
    public func appeared(_ id: TimelineItem.ID) {
        guard let item = snapshot[id] else { return }
        if let sequence = item.message?.sequence {
            attempt { try await $0.seen(upTo: sequence) }
        } else if case .gap = item {
            attempt { try await $0.fill(id) }
        }
        if snapshot.hasOlder, snapshot.items.prefix(ConversationTimeline.margin).contains(where: { $0.id == id }) {
            attempt { try await $0.loadOlder() }
        }
        if snapshot.hasNewer, snapshot.items.suffix(ConversationTimeline.margin).contains(where: { $0.id == id }) {
            attempt { try await $0.loadNewer() }
        }
    }

    /// Shows up to 100 older messages: those of this device at once, others from the relay. While older ones are being
    /// loaded it does nothing.
    /// - Throws: `RoostFailure` if the relay was needed and can't be asked.
    public func loadOlder() async throws {
        guard !loading.isLoadingOlder else { return }
        loading.isLoadingOlder = true
        defer { loading.isLoadingOlder = false }
        try await scroll { try await $0.loadOlder($1) }
    }

    /// Shows up to 100 newer messages, after scrolling or jumping away from the newest. While newer ones are being
    /// loaded it does nothing.
    public func loadNewer() async throws {
        guard !loading.isLoadingNewer else { return }
        loading.isLoadingNewer = true
        defer { loading.isLoadingNewer = false }
        try await scroll { try await $0.loadNewer($1) }
    }

    /// Gets up to 100 messages of a gap, those nearest to its end. While it is being filled it does nothing.
    public func fill(_ id: TimelineItem.ID) async throws {
        guard case .gap(let from, let to) = snapshot[id], loading.gaps.insert(id).inserted else { return }
        defer { loading.gaps.remove(id) }
        try await scroll { try await $0.fill($1, from: from, to: to) }
    }

    /// Shows what is around a message.
    public func jump(to id: TimelineItem.ID) async throws {
        guard let sequence = try await sequence(of: id) else { return }
        try await jump(to: sequence)
    }

    /// Shows what is around a message, by the number that another one names, as in `TimelineMessage.replyTo`.
    public func jump(to sequence: SequenceNumber) async throws {
        try await scroll { try await $0.jump($1, to: sequence) }
    }

    /// Shows the newest messages.
    public func jumpToEnd() async throws {
        try await scroll { engine, view in try await engine.perform { try $0.move(view) { $0.toEnd() } } }
    }

    // The new window is in `snapshot` when it returns.
    private func scroll(_ body: (Engine, Int) async throws -> Void) async throws {
        do { try await body(engine, view) } catch {
            loading.lastError = error
            throw error
        }
        loading.lastError = nil
        if let now = try await engine.perform({ [view] in $0.timeline(view)?.shown }) { show(now) }
    }

    // Runs in the background, without a caller that waits.
    private func attempt(_ body: @escaping @MainActor (ConversationTimeline) async throws -> Void) {
        Task {
            do { try await body(self) } catch { loading.lastError = error }
        }
    }

    // The number of a message that the relay has stored.
    private func sequence(of id: TimelineItem.ID) async throws -> SequenceNumber? {
        if case .sequence(let sequence) = id { return sequence }
        if let item = snapshot[id] { return item.message?.sequence }
        return try await engine.perform { [destination] in try RowQuestion.row(id, in: destination, $0)?.sequence }
    }

    /// The messages in which a text occurs, newest first, of those on this device: at most 100.
    public func search(_ text: String) async throws -> [TimelineMessage] {
        try await MessageQuestion.search(text, in: destination, engine)
    }

    // MARK: Reading

    /// The user has seen the conversation up to this message. Counts only while the device is active.
    public func seen(upTo id: TimelineItem.ID) async throws {
        if let sequence = try await sequence(of: id) { try await seen(upTo: sequence) }
    }

    /// The user has seen the conversation up to the message of this number. Counts only while the device is active.
    public func seen(upTo sequence: SequenceNumber) async throws {
        guard roost?.activity == .active else { return }
        try await engine.perform { [destination] in try $0.read(destination, upTo: sequence) }
    }

    /// Returns the members who have read a message, with times, if they share receipts: from the relay, or without a
    /// session as known on this device, where the time may be that of a later message.
    public func readers(of id: TimelineItem.ID) async throws -> [(person: KnownPerson, time: Date?)] {
        guard let sequence = try await sequence(of: id) else { return [] }
        return try await readers(of: sequence)
    }

    /// Returns the members who have read the message of this number.
    public func readers(of sequence: SequenceNumber) async throws -> [(person: KnownPerson, time: Date?)] {
        let marks = try await MessageQuestion.readers(of: sequence, in: destination, engine)
        return marks.map { (roost?.person($0.user) ?? KnownPerson(user: $0.user), $0.time?.date) }
    }
}

extension ConversationTimeline {
    // MARK: By their numbers in the outbox

    /// Tries again what the relay refused: a message or a change, by its `outboxItem`.
    package func retry(_ item: Int64) async throws { try await engine.perform { try $0.retry(item) } }

    /// Gives a refused message or edit another text and other mentions, and tries it again.
    package func replace(_ item: Int64, _ text: String, mentions: [String] = []) async throws {
        try await engine.perform { desk in
            try desk.change { try $0.replace(item, body: MessageBody(text: text).json, mentions: mentions) }
        }
    }

    /// Takes back what waits, with everything that waits for it.
    package func discard(_ item: Int64) async throws {
        try await engine.perform { try $0.takeBack(item) }
    }
}
