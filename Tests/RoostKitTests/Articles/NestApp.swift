import Foundation
import Observation
import RoostClient
import RoostKit
import RoostStore
import RoostWire

// The app of `FromFirebase.md`, step by step.

// article
/// The app's own backend: its signed-in user, and the tokens for the relay.
protocol Backend: Sendable {
    /// The user, by the name that the token has as `sub`.
    var user: String { get }
    /// A token that is good for some time, such as an hour.
    func relayToken() async throws -> String
}
// end

// article
/// The app: one chat, for as long as a user is signed in.
@MainActor
@Observable
final class Nest {
    private(set) var roost: Roost?

    func signIn(
        _ backend: any Backend, relay: URL, folder: URL, connector: any SocketConnector,
        adjust: (inout RoostSettings) -> Void = { _ in }
    ) async throws {
        var settings = RoostSettings(
            relay: relay, file: folder.appending(path: "roost.db"),
            device: "phone-\(UUID().uuidString)", user: backend.user, connector: connector
        ) {
            try await backend.relayToken()
        }
        adjust(&settings)
        let roost = try await Roost(settings)
        self.roost = roost
        await roost.connect()
    }

    func signOut() async throws {
        try await roost?.signOut()
        roost = nil
    }
}
// end

// article
/// A row of the conversation list, as it is drawn.
struct ListLine: Identifiable, Equatable {
    var id: String
    var title: String
    var preview: String
    var unread: Int
    var isOnline: Bool
}

extension Nest {
    var lines: [ListLine] {
        guard let roost else { return [] }
        return roost.conversations.rows.map { row in
            let preview =
                if let name = row.typing.first {
                    "\(name) is typing…"
                } else if !row.draft.isEmpty {
                    "Draft: \(row.draft)"
                } else {
                    String((row.last?.text ?? "").prefix(50))
                }
            return ListLine(
                id: row.id, title: row.title, preview: preview, unread: row.unread,
                isOnline: row.peer.map { roost.person($0).isOnline } ?? false)
        }
    }
}
// end

// article
/// A conversation on the screen.
@MainActor
@Observable
final class ChatScreen {
    let roost: Roost
    let timeline: ConversationTimeline
    /// The text of an alert; nil if there is none.
    var alert: String?

    /// Opens a conversation by its id, or the one with a user as `@name`.
    init(_ conversation: String, _ roost: Roost) async throws {
        self.roost = roost
        timeline = try await roost.timeline(with: conversation)
    }

    func attempt(_ action: () async throws -> Void) async {
        do {
            try await action()
        } catch {
            alert = roost.sentences.sentence(for: error)
        }
    }
}
// end

// article
extension ChatScreen {
    func send(_ text: String) async {
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        await attempt { try await timeline.send(text) }
    }
}
// end

// article
extension ChatScreen {
    /// The text below a message of the user's own.
    func label(of message: TimelineMessage) -> String {
        switch message.state {
        case nil: ""
        case .sending: "Sending…"
        case .sent: "Sent"
        case .delivered: "Delivered"
        case .read(let count, let others): others > 1 ? "Read by \(count) of \(others)" : "Read"
        case .failed(let failure): roost.sentences.sentence(for: failure)
        }
    }

    /// The user has tapped a message.
    func tapped(_ message: TimelineMessage) async {
        guard case .failed(let failure) = message.state, failure.canRetry else { return }
        await attempt { try await timeline.retry(message.id) }
    }
}
// end

// article
extension ChatScreen {
    /// The line above the text field.
    var typingLine: String {
        switch timeline.typing.count {
        case 0: timeline.snapshot.othersType ? "Several people are typing…" : ""
        case 1: "\(timeline.typing[0]) is typing…"
        default: "\(timeline.typing.count) people are typing…"
        }
    }
}
// end

// article
extension ChatScreen {
    /// The line below the title.
    var presenceLine: String {
        if let count = timeline.snapshot.online { return "\(count.online) of \(count.of) are here" }
        guard let peer = timeline.conversation?.peer(of: roost.snapshot.user ?? "") else { return "" }
        let person = roost.person(peer)
        if person.isOnline { return "online" }
        guard let time = person.lastSeen else { return "" }
        return "last seen " + time.formatted()
    }
}
// end

// article
extension ChatScreen {
    /// A message has come onto the screen.
    func appeared(_ message: TimelineMessage) async {
        guard !message.isOwn else { return }
        await attempt { try await timeline.seen(upTo: message.id) }
    }

    /// The names for the sheet "Read by".
    func readers(of message: TimelineMessage) async -> [String] {
        var names: [String] = []
        await attempt { names = try await timeline.readers(of: message.id).map(\.person.user) }
        return names
    }
}
// end

// article
extension Nest {
    func createGroup(_ name: String, with members: [String]) async throws -> ChatScreen? {
        guard let roost else { return nil }
        return try await ChatScreen(roost.createGroup(name, members: members), roost)
    }

    func leave(_ line: ListLine) async throws {
        try await roost?.leave(line.id)
    }
}
// end

// article
extension Nest {
    /// The text of the bar at the top; nil if it isn't there.
    var banner: String? {
        guard let roost else { return nil }
        return roost.sentences.banner(for: roost.snapshot)
    }
}
// end
