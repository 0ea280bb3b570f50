import RoostCore
import RoostWire

/// The rules that every store must follow, as checks that throw a described `Violation`. A store's tests pass a
/// function that creates a fresh store, and one that continues with the stored data (`reopen`: close and open again, or
/// nothing). Checks run on the calling thread, one after another.
public struct StoreContract {
    /// A store under test.
    public struct Store {
        /// Commits batches.
        public var writer: any LogWriter
        /// Answers reads.
        public var reader: any LogReader
        /// Loads the snapshot from which a relay would start.
        public var load: () throws -> Snapshot

        /// Creates a store under test.
        public init(writer: any LogWriter, reader: any LogReader, load: @escaping () throws -> Snapshot) {
            self.writer = writer
            self.reader = reader
            self.load = load
        }
    }

    /// A rule that the store broke.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule, what was expected, and what the store did.
        public var description: String
    }

    /// A rule's name and its check.
    public struct Check: Sendable {
        /// The rule in a few words.
        public var name: String
        var run: @Sendable (inout StoreDriver) throws -> Void
    }

    /// Every rule.
    public static let checks: [Check] = [
        Check(name: "positions and sequences are dense", run: sequences),
        Check(name: "a repeated key changes nothing", run: duplicates),
        Check(name: "a key stands for one command", run: clashes),
        Check(name: "openings", run: openings),
        Check(name: "a reference must exist", run: references),
        Check(name: "edits", run: edits),
        Check(name: "deletes erase", run: deletes),
        Check(name: "mentions", run: mentions),
        Check(name: "messages disappear", run: disappearing),
        Check(name: "pinned messages", run: pinning),
        Check(name: "who may be in a group and write in it", run: RestrictionContract.restricting),
        Check(name: "how often members of a group may write", run: RestrictionContract.slowing),
        Check(name: "who joins by link, and who waits", run: RestrictionContract.joining),
        Check(name: "forwarded messages", run: ForwardingContract.forwarding),
        Check(name: "threads", run: ThreadContract.threads),
        Check(name: "pages of threads", run: ThreadContract.pages),
        Check(name: "a thread is counted up to a bound", run: ThreadContract.bound),
        Check(name: "reactions", run: reactions),
        Check(name: "members", run: members),
        Check(name: "what a group shows", run: appearance),
        Check(name: "joining", run: joining),
        Check(name: "reading by writing", run: ReadingContract.reading),
        Check(name: "users and devices", run: directory),
        Check(name: "when members got and read messages", run: receipts),
        Check(name: "reports", run: reports),
        Check(name: "settings", run: settings),
        Check(name: "settings are bounded", run: manySettings),
        Check(name: "contacts, prospects and invitations", run: contacts),
        Check(name: "requests", run: RequestContract.requests),
        Check(name: "what is withheld from a blocker", run: VeilContract.veils),
        Check(name: "what two users see apart after a block", run: VeilContract.keptApart),
        Check(name: "how many pins two users see apart", run: VeilContract.boundOfPins),
        Check(name: "conversations that a blocked user opens", run: VeilContract.hiddenConversations),
        Check(name: "numbers are leased once", run: leases),
        Check(name: "an erased conversation is gone", run: erasing),
        Check(name: "pages", run: pages),
        Check(name: "pages end early", run: bounds),
        Check(name: "too long a backlog becomes a gap", run: gaps),
        Check(name: "too long a backlog has its changes", run: changesInGaps),
        Check(name: "only the last edit is told", run: lastEdits),
        Check(name: "nothing from before a member's time", run: since),
        Check(name: "history", run: history),
        Check(name: "latest", run: latest),
        Check(name: "the feed has every row once, in order", run: feed),
    ]

    /// Runs one check on the store that `make` returns. Throws the `Violation`, or the store's own error.
    public static func run(
        _ check: Check, make: () throws -> Store, reopen: @escaping (Store) throws -> Store = { $0 }
    ) throws {
        var driver = StoreDriver(try make(), reopen: reopen)
        do {
            try check.run(&driver)
        } catch let violation as Violation {
            throw Violation(description: "\(check.name): \(violation.description)")
        }
    }
}

// MARK: Writing

extension StoreContract {
    @Sendable static func sequences(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        try store.create(2, members: [1, 3])
        let outcomes = try store.commit([
            store.message(1, by: 1, "a"), store.message(2, by: 3, "b"), store.message(1, by: 2, "c"),
        ])
        try expect(
            outcomes,
            [.stored(at(3), SequenceNumber(1)), .stored(at(4), SequenceNumber(1)), .stored(at(5), SequenceNumber(2))])
        try store.goOn()
        try expect(try store.commit([store.message(1, by: 1, "d")]), [.stored(at(6), SequenceNumber(3))])
        var event = store.message(1, by: 1, "")
        event.kind = .conversation
        event.change = .rename("New")
        try expect(try store.commit([event]), [.stored(at(7), SequenceNumber(3))])
        try expect(try store.commit([store.message(9, by: 1, "nowhere")]), [.refused(.notFound)])
        try store.goOn()
        let snapshot = try store.load()
        try expect(snapshot.head, at(7))
        try expect(snapshot.conversations.map(\.lastSequence.value), [3, 1])
        try expect(snapshot.conversations.map(\.lastPosition.value), [7, 4])
        try expect(snapshot.conversations.map(\.name), ["New", "g2"])
        try expect(snapshot.conversations[0].lastTime, event.time)
    }

    @Sendable static func duplicates(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        var first = store.message(1, by: 1, "a", key: "k")
        let again = first
        let others = store.message(1, by: 2, "b", key: "k")
        try expect(
            try store.commit([first, again, others]),
            [
                .stored(at(2), SequenceNumber(1)),
                .duplicate(at(2), SequenceNumber(1), ConversationNumber(1), first.time),
                .stored(at(3), SequenceNumber(2)),
            ])
        let edit = store.event(.edit, 1, by: 1, of: 1, "a2", key: "e")
        let keyless = store.message(1, by: 1, "c")
        try expect(
            try store.commit([edit, keyless, keyless]),
            [
                .stored(at(4), SequenceNumber(1), .edited(kind: "text", version: 2)), .stored(at(5), SequenceNumber(3)),
                .stored(at(6), SequenceNumber(4)),
            ])
        try store.goOn()
        // It was edited since, so its text can't be compared any more.
        first.body = Array("\"z\"".utf8)
        let create = store.creation(7, members: [1], key: "k")
        let elsewhere = store.message(2, by: 1, "a", key: "k")
        try expect(
            try store.commit([first, edit, create, elsewhere]),
            [
                .duplicate(at(2), SequenceNumber(1), ConversationNumber(1), first.time),
                .duplicate(at(4), SequenceNumber(1), ConversationNumber(1), edit.time),
                .refused(.conflict), .refused(.conflict),
            ])
        // A probe finds what was stored and stores nothing.
        var unknown = store.message(1, by: 1, "new", key: "never used")
        first.purpose = .probe
        unknown.purpose = .probe
        try expect(
            try store.commit([first, unknown]),
            [.duplicate(at(2), SequenceNumber(1), ConversationNumber(1), first.time), .refused(.notFound)])
        try expect(try store.history(1).map(\.text), ["\"a2\"", "\"b\"", "\"c\"", "\"c\""])
        try expect(try store.load().conversations.count, 1)
    }

    /// The same key again is a retry only if it comes with the same command.
    @Sendable static func clashes(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        var first = store.message(1, by: 1, "caf\u{e9} /", key: "k")
        var blob = store.message(1, by: 1, "b", label: "blob", key: "b")
        var rename = store.change(1, by: 1, .rename("N"))
        rename.key = "r"
        rename.body = Array("\"event\":\"renamed\",\"name\":\"N\"".utf8)
        try expect(try store.commit([first, blob, rename]).count, 3)
        try store.goOn()
        let same = Outcome.duplicate(at(2), SequenceNumber(1), ConversationNumber(1), first.time)
        first.body = Array("\"caf\\u00e9 \\/\"".utf8)
        try expect(try store.commit([first]), [same])
        var other = first
        other.body = Array("\"caf\"".utf8)
        var reply = first
        reply.reference = SequenceNumber(2)
        var image = first
        image.label = "image"
        var renamed = rename
        renamed.body = Array("\"event\":\"renamed\",\"name\":\"M\"".utf8)
        let changes = [other, reply, image, renamed]
        try expect(try store.commit(changes), changes.map { _ in .refused(.conflict) })
        // Another way to write the same JSON.
        blob.body = Array("\"\\u0062\"".utf8)
        try expect(
            try store.commit([blob, rename]),
            [
                .duplicate(at(3), SequenceNumber(2), ConversationNumber(1), blob.time),
                .duplicate(at(4), SequenceNumber(2), ConversationNumber(1), rename.time),
            ])
    }

    /// An opening is stored if it changes something and the message's key is new.
    @Sendable static func openings(_ store: inout StoreDriver) throws {
        let both = [NewMember(UserNumber(1), .member), NewMember(UserNumber(2), .member)]
        func opening(_ conversation: Int32, _ change: ConversationChange, for key: String) -> Append {
            var event = store.change(conversation, by: 1, change)
            event.purpose = .opening
            event.key = key
            return event
        }
        func create(_ conversation: Int32, for key: String) -> Append {
            opening(conversation, .create(id: "d", kind: .direct, name: "", members: both), for: key)
        }
        try expect(
            try store.commit([
                create(1, for: "a"), store.message(1, by: 1, "a", key: "a"), create(1, for: "b"),
                store.message(1, by: 1, "b", key: "b"), create(2, for: "a"),
            ]),
            [
                .stored(at(1), .none), .stored(at(2), SequenceNumber(1)), .unchanged,
                .stored(at(3), SequenceNumber(2)), .unchanged,
            ])
        try store.goOn()
        _ = try store.commit([store.change(1, by: 2, .leave(UserNumber(2), heir: nil))])
        try expect(
            try store.commit([opening(1, .add([both[1]]), for: "b"), opening(1, .add([both[0]]), for: "c")]),
            [.unchanged, .unchanged])
        try expect(try store.load().members.map(\.role), [.member, nil])
        try expect(
            try store.commit([opening(1, .add([both[1]]), for: "c"), opening(1, .add(both), for: "d")]),
            [.stored(at(5), SequenceNumber(2)), .unchanged])
        try store.goOn()
        try expect(try store.load().members.map(\.role), [.member, .member])
        // The key of an opening stays free for its message.
        try expect(try store.commit([store.message(1, by: 1, "c", key: "c")]), [.stored(at(6), SequenceNumber(3))])
    }

    @Sendable static func references(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        try store.create(2, members: [1])
        let batch = [
            store.message(1, by: 1, "a"), store.reply(1, by: 1, to: 1), store.reply(1, by: 1, to: 3),
            store.reply(2, by: 1, to: 1), store.reply(1, by: 1, to: -1),
        ]
        let missing = Outcome.refused(.notFound)
        try expect(
            try store.commit(batch),
            [.stored(at(3), SequenceNumber(1)), .stored(at(4), SequenceNumber(2)), missing, missing, missing])
        try store.goOn()
        for kind in [EventKind.edit, .delete, .react] {
            for sequence: Int64 in [0, 3, -5, .max] {
                try expect(try store.commit([store.event(kind, 1, by: 1, of: sequence, "x")]), [missing])
            }
        }
        try expect(try store.history(1).map(\.reference.value), [0, 1])
    }

    @Sendable static func edits(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        _ = try store.commit([store.message(1, by: 1, "a"), store.message(1, by: 1, "{}", label: "poll")])
        try store.goOn()
        var notText = store.event(.edit, 1, by: 1, of: 1, "x")
        notText.flag = false
        var poll = store.event(.edit, 1, by: 1, of: 2, "x")
        poll.flag = false
        let edit = store.event(.edit, 1, by: 1, of: 1, "a2")
        let foreign = store.event(.edit, 1, by: 2, of: 1, "x")
        try expect(
            try store.commit([notText, foreign, edit, edit, poll]),
            [
                .refused(.badRequest), .refused(.forbidden),
                .stored(at(4), SequenceNumber(1), .edited(kind: "text", version: 2)),
                .unchanged,
                .stored(at(5), SequenceNumber(2), .edited(kind: "poll", version: 2)),
            ])
        try store.goOn()
        let shown = try store.history(1)
        try expect(shown.map(\.text), ["\"a2\"", "\"x\""])
        try expect(shown.map(\.editedAt), [edit.time, poll.time])
        let rows = try store.page(1, after: 1).events
        try expect(rows.map(\.kind), [.message, .message, .edit, .edit])
        try expect(rows.map(\.text), ["\"a2\"", "\"x\"", "\"a2\"", "\"x\""])
        try expect(rows.map(\.label), ["text", "poll", "text", "poll"])
        try expect(rows.map(\.sequence.value), [1, 2, 1, 2])
    }

    @Sendable static func deletes(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        _ = try store.commit([
            store.message(1, by: 1, "secret"), store.event(.edit, 1, by: 1, of: 1, "secret2"),
            store.message(1, by: 1, "b"), store.event(.react, 1, by: 2, of: 1, "+"),
        ])
        try store.goOn()
        let delete = store.event(.delete, 1, by: 1, of: 1, "")
        var moderated = store.event(.delete, 1, by: 2, of: 2, "")
        try expect(try store.commit([moderated]), [.refused(.forbidden)])
        moderated.flag = true
        let edit = store.event(.edit, 1, by: 1, of: 1, "back")
        let react = store.event(.react, 1, by: 1, of: 1, "+")
        try expect(
            try store.commit([delete, delete, edit, react, moderated]),
            [
                .stored(at(6), SequenceNumber(1)), .unchanged, .refused(.gone), .refused(.gone),
                .stored(at(7), SequenceNumber(2)),
            ])
        try store.goOn()
        let shown = try store.history(1)
        try expect(shown.map(\.body), [[], []])
        try expect(shown.map(\.deletedAt), [delete.time, moderated.time])
        try expect(shown.map(\.reactions), [[], []])
        let rows = try store.page(1, after: 1).events
        // Only the deletion of a message that was edited before is read.
        try expect(rows.map(\.kind), [.message, .message, .react, .delete, .delete])
        try expect(rows.allSatisfy { $0.body.isEmpty }, true)
    }

    @Sendable static func reactions(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        _ = try store.commit([store.message(1, by: 1, "a"), store.message(1, by: 1, "b")])
        func react(_ user: Int32, _ label: String, remove: Bool = false) -> Append {
            var event = store.event(.react, 1, by: user, of: 1, label)
            event.flag = remove
            return event
        }
        let outcomes = try store.commit([
            react(1, "+"), react(1, "+"), react(2, "+"), react(2, "-", remove: true), react(2, "-"),
        ])
        let stored = [4, 5, 6].map { Outcome.stored(at($0), SequenceNumber(1)) }
        try expect(outcomes, [stored[0], .unchanged, stored[1], .unchanged, stored[2]])
        try store.goOn()
        let counts = try store.history(1)[0].reactions.sorted { $0.reaction < $1.reaction }
        try expect(counts, [ReactionCount("+", count: 2, isMine: true), ReactionCount("-", count: 1, isMine: false)])
        try expect(try store.history(1)[1].reactions, [])
        // Few users, or more than have reacted.
        for withheld in [[2], Array(2...9)] as [[Int32]] {
            let counted = try store.history(1, isNewest: true, rows: 9, withheld: withheld).events[0].reactions
            try expect(counted, [ReactionCount("+", count: 1, isMine: true)])
        }
        _ = try store.commit([react(2, "-", remove: true), react(1, "+", remove: true)])
        try expect(try store.history(1)[0].reactions, [ReactionCount("+", count: 1, isMine: false)])
        let row = try store.page(1, after: 6).events
        try expect(row.map(\.flag), [true, true])
        try expect(row.map(\.label), ["-", "+"])

        let limit = Limits().reactionsPerUser
        let many = try store.commit((0..<limit).map { react(1, "r\($0)") })
        try expect(many.allSatisfy { if case .stored = $0 { true } else { false } }, true)
        try store.goOn()
        try expect(try store.commit([react(1, "more"), react(1, "r1")]), [.refused(.tooLarge), .unchanged])
        _ = try store.commit([react(1, "r1", remove: true)])
        guard case .stored = try store.commit([react(1, "more")])[0] else {
            throw Violation(description: "a reaction that was taken back still counts")
        }
    }
}
