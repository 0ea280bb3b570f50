import RoostCore
import RoostWire

/// Remembers when a text was erased or replaced: its old form stands in the write-ahead log until that is emptied. On
/// the writer's thread.
struct ErasedTexts {
    private let clock: () -> Int64
    private let bounds: StorageBounds
    /// When to empty the log, in monotonic milliseconds; nil if nothing was erased since.
    private var dueAt: Int64?
    /// Whether a reader was in the way the last time.
    private var isHeldBack = false

    /// `isSomethingLeft`: whether the log may hold texts that another process has erased.
    init(clock: @escaping () -> Int64, bounds: StorageBounds, isSomethingLeft: Bool) {
        self.clock = clock
        self.bounds = bounds
        if isSomethingLeft { note() }
    }

    /// A text was erased or replaced.
    mutating func note() {
        if dueAt == nil { dueAt = clock() + bounds.erasedMilliseconds }
    }

    /// A text was erased that mustn't be anywhere after this number of milliseconds.
    mutating func note(within milliseconds: Int64) {
        if !isHeldBack { dueAt = min(dueAt ?? .max, clock() + milliseconds) }
    }

    /// The log is to be emptied now, unless a reader was in the way a moment ago.
    mutating func hasten() {
        if !isHeldBack { dueAt = clock() }
    }

    /// Whether the log has to be emptied now.
    var isDue: Bool {
        guard let dueAt else { return false }
        return clock() >= dueAt
    }

    /// The log was emptied, or a reader was in the way.
    mutating func tried(isEmpty: Bool) {
        isHeldBack = !isEmpty
        dueAt = isEmpty ? nil : clock() + bounds.erasedRetryMilliseconds
    }
}

extension Mutation {
    /// Whether it may replace or remove something that a person or an app has written, so that the former text stands
    /// in the write-ahead log. Bodies are noted where they are changed.
    var mayEraseText: Bool {
        switch self {
        case .forgetUser, .forgetDevice, .status, .profile, .contact, .prospect, .invite, .report, .forgetReport,
            .forgetSignIns:
            true
        case .feedCursor(_, let position): position == nil
        case .append(let event): event.mayEraseText
        case .user, .device, .cursor, .end, .watermark, .steps, .answered, .dropRequest, .presence, .privacy,
            .exception, .revoke, .endSignIn, .expire, .alive, .lease:
            false
        }
    }
}

extension Append {
    fileprivate var mayEraseText: Bool {
        switch kind {
        case .state: true
        case .react: flag
        case .conversation:
            switch change {
            case .rename, .describe: true
            default: false
            }
        case .message, .edit, .delete: false
        }
    }
}
