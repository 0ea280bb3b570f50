import Foundation
import RoostServicesConfiguration
import Synchronization
import Testing

@testable import RoostServices

@Suite(.enabled(if: MailServer.isThere), .timeLimit(.minutes(1)))
struct SMTPMailTests {
    private let letter = MailLetter(
        to: "ann@example.org", purpose: .verify, link: "https://chat.example.org/verify?token=abc", language: "de",
        displayName: "Änne")

    private func mail(
        _ server: MailServer, _ settings: MailSettings, trusts: Bool = true, waits: [Duration] = [],
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> SMTPMail {
        let client = try OutgoingClient(OutgoingSettings(caFile: trusts ? server.authority : nil))
        var bounds = MailBounds()
        bounds.waits = waits
        return try SMTPMail(settings, client: client, minutes: 30, bounds: bounds, report: report)
    }

    /// Waits until no letter is under way.
    private func settle(_ mail: SMTPMail) async throws {
        while mail.counters.waiting > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("A letter arrives by STARTTLS with a password, in the reader's language")
    func startTLS() async throws {
        let server = try MailServer(["--user", "roost", "--password", "pass word"])
        let settings = server.settings { settings in
            settings.user = "roost"
            settings.password = "pass word"
            settings.replyTo = "help@example.org"
        }
        let mail = try mail(server, settings)
        let start = ContinuousClock.now
        mail.post(letter)
        try await settle(mail)
        print("a letter was delivered in \(ContinuousClock.now - start)")
        #expect(mail.counters == MailCounters(sent: 1, failed: 0, waiting: 0))
        let received = try #require(try server.received.first)
        #expect(received.encrypted && received.user == "roost")
        #expect(received.sender == "no-reply@example.org" && received.recipients == ["ann@example.org"])
        let text = received.text.replacingOccurrences(of: "=\r\n", with: "")
        #expect(text.contains("https://chat.example.org/verify?token=3Dabc\r\n"))
        #expect(text.contains("Hallo =C3=84nne,") && text.contains("gilt 30 Minuten"))
        #expect(text.contains("Auto-Submitted: auto-generated\r\n") && text.contains("Reply-To: help@example.org\r\n"))
    }

    @Test("A letter arrives by TLS from the first byte")
    func tls() async throws {
        let server = try MailServer(["--security", "tls"])
        #expect(try await mail(server, server.settings { $0.security = .tls }).tryOnce(letter) == .sent)
        #expect(try server.received.map(\.encrypted) == [true])
    }

    @Test("A server without TLS gets nothing, unless that is allowed on this machine")
    func plain() async throws {
        let server = try MailServer(["--security", "none"])
        guard case .deferred = try await mail(server, server.settings()).tryOnce(letter) else {
            Issue.record("it was sent without TLS")
            return
        }
        #expect(try server.received.isEmpty)
        #expect(try await mail(server, server.settings { $0.security = .none }).tryOnce(letter) == .sent)
    }

    @Test("A server with a strange certificate gets nothing")
    func strangeCertificate() async throws {
        let server = try MailServer()
        let outcome = try await mail(server, server.settings(), trusts: false).tryOnce(letter)
        #expect(outcome == .deferred("SSL peer certificate or SSH remote key was not OK"))
        #expect(try server.received.isEmpty)
    }

    @Test("A wrong password isn't tried again, and isn't in any line")
    func wrongPassword() async throws {
        let server = try MailServer(["--user", "roost", "--password", "right"])
        let lines = Mutex([String]())
        let settings = server.settings { settings in
            settings.user = "roost"
            settings.password = "wrong-secret"
        }
        let mail = try mail(server, settings, waits: [.zero]) { line in lines.withLock { $0.append(line) } }
        mail.post(letter)
        try await settle(mail)
        #expect(mail.counters == MailCounters(sent: 0, failed: 1, waiting: 0))
        let said = lines.withLock { $0 }
        #expect(said.count == 1 && said.allSatisfy { $0.contains("535") && !$0.contains("secret") })
    }

    @Test("Greylisting is waited for, within its tries")
    func greylisting() async throws {
        let server = try MailServer()
        try server.behave("{\"defer\": 2}")
        let patient = try mail(server, server.settings(), waits: [.milliseconds(1), .milliseconds(1)])
        patient.post(letter)
        try await settle(patient)
        #expect(patient.counters == MailCounters(sent: 1, failed: 0, waiting: 0))
        try server.behave("{\"defer\": 3}")
        let lines = Mutex([String]())
        let hasty = try mail(server, server.settings(), waits: [.milliseconds(1)]) { line in
            lines.withLock { $0.append(line) }
        }
        hasty.post(letter)
        try await settle(hasty)
        #expect(hasty.counters == MailCounters(sent: 0, failed: 1, waiting: 0))
        let said = lines.withLock { $0 }
        #expect(said.count == 1 && said.allSatisfy { $0.contains("451") && !$0.contains("example.org") })
        #expect(try server.received.count == 1)
    }

    @Test("An unknown address isn't tried again, and whoever tries mail learns why")
    func unknownAddress() async throws {
        let server = try MailServer()
        try server.behave("{\"refuse\": [\"ann@example.org\"]}")
        let mail = try mail(server, server.settings(), waits: [.seconds(60)])
        mail.post(letter)
        try await settle(mail)
        #expect(mail.counters == MailCounters(sent: 0, failed: 1, waiting: 0))
        guard case .refused(let words) = await mail.tryOnce(letter) else {
            Issue.record("it wasn't refused")
            return
        }
        #expect(words.hasSuffix(": 550 5.1.1 <ann@example.org> is unknown here"), "\(words)")
    }

    @Test("Letters beyond the bound are dropped and counted, and stopping gives up what waits")
    func isBounded() async throws {
        let server = try MailServer()
        try server.behave("{\"defer\": 1000}")
        let client = try OutgoingClient(OutgoingSettings(caFile: server.authority))
        var bounds = MailBounds()
        bounds.letters = 2
        bounds.waits = [.seconds(60)]
        let mail = try SMTPMail(server.settings(), client: client, minutes: 30, bounds: bounds) { _ in }
        for _ in 0..<3 { mail.post(letter) }
        #expect(mail.counters == MailCounters(sent: 0, failed: 1, waiting: 2))
        mail.stop()
        mail.post(letter)
        try await settle(mail)
        #expect(mail.counters == MailCounters(sent: 0, failed: 4, waiting: 0))
    }

    @Test("Many letters at once all arrive")
    func many() async throws {
        let server = try MailServer()
        let mail = try mail(server, server.settings(), waits: [.milliseconds(10)])
        let start = ContinuousClock.now
        for _ in 0..<100 { mail.post(letter) }
        try await settle(mail)
        print("100 letters were delivered in \(ContinuousClock.now - start)")
        #expect(mail.counters == MailCounters(sent: 100, failed: 0, waiting: 0))
        #expect(try server.received.count == 100)
    }
}
