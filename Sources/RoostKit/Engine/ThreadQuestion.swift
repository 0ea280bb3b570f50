import RoostClient
import RoostStore
import RoostWire

/// Asks the relay for the messages of threads.
enum ThreadQuestion {
    /// Asks for the newest page of each open thread, once in a session.
    static func ask(
        _ desk: Desk, _ isReady: Bool, _ client: ChatClient, _ patience: Patience,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        for view in desk.openThreads where isReady && !view.wasAsked {
            let (root, id) = (view.root, view.conversation)
            if view.shown.root == nil {
                let asked = desk.store.doubts
                let before = SequenceNumber(root.value - 1)
                let page = try await patience { () throws(RoostFailure) in
                    try await client.history(of: id, after: before, limit: 1)
                }
                try desk.store.take(page, before: nil, asked: asked)
            }
            try await page(of: view, before: nil, desk, client, patience)
        }
    }

    /// Gets up to 100 messages of a thread: those before a sequence, or the newest ones.
    static func page(
        of view: ThreadView, before: SequenceNumber?, _ desk: Desk, _ client: ChatClient, _ patience: Patience,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let (root, id, asked) = (view.root, view.conversation, desk.store.doubts)
        let page = try await patience { () throws(RoostFailure) in
            try await client.history(of: id, thread: root, before: before, limit: ThreadView.page)
        }
        try desk.store.take(page, before: nil, asked: asked)
        view.note(page, isNewest: before == nil)
        desk.tell([id])
    }

    /// Loads up to 100 older messages of an open thread.
    static func older(_ id: Int, _ engine: isolated Engine) async throws {
        guard let view = engine.desk.thread(id), let before = view.older else { return }
        try await page(of: view, before: before, engine.desk, engine.client, engine.patience)
        try view.refresh(engine.desk.store)
    }
}
