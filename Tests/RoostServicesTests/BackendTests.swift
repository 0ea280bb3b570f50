import HTTPTypes
import Logging
import RoostStore
import RoostWire
import Synchronization
import Testing

@testable import RoostServices

/// A relay that gives the set answers, one after the other, and then is away.
final class TestRelay: RelayCommands {
    private struct State {
        var answers: [Result<String, ServiceFault>]
        var asked: [String] = []
        var rests = 0
    }

    private let state: Mutex<State>

    init(_ answers: [Result<String, ServiceFault>]) { state = Mutex(State(answers: answers)) }

    /// The commands, as they would go over the socket, without `id`.
    var asked: [String] { state.withLock { $0.asked } }
    var rests: Int { state.withLock { $0.rests } }

    func carryOut(_ command: RelayCommand) async throws(ServiceFault) -> RelayReply {
        let writer = JSONWriter()
        writer.begin(command.type.word)
        command.write(to: writer)
        writer.end()
        let text = String(decoding: writer.written, as: UTF8.self)
        let answer = state.withLock { state in
            state.asked.append(text)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { throw ServiceFault(.unavailable, "the relay is away", retryAfter: 1) }
        return RelayReply(Array(try answer.get().utf8))
    }

    func rest() async { state.withLock { $0.rests += 1 } }
}

extension DueWork {
    /// Tries again at once.
    static var hasty: DueWork { DueWork { _ in try await Task.sleep(for: .milliseconds(1)) } }
    /// Never tries again.
    static var once: DueWork { DueWork { _ in throw CancellationError() } }
}

/// Backends: their keys, what becomes of a request, and the erasing that goes on by itself.
struct BackendTests {
    private let folder = TestFolder()
    private let clock = TestClock()

    private func database() async throws -> ServicesDatabase {
        try await ServicesDatabase(path: folder.path + "/services.db", log: Logger(label: "test"))
    }

    private func accounts(_ database: ServicesDatabase) throws -> Accounts {
        let limits = ServicesLimits()
        return Accounts(
            settings: Accounts.Settings(), limits: limits, clock: clock.wall, database: database,
            hashes: try HashPool(limits: limits),
            keys: try KeyRing(data: folder.path, limits: limits, clock: clock.wall),
            mail: HeldMail(limits: limits, clock: clock.wall),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func ask(
        _ path: String, _ body: String, key: String?, _ database: ServicesDatabase, _ relay: TestRelay,
        words: Set<APIKey.Word> = Set(APIKey.Word.allCases)
    ) async throws -> RoostServices.Answer {
        let keys = APIKeys(database: database, clock: clock.wall)
        var table = RouteTable()
        BackendRoutes(
            keys: keys, relay: relay,
            erasures: ErasureQueue(database: database, relay: relay, clock: clock.wall, limits: ServicesLimits()),
            accounts: try accounts(database), limits: ServicesLimits()
        ).add(to: &table)
        let name = "k\(try await keys.all().count)"
        let text = try await keys.create(name, words: words)
        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(text)"
        if let key, let field = HTTPField.Name("Idempotency-Key") { headers[field] = key }
        let call = Call(parameter: nil, body: Array(body.utf8), headers: headers, client: "")
        return try await table.route(.post, "/v1/backend/" + path).route.handler(call)
    }

    // MARK: Keys

    @Test func onlyTheHashOfAKeyIsKept() async throws {
        let database = try await database()
        let keys = APIKeys(database: database, clock: clock.wall)
        let text = try await keys.create("shop", words: [.send])
        #expect(text.utf8.count == 53)
        #expect(try await keys.all() == [APIKey("shop", words: [.send], created: clock.now)])
        try await keys.check(text, for: .send)
        for (shown, word, code) in [
            (text, .erase, .forbidden), (text + "x", .send, .unauthorized), (nil, .send, .unauthorized),
            (String(text.dropLast()), .send, .unauthorized), ("", .send, .unauthorized),
        ] as [(String?, APIKey.Word, ServiceFault.Code)] {
            let fault = await #expect(throws: ServiceFault.self) { try await keys.check(shown, for: word) }
            #expect(fault?.code == code)
        }
        #expect(try await keys.remove("shop"))
        #expect(try await !keys.remove("shop"))
        await #expect(throws: ServiceFault.self) { try await keys.check(text, for: .send) }
    }

    @Test func keysAreBounded() async throws {
        let database = try await database()
        let keys = APIKeys(database: database, clock: clock.wall)
        try await database.write { database throws(LocalFailure) in
            for number in 0..<APIKeys.most {
                try APIKeyTable.insert(
                    APIKey("k\(number)", words: [], created: 0), hash: Array("\(number)".utf8), database)
            }
        }
        let full = await #expect(throws: ServiceFault.self) { try await keys.create("more", words: []) }
        #expect(full?.code == .tooLarge)
        _ = try await keys.remove("k7")
        _ = try await keys.create("more", words: [])
        let twice = await #expect(throws: ServiceFault.self) { try await keys.create("more", words: []) }
        #expect(twice?.code == .conflict)
    }

    // MARK: Requests

    @Test func aRequestBecomesACommand() async throws {
        let relay = TestRelay([.success(#"{"type":"ok","re":1,"sequence":7,"position":"e-1"}"#)])
        let body = #"{"as":"ann","to":"@bob","body":{"a":[null]},"kind":"x","key":"mine","id":9,"type":"bye","more":1}"#
        let answer = try await ask("messages", body, key: "k-1", try await database(), relay)
        #expect(relay.asked == [#"{"type":"send","as":"ann","to":"@bob","kind":"x","body":{"a":[null]},"key":"k-1"}"#])
        #expect(answer.status == 201)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"sequence":7,"position":"e-1"}"#)
    }

    @Test func aCommandThatWasCarriedOutBeforeIsAnsweredWith200() async throws {
        let relay = TestRelay([.success(#"{"type":"ok","re":1,"duplicate":true}"#)])
        let answer = try await ask(
            "messages", #"{"as":"a","to":"@b","body":"x"}"#, key: #""quoted""#, try await database(), relay)
        #expect(answer.status == 200 && relay.asked.first?.hasSuffix(#""key":"quoted"}"#) == true)
    }

    @Test func aChangeGetsAKeyOfOursSoThatWeMayAskTwice() async throws {
        let relay = TestRelay([.success(#"{"type":"ok","re":1}"#), .success(#"{"type":"ok","re":1}"#)])
        let database = try await database()
        for _ in 0..<2 {
            _ = try await ask(
                "conversations/rename", #"{"as":"a","conversation":"c","name":"N"}"#, key: nil, database, relay)
        }
        #expect(relay.asked.count == 2 && relay.asked[0].contains(#""key":"api-"#) && relay.asked[0] != relay.asked[1])
    }

    @Test func anEditOfAVersionNeedsRead() async throws {
        let (database, relay) = (try await database(), TestRelay([.success(#"{"type":"ok","re":1,"version":2}"#)]))
        let edit = #"{"as":"ann","conversation":"@bob","sequence":1,"body":"x","ifVersion":"#
        for version in ["1", "0", "\"1\"", "true", "{}"] {
            let fault = await #expect(throws: ServiceFault.self) {
                try await ask("messages/edit", edit + version + "}", key: nil, database, relay, words: [.send])
            }
            #expect(fault?.code == .forbidden, "\(version)")
        }
        #expect(relay.asked.isEmpty)
        let answer = try await ask("messages/edit", edit + "1}", key: nil, database, relay, words: [.send, .read])
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"version":2}"#)
    }

    @Test func refusalsOfTheRelayKeepTheirWords() {
        for (word, code, status) in [
            ("bad_request", .badRequest, 400), ("bad_position", .badPosition, 400), ("forbidden", .forbidden, 403),
            ("no_relationship", .noRelationship, 403),
            ("not_found", .notFound, 404), ("conflict", .conflict, 409), ("gone", .gone, 410),
            ("too_large", .tooLarge, 413), ("rate_limited", .rateLimited, 429), ("busy", .busy, 503),
            ("unavailable", .unavailable, 503), ("unknown_type", .unavailable, 503), ("new", .unavailable, 503),
        ] as [(String, ServiceFault.Code, Int)] {
            let text = #"{"type":"error","code":"\#(word)","reason":"why","retryAfter":1200}"#
            guard let value = JSONValue(parsing: text) else { continue }
            let fault = ServiceFault(CommandRefusal(reading: JSONMembers(value)))
            #expect(fault.code == code && fault.code.status == status)
            if status == 429 || word == "busy" { #expect(fault.retryAfter == 2) }
        }
    }

    @Test func aMemberThatIsThereTwiceIsRefusedOnEachPath() async throws {
        let (database, relay) = (try await database(), TestRelay([]))
        let paths = BackendCommand.all.map(\.path) + ["erase/messages", "erase/messages/state", "erase/conversation"]
        for path in paths {
            for body in [
                #"{"as":"ann","as":"bob","user":"ann","conversation":"c","to":"@carol","body":"x"}"#,
                #"{"as":"ann","user":"ann","user":null,"conversation":"c","to":"@carol","body":"x"}"#,
                #"{"as":"ann","user":"ann","conversation":"c","to":"@c","kind":"k","body":{"a":[{"b":1,"\u0062":2}]}}"#,
            ] {
                let fault = await #expect(throws: ServiceFault.self) {
                    try await ask(path, body, key: "k", database, relay)
                }
                #expect(fault?.code == .badJSON, "\(path)")
            }
        }
        #expect(relay.asked.isEmpty)
    }

    // MARK: Sessions

    @Test(arguments: [
        (#"{"user":"USER"}"#, []), (#"{"user":"USER","device":"phone"}"#, ["tablet", "desk"]),
        (#"{"sid":"SID"}"#, ["tablet", "desk"]), (#"{"user":"USER","device":"none"}"#, ["phone", "tablet", "desk"]),
        // A command that the relay refuses ends nothing.
        (#"{"user":"USER","sid":"SID"}"#, ["phone", "tablet", "desk"]),
        (#"{"user":"USER","device":7}"#, ["phone", "tablet", "desk"]),
        (#"{"user":"USER","until":7}"#, ["phone", "tablet", "desk"]),
        (#"{"sid":"SID","device":"phone"}"#, ["phone", "tablet", "desk"]),
    ])
    func aRevocationEndsTheSessionsEvenIfTheRelayIsAway(body: String, left: [String]) async throws {
        let database = try await database()
        let accounts = try accounts(database)
        let first = try await accounts.signUp(
            Accounts.Application(
                email: "ann@example.org", password: "correct horse", displayName: "Ann", device: "phone"), client: "c")
        var tokens = [first]
        for device in ["tablet", "desk"] {
            tokens.append(
                try await accounts.signIn(
                    email: "ann@example.org", password: "correct horse", device: device, client: "c"))
        }
        let text = body.replacing("USER", with: first.user).replacing("SID", with: first.sid)
        let relay = TestRelay([])
        let fault = await #expect(throws: ServiceFault.self) {
            try await ask("sessions/revoke", text, key: nil, database, relay, words: [.sessions])
        }
        #expect(fault?.code == .unavailable && relay.asked.count == 1)
        var refreshed: [String] = []
        for one in tokens where (try? await accounts.refresh(one.refresh, key: nil)) != nil {
            refreshed.append(one.device)
        }
        #expect(refreshed == left)
        // Each is sent to the relay when it is back, whatever becomes of the request.
        let told = try await database.read { database throws(LocalFailure) in
            try RevocationTable.next(100, now: 0, database).map(\.revocation.sid)
        }
        #expect(Set(told) == Set(tokens.filter { !left.contains($0.device) }.map(\.sid)))
    }

    // MARK: Erasing

    private func page(_ position: String, more: Bool) -> Result<String, ServiceFault> {
        .success(#"{"type":"ok","re":1,"erasure":{"erased":1,"position":"\#(position)","more":\#(more)}}"#)
    }

    private func run(_ queue: ErasureQueue, until isDone: () async throws -> Bool) async throws {
        let task = Task { await queue.run() }
        while try await !isDone() { await Task.yield() }
        task.cancel()
        await task.value
    }

    @Test func anErasingGoesOnFromWhereItWas() async throws {
        let database = try await database()
        // The third time the relay is away, and then the process ends.
        let first = TestRelay([page("e-5", more: true), page("e-9", more: true)])
        let asked = clock.now
        let queue = ErasureQueue(
            database: database, relay: first, clock: clock.wall, limits: ServicesLimits(), due: .once)
        try await queue.add("ann")
        await queue.run()
        #expect(try await queue.isUnderWay("ann"))
        // The log is another one: it begins anew.
        let second = TestRelay([
            .failure(ServiceFault(.badPosition, "")), page("f-3", more: true), page("f-4", more: false),
        ])
        let again = ErasureQueue(
            database: database, relay: second, clock: clock.wall, limits: ServicesLimits(), due: .hasty)
        try await run(again) { try await !again.isUnderWay("ann") }
        func asking(_ after: String?) -> String {
            let place = after.map { #","after":"\#($0)""# } ?? ""
            return #"{"type":"admin.erase","user":"ann"\#(place),"until":\#(asked)}"#
        }
        #expect(first.asked == [asking(nil), asking("e-5"), asking("e-9")])
        #expect(second.asked == [asking("e-9"), asking(nil), asking("f-3")])
    }

    @Test func onlyWhatWasWrittenBeforeTheLastRequestGoes() async throws {
        let database = try await database()
        let relay = TestRelay([page("e-1", more: true), page("e-2", more: false)])
        let queue = ErasureQueue(
            database: database, relay: relay, clock: clock.wall, limits: ServicesLimits(), due: .hasty)
        try await queue.add("ann")
        clock.advance(seconds: 5)
        try await queue.add("ann")
        let second = clock.now
        // However long it takes.
        clock.advance(seconds: 60)
        try await run(queue) { try await !queue.isUnderWay("ann") }
        #expect(
            relay.asked == [
                #"{"type":"admin.erase","user":"ann","until":\#(second)}"#,
                #"{"type":"admin.erase","user":"ann","after":"e-1","until":\#(second)}"#,
            ])
    }

    @Test func everythingOfADeletedAccountGoes() async throws {
        for isDeletedFirst in [true, false] {
            let database = try await database()
            let relay = TestRelay([page("e-1", more: false)])
            let queue = ErasureQueue(
                database: database, relay: relay, clock: clock.wall, limits: ServicesLimits(), due: .hasty)
            let delete = {
                try await database.write { database throws(LocalFailure) in try ErasureQueue.add("ann", database) }
            }
            if isDeletedFirst { try await delete() }
            try await queue.add("ann")
            if !isDeletedFirst { try await delete() }
            try await run(queue) { try await !queue.isUnderWay("ann") }
            #expect(relay.asked == [#"{"type":"admin.erase","user":"ann"}"#])
        }
    }

    @Test func nothingIsErasedBeforeTheSocketsAreClosed() async throws {
        let database = try await database()
        try await database.write { database throws(LocalFailure) in
            try RevocationTable.insert(Revocation(user: "ann", until: .max), now: 0, database)
            for user in ["ann", "bob"] { try ErasureQueue.add(user, database) }
        }
        let relay = TestRelay([page("e-1", more: false), page("e-2", more: false)])
        let queue = ErasureQueue(
            database: database, relay: relay, clock: clock.wall, limits: ServicesLimits(), due: .hasty)
        try await run(queue) { try await !queue.isUnderWay("bob") && relay.rests > 0 }
        #expect(relay.asked == [#"{"type":"admin.erase","user":"bob"}"#])
        try await database.write { database throws(LocalFailure) in
            try database.run("DELETE FROM revocation")
        }
        let again = ErasureQueue(
            database: database, relay: relay, clock: clock.wall, limits: ServicesLimits(), due: .hasty)
        try await run(again) { try await !again.isUnderWay("ann") }
    }

    @Test func erasingAUserWhoNeverWroteIsDoneAtOnce() async throws {
        let database = try await database()
        let relay = TestRelay([.failure(ServiceFault(.notFound, ""))])
        let queue = ErasureQueue(
            database: database, relay: relay, clock: clock.wall, limits: ServicesLimits(), due: .hasty)
        try await queue.add("nobody")
        try await run(queue) { try await !queue.isUnderWay("nobody") && relay.rests > 0 }
    }

    @Test func erasingsAreBounded() async throws {
        var limits = ServicesLimits()
        limits.erasuresMax = 2
        let queue = ErasureQueue(
            database: try await database(), relay: TestRelay([]), clock: clock.wall, limits: limits)
        try await queue.add("a")
        try await queue.add("b")
        let fault = await #expect(throws: ServiceFault.self) { try await queue.add("c") }
        #expect(fault?.code == .busy && fault?.retryAfter != nil)
    }
}
