/// Events second by second, and the time to recover from each disturbance: for runs that disturb their sessions. A
/// value; pure.
struct SecondsTable {
    // More fill screens. The JSON and its page have all of them.
    private static let secondsMax = 120

    let report: Report

    /// One row for each disturbance; nil: there was none.
    var disturbances: TextTable? {
        guard !report.result.disturbances.isEmpty else { return nil }
        var table = TextTable(columns: 6)
        table.add(["Recovery from", "at s", "sessions", "to welcome s", "to live s", "recovery s"])
        for each in report.result.disturbances {
            let recovery = report.recoverySeconds(of: each)
            let way =
                [.storm, .kill, .drain].contains(each.kind) ? (each.backoff ? ", back-off" : ", no back-off") : ""
            table.add([
                each.kind.rawValue + way, Readable.trimmed(each.end), Readable.count(each.sessions),
                span(each.welcomed), span(each.live), recovery.map(Readable.significant) ?? "never",
            ])
        }
        return table
    }

    /// One row for each second of the load.
    var seconds: TextTable? {
        guard !report.result.disturbances.isEmpty else { return nil }
        var table = TextTable(columns: 9)
        table.add(["Second", "due", "sent", "acked", "delivered", "sessions", "behind", "p50 ms", "p99 ms"])
        for second in report.result.timeline.prefix(Self.secondsMax) {
            let some = second.delivery.total > 0
            table.add([
                "\(second.second)", Readable.count(second.due), Readable.count(second.sent),
                Readable.count(second.acked), Readable.count(second.delivered), Readable.count(second.sessions),
                Readable.count(second.behind),
                some ? Readable.milliseconds(second.delivery.percentile(50)) : "",
                some ? Readable.milliseconds(second.delivery.percentile(99)) : "",
            ])
        }
        return table
    }

    private func span(_ seconds: Double) -> String { seconds.isFinite ? Readable.significant(seconds) : "never" }
}
