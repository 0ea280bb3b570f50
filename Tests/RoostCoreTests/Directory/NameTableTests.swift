import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// The table of names, compared with a dictionary.
@Suite struct NameTableTests {
    private final class Named {
        let name: String
        init(_ name: String) { self.name = name }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theTableFindsWhatADictionaryFinds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = NameTable<Named>()
        var model: [String: Named] = [:]
        for _ in 0..<3_000 {
            let name = "user\(random.next() % 300)"
            switch random.next() % 5 {
            case 0, 1:
                let named = Named(name)
                table.insert(named, named: name)
                model[name] = named
            case 2, 3:
                table.remove(name)
                model[name] = nil
            default:
                #expect(table[name] === model[name])
            }
            #expect(table.count == model.count)
        }
        for number in 0..<300 { #expect(table["user\(number)"] === model["user\(number)"]) }
    }

    @Test func theTableGrowsAsFarAsNecessary() {
        var table = NameTable<Named>()
        for number in 0..<5_000 { table.insert(Named("\(number)"), named: "\(number)") }
        #expect(table.count == 5_000)
        #expect((0..<5_000).allSatisfy { table["\($0)"]?.name == "\($0)" })
        #expect(table["5000"] == nil)
    }

    @Test func namesThatBeginAlikeAreDifferent() {
        var table = NameTable<Named>()
        for name in ["a", "aa", "A", "ä", ""] { table.insert(Named(name), named: name) }
        for name in ["a", "aa", "A", "ä", ""] { #expect(table[name]?.name == name) }
        #expect(table["aaa"] == nil)
    }
}
