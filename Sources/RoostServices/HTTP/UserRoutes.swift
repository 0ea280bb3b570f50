import HTTPTypes
import RoostWire

/// The route by which people find others. The address is in the body: a path may be in the log of a proxy.
struct UserRoutes: Sendable {
    let lookup: UserLookup

    func add(to table: inout RouteTable) {
        let lookup = lookup
        table.add(.post, "/v1/users/lookup") { call throws(ServiceFault) in
            let caller = try await lookup.caller(call.token)
            let found = try await lookup.find(address: try call.members().text("email"), by: caller)
            return .json { writer in
                writer.member("user", found.user)
                writer.member("displayName", found.name)
            }
        }
    }
}
