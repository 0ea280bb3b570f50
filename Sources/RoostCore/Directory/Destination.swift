import RoostWire

/// What a session's last command named, and the conversation it stands for. Most commands name the same one as the
/// command before: it is found again by comparing a few bytes, without the directory, where each look is a hash and
/// several reads of memory that nothing else has touched. Holds only as long as nobody came or went.
struct Destination: ~Copyable {
    private var name: [UInt8] = []
    private var conversation: Conversation?
    private var standingChanges = 0
    /// How a signal to it begins, once one was sent: `{"type":"signal",…` up to the author's name.
    private var signalHead: [UInt8] = []

    /// The conversation, if this names it and all is as it was: then the session's user is a member, and so is the
    /// other one of a direct conversation.
    @inline(__always)
    func conversation(named text: Text) -> Conversation? {
        guard let conversation, name.count == text.count, conversation.standingChanges == standingChanges else {
            return nil
        }
        // Without leaving early, so that it is vectorised: mostly all are equal.
        var difference: UInt8 = 0
        name.withUnsafeBytes { name in
            for index in name.indices { difference |= name[index] ^ text.bytes[index] }
        }
        return difference == 0 ? conversation : nil
    }

    /// Notes it, if the user is a member and nobody is coming or going.
    mutating func note(_ text: Text, is found: Conversation, for user: User) {
        guard found.isAtRest, found.standing(of: user.number) != nil else {
            conversation = nil
            return
        }
        name = text.array
        conversation = found
        standingChanges = found.standingChanges
        signalHead = []
    }

    /// Begins a signal of this user to `conversation`.
    mutating func beginSignal(to target: Conversation, from user: User, in builder: FrameBuilder) {
        if conversation === target, !signalHead.isEmpty { return builder.begin(as: signalHead) }
        builder.begin("signal")
        builder.member("conversation", plain: target.id)
        builder.member("from", plain: user.name)
        if conversation === target { signalHead = [UInt8](builder.written) }
    }
}
