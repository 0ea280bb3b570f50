/// Something that happened, for the log of an app: numbers, codes and lines for the developer, and never a text, a name
/// or a token.
public struct RoostLogEntry: Sendable, Equatable, CustomStringConvertible {
    /// The importance of an entry.
    public enum Level: Int, Sendable, Comparable {
        /// Something that happens all the time.
        case debug
        /// Something that happens when all is well.
        case info
        /// A fault that mends itself.
        case warning
        /// A fault that needs a look.
        case error

        /// Ordered by weight.
        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// An event of the log.
    public enum Event: Sendable, Equatable {
        /// The file was opened; whether it was damaged, and how many waiting messages and changes were saved then.
        case opened(saved: Int?)
        /// The file can't be opened, and everything is kept in memory.
        case inMemory(String)
        /// A session has begun; whether the relay continues at this device's position.
        case connected(isResumed: Bool)
        /// Everything that was missed has come.
        case upToDate
        /// A session has ended, or a try failed: the close code, the relay's line, and how long until the next try.
        case disconnected(code: Int?, String, retryIn: Duration?)
        /// The relay has stored a message or a change.
        case sent
        /// The relay has refused one, which waits for its user.
        case refused(code: String)
        /// The relay's files are older than they were.
        case rewound
        /// The file can't be read or written.
        case storeFailed(String)
    }

    /// Its importance.
    public var level: Level
    /// Its event.
    public var event: Event

    init(_ event: Event) {
        self.event = event
        level =
            switch event {
            case .sent: .debug
            case .connected, .upToDate, .opened(nil): .info
            case .disconnected(_, _, let wait): wait == nil ? .error : .warning
            case .opened, .refused: .warning
            case .inMemory, .rewound, .storeFailed: .error
            }
    }

    /// One line.
    public var description: String {
        switch event {
        case .opened(nil): "opened the file"
        case .opened(let saved?): "the file was damaged; \(saved) waiting messages and changes were saved"
        case .inMemory(let why): "keeps everything in memory: \(why)"
        case .connected(let isResumed): isResumed ? "connected, and goes on" : "connected, and begins anew"
        case .upToDate: "up to date"
        case .disconnected(let code, let line, let wait):
            "disconnected\(code.map { " with \($0)" } ?? ""): \(line)"
                + (wait.map { "; tries again in \($0)" } ?? "")
        case .sent: "sent"
        case .refused(let code): "the relay has refused a message or a change: \(code)"
        case .rewound: "the relay's files are older than they were"
        case .storeFailed(let why): "the file can't be read or written: \(why)"
        }
    }
}

/// Counters of a device since its `Roost` was made.
public struct RoostCounters: Sendable, Equatable {
    /// Sessions that began.
    public internal(set) var sessions = 0
    /// Sessions that ended, and tries that failed, without the app having asked for it.
    public internal(set) var losses = 0
    /// Messages and changes that the relay has stored.
    public internal(set) var sent = 0
    /// Messages and changes that it has refused.
    public internal(set) var refused = 0
    /// Number of times the file couldn't be read or written.
    public internal(set) var storeFailures = 0
    /// Number of times the relay's files were found older.
    public internal(set) var rewinds = 0
    /// Messages and changes that wait or were refused, now.
    public internal(set) var waiting = 0
    /// The bytes of the file and its log, now; 0 in memory.
    public internal(set) var storeBytes: Int64 = 0

    init() {}

    /// Counts a logged event.
    mutating func note(_ event: RoostLogEntry.Event) {
        switch event {
        case .connected: sessions += 1
        case .disconnected: losses += 1
        case .sent: sent += 1
        case .refused: refused += 1
        case .storeFailed: storeFailures += 1
        case .rewound: rewinds += 1
        case .opened, .inMemory, .upToDate: break
        }
    }
}
