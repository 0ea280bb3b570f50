import Foundation
import Testing

@testable import RoostServices

struct MailMessageTests {
    private func message(name: String = "", subject: String = "Hello", text: String = "Hi\n") throws -> [String] {
        let message = MailMessage(
            from: try #require(Mailbox("Roost <no-reply@example.org>")), replyTo: Mailbox("help@example.org"),
            to: Mailbox(name: name, address: try #require(MailAddress("ann@example.org"))), subject: subject,
            text: text, date: 784_111_777, id: "1f")
        return String(decoding: message.bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test("A letter has the form of RFC 5322")
    func form() throws {
        #expect(
            try message() == [
                "From: Roost", " <no-reply@example.org>", "Reply-To: help@example.org", "To: ann@example.org",
                "Subject: Hello", "Date: Sun, 6 Nov 1994 08:49:37 +0000", "Message-ID: <1f@example.org>",
                "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable", "Auto-Submitted: auto-generated", "", "Hi", "", "",
            ])
    }

    @Test(
        "No name and no subject begins another header",
        arguments: [
            "Ann\r\nBcc: eve@example.org", "Ann\nBcc: eve@example.org", "Ann\rBcc: eve", "Ann\0",
            "\" <eve@example.org>",
            "<eve@example.org>", "Ann, eve@example.org", "=?utf-8?Q?x?=", "Ann\u{2028}Bcc: x", "Ann\u{85}Bcc: x",
            " Ann", "Änne", "名前", String(repeating: "ö", count: 500), String(repeating: "a", count: 500), "", ".",
        ])
    func injection(_ foreign: String) throws {
        let lines = try message(name: foreign, subject: foreign)
        let head = lines.prefix { !$0.isEmpty }
        let names = head.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "From", "Reply-To", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding", "Auto-Submitted",
            ])
        for line in head { #expect(line.utf8.count <= 76 && line.utf8.allSatisfy { (32...126).contains($0) }) }
        #expect(!head.contains { $0.contains("<eve") })
        // It comes back as it was.
        let subject = head.drop { !$0.hasPrefix("Subject: ") }.prefix {
            $0.hasPrefix("Subject: ") || $0.hasPrefix(" =?")
        }
        let words = subject.map { $0.hasPrefix("Subject: ") ? $0.dropFirst(9) : $0.dropFirst(1) }
        let isEncoded = words.allSatisfy { $0.hasPrefix("=?utf-8?B?") && $0.hasSuffix("?=") }
        let decoded = try words.map { try #require(Data(base64Encoded: String($0.dropFirst(10).dropLast(2)))) }
        if isEncoded {
            #expect(String(decoding: decoded.reduce(Data(), +), as: UTF8.self) == foreign)
        } else {
            #expect(words.joined() == foreign)
        }
    }

    @Test("Text is written in short lines of ASCII that say the same")
    func quotedPrintable() {
        func written(_ text: String) -> String { String(decoding: MailMessage.quotedPrintable(text), as: UTF8.self) }
        #expect(written("a=b") == "a=3Db\r\n")
        #expect(written("ä \n.\r\nx\t") == "=C3=A4=20\r\n.\r\nx=09\r\n")
        let long = written(String(repeating: "ä", count: 100))
        #expect(long.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 76 })
        #expect(long.replacingOccurrences(of: "=\r\n", with: "") == String(repeating: "=C3=A4", count: 100) + "\r\n")
        #expect(written(String(repeating: "a", count: 75)) == String(repeating: "a", count: 75) + "\r\n")
    }

    @Test(
        "Addresses that could be read as something else aren't taken",
        arguments: [
            "", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\r\nRCPT TO:<c@d>", "a@b>", "<a@b", "a@b,c@d", "\"a\"@b",
            "a@[::1]",
            "a..b@c", ".a@b", "a@b.", "a@b\0", "a@b\u{2028}", "a@b\u{200B}c", "a(b)@c", "a@b;c", "a:b@c",
            String(repeating: "a", count: 250) + "@b.cc",
        ])
    func refusesAddress(_ text: String) { #expect(MailAddress(text) == nil) }

    @Test("Usual addresses are taken", arguments: ["a@b", "ann.o'neil+tag@mail.example.org"])
    func takesAddress(_ text: String) { #expect(MailAddress(text)?.text == text) }

    @Test("A domain is written to in A-labels, which every mail server knows")
    func domains() {
        #expect(MailAddress("mike@exämple.de")?.text == "mike@xn--exmple-cua.de")
        #expect(MailAddress("jürgen@müller.example")?.domain == "xn--mller-kva.example")
        #expect(MailAddress(String(repeating: "a", count: 65) + "@b.c") == nil)
    }

    @Test("A mailbox has a name or none")
    func mailbox() {
        #expect(Mailbox("a@b.c")?.name == "")
        #expect(Mailbox("My Chat <a@b.c>")?.name == "My Chat")
        #expect(Mailbox("<a@b.c>")?.address.text == "a@b.c")
        for text in ["My Chat", "My Chat <a@b.c", "<a@b.c> x", "a <b@c> <d@e"] { #expect(Mailbox(text) == nil) }
    }
}
