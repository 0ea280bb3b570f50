import RoostWire

/// What Apple's form says of a person, at the first sign-in only. It comes by the browser and isn't signed: it may name
/// somebody, as people may themselves, and never says an address.
enum AppleUser {
    /// The name in the field `user`; nil if there is none.
    static func name(_ field: String?) -> String? {
        guard let user = field.flatMap({ JSONValue(parsing: $0) }).map({ JSONMembers($0) }),
            let name = user.object("name")
        else { return nil }
        let parts = [name.string("firstName"), name.string("lastName")].compactMap(\.self).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
