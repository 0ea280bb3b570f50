/// The question, in the user's language, whether a name that no account has is meant. A value.
package struct NewUserQuestion: Sendable {
    private let words: Words

    /// Asks in this language.
    package init(_ language: LanguageChoice) { words = Words(language) }

    /// Asks whether to chat as a new user; one line.
    package func text(_ user: String) -> String { words(.newUserQuestion(user)) }

    /// The refusal, where there is no person to ask.
    package func refusal(_ user: String) -> String { words(.noSuchUser(user)) }

    /// Whether an answer means yes.
    package func isYes(_ answer: String) -> Bool { words.language.yes.contains(answer.lowercased()) }
}
