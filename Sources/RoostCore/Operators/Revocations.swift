import RoostWire

/// Revoked tokens of a user: those issued up to a time, of all the user's devices or of one. It is stored in the user.
/// Loop thread only.
struct Revocations {
    private var all = Timestamp.never
    private var devices: [String: Timestamp] = [:]

    /// Whether no token of the user is revoked.
    var isEmpty: Bool { all == .never && devices.isEmpty }

    /// Up to when tokens of this device are no longer good; `.never` if all are.
    func time(of device: String?) -> Timestamp {
        max(all, device.flatMap { devices[$0] } ?? .never)
    }

    /// Whether one more device may be revoked by itself.
    func hasRoom(for device: String, atMost most: Int) -> Bool {
        devices[device] != nil || devices.count < most
    }

    /// Tokens issued up to now are no longer good.
    /// - Parameter device: only those of this device; nil for all.
    mutating func revoke(_ device: String?, at time: Timestamp) {
        if let device { devices[device] = time } else { all = time }
    }

    /// Checks that the token is still good for the device.
    ///
    /// An issuer may write `iat` in whole seconds (RFC 7519, section 2), so a token of the very second in which it was
    /// revoked is refused as well.
    /// - Throws: `unauthorized`.
    func check(_ grant: Grant, device: String?) throws(Refusal) {
        guard !isEmpty else { return }
        let time = time(of: device)
        guard time == .never || grant.issued > time else {
            throw Refusal(.unauthorized, "the token was revoked")
        }
    }
}
