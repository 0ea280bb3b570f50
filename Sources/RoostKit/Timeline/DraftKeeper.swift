import Observation
import RoostClient
import RoostStore

/// The user's draft in a conversation: it shows at once, and is saved to disk behind that, the newest text last. Also
/// shows others in the conversation that the user types.
@MainActor
@Observable
final class DraftKeeper {
    /// Shortest time between two typing notices, because the relay forgets a notice after three seconds.
    static let noticeWait = Duration.seconds(2)

    private(set) var text: String
    @ObservationIgnored private let destination: String
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private var typedAt: ContinuousClock.Instant?
    // Text that isn't on disk, and notices that aren't sent yet.
    @ObservationIgnored private var isKept = true
    @ObservationIgnored private var notice: (conversation: String, isActive: Bool)?
    @ObservationIgnored private var saving: Task<Void, any Error>?
    // The newest revision of what is kept that this text stands for; nothing older counts.
    @ObservationIgnored private var revision: Int
    @ObservationIgnored private var isBeingUsed = false

    init(_ kept: KeptDraft, of destination: String, _ engine: Engine) {
        (text, revision) = (kept.text, kept.revision)
        self.destination = destination
        self.engine = engine
    }

    /// The user has written something.
    /// - Parameters:
    ///   - conversation: the conversation's id; nil if there is none yet, so that no notice is sent.
    ///   - failed: called if the draft can't be saved.
    func write(_ now: String, in conversation: String?, failed: @escaping @MainActor (any Error) -> Void) {
        if now != text { noteTyping(now, in: conversation) }
        text = now
        // Another timeline may have changed what is kept.
        isKept = false
        let saving = keep()
        Task {
            do { try await saving.value } catch { failed(error) }
        }
    }

    /// Returns when it is on disk.
    func save() async throws { try await keep().value }

    /// A text was sent: it ends the draft if that is the same.
    func use(_ sent: String) async {
        isBeingUsed = true
        defer { isBeingUsed = false }
        // An earlier text must not come back after it.
        _ = await saving?.result
        if LocalDrafts.isSame(text, sent) { text = "" }
        // The text is sent even if the draft can't be saved: a user who sees an error sends again.
        let kept = try? await engine.perform { [destination] in try $0.use(draft: sent, for: destination) }
        revision = max(revision, kept ?? 0)
    }

    /// Another window, or another device, has changed the kept draft. A text that is being typed here stays.
    func follow(_ kept: KeptDraft) {
        guard isKept, saving == nil, !isBeingUsed, kept.revision > revision else { return }
        (text, revision, typedAt) = (kept.text, kept.revision, nil)
    }

    /// Sending ends typing, at the relay too.
    func endTyping() {
        typedAt = nil
        notice = nil
    }

    private func noteTyping(_ now: String, in conversation: String?) {
        if now.isEmpty {
            if typedAt != nil { notice = (conversation ?? destination, false) }
            typedAt = nil
        } else if typedAt.map({ .now - $0 >= DraftKeeper.noticeWait }) ?? true, let conversation {
            typedAt = .now
            notice = (conversation, true)
        }
    }

    // One at a time, so that the newest text is written last.
    private func keep() -> Task<Void, any Error> {
        if let saving { return saving }
        let task = Task {
            defer { saving = nil }
            while !isKept || notice != nil {
                let (now, told) = (text, notice)
                notice = nil
                if let told { await engine.client.typing(in: told.conversation, isActive: told.isActive) }
                guard !isKept else { continue }
                isKept = true
                do {
                    let kept = try await engine.perform { [destination] in try $0.keep(draft: now, for: destination) }
                    revision = max(revision, kept)
                } catch {
                    isKept = false
                    throw error
                }
            }
        }
        saving = task
        return task
    }
}
