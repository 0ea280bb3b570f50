import Glibc

/// Shows how the run goes, on standard error: a line for each phase, and every five seconds in it. It belongs to the
/// sampling thread alone; a standard error that doesn't take what is written holds that thread up and no other.
final class LiveDisplay {
    private let descriptor: Int32
    private var lastPhase = ""
    private var lastLineAt = 0.0

    private static let secondsBetweenLines = 5.0

    init(descriptor: Int32 = STDERR_FILENO) { self.descriptor = descriptor }

    /// Writes a line if it is time for one.
    func show(_ figures: LiveFigures) {
        let isNew = figures.phase != lastPhase
        // Half a second less, so that an early sample doesn't stretch it to six.
        guard isNew || figures.elapsed - lastLineAt >= Self.secondsBetweenLines - 0.5 else { return }
        lastPhase = figures.phase
        lastLineAt = figures.elapsed
        write(figures.line + "\n")
    }

    // Drops what a closed or full standard error doesn't take: the run matters more than its display.
    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return
            }
        }
    }
}

extension LiveFigures {
    /// Everything on one line.
    var line: String {
        let passed = Readable.fixed(max(0, elapsed), 0)
        let time = total > 0 ? "\(passed)/\(Readable.fixed(total, 0)) s" : "\(passed) s"
        let rates =
            "\(Readable.count(sentPerSecond)) sent/s, \(Readable.count(ackedPerSecond)) acked/s, "
            + "\(Readable.count(deliveredPerSecond)) delivered/s, \(Readable.count(sessions)) sessions"
        let latency = "delivery p50 \(span(p50)) p99 \(span(p99)), sent late p99 \(span(late99))"
        let cost = [relayCPU.map { "\(Readable.fixed($0, 2)) cores" }, relayRSS.map { Readable.memory(Double($0)) }]
            .compactMap { $0 }.joined(separator: ", ")
        let parts = [
            "\(Readable.harmless(phase)) \(time)", rates, latency, cost.isEmpty ? "" : "relay \(cost)",
            "faults \(Readable.count(faults))",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private func span(_ nanoseconds: UInt64) -> String {
        nanoseconds == 0 ? "-" : Readable.span(Double(nanoseconds))
    }
}
