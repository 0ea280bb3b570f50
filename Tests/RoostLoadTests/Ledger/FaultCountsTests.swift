import Foundation
import Testing

@testable import RoostLoad

@Suite struct FaultCountsTests {
    @Test func countsAllAndDescribesTheFirstFaults() {
        var counts = FaultCounts()
        for number in 1...9 { counts.count(.lost, "number \(number)") }
        counts.count(.ghost, times: 3, "three")
        counts.count(.ghost, times: 0, "none")
        #expect(counts[.lost] == 9 && counts[.ghost] == 3 && counts[.altered] == 0)
        #expect(counts.descriptions[.lost] == (1...HarnessLimits.describedFaults).map { "number \($0)" })
        #expect(counts.descriptions[.ghost] == ["three"])
    }

    @Test func descriptionsAreOnlyMadeWhenKept() {
        var counts = FaultCounts()
        var made = 0
        func words() -> String {
            made += 1
            return "words"
        }
        for _ in 1...100 { counts.count(.lost, words()) }
        #expect(made == HarnessLimits.describedFaults)
    }

    @Test func everyFaultButAGapIsAFailure() {
        #expect(Fault.allCases.filter { !$0.isFailure } == [.gap])
        var counts = FaultCounts()
        counts.count(.gap, "a gap")
        #expect(counts.failures == 0)
        counts.count(.absent, "absent")
        counts.count(.lost, times: 2, "lost")
        #expect(counts.failures == 3)
    }

    @Test func mergesCountsAndAsManyWordsAsFit() {
        var one = FaultCounts()
        for number in 1...3 { one.count(.lost, "\(number)") }
        var other = FaultCounts()
        for number in 4...9 { other.count(.lost, "\(number)") }
        other.count(.gap, "gap")
        one.merge(with: other)
        #expect(one.counts == [.lost: 9, .gap: 1])
        #expect(one.descriptions[.lost] == ["1", "2", "3", "4", "5"])
    }

    @Test func sumsDoNotOverflow() throws {
        let most = #"{"counts":{"lost":18446744073709551615,"ghost":9},"descriptions":{}}"#
        var counts = try JSONDecoder().decode(FaultCounts.self, from: Data(most.utf8))
        counts.merge(with: counts)
        #expect(counts[.lost] == .max && counts.failures == .max)
    }

    @Test func faultsAreStoredUnderTheirWords() throws {
        var counts = FaultCounts()
        for fault in Fault.allCases { counts.count(fault, "words") }
        let data = try JSONEncoder().encode(counts)
        #expect(try JSONDecoder().decode(FaultCounts.self, from: data) == counts)
        #expect(String(decoding: data, as: UTF8.self).contains(#""stuck_typing":1"#))
        #expect(
            Fault.allCases.map(\.rawValue) == [
                "lost", "duplicated", "reordered", "non_member", "altered", "ghost", "absent", "stuck_typing",
                "wrong_unread", "own_returned", "stuck_behind", "never_back", "gap",
            ])
    }
}
