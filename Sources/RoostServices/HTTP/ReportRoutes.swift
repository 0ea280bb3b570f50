import HTTPTypes
import RoostWire

/// The routes by which operators look after reports, and show that they are still there.
struct ReportRoutes: Sendable {
    private static let base = "/v1/admin/reports"

    let desk: ReportDesk
    let limits: ServicesLimits

    func add(to table: inout RouteTable) {
        let (desk, limits) = (desk, limits)
        table.add(.get, ReportRoutes.base) { call throws(ServiceFault) in
            _ = try await desk.operators.caller(call.token)
            guard let fields = FormFields((call.query ?? "").utf8) else {
                throw ServiceFault(.badRequest, "the query can't be read")
            }
            let limit = try AdminRoutes.limit(try fields.number("limit"), limits)
            let state = try fields["state"].map { (word) throws(ServiceFault) in
                guard let state = ReportState(word: word) else { throw .invalid("state", "must be open or closed") }
                return state
            }
            let after = try fields.number("after")
            guard after.map({ $0 > 0 }) ?? true else { throw .invalid("after", "must be next of a page") }
            let page = try await desk.list(state, after: after, limit: Int64(limit))
            return Answer(200, type: "application/json", body: page, isPrivate: true)
        }
        table.add(.get, ReportRoutes.base + "/{report}") { call throws(ServiceFault) in
            let caller = try await desk.operators.caller(call.token)
            return .reported(try await desk.show(try ReportRoutes.number(call), to: caller))
        }
        table.add(.post, ReportRoutes.base + "/{report}/close") { call throws(ServiceFault) in
            let caller = try await desk.operators.caller(call.token)
            let members = try call.members()
            guard let action = try members.text("action").flatMap(ReportDesk.Action.init(rawValue:)) else {
                throw .invalid("action", "must be dismiss, remove, warn or suspend")
            }
            try await desk.close(
                try ReportRoutes.number(call), by: action, note: try members.text("note"),
                words: try members.text("text"), caller)
            return .done
        }
        table.add(.post, "/v1/admin/confirm") { call throws(ServiceFault) in
            let caller = try await desk.operators.caller(call.token)
            try await desk.operators.confirm(caller, by: try call.members().text("password"))
            return .done
        }
    }

    private static func number(_ call: Call) throws(ServiceFault) -> Int64 {
        guard let number = call.parameter.flatMap({ Int64($0) }), number > 0 else {
            throw ServiceFault(.notFound, "there is no such report")
        }
        return number
    }
}

extension Answer {
    fileprivate static func reported(_ shown: (reported: JSONMembers, account: Account?)) -> Answer {
        .json { writer in
            for name: StaticString in ["report", "messages", "people"] {
                if let value = shown.reported.value("\(name)") { writer.member(name, raw: value.raw) }
            }
            if let account = shown.account {
                writer.beginObject("account")
                account.writeForOperators(to: writer)
                writer.endObject()
            }
        }
    }
}
