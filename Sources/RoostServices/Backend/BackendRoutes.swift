import Foundation
import HTTPTypes
import RoostWire

/// The routes for backends with an API key: each is a command of the relay (Docs/HTTP.md).
package struct BackendRoutes: Sendable {
    private static let base = "/v1/backend/"
    private static let eraseRounds = 64
    private static let keyName = HTTPField.Name("Idempotency-Key")

    private let keys: APIKeys
    private let relay: any RelayCommands
    private let erasures: ErasureQueue
    private let sessions: SessionEnding
    private let naming: UserNaming
    private let limits: ServicesLimits

    /// - Parameters:
    ///   - relay: carries the commands out.
    ///   - accounts: whose sessions a key may end.
    package init(
        keys: APIKeys, relay: any RelayCommands, erasures: ErasureQueue, accounts: Accounts, limits: ServicesLimits
    ) {
        sessions = SessionEnding(accounts: accounts)
        naming = UserNaming(relay: relay, accounts: accounts)
        self.erasures = erasures
        self.keys = keys
        self.relay = relay
        self.limits = limits
    }

    /// Adds the routes.
    package func add(to table: inout RouteTable) {
        for command in BackendCommand.all {
            let (routes, keys) = (self, keys)
            // A client without a key can't send a large body.
            table.add(
                .post, BackendRoutes.base + command.path, bodyBytes: limits.commandBytes,
                guardian: { call throws(ServiceFault) in try await keys.check(call.token, for: command.word) },
                { call throws(ServiceFault) in try await routes.answer(call, command) })
        }
        addUsers(to: &table)
        addErasures(to: &table)
    }

    private func addUsers(to table: inout RouteTable) {
        let (keys, naming) = (keys, naming)
        table.add(.put, BackendRoutes.base + "users/{user}") { call throws(ServiceFault) in
            let key = try await keys.check(call.token, for: .users)
            let user = call.parameter?.removingPercentEncoding ?? ""
            return .named(user, version: try await naming.name(user, try call.object(), by: key.name))
        }
        table.add(
            .put, BackendRoutes.base + "users", bodyBytes: limits.commandBytes,
            guardian: { call throws(ServiceFault) in try await keys.check(call.token, for: .users) }
        ) { call throws(ServiceFault) in
            let key = try await keys.check(call.token, for: .users)
            let users = try call.object().objects("users") ?? []
            guard (1...UserNaming.most).contains(users.count) else {
                throw ServiceFault(
                    .badRequest, "users must be a list of 1 to \(UserNaming.most) objects", member: "users")
            }
            return .named(try await naming.name(users, by: key.name))
        }
    }

    private func addErasures(to table: inout RouteTable) {
        let (keys, relay, erasures) = (keys, relay, erasures)
        table.add(.post, BackendRoutes.base + "erase/messages") { call throws(ServiceFault) in
            try await keys.check(call.token, for: .erase)
            let user = try BackendRoutes.user(call)
            try await erasures.add(user)
            return .erasure(of: user, isDone: false, status: 202)
        }
        table.add(.post, BackendRoutes.base + "erase/messages/state") { call throws(ServiceFault) in
            try await keys.check(call.token, for: .erase)
            let user = try BackendRoutes.user(call)
            return .erasure(of: user, isDone: !(try await erasures.isUnderWay(user)), status: 200)
        }
        table.add(.post, BackendRoutes.base + "erase/conversation") { call throws(ServiceFault) in
            try await keys.check(call.token, for: .erase)
            let members = try call.members()
            guard let conversation = try members.text("conversation") else {
                throw ServiceFault(.badRequest, "conversation is missing", member: "conversation")
            }
            try await BackendRoutes.erase(conversation, by: relay)
            return .done
        }
    }

    private static func user(_ call: Call) throws(ServiceFault) -> String {
        guard let user = try call.members().text("user"), APIKey.isName(user), !user.hasPrefix("@") else {
            throw BackendRoutes.noUser
        }
        return user
    }

    /// The refusal of what can't be a user's id.
    static let noUser = ServiceFault(
        .badRequest,
        "user must be 1 to 64 printable ASCII characters without space, quotation mark and backslash, not beginning "
            + "with @", member: "user")

    /// Erases a conversation. A large group takes several commands; one that isn't there any more is erased.
    private static func erase(_ conversation: String, by relay: any RelayCommands) async throws(ServiceFault) {
        let command = RelayCommand(.erase, [.init(name: "conversation", text: conversation)])
        // A group of 10,000 members takes twenty.
        for _ in 0..<eraseRounds {
            do throws(ServiceFault) { _ = try await relay.carryOut(command) } catch {
                guard error.code == .notFound else { throw error }
                return
            }
        }
        throw ServiceFault(.busy, "the conversation isn't erased yet; ask again", retryAfter: 1)
    }

    private func answer(_ call: Call, _ command: BackendCommand) async throws(ServiceFault) -> Answer {
        let used = try await keys.check(call.token, for: command.word)
        let body = try call.object()
        if command.type.takesPrincipal, body["as"] == nil {
            throw ServiceFault(.badRequest, "as is missing", member: "as")
        }
        for (name, word) in command.asking where body["\(name)"] != nil && body.flag("\(name)") != false {
            try used.check(word)
        }
        if command.word == .sessions {
            try await keys.checkMayEnd(user: body.string("user"), sid: body.string("sid"))
        }
        // First, so that no token is issued in between, and whatever the relay says.
        if command.type == .revoke { try await sessions.end(body) }
        var members: [RelayCommand.Member] = []
        for name in command.members {
            guard let value = body.value("\(name)") else { continue }
            members.append(.init(name: name, value: value.raw))
        }
        for (name, word) in command.lacking where !used.words.contains(word) {
            members.append(.init(name: name, value: Array("true".utf8)))
        }
        if let key = try key(of: call, command) { members.append(.init(name: "key", value: Array("\"\(key)\"".utf8))) }
        let reply = try await relay.carryOut(
            RelayCommand(command.type, members, isRepeatable: command.isRepeatable)
        ).members
        return .passedOn(
            AnswerTable(command.path, words: used.words).filtered(reply),
            status: reply.flag("duplicate") == true ? 200 : command.status)
    }

    /// The key of a command: what `Idempotency-Key` says, with or without the quotation marks that the draft of the
    /// header wants (draft-ietf-httpapi-idempotency-key-header-07, section 2.1).
    private func key(of call: Call, _ command: BackendCommand) throws(ServiceFault) -> String? {
        guard command.key != .none else { return nil }
        let header = BackendRoutes.keyName.flatMap { call.headers[$0] }
        guard var key = header, !key.isEmpty else {
            guard command.key == .optional else {
                throw ServiceFault(.badRequest, "the header Idempotency-Key is missing")
            }
            return "api-" + RandomName.session()
        }
        if key.count >= 2, key.hasPrefix("\""), key.hasSuffix("\"") { key = String(key.dropFirst().dropLast()) }
        guard APIKey.isName(key) else {
            throw ServiceFault(
                .badRequest,
                "Idempotency-Key must be 1 to 64 printable ASCII characters without space, quotation mark and backslash"
            )
        }
        return key
    }
}

extension Answer {
    static func erasure(of user: String, isDone: Bool, status: Int) -> Answer {
        .json(status) { writer in
            writer.member("user", user)
            writer.member("done", isDone)
        }
    }

    /// Passes on a key's part of the relay's answer.
    static func passedOn(_ body: [UInt8], status: Int) -> Answer {
        Answer(status, type: "application/json", body: body, isPrivate: true)
    }
}
