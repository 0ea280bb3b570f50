import Foundation
import RoostConfiguration
import RoostNames
import RoostServicesConfiguration

/// The rules for people's fields in their accounts. Pure.
package struct PersonRules: Sendable {
    package var limits: ServicesLimits
    /// Fewest characters of a password.
    package var passwordMin: Int
    /// Roles that may be chosen at sign-up; if there are none, no account has a role.
    package var roles: [String]
    /// Tiers that operators may give; if none are named, any word.
    package var tiers: [String] = []

    /// The rules of a configuration.
    package init(limits: ServicesLimits = ServicesLimits(), passwordMin: Int = 8, roles: [String] = []) {
        self.limits = limits
        self.passwordMin = passwordMin
        self.roles = roles
    }

    /// An address in the one form that is stored and compared: trimmed, in lower case, its domain in A-labels, so that
    /// one mailbox has one account however its domain is written. Whether it exists, only a mail can show.
    package func address(_ text: String?) throws(ServiceFault) -> String {
        guard let text else { throw .invalid("email", "is required") }
        let trimmed = String(text.unicodeScalars.trimming { $0.properties.isWhitespace })
        // In Unicode a domain may take more.
        guard (3...limits.addressBytes * 4).contains(trimmed.utf8.count) else {
            throw .invalid("email", "must have 3 to \(limits.addressBytes) bytes")
        }
        // One that no letter can be sent to would have no way back to its account. Letters beyond ASCII before the `@`
        // need a server with SMTPUTF8 on every way (RFC 6531); a domain without a dot is of no other network.
        // Before the case is folded: U+212A, the sign for Kelvin, becomes a `k`.
        guard trimmed.utf8.prefix(while: { $0 != UInt8(ascii: "@") }).allSatisfy({ $0 < 0x80 }),
            let address = MailAddress(trimmed.lowercased()), address.domain.contains(".")
        else { throw .invalid("email", "must be an address such as ann@example.org") }
        return address.text
    }

    /// A new password.
    package func newPassword(_ text: String?, member: String = "password") throws(ServiceFault) -> String {
        guard let text else { throw .invalid(member, "is required") }
        guard text.count >= passwordMin else {
            throw .invalid(member, "must have at least \(passwordMin) characters")
        }
        return try password(text, member: member)
    }

    /// A password that was chosen before, perhaps under other rules.
    package func password(_ text: String?, member: String = "password") throws(ServiceFault) -> String {
        guard let text, !text.isEmpty else { throw .invalid(member, "is required") }
        guard text.utf8.count <= limits.passwordBytes else {
            throw .invalid(member, "must have at most \(limits.passwordBytes) bytes")
        }
        return text
    }

    /// A person's name as the relay keeps it: trimmed and composed.
    package func name(_ text: String?) throws(ServiceFault) -> String {
        guard let text else { throw .invalid("displayName", "is required") }
        let name = NameForm.kept(text)
        guard !name.isEmpty else { throw .invalid("displayName", "is required") }
        guard name.unicodeScalars.count <= limits.nameScalars, name.utf8.count <= limits.nameBytes else {
            throw .invalid("displayName", "must have at most \(limits.nameScalars) characters")
        }
        if let fault = NameForm.fault(in: name.unicodeScalars, as: .name) { throw .invalid("displayName", fault.rule) }
        return name
    }

    /// The acceptable part of a name that was chosen under other rules; empty if there is none.
    func shortened(name text: String) -> String {
        var name = String(String.UnicodeScalarView(NameForm.mended(text).unicodeScalars.prefix(limits.nameScalars)))
        while name.utf8.count > limits.nameBytes { name.unicodeScalars.removeLast() }
        // The cut may have left a joiner at the end.
        return NameForm.mended(name)
    }

    /// The role that was chosen at sign-up; nil where there are none.
    package func role(_ text: String?) throws(ServiceFault) -> String? {
        guard !roles.isEmpty else {
            guard text == nil else { throw .invalid("role", "is not used by this server") }
            return nil
        }
        guard let text else { throw .invalid("role", "is required: one of \(roles.joined(separator: ", "))") }
        guard roles.contains(text) else { throw .invalid("role", "must be one of \(roles.joined(separator: ", "))") }
        return text
    }

    /// The tier that an operator gives.
    package func tier(_ text: String) throws(ServiceFault) -> String {
        guard tiers.isEmpty else {
            guard tiers.contains(text) else {
                throw .invalid("tier", "must be one of \(tiers.joined(separator: ", "))")
            }
            return text
        }
        guard ConfigurationRule.role.allows(text) else {
            throw .invalid("tier", "must be \(ConfigurationRule.role.allowed)")
        }
        return text
    }

    /// The name of a device; a random one if the client has none.
    package func device(_ text: String?) throws(ServiceFault) -> String {
        guard let text else { return RandomName.device() }
        return try name(text, of: "device")
    }

    /// The client's own name for what it asks for.
    func key(_ text: String) throws(ServiceFault) -> String { try name(text, of: "key") }

    // Docs/Protocol.md, section 2.
    private func name(_ text: String, of member: String) throws(ServiceFault) -> String {
        let isName =
            (1...limits.deviceBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
        guard isName else {
            throw .invalid(member, "must have 1 to \(limits.deviceBytes) printable ASCII characters without spaces")
        }
        return text
    }

    /// The language of mails.
    package func language(_ text: String?) throws(ServiceFault) -> String {
        guard let text else { return "en" }
        let isTag =
            (1...limits.languageBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
                default: false
                }
            }
        guard isTag else { throw .invalid("language", "must be a tag such as en or pt-BR") }
        return text
    }
}

extension BidirectionalCollection where SubSequence == Substring.UnicodeScalarView {
    fileprivate func trimming(_ isSpace: (Element) -> Bool) -> SubSequence {
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex..<endIndex]
        }
        return self[first...last]
    }
}
