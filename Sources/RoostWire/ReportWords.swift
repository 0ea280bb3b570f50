/// The reason for a report. The numbers are stored.
public enum ReportReason: UInt8, WireWord {
    /// Advertising, or the same to many.
    case spam = 1
    /// Insults, threats, or stalking.
    case harassment = 2
    /// The reported user pretends to be another person.
    case impersonation = 3
    /// Content against the law.
    case illegal = 4
    /// Another reason, in the text.
    case other = 5

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .spam: "spam"
        case .harassment: "harassment"
        case .impersonation: "impersonation"
        case .illegal: "illegal"
        case .other: "other"
        }
    }
}

/// Whether an operator has closed a report.
public enum ReportState: WireWord {
    /// No operator has closed it.
    case open
    /// An operator has closed it.
    case closed

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .open: "open"
        case .closed: "closed"
        }
    }
}
