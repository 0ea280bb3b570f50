import Foundation
import Observation
import RoostKit
import RoostStore
import RoostWire

/// Prints the app's screen, as lines.
extension App {
    func tell(_ now: RoostSnapshot, of roost: Roost) {
        for _ in rewinds..<max(rewinds, now.rewinds) { Driver.write(["tell": "rewound"]) }
        rewinds = now.rewinds
        var line: [String: Any] = [
            "tell": "session", "upToDate": now.isUpToDate, "pending": now.pendingCount, "badge": now.badge,
        ]
        switch now.connection {
        case .offline: line["state"] = "offline"
        case .connecting: line["state"] = "connecting"
        case .connected: line["state"] = "connected"
        case .waiting: line["state"] = "waiting"
        case .failed(let failure):
            line["state"] = "failed"
            switch failure {
            case .signedOut: line["reason"] = "signedOut"
            case .takenOver: line["reason"] = "takenOver"
            case .wrongUser: line["reason"] = "wrongUser"
            case .store, .ended, .refused: line["reason"] = "other"
            }
            line["detail"] = "\(failure)"
        }
        if let user = now.user { line["user"] = user }
        Driver.write(line)
    }

    func tellPresences(_ now: [String: UserPresence]) {
        Driver.write(["tell": "presence", "users": now.mapValues { "\($0.state)" }])
    }

    func tell(_ now: [String: UserProfile]) {
        Driver.write(["tell": "names", "users": now.compactMapValues(\.name)])
    }

    func tell(_ now: ConversationListSnapshot) {
        let rows = now.rows.map { row -> [String: Any] in
            var told: [String: Any] = [
                "id": row.id, "title": row.title, "unread": row.unread, "pending": row.pending, "typing": row.typing,
                "draft": row.draft,
            ]
            if let last = row.last { told["last"] = message(last) }
            return told
        }
        Driver.write(["tell": "list", "rows": rows])
    }

    /// Prints the timeline whenever its draft changes.
    func watchDraft(of timeline: ConversationTimeline, _ destination: String) {
        let draft = withObservationTracking {
            timeline.draft
        } onChange: { [weak self, weak timeline] in
            Task { @MainActor in
                if let timeline { self?.watchDraft(of: timeline, destination) }
            }
        }
        tell(timeline.snapshot, draft: draft, of: destination)
    }

    func tell(_ now: TimelineSnapshot, draft: String, of destination: String) {
        var line: [String: Any] = [
            "tell": "timeline", "in": destination, "typing": now.typing, "hasOlder": now.hasOlder, "draft": draft,
            "items": now.items.map { item -> [String: Any] in
                switch item {
                case .gap(let from, let to): ["gap": [from.value, to.value]]
                case .message(let one): message(one)
                }
            },
        ]
        if let conversation = now.conversation {
            line["conversation"] = conversation.id
            line["name"] = conversation.name ?? ""
            line["members"] = conversation.members
            line["unread"] = conversation.unread
            line["read"] = conversation.read.value
            line["posting"] = "\(conversation.posting.word)"
            line["joining"] = "\(conversation.joining.word)"
            line["waiting"] = conversation.waiting
            if let timeout = conversation.timeout { line["timedOut"] = timeout.reason.map { "\($0.word)" } ?? "" }
        }
        if let failure = now.failure { line["failure"] = "\(failure.reason)" }
        Driver.write(line)
    }

    private func message(_ one: TimelineMessage) -> [String: Any] {
        var row: [String: Any] = ["id": wordOf(one.id), "from": one.from]
        if let sequence = one.sequence { row["sequence"] = sequence.value }
        if one.kind == "text" {
            row["text"] = one.text ?? ""
        } else {
            row["kind"] = one.kind
            if let json = one.body?.json {
                row["body"] = (try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed))
            }
        }
        if one.body == nil, !one.isDeleted { row["lost"] = true }
        if one.isDeleted { row["deleted"] = true }
        if one.editedAt != nil { row["edited"] = true }
        if one.isChanging { row["changing"] = true }
        if let replyTo = one.replyTo { row["replyTo"] = replyTo.value }
        if let origin = one.origin { row["origin"] = origin }
        if let item = one.outboxItem { row["item"] = item }
        if let failure = one.failedChange {
            row["failedChange"] = "\(failure.failure.reason)"
            row["item"] = failure.outboxItem
        }
        if !one.reactions.isEmpty {
            row["reactions"] = one.reactions.map { ["reaction": $0.reaction, "count": $0.count, "mine": $0.isMine] }
        }
        switch one.state {
        case .sending: row["state"] = "sending"
        case .sent: row["state"] = "sent"
        case .delivered: row["state"] = "delivered"
        case .read: row["state"] = "read"
        case .failed(let failure):
            row["state"] = "failed"
            row["reason"] = "\(failure.reason)"
        case nil: break
        }
        return row
    }
}
