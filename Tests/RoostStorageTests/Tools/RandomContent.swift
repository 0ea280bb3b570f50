import RoostCore
import RoostWire

@testable import RoostStorage

/// Random batches of everything that a store can hold. The same seed gives the same batches.
struct RandomContent {
    private var state: UInt64
    private var time: Int64 = 1_700_000_000_000
    private var keys = 0
    private var nextConversation: Int32 = 1
    /// The number of messages of each conversation.
    private var messages: [Int32: Int64] = [:]
    private var direct: Set<Int32> = []
    /// Messages in threads, by conversation and sequence: no thread begins with them.
    private var inThreads: Set<[Int64]> = []

    static let users: ClosedRange<Int32> = 1...6

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// The users that exist from the beginning, with one device each, and what some tell others.
    static var directory: [Mutation] {
        let told: [Mutation] = [
            .status(
                UserNumber(2),
                StoredStatus(.busy, text: "ü", toldText: "ü", until: Timestamp(milliseconds: 1_900_000_000_000))),
            .status(UserNumber(3), StoredStatus(.invisible, text: "now", toldText: "before")),
            .status(UserNumber(4), StoredStatus(.invisible, text: "now")),
            .privacy(UserNumber(2), PrivacySettings(.everyone, .coarse, .nobody)),
            .profile(UserNumber(2), profile), .user(UserNumber(7), name: "u7"),
            .profile(UserNumber(7), .tombstone(version: 3)),
            .exception(UserNumber(1), of: UserNumber(2), .blockedOverNever),
            .exception(UserNumber(2), of: UserNumber(1), .always),
            .contact(
                UserPair(UserNumber(1), UserNumber(2)),
                StoredContact(
                    inviter: nil, low: .init(kind: "trainer", label: "knee"), high: .init(kind: "client"),
                    since: Timestamp(milliseconds: 7))),
            .contact(
                UserPair(UserNumber(3), UserNumber(2)),
                StoredContact(
                    inviter: UserNumber(3), low: .init(kind: "friend"),
                    high: .init(kind: "friend", label: "old \"friend\""),
                    since: Timestamp(milliseconds: 8))),
            .prospect(UserNumber(1), id: "p1", StoredProspect(name: "Zoë", note: "two\nlines")),
            .invite(
                UserNumber(1), id: "i1",
                StoredInvite(
                    hash: [UInt8](0..<32), conversation: .none, kind: "friend", uses: 5, used: 2,
                    created: Timestamp(milliseconds: 7), expires: Timestamp(milliseconds: 9))),
            .report(report(1, by: 2, of: 3)), .report(report(2, by: 1, of: 2)),
        ]
        return users.flatMap {
            [
                .user(UserNumber($0), name: "u\($0)"),
                .device(DeviceNumber($0), user: UserNumber($0), name: "phone", cursor: .start),
            ] as [Mutation]
        } + told
    }

    private static var profile: StoredProfile {
        var profile = StoredProfile(version: 7)
        (profile.name, profile.username, profile.photo) = ("Ünal \"U\" One", "u_1", "photos/1")
        (profile.bio, profile.role, profile.tier) = ("two\nlines", "trainer", "gold")
        return profile
    }

    private static func report(_ number: Int64, by reporter: Int32, of user: Int32) -> StoredReport {
        var report = StoredReport(
            number, by: UserNumber(reporter), of: UserNumber(user), .spam, at: Timestamp(milliseconds: number))
        report.text = "ü"
        if number == 2 { report.closing = .init(by: "olga", note: "n", at: Timestamp(milliseconds: 9)) }
        return report
    }

    mutating func below(_ bound: Int) -> Int {
        // The linear congruential generator of Numerical Recipes. Only its high bits are random enough.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    mutating func batch() -> [Mutation] { (0...below(6)).map { _ in mutation() } }

    private mutating func user() -> UserNumber { UserNumber(Int32(below(6)) + 1) }

    private mutating func mutation() -> Mutation {
        guard let number = messages.keys.sorted().randomElement(using: &self), below(25) > 0 else { return creation() }
        let conversation = ConversationNumber(number)
        let last = messages[number] ?? 0
        switch below(22) {
        case 0: return .cursor(DeviceNumber(Int32(below(6)) + 1), Position(1))
        case 1:
            var mark = Watermark()
            mark.delivered = SequenceNumber(last)
            mark.deliveredAt = Timestamp(milliseconds: time)
            mark.read = SequenceNumber(last / 2)
            if last > 0, below(2) == 0 { mark.own.insert(SequenceNumber(last)) }
            if last > 1, below(2) == 0 { mark.marked.insert(SequenceNumber(last / 2)) }
            return .watermark(conversation, user(), mark)
        case 2...5 where direct.contains(number): return .append(message(number, after: last))
        case 2: return .append(change(number, .add([NewMember(user(), .member, since: SequenceNumber(last))])))
        case 3: return .append(change(number, .remove([user()])))
        case 4: return .append(change(number, .rename("name \(below(9))")))
        case 5 where below(8) == 0:
            messages[number] = nil
            return .append(change(number, .erase))
        case 6...11 where last > 0: return .append(about(number, SequenceNumber(Int64(below(Int(last))) + 1)))
        case 20 where last > 0:
            return .append(change(number, .pin(SequenceNumber(Int64(below(Int(last))) + 1))))
        case 21 where last > 0 && below(3) == 0:
            return .append(change(number, .unpin(SequenceNumber(Int64(below(Int(last))) + 1))))
        case 19 where !direct.contains(number): return .append(restriction(number))
        default: return .append(message(number, after: last))
        }
    }

    /// A restriction of one of the two who created the group, or of all members.
    private mutating func restriction(_ number: Int32) -> Append {
        let user = UserNumber(Int32(below(3)))
        guard below(5) > 0 else { return change(number, .joining(below(2) == 0 ? .open : .ask)) }
        guard below(4) > 0 else { return change(number, .slow(Int64(below(3)) * 1_000)) }
        guard below(3) > 0 else { return change(number, .restrict(user, nil)) }
        let until = Timestamp(milliseconds: user != .none && below(2) == 0 ? time + Int64(below(9_000)) : 0)
        let one = StoredRestriction(
            of: user, until: until, below(2) == 0 ? .spam : nil, by: UserNumber(1), at: Timestamp(milliseconds: time))
        return change(number, .restrict(user, one))
    }

    private mutating func message(_ number: Int32, after last: Int64) -> Append {
        messages[number] = last + 1
        var event = append(.message, number)
        event.label = below(4) == 0 ? "image" : "text"
        event.body = Array((below(5) == 0 ? "{\"x\":\n\(below(99))}" : "\"text ü \(below(99))\"").utf8)
        event.reference = SequenceNumber(below(3) == 0 ? Int64(below(Int(last) + 1)) : 0)
        event.flag = below(4) == 0
        let root = Int64(below(Int(last) + 1))
        if root > 0, below(3) == 0, !inThreads.contains([Int64(number), root]) {
            event.extras = Extras(thread: SequenceNumber(root))
            inThreads.insert([Int64(number), last + 1])
        }
        return event
    }

    private mutating func creation() -> Mutation {
        let number = nextConversation
        nextConversation += 1
        messages[number] = 0
        // Two users have at most one direct conversation.
        let pairs = (1...5 as ClosedRange<Int32>).flatMap { one in (one + 1...6).map { (one, $0) } }
        guard number % 3 == 0, Int(number / 3) < pairs.count else {
            let members = [NewMember(UserNumber(1), .owner), NewMember(UserNumber(2), .member)]
            return .append(change(number, .create(id: "c\(number)", kind: .group, name: "g", members: members)))
        }
        direct.insert(number)
        let pair = pairs[Int(number / 3)]
        let members = [NewMember(UserNumber(pair.0), .member), NewMember(UserNumber(pair.1), .member)]
        return .append(change(number, .create(id: "c\(number)", kind: .direct, name: "", members: members)))
    }

    private mutating func append(_ kind: EventKind, _ conversation: Int32) -> Append {
        time += 1
        var event = Append(
            kind, in: ConversationNumber(conversation), by: user(), device: "phone", at: Timestamp(milliseconds: time))
        if below(3) > 0 {
            keys += 1
            event.key = "k\(keys)"
        }
        return event
    }

    private mutating func change(_ conversation: Int32, _ change: ConversationChange) -> Append {
        var event = append(.conversation, conversation)
        event.change = change
        event.body = Array("\"event\":\"x\",\"count\":\(below(9))".utf8)
        return event
    }

    private mutating func about(_ conversation: Int32, _ message: SequenceNumber) -> Append {
        var event = append([.edit, .delete, .react, .react][below(4)], conversation)
        event.reference = message
        switch event.kind {
        case .react:
            event.label = ["+", "👍", "-"][below(3)]
            event.flag = below(3) == 0
        case .edit:
            event.body = Array("\"edited \(below(99))\"".utf8)
            event.flag = true
        default: event.flag = true
        }
        return event
    }
}

extension RandomContent: RandomNumberGenerator {
    mutating func next() -> UInt64 { UInt64(below(1 << 31)) << 33 | UInt64(below(1 << 31)) << 2 }
}

extension SQLiteLog {
    /// A store after some random batches, whatever state its merges are in.
    static func random(
        _ path: String, seed: UInt64, batches: Int = 150, bounds: StorageBounds = .tiny
    ) throws -> SQLiteLog {
        let log = try SQLiteLog(path, .normal, bounds)
        _ = try log.writer.commit(RandomContent.directory)
        var content = RandomContent(seed: seed)
        for _ in 0..<batches {
            _ = try log.writer.commit(content.batch())
            if content.below(3) == 0 { _ = try log.writer.maintain() }
        }
        return log
    }

    /// The conversations of a store with members and events, by name and without positions.
    func contents() throws -> [String] {
        let snapshot = try load()
        let names = Dictionary(uniqueKeysWithValues: snapshot.users.map { ($0.number, $0.name) })
        var lines = snapshot.users.map { "user \($0.name) \($0.status) \($0.privacy)" }
        for one in snapshot.profiles { lines.append("profile \(names[one.user] ?? "") \(one.profile)") }
        for exception in snapshot.exceptions {
            lines.append("exception \(names[exception.user] ?? "") \(names[exception.other] ?? "") \(exception.kind)")
        }
        for contact in snapshot.contacts {
            let sides = [(contact.pair.low, contact.stored.low), (contact.pair.high, contact.stored.high)].map {
                "\(names[$0.0] ?? "") \($0.1)"
            }
            let inviter = contact.stored.inviter.flatMap { names[$0] } ?? "-"
            lines.append("pair \(sides.sorted()) \(inviter) \(contact.stored.since.milliseconds)")
        }
        lines += snapshot.invites.map { "invite \(names[$0.user] ?? "") \($0.id) \($0.stored)" }
        lines += snapshot.prospects.map { "prospect \(names[$0.user] ?? "") \($0.id) \($0.stored)" }
        for report in snapshot.reports {
            lines.append(
                "report \(names[report.reporter] ?? "") \(names[report.user] ?? "") \(report.reason) \(report.text) "
                    + "\(report.time.milliseconds) \(report.closing.map { "\($0)" } ?? "")")
        }
        for device in snapshot.devices { lines.append("device \(names[device.user] ?? "") \(device.name)") }
        for conversation in snapshot.conversations {
            let id = conversation.id
            lines.append(
                "\(id) \(conversation.kind) \(conversation.name) \(conversation.lastSequence.value) "
                    + "\(conversation.lastTime.milliseconds)")
            for one in conversation.restrictions {
                lines.append(
                    "\(id) restriction \(names[one.user] ?? "all") \(one.until.milliseconds) "
                        + "\(one.reason.map { "\($0)" } ?? "") \(names[one.by] ?? "") \(one.time.milliseconds)")
            }
            for pin in conversation.pins {
                lines.append(
                    "\(id) pin \(pin.sequence.value) \(names[pin.user] ?? "") \(pin.time.milliseconds)")
            }
            for member in snapshot.members where member.conversation == conversation.number {
                let mark = member.watermark
                lines.append(
                    "\(id) member \(names[member.user] ?? "") \(String(describing: member.role)) \(member.since.value) "
                        + "\(mark.delivered.value) \(mark.deliveredAt.milliseconds) \(mark.read.value) \(mark.own.text)"
                )
            }
            for event in try page(conversation.number.value) {
                lines.append(
                    "\(id) \(event.kind) \(event.sequence.value) \(names[event.sender] ?? "") \(event.device) "
                        + "\(event.key) \(event.label) \(event.reference.value) \(event.time.milliseconds) "
                        + "\(event.editedAt.milliseconds) \(event.deletedAt.milliseconds) "
                        + (event.kind == .message && event.flag ? "unread " : "")
                        + String(decoding: event.body, as: UTF8.self))
            }
            for event in try history(conversation.number.value) {
                let reactions = event.reactions.map { "\($0.reaction) \($0.count)" }
                let replies = event.replies.map { "\($0.count) \($0.last.value) \($0.time.milliseconds)" } ?? ""
                lines.append(
                    "\(id) history \(event.sequence.value) \(reactions) \(event.extras.thread.value) \(replies)")
            }
        }
        return lines.sorted()
    }
}

/// The creation of a group, with the body that a relay would write.
func group(_ conversation: Int32) -> Append {
    var event = creation(conversation)
    event.body = Array("\"event\":\"created\",\"kind\":\"group\"".utf8)
    return event
}

/// Discards progress.
let noProgress: ToolProgress.Report = { _ in }
