import RoostWire
import Testing

@testable import RoostStore

/// The relay's data on a device (Docs/Protocol.md, section 6).
@Suite struct LocalStoreTests {
    private let file = OutboxFile()

    private func open(_ limits: StoreLimits = StoreLimits()) throws -> LocalStore {
        try LocalStore(path: file.path, device: "phone", limits: limits)
    }

    /// A store of alice's, with the empty group c1.
    private func begun(_ limits: StoreLimits = StoreLimits()) throws -> LocalStore {
        let store = try open(limits)
        try store.begin(Told.welcome(), isResumed: false)
        try store.take(Told.summary(#""sequence":0,"unread":0,"read":0,"time":1"#))
        return store
    }

    private func take(_ store: LocalStore, _ events: Event..., at position: String? = nil) throws {
        _ = try store.take(events, position: position)
    }

    private func sequences(_ store: LocalStore, _ conversation: String = "c1") throws -> [Int64] {
        try store.messages(of: conversation, limit: 1_000).map(\.sequence.value)
    }

    // MARK: Identity

    @Test func theDeviceKeepsItsName() throws {
        #expect(try open().identity.device == "phone")
        #expect(try LocalStore(path: file.path, device: "laptop").identity.device == "phone")
    }

    @Test func thePositionComesWithItsEvents() throws {
        try take(begun(), Told.message(1), at: "e-1")
        let again = try open()
        #expect(again.identity.newest?.sequence == SequenceNumber(1))
        var identity = again.identity
        identity.newest = nil
        #expect(identity == LocalIdentity(device: "phone", user: "alice", epoch: "e", position: "e-1"))
        #expect(try sequences(again) == [1])
    }

    @Test func aFailureTakesBackEventsAndPosition() throws {
        let store = try begun()
        let database = try LocalDatabase(path: file.path, migrations: LocalStore.migrations)
        try database.execute(
            """
            CREATE TRIGGER broken BEFORE UPDATE OF position ON identity
            BEGIN SELECT raise(ABORT, 'broken'); END
            """)
        #expect(throws: LocalFailure.self) { try take(store, Told.message(1), at: "e-1") }
        #expect(try sequences(store) == [])
        #expect(store.identity.position == nil)
    }

    @Test func anotherUserEmptiesTheCacheAndKeepsTheOutbox() throws {
        let store = try begun()
        try take(store, Told.message(1), at: "e-1")
        try store.outbox.add(.read(SequenceNumber(1)), to: "c1", key: "k1")
        #expect(try store.begin(Told.welcome(user: "bob"), isResumed: false))
        #expect(try sequences(store) == [] && store.conversations(limit: 9).isEmpty)
        #expect(store.outbox.items.isEmpty, "nobody's words go out under another name")
        #expect(store.identity.position == nil && store.identity.user == "bob")
        try store.signIn("alice")
        #expect(store.outbox.items.map(\.key) == ["k1"])
    }

    @Test func itemsFromBeforeTheFirstSessionBelongToItsUser() throws {
        let store = try open()
        try store.outbox.add(.send(kind: nil, body: Array("\"a\"".utf8), replyTo: nil), to: "@bob", key: "k1")
        try store.begin(Told.welcome(), isResumed: false)
        #expect(store.outbox.items.map(\.key) == ["k1"])
        try store.signIn("bob")
        #expect(store.outbox.items.isEmpty)
    }

    @Test(arguments: [
        ("another epoch", "f", false, true), ("new", "e", true, false), ("a position refused", "e", false, false),
    ])
    func anotherLogEmptiesTheCacheAndKeepsTheOutbox(_ case: (String, String, Bool, Bool)) throws {
        let store = try begun()
        try take(store, Told.message(1), at: "e-1")
        try store.outbox.add(.send(kind: nil, body: Array("\"a\"".utf8), replyTo: nil), to: "c1", key: "k1")
        let isEmptied = try store.begin(
            Told.welcome(epoch: `case`.1, isNew: `case`.2), isResumed: `case`.3)
        #expect(isEmptied)
        #expect(try sequences(store) == [])
        #expect(store.identity.position == nil && !store.identity.isListed)
        #expect(store.outbox.items.map(\.key) == ["k1"])
    }

    @Test func theSameLogKeepsTheCache() throws {
        let store = try begun()
        try take(store, Told.message(1), at: "e-1")
        #expect(try !store.begin(Told.welcome(), isResumed: true))
        #expect(try !open().begin(Told.welcome(), isResumed: true))
        #expect(try sequences(store) == [1])
    }

    @Test func signingOutDeletesRowsAndNotTheFile() throws {
        let store = try begun()
        try take(store, Told.message(1), at: "e-1")
        try store.drafts.keep("hal", for: "c1")
        try store.outbox.add(.read(SequenceNumber(1)), to: "c1", key: "k1")
        try store.signOut()
        let again = try open()
        #expect(again.identity == LocalIdentity(device: "phone", epoch: "e"))
        #expect(try sequences(again) == [] && again.drafts.draft(for: "c1").isEmpty && again.outbox.items.isEmpty)
    }

    // MARK: Messages

    @Test func aRepetitionChangesNothing() throws {
        let store = try begun()
        try take(store, Told.message(1, "first"), Told.message(2))
        try take(store, Told.message(1, "again"), Told.message(2))
        #expect(try store.messages(of: "c1", limit: 9).map(\.body?.text) == ["first", "x"])
        #expect(try store.conversation("c1")?.unread == 2)
    }

    @Test func unreadCountsOthersMessagesUntilTheUserWrites() throws {
        let store = try begun()
        try take(store, Told.message(1), Told.message(2))
        #expect(try store.unread() == 2)
        try take(store, Told.message(3, from: "alice"))
        #expect(try store.unread() == 0)
        #expect(try store.conversation("c1")?.read == SequenceNumber(3))
    }

    @Test func editsAndDeletionsChangeWhatIsThere() throws {
        let store = try begun()
        let target = #""conversation":"c1","sequence":1,"position":"e-9","from":"bob","time":50"#
        try take(store, Told.message(1), Told.message(2))
        try take(store, Told.event("{\"type\":\"edit\",\(target),\"body\":\"better\"}"))
        var first = try store.messages(of: "c1", limit: 9).first
        #expect(first?.body?.text == "better" && first?.editedAt == Timestamp(milliseconds: 50))
        try take(store, Told.event("{\"type\":\"delete\",\(target)}"))
        first = try store.messages(of: "c1", limit: 9).first
        #expect(first?.body == nil && first?.deletedAt == Timestamp(milliseconds: 50))
        // An edit that comes again late brings nothing back.
        try take(store, Told.event("{\"type\":\"edit\",\(target),\"body\":\"better\"}"))
        #expect(try store.messages(of: "c1", limit: 9).first?.body == nil)
        // Nothing is kept of a message that isn't here.
        let other = target.replacing("\"sequence\":1", with: "\"sequence\":7")
        try take(store, Told.event("{\"type\":\"edit\",\(other),\"body\":\"better\"}"))
        #expect(try sequences(store) == [1, 2])
    }

    @Test func othersReactionsAskForTheCount() throws {
        let store = try begun()
        func react(_ from: String, _ rest: String = "") throws -> Event {
            try Told.event(
                """
                {"type":"react","conversation":"c1","sequence":1,"position":"e-9","from":"\(from)","time":5,
                 "reaction":"+"\(rest)}
                """)
        }
        try take(store, Told.message(1), react("alice"), react("alice"))
        var first = try store.messages(of: "c1", limit: 9).first
        #expect(first?.reactions == [ReactionCount("+", count: 1, isMine: true)] && first?.isStale == false)
        try take(store, react("bob"), react("alice", ",\"removed\":true"))
        first = try store.messages(of: "c1", limit: 9).first
        #expect(first?.reactions == [ReactionCount("+", count: 1, isMine: false)] && first?.isStale == true)
    }

    @Test func onlyTheNewestMessagesOfAConversationAreKept() throws {
        var limits = StoreLimits()
        limits.messagesMax = 3
        let store = try begun(limits)
        for sequence in 1...5 { try take(store, Told.message(Int64(sequence))) }
        #expect(try sequences(store) == [3, 4, 5])
    }

    // MARK: Gaps

    @Test func aGapTakesWhatIsOutOfDate() throws {
        let store = try begun()
        for sequence in 1...5 { try take(store, Told.message(Int64(sequence))) }
        try take(store, Told.event(#"{"type":"gap","conversation":"c1","from":4,"to":20}"#), Told.message(21))
        #expect(try sequences(store) == [1, 2, 3, 21])
        #expect(try store.staleConversations(limit: 9) == ["c1"], "only the relay knows what is unread")
        try store.take(Told.page(4...20, hasMore: true), before: SequenceNumber(21))
        #expect(try sequences(store) == Array(1...21))
    }

    @Test func aResetTakesAllBeforeIt() throws {
        let store = try begun()
        for sequence in 1...5 { try take(store, Told.message(Int64(sequence))) }
        try take(store, Told.event(#"{"type":"gap","conversation":"c1","from":3,"to":20,"reset":true}"#))
        #expect(try sequences(store) == [])
        #expect(try store.conversation("c1")?.first == SequenceNumber(3))
    }

    @Test func theEndOfHistoryIsRemembered() throws {
        let store = try begun()
        try take(store, Told.message(9))
        try store.take(Told.page(6...8, hasMore: false), before: SequenceNumber(9))
        #expect(try store.conversation("c1")?.first == SequenceNumber(6))
    }

    @Test func messagesLostByTheRelayAreNoGapForEver() throws {
        let store = try begun()
        try take(store, Told.message(9))
        try store.take(
            Told.page(8...8, hasMore: true, #","gaps":[{"from":6,"to":7}]"#), before: SequenceNumber(9))
        #expect(try store.messages(of: "c1", limit: 9).map(\.isLost) == [true, true, false, false])
    }

    // MARK: Conversations

    @Test func anUnknownConversationIsAskedFor() throws {
        let store = try begun()
        try take(store, Told.message(4, in: "c7"))
        #expect(try store.staleConversations(limit: 9) == ["c7"])
        #expect(try sequences(store, "c7") == [4])
    }

    @Test func aHiddenMessageHasAPlaceAndNoReader() throws {
        let store = try begun()
        func hidden(_ sequence: Int64, in conversation: String) throws -> Event {
            try Told.event(
                """
                {"type":"message","conversation":"\(conversation)","sequence":\(sequence),
                 "position":"e-\(sequence)","time":\(1_000 + sequence),"hidden":true}
                """)
        }
        try take(store, Told.message(1, from: "alice"), hidden(2, in: "c1"), hidden(3, in: "c7"))
        #expect(try sequences(store) == [1, 2])
        let place = try store.messages(of: "c1", limit: 9).last
        #expect(place?.isHidden == true && place?.isLost == false && place?.from == "" && place?.body == nil)
        #expect(try store.conversation("c1")?.unread == 1)
        #expect(try store.watermarks(of: "c1") == [])
        // An unknown conversation is asked for, and has no members until then.
        #expect(try store.staleConversations(limit: 9) == ["c7"])
        #expect(try store.conversation("c7")?.members == ["alice"])
    }

    /// In a direct conversation a place is neither unread nor shown, and doesn't move the conversation.
    @Test func placesInADirectConversationCountNothing() throws {
        let store = try begun()
        func hidden(_ sequence: Int64) throws -> Event {
            try Told.event(
                """
                {"type":"message","conversation":"c7","sequence":\(sequence),"position":"h-\(sequence)",
                 "time":9000,"hidden":true}
                """)
        }
        try take(store, Told.message(1, in: "c7"), Told.message(2, in: "c7"))
        let time = try store.conversation("c7")?.time
        try take(store, hidden(3), hidden(4))
        let one = try #require(try store.conversation("c7"))
        #expect(one.kind == .direct && one.sequence.value == 4 && one.unread == 2 && one.time == time)
        try store.read("c7", upTo: SequenceNumber(1), key: "k1")
        #expect(try store.conversation("c7")?.unread == 1)
        try store.read("c7", upTo: SequenceNumber(2), key: "k2")
        #expect(try store.conversation("c7")?.unread == 0)
    }

    @Test func namesMembersAndRolesFollow() throws {
        let store = try begun()
        try take(
            store, Told.change("renamed", #""name":"Fleet""#), Told.change("added", #""users":["dave","bob"]"#),
            Told.change("removed", #""users":["carol"]"#), Told.change("role", #""user":"alice","role":"admin""#))
        var one = try store.conversation("c1")
        #expect(one?.name == "Fleet" && one?.members == ["alice", "bob", "dave"] && one?.count == 3)
        #expect(one?.role == .admin)
        try take(store, Told.change("left", #""owner":"alice""#))
        one = try store.conversation("c1")
        #expect(one?.members == ["alice", "dave"] && one?.role == .owner)
    }

    @Test func aRemovedUserForgetsTheConversation() throws {
        let store = try begun()
        try take(store, Told.message(1), Told.change("removed", #""users":["alice"]"#))
        #expect(try store.conversation("c1") == nil && sequences(store) == [])
    }

    @Test func aMembershipThatBeginsAnewDropsWhatWasBefore() throws {
        let store = try begun()
        try take(store, Told.message(1))
        let added = try Told.change(
            "added", #""users":["alice"],"kind":"group","name":"Crew","count":2,"members":["bob","alice"],"unread":0"#,
            sequence: 8)
        try take(store, added, Told.message(9))
        #expect(try sequences(store) == [9])
        try take(store, added)
        #expect(try sequences(store) == [9], "a repetition changes nothing")
        #expect(try store.conversation("c1")?.first == SequenceNumber(9))
    }

    @Test func watermarksOnlyRise() throws {
        let store = try begun()
        func receipt(_ delivered: Int, _ read: Int) throws -> Event {
            try Told.event(
                """
                {"type":"receipt","conversation":"c1","user":"bob","delivered":\(delivered),"deliveredAt":\(delivered),
                 "read":\(read),"readAt":\(read)}
                """)
        }
        try take(store, receipt(7, 6), receipt(5, 4))
        let marks = try store.watermarks(of: "c1")
        #expect(marks.map(\.delivered) == [SequenceNumber(7)] && marks.map(\.read) == [SequenceNumber(6)])
        #expect(marks.map(\.readAt) == [Timestamp(milliseconds: 6)])
    }

    @Test func ownReceiptsOfOtherDevicesCount() throws {
        let store = try begun()
        try take(store, Told.message(1), Told.message(2))
        try take(
            store,
            Told.event(
                #"{"type":"receipt","conversation":"c1","user":"alice","delivered":1,"read":1,"readAt":5,"unread":1}"#))
        #expect(try store.unread() == 1)
    }

    // MARK: Answers to the outbox

    private func stored(_ sequence: Int64, isDuplicate: Bool = false) -> StoredMessage {
        StoredMessage(
            conversation: "c1", sequence: SequenceNumber(sequence), position: "e-\(sequence)",
            time: Timestamp(milliseconds: 1_000 + sequence), isDuplicate: isDuplicate)
    }

    private func send(_ store: LocalStore, _ text: String, to destination: String = "c1", key: String) throws -> Int64 {
        let body = MessageBody(text: text).json
        return try store.outbox.add(.send(kind: nil, body: body, replyTo: nil), to: destination, key: key).id
    }

    @Test func anOkFillsTheRowInTheTransactionOfItsItem() throws {
        let store = try begun()
        let id = try send(store, "hi", key: "k1")
        let database = try LocalDatabase(path: file.path, migrations: LocalStore.migrations)
        try database.execute(
            "CREATE TRIGGER broken BEFORE DELETE ON outbox BEGIN SELECT raise(ABORT, 'broken'); END")
        #expect(throws: LocalFailure.self) { try store.accepted(id, at: Timestamp(milliseconds: 9), as: stored(1)) }
        #expect(try sequences(store) == [] && store.outbox.items.map(\.key) == ["k1"])
        try database.execute("DROP TRIGGER broken")
        try store.accepted(id, at: Timestamp(milliseconds: 9), as: stored(1))
        let again = try open()
        let row = try again.messages(of: "c1", limit: 9).first
        #expect(row?.key == "k1" && row?.from == "alice" && row?.body?.text == "hi")
        #expect(again.outbox.items.isEmpty)
    }

    @Test func aMessageWhoseOkWasLostComesBackOnce() throws {
        let store = try begun()
        _ = try send(store, "hi", key: "k1")
        try take(store, Told.message(1, "hi", from: "alice", key: "k1"), at: "e-1")
        #expect(store.outbox.items.isEmpty)
        #expect(try sequences(store) == [1])
    }

    @Test func acceptedChangesAreThereAtOnce() throws {
        let store = try begun()
        try take(store, Told.message(1, from: "alice"), Told.message(2))
        let one = OutboxItem.Target.stored(SequenceNumber(1))
        let now = Timestamp(milliseconds: 77)
        let edit = try store.outbox.add(.edit(one, body: MessageBody(text: "new").json), to: "c1", key: "k1")
        try store.accepted(edit.id, at: now)
        let react = try store.outbox.add(.react(one, reaction: "+", isOn: true), to: "@bob", key: "k2")
        try store.outbox.discard(react.id)
        let again = try store.outbox.add(.react(one, reaction: "+", isOn: true), to: "c1", key: "k3")
        try store.accepted(again.id, at: now)
        let first = try store.messages(of: "c1", limit: 9).first
        #expect(first?.body?.text == "new" && first?.editedAt == now)
        #expect(first?.reactions == [ReactionCount("+", count: 1, isMine: true)])
        let delete = try store.outbox.add(.delete(one), to: "c1", key: "k4")
        try store.accepted(delete.id, at: now)
        #expect(try store.messages(of: "c1", limit: 9).first?.deletedAt == now)
    }

    @Test func aMessageHasTheVersionOfItsNewestEdit() throws {
        let store = try begun()
        try take(store, Told.message(1, from: "alice"))
        let one = OutboxItem.Target.stored(SequenceNumber(1))
        func version() throws -> Int64? { try open().messages(of: "c1", limit: 9).first?.version }
        #expect(try version() == 1)
        let edit = try store.outbox.add(
            .edit(one, body: MessageBody(text: "new").json), to: "c1", key: "k1", ifVersion: 1)
        #expect(try open().outbox.items.map(\.ifVersion) == [1])
        try store.accepted(edit.id, at: Timestamp(milliseconds: 77), version: 2)
        #expect(try version() == 2)
        // The answer to an edit that changes nothing contains no version.
        let again = try store.outbox.add(.edit(one, body: MessageBody(text: "new").json), to: "c1", key: "k2")
        try store.accepted(again.id, at: Timestamp(milliseconds: 78))
        #expect(try version() == 2)
    }

    @Test func readingCountsAtOnceAndOnce() throws {
        let store = try begun()
        try take(store, Told.message(1), Told.message(2), Told.message(3))
        try store.read("c1", upTo: SequenceNumber(2), key: "k1")
        #expect(try store.conversation("c1")?.unread == 1)
        try store.read("c1", upTo: SequenceNumber(2), key: "k2")
        try store.read("c1", upTo: SequenceNumber(9), key: "k3")
        #expect(store.outbox.items.map(\.key) == ["k1"], "only what is new, and only what is there")
        #expect(try open().conversation("c1")?.unread == 1)
    }

    @Test func draftsAreKept() throws {
        let store = try open()
        try store.drafts.keep("hal", for: "@bob")
        #expect(try open().drafts.draft(for: "@bob") == "hal")
        try store.drafts.keep("", for: "@bob")
        #expect(try open().drafts.draft(for: "@bob").isEmpty)
    }

    @Test func aDraftIsFoundUnderBothNamesOfADirectConversation() throws {
        let store = try begun()
        try store.drafts.keep("hal", for: "@bob")
        try take(store, Told.change("created", #""kind":"direct","count":2,"members":["alice","bob"]"#), at: "e-1")
        #expect(try store.drafts.draft(for: "c1") == "hal" && store.drafts.draft(for: "@bob") == "hal")
        try store.drafts.keep("hallo", for: "c1")
        #expect(try store.drafts.draft(for: "@bob") == "hallo")
        try store.drafts.keep("", for: "c1")
        #expect(try store.drafts.draft(for: "c1").isEmpty && store.drafts.draft(for: "@bob").isEmpty)
    }

    @Test func draftsBelongToTheirUser() throws {
        let store = try open()
        try store.drafts.keep("before anybody was known", for: "@carol")
        try store.signIn("alice")
        #expect(try store.drafts.draft(for: "@carol") == "before anybody was known")
        try store.signIn("bob")
        #expect(try store.drafts.draft(for: "@carol").isEmpty)
        try store.drafts.keep("Bob's", for: "@carol")
        try store.signOut()
        try store.signIn("alice")
        #expect(try open().drafts.draft(for: "@carol") == "before anybody was known")
        try store.signIn("bob")
        #expect(try store.drafts.draft(for: "@carol").isEmpty)
    }

    @Test func messagesToAUserStayInOrderWithTheConversation() throws {
        let store = try open()
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        func say(_ key: String, to destination: String) throws {
            try store.outbox.add(.send(kind: nil, body: Array("1".utf8), replyTo: nil), to: destination, key: key)
        }
        try say("k1", to: "@bob")
        try store.outbox.refused(
            try #require(store.outbox.takeNext()).id, OutboxItem.Failure(.forbidden, "test"))
        try store.drafts.keep("hal", for: "@bob")
        // Bob writes first, and so the conversation gets its id.
        _ = try store.take(
            [
                Told.change("created", #""kind":"direct","count":2,"members":["alice","bob"],"unread":0,"read":0"#)
            ], position: "e-1")
        #expect(store.outbox.items.map(\.destination) == ["c1"])
        #expect(Set(store.outbox.parked.keys) == ["c1"])
        try say("k2", to: store.resolved("@bob"))
        #expect(store.outbox.takeNext() == nil, "the conversation waits as a whole")
        try store.outbox.resume("c1")
        #expect(store.outbox.takeNext()?.key == "k1")
        #expect(store.outbox.takeNext() == nil, "one after the other")
        #expect(try store.drafts.draft(for: "c1") == "hal" && store.drafts.draft(for: "@bob") == "hal")
        try store.drafts.keep("half", for: "c1")
        #expect(try store.drafts.draft(for: "@bob") == "half")
        #expect(try open().outbox.items.map(\.destination) == ["c1", "c1"])
        // Another log has another id for it.
        try store.begin(Told.welcome(user: "alice", epoch: "other"), isResumed: false)
        #expect(store.outbox.items.map(\.destination) == ["@bob", "@bob"])
    }

    @Test func theFirstOkTellsWhoseConversationItIs() throws {
        let store = try open()
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        let item = try store.outbox.add(.send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "@bob", key: "k1")
        let stored = StoredMessage(
            conversation: "c1", sequence: SequenceNumber(1), position: "e-1", time: Timestamp(milliseconds: 5),
            isDuplicate: false)
        try store.accepted(item.id, at: stored.time, as: stored)
        #expect(try store.resolved("@bob") == "c1")
        #expect(try store.conversation("c1")?.peer(of: "alice") == "bob")
    }

    @Test func anotherLogHasOtherNumbers() throws {
        let store = try open()
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        let (one, body) = (OutboxItem.Target.stored(SequenceNumber(3)), Array("\"x\"".utf8))
        let sent = try store.outbox.add(.send(kind: nil, body: body, replyTo: one), to: "c1", key: "k1")
        let edit = try store.outbox.add(.edit(one, body: body), to: "c1", key: "k2")
        try store.outbox.add(.delete(one), to: "c1", key: "k3")
        try store.outbox.add(.react(one, reaction: "+", isOn: true), to: "c1", key: "k4")
        try store.outbox.add(.read(SequenceNumber(3)), to: "c1", key: "k5")
        let child = try store.outbox.add(.react(.unsent(sent.id), reaction: "+", isOn: true), to: "c1", key: "k6")
        try store.begin(Told.welcome(user: "alice", epoch: "other"), isResumed: false)
        let left = store.outbox.items
        #expect(left.map(\.id) == [sent.id, edit.id, child.id])
        #expect(left[0].action == .send(kind: nil, body: body, replyTo: nil) && left[0].failure == nil)
        #expect(left[1].action == .send(kind: nil, body: body, replyTo: nil) && left[1].failure?.code == .gone)
        #expect(try open().outbox.items == left)
    }

    @Test func whatOneUserWroteNeverGoesWhereAnotherOnesDoes() throws {
        let store = try open()
        let body = Array("1".utf8)
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        let hers = try store.outbox.add(.send(kind: nil, body: body, replyTo: nil), to: "@bob", key: "k1")
        _ = store.outbox.takeNext()
        try store.outbox.refused(hers.id, OutboxItem.Failure(.forbidden, "test"))
        try store.begin(Told.welcome(user: "carol"), isResumed: false)
        #expect(store.outbox.parked.isEmpty, "Alice's refusal is not Carol's")
        let other = try store.outbox.add(.send(kind: nil, body: body, replyTo: nil), to: "@bob", key: "k2")
        #expect(store.outbox.takeNext()?.id == other.id)
        let stored = StoredMessage(
            conversation: "c9", sequence: SequenceNumber(1), position: "e-1", time: Timestamp(milliseconds: 5),
            isDuplicate: false)
        try store.accepted(other.id, at: stored.time, as: stored)
        try store.signOut()
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        #expect(store.outbox.items.map(\.destination) == ["@bob"])
        #expect(Set(store.outbox.parked.keys) == ["@bob"])
    }
}
