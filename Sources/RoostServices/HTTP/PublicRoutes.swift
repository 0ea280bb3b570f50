import HTTPTypes
import RoostWire

/// The public resources: the process's health, its public keys, and the description of all this.
struct PublicRoutes: Sendable {
    let readiness: Readiness
    let keys: KeyRing

    /// The OpenAPI document.
    static var document: [UInt8] { PackageResources.openapi_yaml }

    func add(to table: inout RouteTable) {
        let (readiness, keys) = (readiness, keys)
        table.add(.get, "/healthz") { _ throws(ServiceFault) in .json { $0.member("ok", true) } }
        table.add(.get, "/readyz") { _ throws(ServiceFault) in
            try await readiness.check()
            return .json { $0.member("ok", true) }
        }
        table.add(.get, "/.well-known/jwks.json") { _ throws(ServiceFault) in
            Answer(200, type: "application/jwk-set+json", body: Array(keys.jwks.utf8), isPrivate: false)
        }
        table.add(.get, "/v1/openapi.yaml") { _ throws(ServiceFault) in
            Answer(200, type: "application/yaml", body: PublicRoutes.document, isPrivate: false)
        }
    }
}
