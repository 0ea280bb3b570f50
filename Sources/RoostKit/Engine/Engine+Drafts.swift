import RoostClient
import RoostStore
import RoostWire

/// A draft as it is kept.
struct KeptDraft: Sendable, Equatable {
    var text: String
    /// Counts up, so that what is told late is known to be old.
    var revision: Int
}

/// What the user has begun to write is on all devices, by a setting of its own (Docs/Protocol.md, section 6).
extension Engine {
    /// How long a draft rests before it is shared: people pause so long between thoughts, and rarely between words.
    static let draftWait = Duration.seconds(2)
    /// Most bytes of a shared draft: the relay takes settings of 4,096 bytes.
    static let draftBytesMax = 4_096

    /// A draft has changed here.
    func shareSoon() {
        // What was sent isn't to be sent again from another device.
        if !desk.draftsSent.isEmpty { Task { await shareDrafts() } }
        if !desk.draftsToShare.isEmpty { after(Engine.draftWait, .draft) { await $0.shareDrafts() } }
    }

    /// A session has begun, and the relay's settings are known. What was begun without one is shared, if no other
    /// device has begun anything there.
    func shareOwn() throws {
        let store = desk.store
        for destination in try store.drafts.destinations() {
            guard let id = try store.conversation(destination)?.id, try store.drafts.shared(in: id).isEmpty else {
                continue
            }
            desk.draftsToShare[destination] = try store.drafts.sharedVersion(for: destination)
        }
        shareSoon()
    }

    private func shareDrafts() async {
        guard !isSharingDrafts, desk.session.connection == .connected else { return }
        isSharingDrafts = true
        defer { isSharingDrafts = false }
        while let (destination, version) = desk.draftsSent.popFirst() ?? desk.draftsToShare.popFirst() {
            desk.draftsToShare[destination] = nil
            do { try await share(destination, ifVersion: version) } catch {
                // The next session, or the next key, begins here again.
                if desk.draftsToShare[destination] == nil { desk.draftsToShare[destination] = version }
                return
            }
        }
    }

    // If another device has written something since the user wrote here, this one keeps its own until the next key.
    private func share(_ destination: String, ifVersion version: Int64) async throws {
        let store = desk.store
        guard let id = try store.conversation(destination)?.id else { return }
        let text = try store.drafts.draft(for: id)
        guard try store.drafts.shared(in: id) != text else { return }
        let json = text.isEmpty ? nil : MessageBody(text: text).json
        guard json?.count ?? 0 <= Engine.draftBytesMax else { return }
        let key = LocalDrafts.key + id
        guard try store.settings.version(of: key) == version else { return }
        do {
            let stored = try await client.settings.set(key, json: json, ifVersion: version)
            if let stored { try store.settings.put(key, json, stored.version) }
            desk.tell([])
        } catch RoostFailure.refused(let refusal) where refusal.code == "\(ErrorCode.conflict.word)" {
            // What the other device has written comes as an event.
        }
    }
}
