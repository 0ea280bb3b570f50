import HTTPTypes
import RoostWire

/// A request as routes see it: read to its end, and within the limits.
package struct Call: Sendable {
    /// The value of `{…}` in the route's path.
    package var parameter: String?
    /// The text behind `?` in the path.
    package var query: String?
    package var body: [UInt8]
    package var headers: HTTPFields
    /// The client's address, without port.
    package var client: String
    /// Whether it was made on this machine, and no proxy passed it on.
    package var isLocal = false

    /// The token behind `Authorization: Bearer`.
    package var token: String? {
        guard let value = headers[.authorization] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        // The scheme is compared without case (RFC 9110, section 11.1).
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    /// The members of the body.
    func members() throws(ServiceFault) -> Members { Members(try object()) }

    /// The body, which every route reads by this: none takes an object that two readers understand differently.
    func object() throws(ServiceFault) -> JSONMembers {
        guard let value = body.withUnsafeBytes({ JSONValue(parsing: $0) }) else {
            throw ServiceFault(.badJSON, "the body must be a JSON object")
        }
        // A proxy may read the one, and we the other (RFC 8259, section 4).
        guard !Call.repeatsName(value) else { throw ServiceFault(.badJSON, "a member is there twice") }
        return JSONMembers(value)
    }

    // As deep as the parser allows.
    private static func repeatsName(_ value: JSONValue) -> Bool {
        if let members = value.members {
            return Set(members.map(\.name)).count < members.count || members.contains { repeatsName($0.value) }
        }
        return value.elements?.contains(where: repeatsName) ?? false
    }

    /// The members of a body.
    struct Members {
        private let members: JSONMembers

        init(_ members: JSONMembers) { self.members = members }

        /// A text; nil if it isn't there.
        func text(_ name: String) throws(ServiceFault) -> String? {
            guard let value = members[name] else { return nil }
            guard let text = value.string else { throw .invalid(name, "must be a text") }
            return text
        }

        /// A whole number; nil if it isn't there.
        func number(_ name: String) throws(ServiceFault) -> Int64? {
            guard let value = members[name] else { return nil }
            guard let number = value.integer else { throw .invalid(name, "must be a whole number") }
            return number
        }

        /// True or false; nil if it isn't there.
        func flag(_ name: String) throws(ServiceFault) -> Bool? {
            guard let value = members[name] else { return nil }
            guard let flag = value.bool else { throw .invalid(name, "must be true or false") }
            return flag
        }

        func has(_ name: String) -> Bool { members[name] != nil }
    }
}
