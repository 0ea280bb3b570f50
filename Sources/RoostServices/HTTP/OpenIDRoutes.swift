import HTTPTypes
import RoostWire

/// The routes of signing in with others. Each reads the body, calls `Identities` or `OpenID`, and writes what came of
/// it.
struct OpenIDRoutes: Sendable {
    let identities: Identities

    func add(to table: inout RouteTable) {
        addBrowser(to: &table)
        addTokens(to: &table)
        addIdentities(to: &table)
    }

    private func addBrowser(to table: inout RouteTable) {
        let openID = identities.openID
        let accounts = identities.accounts
        table.add(.get, "/v1/openid") { _ throws(ServiceFault) in
            .json { writer in
                writer.objects("providers", openID.parties.filter { !$0.provider.client.isEmpty }) { party in
                    writer.member("id", party.provider.id)
                    writer.member("name", party.provider.name)
                }
            }
        }
        table.add(.get, "/v1/openid/{provider}/start", pages: .link) { call throws(ServiceFault) in
            let fields = FormFields((call.query ?? "").utf8)
            _ = try openID.party(call.parameter)
            do throws(ServiceFault) {
                try accounts.admit(client: call.client)
                return .redirect(302, try await openID.begin(call.parameter, challenge: fields?["challenge"]))
            } catch {
                // A person looks at this, who is better off on the page.
                guard error.code.isPassing else { throw error }
                return .redirect(303, openID.page("openid-error", error.code.rawValue))
            }
        }
        let comeBack: @Sendable (Call, [UInt8]) throws(ServiceFault) -> Answer = { (call, text) throws(ServiceFault) in
            guard let fields = FormFields(text) else { throw ServiceFault(.badRequest, "these fields can't be read") }
            return .redirect(303, try openID.comeBack(call.parameter, fields))
        }
        table.add(.get, "/v1/openid/{provider}/callback", pages: .provider) { call throws(ServiceFault) in
            try comeBack(call, Array((call.query ?? "").utf8))
        }
        table.add(.post, "/v1/openid/{provider}/callback", pages: .provider) { call throws(ServiceFault) in
            try comeBack(call, call.body)
        }
    }

    private func addTokens(to table: inout RouteTable) {
        let identities = identities
        table.add(.post, "/v1/openid/exchange") { call throws(ServiceFault) in
            let members = try call.members()
            let proof = Identities.Proof.code(
                try members.text("code"), verifier: try members.text("verifier"))
            let application = try Accounts.Application(members)
            let tokens = try await identities.accounts.counts.count(.openid) { () throws(ServiceFault) in
                try await identities.signIn(by: proof, application, client: call.client)
            }
            return .tokens(tokens)
        }
        table.add(.post, "/v1/openid/{provider}/token", bodyBytes: identities.bodyBytes) { call throws(ServiceFault) in
            let members = try call.members()
            let proof = try Identities.Proof.token(call.parameter, members)
            let application = try Accounts.Application(members)
            let tokens = try await identities.accounts.counts.count(.openid) { () throws(ServiceFault) in
                try await identities.signIn(by: proof, application, client: call.client)
            }
            return .tokens(tokens)
        }
    }

    private func addIdentities(to table: inout RouteTable) {
        let identities = identities
        let accounts = identities.accounts
        table.add(.get, "/v1/account/identities") { call throws(ServiceFault) in
            let all = try await identities.all(of: try await accounts.caller(call.token))
            return .json { writer in
                writer.beginArray("identities")
                for one in all { identities.write(one, to: writer) }
                writer.endArray()
            }
        }
        table.add(.post, "/v1/account/identities", bodyBytes: identities.bodyBytes) { call throws(ServiceFault) in
            let caller = try await accounts.caller(call.token)
            let members = try call.members()
            let proof: Identities.Proof =
                members.has("code")
                ? .code(try members.text("code"), verifier: try members.text("verifier"))
                : try .token(try members.text("provider"), members)
            let linked = try await identities.link(
                proof, to: caller, password: try members.text("password"), client: call.client)
            return .json(201) { identities.writeMembers(of: linked, to: $0) }
        }
        table.add(.delete, "/v1/account/identities/{identity}") { call throws(ServiceFault) in
            try await identities.unlink(call.parameter, of: try await accounts.caller(call.token))
            return .done
        }
    }
}

extension Identities.Proof {
    /// The token that an app sends.
    fileprivate static func token(_ provider: String?, _ members: Call.Members) throws(ServiceFault) -> Self {
        .token(
            provider: provider, try members.text("identityToken"), nonce: try members.text("nonce"),
            code: try members.text("authorizationCode"))
    }
}

extension Accounts.Application {
    /// The fields of a new account beside an identity.
    fileprivate init(_ members: Call.Members) throws(ServiceFault) {
        self.init(
            displayName: try members.text("displayName"), role: try members.text("role"),
            device: try members.text("device"), language: try members.text("language"))
    }
}

extension Identities {
    /// Most bytes of a body with an identity token: the token, and what every other body may have.
    var bodyBytes: Int { openID.settings.bounds.tokenBytes + accounts.limits.bodyBytes }

    /// An identity as its owner sees it.
    func write(_ one: LinkedIdentity, to writer: JSONWriter) {
        writer.beginObject()
        writeMembers(of: one, to: writer)
        writer.endObject()
    }

    func writeMembers(of one: LinkedIdentity, to writer: JSONWriter) {
        writer.member("identity", one.id)
        // One of a provider that is no longer configured has none.
        if let provider = openID.parties.first(where: { $0.provider.issuer == one.issuer })?.provider {
            writer.member("provider", provider.id)
            writer.member("name", provider.name)
        }
        writer.member("created", one.created)
    }
}

extension ServiceFault.Code {
    /// Whether the same may work in a while.
    var isPassing: Bool { [.busy, .rateLimited, .unavailable].contains(self) }
}
