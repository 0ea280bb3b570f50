import RoostWire

/// The person's data in Apple's form, at the first sign-in only. It comes by the browser and isn't signed: only the
/// name is used, which people may choose anyway, and never an address.
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
