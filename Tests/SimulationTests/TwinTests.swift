import RoostTestKit
import Testing

/// An observer gets the same frames at the same milliseconds, whatever a user does who is hidden from it.
@Suite struct TwinTests {
    static let seeds: ClosedRange<UInt64> = 1...40
    static let curtains = TwinWorlds.Curtain.allCases.filter { $0 != .none }

    @Test(arguments: curtains)
    func hiddenUsersLeaveNoTrace(curtain: TwinWorlds.Curtain) {
        var frames = 0
        var hiddenActs = 0
        for seed in TwinTests.seeds {
            let report = TwinWorlds.run(seed: seed, curtain)
            frames += report.frames
            hiddenActs += report.hiddenActs
            #expect(
                report.differences.isEmpty, "seed \(seed), \(curtain): \(report.differences.joined(separator: "\n"))")
        }
        // The comparison is only worth something if the observer hears a lot and the hidden user does a lot.
        #expect(frames > 50 * TwinTests.seeds.count && hiddenActs > 20 * TwinTests.seeds.count)
    }

    @Test func withoutACurtainTheWorldsDiffer() {
        for seed in TwinTests.seeds {
            #expect(!TwinWorlds.run(seed: seed, .none).differences.isEmpty, "seed \(seed)")
        }
    }

    @Test(arguments: TwinWorlds.Mistake.allCases)
    func plantedMistakesAreFound(mistake: TwinWorlds.Mistake) {
        for curtain in TwinTests.curtains {
            let found = TwinTests.seeds.contains {
                !TwinWorlds.run(seed: $0, curtain, mistake: mistake).differences.isEmpty
            }
            #expect(found, "\(mistake) stays hidden behind \(curtain)")
        }
    }
}

/// A ban from a group is known to its members at that time, and to its admins.
@Suite struct TwinBanTests {
    @Test(arguments: [TwinBans.Observer.passerBy, .banned])
    func bansLeaveNoTrace(observer: TwinBans.Observer) {
        var (frames, bans) = (0, 0)
        for seed in TwinTests.seeds {
            let report = TwinBans.run(seed: seed, observer)
            #expect(report.difference == nil, "seed \(seed), \(observer): \(report.difference ?? "")")
            frames += report.frames
            bans += report.bans
        }
        #expect(frames > 50 * TwinTests.seeds.count && bans > 10 * TwinTests.seeds.count)
    }

    @Test func anAdminSeesTheDifference() {
        for seed in TwinTests.seeds {
            #expect(TwinBans.run(seed: seed, .admin).difference != nil, "seed \(seed)")
        }
    }

    @Test(arguments: TwinBans.Mistake.allCases, [TwinBans.Observer.passerBy, .banned])
    func plantedMistakesAreFound(mistake: TwinBans.Mistake, observer: TwinBans.Observer) {
        let found = TwinTests.seeds.contains { TwinBans.run(seed: $0, observer, mistake: mistake).difference != nil }
        #expect(found, "\(mistake) stays hidden from \(observer)")
    }
}
