/// Forgets who of a conversation's members is online, after the last watch of it has ended.
final class EndOfCount: Chore {
    private let conversation: Conversation
    private let counts: GroupCounts

    init(of conversation: Conversation, _ counts: GroupCounts) {
        self.conversation = conversation
        self.counts = counts
    }

    func work(_ steps: inout Int) -> Bool { counts.end(conversation, &steps) }
}
