import HTTPTypes
import RoostWire

/// The routes of accounts and sessions. Each reads the body, calls `Accounts`, and writes what came of it.
struct AccountRoutes: Sendable {
    let accounts: Accounts

    func add(to table: inout RouteTable) {
        addAccount(to: &table)
        addSessions(to: &table)
        addPasswords(to: &table)
    }

    private func addAccount(to table: inout RouteTable) {
        let accounts = accounts
        table.add(.post, "/v1/accounts") { call throws(ServiceFault) in
            let members = try call.members()
            let application = Accounts.Application(
                email: try members.text("email"), password: try members.text("password"),
                displayName: try members.text("displayName"), role: try members.text("role"),
                device: try members.text("device"), language: try members.text("language"))
            let tokens = try await accounts.counts.count(.signUp) { () throws(ServiceFault) in
                try await accounts.signUp(application, client: call.client)
            }
            return .tokens(tokens, status: 201)
        }
        table.add(.get, "/v1/accounts/rules") { _ throws(ServiceFault) in
            .json { writer in
                writer.member("passwordMin", Int64(accounts.settings.rules.passwordMin))
                writer.beginArray("roles")
                for role in accounts.settings.rules.roles { writer.element(role) }
                writer.endArray()
            }
        }
        table.add(.get, "/v1/account") { call throws(ServiceFault) in
            .account(try await accounts.account(of: try await accounts.caller(call.token)))
        }
        table.add(.patch, "/v1/account") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let members = try call.members()
            let changed = try await accounts.change(
                of: caller, name: try members.text("displayName"), language: try members.text("language"),
                role: try members.text("role"))
            return .account(changed)
        }
        table.add(.delete, "/v1/account") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            try await accounts.erase(caller, password: try call.members().text("password"))
            return .done
        }
        table.add(.post, "/v1/account/password") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let members = try call.members()
            return .account(
                try await accounts.addPassword(
                    of: caller, email: try members.text("email"), password: try members.text("password"),
                    client: call.client))
        }
        table.add(.get, "/v1/account/export") { call throws(ServiceFault) in
            let text = try await accounts.export(try await accounts.caller(call.token))
            return Answer(200, type: "application/json", body: text, isPrivate: true)
        }
    }

    private func addSessions(to table: inout RouteTable) {
        let accounts = accounts
        table.add(.post, "/v1/sessions") { call throws(ServiceFault) in
            let members = try call.members()
            let tokens = try await accounts.counts.count(.password) { () throws(ServiceFault) in
                try await accounts.signIn(
                    email: try members.text("email"), password: try members.text("password"),
                    device: try members.text("device"), client: call.client)
            }
            return .tokens(tokens)
        }
        table.add(.post, "/v1/sessions/link") { call throws(ServiceFault) in
            let members = try call.members()
            let application = Accounts.Application(
                displayName: try members.text("displayName"), role: try members.text("role"),
                device: try members.text("device"), language: try members.text("language"))
            let tokens = try await accounts.counts.count(.link) { () throws(ServiceFault) in
                try await accounts.enter(by: try members.text("token"), application, client: call.client)
            }
            return .tokens(tokens)
        }
        table.add(.post, "/v1/sessions/refresh") { call throws(ServiceFault) in
            let members = try call.members()
            let (token, key) = (try members.text("refreshToken"), try members.text("key"))
            let tokens = try await accounts.counts.count(.refresh) { () throws(ServiceFault) in
                try await accounts.refresh(token, key: key)
            }
            return .tokens(tokens)
        }
        table.add(.get, "/v1/sessions") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let sessions = try await accounts.sessions(of: caller)
            return .json { writer in
                writer.objects("sessions", sessions) { $0.write(to: writer, isCurrent: $0.sid == caller.sid) }
            }
        }
        table.add(.delete, "/v1/sessions") { call throws(ServiceFault) in
            try await accounts.endAll(of: try await accounts.caller(call.token))
            return .done
        }
        table.add(.delete, "/v1/sessions/current") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            try await accounts.end(caller.sid, of: caller)
            return .done
        }
        table.add(.delete, "/v1/sessions/{sid}") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            try await accounts.end(call.parameter ?? "", of: caller)
            return .done
        }
    }

    private func addPasswords(to table: inout RouteTable) {
        let accounts = accounts
        table.add(.post, "/v1/password/change") { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let members = try call.members()
            try await accounts.changePassword(
                of: caller, from: try members.text("password"), to: try members.text("newPassword"))
            return .done
        }
        table.add(.post, "/v1/password/forgot") { call throws(ServiceFault) in
            try accounts.forgot(email: try call.members().text("email"), client: call.client)
            return .json(202)
        }
        table.add(.post, "/v1/password/reset") { call throws(ServiceFault) in
            let members = try call.members()
            try await accounts.resetPassword(token: try members.text("token"), to: try members.text("password"))
            return .done
        }
        table.add(.post, "/v1/account/confirmation") { call throws(ServiceFault) in
            try await accounts.sendConfirmation(of: try await accounts.caller(call.token))
            return .json(202)
        }
        // By POST, so that the secret is in no log of addresses, although it changes nothing.
        table.add(.post, "/v1/email/verify/show") { call throws(ServiceFault) in
            let found = try await Confirmation(token: try call.members().text("token"), of: accounts)
            return .json { writer in
                writer.member("email", found.email)
                writer.member("displayName", found.name)
                writer.member("asked", found.asked)
            }
        }
        table.add(.post, "/v1/email/verify") { call throws(ServiceFault) in
            try await accounts.verifyEmail(token: try call.members().text("token"))
            return .done
        }
    }
}

extension Answer {
    static func account(_ account: Account) -> Answer {
        .json { account.write(to: $0) }
    }

    static func tokens(_ tokens: Accounts.Tokens, status: Int = 200) -> Answer {
        .json(status) { writer in
            writer.member("user", tokens.user)
            writer.member("device", tokens.device)
            writer.member("session", tokens.sid)
            writer.member("accessToken", tokens.access)
            writer.member("accessExpires", tokens.accessExpires)
            writer.member("refreshToken", tokens.refresh)
            writer.member("refreshExpires", tokens.refreshExpires)
        }
    }
}
