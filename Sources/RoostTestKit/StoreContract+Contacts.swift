import RoostCore
import RoostWire

extension StoreContract {
    /// The newest state of each pair, prospect and invitation counts, and one that is nothing any more is gone.
    @Sendable static func contacts(_ store: inout StoreDriver) throws {
        let (alice, bob, carol) = (UserNumber(1), UserNumber(2), UserNumber(3))
        func contact(_ inviter: UserNumber?, _ low: String, _ high: String, at milliseconds: Int64) -> StoredContact {
            StoredContact(
                inviter: inviter, low: .init(kind: low, label: "\(low) \"1\""), high: .init(kind: high),
                since: time(milliseconds))
        }
        func invite(_ byte: UInt8, used: Int, in conversation: Int32 = 0) -> StoredInvite {
            StoredInvite(
                hash: [UInt8](repeating: byte, count: SHA256Hash.byteCount),
                conversation: ConversationNumber(conversation), kind: conversation == 0 ? "friend" : "", uses: 5,
                used: used, created: time(5), expires: time(9))
        }
        try store.apply([
            .user(alice, name: "alice"), .user(bob, name: "bob"), .user(carol, name: "carol"),
            .contact(UserPair(bob, alice), contact(bob, "trainer", "client", at: 5)),
            .contact(UserPair(carol, bob), contact(nil, "friend", "friend", at: 6)),
            .contact(UserPair(alice, carol), contact(carol, "friend", "friend", at: 7)),
            .prospect(bob, id: "p2", StoredProspect(name: "Zoë", note: "two\nlines")),
            .prospect(bob, id: "p1", StoredProspect(name: "Yann", note: "")),
            .prospect(alice, id: "p2", StoredProspect(name: "Xaver", note: "")),
            .invite(bob, id: "i2", invite(0, used: 0)), .invite(bob, id: "i1", invite(1, used: 0, in: 1)),
            .invite(alice, id: "i2", invite(2, used: 0)),
        ])
        try store.goOn()
        try store.apply([
            .contact(UserPair(alice, bob), contact(nil, "trainer", "client", at: 8)),
            .contact(UserPair(carol, bob), nil),
            .prospect(bob, id: "p1", StoredProspect(name: "Yann", note: "called")), .prospect(alice, id: "p2", nil),
            .invite(bob, id: "i1", invite(1, used: 3, in: 1)), .invite(alice, id: "i2", nil),
        ])
        try store.goOn()
        let snapshot = try store.load()
        try expect(
            snapshot.contacts,
            [
                Snapshot.Contact(UserPair(alice, bob), contact(nil, "trainer", "client", at: 8)),
                Snapshot.Contact(UserPair(alice, carol), contact(carol, "friend", "friend", at: 7)),
            ])
        try expect(
            snapshot.prospects,
            [
                Snapshot.Prospect(bob, id: "p1", StoredProspect(name: "Yann", note: "called")),
                Snapshot.Prospect(bob, id: "p2", StoredProspect(name: "Zoë", note: "two\nlines")),
            ])
        try expect(
            snapshot.invites,
            [
                Snapshot.Invite(bob, id: "i1", invite(1, used: 3, in: 1)),
                Snapshot.Invite(bob, id: "i2", invite(0, used: 0)),
            ])
    }
}
