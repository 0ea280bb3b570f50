import RoostCore
import RoostWire

/// The store contract for messages that say nothing of what their senders have read. It keeps nothing.
enum ReadingContract {
    /// A user who writes without reading has read nothing by that, and such messages are known, until the member has
    /// read further. Beyond the bound of such ranges, the oldest counts as read.
    @Sendable static func reading(_ store: inout StoreDriver) throws {
        func unread(_ user: Int32, _ text: String) -> Append {
            var event = store.message(1, by: user, text)
            event.flag = true
            return event
        }
        func mark() throws -> Watermark? { try store.load().members.first { $0.user == UserNumber(1) }?.watermark }
        try store.create(1, members: [1, 2])
        _ = try store.commit([
            store.message(1, by: 1, "a"), store.message(1, by: 2, "bb"), unread(1, "ccc"), unread(1, "cc"),
            store.message(1, by: 2, "bb"), unread(1, "c"),
        ])
        try store.goOn()
        var known = try mark()
        try StoreContract.expect(known?.read.value, 1)
        try StoreContract.expect(known?.delivered.value, 1)
        try StoreContract.expect(known?.own.text, "3-4,6")
        try StoreContract.expect(try store.history(1).map(\.flag), [false, false, true, true, false, true])
        // A relay stores how far it has got, and another one takes up from there.
        known?.read = SequenceNumber(3)
        known?.own.keep(above: SequenceNumber(3))
        if let known { try store.apply([.watermark(ConversationNumber(1), UserNumber(1), known)]) }
        try store.goOn()
        try StoreContract.expect(try mark()?.own.text, "4,6")
        for _ in 0..<30 { _ = try store.commit([store.message(1, by: 2, "b"), unread(1, "c")]) }
        try store.goOn()
        try StoreContract.expect(try mark()?.read.value, 3)
        try StoreContract.expect(try mark()?.own.ranges.count, 32)
        _ = try store.commit([store.message(1, by: 2, "b"), unread(1, "c")])
        try store.goOn()
        try StoreContract.expect(try mark()?.read.value, 4)
        try StoreContract.expect(try mark()?.own.ranges.first, 6...6)
        _ = try store.commit([store.message(1, by: 1, "a")])
        try store.goOn()
        try StoreContract.expect(try mark()?.own.text, "")
        // A returning member begins anew.
        _ = try store.commit([
            unread(1, "c"), store.change(1, by: 2, .remove([UserNumber(1)])),
            store.change(1, by: 2, .add([NewMember(UserNumber(1), .member)])),
        ])
        try store.goOn()
        try StoreContract.expect(try mark(), Watermark())
    }
}
