import RoostClient

extension Engine {
    /// A draft has changed here, or was sent. A text that was sent must not be sent again from another device, so this
    /// is shared at once.
    func shareSoon() {
        guard desk.drafts.hasSent || desk.drafts.hasChanged else { return }
        after(desk.drafts.hasSent ? .zero : DraftSharing.wait, .draft) { engine in
            guard engine.desk.session.connection == .connected else { return }
            // The next key cancels this wait, and must not cancel a command whose answer has the draft's new version.
            let sharing = Task { await engine.desk.drafts.share(by: engine.client) }
            if await sharing.value { engine.desk.tell([]) }
        }
    }
}
