import RoostFraming
import RoostWire

/// `contact.report`, `admin.reports` and `admin.report.close`: what users tell the operators of each other. What is
/// reported isn't told of it. Loop thread only.
final class ReportCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Reports that are kept.
        let most: Int
        /// Reports of one user.
        let rate: Spending.Rate
        /// Reports of a page whose command names no limit.
        let rows: Int
        /// Bytes at which a page ends early.
        let bytes: Int

        init(_ limits: Limits) {
            most = limits.reportsMax
            rate = .init(hourly: limits.reportsPerHour)
            rows = limits.historyDefault
            bytes = limits.pageBytes
        }
    }

    /// A report of a message, whose author the log is asked for.
    struct Draft {
        fileprivate let reason: ReportReason
        fileprivate let text: String
        fileprivate let conversation: String
        fileprivate let sequence: SequenceNumber
    }

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let reads: Reads
    private let replies: Replies
    private let builder: FrameBuilder
    private let counters: Counters
    private var reports: Reports

    init(
        _ bounds: Bounds, _ stored: [StoredReport], _ directory: Directory, _ journal: Journal, _ delivery: Delivery,
        _ reads: Reads, _ replies: Replies, _ counters: Counters
    ) {
        self.bounds = bounds
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.reads = reads
        self.replies = replies
        builder = replies.builder
        self.counters = counters
        reports = Reports(stored, atMost: bounds.most)
        counters.reports.open = reports.open
    }

    // MARK: Users

    func report(
        _ report: Command.Report, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try session.speaker()
        try replies.held.reserve()
        try reports.checkRoom()
        switch report.subject {
        case .user(let name):
            let other = directory.naming.person(named: name)
            if let other { try check(other, isReportedBy: user) }
            try spend(by: user, now)
            // A report of nobody is answered as any other: else it would say who has an account.
            guard let other else { return replies.acceptOnceStored(id, session, at: now) }
            var stored = StoredReport(0, by: user.number, of: other.number, report.reason, at: now.wall)
            stored.text = report.text?.string ?? ""
            add(stored)
            replies.acceptOnceStored(id, session, at: now)
        case .message(let target):
            let (conversation, _) = try directory.conversation(target.conversation, for: user)
            try conversation.check(target.sequence, for: user)
            try reads.check(session)
            try spend(by: user, now)
            let draft = Draft(
                reason: report.reason, text: report.text?.string ?? "", conversation: conversation.id,
                sequence: target.sequence)
            reads.ask(
                .latest(LatestRequest(messages: [(conversation.number, target.sequence)])),
                for: .report(Asker(session: session, user: user, id: id), draft))
        }
    }

    /// The log has answered who wrote a message that is reported. If it can't be read, the report has no author.
    func answered(_ result: ReadResult, _ draft: Draft, _ asker: Asker, at now: Moment) {
        do throws(Refusal) {
            try replies.held.reserve()
            try reports.checkRoom()
            let author = result.events.first.flatMap { directory.user($0.sender) }
            if let event = result.events.first, let conversation = directory.conversation(event.conversation),
                event.isWithheld(from: asker.user.number)
                    || directory.policy.withholds(event.kind, by: event.sender, in: conversation, from: asker.user)
            {
                throw Refusal(.notFound, "sequence: no such message in this conversation")
            }
            if let author { try check(author, isReportedBy: asker.user) }
            var stored = StoredReport(
                0, by: asker.user.number, of: author?.number ?? .none, draft.reason, at: now.wall)
            stored.text = draft.text
            stored.conversation = draft.conversation
            stored.sequence = draft.sequence
            add(stored)
            replies.acceptOnceStored(asker.id, asker.session, at: now)
        } catch {
            guard asker.session.phase == .ready else { return }
            replies.refuse(Refusal(error.code, error.reason, id: asker.id), asker.session)
        }
    }

    private func check(_ other: User, isReportedBy user: User) throws(Refusal) {
        guard other !== user else { throw Refusal(.badRequest, "you can't report yourself") }
    }

    private func spend(by user: User, _ now: Moment) throws(Refusal) {
        guard let wait = user.spent.reports.spend(1, of: bounds.rate, at: now.monotonic) else { return }
        throw Refusal(
            .rateLimited, "you have reported \(bounds.rate.burst) times within an hour", retryAfterMilliseconds: wait)
    }

    private func add(_ report: StoredReport) {
        let (added, forgotten) = reports.add(report)
        for number in forgotten { journal.store(.forgetReport(number)) }
        journal.store(.report(added))
        counters.reports.made += 1
        counters.reports.open = reports.open
    }

    // MARK: Operators

    func list(
        after: Int64?, limit: Int?, _ state: ReportState?, _ id: CommandID?, _ session: Session
    ) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("reports")
        builder.member("open", Int64(reports.open))
        builder.beginArray("list")
        let rows = limit ?? bounds.rows
        var written = 0
        var last: Int64?
        var next: Int64?
        for report in reports.above(after ?? 0) where state == nil || (state == .closed) == (report.closing != nil) {
            guard written < rows, builder.written.count <= bounds.bytes else {
                next = last
                break
            }
            write(report)
            last = report.number
            written += 1
        }
        builder.endArray()
        if let next { builder.member("next", next) }
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    private func write(_ report: StoredReport) {
        builder.beginObject()
        builder.member("report", report.number)
        builder.member("state", word: (report.closing == nil ? ReportState.open : .closed).word)
        builder.member("time", report.time.milliseconds)
        if let reporter = directory.user(report.reporter) { builder.member("reporter", plain: reporter.name) }
        if let user = directory.user(report.user) { builder.member("user", plain: user.name) }
        if !report.conversation.isEmpty {
            builder.member("conversation", plain: report.conversation)
            builder.member("sequence", report.sequence.value)
        }
        builder.member("reason", word: report.reason.word)
        if !report.text.isEmpty { builder.member("text", report.text) }
        if let closing = report.closing {
            builder.member("closedBy", plain: closing.by)
            builder.member("closedAt", closing.time.milliseconds)
            if !closing.note.isEmpty { builder.member("note", closing.note) }
        }
        builder.endObject()
    }

    func close(_ number: Int64, note: Text?, by name: String, _ now: Moment) throws(Refusal) {
        let closing = StoredReport.Closing(by: name, note: note?.string ?? "", at: now.wall)
        journal.store(.report(try reports.close(number, closing)))
        counters.reports.open = reports.open
    }
}
