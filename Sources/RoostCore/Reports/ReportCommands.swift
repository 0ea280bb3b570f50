import RoostFraming
import RoostWire

/// `contact.report`, `admin.reports` and `admin.report.…`: users' reports to the operators, and the operators' work on
/// them. Reported users don't learn of them. Loop thread only.
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
        /// Messages on each side of a reported one that operators see.
        let around: Int

        init(_ limits: Limits) {
            most = limits.reportsMax
            rate = .init(hourly: limits.reportsPerHour)
            rows = limits.historyDefault
            bytes = limits.pageBytes
            around = limits.reportSurroundings
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
    private let events: EventFrames
    private let prices: Prices
    private let counters: Counters
    private var reports: Reports

    init(
        _ bounds: Bounds, _ stored: [StoredReport], _ conversations: ConversationCommands, _ reads: Reads,
        _ prices: Prices, _ counters: Counters
    ) {
        self.bounds = bounds
        directory = conversations.directory
        journal = conversations.journal
        delivery = conversations.delivery
        self.reads = reads
        replies = conversations.replies
        builder = replies.builder
        events = EventFrames(builder: replies.builder)
        self.prices = prices
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
            // A report of an unknown name gets the usual answer: another one would reveal which users exist.
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
        var people = Named()
        for report in reports.above(after ?? 0) where state == nil || (state == .closed) == (report.closing != nil) {
            guard written < rows, builder.written.count <= bounds.bytes else {
                next = last
                break
            }
            builder.beginObject()
            write(report, &people)
            builder.endObject()
            last = report.number
            written += 1
        }
        builder.endArray()
        if let next { builder.member("next", next) }
        write(people)
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    /// Users named in an answer, each once.
    private struct Named {
        private(set) var users: [User] = []
        private var known: Set<UserNumber> = []

        mutating func add(_ user: User) {
            if known.insert(user.number).inserted { users.append(user) }
        }
    }

    /// Writes what these users are called.
    private func write(_ people: Named) {
        builder.beginArray("people")
        for user in people.users {
            builder.beginObject()
            builder.outline(of: user)
            if let name = user.profile?.stored.username, !name.isEmpty { builder.member("username", plain: name) }
            builder.endObject()
        }
        builder.endArray()
    }

    private func write(_ report: StoredReport, _ people: inout Named) {
        builder.member("report", report.number)
        builder.member("state", word: (report.closing == nil ? ReportState.open : .closed).word)
        builder.member("time", report.time.milliseconds)
        if let reporter = directory.user(report.reporter) {
            builder.member("reporter", plain: reporter.name)
            people.add(reporter)
        }
        if let user = directory.user(report.user) {
            builder.member("user", plain: user.name)
            people.add(user)
        }
        if !report.conversation.isEmpty {
            builder.member("conversation", plain: report.conversation)
            builder.member("sequence", report.sequence.value)
            if let conversation = conversation(of: report) {
                if conversation.kind == .group { builder.member("group", conversation.appearance.name) }
            } else {
                builder.member("erased", true)
            }
        }
        builder.member("reason", word: report.reason.word)
        if !report.text.isEmpty { builder.member("text", report.text) }
        if let closing = report.closing {
            builder.member("closedBy", plain: closing.by)
            builder.member("closedAt", closing.time.milliseconds)
            if !closing.note.isEmpty { builder.member("note", closing.note) }
        }
    }

    /// The conversation of a reported message; nil if none was reported, or if it was erased since.
    private func conversation(of report: StoredReport) -> Conversation? {
        guard !report.conversation.isEmpty else { return nil }
        var id = report.conversation
        return id.withUTF8 { directory.conversation(named: Text(UnsafeRawBufferPointer($0))) }
    }

    private func find(_ number: Int64) throws(Refusal) -> StoredReport {
        guard let report = reports[number] else { throw Reports.unknown }
        return report
    }

    /// Shows a report with the message and what was said around it.
    func show(_ number: Int64, _ id: CommandID?, _ session: Session) throws(Refusal) {
        let report = try find(number)
        guard let conversation = conversation(of: report) else { return answer(report, nil, [], id, session) }
        try reads.check(session)
        // The most important ones first, because the answer may be too long for all.
        var wanted = [report.sequence]
        for distance in 1...Int64(max(1, bounds.around)) where distance <= bounds.around {
            wanted.append(SequenceNumber(report.sequence.value - distance))
            wanted.append(SequenceNumber(report.sequence.value + distance))
        }
        let since = conversation.member(report.reporter)?.since ?? .none
        let messages = wanted.filter { $0 > since && $0 > .none && $0 <= conversation.lastSequence }
            .map { (conversation: conversation.number, sequence: $0) }
        reads.ask(
            .latest(LatestRequest(messages: messages, for: report.reporter, bytes: bounds.bytes)),
            for: .reported(session, id, number))
    }

    /// The log has answered what the reported message says, and those around it.
    func answered(_ result: ReadResult, _ number: Int64, _ id: CommandID?, _ session: Session, at now: Moment) {
        guard session.phase == .ready else { return }
        prices.charge(bytes: result.bodyBytes, to: session, at: now)
        do throws(Refusal) {
            guard !result.isFailed else { throw Refusal(.unavailable, "the store could not be read") }
            let report = try find(number)
            let events = result.events.sorted { $0.sequence < $1.sequence }
            answer(report, conversation(of: report), events, id, session)
        } catch {
            replies.refuse(Refusal(error.code, error.reason, id: id), session)
        }
    }

    private func answer(
        _ report: StoredReport, _ conversation: Conversation?, _ found: [StoredEvent], _ id: CommandID?,
        _ session: Session
    ) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("reported")
        var people = Named()
        builder.beginObject("report")
        write(report, &people)
        builder.endObject()
        if let conversation {
            builder.beginArray("messages")
            for event in found {
                builder.beginObject()
                // A message withheld from the reporter is one that the reporter hasn't seen.
                if event.isWithheld(from: report.reporter) {
                    events.writeHidden(event, in: conversation)
                } else {
                    let sender = directory.user(event.sender)
                    if let sender { people.add(sender) }
                    events.writeMessage(event, in: conversation, from: sender?.name ?? "", for: nil)
                }
                builder.endObject()
            }
            builder.endArray()
        }
        write(people)
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    /// Deletes the reported message as its author could have done it, also if the author has left the conversation.
    /// The journal answers when that is stored. One that is gone already is as good as deleted.
    func remove(_ number: Int64, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let report = try find(number)
        guard report.sequence != .none else { throw Refusal(.badRequest, "report: it isn't about a message") }
        guard let conversation = conversation(of: report), let author = directory.user(report.user) else {
            throw Refusal(.gone, "report: the message isn't there any more")
        }
        try journal.reserve(0)
        var append = Append(
            .delete, in: conversation.number, by: author.number, device: Speaker.deputyDevice, at: now.wall)
        append.reference = report.sequence
        append.withheldFrom = author.blocker(in: conversation)
        append.peer = author.peer(in: conversation)
        prices.charge(deliveries: conversation.audienceCount, to: session, at: now)
        journal.submit(append, session, id)
    }

    /// - Parameter name: the operator's, or the name that a service closes it for.
    func close(_ number: Int64, note: Text?, by name: String, _ now: Moment) throws(Refusal) {
        let closing = StoredReport.Closing(by: name, note: note?.string ?? "", at: now.wall)
        journal.store(.report(try reports.close(number, closing)))
        counters.reports.open = reports.open
    }
}
