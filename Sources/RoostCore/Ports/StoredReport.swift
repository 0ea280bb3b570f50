import RoostWire

/// A user's report to the operators.
public struct StoredReport: Hashable, Sendable {
    /// The end of a report.
    public struct Closing: Hashable, Sendable {
        /// The operator's name, from the token.
        public var by: String
        /// The operator's note; empty if there is none.
        public var note: String
        /// When.
        public var time: Timestamp

        /// Creates one.
        public init(by: String, note: String, at time: Timestamp) {
            self.by = by
            self.note = note
            self.time = time
        }
    }

    /// Its number, from 1. Later reports have higher ones.
    public var number: Int64
    /// The user who reported.
    public var reporter: UserNumber
    /// The reported user; `.none` if unknown.
    public var user: UserNumber
    /// The id of the conversation of a reported message; empty if none is.
    public var conversation = ""
    /// The reported message.
    public var sequence = SequenceNumber.none
    /// Why.
    public var reason: ReportReason
    /// The reporter's own words; empty if there are none.
    public var text = ""
    /// When.
    public var time: Timestamp
    /// The end of the report; nil while it is open.
    public var closing: Closing?

    /// Creates an open report of a user.
    public init(
        _ number: Int64, by reporter: UserNumber, of user: UserNumber, _ reason: ReportReason, at time: Timestamp
    ) {
        self.number = number
        self.reporter = reporter
        self.user = user
        self.reason = reason
        self.time = time
    }
}
