import RoostWire
import Testing

@testable import RoostCore

/// `NumberTable`: numbers with holes between them.
@Suite struct NumberTableTests {
    private let roll = Roll(Counters())

    private func user(_ number: Int32) -> User { User(UserNumber(number), name: "user-\(number)", roll) }

    @Test func numbersMayBeFarApart() {
        var table = NumberTable<User>()
        for number in [1, 1_023, 1_024, 5_000_000] as [Int32] { table[number] = user(number) }
        #expect(table.count == 4)
        #expect(table[5_000_000]?.number == UserNumber(5_000_000))
        var seen: [Int32] = []
        table.forEach { seen.append($0.number.value) }
        #expect(seen == [1, 1_023, 1_024, 5_000_000])
    }

    @Test(arguments: [-1, 0, 2, 4_000, Int32.max])
    func unknownNumbersAreNil(number: Int32) {
        var table = NumberTable<User>()
        table[1] = user(1)
        #expect(table[number] == nil)
        table[number] = nil
        #expect(table.count == 1)
    }

    @Test func removedNumbersAreNil() {
        var table = NumberTable<User>()
        table[7] = user(7)
        table[7] = user(7)
        #expect(table.count == 1)
        table[7] = nil
        table[7] = nil
        #expect(table.count == 0 && table[7] == nil)
    }
}
