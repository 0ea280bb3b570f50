/// The place of one device in one conversation: a dense index for flat arrays. A sender is identified by its
/// membership, too.
struct Membership: Hashable, Sendable {
    let index: Int32

    /// The membership of an outsider.
    static let none = Membership(index: -1)
}

/// The devices of each conversation, and which of them are connected. A value inside a ledger. It changes only during
/// the set-up and when a device connects or leaves. Ledgers that get the same conversations in the same order assign
/// the same memberships.
struct Roster {
    /// The memberships of a conversation, which are consecutive.
    struct Span {
        var first: Int32 = 0
        var members: Int32 = 0
        /// Number of members whose device is connected.
        var present: Int32 = 0

        @inline(__always)
        func contains(_ membership: Membership) -> Bool {
            membership.index >= first && membership.index - first < members
        }
    }

    struct Seat {
        var membership: Int32
        var conversation: Int32
    }

    /// Spans by conversation.
    private(set) var spans: [Span] = []
    private(set) var memberships: Int32 = 0
    /// Seats by device: the conversations it belongs to.
    private var seats: [[Seat]] = []
    private var isPresent: [Bool] = []

    /// Adds a conversation. Each member's device gets a membership, in the given order.
    mutating func add(_ conversation: Int, members devices: [Int]) -> [Membership] {
        while spans.count <= conversation { spans.append(Span()) }
        precondition(spans[conversation].members == 0, "a conversation is added once")
        var span = Span(first: memberships, members: Int32(devices.count))
        for device in devices {
            grow(to: device)
            seats[device].append(Seat(membership: memberships, conversation: Int32(conversation)))
            if isPresent[device] { span.present += 1 }
            memberships += 1
        }
        spans[conversation] = span
        return (span.first..<memberships).map { Membership(index: $0) }
    }

    /// The seats of a device; empty for an outsider.
    func seats(of device: Int) -> [Seat] { seats.indices.contains(device) ? seats[device] : [] }

    func isPresent(_ device: Int) -> Bool { isPresent.indices.contains(device) && isPresent[device] }

    /// - Returns: false if nothing changed.
    mutating func setPresent(_ present: Bool, _ device: Int) -> Bool {
        grow(to: device)
        guard isPresent[device] != present else { return false }
        isPresent[device] = present
        for seat in seats[device] { spans[Int(seat.conversation)].present += present ? 1 : -1 }
        return true
    }

    @inline(__always)
    func contains(_ conversation: Int, _ membership: Membership) -> Bool {
        conversation >= 0 && conversation < spans.count && spans[conversation].contains(membership)
    }

    /// The name of the device, for descriptions. Searches all devices.
    func device(of membership: Membership) -> String {
        let device = seats.firstIndex { $0.contains { $0.membership == membership.index } }
        return device.map { "device \($0)" } ?? "an outsider"
    }

    private mutating func grow(to device: Int) {
        while seats.count <= device {
            seats.append([])
            isPresent.append(false)
        }
    }
}

extension Membership {
    /// The place of a device in a conversation, with the number of its membership.
    init(_ place: Int) { self.init(index: Int32(truncatingIfNeeded: place)) }
}
