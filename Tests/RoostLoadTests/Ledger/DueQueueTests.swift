import SeededRandom
import Testing

@testable import RoostLoad

@Suite struct DueQueueTests {
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func returnsDueKeysInOrder(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var queue = DueQueue()
        var times: [UInt64] = []
        for key in 0..<500 as Range<UInt64> {
            times.append(UInt64(dice.below(300)))
            queue.push(key, at: times[Int(key)])
        }
        var taken: [UInt64] = []
        while let next = queue.pop(by: 150) {
            #expect(times[Int(next.key)] == next.time)
            taken.append(next.time)
        }
        #expect(taken == times.filter { $0 <= 150 }.sorted())
        #expect(queue.count == times.count { $0 > 150 })
    }

    @Test func returnsNothingBeforeItIsDue() {
        var queue = DueQueue()
        #expect(queue.pop(by: .max) == nil)
        queue.push(1, at: 5)
        #expect(queue.pop(by: 4) == nil)
        #expect(queue.pop(by: 5)?.key == 1)
    }
}
