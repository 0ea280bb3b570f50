/// A language of `roost chat`: the words of every phrase. A text is code, so plurals, the order of words and the gender
/// of nouns are the language's own; sentences are never put together of parts that a translator doesn't see as one.
/// Values, without state.
protocol Language: Sendable {
    func text(_ phrase: SessionPhrase) -> String
    func text(_ phrase: FailurePhrase) -> String
    func text(_ phrase: ConversationPhrase) -> String
    func text(_ phrase: ScreenPhrase) -> String
    func text(_ phrase: MessagePhrase) -> String
    func text(_ phrase: DeedPhrase) -> String
    func text(_ phrase: PeoplePhrase) -> String
    func text(_ phrase: LinkPhrase) -> String
    func text(_ phrase: GroupPhrase) -> String
    func text(_ phrase: LinePhrase) -> String
    func text(_ phrase: DayPhrase) -> String
    func text(_ phrase: HelpPhrase) -> String
    func text(_ form: CommandForm) -> String
    func text(_ help: TalkHelp) -> String
    func text(_ help: PeopleHelp) -> String
    /// The answers that mean yes, in lower case.
    var yes: [String] { get }
}

/// The language that a terminal speaks. The raw value is the word that chooses it.
package enum LanguageChoice: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    /// Each text in brackets, for translators and tests: what is in none is in no catalogue.
    case brackets = "en_XA"

    /// The language that is asked for, or else the environment's: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that
    /// says something (POSIX.1-2017, section 8.2). English, if there isn't that one.
    package init(_ wanted: String?, environment: [String: String]) {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let locale = String((wanted ?? set ?? "").prefix { $0 != "." && $0 != "@" })
        let short = String(locale.prefix { $0 != "_" && $0 != "-" }).lowercased()
        self = LanguageChoice(rawValue: locale) ?? LanguageChoice(rawValue: short) ?? .english
    }

    var language: any Language {
        switch self {
        case .english: English()
        case .german: German()
        case .brackets: Brackets()
        }
    }
}

/// English in brackets.
struct Brackets: Language {
    private let english = English()

    var yes: [String] { english.yes }

    func text(_ phrase: SessionPhrase) -> String { wrap(phrase) }
    func text(_ phrase: FailurePhrase) -> String { wrap(phrase) }
    func text(_ phrase: ConversationPhrase) -> String { wrap(phrase) }
    func text(_ phrase: ScreenPhrase) -> String { wrap(phrase) }
    func text(_ phrase: MessagePhrase) -> String { wrap(phrase) }
    func text(_ phrase: DeedPhrase) -> String { wrap(phrase) }
    func text(_ phrase: PeoplePhrase) -> String { wrap(phrase) }
    func text(_ phrase: LinkPhrase) -> String { wrap(phrase) }
    func text(_ phrase: GroupPhrase) -> String { wrap(phrase) }
    func text(_ phrase: LinePhrase) -> String { wrap(phrase) }
    func text(_ phrase: DayPhrase) -> String { wrap(phrase) }
    func text(_ phrase: HelpPhrase) -> String { wrap(phrase) }
    func text(_ form: CommandForm) -> String { wrap(form) }
    func text(_ help: TalkHelp) -> String { wrap(help) }
    func text(_ help: PeopleHelp) -> String { wrap(help) }

    private func wrap(_ phrase: some Phrase) -> String { "⟦\(phrase.said(in: english))⟧" }
}
