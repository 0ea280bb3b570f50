import Testing

@testable import RoostTransport

/// Connections that are accepted, dropped, and turned away.
@Suite struct AdmissionTests {
    static func address(_ number: Int) -> ClientAddress { ClientAddress(ipv4: UInt32(10 << 24 + number)) }

    /// Connections by their numbers, as a server would keep them.
    final class House {
        var admission: Admission<Int>
        var places: [Int: Admission<Int>.Place] = [:]
        var next = 0
        /// Dropped connections, in order.
        var gone: [Int] = []

        init(_ change: (inout Admission<Int>.Bounds) -> Void = { _ in }) {
            var bounds = Admission<Int>.Bounds(
                sockets: 1_000, socketsPerAddress: 1_000, strangers: 1_000, strangersPerAddress: 1_000, reserve: 2,
                requestsPerSecond: 10, proxies: ProxyList())
            change(&bounds)
            admission = Admission(bounds)
        }

        @discardableResult
        func enter(_ address: ClientAddress) -> Int {
            var shortage: Admission<Int>.Shortage?
            switch admission.room(for: address) {
            case .free: break
            case .instead(let other): leave(other, isForced: true)
            case .reserve(let found, let other):
                shortage = found
                if let other { leave(other, isForced: true) }
            }
            defer { next += 1 }
            places[next] = admission.add(next, of: address, shortage)
            return next
        }

        func leave(_ number: Int, isForced: Bool = false) {
            guard var place = places.removeValue(forKey: number) else { return }
            admission.remove(&place)
            admission.remove(&place)
            if isForced { gone.append(number) }
        }

        func become(_ number: Int, _ standing: Standing) {
            guard var place = places[number] else { return }
            admission.change(&place, of: number, to: standing)
            places[number] = place
        }

        func shortageOfNewcomer(_ address: ClientAddress) -> Admission<Int>.Shortage? { shortage(enter(address)) }

        func asks(of address: ClientAddress, at now: Int64) -> Bool {
            admission.takeRequest(of: address, at: now)
        }

        func shortage(_ number: Int) -> Admission<Int>.Shortage? { places[number]?.shortage }
    }

    @Test func theOldestStrangerOfAFullAddressGivesWay() {
        let house = House { $0.strangersPerAddress = 3 }
        for _ in 0..<5 { house.enter(Self.address(1)) }
        #expect(house.gone == [0, 1])
        house.enter(Self.address(2))
        #expect(house.gone == [0, 1])
        #expect(house.admission.strangers == 4)
    }

    /// One address with many can't drive out others with one, however long those take.
    @Test func theLargestCrowdPaysWhenAllIsFull() {
        let house = House { $0.strangers = 10 }
        let single = house.enter(Self.address(1))
        for _ in 0..<100 { house.enter(Self.address(2)) }
        #expect(house.places[single] != nil)
        #expect(house.gone == Array(1...91))
        for number in 3..<10 { house.enter(Self.address(number)) }
        #expect(house.places.count == 10)
        #expect(house.places.values.count { $0.address == Self.address(2) } == 2)
    }

    @Test func checkedAndWelcomedConnectionsAreNotDropped() {
        let house = House { $0.strangersPerAddress = 3 }
        let address = Self.address(1)
        for _ in 0..<3 { house.enter(address) }
        house.become(0, .pending)
        house.enter(address)
        #expect(house.gone == [1])
        for number in [2, 3] { house.become(number, .pending) }
        #expect(house.shortageOfNewcomer(address) == .address)
        // A refused hello makes it a stranger again, a welcome makes room.
        house.become(0, .stranger)
        house.enter(address)
        #expect(house.gone == [1, 0])
        house.become(2, .guest)
        #expect(house.shortageOfNewcomer(address) == nil)
        #expect(house.gone == [1, 0])
    }

    @Test func guestsCountForTheAddressAndForAll() {
        let house = House {
            $0.sockets = 4
            $0.socketsPerAddress = 2
        }
        for address in [1, 1, 2, 2] { house.become(house.enter(Self.address(address)), .guest) }
        #expect(house.shortageOfNewcomer(Self.address(1)) == .address)
        #expect(house.shortageOfNewcomer(Self.address(3)) == .full)
        // The reserve has two places, of which the older one is used again.
        house.enter(Self.address(3))
        #expect(house.gone == [4])
        house.leave(0)
        #expect(house.shortageOfNewcomer(Self.address(1)) == nil)
    }

    @Test func aProxyHasNoBoundsOfItsOwn() {
        let house = House {
            $0.strangersPerAddress = 1
            $0.socketsPerAddress = 1
            $0.requestsPerSecond = 1
            $0.proxies = ProxyList(["10.0.0.9"]) ?? ProxyList()
        }
        for _ in 0..<5 {
            let number = house.enter(Self.address(9))
            #expect(house.shortage(number) == nil)
            let isTaken = house.admission.takeRequest(of: Self.address(9), at: 0)
            #expect(isTaken)
        }
        #expect(house.gone.isEmpty)
    }

    // MARK: Requests

    @Test func anAddressHasSoManyRequestsASecond() {
        let house = House()
        let address = Self.address(1)
        func taken(at now: Int64) -> Int { (0..<20).count { _ in house.admission.takeRequest(of: address, at: now) } }
        #expect(taken(at: 5_000) == 10)
        #expect(taken(at: 5_999) == 0)
        #expect(house.asks(of: Self.address(2), at: 5_999))
        #expect(taken(at: 6_000) == 10)
    }

    @Test func connectingAgainDoesNotBeginTheSecondAnew() {
        let house = House { $0.requestsPerSecond = 1 }
        let first = house.enter(Self.address(1))
        #expect(house.asks(of: Self.address(1), at: 0))
        house.leave(first)
        house.enter(Self.address(1))
        #expect(!house.asks(of: Self.address(1), at: 999))
    }

    @Test func addressesAreForgotten() {
        let house = House()
        for number in 0..<100 {
            house.leave(house.enter(Self.address(number)))
            _ = house.admission.takeRequest(of: Self.address(1_000 + number), at: 0)
            let one = house.enter(Self.address(2_000 + number))
            _ = house.admission.takeRequest(of: Self.address(2_000 + number), at: 0)
            house.leave(one)
        }
        let stays = house.enter(Self.address(2_000))
        #expect(house.admission.addresses == 200)
        house.admission.forgetOld()
        #expect(house.admission.addresses == 200)
        house.admission.forgetOld()
        #expect(house.admission.addresses == 1)
        house.leave(stays)
        for _ in 0..<2 { house.admission.forgetOld() }
        #expect(house.admission.addresses == 0)
    }

    // MARK: Anything

    /// Random comings and goings against a plain model that counts everything anew.
    @Test(arguments: 1...20)
    func countsAsAPlainModelDoes(_ seed: UInt64) {
        var random = Lehmer(seed: seed)
        let house = House {
            $0.sockets = 40
            $0.socketsPerAddress = 12
            $0.strangers = 20
            $0.strangersPerAddress = 6
            $0.reserve = 3
        }
        for _ in 0..<3_000 {
            let numbers = house.places.keys.sorted()
            switch random.below(6) {
            case 0, 1, 2: house.enter(Self.address(random.below(8)))
            case 3 where !numbers.isEmpty: house.leave(numbers[random.below(numbers.count)])
            case 4 where !numbers.isEmpty:
                let standings: [Standing] = [.pending, .guest, .stranger]
                let number = numbers[random.below(numbers.count)]
                if house.places[number]?.standing != .guest { house.become(number, standings[random.below(3)]) }
            default: break
            }
            let counted = house.places.filter { $0.value.shortage == nil }
            let strangers = counted.filter { $0.value.standing != .guest }
            #expect(house.admission.sockets == counted.count && counted.count <= 40)
            #expect(house.admission.strangers == strangers.count && strangers.count <= 20)
            #expect(house.places.count - counted.count <= 3)
            for own in Dictionary(grouping: counted.values, by: \.address).values {
                #expect(own.count <= 12 && own.count { $0.standing != .guest } <= 6)
            }
            // The oldest idle one of a largest crowd.
            let idle = Dictionary(grouping: strangers.filter { $0.value.standing == .stranger }, by: \.value.address)
            let most = idle.values.map(\.count).max() ?? 0
            let candidate = house.admission.oldestOfLargestCrowd
            #expect((candidate == nil) == (most == 0))
            if let candidate, let address = house.places[candidate]?.address {
                #expect(idle[address]?.count == most)
            }
        }
        for number in house.places.keys { house.leave(number) }
        #expect(house.admission.addresses == 0 && house.admission.sockets == 0 && house.admission.strangers == 0)
    }
}

/// A generator that gives the same numbers for the same seed.
struct Lehmer {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 2_654_435_761 % 2_147_483_646 + 1 }

    mutating func below(_ bound: Int) -> Int {
        state = state * 48_271 % 2_147_483_647
        return Int(state >> 8) % bound
    }
}
