import RoostFraming
import RoostWire

/// The name in a session's last command, and its conversation. Most commands name the same conversation as the one
/// before. Comparing a few bytes finds it again without the directory, where a look-up takes a hash and several reads
/// of cold memory. It is valid only until a member comes or leaves.
struct Destination: ~Copyable {
    private var name: [UInt8] = []
    private var conversation: Conversation?
    private var standingChanges = 0
    /// The beginning of a signal to it, once one was sent: `{"type":"signal",…` up to the author's name.
    private var signalHead: [UInt8] = []

    /// Returns the conversation if `text` is its name and nothing has changed since. The session's user is then a
    /// member, and so is the other user of a direct conversation.
    @inline(__always)
    func conversation(named text: Text) -> Conversation? {
        guard let conversation, name.count == text.count, conversation.changes.ofStandings == standingChanges else {
            return nil
        }
        // Doesn't return early, so that it is vectorised. In most cases all bytes are equal.
        var difference: UInt8 = 0
        name.withUnsafeBytes { name in
            for index in name.indices { difference |= name[index] ^ text.bytes[index] }
        }
        return difference == 0 ? conversation : nil
    }

    /// Remembers the conversation if the user is a member and no change is under way.
    mutating func note(_ text: Text, is found: Conversation, for user: User) {
        guard found.isAtRest, found.standing(of: user.number) != nil else {
            conversation = nil
            return
        }
        name = text.array
        conversation = found
        standingChanges = found.changes.ofStandings
        signalHead = []
    }

    /// Begins a signal from this user to `conversation`.
    mutating func beginSignal(to target: Conversation, from user: User, in builder: FrameBuilder) {
        if conversation === target, !signalHead.isEmpty { return builder.begin(as: signalHead) }
        builder.begin("signal")
        builder.member("conversation", plain: target.id)
        builder.member("from", plain: user.name)
        if conversation === target { signalHead = [UInt8](builder.written) }
    }
}
