import Foundation
import RoostChat
import RoostWire

/// One picture of `roost top`: the figures of a sample, and rates since the one before.
struct TopPicture {
    private let address: String
    private var last: RelayStatistics?

    init(address: String) { self.address = TerminalText.printable(address) }

    /// Sets the sample before the first one, so that the first rates are known.
    mutating func begin(with sample: RelayStatistics) { if last == nil { last = sample } }

    mutating func lines(_ now: RelayStatistics) -> [String] {
        // A relay that was started anew counts from zero.
        let before = last.flatMap { $0["opened"] <= now["opened"] && $0["commands"] <= now["commands"] ? $0 : nil }
        defer { last = now }
        return [
            "roost at \(address)   \(WallClock().time(now.time))",
            "",
            row("people", "online", "away", "busy", "offline", of: now),
            row("devices", "active", "idle", "background", of: now),
            row("connections", "sessions", "operators", "strangers", "behind", of: now)
                + "   waiting \(bytes(now["waitingBytes"]))",
            head("per second") + rates(now, before),
            "",
        ] + times(now) + [
            "",
            head("store") + "\(bytes(now["storeBytes"]))"
                + (now.figures["freeBytes"].map { ", \(bytes($0)) free" } ?? ""),
            head("process") + "\(bytes(now["memoryBytes"])) of memory" + processor(now, before),
            head("refused") + words(now.errors, and: now["refusedRequests"]),
            head("ended") + words(now.ends),
        ]
    }

    private func head(_ name: String) -> String { name.padding(toLength: 12, withPad: " ", startingAt: 0) }

    private func row(_ name: String, _ figures: String..., of now: RelayStatistics) -> String {
        head(name) + figures.map { "\($0) \(now[$0])" }.joined(separator: "   ")
    }

    private func rates(_ now: RelayStatistics, _ before: RelayStatistics?) -> String {
        ["messages", "deliveries", "commands", "signals", "changes", "refused", "shed"].map { name in
            "\(name) \(rate(name, now, before).map { String(format: "%.1f", $0) } ?? "-")"
        }.joined(separator: "   ")
    }

    private func rate(_ name: String, _ now: RelayStatistics, _ before: RelayStatistics?) -> Double? {
        guard let before, now.time > before.time else { return nil }
        return Double(now[name] - before[name]) * 1_000 / Double(now.time.milliseconds - before.time.milliseconds)
    }

    private func times(_ now: RelayStatistics) -> [String] {
        let names = [
            ("stored", "command stored"), ("acked", "event acked"), ("presence", "change sent"), ("commit", "commit"),
            ("turn", "turn"),
        ]
        return ["since the last screen       count         p50         p99"]
            + names.map { key, name in
                let timing = now.timings[key]
                let cells = [
                    timing.map { "\($0.count)" }, timing.map { milliseconds($0.median) },
                    timing.map { milliseconds($0.high) },
                ]
                return "  " + name.padding(toLength: 20, withPad: " ", startingAt: 0)
                    + cells.map { right($0 ?? "-") }.joined()
            }
    }

    private func right(_ text: String) -> String {
        String(repeating: " ", count: max(1, 12 - text.count)) + text
    }

    private func milliseconds(_ microseconds: Int64) -> String {
        String(format: "%.1f ms", Double(microseconds) / 1_000)
    }

    private func processor(_ now: RelayStatistics, _ before: RelayStatistics?) -> String {
        guard let used = rate("processorMilliseconds", now, before) else { return "" }
        return String(format: ", %.0f %% of a core", used / 10)
    }

    private func words(_ counts: [String: Int64], and requests: Int64 = 0) -> String {
        var parts = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            "\(TerminalText.printable($0.key)) \($0.value)"
        }
        if requests > 0 { parts.append("requests \(requests)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    private func bytes(_ count: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, place) = (Double(count), 0)
        while value >= 1_000, place < units.count - 1 { (value, place) = (value / 1_000, place + 1) }
        return place == 0 ? "\(count) B" : String(format: "%.1f %@", value, units[place])
    }
}
