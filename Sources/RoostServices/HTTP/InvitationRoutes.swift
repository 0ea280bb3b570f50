import HTTPTypes
import RoostWire

/// The routes for people who follow an invitation and have no account. The code is in the body: a path may be in the
/// log of a proxy.
struct InvitationRoutes: Sendable {
    let invitations: Invitations

    func add(to table: inout RouteTable) {
        let (invitations, counts) = (invitations, invitations.accounts.counts)
        table.add(.post, "/v1/invitations/show") { call throws(ServiceFault) in
            let shown = try await invitations.show(try call.members().text("code"), client: call.client)
            return .json { writer in
                if let name = shown.name { writer.member("name", name) }
                if let group = shown.group { writer.member("group", group) }
            }
        }
        table.add(.post, "/v1/sessions/invitation") { call throws(ServiceFault) in
            let members = try call.members()
            let application = Accounts.Application(
                displayName: try members.text("displayName"), role: try members.text("role"),
                device: try members.text("device"), language: try members.text("language"))
            let tokens = try await counts.count(.link) { () throws(ServiceFault) in
                try await invitations.enter(by: try members.text("code"), application, client: call.client)
            }
            return .tokens(tokens)
        }
    }
}
