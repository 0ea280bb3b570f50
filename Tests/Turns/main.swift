import Glibc
import RoostTestKit
import RoostWire

// Prints how long the relay's loop is busy with each kind of command at its largest: the worst of several runs, in
// milliseconds of the thread's own time, so that other programs don't count. The check that runs with all others counts
// work instead of time (TurnWorkTests).

private func threadTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

private func milliseconds(_ nanoseconds: Int64) -> String {
    let hundredths = nanoseconds / 10_000
    let text = "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    return String(repeating: " ", count: max(0, 8 - text.count)) + text
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

let runs = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 3
var worst: [String: TurnHost.Cost] = [:]
var names: [String] = []
for _ in 0..<runs {
    let table = TurnTable(
        HostileState(conversations: 10_000, members: 10_000), Limits(), connected: 5_000, clock: threadTime)
    table.run()
    for (name, cost) in table.rows {
        if worst[name] == nil { names.append(name) }
        if cost.longest > worst[name]?.longest ?? -1 { worst[name] = cost }
    }
}
print(padded("command", 44) + "longest ms  in         total ms      work")
for name in names {
    guard let cost = worst[name] else { continue }
    print(
        padded(name, 44) + "  " + milliseconds(cost.longest) + "  " + padded(cost.call, 10) + " "
            + milliseconds(cost.total) + "  " + padded("\(cost.work)", 8))
}
