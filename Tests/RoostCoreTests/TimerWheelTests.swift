import RoostTestKit
import Testing

@testable import RoostCore

/// The wheel, compared with a list that is searched from end to end.
@Suite struct TimerWheelTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func theWheelWakesExactlyThoseThatAreDue(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var now: Int64 = 1_000_000 + Int64(seed) * 37
        var wheel = TimerWheel<Int>(now: now)
        var waiting: [Int: (deadline: Int64, since: Int64)] = [:]
        for step in 0..<400 {
            if random.next() % 3 != 0 {
                // Deadlines far beyond one turn of the wheel, near ones, and past ones.
                let ahead = [120_000, 3_000, 100, -500][Int(random.next() % 4)]
                let deadline = now + Int64(ahead) * Int64(random.next() % 1_000) / 1_000
                wheel.set(step, at: deadline)
                waiting[step] = (deadline, now)
            } else {
                now += Int64([1, 90, 700, 60_000][Int(random.next() % 4)])
                for number in wheel.expire(at: now) {
                    let entry = waiting.removeValue(forKey: number)
                    #expect(entry.map { $0.deadline < now } == true)
                }
                // No timer fires later than two slots after its deadline.
                #expect(waiting.values.allSatisfy { max($0.deadline, $0.since) > now - 300 })
            }
            #expect(wheel.count == waiting.count)
        }
    }

    /// Waking only when the wheel asks for it misses no timer.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theWheelAsksToBeWokenInTime(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var now: Int64 = 5_000
        var wheel = TimerWheel<Int64>(now: now)
        for _ in 0..<100 {
            let deadline = now + Int64(random.next() % 200_000)
            wheel.set(deadline, at: deadline)
        }
        var wakings = 0
        while let next = wheel.nextDeadline {
            #expect(next > now)
            now = next
            for deadline in wheel.expire(at: now) { #expect(deadline < now && deadline > now - 300) }
            wakings += 1
            guard wakings < 10_000 else { break }
        }
        #expect(wheel.count == 0)
    }

    /// Each storm falls into its own slot. Afterwards the slot keeps only the timers that are due one turn later.
    @Test func memoryOfAStormIsFreed() {
        var wheel = TimerWheel<Int>(now: 0)
        for storm in 1...20 as ClosedRange<Int64> {
            for number in 0..<10_000 { wheel.set(number, at: storm * 1_000) }
            wheel.set(-1, at: storm * 1_000 + 51_200)
            #expect(wheel.expire(at: storm * 1_000 + 200).count >= 10_000)
        }
        #expect(wheel.count == 20)
        #expect(wheel.capacity < 1_000)
    }

    @Test func anEmptyWheelAsksForNothing() {
        var wheel = TimerWheel<Int>(now: 0)
        #expect(wheel.nextDeadline == nil)
        #expect(wheel.expire(at: 1_000_000).isEmpty)
    }
}
