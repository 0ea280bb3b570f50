import RoostCore
import RoostWire

/// Every kind of command at its largest, in a hostile state, and what each costs the relay's loop.
public final class TurnTable {
    /// A kind of command and what it has cost.
    public typealias Row = (name: String, cost: TurnHost.Cost)

    /// The measurements so far, in order.
    public private(set) var rows: [Row] = []
    private let host: TurnHost
    private let state: HostileState
    private let limits: Limits
    private var hub: [Session] = []
    private var crowd: [Session] = []
    private var owner: Session
    private var number = 0

    /// Makes the state and connects all users: the hub with 64 devices, and the large group's members.
    /// - Parameter limits: changed only where the state needs it.
    public init(_ state: HostileState, _ limits: Limits, connected: Int, clock: @escaping () -> Int64) {
        self.state = state
        var limits = limits
        // The prices are not what is measured here.
        limits.commandsPerSecond = 1_000_000_000
        limits.introductionsPerHour = 1_000_000
        limits.additionsPerHour = 10_000_000
        self.limits = limits
        host = TurnHost(state.snapshot, limits: limits, clock: clock)
        owner = host.connect("owner")
        _ = host.takeCost()
        measureHello(limits.devicesPerUser)
        for name in state.crowd(connected) { crowd.append(host.connect(name)) }
        host.advance(100)
        note("hello of a crowd")
    }

    private func measureHello(_ devices: Int) {
        for device in 0..<devices { hub.append(host.connect("hub", "d\(device)")) }
        note("hello")
        hub[0] = host.connect("hub", "d0")
        note("hello, taken over")
        host.drop(hub[0])
        hub[0] = host.connect("hub", "d0", resume: 1)
        note("hello, resume from the beginning")
        host.advance(100)
        note("hello, told to others")
    }

    /// Notes what everything since the last call has cost.
    private func note(_ name: String) { rows.append((name, host.takeCost())) }

    private func run(_ name: String, on session: Session? = nil, _ commands: String...) {
        for command in commands { host.say(command, on: session ?? hub[1]) }
        note(name)
    }

    private func list(_ names: [String]) -> String { "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]" }

    private func key() -> String {
        number += 1
        return "\"key\":\"k\(number)\""
    }

    /// Runs all commands once. Several runs find the worst of each.
    public func run() {
        runMessages()
        runQueries()
        runWatches()
        runChanges()
    }

    private func runMessages() {
        let long = String(repeating: "x", count: 60_000)
        run("send, large group", "{\"type\":\"send\",\"id\":1,\"to\":\"clarge\",\(key()),\"body\":\"b\"}")
        run(
            "send 60 KB, large group",
            "{\"type\":\"send\",\"id\":1,\"to\":\"clarge\",\(key()),\"kind\":\"k\",\"body\":\"\(long)\"}")
        run("signal, large group", "{\"type\":\"signal\",\"id\":1,\"to\":\"clarge\",\"body\":1}")
        run("signal 60 KB, large group", "{\"type\":\"signal\",\"id\":1,\"to\":\"clarge\",\"body\":\"\(long)\"}")
        run(
            "react, large group",
            "{\"type\":\"react\",\"id\":1,\"conversation\":\"clarge\",\"sequence\":1,\"reaction\":\"+\"}")
        run(
            "edit, large group",
            "{\"type\":\"edit\",\"id\":1,\"conversation\":\"clarge\",\"sequence\":1,\"body\":\"b\"}")
        run("delete, large group", "{\"type\":\"delete\",\"id\":1,\"conversation\":\"clarge\",\"sequence\":1}")
        run("typing, large group", "{\"type\":\"typing\",\"id\":1,\"to\":\"clarge\"}")
        host.advance(2_000)
        run("typing, 256 members", "{\"type\":\"typing\",\"id\":1,\"to\":\"cmiddle\"}")
        number += 1
        run("read, 256 members", "{\"type\":\"read\",\"id\":1,\"conversation\":\"cmiddle\",\"sequence\":\(number)}")
        host.advance(100)
        note("receipts")
        run("send to a user", "{\"type\":\"send\",\"id\":1,\"to\":\"@peer1\",\(key()),\"body\":\"b\"}")
        run("send to an unknown user", "{\"type\":\"send\",\"id\":1,\"to\":\"@new\(number)\",\(key()),\"body\":\"b\"}")
        run("ack", "{\"type\":\"ack\",\"id\":1,\"position\":\"turns-1\"}")
        host.drop(hub[2])
        hub[2] = host.connect("hub", "d2", resume: 2_000_000 + Int64(number))
        run("send, after a hello", "{\"type\":\"send\",\"id\":1,\"to\":\"clarge\",\(key()),\"body\":\"b\"}")
    }

    private func runQueries() {
        run("conversation.list", "{\"type\":\"conversation.list\",\"id\":1,\"limit\":100}")
        run("conversation.get", "{\"type\":\"conversation.get\",\"id\":1,\"conversation\":\"clarge\"}")
        run(
            "conversation.members",
            "{\"type\":\"conversation.members\",\"id\":1,\"conversation\":\"clarge\",\"limit\":100}")
        run(
            "conversation.members, counted",
            "{\"type\":\"conversation.members\",\"id\":1,\"conversation\":\"clarge\",\"limit\":100,\"sequence\":5}")
        run("history", "{\"type\":\"history\",\"id\":1,\"conversation\":\"clarge\",\"limit\":100}")
        run("ping", "{\"type\":\"ping\",\"id\":1}")
        run("malformed, 256 KiB", "{\"type\":\"send\",\"id\":1,\"x\":\"" + String(repeating: "y", count: 260_000) + "}")
        run("members, 256 KiB", "{\"id\":1,\"type\":\"send\",\"x\":[" + String(repeating: "[],", count: 80_000) + "1]}")
    }

    private func runWatches() {
        run("watch of one user 1,000 times", watch(Array(repeating: "twin", count: limits.watchNames), "watch"))
        run("watch of 1,000 users", watch(state.distant, "watch"))
        run("watch of somebody unseen", watch(["filler1"], "watch"))
        for state in ["idle", "active"] {
            host.say("{\"type\":\"presence\",\"id\":1,\"state\":\"\(state)\"}", on: hub[3])
            for session in hub where session !== hub[3] {
                host.say("{\"type\":\"presence\",\"id\":1,\"state\":\"\(state)\"}", on: session)
            }
            host.advance(100)
        }
        note("presence")
        run("unwatch of 1,000 users", watch(state.distant, "unwatch"))
        host.say(watch(state.distant, "watch"), on: hub[4])
        _ = host.takeCost()
        run("leave, with watches", "{\"type\":\"conversation.leave\",\"id\":1,\"conversation\":\"cshared\"}")
    }

    private func watch(_ names: [String], _ type: String) -> String {
        "{\"type\":\"\(type)\",\"id\":1,\"users\":\(list(names))}"
    }

    private func runChanges() {
        let names = (0..<limits.listNames).map { "new\(number)-\($0)" }
        let known = state.crowd(limits.listNames)
        number += 1
        run(
            "create with unknown users",
            "{\"type\":\"conversation.create\",\"id\":1,\"kind\":\"group\",\"name\":\"G\",\"members\":\(list(names))}")
        run(
            "create with known users",
            "{\"type\":\"conversation.create\",\"id\":1,\"kind\":\"group\",\"name\":\"G\",\"members\":\(list(known))}")
        run(
            "create, direct",
            "{\"type\":\"conversation.create\",\"id\":1,\"kind\":\"direct\",\"members\":[\"direct\(number)\"]}")
        run(
            "remove of many from a large group", on: owner,
            "{\"type\":\"conversation.remove\",\"id\":1,\"conversation\":\"clarge\",\"users\":\(list(known))}")
        run(
            "add of many to a large group", on: owner,
            "{\"type\":\"conversation.add\",\"id\":1,\"conversation\":\"clarge\",\"users\":\(list(known))}")
        run(
            "add of one to a large group", on: owner,
            "{\"type\":\"conversation.remove\",\"id\":1,\"conversation\":\"clarge\",\"users\":[\"crowd5\"]}",
            "{\"type\":\"conversation.add\",\"id\":1,\"conversation\":\"clarge\",\"users\":[\"crowd5\"]}")
        run(
            "rename", on: owner,
            "{\"type\":\"conversation.rename\",\"id\":1,\"conversation\":\"clarge\",\"name\":\"N\"}")
        run(
            "role", on: owner,
            "{\"type\":\"conversation.role\",\"id\":1,\"conversation\":\"clarge\",\"user\":\"hub\",\"role\":\"admin\"}",
            "{\"type\":\"conversation.role\",\"id\":1,\"conversation\":\"clarge\",\"user\":\"hub\",\"role\":\"member\"}"
        )
        run(
            "leave of the owner of a large group", on: owner,
            "{\"type\":\"conversation.leave\",\"id\":1,\"conversation\":\"clarge\"}")
        let last = host.connect("last")
        _ = host.takeCost()
        run(
            "leave of the last, after 10,000 others", on: last,
            "{\"type\":\"conversation.leave\",\"id\":1,\"conversation\":\"cleft\"}")
        host.drop(hub[5])
        note("a drop")
        run("bye", on: hub[6], "{\"type\":\"bye\",\"id\":1}")
        for session in crowd { host.drop(session) }
        note("a drop of a crowd")
        host.advance(limits.graceMilliseconds + 200)
        host.advance(limits.gatherMilliseconds)
        note("a crowd that doesn't come back")
    }
}
