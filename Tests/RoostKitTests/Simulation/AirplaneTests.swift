import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import SeededRandom
import Testing

/// Apps and a relay together, while networks, apps and the relay come and go: a seed decides what happens, the machine
/// decides what of it happens at the same time. Whatever happened, in the end everything that was typed is there once,
/// in order, and every device shows the same.
///
/// `ROOST_KIT_SEEDS=first-last` runs others than the usual ones.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(5))) struct AirplaneTests {
    static let steps = 120

    nonisolated static var seeds: [UInt64] {
        let words = (ProcessInfo.processInfo.environment["ROOST_KIT_SEEDS"] ?? "1-8").split(separator: "-")
        guard let first = words.first.flatMap({ UInt64($0) }), let last = words.last.flatMap({ UInt64($0) }) else {
            return []
        }
        return Array(first...max(first, last))
    }

    @Test(arguments: seeds) func everythingArrivesOnceAndInOrder(_ seed: UInt64) async throws {
        let world = try World(seed)
        try await world.begin()
        for _ in 0..<AirplaneTests.steps { try await world.step() }
        try await world.end()
        try await world.check()
    }

    /// The users, their devices and the relay.
    @MainActor
    private final class World {
        let relay: TestRelay
        let apps: [SimulatedApp]
        private var generator: SeededGenerator
        private var group = ""

        init(_ seed: UInt64) throws {
            var limits = Limits()
            // Gaps come soon.
            limits.backlogMax = 60
            limits.pageMessages = 20
            let relay = TestRelay(limits: limits)
            self.relay = relay
            generator = SeededGenerator(seed: seed)
            apps = try [("alice", "phone"), ("alice", "laptop"), ("bob", "phone"), ("carol", "phone")].map {
                try SimulatedApp($0.0, $0.1, on: relay)
            }
        }

        func begin() async throws {
            for app in apps { try await app.start() }
            // On a busy machine an answer may come later than this client waits.
            while group.isEmpty {
                await apps[0].roost?.until { $0.isUpToDate }
                do {
                    group = try await apps[0].roost?.createGroup("Crew", members: ["bob", "carol"]) ?? ""
                } catch is RoostFailure {}
            }
            for app in apps { await app.roost?.conversations.until { !$0.isEmpty } }
        }

        private func destination(of app: SimulatedApp) -> String {
            let others = ["alice", "bob", "carol"].filter { $0 != app.user }
            return [group, group, "@\(others[0])", "@\(others[1])"].randomElement(using: &generator) ?? group
        }

        private func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

        func step() async throws {
            guard let app = apps.randomElement(using: &generator) else { return }
            let destination = destination(of: app)
            switch number(100) {
            case ..<40: for _ in 0...number(4) { try await app.send(to: destination) }
            case ..<50: if let text = app.anyTyped.randomElement(using: &generator) { try await app.edit(text) }
            case ..<54: if let text = app.anyTyped.randomElement(using: &generator) { try await app.delete(text) }
            case ..<62: try await app.react(in: destination, pick: number(1_000))
            case ..<70: try await app.look(at: destination, scrolls: number(2) == 0)
            case ..<84: try await trouble(app)
            case ..<88: await app.stop()
            case ..<92: try await land(app)
            case ..<94: relay.crash()
            case ..<96: relay.advance(.seconds(1 + number(20)))
            case ..<98: relay.loseNextAnswer(to: ["send", "edit", "react"].randomElement(using: &generator) ?? "send")
            default:
                let code = [ErrorCode.busy, .rateLimited, .tooLarge, .forbidden].randomElement(using: &generator)
                relay.refuseNext("send", code ?? .busy)
            }
        }

        private func trouble(_ app: SimulatedApp) async throws {
            switch number(6) {
            case 0: app.airplane.become(.off)
            case 1: app.airplane.become(.silent)
            case 2: app.airplane.become(.deaf)
            default: try await land(app)
            }
        }

        private func land(_ app: SimulatedApp) async throws {
            app.airplane.become(.on)
            try await app.start()
            await app.roost?.wake()
        }

        /// Everybody has a network again.
        func end() async throws {
            for app in apps {
                try await land(app)
                for destination in destinations(of: app) { _ = try await app.timeline(destination) }
            }
            for app in apps { try await app.settle() }
        }

        private func destinations(of app: SimulatedApp) -> [String] {
            [group] + ["alice", "bob", "carol"].filter { $0 != app.user }.map { "@\($0)" }
        }

        // MARK: Invariants

        func check() async throws {
            for app in apps {
                for destination in destinations(of: app) {
                    guard let timeline = try await app.timeline(destination) else { continue }
                    guard let id = timeline.conversation?.id else { continue }
                    let bodies = relay.bodies(of: id, seenBy: app.user)
                    check(bodies, app, destination)
                    try await compare(timeline, bodies, app)
                }
            }
        }

        // Once each, and in the order in which it was typed.
        private func check(_ bodies: [String?], _ app: SimulatedApp, _ destination: String) {
            let typed = app.typed[destination] ?? []
            let there = bodies.compactMap { body in
                body.map { String($0.prefix { $0 != "/" }) }
            }
            #expect(Set(there).count == there.count, "doubled in \(destination)")
            let own = Set(typed)
            let expected = typed.filter { app.changed[$0] != .some(nil) }
            #expect(there.filter(own.contains) == expected, "lost or out of order: \(app.name) in \(destination)")
            for text in expected {
                guard case .some(.some(let last)) = app.changed[text] else { continue }
                #expect(bodies.contains(last), "the last edit of \(text) is lost")
            }
        }

        // The device shows what the relay has, from its own file.
        private func compare(_ timeline: ConversationTimeline, _ bodies: [String?], _ app: SimulatedApp) async throws {
            try await timeline.jumpToEnd()
            while timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            for case .gap(_, let to) in timeline.items { try await timeline.fill(.gap(to)) }
            let shown = await timeline.until { now in
                now.items.allSatisfy { $0.message != nil } && now.items.count == bodies.count
                    && zip(now.items, bodies).allSatisfy { $0.message?.text == $1 }
            }
            #expect(shown.items.count == bodies.count, "\(app.user) on \(app.name)")
        }
    }
}
