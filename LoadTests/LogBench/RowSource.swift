import Glibc
import RoostCore
import RoostWire

/// Makes the events to append: users u1, u2 …, groups c1, c2 …, and messages from all senders in turn. A relay that
/// opens the store afterwards finds users, groups and messages as it would have stored them. A value.
struct RowSource {
    private let arguments: BenchArguments
    private let body: [UInt8]
    private let time: Timestamp
    private var made = 0

    init(_ arguments: BenchArguments) {
        self.arguments = arguments
        body = [0x22] + Array(repeating: UInt8(ascii: "x"), count: arguments.bytes - 2) + [0x22]
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        time = Timestamp(milliseconds: Int64(now.tv_sec) * 1_000)
    }

    /// The users and groups, in batches.
    func directory(batch: Int) -> [[Mutation]] {
        let users = (1...arguments.senders).map { Mutation.user(UserNumber(Int32($0)), name: "u\($0)") }
        let groups = (1...arguments.conversations).map { Mutation.append(creation(of: $0)) }
        let all = users + groups
        return stride(from: 0, to: all.count, by: batch).map { Array(all[$0..<min($0 + batch, all.count)]) }
    }

    /// The event with which the Relay announces a group. Its members are the users whose number modulo the number of
    /// groups is `conversation`.
    private func creation(of conversation: Int) -> Append {
        let numbers = stride(from: conversation, through: arguments.senders, by: arguments.conversations)
        let members = numbers.map { NewMember(UserNumber(Int32($0)), $0 == conversation ? .owner : .member) }
        var event = Append(
            .conversation, in: ConversationNumber(Int32(conversation)), by: UserNumber(Int32(conversation)),
            device: "d", at: time)
        event.body = Array("\"event\":\"created\"".utf8)
        event.change = .create(id: "c\(conversation)", kind: .group, name: "Bench", members: members)
        return event
    }

    /// The next messages, at most `count`, and no more than are left.
    mutating func next(_ count: Int) -> [Mutation] {
        let end = min(made + count, arguments.rows)
        defer { made = end }
        return (made..<end).map { .append(message(number: $0)) }
    }

    private func message(number: Int) -> Append {
        let sender = number % arguments.senders + 1
        let conversation = (sender - 1) % arguments.conversations + 1
        var event = Append(
            .message, in: ConversationNumber(Int32(conversation)), by: UserNumber(Int32(sender)), device: "d",
            at: time)
        event.key = "m-\(number)"
        event.label = "text"
        event.body = body
        return event
    }
}
