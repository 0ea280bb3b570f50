/// The figures that are read first.
extension ReportSection {
    var cards: Markup {
        let all = latencyCards + loadCards + costCards
        let cards: [Markup] = all.map { card in
            """
            <div class="card"><dt>\(card.name)</dt><dd><span class="figure">\(card.figure)</span>\
            <span class="unit">\(card.unit)</span></dd><dd class="note">\(card.note)</dd></div>

            """
        }
        let columns = all.count % 4 != 0 && all.count % 3 == 0 ? "cards thirds" : "cards"
        return "<dl class=\"\(columns)\" aria-label=\"Key figures\">\n\(cards)</dl>\n"
    }

    private typealias Card = (name: String, figure: String, unit: String, note: String)

    private var latencyCards: [Card] {
        guard let kind = mainKind, let measured = report.result.corrected[kind] else { return [] }
        return [("p50", 50.0), ("p99", 99.0), ("p99.9", 99.9)].map { name, percent in
            (
                "\(kind.title) \(name)", Readable.milliseconds(measured.percentile(percent)), "ms",
                percent == 50 ? "half took no longer" : "of \(Readable.count(measured.total))"
            )
        }
    }

    private var loadCards: [Card] {
        var cards: [Card] = []
        let counts = report.result.counts
        if let rate = report.figure(named: "deliveries_per_second") {
            cards.append(
                ("Delivered", Readable.fixed(rate, 0), "/s", "\(Readable.count(counts.delivered)) in all"))
        }
        cards.append(
            ("Sessions", Readable.count(counts.sessions), "", "\(Readable.count(counts.lostConnections)) lost"))
        let faults = report.result.faults.failures
        cards.append(("Faults", Readable.count(faults), "", faults == 0 ? "none against the contract" : "see below"))
        return cards
    }

    private var costCards: [Card] {
        guard let cost = report.cost else { return [] }
        var cards: [Card] = []
        if let each = cost.microsecondsPerDelivery {
            cards.append(
                (
                    "CPU a delivery", Readable.significant(each), "µs",
                    "\(Readable.significant(cost.cpuSeconds)) s in all"
                ))
        }
        if let each = cost.bytesPerSession {
            cards.append(
                (
                    "Memory a session", Readable.significant(each / 1_024), "KiB",
                    "at most \(Readable.memory(Double(cost.rssPeak))) in all"
                ))
        }
        return cards
    }

    /// The kind that the report shows large.
    var mainKind: LatencyKind? { measuredKinds.first }

    /// Kinds of which something was measured, deliveries first.
    var measuredKinds: [LatencyKind] {
        LatencyKind.allCases.filter { (report.result.corrected[$0]?.total ?? 0) > 0 }
    }
}
