import RoostTestKit
import RoostWire
import Testing

/// No command makes one turn long, whatever is in it and whatever state the relay is in. Counts what each call of the
/// relay looks at and delivers; `roost-turns` measures how long that takes.
@Suite struct TurnWorkTests {
    @Test func noCallLooksAtMoreThanATurnMay() {
        let limits = Limits.with { $0.stepsPerTurn = 64 }
        let connected = 100
        let table = TurnTable(
            HostileState(conversations: 300, members: 400), limits, connected: connected, clock: { 0 })
        table.run()
        #expect(table.rows.count > 30)
        // A fan-out to the largest audience, and the steps of one turn: the hub has 64 devices.
        let most = connected + limits.devicesPerUser + 8 + limits.stepsPerTurn
        for (name, cost) in table.rows where name != "receipts" {
            // Each name of a command may be looked up, and each who is named may come or leave.
            let most = most + (name.contains("1,000") ? limits.listNames : 0)
            #expect(cost.work <= most, "\(name) took \(cost.work) in one call")
            #expect(cost.calls > 0)
        }
    }
}
