/// Why a user reports somebody. The numbers are stored.
public enum ReportReason: UInt8, WireWord {
    /// Advertising, or the same to many.
    case spam = 1
    /// Insults, threats, or not leaving somebody alone.
    case harassment = 2
    /// The reported user pretends to be somebody else.
    case impersonation = 3
    /// What the law forbids.
    case illegal = 4
    /// What the text says.
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
    /// Nobody has.
    case open
    /// Somebody has.
    case closed

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .open: "open"
        case .closed: "closed"
        }
    }
}
