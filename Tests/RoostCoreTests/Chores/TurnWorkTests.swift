import RoostTestKit
import RoostWire
import Testing

/// No command makes one turn long, whatever is in it and whatever state the relay is in. Counts what each call of the
/// relay looks at and delivers; `roost-turns` measures how long that takes.
@Suite struct TurnWorkTests {
    @Test func noCallLooksAtMoreThanATurnMay() {
        let limits = Limits.with {
            $0.stepsPerTurn = 64
            $0.listNames = 64
            $0.watchNames = 64
            $0.badgeCountedAtOnce = 64
        }
        let (connected, members) = (100, 400)
        let table = TurnTable(
            HostileState(conversations: 300, members: members), limits, connected: connected, clock: { 0 })
        table.run()
        #expect(table.rows.count > 30)
        // A fan-out to the largest audience, which is looked for once: the hub has 64 devices. Then the names of one
        // command, and the steps of one turn.
        let audience = connected + limits.devicesPerUser + 8 + members / 16
        let most = audience + limits.listNames + limits.stepsPerTurn
        for (name, cost) in table.rows where name != "receipts" {
            #expect(cost.work <= most, "\(name) took \(cost.work) in one call")
            #expect(cost.calls > 0)
        }
        // The crowd isn't watched, so all that it makes are the steps in which it is announced.
        for (name, cost) in table.rows where name.contains("crowd") {
            #expect(cost.work <= limits.stepsPerTurn, "\(name) took \(cost.work) in one call")
        }
    }
}
