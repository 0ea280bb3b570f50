import Foundation
import RoostChat
import RoostWire

/// Accounts as text for operators.
enum AccountText {
    /// An account and its sessions.
    static func person(_ answer: JSONMembers) -> [String] {
        let account = answer.object("account") ?? JSONMembers()
        var facts =
            account.string("email").map {
                ["address \($0), \(account.flag("verified") == true ? "confirmed" : "not confirmed")"]
            } ?? ["no address"]
        if account.flag("hasPassword") == false { facts.append("no password") }
        if account.flag("hasFactor") == true { facts.append("two-step verification") }
        facts += words(account)
        facts.append("language \(account.string("language") ?? "")")
        if let time = account.integer("created") { facts.append("since \(self.time(time))") }
        let lines = (answer.objects("sessions") ?? []).map { session in
            "  \(session.string("device") ?? "")  session \(session.string("session") ?? "")"
                + ", since \(time(session.integer("created") ?? 0)), last used \(time(session.integer("used") ?? 0))"
        }
        let ways = (answer.objects("identities") ?? []).map { one in
            "  signs in by \(one.string("issuer") ?? ""), since \(time(one.integer("created") ?? 0))"
        }
        let links = (answer.objects("links") ?? []).map { one in
            "  has a link to \(one.string("purpose") ?? ""), works until \(time(one.integer("expires") ?? 0))"
        }
        return ([head(account), "  " + facts.joined(separator: ", ")] + lines + ways + links).map(
            TerminalText.printable)
    }

    /// The user of a link, and its lifetime.
    static func whose(_ user: String, _ answer: JSONMembers) -> String {
        TerminalText.printable("for \(user), works once, until \(time(answer.integer("expires") ?? 0))")
    }

    /// An account of a list.
    static func line(_ account: JSONMembers) -> String {
        let facts = [account.string("email")].compactMap { $0 } + words(account)
        return TerminalText.printable(([head(account)] + facts).joined(separator: ", "))
    }

    private static func head(_ account: JSONMembers) -> String {
        "\(account.string("user") ?? "")  \(account.string("displayName") ?? "")"
    }

    private static func words(_ account: JSONMembers) -> [String] {
        var words: [String] = []
        if let role = account.string("role") { words.append("role \(role)") }
        if let tier = account.string("tier") { words.append("tier \(tier)") }
        if account.flag("operator") == true { words.append("operator") }
        if account.flag("suspended") == true { words.append("suspended") }
        return words
    }

    /// An entry of the audit log.
    static func entry(_ entry: JSONMembers) -> String {
        let words = ["act", "user", "detail"].compactMap { entry.string($0) }
        let line = "\(time(entry.integer("time") ?? 0))  \(entry.string("by") ?? "")  " + words.joined(separator: " ")
        return TerminalText.printable(line)
    }

    /// A waiting mail.
    static func letter(_ letter: JSONMembers) -> String {
        let words = letter.string("purpose") == "reset" ? "choose a new password" : "confirm the address"
        let until = time(letter.integer("expires") ?? 0)
        return TerminalText.printable(
            "\(letter.string("email") ?? "")  \(words) until \(until): \(letter.string("link") ?? "")")
    }

    private static func time(_ milliseconds: Int64) -> String {
        WallClock().time(Timestamp(milliseconds: milliseconds))
    }
}
