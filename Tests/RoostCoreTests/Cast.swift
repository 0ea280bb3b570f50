import RoostFraming
import RoostWire

@testable import RoostCore

/// Users who are all in one group, for tests of a part without a relay around it.
struct Cast {
    let group: Conversation
    let counters = Counters()
    let roll: Roll
    private let delivery = Delivery(.init(Limits()), .none(), builder: FrameBuilder(), counters: Counters())

    /// The members in this order, numbered from 1.
    init(_ names: String...) {
        roll = Roll(counters)
        group = Conversation(ConversationNumber(1), id: "group", kind: .group, name: "Group", roll)
        for (index, name) in names.enumerated() {
            let user = User(UserNumber(Int32(index + 1)), name: name, roll)
            let member = Member(user, of: group, role: .member, since: .none, joinedAt: .start, joinedAfter: .none)
            group.admit(member, delivery.settle())
            user.join(member)
        }
    }

    /// Delivery is settled: nothing gathers here.
    func settled() -> Settled { delivery.settle() }

    /// The member at this place, from 0.
    subscript(_ index: Int) -> Member { group.members[index] }

    /// A device of the user at this place.
    func device(of index: Int, named name: String = "phone") -> Device {
        let user = self[index].user
        let device = Device(
            DeviceNumber(Int32(100 * index + user.devices.count)), of: user, name: name, cursor: .start, isNew: false,
            at: 0)
        user.add(device)
        return device
    }

    /// A session of this device that is ready.
    func session(on device: Device, numbered number: UInt64) -> Session {
        session(on: device, numbered: number, after: delivery.settle())
    }

    /// The same, for a test with its own delivery.
    func session(on device: Device, numbered number: UInt64, after settled: borrowing Settled) -> Session {
        let session = Session(SessionID(number), .init(.init(Limits()), at: 0))
        session.begin(as: device.user, on: device)
        device.connect(session, at: Moment(0))
        device.user.add(session, settled)
        return session
    }
}

extension Moment {
    /// The moment at which both clocks show so many milliseconds.
    init(_ milliseconds: Int64) {
        self.init(monotonic: milliseconds, wall: Timestamp(milliseconds: milliseconds))
    }
}

extension EventWindow {
    /// A window that keeps nothing, so that everything missed is read from the log.
    static func none(head: Position = .start) -> EventWindow { EventWindow(bytes: 0, head: head) }
}
