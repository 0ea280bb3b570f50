/// One line of `roost doctor`.
struct Diagnosis: Equatable {
    enum State: String {
        case well = "ok"
        case doubtful = "look"
        case ill = "bad"
    }

    var state: State
    /// The examined thing: a word or two.
    var thing: String
    /// The finding, with its figure.
    var finding: String
    /// The mend; nil where there is nothing to do.
    var mend: String?

    static func well(_ thing: String, _ finding: String) -> Diagnosis {
        Diagnosis(state: .well, thing: thing, finding: finding)
    }

    static func doubtful(_ thing: String, _ finding: String, mend: String) -> Diagnosis {
        Diagnosis(state: .doubtful, thing: thing, finding: finding, mend: mend)
    }

    static func ill(_ thing: String, _ finding: String, mend: String) -> Diagnosis {
        Diagnosis(state: .ill, thing: thing, finding: finding, mend: mend)
    }

    /// The lines that are printed.
    var lines: [String] {
        let word = state.rawValue.padding(to: 5)
        return ["\(word)\(thing.padding(to: 14))\(finding)"] + (mend.map { ["     → \($0)"] } ?? [])
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
