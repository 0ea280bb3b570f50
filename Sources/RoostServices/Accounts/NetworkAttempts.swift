/// Attempts by the address that they come from, and by the larger networks that it is in, which may have more:
/// otherwise one customer of IPv6, who has 256 or 65,536 networks of /64, could try as often as all of them. Pure, as
/// `AttemptLimit`.
package struct NetworkAttempts: Sendable {
    // From the smallest network to the largest.
    private var limits: [AttemptLimit]

    /// Applies the limits to at most `attemptKeys` networks of each size.
    package init(_ limits: ServicesLimits) {
        self.limits = [limits.addressAttempts, limits.homeAttempts, limits.siteAttempts].map {
            AttemptLimit(attemptsMax: $0, seconds: limits.attemptSeconds, keysMax: limits.attemptKeys)
        }
    }

    /// The outcome of an attempt.
    package enum Verdict: Sendable, Equatable {
        /// It counts. Whether it is the only one of its networks in the window.
        case admitted(isAlone: Bool)
        /// There were too many. Seconds until the next one is allowed.
        case refused(Int64)
    }

    /// Counts an attempt in all its networks, or in none if it is refused.
    /// - Parameter keys: of the networks, the smallest first.
    package mutating func admit(_ keys: [[UInt8]], now: Int64) -> Verdict {
        var isAlone = true
        for (index, key) in keys.enumerated() where index < limits.count {
            if limits[index].attempts(of: key, now: now) > 0 { isAlone = false }
            guard let wait = limits[index].admit(key, now: now) else { continue }
            for (index, key) in keys[..<index].enumerated() { limits[index].giveBack(key) }
            return .refused(wait)
        }
        return .admitted(isAlone: isAlone)
    }

    /// The last attempt wasn't one.
    package mutating func giveBack(_ keys: [[UInt8]]) {
        for (index, key) in keys.enumerated() where index < limits.count { limits[index].giveBack(key) }
    }
}

extension KeyRing {
    /// The names under which attempts of a client are counted: its networks, the smallest first.
    func digests(ofNetworks client: String) -> [[UInt8]] {
        ClientAddress.networks(of: client).map { digest("client " + $0) }
    }
}
