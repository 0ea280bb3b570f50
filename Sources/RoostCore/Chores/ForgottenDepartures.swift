import RoostWire

/// Forgets that users were in a conversation that was erased.
final class ForgottenDepartures: Chore {
    private let conversation: ConversationNumber
    private let users: [UserNumber]
    private let directory: Directory
    private var place = 0

    init(of conversation: Conversation, _ directory: Directory) {
        self.conversation = conversation.number
        users = conversation.formerMembers.keys
        self.directory = directory
    }

    func work(_ steps: inout Int) -> Bool {
        while place < users.count {
            guard steps > 0 else { return false }
            steps -= 1
            directory.forgetDeparture(of: users[place], from: conversation)
            place += 1
        }
        return true
    }
}
