import RoostCore
import RoostWire

/// A link that a user of a simulation has made, as its clients know it. Users and conversations are indices of the
/// simulation.
struct SimulatedLink {
    let maker: Int
    let id: String
    let code: String
    /// The group to which it leads; nil if it makes contacts.
    let group: Int?
    let uses: Int
    /// By the wall clock, in milliseconds.
    let expires: Int64
    /// Time at which a client got it, in monotonic milliseconds.
    let toldAt: Int64
    /// When its maker first said that it shall end, and when the last time that the relay confirmed; monotonic.
    var revokingAt: Int64?
    var revokedAt: Int64?
    /// Commands by which it may have been used: the relay took them. A crash may have undone some.
    var taken = 0
    /// Uses that a client has confirmed.
    var counted = 0
}

/// Links that users have made.
struct InviteTruth {
    var links: [SimulatedLink] = []
    /// Users who have asked to join, by the index of the group. Some don't wait any more.
    var waiting: [Int: Set<Int>] = [:]

    /// The link of this id; nil if its maker never got it.
    func index(of id: String, by maker: Int) -> Int? { links.firstIndex { $0.id == id && $0.maker == maker } }
}

extension People {
    /// The relay took the command. Returns whether it is a use of the link, as far as that is known now.
    func noteOpened(_ index: Int, by user: SimulatedUser) -> Bool {
        let link = invitations.links[index]
        invitations.links[index].taken += 1
        guard link.group == nil else { return true }
        return acquaintances.noteOpened(
            by: user.index, of: link.maker, isBlocked: hasBlocked(link.maker, user.index),
            at: world.now.wall.milliseconds)
    }
}

/// Invitations in the log: who joins a group without being added has used one, which counts it once. Users are indices
/// of the simulation.
struct InviteLedger {
    private struct InviteOf: Hashable {
        let maker: Int32
        let id: String
    }

    /// Whether an event says that a user came by a link.
    static func isByLink(_ append: Append) -> Bool {
        String(decoding: append.body, as: UTF8.self).contains("\"inviter\":")
    }

    private struct Waiting: Hashable {
        let user, group: Int32
    }

    /// Durable requests to join groups, and those that were at the beginning of the batch or came with it.
    private var requests: [InviteOf: Waiting] = [:]
    private var waited: Set<Waiting> = []
    /// Durable invitations.
    private var stored: [InviteOf: StoredInvite] = [:]
    /// The uses in the batch being applied, by the number of the group: makers of the used links, once for each use.
    private var used: [Int32: [Int]] = [:]
    /// Groups of which an invitation has ended in this batch, and whether one has ended that was never stored. Uses of
    /// those aren't known.
    private var ended: Set<Int32> = []
    private var hasUnknown = false

    /// Notes what a batch says of invitations, before its events are judged.
    /// - Parameter users: indices by their numbers.
    mutating func begin(_ batch: [Mutation], _ users: [Int32: Int]) {
        (used, ended, hasUnknown) = ([:], [], false)
        waited = Set(requests.values)
        for case .invite(let maker, let id, let invite) in batch {
            let key = InviteOf(maker: maker.value, id: id)
            // A request to join is no link.
            if let invite, invite.isRequest {
                requests[key] = Waiting(user: maker.value, group: invite.conversation.value)
                waited.insert(Waiting(user: maker.value, group: invite.conversation.value))
                continue
            }
            guard requests.removeValue(forKey: key) == nil else { continue }
            let before = stored[key]
            stored[key] = invite
            guard let invite else {
                if let before { ended.insert(before.conversation.value) } else { hasUnknown = true }
                continue
            }
            guard invite.conversation != .none, let index = users[maker.value] else { continue }
            let (group, more) = (invite.conversation.value, invite.used - (before?.used ?? 0))
            var makers = used[group] ?? []
            if more > 0 {
                makers += Array(repeating: index, count: more)
            } else {
                makers.removeLast(min(-more, makers.count))
            }
            used[group] = makers
        }
    }

    /// Whether a user who isn't a member may join by itself: an admin's invitation was used for it.
    mutating func takesUse(in conversation: ConversationTruth) -> Bool {
        let makers = used[conversation.number] ?? []
        guard let place = makers.firstIndex(where: { (conversation.members[$0]?.role ?? .member) >= .admin }) else {
            return ended.contains(conversation.number) || hasUnknown
        }
        used[conversation.number]?.remove(at: place)
        return true
    }

    /// Whether the user waits to join the group.
    func isWaiting(_ user: Int32, for group: Int32) -> Bool { waited.contains(Waiting(user: user, group: group)) }

    /// Counted uses that added no member.
    var usesLeft: Int { used.values.reduce(0) { $0 + $1.count } }
}
