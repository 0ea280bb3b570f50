/// The relay's knowledge of the client behind a connection.
public enum Standing: UInt8, Sendable {
    /// Nothing. If there is no room for a newcomer, the oldest strangers are dropped.
    case stranger
    /// It has said who it is, and waits for us to check that.
    case pending
    /// It has been welcomed.
    case guest
}

/// Counts the sockets of each address and in all, and decides whether there is room for one more. Connections without a
/// `welcome` have bounds of their own, far below the total, and never turn a newcomer away: where there are too many,
/// the one that has been silent for longest is dropped. A newcomer for which no connection can be dropped goes into the
/// reserve, where only health pages are answered. Loop thread only.
struct Admission<Member> {
    /// The bounds, with their reasons in `TransportSettings`.
    struct Bounds {
        var sockets: Int
        var socketsPerAddress: Int
        var strangers: Int
        var strangersPerAddress: Int
        var reserve: Int
        var requestsPerSecond: Int
        /// The proxies' own addresses have no bounds, because all clients behind a proxy share its address until it
        /// names theirs.
        var proxies: ProxyList
    }

    /// Why there is no room.
    enum Shortage: UInt8 {
        case full, address
    }

    /// Whether there is room for a newcomer.
    enum Room {
        case free
        /// After this one has gone.
        case instead(of: Member)
        /// Only in the reserve, instead of this one, if it is full.
        case reserve(Shortage, instead: Member?)
    }

    /// Where a connection is counted. The connection keeps it.
    struct Place {
        fileprivate(set) var address: ClientAddress
        fileprivate(set) var standing = Standing.stranger
        /// Why it is in the reserve; nil if it isn't.
        fileprivate(set) var shortage: Shortage?
        /// Whether it is counted at all.
        fileprivate(set) var isCounted = true
        fileprivate var arrival = Arrivals<Member>.none

        /// A place for a connection that isn't counted yet.
        static func nowhere(_ address: ClientAddress) -> Place { Place(address: address, isCounted: false) }
    }

    private struct Neighbours {
        var sockets = 0
        var strangers = 0
        /// Its strangers that wait for their peer, not for us.
        var idle = Arrivals<Member>.Queue()
        /// Requests since a time in milliseconds.
        var requests = 0
        var requestsSince: Int64 = 0
    }

    // Most addresses that are remembered without a socket. More are forgotten at once, and may send requests anew.
    private static var rememberedMax: Int { 65_536 }

    private let bounds: Bounds
    private var neighbours: [ClientAddress: Neighbours] = [:]
    private var arrivals = Arrivals<Member>()
    private var crowds = Crowds()
    private var reserve = Arrivals<Member>.Queue()
    /// Addresses without sockets whose requests are still counted: those of this second, and of the one before.
    private var recent: [ClientAddress] = []
    private var older: [ClientAddress] = []
    /// Sockets that are counted, without those in the reserve.
    private(set) var sockets = 0
    /// Those of them that have not been welcomed.
    private(set) var strangers = 0

    init(_ bounds: Bounds) { self.bounds = bounds }

    /// Addresses that are remembered. For tests.
    var addresses: Int { neighbours.count }

    // MARK: Sockets

    /// Looks for room for one more socket of an address.
    func room(for address: ClientAddress) -> Room {
        let own = neighbours[address] ?? Neighbours()
        let isBounded = !bounds.proxies.contains(address)
        if isBounded, own.sockets >= bounds.socketsPerAddress || own.strangers >= bounds.strangersPerAddress {
            return arrivals.oldest(of: own.idle).map { .instead(of: $0) } ?? noRoom(.address)
        }
        if sockets >= bounds.sockets || strangers >= bounds.strangers {
            return oldestOfLargestCrowd.map { .instead(of: $0) } ?? noRoom(.full)
        }
        return .free
    }

    private func noRoom(_ shortage: Shortage) -> Room {
        .reserve(shortage, instead: reserve.count >= bounds.reserve ? arrivals.oldest(of: reserve) : nil)
    }

    /// The connection to drop first: the oldest idle stranger of the address with the most strangers. So an address
    /// with many connections can't drive out the single connections of others.
    var oldestOfLargestCrowd: Member? {
        crowds.largest.flatMap { neighbours[$0] }.flatMap { arrivals.oldest(of: $0.idle) }
    }

    /// Counts a socket. With a shortage, it goes into the reserve.
    mutating func add(_ member: Member, of address: ClientAddress, _ shortage: Shortage?) -> Place {
        var place = Place(address: address, shortage: shortage)
        if shortage != nil {
            place.arrival = arrivals.append(member, to: &reserve)
            return place
        }
        sockets += 1
        strangers += 1
        neighbours[address, default: Neighbours()].sockets += 1
        neighbours[address, default: Neighbours()].strangers += 1
        place.arrival = wait(member, at: address)
        return place
    }

    /// Notes what has become known of a connection.
    mutating func change(_ place: inout Place, of member: Member, to standing: Standing) {
        guard place.isCounted, place.shortage == nil, place.standing != standing else { return }
        if place.standing == .stranger { stopWaiting(&place) }
        if place.standing == .guest { countStranger(1, at: place.address) }
        place.standing = standing
        if standing == .guest { countStranger(-1, at: place.address) }
        if standing == .stranger { place.arrival = wait(member, at: place.address) }
    }

    /// Counts a connection no longer. May be repeated.
    mutating func remove(_ place: inout Place) {
        guard place.isCounted else { return }
        place.isCounted = false
        if place.shortage != nil { return arrivals.remove(place.arrival, from: &reserve) }
        if place.standing == .stranger { stopWaiting(&place) }
        if place.standing != .guest { countStranger(-1, at: place.address) }
        sockets -= 1
        neighbours[place.address, default: Neighbours()].sockets -= 1
        forgetIfUnused(place.address)
    }

    private mutating func countStranger(_ change: Int, at address: ClientAddress) {
        strangers += change
        neighbours[address, default: Neighbours()].strangers += change
    }

    private mutating func wait(_ member: Member, at address: ClientAddress) -> Arrivals<Member>.Place {
        let place = arrivals.append(member, to: &neighbours[address, default: Neighbours()].idle)
        let count = neighbours[address]?.idle.count ?? 0
        crowds.move(address, from: count - 1, to: count)
        return place
    }

    private mutating func stopWaiting(_ place: inout Place) {
        arrivals.remove(place.arrival, from: &neighbours[place.address, default: Neighbours()].idle)
        place.arrival = Arrivals<Member>.none
        let count = neighbours[place.address]?.idle.count ?? 0
        crowds.move(place.address, from: count + 1, to: count)
    }

    // MARK: Requests

    /// Counts a request of an address. Returns false if it has sent as many as it may in this second.
    mutating func takeRequest(of address: ClientAddress, at now: Int64) -> Bool {
        guard !bounds.proxies.contains(address) else { return true }
        var own = neighbours[address] ?? Neighbours()
        if now - own.requestsSince >= 1_000 {
            own.requestsSince = now
            own.requests = 0
        }
        guard own.requests < bounds.requestsPerSecond else { return false }
        own.requests += 1
        let isNew = neighbours[address] == nil
        neighbours[address] = own
        if isNew { forgetIfUnused(address) }
        return true
    }

    /// Forgets addresses whose requests count no longer. To be called once a second.
    mutating func forgetOld() {
        for address in older where neighbours[address]?.sockets == 0 { neighbours[address] = nil }
        older = recent
        recent = []
    }

    // An address that has just sent requests is remembered, so that it can't begin anew by connecting again.
    private mutating func forgetIfUnused(_ address: ClientAddress) {
        guard let own = neighbours[address], own.sockets == 0 else { return }
        if own.requests > 0, recent.count < Admission.rememberedMax {
            recent.append(address)
        } else {
            neighbours[address] = nil
        }
    }
}

/// Addresses by how many idle strangers they have.
private struct Crowds {
    private var bySize: [Set<ClientAddress>] = [[]]
    private var sizeMax = 0

    /// An address that has as many as any other.
    var largest: ClientAddress? { bySize[sizeMax].first }

    mutating func move(_ address: ClientAddress, from old: Int, to new: Int) {
        if old > 0 { bySize[old].remove(address) }
        if new > 0 {
            while bySize.count <= new { bySize.append([]) }
            bySize[new].insert(address)
            sizeMax = max(sizeMax, new)
        }
        // It has fallen by one at most, or this address was the only one.
        while sizeMax > 0, bySize[sizeMax].isEmpty { sizeMax -= 1 }
    }
}
