import Testing

@testable import RoostLoad

@Suite struct SplitTests {
    private func scenario() -> Scenario {
        var scenario = Scenario(name: "whole", about: "")
        scenario.users = 103
        scenario.outsiders = 5
        scenario.connectRate = 100
        scenario.conversations.pairs = 50
        scenario.conversations.rooms = [.init(count: 5, members: 10), .init(count: 2, members: 20), .init(count: 7)]
        scenario.messages = Scenario.Messages()
        scenario.messages?.rate = 900
        return scenario
    }

    @Test(arguments: [1, 2, 3, 5]) func sharesAddUpToTheWhole(_ count: Int) throws {
        let whole = scenario()
        let shares = try (0..<count).map { try whole.share(index: $0, of: count) }
        #expect(shares.reduce(0) { $0 + $1.users } == 103)
        #expect(shares.reduce(0) { $0 + $1.outsiders } == 5)
        #expect(shares.reduce(0) { $0 + $1.conversations.pairs } == 50)
        #expect(abs(shares.reduce(0) { $0 + ($1.messages?.rate ?? 0) } - 900) < 0.001)
        #expect(abs(shares.reduce(0) { $0 + $1.connectRate } - 100) < 0.001)
        #expect(Set(shares.map(\.seed)).count == count)
        for members in [10, 20] {
            let rooms = shares.flatMap(\.conversations.rooms).filter { $0.members == members }
            #expect(rooms.reduce(0) { $0 + $1.count } == (members == 10 ? 12 : 2))
        }
        let perShare = shares.map { $0.conversations.rooms.reduce(0) { $0 + $1.count } }
        // A remainder is spread over the workers.
        #expect((perShare.max() ?? 0) - (perShare.min() ?? 0) <= 1)
    }

    @Test func pairsStayWithinAWorker() throws {
        var whole = scenario()
        whole.users = 10
        whole.conversations.rooms = []
        let shares = try (0..<3).map { try whole.share(index: $0, of: 3) }
        #expect(shares.map(\.users) == [4, 4, 2])
    }

    /// Users spared by a storm have a process of their own, in which no user is cut off.
    @Test(arguments: [2, 3]) func theSparedHaveAWorkerOfTheirOwn(_ count: Int) throws {
        var whole = scenario()
        whole.users = 200
        whole.conversations.pairs = 100
        whole.conversations.rooms = [.init(count: 4, members: 20)]
        whole.storms = [.init(at: 1, share: 1, spare: 20)]
        #expect(whole.processes(asked: 1) == 2)
        #expect(whole.processes(asked: count) == count)
        let shares = try (0..<count).map { try whole.share(index: $0, of: count) }
        #expect(shares[0].users == 20 && shares[0].conversations.pairs == 10 && shares[0].outsiders == 0)
        #expect(shares[0].conversations.rooms.isEmpty)
        #expect(shares[0].messages?.rate == 90)
        #expect(shares[0].storms[0].spare == 20)
        let others = shares.dropFirst()
        #expect(others.allSatisfy { $0.storms[0].spare == 0 })
        #expect(others.reduce(0) { $0 + $1.users } == 180)
        #expect(others.reduce(0) { $0 + $1.conversations.pairs } == 90)
        #expect(others.reduce(0) { $0 + $1.outsiders } == 5)
        #expect(others.flatMap(\.conversations.rooms).reduce(0) { $0 + $1.count } == 4)
        #expect(abs(others.reduce(0) { $0 + ($1.messages?.rate ?? 0) } - 810) < 0.001)
        #expect(Set(shares.map(\.seed)).count == count)
        #expect(whole.socketsMax(ofEach: count) >= (shares.map { $0.users + $0.outsiders }.max() ?? 0))
    }

    @Test func aStormThatSparesNobodyOrEverybodyNeedsOneProcess() {
        var whole = scenario()
        whole.storms = [.init(at: 1, share: 1, spare: 0)]
        #expect(whole.processes(asked: 1) == 1)
        whole.storms[0].spare = whole.users
        #expect(whole.processes(asked: 1) == 1)
        #expect(whole.socketsMax(ofEach: 2) == 54)
    }

    @Test func refusesScenariosThatCannotBeSplit() {
        var whole = scenario()
        whole.conversations.pairs = 0
        whole.conversations.rooms = [.init(count: 1, members: 10)]
        #expect(throws: RunFailure.self) { try whole.share(index: 1, of: 2) }
        whole.conversations.rooms = [.init(count: 2, members: 100)]
        #expect(throws: RunFailure.self) { try whole.share(index: 0, of: 2) }
        whole = scenario()
        whole.users = 2
        whole.conversations.rooms = []
        #expect(throws: RunFailure.self) { try whole.share(index: 0, of: 2) }
        #expect(throws: RunFailure.self) { try whole.share(index: 2, of: 3) }
    }
}
