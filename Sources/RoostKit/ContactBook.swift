public import Observation
import RoostClient
import RoostStore
public import RoostWire

/// The user's contacts and invitations, blocks and prospects. `load` shows the contacts that the device keeps and asks
/// the relay for all; changes come by themselves from then on. Changing anything needs a session.
@MainActor
@Observable
public final class ContactBook {
    /// The contacts, and whether all are here.
    public private(set) var snapshot = ContactsSnapshot()
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private var reader: Task<Void, Never>?
    @ObservationIgnored private let changes = Changes<ContactsSnapshot>()

    init(_ engine: Engine, _ told: AsyncStream<ContactsSnapshot>) {
        self.engine = engine
        reader = Task { [weak self] in for await now in told { self?.show(now) } }
    }

    init(preview snapshot: ContactsSnapshot) {
        engine = .preview
        self.snapshot = snapshot
    }

    deinit { reader?.cancel() }

    private func show(_ now: ContactsSnapshot) {
        snapshot = now
        changes.send(now)
    }

    /// The contacts, now and whenever they change. A slow reader misses what is old.
    public func snapshots() -> AsyncStream<ContactsSnapshot> { changes.stream(from: snapshot) }

    /// Shows the contacts of the device's file, and asks for all, now and after each reconnect. All are in `snapshot`
    /// when it returns.
    /// - Throws: `RoostFailure` if there is no session: `snapshot` has what the device keeps, with `isComplete` false,
    ///   and the relay is asked when the next session begins.
    public func load() async throws {
        show(
            try await engine.perform { desk in
                try desk.acquaintances.followContacts()
                return desk.acquaintances.contacts
            })
        try await engine.askContacts()
        show(try await engine.perform { $0.acquaintances.contacts })
    }

    /// Invites a user, or accepts if that user has invited this one. Invited again, a contact gets the new label.
    /// - Parameters:
    ///   - kind: the other's relation to this user; nil for the relay's first kind.
    ///   - label: a note of at most 256 bytes that only this user sees; empty to remove it.
    public func invite(_ user: String, kind: String? = nil, label: String? = nil) async throws {
        try await change(user) { contacts throws(RoostFailure) in
            try await contacts.invite(user, kind: kind, label: label)
        }
    }

    /// Accepts a user's invitation.
    public func accept(_ user: String, label: String? = nil) async throws {
        try await change(user) { contacts throws(RoostFailure) in try await contacts.accept(user, label: label) }
    }

    /// Declines a user's invitation.
    public func decline(_ user: String) async throws {
        try await change(user) { contacts throws(RoostFailure) in
            try await contacts.decline(user)
            return nil
        }
    }

    /// Ends a contact, takes an invitation back, or declines one.
    public func remove(_ user: String) async throws {
        try await change(user) { contacts throws(RoostFailure) in
            try await contacts.remove(user)
            return nil
        }
    }

    private func change(
        _ user: String, _ body: @escaping @Sendable (ClientContacts) async throws(RoostFailure) -> Contact?
    ) async throws {
        let contact = try await engine.patience { [engine] () throws(RoostFailure) in
            try await body(engine.client.contacts)
        }
        show(
            try await engine.perform { desk in
                try desk.acquaintances.note(user, contact)
                return desk.acquaintances.contacts
            })
    }

    // MARK: Prospects

    /// Stores a person who isn't a user yet, or changes one. Only this user sees it. Needs a session.
    /// - Parameters:
    ///   - id: the prospect to change; nil for a new one.
    ///   - name: at most 256 bytes.
    ///   - note: at most 512 bytes; nil to leave it as it is, empty to remove it.
    @discardableResult
    public func setProspect(_ id: String? = nil, name: String, note: String? = nil) async throws -> Prospect {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.prospects.set(id, name: name, note: note)
        }
    }

    /// Removes a prospect. Needs a session.
    public func removeProspect(_ id: String) async throws {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.prospects.remove(id)
        }
    }

    /// Returns all prospects, in the relay's order. Needs a session.
    public func prospects() async throws -> [Prospect] {
        var (all, after) = ([Prospect](), String?.none)
        repeat {
            let from = after
            let page = try await engine.patience { [engine] () throws(RoostFailure) in
                try await engine.client.prospects.list(after: from, limit: 200)
            }
            all += page.prospects
            after = page.next
        } while after != nil && all.count < ContactBook.prospectsMax
        return all
    }

    // A relay lets a user have 1,000 (Docs/Protocol.md, section 15); a faulty one must not keep the loop running.
    private static let prospectsMax = 10_000

    // MARK: Blocks and reports

    /// Blocks a user: no messages pass in either direction, and in groups each sees only placeholders of the other's
    /// messages. The other user isn't notified.
    public func block(_ user: String) async throws {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.contacts.block([user])
        }
        try await blockChanged(with: user)
    }

    /// Removes a block. Hidden messages are asked for anew.
    public func unblock(_ user: String) async throws {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.contacts.unblock([user])
        }
        try await blockChanged(with: user)
    }

    private func blockChanged(with user: String) async throws {
        try await engine.perform { desk in
            try desk.store.blockChanged(with: user)
            desk.acquaintances.doubt(user)
            desk.tell()
        }
        await engine.refresh()
    }

    /// The users blocked by this one.
    public func blocked() async throws -> [String] {
        let privacy = try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.setPrivacy()
        }
        return privacy.exceptions.filter { $0.kind == .blocked }.map(\.user)
    }

    /// Reports another user to the operators. The reported user isn't notified.
    /// - Parameter text: at most 1,024 bytes.
    public func report(_ user: String, _ reason: ReportReason, text: String? = nil) async throws {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.contacts.report(user, reason, text: text)
        }
    }

    /// Reports a message to the operators.
    /// - Parameter text: at most 1,024 bytes.
    public func report(
        _ sequence: SequenceNumber, of conversation: String, _ reason: ReportReason, text: String? = nil
    ) async throws {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.contacts.report(sequence, of: conversation, reason, text: text)
        }
    }
}

/// The contacts and invitations at one moment.
public struct ContactsSnapshot: Sendable, Equatable {
    /// Contacts and invitations of either side.
    public var contacts: [Contact] = []
    /// Whether all of them are here.
    public var isComplete = false

    /// Nothing yet.
    public init() {}

    /// The contacts in one state: accepted, or waiting for one side.
    public func contacts(_ state: ContactState) -> [Contact] { contacts.filter { $0.state == state } }
}
