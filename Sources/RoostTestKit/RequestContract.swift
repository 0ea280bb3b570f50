import RoostCore
import RoostWire

/// The promises of both stores about requests. It keeps nothing.
enum RequestContract {
    /// A request stays one, and stays dropped, until its receiver does something in it.
    @Sendable static func requests(_ store: inout StoreDriver) throws {
        let (sender, receiver) = (UserNumber(1), UserNumber(2))
        let both = [NewMember(sender, .member), NewMember(receiver, .member)]
        func open(_ conversation: Int32, isRequest: Bool) -> Append {
            var event = store.change(
                conversation, by: 1, .create(id: "d\(conversation)", kind: .direct, name: "", members: both))
            event.purpose = .opening
            event.key = "k\(conversation)"
            event.flag = isRequest
            return event
        }
        func requests() throws -> [StoredRequest?] { try store.load().conversations.map(\.request) }
        _ = try store.commit([
            open(1, isRequest: true), store.message(1, by: 1, "a", key: "k1"), open(2, isRequest: true),
            open(3, isRequest: true), open(4, isRequest: false),
        ])
        let (waiting, dropped) = (StoredRequest(to: receiver), StoredRequest(to: receiver, isDropped: true))
        try store.goOn()
        try StoreContract.expect(try requests(), [waiting, waiting, waiting, nil])
        try store.apply([
            .dropRequest(ConversationNumber(1)), .dropRequest(ConversationNumber(4)),
            .dropRequest(ConversationNumber(9)),
        ])
        // Events of the sender change nothing.
        var deletion = Append(.delete, in: ConversationNumber(1), by: sender, device: "d", at: StoreContract.time(9))
        deletion.reference = SequenceNumber(1)
        _ = try store.commit([deletion, store.change(2, by: 1, .leave(sender, heir: nil))])
        try store.goOn()
        try StoreContract.expect(try requests(), [dropped, waiting, waiting, nil])
        let outcomes = try store.commit([
            store.message(1, by: 2, "b"), store.change(2, by: 2, .accept), store.change(2, by: 2, .accept),
            store.change(4, by: 2, .accept),
        ])
        try StoreContract.expect(Array(outcomes.suffix(2)), [.unchanged, .unchanged])
        try store.goOn()
        try StoreContract.expect(try requests(), [nil, nil, waiting, nil])
    }
}
