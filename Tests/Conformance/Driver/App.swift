import Foundation
import Observation
import RoostClient
import RoostClientLibwebsockets
import RoostKit
import RoostStore
import RoostWire
import Synchronization

/// The app that a driver stands for: one user's chat on one device, and the conversations that it shows.
@MainActor
final class App {
    private let token = Backend()
    private var roost: Roost?
    private var timelines: [String: ConversationTimeline] = [:]
    // Number of rewinds of the relay's files that were reported.
    var rewinds = 0

    func take(_ command: Command) async {
        do {
            var answer = try await carryOut(command)
            answer["done"] = command.number
            Driver.write(answer)
        } catch {
            Driver.write(["done": command.number, "failed": "\(error)"])
        }
    }

    private func carryOut(_ command: Command) async throws -> [String: Any] {
        switch command.name {
        case "start":
            try await start(command)
            return [
                "has": [
                    "store", "outbox", "gaps", "receipts", "typing", "presence", "users", "versions", "forwards",
                    "rewinds", "names", "drafts", "invites", "moderation",
                ]
            ]
        case "token":
            token.next = command.text("token")
            return [:]
        default: break
        }
        guard let roost else { throw Misuse("start comes first") }
        switch command.name {
        case "connect": await roost.connect()
        case "disconnect": await roost.disconnect()
        case "wake": await roost.wake()
        case "signOut": try await roost.signOut()
        case "activity":
            switch command.text("state") {
            case "idle": await roost.setActivity(.idle)
            case "background": await roost.setActivity(.background)
            default: await roost.setActivity(.active)
            }
        case "group":
            return ["id": try await roost.createGroup(command.text("name"), members: command.list("members"))]
        case "invite":
            let made = try await roost.invitations.create(
                conversation: command.optional("conversation"), uses: Int(command.number("uses")))
            return ["id": made.code ?? ""]
        case "revokeInvites":
            for one in try await roost.invitations.list() { try await roost.invitations.revoke(one.id) }
        case "invited": _ = try await roost.invitations.show(command.text("code"))
        case "join": return ["id": try await roost.invitations.open(command.text("code")) ?? ""]
        case "leave": try await roost.leave(command.text("conversation"))
        case "open": try await open(command.text("in"), roost)
        case "close": timelines[command.text("in")] = nil
        default:
            guard let timeline = timelines[command.text("in")] else { throw Misuse("open comes first") }
            return try await carryOut(command, in: timeline)
        }
        return [:]
    }

    private func carryOut(_ command: Command, in timeline: ConversationTimeline) async throws -> [String: Any] {
        let target = { (name: String) throws -> TimelineItem.ID in
            let id = command.text(name)
            let found = timeline.items.first { $0.message.map { wordOf($0.id) == id } ?? false }
            return found?.id ?? .key(id)
        }
        let replyTo = try command.optional("replyTo").map { _ in try target("replyTo") }
        switch command.name {
        case "send": return ["id": wordOf(try await timeline.send(command.text("text"), replyTo: replyTo))]
        case "sendBody":
            guard let body = MessageBody(json: command.json("body")) else { throw Misuse("the body isn't JSON") }
            return ["id": wordOf(try await timeline.send(kind: command.text("kind"), body, replyTo: replyTo))]
        case "edit":
            try await timeline.edit(
                target("id"), command.text("text"), ifVersion: command.optionalNumber("ifVersion"))
        case "forward": try await timeline.forward(target("id"), to: command.text("to"))
        case "delete": try await timeline.delete(target("id"))
        case "react":
            try await timeline.react(
                target("id"), command.text("reaction"), isOn: command.flag("on", otherwise: true))
        case "retry": try await timeline.retry(command.number("item"))
        case "replace": try await timeline.replace(command.number("item"), command.text("text"))
        case "discard": try await timeline.discard(command.number("item"))
        case "resume": try await timeline.resume()
        case "seen": try await timeline.seen(upTo: SequenceNumber(command.number("sequence")))
        case "write":
            timeline.draft = command.text("text")
            try await timeline.saveDraft()
        case "older": try await timeline.loadOlder()
        case "newer": try await timeline.loadNewer()
        case "fill":
            try await timeline.fill(.gap(SequenceNumber(command.number("to"))))
        default: throw Misuse("no such command: \(command.name)")
        }
        return [:]
    }

    private func start(_ command: Command) async throws {
        token.next = command.text("token")
        guard let relay = URL(string: command.text("url")) else { throw Misuse("the url isn't one") }
        var settings = RoostSettings(
            relay: relay, file: URL(filePath: command.text("store") + "/roost.db"), device: command.text("device"),
            user: command.optional("user"), connector: LibwebsocketsConnector()
        ) { [token] in
            await MainActor.run { Driver.write(["tell": "token"]) }
            return token.next
        }
        if let waits = command.waits("retries") { settings.policy = .attempts(waits) }
        settings.goesOnAfterFailures = command.flag("goesOn", otherwise: false)
        let roost = try await Roost(settings)
        self.roost = roost
        Task { for await now in roost.snapshots() { tell(now, of: roost) } }
        Task { for await now in roost.conversations.snapshots() { tell(now) } }
        Task { for await now in roost.people.snapshots() { tell(now) } }
        watchPresence(roost)
    }

    private func watchPresence(_ roost: Roost) {
        withObservationTracking {
            tellPresences(roost.presences)
        } onChange: {
            // It is called before the change.
            Task { @MainActor [weak self] in self?.watchPresence(roost) }
        }
    }

    private func open(_ destination: String, _ roost: Roost) async throws {
        let timeline = try await roost.timeline(with: destination)
        timelines[destination] = timeline
        Task { [weak timeline] in
            guard let snapshots = timeline?.snapshots() else { return }
            for await now in snapshots { tell(now, draft: timeline?.draft ?? "", of: destination) }
        }
        watchDraft(of: timeline, destination)
    }
}

/// The source of the app's tokens.
final class Backend: Sendable {
    private let token = Mutex("")

    var next: String {
        get { token.withLock { $0 } }
        set { token.withLock { $0 = newValue } }
    }
}

/// The name of a row for the other side.
func wordOf(_ id: TimelineItem.ID) -> String {
    switch id {
    case .key(let key): key
    case .sequence(let sequence): "#\(sequence.value)"
    case .gap(let end): "gap-\(end.value)"
    }
}
