import Testing

@testable import RoostCore

/// `OrderedTable`: an order that is the same in every run.
@Suite struct OrderedTableTests {
    private func table(_ keys: Int...) -> OrderedTable<Int, String> {
        var table = OrderedTable<Int, String>()
        for key in keys { table[key] = "v\(key)" }
        return table
    }

    @Test func valuesStandInTheOrderInWhichTheyCame() {
        var table = table(5, 1, 9)
        table[1] = "new"
        #expect(table.keys == [5, 1, 9] && table.values == ["v5", "new", "v9"])
        #expect(table[9] == "v9" && table[2] == nil && table.count == 3)
    }

    @Test func theLastTakesThePlaceOfOneThatGoes() {
        var table = table(5, 1, 9, 7)
        table[1] = nil
        table[2] = nil
        #expect(table.keys == [5, 7, 9] && table.values == ["v5", "v7", "v9"])
        #expect(table[7] == "v7" && table[1] == nil)
        table[9] = nil
        #expect(table.keys == [5, 7])
        table[5] = nil
        table[7] = nil
        #expect(table.isEmpty && table[5] == nil)
        table[5] = "again"
        #expect(table.values == ["again"])
    }
}
