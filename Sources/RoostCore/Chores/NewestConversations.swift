import RoostWire

/// Finds the conversations of a user in which something happened last.
final class NewestConversations: Chore {
    private let memberships: [Member]
    private let bound: Int64
    private let most: Int
    private let requests: Bool
    private let done: ([ListPage.Entry], _ hasMore: Bool) -> Void
    private var place = 0
    /// The newest so far, the newest first, and one more.
    private var newest: [ListPage.Entry] = []

    /// - Parameters:
    ///   - bound: only conversations whose log ends below this position.
    ///   - requests: only those that wait for the user to accept them; otherwise only others.
    init(
        of user: User, before bound: Int64, atMost most: Int, requests: Bool,
        _ done: @escaping (_ newest: [ListPage.Entry], _ hasMore: Bool) -> Void
    ) {
        memberships = user.memberships
        self.bound = bound
        self.most = most
        self.requests = requests
        self.done = done
    }

    func work(_ steps: inout Int) -> Bool {
        while place < memberships.count {
            guard steps > 0 else { return false }
            steps -= 1
            let member = memberships[place]
            place += 1
            if isListed(member) { note(member) }
        }
        let hasMore = newest.count > most
        if hasMore { newest.removeLast() }
        done(newest, hasMore)
        return true
    }

    private func isListed(_ member: Member) -> Bool {
        guard !member.conversation.isVeiled(from: member.user.number) else { return false }
        guard let request = member.conversation.opening.request, request.receiver == member.user.number else {
            return !requests
        }
        return requests && !request.isDropped
    }

    private func note(_ member: Member) {
        let conversation = member.conversation
        let position = conversation.end(for: member.user.number).position
        guard position.value < bound else { return }
        if newest.count > most {
            guard let last = newest.last, position > last.position else { return }
            newest.removeLast()
        }
        var (low, high) = (0, newest.count)
        while low < high {
            let middle = (low + high) / 2
            if newest[middle].position < position { high = middle } else { low = middle + 1 }
        }
        newest.insert(ListPage.Entry(conversation: conversation, position: position), at: low)
    }
}
