import HTTPTypes
import RoostWire

/// The routes by which operators see, make and end invitations of users.
struct AdminInviteRoutes: Sendable {
    private static let base = "/v1/admin/users/{user}/invites"

    let desk: InvitationDesk

    func add(to table: inout RouteTable) {
        let desk = desk
        table.add(.get, AdminInviteRoutes.base) { call throws(ServiceFault) in
            _ = try await desk.operators.caller(call.token)
            let invites = try await desk.list(of: call.user)
            return .json { $0.member("invites", raw: invites) }
        }
        table.add(.post, AdminInviteRoutes.base) { call throws(ServiceFault) in
            let caller = try await desk.operators.caller(call.token)
            let members = try call.members()
            let wanted = InvitationDesk.Wanted(
                conversation: try members.text("conversation"), uses: try members.number("uses"),
                milliseconds: try members.number("after"))
            let made = try await desk.make(wanted, of: call.user, by: caller)
            return .json(201) { writer in
                writer.member("link", made.link)
                writer.beginObject("invite")
                for name: StaticString in ["invite", "conversation", "kind", "uses", "used", "createdAt", "expires"] {
                    if let value = made.invite.value("\(name)") { writer.member(name, raw: value.raw) }
                }
                writer.endObject()
            }
        }
        table.add(.post, AdminInviteRoutes.base + "/revoke") { call throws(ServiceFault) in
            let caller = try await desk.operators.caller(call.token)
            guard let invite = try call.members().text("invite") else { throw .invalid("invite", "is required") }
            try await desk.revoke(invite, of: call.user, by: caller)
            return .done
        }
    }
}
