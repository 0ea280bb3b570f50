import RoostConfiguration
import RoostServicesConfiguration

/// Why the settings of mail can't be used: the key, and what is wrong with it. Never a password.
package struct MailSettingsFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// `mail.host` and so on.
    package let key: String
    /// A few words.
    package let reason: String
    /// Both.
    package var description: String { "\(key): \(reason)" }

    init(_ key: String, _ reason: String) {
        self.key = key
        self.reason = reason
    }
}

extension MailSettings {
    /// The checked route by which mail is sent.
    struct Route: Sendable {
        let url: OutgoingURL
        let from: Mailbox
        let replyTo: Mailbox?
    }

    /// Checks what is needed for sending by SMTP.
    func route() throws(MailSettingsFault) -> Route {
        let isIPv6 = host.contains(":")
        let isName = !host.isEmpty && host.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"/?#@[]:%\\".utf8.contains($0) }
        guard isIPv6 ? NetworkAddress(host) != nil : isName else {
            throw MailSettingsFault("mail.host", "it has to be the name or address of a server")
        }
        guard (1...65_535).contains(port) else { throw MailSettingsFault("mail.port", "it has to be 1 to 65535") }
        guard security != .none || isLoopback else {
            throw MailSettingsFault("mail.security", "\"none\" is only for a server on this machine")
        }
        guard user.isEmpty == password.isEmpty else {
            throw MailSettingsFault("mail.password", "it and mail.user belong together")
        }
        guard let from = Mailbox(from) else {
            throw MailSettingsFault("mail.from", "it has to be an address, or \"Name <address>\"")
        }
        guard let replyTo = replyTo.isEmpty ? .some(nil) : Mailbox(replyTo).map(Optional.some) else {
            throw MailSettingsFault("mail.reply_to", "it has to be an address, or \"Name <address>\"")
        }
        let scheme = security == .tls ? "smtps" : "smtp"
        // How we introduce ourselves: some servers refuse the bare name of a machine.
        let greeting = from.address.domain.utf8.allSatisfy { $0 < 128 } ? from.address.domain : ""
        let text = "\(scheme)://\(isIPv6 ? "[\(host)]" : host):\(port)/\(greeting)"
        guard let url = OutgoingURL(text, schemes: ["smtp", "smtps"], bytes: 1_024) else {
            throw MailSettingsFault("mail.host", "it has to be the name or address of a server")
        }
        return Route(url: url, from: from, replyTo: replyTo)
    }

    private var isLoopback: Bool {
        let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
        return host == "localhost"
            || NetworkAddress(host).map { one in loopback.contains { $0.contains(one) } } ?? false
    }
}
