import RoostWire

/// The receiver of an answer of the log.
enum PendingRead {
    /// A page of catch-up, which several sessions may share.
    case page(CatchUpPage)
    case history(Asker, Conversation)
    case one(Asker, Conversation)
    case list(Asker, ListPage)
    case pins(Asker, PinnedPage)
    case created(Asker, Created)
    case whereabouts(Session, CommandID?, WhereaboutsReport.Page)
    case settings(Asker)
    case receipts(Asker, ReceiptListing.Page)
    /// The authors of messages that are to be unread again.
    case unread(Asker, UnreadMarks.Page)
    /// A page of the feed above a position.
    case feed(Session, CommandID?, after: Position)

    /// A user's messages and reactions to erase.
    case erasure(Asker)
    /// The author of a message that is reported.
    case report(Asker, ReportCommands.Draft)
    /// A reported message and those around it, for an operator, and the number of the report.
    case reported(Session, CommandID?, Int64)
    /// The author of a message in whose thread a user types.
    case typing(Asker, TypingCommands.Question)

    /// The session that asked; nil for a page.
    var session: Session? {
        switch self {
        case .page: nil
        case .history(let asker, _), .one(let asker, _), .list(let asker, _), .pins(let asker, _),
            .created(let asker, _), .erasure(let asker), .settings(let asker), .receipts(let asker, _),
            .report(let asker, _), .unread(let asker, _), .typing(let asker, _):
            asker.session
        case .whereabouts(let session, _, _), .feed(let session, _, _), .reported(let session, _, _): session
        }
    }

    /// The user that the query is made for: for a page, that of the session which asked first.
    var asker: UserNumber {
        switch self {
        case .page(let page): page.readers.first?.user?.number ?? .none
        case .history(let asker, _), .one(let asker, _), .list(let asker, _), .pins(let asker, _),
            .created(let asker, _), .erasure(let asker), .settings(let asker), .receipts(let asker, _),
            .report(let asker, _), .unread(let asker, _), .typing(let asker, _):
            asker.user.number
        case .whereabouts, .feed, .reported: session?.user?.number ?? .none
        }
    }
}

/// Reads of the log: those that the host has not taken yet, and who waits for the answers. It bounds the reads of
/// clients. It doesn't know what an answer means. Loop thread only.
final class Reads {
    /// The limits of this part.
    struct Bounds {
        /// Most reads under way for one session.
        var perSession: Int
        /// The same for one that belongs to no user, and may read for many.
        var perOperator: Int
        /// Most reads under way for all sessions together.
        var all: Int
        /// Most tries of a query while its subject changes.
        var attempts: Int
        /// The wait that a refused client is asked for.
        var retryMilliseconds: Int64

        init(_ limits: Limits) {
            perSession = limits.readsPerSession
            perOperator = limits.readsPerOperator
            all = limits.readsMax
            attempts = limits.readAttempts
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    private struct Waiting {
        let reader: PendingRead
        let question: Read.Question
        var attempts = 1
    }

    /// The state that a session keeps for this part.
    struct Slot {
        fileprivate var underWay = 0
    }

    private let bounds: Bounds
    private var asked: [Read] = []
    private var waiting: [UInt64: Waiting] = [:]
    private var nextTicket: UInt64 = 1
    /// Number of clients' reads under way.
    private var ofClients = 0

    init(_ bounds: Bounds) {
        self.bounds = bounds
    }

    /// Checks that this session may read. Called before any expensive preparation.
    /// - Throws: `rate_limited` or `busy`.
    func check(_ session: Session) throws(Refusal) {
        let most = most(of: session)
        guard session.reads.underWay < most else {
            throw Refusal(
                .rateLimited, "this session already has \(most) reads under way",
                retryAfterMilliseconds: bounds.retryMilliseconds)
        }
        guard ofClients < bounds.all else {
            throw Refusal(.busy, "too many reads are under way", retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    private func most(of session: Session) -> Int { session.user == nil ? bounds.perOperator : bounds.perSession }

    /// Adds a read. For a client, only after `check`.
    func ask(_ question: Read.Question, for reader: PendingRead) {
        if let session = reader.session {
            precondition(
                session.reads.underWay < most(of: session) && ofClients < bounds.all, "checked before it is asked")
            session.reads.underWay += 1
            ofClients += 1
        }
        waiting[nextTicket] = Waiting(reader: reader, question: question)
        asked.append(Read(ticket: nextTicket, question, asker: reader.asker))
        nextTicket += 1
    }

    /// Returns the reads added since the last call, which are asked at this time. Each is answered by its ticket.
    func take(at time: Timestamp) -> [Read] {
        guard !asked.isEmpty else { return [] }
        var taken: [Read] = []
        swap(&taken, &asked)
        for index in taken.indices { taken[index].time = time }
        return taken
    }

    /// Returns the receiver of this answer; nil if there is none, or if the query is repeated because the answer is
    /// older than what the session may have got. If all answers were, the read has failed.
    func answered(_ result: inout ReadResult, isStale: (Read.Question) -> Bool) -> PendingRead? {
        guard var answered = waiting.removeValue(forKey: result.ticket) else { return nil }
        if answered.reader.session?.phase == .ready, isStale(answered.question) {
            guard answered.attempts >= bounds.attempts else {
                answered.attempts += 1
                waiting[result.ticket] = answered
                asked.append(Read(ticket: result.ticket, answered.question, asker: answered.reader.asker))
                return nil
            }
            result = ReadResult(ticket: result.ticket, isFailed: true)
        }
        if let session = answered.reader.session {
            session.reads.underWay -= 1
            ofClients -= 1
        }
        return answered.reader
    }
}
