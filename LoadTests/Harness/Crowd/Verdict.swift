import RoostWire

/// The checks after the load: whether everything has arrived, and whether the relay counts unread messages as
/// the harness does.
final class Verdict {
    private let course: Course
    private let cast: Cast
    private let books: Books
    /// Number of requested conversation lists that haven't come.
    private(set) var listsAwaited = 0

    init(_ course: Course, _ cast: Cast, _ books: Books) {
        self.course = course
        self.cast = cast
        self.books = books
    }

    /// Counts everything that is still missing as lost.
    func judgeDeliveries() {
        for device in cast.devices {
            switch device.phase {
            case .live: judgeUnanswered(device)
            case .behind:
                judgeUnanswered(device)
                books.note(.stuckBehind, "device \(device.index) got `welcome` and never `live`")
            default:
                books.note(.neverBack, "device \(device.index) wasn't let in again")
                for draft in device.outbox.drafts where course.isMeasured(draft.due) { books.counts.unsent += 1 }
            }
        }
        books.closeDeliveries()
    }

    /// Counts unanswered messages of a live connection: the relay owes a reply to each.
    private func judgeUnanswered(_ device: Device) {
        for message in device.pending.messages {
            books.note(.lost, "device \(device.index): message \(message.number) of its place was never answered")
        }
    }

    /// Judges presence, typing and unread counts.
    func judgePeople(at now: UInt64) {
        books.sweep(at: now)
        books.closePeople()
    }

    // MARK: Unread counts

    /// Asks for the conversation lists of some users.
    func askForUnread() {
        let step = max(1, course.scenario.users / HarnessLimits.unreadChecks)
        for user in stride(from: 0, to: course.scenario.users, by: step) {
            guard let device = cast.devices(ofUser: user).first, device.isReady, !device.places.all.isEmpty else {
                continue
            }
            listsAwaited += 1
            let id = device.expectReply(.list)
            device.send("conversation.list") { frame in
                frame.member("id", Int64(id))
                frame.member("limit", 100)
            }
        }
    }

    /// Whether the user may have a stored message that was never answered.
    private func hasOpenMessage(_ user: Int) -> Bool {
        cast.devices(ofUser: user).contains { device in
            !device.outbox.unanswered.isEmpty || device.pending.hasMessage
        }
    }

    /// A receipt shows a user's own device its unread count, while messages and reads are in flight.
    func sawUnread(_ count: Int, read: Int, by device: Device, at place: Int) {
        books.unread.shown(
            cast.reader(at: place), unread: count, read: read, seen: cast.places[place].newest,
            possible: books.ledger.attempts(in: Int(cast.places[place].room)), isOpen: hasOpenMessage(device.user))
    }

    /// A conversation list has come, or nil if it was refused.
    func listed(_ reply: JSONMembers?, by device: Device) {
        listsAwaited -= 1
        for shown in reply.flatMap(ConversationPage.init(reading:))?.conversations ?? [] {
            guard let place = device.places.place(Array(shown.id.utf8).withUnsafeBytes(\.nameHash)) else { continue }
            books.unread.settled(
                cast.reader(at: place), unread: shown.unread, last: Int(shown.sequence.value),
                isOpen: hasOpenMessage(device.user))
        }
    }
}
