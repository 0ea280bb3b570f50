import RoostClient
import RoostStore
import RoostWire

/// The engine's requests to the relay.
extension Engine {
    /// Sends an item of the outbox once.
    func carryOut(_ item: OutboxItem) async -> Sender.Outcome {
        do throws(RoostFailure) {
            guard case .send(let kind, let body, let replyTo) = item.action else {
                let answer = try await change(item)
                return .done(at: answer.time ?? .never, nil, version: answer.version)
            }
            let stored = try await client.ask(.send) { command in
                command.member("to", item.destination)
                command.member("key", item.key)
                if let source = item.forward {
                    // The relay takes kind and body from there.
                    command.beginObject("forward")
                    command.member("conversation", source.conversation)
                    command.member("sequence", source.sequence.value)
                    command.endObject()
                } else {
                    if let kind { command.member("kind", kind) }
                    command.member("body", raw: body)
                }
                if let thread = item.thread { command.member("thread", thread.value) }
                if case .stored(let sequence) = replyTo { command.member("replyTo", sequence.value) }
                if !item.mentions.isEmpty { command.list("mentions", item.mentions) }
            } _: {
                StoredMessage(reading: $0)
            }
            return .done(at: stored.time, stored)
        } catch {
            if case .refused(let refusal) = error { return .refused(refusal) }
            return .failed(error)
        }
    }

    private func change(_ item: OutboxItem) async throws(RoostFailure) -> Answer {
        let type: CommandType =
            switch item.action {
            case .send: .send
            case .edit: .edit
            case .delete: .delete
            case .react: .react
            case .read: .read
            }
        return try await client.ask(type) { command in
            command.member("conversation", item.destination)
            switch item.action {
            case .edit(.stored(let sequence), let body):
                command.member("sequence", sequence.value)
                command.member("body", raw: body)
                if !item.mentions.isEmpty { command.list("mentions", item.mentions) }
                if let version = item.ifVersion { command.member("ifVersion", version) }
            case .delete(.stored(let sequence)), .read(let sequence): command.member("sequence", sequence.value)
            case .react(.stored(let sequence), let reaction, let isOn):
                command.member("sequence", sequence.value)
                command.member("reaction", reaction)
                if !isOn { command.member("remove", true) }
            // An item that waits for another one is never sent.
            case .send, .edit, .delete, .react: break
            }
        } _: {
            Answer(reading: $0)
        }
    }

    // MARK: Left-out messages

    /// Asks for everything that was left out, in the order in which people miss it.
    func askAnew() async throws {
        try await NewestQuestion.ask(self)
        try await askStale()
        if !desk.store.identity.isListed { try await askList() }
        try await askStale()
        let drafts = desk.store.drafts.revision
        try await SettingsQuestion.ask(desk.store, client, patience)
        if desk.store.drafts.revision > drafts { desk.tell() }
        try desk.drafts.noteOwn()
        shareSoon()
        try await askOpen()
        try await ThreadQuestion.ask(desk, sender.isReady, client, patience)
        try await PinQuestion.ask(desk, sender.isReady, client, patience)
        if try await desk.acquaintances.askPeople(desk.shownPeople(), client, patience) { desk.tell([]) }
        try await askContacts()
        try await watching.follow(desk, client, patience)
    }

    /// Asks for the contacts, if the app shows them.
    func askContacts() async throws { try await desk.acquaintances.askContacts(client, patience) }

    // All of the user's conversations, page by page, and then those that wait for it.
    private func askList() async throws {
        for areRequests in [false, true] {
            var before: String?
            repeat {
                let at = before
                let page = try await patience { () throws(RoostFailure) in
                    try await self.page(areRequests: areRequests, before: at)
                }
                try desk.store.take(page, isLast: areRequests && page.next == nil)
                desk.tell()
                before = page.next
            } while before != nil
        }
    }

    private func page(areRequests: Bool, before: String?) async throws(RoostFailure) -> ConversationPage {
        guard areRequests else { return try await client.conversations(before: before, limit: 100) }
        return try await client.messageRequests.list(before: before, limit: 100)
    }

    private func askStale() async throws {
        while true {
            let stale = try desk.store.staleConversations(limit: 16)
            if stale.isEmpty { return }
            for id in stale {
                do {
                    let summary = try await patience { () throws(RoostFailure) in
                        try await self.client.conversation(id)
                    }
                    try desk.store.take(summary)
                    // An answer about another one would be asked for for ever.
                    if summary.id != id { try desk.store.forget(id) }
                } catch RoostFailure.refused {
                    // The user is no longer in it, and this device missed the event.
                    try desk.store.forget(id)
                }
                desk.tell([id])
            }
        }
    }

    // Asks for the data of open timelines: their messages, receipts, reactions.
    private func askOpen() async throws {
        for view in desk.openTimelines {
            guard let conversation = view.shown.conversation else { continue }
            if sender.isReady, !view.wasAsked {
                view.wasAsked = true
                try await askMembers(of: conversation.id, count: conversation.count)
                if view.shown.items.count < TimelineWindow.first {
                    try await fetch(conversation.id, before: nil)
                    // New messages are shown as if the timeline were opened now.
                    if view.window.isAtEnd { view.window.toEnd() }
                }
            }
            // Behind what one page has there may be more.
            for _ in 0..<TimelineWindow.most / TimelineWindow.page {
                guard let stale = try view.stale(desk.store) else { break }
                let after = SequenceNumber(stale.from.value - 1)
                let asked = desk.store.doubts
                let page = try await patience { () throws(RoostFailure) in
                    try await self.client.history(
                        of: conversation.id, after: after, limit: stale.count, hasEvents: true)
                }
                try desk.store.take(
                    page, from: stale.from, to: SequenceNumber(stale.from.value + Int64(stale.count) - 1),
                    asked: asked)
                desk.tell([conversation.id])
            }
        }
    }

    func askMembers(of conversation: String, count: Int) async throws {
        // Members of larger groups get no receipts of each other (Docs/Protocol.md, section 7).
        guard count <= 256 else { return }
        var after: String?
        repeat {
            let at = after
            let list = try await patience { () throws(RoostFailure) in
                try await self.client.members(of: conversation, after: at, limit: 100)
            }
            let user = desk.store.identity.user
            try desk.store.take(list.members.map(\.receipt).filter { $0.user != user })
            after = list.next
        } while after != nil
        desk.tell([conversation])
    }

    // MARK: History

    /// Gets messages before a sequence, or the newest ones, and keeps them.
    @discardableResult
    func fetch(
        _ conversation: String, before: SequenceNumber?, limit: Int = TimelineWindow.page
    ) async throws -> HistoryPage {
        let asked = desk.store.doubts
        let page = try await patience { () throws(RoostFailure) in
            try await self.client.history(of: conversation, before: before, limit: limit, hasEvents: true)
        }
        try desk.store.take(page, before: before ?? SequenceNumber(.max), asked: asked)
        desk.tell([conversation])
        return page
    }
}
