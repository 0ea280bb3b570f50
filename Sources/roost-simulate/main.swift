import RoostTestKit
import RoostWire
import SimulatedDisk

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `roost-simulate --seeds 200 --first 1 --steps 2000`, or `--seed 123` for one: runs the simulation and says which
/// seeds broke a promise; with `--disk` on the real store. Ends with 1 if one did.
struct Arguments {
    var first: UInt64 = 1
    var seeds: UInt64 = 100
    var steps = 2_000
    var mistake: PlantedMistake?
    var showsTally = false
    /// Runs on the real store, on a simulated disk, instead of a log in memory.
    var isOnDisk = false

    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--tally" {
                showsTally = true
                continue
            }
            if word == "--disk" {
                isOnDisk = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch word {
            case "--seeds": seeds = UInt64(value) ?? 0
            case "--first": first = UInt64(value) ?? 0
            case "--seed":
                first = UInt64(value) ?? 0
                seeds = 1
            case "--steps": steps = Int(value) ?? 0
            case "--mistake":
                guard let named = PlantedMistake(rawValue: value) else { return nil }
                mistake = named
            default: return nil
            }
        }
        guard seeds > 0, steps > 0, !isOnDisk || mistake == nil else { return nil }
    }
}

func show(_ report: Simulation.Report, _ arguments: Arguments) {
    print("seed \(report.seed): \(report.violations.count) violations after \(report.steps) steps")
    for event in report.lastEvents { print("    \(event)") }
    for violation in report.violations { print("  ! \(violation)") }
    let disk = arguments.isOnDisk ? " DISK=1" : ""
    print("  replay: make simulate SEED=\(report.seed) STEPS=\(arguments.steps)\(disk)")
}

func run(_ seed: UInt64, _ arguments: Arguments) -> Simulation.Report {
    guard arguments.isOnDisk else {
        return Simulation.run(seed: seed, steps: arguments.steps, mistake: arguments.mistake)
    }
    return Simulation.run(seed: seed, steps: arguments.steps, weather: .rough) { limits, seed in
        do {
            return try DiskStore(limits: limits, seed: seed)
        } catch {
            print("roost-simulate: no store on an empty disk: \(error)")
            exit(1)
        }
    }
}

guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: roost-simulate [--seeds N] [--first N] [--seed N] [--steps N] [--mistake NAME | --disk] [--tally]")
    exit(2)
}
var failed = 0
var hash: UInt64 = 0
var totals: [(name: String, count: Int)] = []
for seed in arguments.first..<(arguments.first &+ arguments.seeds) {
    let report = run(seed, arguments)
    hash = (hash &* 31) ^ report.hash
    if totals.isEmpty {
        totals = report.tally
    } else {
        for index in totals.indices { totals[index].count += report.tally[index].count }
    }
    guard !report.violations.isEmpty else { continue }
    failed += 1
    show(report, arguments)
}
print("\(arguments.seeds) seeds of \(arguments.steps) steps: \(failed) failed, hash \(String(hash, radix: 16))")
if arguments.showsTally { for total in totals { print("  \(total.name): \(total.count)") } }
exit(failed == 0 ? 0 : 1)
