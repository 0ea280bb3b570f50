/// One page of metrics in Prometheus's text format, version 0.0.4 (prometheus.io, "Exposition formats"). A value.
struct MetricsText: Sendable, Equatable {
    /// Values by name with its labels as written: `roost_errors_total{code="busy"}`. Timestamps are dropped.
    private(set) var values: [String: Double] = [:]
    /// Names of families that only ever rise.
    private(set) var counters: Set<String> = []

    /// Lines that aren't understood are ignored.
    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("#") { noteType(line) } else { noteSample(line) }
        }
    }

    /// Whether a sample is a counter, or a part of a histogram or summary that only rises.
    func isCounter(_ key: String) -> Bool {
        let name = key.prefix { $0 != "{" }
        if counters.contains(String(name)) { return true }
        return ["_bucket", "_sum", "_count"].contains { ending in
            name.hasSuffix(ending) && counters.contains(String(name.dropLast(ending.utf8.count)))
        }
    }

    /// Returns what happened between two pages: the differences of counters, and the present values of everything else.
    /// A counter that has become smaller started again with the process.
    func change(since earlier: MetricsText) -> [String: Double] {
        var change: [String: Double] = [:]
        for (key, value) in values {
            let before = earlier.values[key] ?? 0
            change[key] = isCounter(key) && before <= value ? value - before : value
        }
        return change
    }

    // `# TYPE roost_messages_total counter`
    private mutating func noteType(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 4, words[1] == "TYPE" else { return }
        if ["counter", "histogram", "summary"].contains(words[3]) { counters.insert(String(words[2])) }
    }

    // `name value`, `name{label="value"} value`, `name value milliseconds`
    private mutating func noteSample(_ line: Substring) {
        guard let end = Self.endOfKey(line) else { return }
        guard let number = line[end...].split(separator: " ").first.flatMap({ Self.number($0) }) else { return }
        values[String(line[..<end])] = number
    }

    // Labels may contain blanks, braces and escaped quotes, so only the quotes tell where they end.
    private static func endOfKey(_ line: Substring) -> Substring.Index? {
        var isQuoted = false
        var isEscaped = false
        var depth = 0
        for index in line.indices {
            let character = line[index]
            if isQuoted {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isQuoted = false
                }
                continue
            }
            switch character {
            case "\"" where depth > 0: isQuoted = true
            case "{": depth += 1
            case "}": depth -= 1
            case " " where depth == 0: return index == line.startIndex ? nil : index
            default: break
            }
        }
        return nil
    }

    // NaN means that there is no value.
    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        default: Double(text).flatMap { $0.isNaN ? nil : $0 }
        }
    }
}
