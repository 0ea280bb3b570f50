import RoostWire

/// Looks for the spans that a device has missed in each of its user's conversations, up to a position. A user may be in
/// so many that this takes several turns. It looks at the conversations that the user was in at its beginning: a
/// conversation joined later misses nothing up to that position.
final class MissedSpans: Chore {
    private let session: Session
    private let memberships: [Member]
    private let settings: Member?
    private let departures: [ConversationNumber: Departure]
    private let sent: Position
    private let upTo: Position
    private let underWay: WindowCatchUp.Slot
    private let isFound: (Session, consuming SpanQueue) -> Void
    private var nextMember = 0
    private var nextDeparture: Dictionary<ConversationNumber, Departure>.Index
    private var found = SpanQueue()

    /// Creates a search.
    /// - Parameters:
    ///   - sent: the device has everything up to here.
    ///   - upTo: nothing above it is wanted.
    ///   - underWay: what the window has said to be left out isn't sent from the log either.
    ///   - isFound: is called at the end.
    init(
        of session: Session, _ user: User, after sent: Position, upTo: Position, _ underWay: WindowCatchUp.Slot,
        isFound: @escaping (Session, consuming SpanQueue) -> Void
    ) {
        self.session = session
        self.sent = sent
        self.upTo = upTo
        self.underWay = underWay
        self.isFound = isFound
        memberships = user.memberships
        settings = user.settings
        departures = user.departures
        nextDeparture = departures.startIndex
    }

    func work(_ steps: inout Int) -> Bool {
        guard session.phase == .ready else { return true }
        while nextMember < memberships.count {
            guard steps > 0 else { return false }
            steps -= 1
            look(at: memberships[nextMember])
            nextMember += 1
        }
        while nextDeparture < departures.endIndex {
            guard steps > 0 else { return false }
            steps -= 1
            let (conversation, departure) = departures[nextDeparture]
            look(at: departure, from: conversation)
            departures.formIndex(after: &nextDeparture)
        }
        if let settings { look(at: settings) }
        // Handed over as a whole, because a copy would take as long as the search.
        var queue = SpanQueue()
        swap(&queue, &found)
        isFound(session, queue)
        return true
    }

    private func look(at member: Member) {
        let last = member.conversation.lastPosition
        // Not always up to the end, so that sessions that missed the same events ask for the same page.
        guard last > sent, !member.conversation.isVeiled(from: member.user.number) else { return }
        add(.init(member, after: sent, upTo: min(last, upTo)))
    }

    private func look(at departure: Departure, from conversation: ConversationNumber) {
        if departure.leftAt > sent { add(.init(conversation, departure, after: sent, upTo: upTo)) }
    }

    private func add(_ span: PageRequest.Span) {
        var span = span
        if let gap = underWay[span.conversation] { span.goOn(in: gap) }
        found.add(span)
    }
}

extension PageRequest.Span {
    /// The span that a device misses of a conversation that its user is in.
    /// - Parameter sent: the device has everything up to here.
    init(_ member: Member, after sent: Position, upTo end: Position = Position(.max)) {
        let from = max(sent, Position(member.joinedAt.value - 1))
        self.init(member.conversation.number, after: from, upTo: end, since: member.since)
    }

    /// The span that a device misses of a conversation that its user has left.
    init(
        _ conversation: ConversationNumber, _ departure: Departure, after sent: Position,
        upTo end: Position = Position(.max)
    ) {
        let from = max(sent, Position(departure.joinedAt.value - 1))
        self.init(conversation, after: from, upTo: min(departure.leftAt, end), since: departure.since)
        leftAt = departure.leftAt
    }

    /// The same for a user who may have left the conversation since it was made: what became of messages after that
    /// isn't sent.
    func cut(for user: User) -> PageRequest.Span {
        guard user.conversations[conversation] == nil, let departure = user.departures[conversation],
            departure.leftAt < leftAt
        else { return self }
        var span = self
        span.leftAt = departure.leftAt
        return span
    }

    /// Continues in the middle of a gap that the window has sent. More may have to be left out by now.
    mutating func goOn(in gap: PageRequest.Span) {
        after = max(after, gap.after)
        skip = gap.skip
    }
}
