import RoostWire

/// Readers for the members of `state.set` and `state.get` (Docs/Protocol.md, section 6). It keeps nothing.
struct SettingForms {
    let members: CommandMembers

    private var limits: Limits { members.limits }

    private var keyRule: String {
        "must be 1 to \(limits.stateKeyBytes) printable ASCII characters without space, quotation mark and backslash"
    }

    /// Reads a key, or the beginning of one.
    func key(_ member: Member) throws(Refusal) -> Text {
        let text = try members.string(member)
        guard text.isName(atMost: limits.stateKeyBytes) else { throw members.refusal(member, keyRule) }
        return text
    }

    /// Reads a key that clients may set.
    func ownKey() throws(Refusal) -> Text {
        let key = try key(.key)
        guard key.bytes.first != UInt8(ascii: "@") else {
            throw members.refusal(.key, "must not begin with @: such keys are the server's")
        }
        return key
    }

    /// The requested keys.
    func selection() throws(Refusal) -> Command.GetState.Selection {
        guard members.value(.keys) != nil else {
            return try members.optional(.prefix, key).map { .prefix($0) } ?? .all
        }
        guard members.value(.prefix) == nil else {
            throw members.refusal(.keys, "and prefix must not be used together")
        }
        let keys = try members.texts(
            .keys, "keys", ", each as in key", atMost: limits.listNames,
            where: { $0.isName(atMost: limits.stateKeyBytes) })
        guard !keys.isEmpty else { throw members.refusal(.keys, "must name at least one key") }
        return .keys(keys)
    }

    /// The raw JSON of a value; nil, also for null, if the key is to be removed.
    func value() throws(Refusal) -> Text? {
        guard let value = members.value(.value) else { return nil }
        let raw = members.reader.raw(value)
        guard raw.count <= limits.stateBytes else {
            throw members.refusal(.value, "must be at most \(limits.stateBytes) bytes", .tooLarge)
        }
        return raw
    }
}
