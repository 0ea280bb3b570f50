import Foundation
import HTTPTypes
import RoostWire

/// The routes of operators. Addresses and names are in bodies only: a path may be in the log of a proxy.
struct AdminRoutes: Sendable {
    let operators: Operators
    let limits: ServicesLimits

    func add(to table: inout RouteTable) {
        addLooks(to: &table)
        addChanges(to: &table)
        addEnds(to: &table)
    }

    private func addLooks(to table: inout RouteTable) {
        let (operators, limits) = (operators, limits)
        table.add(.post, "/v1/admin/users/find") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            let members = try call.members()
            if let address = try members.text("email") {
                return .page(try await operators.find(address: address, by: caller))
            }
            let cursor = try members.text("after").map { (text) throws(ServiceFault) in
                guard let cursor = AccountCursor(text) else { throw .invalid("after", "must be next of a page") }
                return cursor
            }
            let page = try await operators.find(
                prefix: try members.text("prefix") ?? "", after: cursor,
                limit: try AdminRoutes.limit(try members.number("limit"), limits), by: caller)
            return .page(page)
        }
        table.add(.get, "/v1/admin/users/{user}") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            return .person(try await operators.show(call.user, to: caller))
        }
        table.add(.get, "/v1/admin/audit") { call throws(ServiceFault) in
            _ = try await operators.caller(call.token)
            guard let fields = FormFields((call.query ?? "").utf8) else {
                throw ServiceFault(.badRequest, "the query can't be read")
            }
            let limit = try AdminRoutes.limit(try fields.number("limit"), limits)
            guard fields["user"] != "" else { throw .invalid("user", "must be an id") }
            let rows = try await operators.audit(
                of: fields["user"], before: try fields.number("before"), limit: limit)
            return .audit(rows, isLast: rows.count < limit)
        }
    }

    private func addChanges(to table: inout RouteTable) {
        let operators = operators
        table.add(.patch, "/v1/admin/users/{user}") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            let (user, members) = (call.user, try call.members())
            // Each is an act of its own.
            guard ["role", "tier", "operator"].count(where: members.has) == 1 else {
                throw ServiceFault(.invalid, "one of role, tier and operator must be there, and no other")
            }
            if let role = try members.text("role") {
                return .person(Operators.Person(account: try await operators.setRole(role, of: user, by: caller)))
            }
            if members.has("operator"), let value = try members.flag("operator") {
                let account = try await operators.setOperator(value, of: user, by: caller)
                return .person(Operators.Person(account: account))
            }
            // None is an empty text, because `null` is as if it weren't there.
            let tier = try members.text("tier").flatMap { $0.isEmpty ? nil : $0 }
            return .person(Operators.Person(account: try await operators.setTier(tier, of: user, by: caller)))
        }
        table.add(.post, "/v1/admin/users/{user}/suspend") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            return .person(
                Operators.Person(account: try await operators.suspend(call.user, by: caller)))
        }
        table.add(.post, "/v1/admin/users/{user}/resume") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            return .person(
                Operators.Person(account: try await operators.resume(call.user, by: caller)))
        }
    }

    private func addEnds(to table: inout RouteTable) {
        let operators = operators
        table.add(.delete, "/v1/admin/users/{user}/factor") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            try await operators.resetFactor(of: call.user, by: caller)
            return .done
        }
        table.add(.post, "/v1/admin/users/{user}/link") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            let made = try await operators.link(of: call.user, by: caller)
            return .json(201) { writer in
                writer.member("link", made.address)
                writer.member("expires", made.expires)
            }
        }
        table.add(.delete, "/v1/admin/users/{user}") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            try await operators.delete(call.user, by: caller)
            return .done
        }
        table.add(.delete, "/v1/admin/users/{user}/sessions") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            try await operators.endAll(of: call.user, by: caller)
            return .done
        }
        table.add(.delete, "/v1/admin/sessions/{sid}") { call throws(ServiceFault) in
            let caller = try await operators.caller(call.token)
            try await operators.end(call.parameter ?? "", by: caller)
            return .done
        }
    }

    static func limit(_ number: Int64?, _ limits: ServicesLimits) throws(ServiceFault) -> Int {
        guard let number else { return limits.pageUsual }
        guard (1...Int64(limits.pageMax)).contains(number) else {
            throw .invalid("limit", "must be 1 to \(limits.pageMax)")
        }
        return Int(number)
    }
}

extension Call {
    /// The user in the path. An id from elsewhere may have a character that a path can't.
    var user: String { parameter?.removingPercentEncoding ?? "" }
}

extension FormFields {
    /// A whole number; nil if it isn't there.
    func number(_ name: String) throws(ServiceFault) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let number = Int64(text) else { throw .invalid(name, "must be a whole number") }
        return number
    }
}

extension Answer {
    fileprivate static func person(_ person: Operators.Person) -> Answer {
        .json { writer in
            writer.beginObject("account")
            person.account.writeForOperators(to: writer)
            writer.endObject()
            writer.objects("sessions", person.sessions) { $0.write(to: writer, isCurrent: false) }
            // The person's ids at providers are private, so operators get no subjects.
            writer.objects("identities", person.identities) { $0.write(to: writer, hasSubject: false) }
            writer.objects("links", person.links) { $0.write(to: writer) }
        }
    }

    fileprivate static func page(_ page: Operators.Page) -> Answer {
        .json { writer in
            writer.objects("accounts", page.accounts) { $0.writeForOperators(to: writer) }
            if let next = page.next { writer.member("next", next.text) }
        }
    }

    fileprivate static func audit(_ rows: [AuditTable.Row], isLast: Bool) -> Answer {
        .json { writer in
            writer.objects("entries", rows) { row in
                writer.member("id", row.id)
                writer.member("time", row.time)
                writer.member("by", row.entry.actor)
                writer.member("act", row.entry.act.rawValue)
                if let user = row.entry.user { writer.member("user", user) }
                if let detail = row.entry.detail { writer.member("detail", detail) }
            }
            if let last = rows.last, !isLast { writer.member("next", last.id) }
        }
    }
}

extension Account {
    /// Writes the members for operators: the owner's, and those set by operators.
    func writeForOperators(to writer: JSONWriter) {
        write(to: writer)
        writer.member("suspended", isSuspended)
        writer.member("operator", isOperator)
    }
}
