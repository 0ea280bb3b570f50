/// The answer to `admin.reports`: what users have reported, a page of it.
public struct ReportPage: Sendable, Equatable {
    /// A report.
    public struct Report: Sendable, Equatable {
        /// The end of a report.
        public struct Closing: Sendable, Equatable {
            /// The operator.
            public var by: String
            /// When.
            public var time: Timestamp
            /// The operator's note.
            public var note: String?
        }

        /// Its number.
        public var number: Int64
        /// When it was made.
        public var time: Timestamp
        /// The user who made it; nil if the user isn't known any more.
        public var reporter: String?
        /// The reported user; nil if the message can't be read, or the user isn't known any more.
        public var user: String?
        /// The id of the reported message's conversation; nil if no message is reported.
        public var conversation: String?
        /// The reported message.
        public var sequence: SequenceNumber?
        /// The name of the message's group; nil if it was in a direct conversation.
        public var group: String?
        /// Whether the message's conversation was erased since.
        public var isErased = false
        /// Why; nil if this version doesn't know the word.
        public var reason: ReportReason?
        /// The reporter's own words.
        public var text: String?
        /// The end of the report; nil while it is open.
        public var closing: Closing?
    }

    /// Number of open reports.
    public var open: Int64
    /// The reports of this page.
    public var reports: [Report]
    /// Profiles of the users in the reports.
    public var people: [UserProfile]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: Int64?
}

/// The answer to `admin.report.show`: a report with the message, and what was written around it.
public struct ShownReport: Sendable, Equatable {
    /// The report.
    public var report: ReportPage.Report
    /// The reported message and those around it, in order; nil if no message was reported, or if its conversation was
    /// erased since. One that can't be read is missing.
    public var messages: [Message]?
    /// Profiles of the users in it.
    public var people: [UserProfile]

    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let shown = members.object("reported"), let report = shown.object("report"),
            let read = ReportPage.Report(reading: report)
        else { return nil }
        self.report = read
        messages = shown.objects("messages")?.compactMap(Message.init(reading:))
        people = UserProfile.people(reading: shown)
    }
}

extension ReportPage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let page = members.object("reports"), let list = page.objects("list"), let open = page.integer("open")
        else { return nil }
        self.open = open
        reports = list.compactMap(Report.init(reading:))
        people = UserProfile.people(reading: page)
        next = page.integer("next")
    }
}

extension ReportPage.Report {
    init?(reading members: JSONMembers) {
        guard let number = members.integer("report"), let time = members.time("time"),
            let state = members.string("state").flatMap(ReportState.init(word:))
        else { return nil }
        self.number = number
        self.time = time
        reporter = members.string("reporter")
        user = members.string("user")
        conversation = members.string("conversation")
        sequence = members.sequence("sequence")
        group = members.string("group")
        isErased = members.flag("erased") ?? false
        reason = members.string("reason").flatMap(ReportReason.init(word:))
        text = members.string("text")
        guard state == .closed else { return }
        guard let by = members.string("closedBy"), let at = members.time("closedAt") else { return nil }
        closing = Closing(by: by, time: at, note: members.string("note"))
    }
}
