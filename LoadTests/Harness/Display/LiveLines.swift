/// The lines of the live display for one moment. A value; it knows nothing of cursors.
struct LiveLines {
    let figures: LiveFigures
    let style: TerminalStyle

    /// Lines for a terminal, none wider than `width`.
    func block(width: Int) -> [String] {
        var lines = [bar(width: width), cut(rates, width), cut(latencies, width)]
        if let cost { lines.append(cut(cost, width)) }
        if figures.faults > 0 {
            lines.append(style.paint(cut("faults     \(Readable.count(figures.faults))", width), .bold, .red))
        }
        return lines
    }

    /// Everything on one line, without colour.
    var line: String {
        let head = "\(phase) \(time)"
        return ([head, rates, latencies, cost ?? "", "faults \(Readable.count(figures.faults))"])
            .filter { !$0.isEmpty }.joined(separator: "; ").split(separator: " ").joined(separator: " ")
    }

    private var phase: String { Readable.harmless(figures.phase) }

    private var isMeasured: Bool { figures.total > 0 }

    private var time: String {
        let passed = Readable.fixed(max(0, figures.elapsed), 0)
        return isMeasured ? "\(passed)/\(Readable.fixed(figures.total, 0)) s" : "\(passed) s"
    }

    private var rates: String {
        "rates      \(padded(figures.sentPerSecond)) sent/s  \(padded(figures.ackedPerSecond)) acked/s  "
            + "\(padded(figures.deliveredPerSecond)) delivered/s  \(padded(figures.sessions)) sessions"
    }

    private var latencies: String {
        "delivery   p50 \(right(span(figures.p50), 9))  p99 \(right(span(figures.p99), 9))  "
            + "sent late p99 \(right(span(figures.late99), 9))"
    }

    private var cost: String? {
        let parts = [
            figures.relayCPU.map { "\(Readable.fixed($0, 2)) cores" },
            figures.relayRSS.map { Readable.memory(Double($0)) },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : "relay      " + parts.joined(separator: "  ")
    }

    private func bar(width: Int) -> String {
        let name = phase + String(repeating: " ", count: max(1, 11 - phase.count))
        let room = width - name.count - time.count - 2
        guard isMeasured, room >= 10 else { return cut(name + time, width) }
        let share = max(0, min(1, figures.elapsed / figures.total))
        let done = Int((Double(room) * share).rounded())
        return style.paint(name, .bold) + style.paint(String(repeating: "━", count: done), .green)
            + style.paint(String(repeating: "─", count: room - done), .dim) + "  " + time
    }

    private func span(_ nanoseconds: UInt64) -> String {
        nanoseconds == 0 ? "-" : Readable.span(Double(nanoseconds))
    }

    private func padded(_ number: UInt64) -> String { right(Readable.count(number), 8) }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private func cut(_ text: String, _ width: Int) -> String { TextTable.cut(text, to: width) }
}
