import RoostWire
import SeededRandom

/// The users, devices and conversations of a run, drawn from the scenario and its seed before anything is connected.
/// Devices, rooms and places keep their indices for the whole run.
final class Cast {
    private(set) var devices: [Device] = []
    private(set) var rooms: [Room] = []
    /// One entry for each device in a room; written by all code in which something happens there.
    var places: [Place] = []
    private let course: Course
    private let books: Books
    /// The persona of each user, those outside of all conversations among them.
    private var personas: [Int] = []
    private var roomPicker: ZipfPicker?

    init(_ course: Course, _ books: Books) {
        self.course = course
        self.books = books
    }

    /// Users, those outside of all conversations among them.
    var users: Int { personas.count }

    // MARK: Building

    /// Draws all users and rooms, once.
    /// - Parameter crowd: the owner of the devices.
    func build(for crowd: Crowd) {
        precondition(devices.isEmpty, "a cast is built once")
        for user in 0..<(course.scenario.users + course.scenario.outsiders) {
            let persona = persona(ofUser: user)
            personas.append(persona)
            for number in 0..<course.scenario.devices {
                devices.append(
                    Device(crowd: crowd, index: devices.count, user: user, persona: persona, name: "d\(number)"))
            }
        }
        buildPairs()
        buildRooms()
        for number in rooms.indices { introduce(number) }
        roomPicker = rooms.isEmpty ? nil : ZipfPicker(count: rooms.count, exponent: course.scenario.conversations.zipf)
    }

    /// Spreads the personas over the users, so that every room has its share of each.
    private func persona(ofUser user: Int) -> Int {
        // The golden ratio spreads consecutive users evenly over 0…1.
        let at = (Double(user) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
        var passed = 0.0
        for (index, persona) in course.scenario.personas.enumerated() {
            passed += persona.share
            if at < passed { return index }
        }
        return course.scenario.personas.count - 1
    }

    private func buildPairs() {
        let users = course.scenario.users
        guard users >= 2 else { return }
        var seen: Set<[Int]> = []
        var number = 0
        // Each time around the partners lie further apart; there are fewer pairs than users squared.
        while seen.count < course.scenario.conversations.pairs, number < users * users {
            let round = number / (users / 2)
            let first = (number % (users / 2)) * 2
            let other = (first + 1 + 2 * round) % users
            number += 1
            guard first != other, seen.insert([min(first, other), max(first, other)]).inserted else { continue }
            addRoom(members: [first, other], senders: 0, isDirect: true)
        }
    }

    private func buildRooms() {
        for rooms in course.scenario.conversations.rooms {
            for _ in 0..<rooms.count {
                var users = Array(0..<course.scenario.users)
                let members = min(rooms.members, users.count)
                // The first steps of a shuffle (Fisher, Yates).
                for index in 0..<members {
                    users.swapAt(index, Int.random(in: index..<users.count, using: &course.random))
                }
                addRoom(members: Array(users[..<members]), senders: rooms.senders, isDirect: false)
            }
        }
    }

    private func addRoom(members: [Int], senders: Int, isDirect: Bool) {
        let number = rooms.count
        let room = Room(
            members: members, senders: senders == 0 ? members.count : min(senders, members.count),
            picker: nil, isDirect: isDirect, firstPlace: places.count)
        for user in members {
            for device in devices(ofUser: user) {
                places.append(Place(room: Int32(number), device: Int32(device.index)))
            }
        }
        rooms.append(room)
        let weights = members[..<room.senders].map { course.scenario.personas[personas[$0]].writes }
        rooms[number].picker = WeightedPicker(weights: Array(weights))
    }

    /// Adds a room to the ledgers.
    private func introduce(_ number: Int) {
        let room = rooms[number]
        let count = room.members.count * course.scenario.devices
        let devices = (0..<count).map { Int(places[room.firstPlace + $0].device) }
        _ = books.ledger.addConversation(number, members: devices)
        _ = books.signals.addConversation(number, members: devices)
        for (member, user) in room.members.enumerated() {
            let reader = books.unread.add(user, in: number)
            if member == 0 { rooms[number].firstReader = reader }
        }
    }

    /// A user's devices. The first one also does what a user does once, such as watching.
    func devices(ofUser user: Int) -> ArraySlice<Device> {
        devices[user * course.scenario.devices..<(user + 1) * course.scenario.devices]
    }

    // MARK: Names

    /// The user with this name; nil if it isn't one of this run's.
    func user(named name: UnsafeRawBufferPointer) -> Int? {
        let prefix = 3 + course.runName.utf8.count
        guard name.count > prefix, let user = UnsafeRawBufferPointer(rebasing: name[prefix...]).wholeNumber,
            user < personas.count
        else { return nil }
        return user
    }

    /// Whether `name` is the user at the place `sender`, and that place is in the same room as `place`.
    func isSender(_ name: UnsafeRawBufferPointer, from sender: Int, to place: Int) -> Bool {
        guard sender < places.count, places[sender].room == places[place].room else { return false }
        return user(named: name) == devices[Int(places[sender].device)].user
    }

    /// Behaviour of the device's user.
    func persona(of device: Device) -> Scenario.Persona { course.scenario.personas[device.persona] }

    /// The relay has created a room and named its id.
    func learnName(_ name: String, of number: Int) {
        rooms[number].name = name
        let room = rooms[number]
        let hash = Array(room.name.utf8).withUnsafeBytes(\.nameHash)
        let count = room.members.count * course.scenario.devices
        for place in room.firstPlace..<(room.firstPlace + count) {
            devices[Int(places[place].device)].places.add(hash, place: place)
        }
    }

    /// The number of a place's user in the unread ledger.
    func reader(at place: Int) -> Int {
        let room = rooms[Int(places[place].room)]
        return room.firstReader + (place - room.firstPlace) / course.scenario.devices
    }

    // MARK: Picking

    /// Draws who writes the next message, and from which place. Returns nil if all of those drawn are away by plan:
    /// such people don't write. Whether the relay has let a device in must not matter, or it would thin out its load.
    func pickSender() -> (Device, place: Int)? {
        for _ in 0..<8 {
            guard let number = roomPicker?.pick(&course.plan), let picker = rooms[number].picker else { continue }
            let room = rooms[number]
            let member = picker.pick(&course.plan)
            let count = course.scenario.devices
            let which = count == 1 ? 0 : Int.random(in: 0..<count, using: &course.plan)
            let place = room.firstPlace + member * count + which
            let device = devices[Int(places[place].device)]
            if !device.isHeldAway { return (device, place) }
        }
        return nil
    }

    /// Number of devices that get a message sent in a room.
    func receivers(in room: Int) -> Int { rooms[room].members.count * course.scenario.devices - 1 }
}
