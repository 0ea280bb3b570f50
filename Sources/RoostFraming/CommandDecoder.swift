import RoostWire

/// A command with its `id`. Every `Text` in it is valid until the decoder decodes again or is destroyed.
public struct DecodedCommand {
    /// The id that the reply repeats as `re`, if the client sent one.
    public var id: CommandID?
    /// The command.
    public var command: Command
}

/// Decodes a client's text message into a `Command`, as Docs/Protocol.md defines it. The whole message must be valid
/// JSON, and every member must have the right form and be within the limits. Whether the command is allowed is not
/// checked here. Reuses its memory; used by one thread.
public final class CommandDecoder {
    /// The epoch of the log whose positions it accepts.
    public let epoch: String
    let members: CommandMembers
    private let commandTypes = CommandType.vocabulary

    /// Creates a decoder for messages of at most `limits.frameBytes` bytes; it takes about twice that in memory. It
    /// accepts only positions of the log with this epoch.
    public init(limits: Limits, epoch: String) {
        self.epoch = epoch
        members = CommandMembers(limits: limits, epoch: epoch)
    }

    /// Decodes one message. Throws the refusal to send back, with the `id` if that could be read.
    public func decode(_ message: UnsafeRawBufferPointer) throws(Refusal) -> DecodedCommand {
        try members.read(message)
        let id = try members.id()
        do throws(Refusal) {
            let type = try readType()
            if id == nil, type.needsID { throw members.refusal(.id, "is missing") }
            return DecodedCommand(id: id, command: try readCommand(type))
        } catch {
            var refusal = error
            refusal.id = id
            throw refusal
        }
    }

    private func readType() throws(Refusal) -> CommandType {
        let text = try members.string(.type)
        guard let type = text.find(in: commandTypes) else {
            throw Refusal(.unknownType, "unknown command type")
        }
        return type
    }

    private func readCommand(_ type: CommandType) throws(Refusal) -> Command {
        switch type {
        case .send: try readSend()
        case .signal: try readSignal()
        case .ack: .ack(try members.position(.position))
        case .typing: .typing(to: try members.conversation(.to), isActive: try members.flag(.active) ?? true)
        case .read: .read(try readTarget())
        case .hello: try readHello()
        case .refresh: .refresh(token: try members.token())
        case .ping: .ping
        case .bye: .bye
        case .create: try readCreate()
        case .list: .list(before: try members.optional(.before, members.name), limit: try members.limit())
        case .rename: .rename(conversation: try members.conversation(.conversation), name: try members.groupName())
        case .add: .add(conversation: try members.conversation(.conversation), users: try members.users())
        case .remove: .remove(conversation: try members.conversation(.conversation), users: try members.users())
        case .setRole: try readSetRole()
        case .members: try readMembers()
        case .leave: .leave(conversation: try members.conversation(.conversation))
        case .edit: try readEdit()
        case .delete: .delete(try readTarget())
        case .react: try readReact()
        case .history: try readHistory()
        case .presence: .presence(try members.activity())
        case .watch: .watch(users: try members.watched())
        case .unwatch: .unwatch(users: try members.watched())
        }
    }
}
