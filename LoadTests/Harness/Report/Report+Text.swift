/// Facts of a report in words, the same in every view.
extension Report.Machine {
    /// `AMD EPYC 7B13, 2 cores, 7.8 GiB, Linux 6.1`.
    var text: String {
        let parts = [
            processor, cores > 0 ? "\(cores) core\(cores == 1 ? "" : "s")" : "",
            memoryMiB > 0 ? Readable.memory(Double(memoryMiB) * 1_024) : "", system,
        ]
        let known = parts.filter { !$0.isEmpty }
        return known.isEmpty ? "unknown" : known.joined(separator: ", ")
    }
}

extension RunResult {
    /// `roost 1.0.0, durability full`.
    var relayText: String {
        let parts = [relay, durability.isEmpty ? "" : "durability \(durability)"].filter { !$0.isEmpty }
        return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
    }
}

extension Scenario {
    /// `1,000 users, 500 pairs, 2,000 messages/s of 200 bytes (poisson, send)`.
    var loadText: String {
        var parts = ["\(number(users)) users" + (devices > 1 ? " with \(devices) devices each" : "")]
        if conversations.pairs > 0 { parts.append("\(number(conversations.pairs)) pairs") }
        for rooms in conversations.rooms {
            parts.append(
                "\(number(rooms.count)) room\(rooms.count == 1 ? "" : "s") of \(number(rooms.members))"
                    + (rooms.senders > 0 ? " (\(number(rooms.senders)) write)" : ""))
        }
        if let messages {
            let low = messages.bytes.lowerBound
            let high = messages.bytes.upperBound
            parts.append(
                "\(Readable.figure(messages.rate)) messages/s of \(low == high ? "\(low)" : "\(low) to \(high)") bytes"
                    + " (\(messages.arrivals.rawValue), \(messages.mode.rawValue))")
        } else {
            parts.append("nobody writes")
        }
        if watch > 0 { parts.append("each watches \(number(watch))") }
        return parts.joined(separator: ", ")
    }

    private func number(_ value: Int) -> String { Readable.fixed(Double(value), 0) }
}

extension Report {
    /// `20 s after 2 s of warm-up, seed 1, 1 worker`.
    var measuredText: String {
        "\(Readable.clock(result.seconds)) after \(Readable.clock(scenario.warmup)) of warm-up, seed \(scenario.seed), "
            + "\(workers) worker\(workers == 1 ? "" : "s")"
    }
}
