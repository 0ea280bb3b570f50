import RoostClient
import RoostKit
import RoostWire

/// Says phrases in the user's language, safe to print whatever is filled in, and writes times. A value.
struct Words: Sendable {
    let language: any Language
    let clock: WallClock

    init(_ choice: LanguageChoice, _ clock: WallClock = WallClock()) {
        language = choice.language
        self.clock = clock
    }

    func callAsFunction(_ phrase: SessionPhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: FailurePhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: ConversationPhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: ScreenPhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: MessagePhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: DeedPhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: PeoplePhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: LinkPhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: GroupPhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: LinePhrase) -> String { say(phrase) }
    func callAsFunction(_ phrase: HelpPhrase) -> String { say(phrase) }

    /// Any phrase, safe to print.
    func say(_ phrase: any Phrase) -> String { TerminalText.printable(phrase.said(in: language)) }

    // MARK: Failures

    /// The sentence for a failed command.
    func failure(_ failure: RoostFailure) -> String {
        switch failure {
        case .refused(let refusal):
            guard let code = ErrorCode(word: refusal.code) else { return self(.refusedOtherwise(code: refusal.code)) }
            return self(.refused(code))
        case .ended(let ending): return self(FailurePhrase.ended(reason: ending.reason))
        case .notConnected: return self(FailurePhrase.notConnected)
        case .connectionLost, .timedOut: return self(.noAnswer)
        case .queueFull: return self(.queueFull)
        case .tooManyCommands: return self(.tooManyCommands)
        case .tooLarge: return self(.tooLarge)
        case .invalid(let reason): return self(.invalid(reason))
        case .unexpectedReply: return self(.badAnswer)
        case .cancelled: return self(.cancelled)
        }
    }

    /// The reason why a message waits for its user.
    func why(_ failure: SendFailure) -> String { self(.unsent(failure.reason)) }

    /// The reason why there is no connection: our codes have sentences, and what a server or the system says besides is
    /// quoted.
    func why(_ lost: Disconnection) -> String {
        if lost.isOfAnotherUser { return self(.otherToken) }
        if let code = lost.code.flatMap(CloseCode.init(rawValue:)),
            lost.reason.isEmpty || lost.reason == "\(code.reason)"
        {
            return self(.closed(code))
        }
        switch lost.reason {
        case "HTTP status 404": return "\(TerminalText.printable(lost.reason)): \(self(.noServerHere))"
        case "HTTP status 403": return "\(TerminalText.printable(lost.reason)): \(self(.notLetIn))"
        default: return TerminalText.printable(lost.reason)
        }
    }

    // MARK: Times

    /// The time of day, with the date unless it is today: in the form of ISO 8601, which every language reads.
    func time(_ time: Timestamp) -> String { clock.time(time) }

    /// The time of day if it is today, otherwise the date, both short.
    func short(_ time: Timestamp, now: Timestamp) -> String {
        if clock.isSameDay(time, now) { return clock.clock(time) }
        let (date, today) = (clock.date(time), clock.date(now))
        guard date.year == today.year else { return date.text }
        return say(DayPhrase.short(day: date.day, month: date.month))
    }

    /// A day: `Today`, `Tuesday 24 November`, with the year unless it is this one.
    func day(_ time: Timestamp, now: Timestamp) -> String {
        if clock.isSameDay(time, now) { return say(DayPhrase.today) }
        let (date, today) = (clock.date(time), clock.date(now))
        let year = date.year == today.year ? nil : date.year
        return say(DayPhrase.day(weekday: date.weekday, day: date.day, month: date.month, year: year))
    }
}
