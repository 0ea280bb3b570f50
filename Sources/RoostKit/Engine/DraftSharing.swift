import RoostClient
import RoostStore
import RoostWire

/// A draft as it is kept.
struct KeptDraft: Sendable, Equatable {
    var text: String
    /// Counts up, so that an older state that arrives late is ignored.
    var revision: Int
}

/// Shares the user's drafts with all devices, by a setting of its own (Docs/Protocol.md, section 6). Confined to the
/// engine.
final class DraftSharing {
    /// Time for which a draft rests before it is shared: people pause this long between thoughts, and rarely between
    /// words.
    static let wait = Duration.seconds(2)
    /// Most bytes of a shared draft: the relay takes settings of 4,096 bytes.
    static let bytesMax = 4_096

    private let store: LocalStore
    // Drafts that the user has changed or sent since they were shared, with the version shared by then.
    private var changed: [String: Int64] = [:]
    private var sent: [String: Int64] = [:]
    // Texts that the relay was last asked to share, until it has answered.
    private var asked: [String: String] = [:]
    private var isSharing = false

    init(_ store: LocalStore) {
        self.store = store
        store.settings.willTake = { [unowned self] (old, new) throws(LocalFailure) in try follow(old, new) }
    }

    /// Whether there are drafts to share with the other devices once they rest.
    var hasChanged: Bool { !changed.isEmpty }
    /// Whether to share at once: a text that was sent must not be sent again from another device.
    var hasSent: Bool { !sent.isEmpty }

    func forgetAll() { (changed, sent, asked) = ([:], [:], [:]) }

    // MARK: Changes on this device

    /// The user has written something.
    func keep(_ text: String, for destination: String) throws(LocalFailure) -> Int {
        try store.drafts.keep(text, for: destination)
        changed[try store.resolved(destination)] = try store.drafts.sharedVersion(for: destination)
        return store.drafts.revision
    }

    /// The user has sent something.
    func use(_ text: String, for destination: String) throws(LocalFailure) -> Int {
        let before = store.drafts.revision
        try store.drafts.use(text, for: destination)
        if store.drafts.revision > before {
            sent[try store.resolved(destination)] = try store.drafts.sharedVersion(for: destination)
        }
        return store.drafts.revision
    }

    /// A session has begun, and the relay's settings are known. A draft begun without one is shared, if no other device
    /// has begun one there.
    func noteOwn() throws(LocalFailure) {
        for destination in try store.drafts.destinations() {
            guard let id = try store.conversation(destination)?.id, try store.drafts.shared(in: id).isEmpty else {
                continue
            }
            changed[id] = try store.drafts.sharedVersion(for: id)
        }
    }

    // MARK: Changes on other devices

    /// Ends the draft here, too, when another device of the user has sent it.
    func take(_ event: Event) throws(LocalFailure) {
        guard case .message(let message) = event, message.from == store.identity.user,
            message.device != store.identity.device, let text = message.body?.text
        else { return }
        try end(text, in: message.conversation)
    }

    /// The user has sent a text. If the devices of the user share it as a draft, it ends as a draft, here and there.
    func end(_ text: String, in conversation: String) throws(LocalFailure) {
        guard LocalDrafts.isSame(try store.drafts.shared(in: conversation), text) else { return }
        try store.drafts.use(text, for: conversation)
        guard try store.drafts.draft(for: conversation).isEmpty else { return }
        sent[conversation] = try store.drafts.sharedVersion(for: conversation)
    }

    // Another device has written on: this one follows, unless something else was written here meanwhile.
    private func follow(_ old: LocalSetting?, _ new: LocalSetting) throws(LocalFailure) {
        guard let (conversation, text) = LocalDrafts.told(by: new) else { return }
        // An answer that was lost: it was this device's own.
        if asked[conversation] == text {
            asked[conversation] = nil
            return advance(conversation, to: new.version)
        }
        guard changed[conversation] == nil, sent[conversation] == nil else { return }
        let before = old.flatMap(LocalDrafts.told)?.text ?? ""
        if try store.drafts.draft(for: conversation) == before { try store.drafts.keep(text, for: conversation) }
    }

    // The relay has this version of the device's own draft: text written or sent before the answer continues from it.
    private func advance(_ conversation: String, to version: Int64) {
        if let before = changed[conversation] { changed[conversation] = max(before, version) }
        if let before = sent[conversation] { sent[conversation] = max(before, version) }
    }

    // MARK: Sharing

    /// Shares what the other devices don't have yet. One run at a time.
    /// - Returns: whether anything was sent.
    func share(by client: ChatClient, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        guard !isSharing else { return false }
        isSharing = true
        defer { isSharing = false }
        var isNew = false
        while let (destination, version) = sent.popFirst() ?? changed.popFirst() {
            changed[destination] = nil
            do { isNew = try await share(destination, ifVersion: version, by: client) || isNew } catch {
                // The next session, or the next key, begins here again.
                if changed[destination] == nil { changed[destination] = version }
                return isNew
            }
        }
        return isNew
    }

    // If another device has written something since the user wrote here, this one keeps its own until the next key.
    private func share(
        _ destination: String, ifVersion version: Int64, by client: ChatClient,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bool {
        guard let id = try store.conversation(destination)?.id else { return false }
        let text = try store.drafts.draft(for: id)
        let json = text.isEmpty ? nil : MessageBody(text: text).json
        guard try store.drafts.shared(in: id) != text, json?.count ?? 0 <= DraftSharing.bytesMax,
            try store.drafts.sharedVersion(for: id) == version
        else { return false }
        let key = LocalDrafts.key + id
        asked[id] = text
        do {
            let stored = try await client.settings.set(key, json: json, ifVersion: version)
            if let stored {
                try store.settings.put(key, json, stored.version)
                advance(id, to: stored.version)
            }
        } catch RoostFailure.refused(let refusal) where refusal.code == "\(ErrorCode.conflict.word)" {
            // The other device's text comes as an event.
        }
        asked[id] = nil
        return true
    }
}
