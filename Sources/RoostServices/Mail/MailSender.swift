import Foundation

/// A mail to a person. The texts are the sender's.
package struct Letter: Sendable, Equatable {
    /// Why it is sent.
    package enum Purpose: String, Sendable, CaseIterable {
        /// To show that the address is the reader's.
        case verify
        /// To choose a new password.
        case reset
        /// The password has been changed. There is no link.
        case changed
        /// There is another way in, by an identity elsewhere. There is no link.
        case linked
        /// The same, because both have the reader's address; every other way in has ended. There is no link.
        case joined
        /// An operator has made a link that signs in to the account. It isn't in the letter.
        case opened
        /// A second factor is asked for from now on. There is no link.
        case guarded
        /// It is asked for no longer. There is no link.
        case unguarded
        /// A sign-in used a recovery code. There is no link.
        case recovered
    }

    /// The address, checked: no spaces and no control characters.
    package var to: String
    package var purpose: Purpose
    /// A link that works once, for anyone who has it: it is in no log.
    package var link: String?
    /// The reader's language, a tag such as `en`.
    package var language: String
    /// The reader's name, without control characters.
    package var displayName: String

    /// A letter.
    package init(to: String, purpose: Purpose, link: String?, language: String, displayName: String) {
        self.to = to
        self.purpose = purpose
        self.link = link
        self.language = language
        self.displayName = displayName
    }
}

/// Sends letters. `send` returns when it has taken the letter; it doesn't wait for another machine, and a letter that
/// can't be sent is its own concern.
package protocol MailSender: Sendable {
    /// Takes a letter.
    func send(_ letter: Letter) async
    /// Counts of mails.
    var counters: MailCounters { get }
    /// Letters that an operator is to hand over.
    func held() -> [HeldMail.Held]
    /// Gives up what waits.
    func stop()
}

extension MailSender {
    /// None, for those who hand no letter to a server.
    package var counters: MailCounters { MailCounters() }

    package func held() -> [HeldMail.Held] { [] }

    package func stop() {}
}

/// Prints mails to standard output, for a first start without a mail server. Everyone who sees the terminal sees
/// addresses and links.
package struct PrintedMail: MailSender {
    /// Prints to standard output.
    package init() {}

    package func send(_ letter: Letter) async {
        let words =
            switch letter.purpose {
            case .verify: "confirm your address"
            case .reset: "choose a new password"
            case .changed: "your password was changed"
            case .linked: "there is a new way to sign in"
            case .joined: "you signed in in a new way, and every other way was ended"
            case .opened: "an operator made a link that signs in to your account"
            case .guarded: "two-step verification is on"
            case .unguarded: "two-step verification is off"
            case .recovered: "somebody signed in with a recovery code"
            }
        let link = letter.link.map { ": \($0)" } ?? ""
        // A closed output isn't a failure.
        try? FileHandle.standardOutput.write(contentsOf: Data("mail to \(letter.to): \(words)\(link)\n".utf8))
    }
}

extension SMTPMail: MailSender {
    package func send(_ letter: Letter) async {
        let purpose: MailTexts.Purpose =
            switch letter.purpose {
            case .verify: .verify
            case .reset: .reset
            case .changed: .changed
            case .linked: .linked
            case .joined: .joined
            case .opened: .opened
            case .guarded: .guarded
            case .unguarded: .unguarded
            case .recovered: .recovered
            }
        post(
            MailLetter(
                to: letter.to, purpose: purpose, link: letter.link, language: letter.language,
                displayName: letter.displayName))
    }
}
