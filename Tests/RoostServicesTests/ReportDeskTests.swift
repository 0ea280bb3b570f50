import Logging
import RoostStore
import RoostWire
import Testing

@testable import RoostServices

/// Operators' work on reports: only fresh sessions act, and each act is written to the audit log first.
struct ReportDeskTests {
    private let folder = TestFolder()
    private let clock = TestClock()
    private let line = Operators.Caller(name: "@olga", hasAccount: false)

    private func operators() async throws -> Operators {
        var limits = ServicesLimits()
        limits.addressAttempts = 1_000
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return Operators(
            Accounts(
                settings: Accounts.Settings(), limits: limits, clock: clock.wall,
                database: try await ServicesDatabase(path: folder.path + "/services.db", log: log),
                hashes: try HashPool(limits: limits),
                keys: try KeyRing(data: folder.path, limits: limits, clock: clock.wall),
                mail: HeldMail(limits: limits, clock: clock.wall), log: log))
    }

    private func signUp(_ operators: Operators, _ email: String) async throws -> Accounts.Tokens {
        try await operators.accounts.signUp(
            Accounts.Application(email: email, password: "correct horse", displayName: "Ann"), client: "c")
    }

    private func operators(with email: String) async throws -> (operators: Operators, tokens: Accounts.Tokens) {
        let operators = try await operators()
        let user = try await signUp(operators, email).user
        _ = try await operators.setOperator(true, of: user, by: line)
        let tokens = try await operators.accounts.signIn(
            email: email, password: "correct horse", device: nil, client: "c")
        return (operators, tokens)
    }

    private func code(_ body: () async throws -> Void) async -> ServiceFault.Code? {
        do { try await body() } catch { return (error as? ServiceFault)?.code }
        return nil
    }

    private func acts(_ operators: Operators) async throws -> [String] {
        try await operators.audit(of: nil, before: nil, limit: 100).map {
            "\($0.entry.act.rawValue) \($0.entry.user ?? "-") \($0.entry.detail ?? "-")"
        }
    }

    private static func page(_ user: String, state: String = "open") -> Result<String, ServiceFault> {
        .success(
            #"{"type":"ok","re":1,"reports":{"open":1,"list":[{"report":7,"state":"\#(state)","time":1,"#
                + #""reporter":"a","user":"\#(user)","conversation":"c-1","sequence":3,"group":"Crew","#
                + #""reason":"spam"}],"people":[]}}"#)
    }

    private static let done = Result<String, ServiceFault>.success(#"{"type":"ok","re":1}"#)

    @Test func onlyFreshOperatorsActAndThePasswordMakesThemFresh() async throws {
        let (operators, tokens) = try await operators(with: "olga@example.org")
        let bob = try await signUp(operators, "bob@example.org").user
        let caller = try await operators.caller(tokens.access)
        let desk = ReportDesk(operators: operators, relay: TestRelay([]))
        clock.advance(seconds: 601)
        #expect(await code { try await desk.close(7, by: .dismiss, note: nil, words: nil, caller) } == .signInAgain)
        #expect(await code { _ = try await operators.suspend(bob, by: caller) } == .signInAgain)
        #expect(await code { try await operators.delete(bob, by: caller) } == .signInAgain)
        #expect(await code { _ = try await operators.setOperator(true, of: bob, by: caller) } == .signInAgain)
        #expect(await code { try await operators.resetFactor(of: bob, by: caller) } == .signInAgain)
        #expect(await code { try await operators.confirm(caller, by: "wrong one") } == .invalidCredentials)
        #expect(await code { try await operators.requireFresh(caller) } == .signInAgain)
        try await operators.confirm(caller, by: "correct horse")
        _ = try await operators.suspend(bob, by: caller)
        clock.advance(seconds: 600)
        #expect(await code { try await operators.requireFresh(caller) } == .signInAgain)
        // The command line has shown that it may read the keys.
        try await operators.requireFresh(line)
    }

    @Test func freshSessionsAreBounded() {
        let sessions = FreshSessions()
        for number in 0..<FreshSessions.most { sessions.note("s\(number)", until: 100 + Int64(number), now: 0) }
        sessions.note("one more", until: 5_000, now: 0)
        #expect(sessions.count == FreshSessions.most)
        #expect(!sessions.has("s0", now: 0) && sessions.has("s1", now: 0) && sessions.has("one more", now: 0))
        sessions.note("later", until: 9_000, now: 4_000)
        #expect(sessions.count == 2 && !sessions.has("one more", now: 5_000))
    }

    @Test func actsAreInTheAuditLogEvenIfTheRelayFails() async throws {
        let operators = try await operators()
        let relay = TestRelay([ReportDeskTests.page("bob"), .failure(ServiceFault(.gone, "gone"))])
        let desk = ReportDesk(operators: operators, relay: relay)
        #expect(await code { try await desk.close(7, by: .remove, note: nil, words: nil, line) } == .gone)
        #expect(try await acts(operators) == ["remove bob report 7"])
        #expect(relay.asked.last == #"{"type":"admin.report.remove","report":7}"#)
    }

    @Test func aWarningIsAMessageOfTheModeratorsAndClosesTheReport() async throws {
        let operators = try await operators()
        let done = ReportDeskTests.done
        let relay = TestRelay([ReportDeskTests.page("bob"), done, done, done])
        let desk = ReportDesk(operators: operators, relay: relay)
        try await desk.close(7, by: .warn, note: "first time", words: "Please stop.", line)
        #expect(try await acts(operators) == ["warn bob report 7"])
        #expect(relay.asked.count == 4)
        #expect(relay.asked[1] == #"{"type":"admin.profile","user":"roost-moderators","name":"Moderators"}"#)
        let sent = #"{"type":"send","as":"roost-moderators","to":"@bob","key":"report-7","body":"A message"#
        #expect(relay.asked[2].hasPrefix(sent))
        #expect(relay.asked[2].contains("Please stop.") && relay.asked[2].contains("“Crew” was reported: Spam."))
        let note = #""note":"warned the user: first time","by":"@olga"}"#
        #expect(relay.asked[3] == #"{"type":"admin.report.close","report":7,"# + note)
    }

    @Test func failedActsAreReportedAndLeaveTheReportOpen() async throws {
        let operators = try await operators()
        func close(
            _ action: ReportDesk.Action, _ answers: Result<String, ServiceFault>...
        ) async -> ServiceFault.Code? {
            let relay = TestRelay(answers)
            let code = await code {
                try await ReportDesk(operators: operators, relay: relay).close(
                    7, by: action, note: nil, words: nil, line)
            }
            #expect(!relay.asked.contains { $0.contains("admin.report.close") })
            return code
        }
        #expect(await close(.dismiss, ReportDeskTests.page("bob", state: "closed")) == .conflict)
        #expect(await close(.suspend, ReportDeskTests.page("nobody")) == .userNotFound)
        let closedGate = Result<String, ServiceFault>.failure(ServiceFault(.noRelationship, "no"))
        #expect(await close(.warn, ReportDeskTests.page("bob"), ReportDeskTests.done, closedGate) == .noRelationship)
        let none = #"{"type":"ok","re":1,"reports":{"open":0,"list":[],"people":[]}}"#
        #expect(await close(.dismiss, .success(none)) == .notFound)
        let desk = ReportDesk(operators: operators, relay: TestRelay([]))
        let long = String(repeating: "x", count: ReportDesk.wordsMax + 1)
        #expect(await code { try await desk.close(7, by: .warn, note: nil, words: long, line) } == .invalid)
        #expect(await code { try await desk.close(7, by: .warn, note: long, words: nil, line) } == .invalid)
    }

    @Test func aWarningIsInTheLanguageOfTheUser() {
        let german = ModeratorLetter("de").warning(group: nil, isMessage: true, reason: "harassment", words: "")
        #expect(german.hasPrefix("Eine deiner Nachrichten wurde gemeldet: Belästigung."))
        let english = ModeratorLetter("en").warning(group: "Crew", isMessage: false, reason: "new", words: "Stop.")
        #expect(english.hasPrefix("You were reported: Other reasons.\n\nStop.\n\n"))
    }

    @Test func readingAReportStandsInTheAuditLog() async throws {
        let operators = try await operators()
        let shown = #"{"type":"ok","re":1,"reported":{"report":{"report":7},"messages":[],"people":[]}}"#
        let relay = TestRelay([ReportDeskTests.page("bob"), .success(shown)])
        _ = try await ReportDesk(operators: operators, relay: relay).show(7, to: line)
        #expect(try await acts(operators) == ["read bob report 7"])
        #expect(relay.asked.last == #"{"type":"admin.report.show","report":7}"#)
    }
}
