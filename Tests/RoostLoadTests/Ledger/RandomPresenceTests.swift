import SeededRandom
import Testing

@testable import RoostLoad

/// `PresenceLedger` judges a correct relay and a wrong one. Times are in milliseconds.
@Suite struct RandomPresenceTests {
    /// A relay that sends watchers the truth within 100 ms, unless a test makes it wrong for user 0.
    private struct Model {
        enum Plant { case none, forgetsLeaving, forgetsComing, flaps }

        static let grace = 5_000
        let ledger = PresenceLedger(users: 8, grace: 5_000_000_000)
        var dice: SeededGenerator
        var plant: Plant
        var isHere = Array(repeating: false, count: 8)
        var endsAt: [Int?] = Array(repeating: nil, count: 8)
        var announced = Array(repeating: false, count: 8)
        var isWatching = Array(repeating: false, count: 16)
        var news: [(at: Int, pair: Int, state: ShownPresence)] = []
        var samples: [UInt64] = []
        var hasPlanted = false

        init(seed: UInt64, _ plant: Plant) {
            dice = SeededGenerator(seed: seed)
            self.plant = plant
            for pair in 0..<16 { _ = ledger.addPair(of: pair % 8) }
        }

        mutating func run() {
            for now in stride(from: 0, to: 300_000, by: 25) {
                if now < 280_000 { act(now) }
                announce(now)
                while let first = news.first, first.at <= now {
                    news.removeFirst()
                    guard isWatching[first.pair] else { continue }
                    if let sample = ledger.shown(first.pair, first.state, at: ns(now)) { samples.append(sample) }
                }
                if now % 500 == 0 { ledger.sweep(ns(now)) }
            }
        }

        private func ns(_ milliseconds: Int) -> UInt64 { UInt64(milliseconds) * 1_000_000 }

        private mutating func act(_ now: Int) {
            let user = dice.below(8)
            if dice.chance(3) {
                isHere[user].toggle()
                if isHere[user] {
                    endsAt[user] = nil
                    ledger.connected(user, device: user, at: ns(now))
                } else {
                    let isClean = dice.chance(50)
                    endsAt[user] = isClean ? nil : now + Self.grace
                    ledger.left(user, device: user, isClean: isClean, at: ns(now))
                }
            }
            let pair = dice.below(16)
            guard dice.chance(2) else { return }
            isWatching[pair].toggle()
            if isWatching[pair] {
                ledger.began(pair, at: ns(now))
                // Earlier announcements are on their way to the ended session.
                news.removeAll { $0.pair == pair }
                news.append((now, pair, announced[pair % 8] ? .online : .offline))
            } else {
                ledger.ended(pair)
            }
        }

        private mutating func announce(_ now: Int) {
            guard now % 50 == 0 else { return }
            for user in 0..<8 {
                if let end = endsAt[user], end <= now { endsAt[user] = nil }
                let isLingering = endsAt[user] != nil
                var state = isHere[user] || isLingering
                if user == 0, isWatching[0], now > 20_000, now < 280_000 {
                    switch plant {
                    case .forgetsLeaving: state = state || announced[0]
                    case .forgetsComing: state = state && announced[0]
                    case .flaps: state = isHere[user]
                    case .none: break
                    }
                }
                guard state != announced[user] else { continue }
                announced[user] = state
                for pair in [user, user + 8] where isWatching[pair] {
                    news.append((now + dice.below(3) * 25, pair, state ? .online : .offline))
                }
                news.sort { $0.at < $1.at }
            }
        }
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>) func aCorrectRelayHasNoFault(_ seed: UInt64) {
        var model = Model(seed: seed, .none)
        model.run()
        #expect(model.ledger.faults == FaultCounts())
        #expect(model.samples.count > 100)
        #expect(model.samples.allSatisfy { $0 <= 100_000_000 })
    }

    @Test func exactlyThePlantedFaultIsFound() {
        for (plant, fault) in [(Model.Plant.forgetsLeaving, Fault.ghost), (.forgetsComing, .absent), (.flaps, .absent)]
        {
            var found: Set<Fault> = []
            for seed in 1...10 as ClosedRange<UInt64> {
                var model = Model(seed: seed, plant)
                model.run()
                found.formUnion(model.ledger.faults.counts.keys)
            }
            #expect(found == [fault], "\(plant)")
        }
    }
}
