import Foundation
import RoostCore
import RoostWire
import SeededRandom

@testable import RoostStorage

/// Random texts of all kinds, which grow, shrink and go. Every text has a marker of its own, so that a file shows which
/// texts it has. The same seed gives the same changes.
struct RandomErasures {
    /// Where a text stands. A new one takes its place.
    private enum Place: Hashable {
        case message(Int32, Int64)
        case profile(Int32), status(Int32), contact(Int32, Int32), setting(Int32, Int), prospect(Int32, Int)
        case report(Int64), device(Int32)
        case name(Int32), photo(Int32), description(Int32)
    }

    static let users: Int32 = 40
    private static let conversations: Int32 = 12

    private var random: SeededGenerator
    private var next: UInt64 = 0
    private var time: Int64 = 1_700_000_000_000
    private var texts: [Place: String] = [:]
    /// All places that have had a text.
    private var places: [Place] = []
    private var messages: [Int32: Int64] = [:]
    private var devices: Int32 = 0
    private var versions: [Int32: Int64] = [:]
    /// Markers of texts that were replaced or removed.
    private(set) var erased: Set<String> = []
    /// Markers of texts that stand.
    var standing: Set<String> { Set(texts.values) }

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The contents before the first batch: groups with an expiry of their own in a third of them.
    mutating func beginning() -> [Mutation] {
        let members = [NewMember(UserNumber(1), .owner)]
        var batch: [Mutation] = (1...RandomErasures.users).map { .user(UserNumber($0), name: "u\($0)") }
        for number in 1...RandomErasures.conversations {
            messages[number] = 0
            batch.append(
                change(number, .create(id: "c\(number)", kind: .group, name: "g", members: members), "created"))
            if number % 3 == 0 { batch.append(change(number, .expiry(60_000), "expiry")) }
        }
        return batch
    }

    /// Up to so many changes.
    mutating func batch(_ count: Int) -> [Mutation] {
        var batch = (0..<below(count) + 1).map { _ in change() }
        time += Int64(below(1_000))
        if below(20) == 0 { batch += expire() }
        return batch
    }

    /// Removes all that stands, but for messages that disappear by themselves later.
    mutating func removal() -> [Mutation] {
        time += 60_000
        return expire() + texts.sorted { $0.value < $1.value }.map { remove($0.key) }
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// A text of about so many bytes with a new marker, which stands at `place` from now on.
    private mutating func text(_ bytes: Int, at place: Place) -> String {
        next += 1
        let marker = RandomErasures.marker(next)
        if let old = texts.updateValue(marker, forKey: place) { erased.insert(old) } else { places.append(place) }
        return marker + String(repeating: ".", count: max(0, bytes - marker.count))
    }

    private mutating func user() -> Int32 { Int32(below(Int(RandomErasures.users))) + 1 }

    private mutating func change() -> Mutation {
        let user = self.user()
        switch below(22) {
        case 0: return setProfile(of: user, bytes: below(400))
        case 1: return setStatus(of: user)
        case 2: return setContact(user, with: self.user())
        case 3: return setProspect(below(5), of: user)
        case 4, 5: return set(below(10), of: user)
        case 6: return addDevice(of: user)
        case 7: return setReport(Int64(below(50)) + 1)
        case 8:
            guard let place = places.randomElement(using: &random), texts[place] != nil else { return send() }
            return remove(place)
        case 9...12: return edit() ?? send()
        case 13, 14: return deleteMessage() ?? send()
        case 15, 16: return describe(Int32(below(Int(RandomErasures.conversations))) + 1)
        default: return send()
        }
    }

    private mutating func event(_ kind: EventKind, _ conversation: Int32) -> Append {
        time += 1
        var event = Append(
            kind, in: ConversationNumber(conversation), by: UserNumber(1), device: "phone",
            at: Timestamp(milliseconds: time))
        next += 1
        event.key = "key\(next)"
        return event
    }

    private mutating func change(_ number: Int32, _ change: ConversationChange, _ name: String) -> Mutation {
        var event = event(.conversation, number)
        (event.change, event.body) = (change, Array("\"event\":\"\(name)\"".utf8))
        return .append(event)
    }

    /// Another name, photo or description of a group. The log has none of them (`AppearanceTruth.isIn`).
    private mutating func describe(_ number: Int32) -> Mutation {
        let bytes = 20 + below(300)
        switch below(3) {
        case 0: return change(number, .rename(text(bytes, at: .name(number))), "renamed")
        case 1:
            let photo = text(bytes, at: .photo(number))
            return change(number, .describe(photo: photo, description: nil), "described")
        default:
            let description = text(bytes, at: .description(number))
            return change(number, .describe(photo: nil, description: description), "described")
        }
    }

    private mutating func send() -> Mutation {
        let number = Int32(below(Int(RandomErasures.conversations))) + 1
        let sequence = (messages[number] ?? 0) + 1
        messages[number] = sequence
        var event = event(.message, number)
        event.label = "text"
        let long = below(40) == 0
        event.body = body(text(long ? 9_000 + below(9_000) : 20 + below(400), at: .message(number, sequence)))
        return .append(event)
    }

    private func body(_ text: String) -> [UInt8] { Array("\"\(text)\"".utf8) }

    private mutating func standingMessage() -> (conversation: Int32, sequence: Int64)? {
        let number = Int32(below(Int(RandomErasures.conversations))) + 1
        guard let last = messages[number], last > 0 else { return nil }
        let sequence = Int64(below(Int(last))) + 1
        return texts[.message(number, sequence)] == nil ? nil : (number, sequence)
    }

    private mutating func edit() -> Mutation? {
        guard let place = standingMessage() else { return nil }
        var event = event(.edit, place.conversation)
        event.reference = SequenceNumber(place.sequence)
        event.flag = true
        event.body = body(text(20 + below(3) * below(1_500), at: .message(place.conversation, place.sequence)))
        return .append(event)
    }

    private mutating func deleteMessage() -> Mutation? {
        standingMessage().map { remove(.message($0.conversation, $0.sequence)) }
    }

    /// Everything that has disappeared by now. A third of the conversations lose their messages of a minute ago.
    private mutating func expire() -> [Mutation] {
        for case .message(let number, let sequence) in texts.keys where number % 3 == 0 {
            // Messages sent a moment ago stay in the relay; here all go together.
            if let marker = texts.removeValue(forKey: .message(number, sequence)) { erased.insert(marker) }
        }
        time += 60_001
        let due = Mutation.expire(upTo: Timestamp(milliseconds: time))
        return [Mutation](repeating: due, count: 1 + Int(next) / Limits().expiredAtOnce)
    }

    private mutating func remove(_ place: Place) -> Mutation {
        if let marker = texts.removeValue(forKey: place) { erased.insert(marker) }
        switch place {
        case .message(let number, let sequence):
            var event = event(.delete, number)
            event.reference = SequenceNumber(sequence)
            return .append(event)
        case .profile(let user):
            versions[user, default: 0] += 1
            // Its settings go, too.
            for key in 0..<10 {
                if let marker = texts.removeValue(forKey: .setting(user, key)) { erased.insert(marker) }
            }
            return .profile(UserNumber(user), .tombstone(version: versions[user] ?? 0))
        case .status(let user): return .status(UserNumber(user), StoredStatus())
        case .contact(let low, let high): return .contact(UserPair(UserNumber(low), UserNumber(high)), nil)
        case .setting(let user, let key): return setting(key, of: user, [])
        case .prospect(let user, let id): return .prospect(UserNumber(user), id: "p\(id)", nil)
        case .report(let number): return .forgetReport(number)
        case .device(let number): return .forgetDevice(DeviceNumber(number))
        case .name(let number): return change(number, .rename("g"), "renamed")
        case .photo(let number): return change(number, .describe(photo: "", description: nil), "described")
        case .description(let number): return change(number, .describe(photo: nil, description: ""), "described")
        }
    }

    private mutating func setProfile(of user: Int32, bytes: Int) -> Mutation {
        versions[user, default: 0] += 1
        var profile = StoredProfile(version: versions[user] ?? 0)
        profile.bio = text(bytes, at: .profile(user))
        return .profile(UserNumber(user), profile)
    }

    private mutating func setStatus(of user: Int32) -> Mutation {
        let text = text(20 + below(100), at: .status(user))
        return .status(UserNumber(user), StoredStatus(.busy, text: text, toldText: text))
    }

    private mutating func setContact(_ one: Int32, with other: Int32) -> Mutation {
        guard one != other else { return send() }
        let (low, high) = (min(one, other), max(one, other))
        let label = text(20 + below(150), at: .contact(low, high))
        return .contact(
            UserPair(UserNumber(low), UserNumber(high)),
            StoredContact(
                inviter: nil, low: .init(kind: "friend", label: label), high: .init(kind: "friend"),
                since: Timestamp(milliseconds: time)))
    }

    private mutating func setProspect(_ id: Int, of user: Int32) -> Mutation {
        let note = text(20 + below(300), at: .prospect(user, id))
        return .prospect(UserNumber(user), id: "p\(id)", StoredProspect(name: "Zoë", note: note))
    }

    private mutating func set(_ key: Int, of user: Int32) -> Mutation {
        let value = body(text(20 + below(600), at: .setting(user, key)))
        return setting(key, of: user, value)
    }

    private mutating func setting(_ key: Int, of user: Int32, _ value: [UInt8]) -> Mutation {
        var event = event(.state, 0)
        event.sender = UserNumber(user)
        event.key = ""
        (event.label, event.body) = ("key/\(key)", value)
        return .append(event)
    }

    private mutating func addDevice(of user: Int32) -> Mutation {
        devices += 1
        let name = text(20 + below(60), at: .device(devices))
        return .device(DeviceNumber(devices), user: UserNumber(user), name: name, cursor: .start)
    }

    private mutating func setReport(_ number: Int64) -> Mutation {
        var report = StoredReport(
            number, by: UserNumber(1), of: UserNumber(2), .spam, at: Timestamp(milliseconds: time))
        report.text = text(20 + below(500), at: .report(number))
        return .report(report)
    }
}

extension RandomErasures {
    private static let markerBytes = 14

    private static func marker(_ number: UInt64) -> String {
        let digits = String(number, radix: 36)
        return "<~" + String(repeating: "0", count: markerBytes - 4 - digits.count) + digits + "~>"
    }

    /// The markers that the files of a folder have, whatever they are.
    static func markers(in folder: URL) throws -> Set<String> {
        var found: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            [UInt8](try Data(contentsOf: file)).withUnsafeBytes { found.formUnion(markers(in: $0)) }
        }
        return found
    }

    static func markers(in bytes: UnsafeRawBufferPointer) -> Set<String> {
        var found: Set<String> = []
        var at = 0
        while at + markerBytes <= bytes.count, let start = bytes.baseAddress,
            let next = memchr(start + at, Int32(UInt8(ascii: "<")), bytes.count - at)
        {
            at = start.distance(to: UnsafeRawPointer(next))
            guard at + markerBytes <= bytes.count else { break }
            guard bytes[at] == UInt8(ascii: "<"), bytes[at + 1] == UInt8(ascii: "~"),
                bytes[at + markerBytes - 1] == UInt8(ascii: ">")
            else {
                at += 1
                continue
            }
            found.insert(String(decoding: bytes[at..<(at + markerBytes)], as: UTF8.self))
            at += markerBytes
        }
        return found
    }
}
