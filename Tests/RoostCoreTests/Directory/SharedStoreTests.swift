import RoostCore
import RoostTestKit
import Testing

/// Two relays on one store never give the same number to different things.
@Suite struct SharedStoreTests {
    @Test func twoRelaysNeverGiveOutTheSameNumber() {
        let log = MemoryLog(leaseSize: 4)
        let (one, other) = (RelayHarness(log: log), RelayHarness(log: log, seed: 2))
        for number in 1...20 {
            _ = one.connect("one-\(number)").makeGroup()
            _ = other.connect("other-\(number)").makeGroup()
        }
        let snapshot = log.load()
        #expect(Set(snapshot.users.map(\.name)).count == 40)
        #expect(snapshot.devices.count == 40)
        #expect(Set(snapshot.conversations.map(\.id)).count == 40)
        #expect(Set(snapshot.members.map(\.user)).count == 40)
    }
}
