import RoostFraming
import RoostWire

/// The people in an answer about conversations, each once, with the members that a list shows. So a client can show the
/// list without asking for each.
struct PeopleShown {
    private let viewer: User
    private let policy: Policy
    private let most: Int
    private var people: [User] = []
    private var known: Set<UserNumber> = []

    /// - Parameter most: number of people beyond which further ones are left out.
    init(to viewer: User, _ policy: Policy, atMost most: Int) {
        self.viewer = viewer
        self.policy = policy
        self.most = most
    }

    /// Adds a user, unless there is nothing to show.
    mutating func add(_ user: User) {
        guard people.count < most, user.profile?.isShown == true, known.insert(user.number).inserted,
            !policy.hidesProfile(of: user, from: viewer)
        else { return }
        people.append(user)
    }

    /// Writes them into the object that is open, unless there are none.
    func write(to builder: FrameBuilder) {
        guard !people.isEmpty else { return }
        builder.beginArray("people")
        for user in people {
            builder.beginObject()
            builder.outline(of: user)
            builder.endObject()
        }
        builder.endArray()
    }
}
