/// The types of what a client says (Docs/Protocol.md, sections 3–9, 11 and 12).
public enum CommandType: WireWord {
    case hello, refresh, ping, bye, devices
    case acceptRequest, dropRequest
    case create, get, list, rename, describe, add, remove, setRole, setExpiry, members, leave
    case pin, unpin, pins
    case ban, unban, bans, setTimeout, setPosting, setSlow, setJoining
    case send, edit, delete, react, history, signal
    case setState, getState, receipts
    case ack, read, unread, typing, presence, status, privacy, except, watch, unwatch
    case block, unblock, report
    case setProfile, getUsers, findUsers
    case invite, acceptContact, declineContact, removeContact, contacts, setProspect, removeProspect, prospects
    case createInvite, invites, revokeInvite, showInvite, openInvite
    case joins, acceptJoin, refuseJoin
    case people, person, findAnything, whereabouts, disconnect, revoke, drain, statistics, states, erase, profile
    case introduce, showInvitation
    case feed, ackFeed, forgetFeed
    case reports, showReport, removeReported, closeReport

    /// The value of `type`.
    public var word: StaticString {
        switch self {
        case .hello: "hello"
        case .refresh: "refresh"
        case .ping: "ping"
        case .bye: "bye"
        case .devices: "devices"
        case .acceptRequest: "request.accept"
        case .dropRequest: "request.drop"
        case .create: "conversation.create"
        case .get: "conversation.get"
        case .list: "conversation.list"
        case .rename: "conversation.rename"
        case .describe: "conversation.describe"
        case .add: "conversation.add"
        case .remove: "conversation.remove"
        case .setRole: "conversation.role"
        case .setExpiry: "conversation.expiry"
        case .members: "conversation.members"
        case .leave: "conversation.leave"
        case .pin: "conversation.pin"
        case .unpin: "conversation.unpin"
        case .pins: "conversation.pins"
        case .ban: "conversation.ban"
        case .unban: "conversation.unban"
        case .bans: "conversation.bans"
        case .setTimeout: "conversation.timeout"
        case .setPosting: "conversation.posting"
        case .setSlow: "conversation.slow"
        case .setJoining: "conversation.joining"
        case .send: "send"
        case .edit: "edit"
        case .delete: "delete"
        case .react: "react"
        case .history: "history"
        case .signal: "signal"
        case .setState: "state.set"
        case .getState: "state.get"
        case .receipts: "receipts"
        case .ack: "ack"
        case .read: "read"
        case .unread: "unread"
        case .typing: "typing"
        case .presence: "presence"
        case .status: "status"
        case .privacy: "privacy"
        case .except: "except"
        case .watch: "watch"
        case .unwatch: "unwatch"
        case .setProfile: "profile.set"
        case .getUsers: "user.get"
        case .findUsers: "user.find"
        case .invite: "contact.invite"
        case .acceptContact: "contact.accept"
        case .declineContact: "contact.decline"
        case .removeContact: "contact.remove"
        case .contacts: "contact.list"
        case .setProspect: "prospect.set"
        case .removeProspect: "prospect.remove"
        case .prospects: "prospect.list"
        case .block: "contact.block"
        case .unblock: "contact.unblock"
        case .report: "contact.report"
        case .createInvite: "invite.create"
        case .invites: "invite.list"
        case .revokeInvite: "invite.revoke"
        case .showInvite: "invite.show"
        case .openInvite: "invite.open"
        case .joins: "join.list"
        case .acceptJoin: "join.accept"
        case .refuseJoin: "join.refuse"
        case .people: "admin.people"
        case .person: "admin.user"
        case .findAnything: "admin.find"
        case .whereabouts: "admin.message"
        case .disconnect: "admin.disconnect"
        case .revoke: "admin.revoke"
        case .drain: "admin.drain"
        case .statistics: "admin.statistics"
        case .states: "admin.presence"
        case .erase: "admin.erase"
        case .profile: "admin.profile"
        case .introduce: "admin.introduce"
        case .showInvitation: "admin.invite"
        case .reports: "admin.reports"
        case .showReport: "admin.report.show"
        case .removeReported: "admin.report.remove"
        case .closeReport: "admin.report.close"
        case .feed: "feed"
        case .ackFeed: "feed.ack"
        case .forgetFeed: "feed.forget"
        }
    }

    /// Whether a service may send it as a user, named in `as` (Docs/Protocol.md, section 13).
    @inlinable
    public var takesPrincipal: Bool {
        switch self {
        case .send, .edit, .delete, .react, .signal, .history, .create, .get, .list, .members, .rename, .describe, .add,
            .remove, .setRole, .setExpiry, .leave, .pin, .unpin, .pins, .ban, .unban, .bans, .setTimeout,
            .setPosting, .setSlow, .setJoining, .setState, .getState, .receipts, .invite,
            .acceptContact, .declineContact, .removeContact, .contacts, .acceptRequest,
            .dropRequest, .createInvite, .invites, .revokeInvite, .showInvite, .openInvite, .joins, .acceptJoin,
            .refuseJoin:
            true
        default: false
        }
    }

    /// Whether the command is always answered, so that its `id` is required (Docs/Protocol.md, section 1).
    public var needsID: Bool {
        switch self {
        case .signal, .typing, .ack, .read, .bye: false
        default: true
        }
    }
}
