import RoostCore
import RoostWire

/// A stranger's first message, and what became of it in the log. Users are indices of the simulation, times are
/// monotonic milliseconds.
struct RequestTruth {
    let sender: Int
    let receiver: Int
    /// When it became durable, and when it became durable that its receiver has dropped or answered it; nil if that
    /// hasn't happened.
    let begunAt: Int64
    var droppedAt: Int64?
    var endedAt: Int64?
}

extension ConversationTruth {
    /// Whether its receiver hasn't accepted it.
    var isWaiting: Bool { request != nil && request?.endedAt == nil }

    /// Whether it waits for this user, or was dropped by it.
    func waits(for user: Int) -> Bool { isWaiting && request?.receiver == user }

    /// Whether the user's message waited to be accepted, at some time from `time` until now.
    func mayHaveWaited(from user: Int, since time: Int64) -> Bool {
        guard let request, request.sender == user else { return false }
        return request.endedAt.map { $0 >= time } ?? true
    }

    /// Allowed values of `request` in an answer to a command that the user sent at `time`; empty for none.
    /// - Parameter isDropSaid: one of its devices has dropped it, which may not be durable.
    func requestWords(for user: Int, askedAt time: Int64, isDropSaid: Bool) -> Set<String> {
        guard let request else { return [""] }
        var words: Set<String> = request.endedAt == nil ? [] : [""]
        guard request.endedAt.map({ $0 >= time }) ?? true else { return words }
        guard user == request.receiver else { return words.union(["sent"]) }
        if isDropSaid { words.insert("dropped") }
        if request.droppedAt.map({ $0 >= time }) ?? true { words.insert("received") }
        return words
    }
}

/// The rules for strangers, in the order of the log.
extension Ledger {
    /// Whether the user is asked by the other one, whether it has dropped that or not.
    func isAsked(_ user: Int, by other: Int) -> Bool {
        conversations.contains { !$0.isErased && $0.waits(for: user) && $0.request?.sender == other }
    }

    /// Number of the user's first messages that wait to be accepted, or were dropped.
    func requestsSent(by user: Int) -> Int {
        conversations.count { !$0.isErased && $0.isWaiting && $0.request?.sender == user }
    }

    /// The request that this creation is; nil if it is none.
    func request(_ append: Append, by sender: Int) -> RequestTruth? {
        guard append.flag, case .create(_, let kind, _, let members) = append.change else { return nil }
        let others = members.compactMap { users[$0.user.value] }.filter { $0 != sender }
        guard kind == .direct, others.count == 1, let receiver = others.first else {
            blame("a conversation of \(members.count) waits to be accepted")
            return nil
        }
        return RequestTruth(sender: sender, receiver: receiver, begunAt: appliedAt)
    }

    /// One message waits, which its sender may take back. The sender may leave, and not come back.
    func checkWaiting(_ append: Append, _ sender: Int, in conversation: ConversationTruth) {
        if case .accept = append.change, !conversation.waits(for: sender), conversation.request?.sender != sender {
            blame("user \(sender) accepts \(conversation.id), which doesn't wait for it")
        }
        guard conversation.isWaiting, conversation.request?.sender == sender else { return }
        switch (append.kind, append.change) {
        // By the sender only if the two know each other by now.
        case (.delete, _), (_, .create), (_, .leave), (_, .accept): return
        case (.message, _) where conversation.messages.isEmpty, (_, .add) where conversation.messages.isEmpty: return
        default: blame("user \(sender) says more in \(conversation.id), which isn't accepted: \(append.kind)")
        }
    }

    /// The first thing that the receiver does accepts the request, except when it removes what is left of it.
    func noteAnswer(_ append: Append, _ sender: Int, in conversation: ConversationTruth) {
        let isAcceptance = append.change?.isAcceptance ?? false
        guard conversation.waits(for: sender) || conversation.isWaiting && isAcceptance, !conversation.isErased else {
            return
        }
        conversation.request?.endedAt = appliedAt
        // The two meet by it.
        conversation.changedAt = append.time.milliseconds
    }

    /// The receiver doesn't want to see it.
    func noteDropped(_ number: ConversationNumber) {
        guard let index = conversationsByNumber[number.value], conversations[index].isWaiting else { return }
        if conversations[index].request?.droppedAt == nil { conversations[index].request?.droppedAt = appliedAt }
    }
}
