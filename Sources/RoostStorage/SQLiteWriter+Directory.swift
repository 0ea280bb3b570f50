import RoostCore
import RoostWire

/// Users, devices, members and their marks: small rows, written in the batch's transaction.
extension SQLiteWriter {
    func insertUser(_ number: UserNumber, _ name: String) throws {
        directory.insertUser.bind(1, number.value)
        try directory.insertUser.bind(2, copying: name)
        try directory.insertUser.run()
    }

    func insertDevice(_ number: DeviceNumber, _ user: UserNumber, _ name: String, _ cursor: Position) throws {
        directory.insertDevice.bind(1, number.value)
        directory.insertDevice.bind(2, user.value)
        try directory.insertDevice.bind(3, copying: name)
        directory.insertDevice.bind(4, cursor.value)
        try directory.insertDevice.run()
    }

    func deleteDevice(_ number: DeviceNumber) throws {
        directory.deleteDevice.bind(1, number.value)
        try directory.deleteDevice.run()
    }

    func setCursor(_ device: DeviceNumber, _ position: Position) throws {
        directory.setCursor.bind(1, device.value)
        directory.setCursor.bind(2, position.value)
        try directory.setCursor.run()
    }

    func setPresence(_ user: UserNumber, _ isOnline: Bool, _ lastSeen: Timestamp) throws {
        directory.setPresence.bind(1, user.value)
        directory.setPresence.bind(2, Int32(isOnline ? 1 : 0))
        directory.setPresence.bind(3, lastSeen.milliseconds)
        try directory.setPresence.run()
    }

    func setWatermark(_ conversation: ConversationNumber, _ user: UserNumber, _ mark: Watermark) throws {
        let update = directory.setWatermark
        update.bind(1, conversation.value)
        update.bind(2, user.value)
        update.bind(3, mark.delivered.value)
        update.bind(4, mark.deliveredAt.milliseconds)
        update.bind(5, mark.read.value)
        update.bind(6, mark.readAt.milliseconds)
        try update.run()
    }

    /// Applies what a stored event at `position` changes. Erasing is not among it: it stores nothing.
    func apply(_ change: ConversationChange, in conversation: ConversationNumber, at position: Int64) throws {
        switch change {
        case .create(let id, let kind, let name, let members):
            let insert = directory.insertConversation
            insert.bind(1, conversation.value)
            try insert.bind(2, copying: id)
            insert.bind(3, Int32(kind.rawValue))
            try insert.bind(4, copying: name)
            try insert.run()
            try add(members, to: conversation, at: position)
        case .rename(let name):
            directory.renameConversation.bind(1, conversation.value)
            try directory.renameConversation.bind(2, copying: name)
            try directory.renameConversation.run()
        case .add(let members):
            try add(members, to: conversation, at: position)
        case .remove(let users):
            for user in users { try remove(user, from: conversation, at: position) }
        case .leave(let user, let heir):
            try remove(user, from: conversation, at: position)
            if let heir { try setRole(.owner, of: heir, in: conversation) }
        case .roles(let members):
            for member in members { try setRole(member.role, of: member.user, in: conversation) }
        case .erase:
            break
        }
    }

    private func add(_ members: [NewMember], to conversation: ConversationNumber, at position: Int64) throws {
        let insert = directory.addMember
        let last = conversations[conversation.value]?.lastSequence ?? 0
        for (ordinal, member) in members.enumerated() {
            insert.bind(1, conversation.value)
            insert.bind(2, member.user.value)
            insert.bind(3, Int32(member.role.rawValue))
            insert.bind(4, member.since.value)
            insert.bind(5, position)
            insert.bind(6, Int64(ordinal))
            insert.bind(7, last)
            try insert.run()
        }
    }

    private func remove(_ user: UserNumber, from conversation: ConversationNumber, at position: Int64) throws {
        directory.removeMember.bind(1, conversation.value)
        directory.removeMember.bind(2, user.value)
        directory.removeMember.bind(3, position)
        try directory.removeMember.run()
    }

    private func setRole(_ role: Role, of user: UserNumber, in conversation: ConversationNumber) throws {
        directory.setRole.bind(1, conversation.value)
        directory.setRole.bind(2, user.value)
        directory.setRole.bind(3, Int32(role.rawValue))
        try directory.setRole.run()
    }
}
