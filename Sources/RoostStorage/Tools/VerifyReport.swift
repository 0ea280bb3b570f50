/// Something in a store that isn't as it should be: one line for the operator, without bodies and keys.
public struct Finding: Sendable, Equatable {
    /// The mend for a finding.
    public enum Remedy: Sendable, Equatable {
        /// The log itself is damaged: only a copy has what was there.
        case restore
        /// Something is damaged that can be made anew from the log.
        case reindex
        /// Nothing is damaged: an import was cut short.
        case importAgain
    }

    /// The table.
    public var table: String
    /// Where in it: a position, a conversation, or both; may be empty.
    public var place: String
    /// The fault and its meaning.
    public var meaning: String
    /// The mend.
    public var remedy: Remedy
}

extension Finding: CustomStringConvertible {
    /// Table, place, what is wrong, what it means, what to do.
    public var description: String {
        let advice =
            switch remedy {
            case .restore: "restore a backup to have it back (`roost store restore`)"
            case .reindex: "stop the relay and run `roost store reindex`"
            case .importAgain:
                "run `roost store import` with the file, or leave it as it is by `roost store import --give-up`"
            }
        return "\(summary); \(advice)"
    }

    /// The same without what to do.
    var summary: String { "\(table)\(place.isEmpty ? "" : ", \(place)"): \(meaning)" }
}

/// The findings of a look through a store.
public struct VerifyReport: Sendable, Equatable {
    /// Findings that are listed one by one; more are only counted. A disk that fails damages thousands of rows.
    static let toldMax = 1_000

    /// In the order in which they were found, at most `toldMax`.
    public private(set) var findings: [Finding] = []
    /// Number of findings.
    public private(set) var findingCount = 0
    /// Number of those that are damage.
    public private(set) var damageCount = 0
    /// Rows of the log that were read.
    public internal(set) var rows: Int64 = 0
    /// Conversations in the directory.
    public internal(set) var conversations = 0
    /// Users in the directory.
    public internal(set) var users = 0
    /// The newest position.
    public internal(set) var head: Int64 = 0

    /// Nothing was found.
    public var isSound: Bool { findingCount == 0 }

    mutating func add(_ table: String, _ place: String, _ meaning: String, _ remedy: Finding.Remedy) {
        findingCount += 1
        if remedy != .importAgain { damageCount += 1 }
        guard findings.count < VerifyReport.toldMax else { return }
        findings.append(Finding(table: table, place: place, meaning: meaning, remedy: remedy))
    }
}
