import RoostClient
import RoostStore
import RoostWire

/// Names, contacts and settings known on this device, for the app's views. Confined to the engine.
final class Acquaintances {
    /// The streams that receive changes.
    struct Shown: Sendable {
        let people: AsyncStream<[String: UserProfile]>.Continuation
        let contacts: AsyncStream<ContactsSnapshot>.Continuation
        let settings: AsyncStream<[String: LocalSetting]>.Continuation
    }

    /// Most profiles at hand: those shown in lists and timelines, and as many again.
    static let profilesMax = 4_000
    /// Users of one `user.get`: the relay's bound (Docs/Protocol.md, section 14).
    static let askedAtOnce = 100

    private let store: LocalStore
    private let shown: Shown
    private var profiles: [String: UserProfile] = [:]
    // Shown users without a profile here.
    private var unknown: Set<String> = []
    // Users that this session has asked the relay for.
    private var asked: Set<String> = []
    private(set) var contacts = ContactsSnapshot()
    private var followsContacts = false
    private var settingsRevision = -1

    init(_ store: LocalStore, _ shown: Shown) {
        self.store = store
        self.shown = shown
    }

    // MARK: Sessions

    /// A session begins: the relay sends no changes from the time without one.
    func begin() {
        asked = []
        if contacts.isComplete { changeContacts { $0.isComplete = false } }
    }

    /// Another user begins.
    func forgetAll() {
        (profiles, unknown, asked) = ([:], [], [])
        shown.people.yield([:])
        changeContacts { $0 = ContactsSnapshot() }
    }

    // MARK: People

    /// Publishes changes of the store.
    /// - Parameter users: the users shown in open views.
    func refresh(for users: Set<String>) throws(LocalFailure) {
        let before = profiles
        switch store.people.takeChanges() {
        case .all: (profiles, unknown) = ([:], [])
        case .of(let changed):
            for user in changed { profiles[user] = nil }
            unknown.subtract(changed)
        }
        for user in users where profiles[user] == nil && !unknown.contains(user) {
            if let profile = try store.people.profile(of: user) {
                profiles[user] = profile
            } else {
                unknown.insert(user)
            }
        }
        if profiles.count + unknown.count > Acquaintances.profilesMax {
            profiles = profiles.filter { users.contains($0.key) }
            unknown.formIntersection(users)
        }
        if profiles != before { shown.people.yield(profiles) }
        guard store.settings.revision != settingsRevision else { return }
        settingsRevision = store.settings.revision
        let settings = try store.settings.settings()
        shown.settings.yield(Dictionary(settings.map { ($0.key, $0) }, uniquingKeysWith: { $1 }))
    }

    /// Asks the relay for shown users that this session hasn't asked for.
    func askPeople(
        _ users: Set<String>, _ client: ChatClient, _ patience: Patience, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bool {
        let new = users.subtracting(asked).sorted()
        guard !new.isEmpty else { return false }
        for start in stride(from: 0, to: new.count, by: Acquaintances.askedAtOnce) {
            let some = Array(new[start..<min(new.count, start + Acquaintances.askedAtOnce)])
            let told = try await patience { () throws(RoostFailure) in try await client.people.get(some) }
            try store.people.take(told)
            asked.formUnion(some)
        }
        // Bounded, at the price of asking for some again.
        if asked.count > Acquaintances.profilesMax { asked = users }
        return true
    }

    /// Asks for a user's profile again: it may have changed without an event.
    func doubt(_ user: String) { asked.remove(user) }

    // MARK: Contacts

    /// The app shows them: those that the device has, at once.
    func followContacts() throws(LocalFailure) {
        guard !followsContacts else { return }
        followsContacts = true
        let kept = try store.contacts.contacts()
        changeContacts { $0.contacts = kept }
    }

    /// A contact has changed; nil if the two users have no relationship any more.
    func note(_ user: String, _ contact: Contact?) throws(LocalFailure) {
        try store.contacts.put(user, contact)
        guard followsContacts else { return }
        changeContacts { now in
            let index = now.contacts.firstIndex { $0.user == user }
            switch (index, contact) {
            case (let index?, let contact?): now.contacts[index] = contact
            case (let index?, nil): now.contacts.remove(at: index)
            case (nil, let contact?) where now.contacts.count < LocalContacts.contactsMax:
                now.contacts.append(contact)
            case (nil, _): break
            }
        }
    }

    /// Asks the relay for all contacts, if the app shows them and they aren't here.
    func askContacts(
        _ client: ChatClient, _ patience: Patience, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard followsContacts, !contacts.isComplete else { return }
        var (all, after) = ([String: Contact](), String?.none)
        repeat {
            let from = after
            let page = try await patience { () throws(RoostFailure) in
                try await client.contacts.list(after: from, limit: 200)
            }
            for one in page.contacts { all[one.user] = one }
            after = page.next
        } while after != nil && all.count < LocalContacts.contactsMax
        // An answer is never older than an event that came before it, so what it has counts.
        let sorted = all.values.sorted { $0.user < $1.user }
        try store.contacts.replace(with: sorted)
        changeContacts { now in
            now.contacts = sorted
            now.isComplete = true
        }
    }

    private func changeContacts(_ change: (inout ContactsSnapshot) -> Void) {
        var now = contacts
        change(&now)
        guard now != contacts else { return }
        contacts = now
        shown.contacts.yield(now)
    }
}
