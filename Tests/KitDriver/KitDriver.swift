import Foundation
import RoostAccounts
import RoostClientLibwebsockets
import RoostKit
import RoostStore
import RoostWire

/// An app without a screen, for tests in other languages: it takes commands as lines of JSON and prints, as lines of
/// JSON, what an app would show. A test may kill it at any time.
///
/// Usage: roost-kit-driver URL TOKEN STORE DEVICE. Commands: `{"do":"connect"}`, `open` (`with`), `send` (`text`),
/// `edit` (`id`, `text`), `delete` (`id`), `react` (`id`, `reaction`), `seen` (`sequence`), `older`, `fill` (`from`,
/// `to`), `disconnect`; `setName` (`name`), `contacts`, `invite`, `accept`, `block` and `unblock` (`user`), `set`
/// (`key`, `value` in JSON), `mute`, `expire` (`after`, in seconds); `pin`, `unpin`, `forward` (`with`) and `thread`
/// (`sequence`), `sendInThread` (`text`). In place of a token there may be the address of
/// the services: then the app has accounts, keeps their tokens beside its store, and takes `signUp` (`email`,
/// `password`, `name`), `signIn` (`email`, `password`), `signOut`, `renew`, `changePassword` (`password`, `new`),
/// `profile`, `deleteAccount` (`password`). Each is answered by `{"done":N}`, N counting from 1, when its method has
/// returned; that of `send` has `id`. One that throws is answered by `{"done":N,"failed":"…"}`.
@main
struct KitDriver {
    @MainActor static var timeline: ConversationTimeline?
    @MainActor static var thread: MessageThread?
    @MainActor static var accounts: AccountClient?

    @MainActor static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 5 else {
            FileHandle.standardError.write(Data("usage: roost-kit-driver URL TOKEN STORE DEVICE\n".utf8))
            exit(64)
        }
        let roost = try await Roost(settings(url: words[1], token: words[2], path: words[3], device: words[4]))
        if let accounts {
            let events = await accounts.events()
            Task { for await event in events { tell(event, roost) } }
        }
        Task { for await now in roost.snapshots() { tell(now) } }
        tellOthers(roost)
        var number = 0
        for await line in lines() {
            number += 1
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
                let command = object as? [String: Any]
            else { continue }
            do {
                var answer: [String: Any] = ["done": number]
                if let id = try await carryOut(command, roost) { answer["id"] = id }
                write(answer)
            } catch {
                write(["done": number, "failed": "\(error)"])
            }
        }
    }

    @MainActor private static func settings(
        url: String, token: String, path: String, device: String
    ) -> RoostSettings {
        let connector = LibwebsocketsConnector()
        let relay = URL(string: url) ?? URL(filePath: "/")
        let file = URL(filePath: path)
        guard token.hasPrefix("http") else {
            return RoostSettings(relay: relay, file: file, device: device, connector: connector) { token }
        }
        let client = AccountClient(url: token, device: device, store: FileTokenStore(path: path + ".tokens"))
        accounts = client
        return RoostSettings(relay: relay, file: file, device: device, connector: connector) {
            try await client.token()
        }
    }

    @MainActor private static func carryOut(_ command: [String: Any], _ roost: Roost) async throws -> String? {
        let text = command["text"] as? String ?? ""
        let id = TimelineItem.ID.key(command["id"] as? String ?? "")
        switch command["do"] as? String {
        case "connect": await roost.connect()
        case "disconnect": await roost.disconnect()
        case "open":
            let opened = try await roost.timeline(with: command["with"] as? String ?? "")
            timeline = opened
            Task { for await now in opened.snapshots() { tell(now) } }
        case "send":
            if case .key(let key)? = try await timeline?.send(text) { return key }
        case "edit": try await timeline?.edit(id, text)
        case "delete": try await timeline?.delete(id)
        case "react": try await timeline?.react(id, command["reaction"] as? String ?? "")
        case "seen": try await timeline?.seen(upTo: SequenceNumber(command["sequence"] as? Int64 ?? 0))
        case "older": try await timeline?.loadOlder()
        case "fill":
            let to = command["to"] as? Int64 ?? 0
            try await timeline?.fill(.gap(SequenceNumber(to)))
        default:
            guard try await !carryOutAboutOthers(command, roost) else { return nil }
            try await carryOutForAccount(command)
        }
        return nil
    }

    // Returns false if it is another command.
    @MainActor private static func carryOutAboutOthers(_ command: [String: Any], _ roost: Roost) async throws -> Bool {
        let user = command["user"] as? String ?? ""
        switch command["do"] as? String {
        case "setName": try await roost.people.setProfile(name: command["name"] as? String)
        case "contacts": try await roost.contacts.load()
        case "invite": try await roost.contacts.invite(user)
        case "accept": try await roost.contacts.accept(user)
        case "block": try await roost.contacts.block(user)
        case "unblock": try await roost.contacts.unblock(user)
        case "set":
            let value = command["value"] as? String
            try await roost.settings.set(command["key"] as? String ?? "", json: value.map { Array($0.utf8) })
        case "mute": try await roost.settings.setMute(.always, of: timeline?.conversation?.id ?? "")
        case "expire":
            let seconds = command["after"] as? Int64 ?? 0
            try await roost.setExpiry(of: timeline?.conversation?.id ?? "", after: .seconds(seconds))
        default: return try await carryOutAboutMessages(command)
        }
        return true
    }

    // About the message with a sequence. Returns false if it is another command.
    @MainActor private static func carryOutAboutMessages(_ command: [String: Any]) async throws -> Bool {
        let id = TimelineItem.ID.sequence(SequenceNumber(command["sequence"] as? Int64 ?? 0))
        let text = command["text"] as? String ?? ""
        switch command["do"] as? String {
        case "pin": try await timeline?.pin(id)
        case "unpin": try await timeline?.unpin(id)
        case "forward": try await timeline?.forward(id, to: command["with"] as? String ?? "")
        case "thread":
            let opened = try await timeline?.thread(of: id)
            thread = opened
            guard let opened else { return true }
            Task {
                for await now in opened.snapshots() { write(["thread": now.items.compactMap { $0.message?.text }]) }
            }
        case "sendInThread": try await thread?.send(text)
        default: return false
        }
        return true
    }

    @MainActor private static func tellOthers(_ roost: Roost) {
        let (people, contacts, settings) = (roost.people, roost.contacts, roost.settings)
        Task {
            for await now in people.snapshots() { write(["people": now.compactMapValues(\.name)]) }
        }
        Task {
            for await now in contacts.snapshots() {
                let states = now.contacts.map { ($0.user, "\($0.state.word)") }
                write(["contacts": Dictionary(states, uniquingKeysWith: { $1 })])
            }
        }
        Task {
            for await now in settings.snapshots() {
                write(["settings": now.mapValues { String(decoding: $0.value, as: UTF8.self) }])
            }
        }
    }

    @MainActor private static func carryOutForAccount(_ command: [String: Any]) async throws {
        guard let accounts else { throw CocoaError(.featureUnsupported) }
        let email = command["email"] as? String ?? ""
        let password = command["password"] as? String ?? ""
        switch command["do"] as? String {
        case "signUp":
            try await accounts.signUp(
                email: email, password: password, displayName: command["name"] as? String ?? "")
        case "signIn": try await accounts.signIn(email: email, password: password)
        case "signOut": try await accounts.signOut()
        case "renew": try await accounts.renew()
        case "changePassword":
            try await accounts.changePassword(from: password, to: command["new"] as? String ?? "")
        case "profile": write(["profile": try await accounts.profile().displayName])
        case "deleteAccount": try await accounts.deleteAccount(password: password)
        default: throw CocoaError(.featureUnsupported)
        }
    }

    @MainActor private static func tell(_ event: AccountEvent, _ roost: Roost) {
        switch event {
        case .signedIn(let signIn): write(["signedIn": signIn.user])
        case .signedOut(let reason):
            write(["signedOut": "\(reason)"])
            Task { await roost.disconnect() }
        }
    }

    @MainActor private static func tell(_ now: RoostSnapshot) {
        write([
            "connection": "\(now.connection)", "isUpToDate": now.isUpToDate, "pending": now.pendingCount,
            "badge": now.badge,
        ])
    }

    @MainActor private static func tell(_ now: TimelineSnapshot) {
        let items = now.items.map { item -> [String: Any] in
            switch item {
            case .gap(let from, let to): return ["gap": [from.value, to.value]]
            case .message(let message):
                var row: [String: Any] = ["text": message.text ?? "", "from": message.from]
                if case .key(let key) = message.id { row["id"] = key }
                if let sequence = message.sequence { row["sequence"] = sequence.value }
                if let state = message.state { row["rank"] = state.rank }
                if message.isDeleted { row["deleted"] = true }
                if message.isHidden { row["hidden"] = true }
                if let origin = message.origin { row["origin"] = origin }
                if let replies = message.replies { row["replies"] = replies.count }
                return row
            }
        }
        write(["items": items, "hasOlder": now.hasOlder, "pins": now.pins.map { $0.message?.text ?? "" }])
    }

    @MainActor private static func write(_ object: [String: Any]) {
        guard var line = try? JSONSerialization.data(withJSONObject: object) else { return }
        line.append(10)
        FileHandle.standardOutput.write(line)
    }

    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}
