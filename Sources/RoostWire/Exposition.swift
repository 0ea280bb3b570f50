/// Writes the Prometheus text format, version 0.0.4. Names, help texts and labels come only from our own code, or are
/// names by the protocol's rule, so nothing has to be escaped.
package struct Exposition {
    /// The type of a family.
    package enum Kind: String {
        case counter, gauge, histogram
    }

    /// The page so far.
    package private(set) var text = ""

    /// An empty page.
    package init() {}

    /// Begins a family.
    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// A sample of the family that was begun last.
    package mutating func sample(_ name: String, _ value: Int, label: (name: String, value: String)? = nil) {
        sample(name, "\(value)", label: label)
    }

    /// A sample of the family that was begun last.
    package mutating func sample(_ name: String, _ value: Double, label: (name: String, value: String)? = nil) {
        sample(name, "\(value)", label: label)
    }

    /// A sample with several labels.
    package mutating func sample(_ name: String, _ value: Int, labels: [(name: String, value: String)]) {
        let shown = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        text += "\(name){\(shown)} \(value)\n"
    }

    /// A family with one sample.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        family(name, kind, help)
        sample(name, value)
    }

    /// Writes a family of buckets.
    /// - Parameter unit: the number of the histogram's units in one of the family's: 1,000 for milliseconds shown in
    ///   seconds.
    package mutating func histogram(_ name: String, _ help: String, _ histogram: BucketHistogram, unit: Int64 = 1) {
        family(name, .histogram, help)
        var below = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            below += count
            sample("\(name)_bucket", below, label: ("le", "\(Double(bound) / Double(unit))"))
        }
        sample("\(name)_bucket", histogram.count, label: ("le", "+Inf"))
        sample("\(name)_sum", Double(histogram.sum) / Double(unit))
        sample("\(name)_count", histogram.count)
    }

    /// A family with one sample for each value of a label.
    package mutating func labelled(
        _ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(value: String, count: Int)]
    ) {
        family(name, kind, help)
        for (value, count) in values { sample(name, count, label: (label, value)) }
    }

    private mutating func sample(_ name: String, _ value: String, label: (name: String, value: String)?) {
        if let label {
            text += "\(name){\(label.name)=\"\(label.value)\"} \(value)\n"
        } else {
            text += "\(name) \(value)\n"
        }
    }
}
