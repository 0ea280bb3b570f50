import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// The index finds what a sorted list of the same entries has.
@Suite struct NameIndexTests {
    private struct Model {
        var index: NameIndex
        var entries: Set<Key> = []

        struct Key: Hashable {
            let name: String
            let user: Int32
        }

        func found(_ prefix: String) -> [Key] {
            let prefix = FoldedName(prefix)
            var place = index.start(at: prefix)
            var found: [Key] = []
            while let entry = index[place], entry.name.begins(with: prefix) {
                found.append(Key(name: String(decoding: entry.name.bytes, as: UTF8.self), user: entry.user.value))
                place = index.place(after: place)
            }
            return found
        }

        func expected(_ prefix: String) -> [Key] {
            entries.filter { $0.name.utf8.starts(with: prefix.utf8) }.sorted {
                $0.name == $1.name ? $0.user < $1.user : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }
        }
    }

    @Test(arguments: 1...5) func agreesWithASortedList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = Model(index: NameIndex())
        for step in 0..<6_000 {
            let length = Int.random(in: 1...3, using: &random)
            let name = String((0..<length).map { _ in "abc".randomElement(using: &random) ?? "a" })
            let key = Model.Key(name: name, user: Int32.random(in: 0..<200, using: &random))
            let entry = NameIndex.Entry(FoldedName(name), of: UserNumber(key.user))
            if Int.random(in: 0..<4, using: &random) == 0 {
                model.index.remove(entry)
                model.entries.remove(key)
            } else if model.entries.insert(key).inserted {
                model.index.insert(entry)
            }
            guard step % 500 == 0 else { continue }
            #expect(model.index.count == model.entries.count)
            for prefix in ["a", "bc", "cba", "d", ""] { #expect(model.found(prefix) == model.expected(prefix)) }
        }
        let entries = model.entries.map { NameIndex.Entry(FoldedName($0.name), of: UserNumber($0.user)) }
        model.index = NameIndex(entries)
        #expect(model.found("") == model.expected(""))
        for entry in entries { model.index.remove(entry) }
        #expect(model.index.count == 0)
        #expect(model.found("").isEmpty)
    }

    @Test func aSearchGoesOnBehindAnEntryThatIsGone() {
        var index = NameIndex()
        for user in [1, 3, 5] as [Int32] { index.insert(.init(FoldedName("ann"), of: UserNumber(user))) }
        let place = index.start(behind: FoldedName("ann"), UserNumber(2))
        #expect(index[place]?.user == UserNumber(3))
        #expect(index[index.start(behind: FoldedName("ann"), UserNumber(5))] == nil)
    }

    @Test func aUserIsFoundByEachWordAndTheUsername() {
        var profile = StoredProfile(version: 1)
        (profile.name, profile.username) = ("Zoë O'Brien-太郎", "zoe.b")
        let keys = FoldedName.keys(of: profile, atMost: 8).map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(keys == ["zoe o brien 太郎", "o brien 太郎", "brien 太郎", "太郎", "郎", "zoe b"])
    }
}
