import RoostWire

@testable import RoostCore

/// Users who are all in one group, for tests of a part without a relay around it.
struct Cast {
    let group = Conversation(ConversationNumber(1), id: "group", kind: .group, name: "Group")

    /// Members in this order, numbered from 1.
    init(_ names: String...) {
        for (index, name) in names.enumerated() {
            let user = User(UserNumber(Int32(index + 1)), name: name)
            let member = Member(user, of: group, role: .member, since: .none, joinedAt: .start)
            group.admit(member)
            user.join(member)
        }
    }

    /// The member at this place, from 0.
    subscript(_ index: Int) -> Member { group.members[index] }

    /// A device of the user at this place.
    func device(of index: Int, named name: String = "phone") -> Device {
        let user = self[index].user
        let device = Device(
            DeviceNumber(Int32(100 * index + user.devices.count)), of: user, name: name, cursor: .start, at: 0)
        user.add(device)
        return device
    }

    /// A session of this device that is ready.
    func session(on device: Device, numbered number: UInt64) -> Session {
        let session = Session(SessionID(number), limits: Limits(), at: Moment(0))
        session.user = device.user
        session.device = device
        session.phase = .ready
        device.connect(session)
        device.user.add(session)
        return session
    }
}

extension Moment {
    /// So many milliseconds by both clocks.
    init(_ milliseconds: Int64) {
        self.init(monotonic: milliseconds, wall: Timestamp(milliseconds: milliseconds))
    }
}
