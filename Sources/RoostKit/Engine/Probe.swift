import RoostClient
import RoostStore
import RoostWire

/// Conversations that may accept what they refused before, because of an event: a user was accepted, has got a role or
/// joined a group, or the user's blocks have changed. Each is tried by one item, so that a reason that stays costs one
/// command for each event. Also groups that may accept a message sooner than announced. Used within the engine.
struct Probe {
    private var all = false
    // Ids of conversations, and other users as `@name`.
    private var names: Set<String> = []
    // Groups whose slow mode or roles have changed.
    private var paced: Set<String> = []

    /// Collects the conversations that these events are a reason to try.
    init(_ events: [RoostEvent]) {
        for event in events {
            switch event {
            // Events that happened without a session don't always follow later.
            case .live, .privacy: all = true
            case .contact(let change): names.insert("@\(change.user)")
            case .message(let message): names.insert("@\(message.from)")
            case .edited(let edit): names.insert("@\(edit.target.from)")
            case .reacted(let reaction): names.insert("@\(reaction.target.from)")
            case .conversation(let event):
                names.insert(event.conversation)
                switch event.change {
                case .slow, .role: paced.insert(event.conversation)
                case .created(let outline): names.formUnion(outline.members.map { "@\($0)" })
                case .added(let users, let outline):
                    names.formUnion((users + (outline?.members ?? [])).map { "@\($0)" })
                default: break
                }
            default: break
            }
        }
    }

    /// Lets these conversations be tried.
    /// - Returns: whether there may be something to send.
    func begin(_ store: LocalStore) throws(LocalFailure) -> Bool {
        var hasWoken = false
        for id in paced where store.outbox.wake(id) { hasWoken = true }
        guard all || !names.isEmpty, !store.outbox.parked.isEmpty else { return hasWoken }
        for destination in Array(store.outbox.parked.keys) {
            let conversation = try store.conversation(destination)
            let peer = conversation?.peer(of: store.identity.user ?? "")
            let own = [destination, conversation?.id, peer.map { "@\($0)" }].compactMap { $0 }
            if all || own.contains(where: names.contains) { try store.outbox.probe(destination) }
        }
        return true
    }
}
