import RoostWire
import Testing

@testable import RoostStore

/// Contacts as a device keeps them.
@Suite struct LocalContactsTests {
    private let file = OutboxFile()

    private func open() throws -> LocalStore { try LocalStore(path: file.path, device: "phone") }

    private func contact(_ user: String, _ state: ContactState = .accepted, label: String = "") -> Contact {
        Contact(user: user, kind: "friend", state: state, label: label, since: Timestamp(milliseconds: 5))
    }

    @Test func contactsOutliveAStart() throws {
        let store = try open()
        try store.contacts.put("bob", contact("bob", .sent))
        try store.contacts.put("carol", contact("carol", label: "from work"))
        try store.contacts.put("bob", contact("bob"))
        #expect(try open().contacts.contacts() == [contact("bob"), contact("carol", label: "from work")])
        try store.contacts.put("bob", nil)
        #expect(try open().contacts.contacts().map(\.user) == ["carol"])
    }

    @Test func aCompleteListReplacesWhatIsThere() throws {
        let store = try open()
        try store.contacts.replace(with: [contact("bob"), contact("carol", .received)])
        try store.contacts.replace(with: [contact("dave", .received)])
        #expect(try open().contacts.contacts() == [contact("dave", .received)])
    }

    @Test func moreThanTheBoundAreLeftOut() throws {
        let store = try open()
        let all = (0..<LocalContacts.contactsMax).map { contact("u\($0)") }
        try store.contacts.replace(with: all)
        try store.contacts.put("one-more", contact("one-more"))
        try store.contacts.put("u7", contact("u7", label: "changed"))
        let kept = try store.contacts.contacts()
        #expect(kept.count == LocalContacts.contactsMax)
        #expect(kept.contains(contact("u7", label: "changed")) && !kept.contains { $0.user == "one-more" })
    }

    @Test func theyGoWithTheirUser() throws {
        let store = try open()
        try store.signIn("alice")
        try store.contacts.put("bob", contact("bob"))
        try store.signIn("eve")
        #expect(try store.contacts.contacts() == [])
    }
}
