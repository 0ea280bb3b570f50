/// Names and order of the kinds for people, and their keys in JSON objects.
extension LatencyKind {
    /// The kind as a heading.
    var title: String {
        switch self {
        case .delivery: "Delivery"
        case .ack: "Acknowledgement"
        case .receipt: "Read receipt"
        case .presence: "Presence"
        case .typing: "Typing"
        case .connect: "Connect"
        case .catchUp: "Catch-up"
        case .bystander: "Bystanders"
        }
    }

    /// The beginning and the end of the measured time.
    var about: String {
        switch self {
        case .delivery: "from the moment a message was due to its arrival at one device"
        case .ack: "from the moment a message was due to the sender's ok"
        case .receipt: "from a device's read to the other members' receipt"
        case .presence: "from the moment a user's state had to change to a watcher's seeing it"
        case .typing: "from typing to another member's seeing it"
        case .connect: "from the decision to connect to welcome"
        case .catchUp: "from welcome to live, of devices that had missed messages"
        case .bystander: "deliveries in a storm, between users whose connections it didn't cut"
        }
    }
}

// Without this, a dictionary of kinds would be written as a list in random order, and the same run would give different
// files.
extension LatencyKind: CodingKeyRepresentable {}
