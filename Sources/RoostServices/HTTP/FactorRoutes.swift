import HTTPTypes
import RoostWire

/// The routes of second factors. Each reads the body, calls `Factors`, and writes what came of it.
struct FactorRoutes: Sendable {
    let factors: Factors

    func add(to table: inout RouteTable) {
        let (factors, accounts) = (factors, factors.accounts)
        table.add(.post, "/v1/sessions/factor") { call throws(ServiceFault) in
            let members = try call.members()
            let tokens = try await accounts.counts.count(.factor) { () throws(ServiceFault) in
                try await factors.signIn(
                    by: try members.text("ticket"), code: try members.text("code"),
                    device: try members.text("device"), client: call.client)
            }
            return .tokens(tokens)
        }
        table.add(.get, "/v1/account/factor") { call throws(ServiceFault) in
            let state = try await factors.state(of: try await accounts.caller(call.token))
            return .json { writer in
                if let since = state.since { writer.member("since", since) }
                writer.member("recoveryCodes", Int64(state.codes))
                writer.member("required", state.isRequired)
            }
        }
        table.add(.post, "/v1/account/factor") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let offer = try await factors.begin(of: caller, password: try call.members().text("password"))
            return .json(201) { writer in
                writer.member("secret", offer.secret)
                writer.member("address", offer.address)
                writer.member("expires", offer.expires)
            }
        }
        table.add(.delete, "/v1/account/factor") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let members = try call.members()
            try await factors.turnOff(
                of: caller, password: try members.text("password"), code: try members.text("code"))
            return .done
        }
        table.add(.post, "/v1/account/factor/confirm") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            return .codes(try await factors.turnOn(of: caller, code: try call.members().text("code")))
        }
        table.add(.post, "/v1/account/factor/codes") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let members = try call.members()
            return .codes(
                try await factors.renewCodes(
                    of: caller, password: try members.text("password"), code: try members.text("code")))
        }
    }
}

extension Answer {
    /// They are shown once.
    fileprivate static func codes(_ codes: [String]) -> Answer {
        .json { writer in
            writer.beginArray("recoveryCodes")
            for code in codes { writer.element(code) }
            writer.endArray()
        }
    }
}
