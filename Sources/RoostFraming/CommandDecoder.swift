import CSimdjson
import RoostWire

/// A command with the `id` under which it is answered. Every `Text` in it is valid until the decoder that made it
/// decodes again or goes away.
public struct DecodedCommand {
    /// What the reply repeats as `re`, if the client wants one.
    public var id: CommandID?
    /// What the client asks for.
    public var command: Command
}

/// Turns one text message of a client into a `Command`, as Docs/Protocol.md says: the whole message is checked to be
/// valid JSON, and every member to have its form and to be within the limits. Owns the parser and its memory, which
/// is reused by every call; belongs to one thread. It doesn't judge whether the command is allowed.
public final class CommandDecoder {
    let limits: Limits
    let parser: OpaquePointer
    // For each `Member`, where the last of that name is.
    private let found: UnsafeMutablePointer<UnsafePointer<csj_value>?>
    private let memberNames = Member.vocabulary
    private let commandTypes = CommandType.vocabulary

    /// A decoder for messages of at most `limits.frameBytes` bytes; takes about six times that in memory.
    public init(limits: Limits) {
        self.limits = limits
        let bytes = min(max(limits.frameBytes, 0), Int(Int32.max))
        // The limit counts the levels of a body, which is one inside the command.
        let depth = UInt32(min(max(limits.jsonDepth, 0), 65_535)) + 1
        guard let parser = csj_create(bytes, depth, UInt32(min(max(limits.commandMembers, 1), 65_535))) else {
            preconditionFailure("out of memory")
        }
        self.parser = parser
        found = .allocate(capacity: Member.allCases.count)
        found.initialize(repeating: nil, count: Member.allCases.count)
    }

    deinit {
        found.deallocate()
        csj_destroy(parser)
    }

    /// Decodes one message. Throws the refusal to answer with; it carries the `id` if that could be read.
    public func decode(_ message: UnsafeRawBufferPointer) throws(Refusal) -> DecodedCommand {
        try parse(message)
        let id = try readID()
        do throws(Refusal) {
            let type = try readType()
            if id == nil, type.needsID { throw refusal(.id, "is missing") }
            return DecodedCommand(id: id, command: try readCommand(type))
        } catch {
            var refusal = error
            refusal.id = id
            throw refusal
        }
    }

    /// The member, or nil if it is absent or null.
    func value(_ member: Member) -> UnsafePointer<csj_value>? {
        guard let value = found[member.rawValue], value.pointee.kind != CSJ_NULL else { return nil }
        return value
    }

    /// The member, even if it is null.
    func valueOrNull(_ member: Member) -> UnsafePointer<csj_value>? { found[member.rawValue] }

    private func parse(_ message: UnsafeRawBufferPointer) throws(Refusal) {
        let status = csj_parse(parser, message.baseAddress, message.count)
        guard status == CSJ_OK else { throw refusal(status) }
        found.update(repeating: nil, count: Member.allCases.count)
        guard var member = csj_members(parser) else { return }
        for _ in 0..<csj_member_count(parser) {
            if let key = member.pointee.key, let name = memberNames.find(key, Int(member.pointee.key_count)) {
                found[name.rawValue] = member
            }
            member += 1
        }
    }

    private func readID() throws(Refusal) -> CommandID? {
        guard let value = value(.id) else { return nil }
        switch value.pointee.kind {
        case CSJ_INTEGER where (0...9_007_199_254_740_992).contains(value.pointee.integer):
            return .number(UInt64(value.pointee.integer))
        case CSJ_STRING where Text(value).hasBytes(atMost: limits.nameBytes):
            return .text(Text(value).string)
        default:
            throw refusal(.id, "must be a string of 1 to \(limits.nameBytes) bytes or a whole number from 0 to 2^53")
        }
    }

    private func readType() throws(Refusal) -> CommandType {
        guard let value = value(.type) else { throw refusal(.type, "is missing") }
        guard value.pointee.kind == CSJ_STRING, let text = value.pointee.text else {
            throw refusal(.type, "must be a string")
        }
        guard let type = commandTypes.find(text, Int(value.pointee.text_count)) else {
            throw Refusal(.unknownType, "unknown command type")
        }
        return type
    }

    private func readCommand(_ type: CommandType) throws(Refusal) -> Command {
        switch type {
        case .send: try readSend()
        case .signal: try readSignal()
        case .ack: .ack(try position(.position))
        case .typing: .typing(to: try conversation(.to), isActive: try flag(.active) ?? true)
        case .read: .read(try readTarget())
        case .hello: try readHello()
        case .refresh: .refresh(token: try token())
        case .ping: .ping
        case .bye: .bye
        case .create: try readCreate()
        case .list: .list(before: try optional(.before, name), limit: try limit())
        case .rename: .rename(conversation: try conversation(.conversation), name: try groupName())
        case .add: .add(conversation: try conversation(.conversation), users: try users())
        case .remove: .remove(conversation: try conversation(.conversation), users: try users())
        case .setRole: try readSetRole()
        case .members: try readMembers()
        case .leave: .leave(conversation: try conversation(.conversation))
        case .edit: try readEdit()
        case .delete: .delete(try readTarget())
        case .react: try readReact()
        case .history: try readHistory()
        case .presence: .presence(try activity())
        case .watch: .watch(users: try watched())
        case .unwatch: .unwatch(users: try watched())
        }
    }
}
