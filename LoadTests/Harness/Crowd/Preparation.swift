import RoostWire

/// Prepares what every run needs of the relay before its load: conversations, and who watches whose presence. One step
/// each, a bounded number at once.
final class Preparation {
    private let course: Course
    private let cast: Cast
    private let books: Books
    private let habits: Habits
    /// Steps that were begun and not answered.
    private(set) var stepsUnderWay = 0
    /// Why the preparation failed; nil so far.
    private(set) var failure: String?

    init(_ course: Course, _ cast: Cast, _ books: Books, _ habits: Habits) {
        self.course = course
        self.cast = cast
        self.books = books
        self.habits = habits
    }

    /// Begins the steps from `next` on, as far as the window allows. Returns the first that has to wait.
    func createRooms(from next: Int) -> Int {
        var next = next
        while next < cast.rooms.count, stepsUnderWay < HarnessLimits.setUpWindow {
            create(next)
            next += 1
        }
        return next
    }

    private func create(_ number: Int) {
        let room = cast.rooms[number]
        guard let creator = room.members.first.flatMap({ cast.devices(ofUser: $0).first }) else { return }
        stepsUnderWay += 1
        let others = room.members.dropFirst().prefix(HarnessLimits.membersPerCommand)
        let id = creator.expectReply(.create(room: number))
        creator.send("conversation.create") { frame in
            frame.member("id", Int64(id))
            frame.member("kind", word: room.isDirect ? "direct" : "group")
            if !room.isDirect { frame.member("name", "Room \(number)") }
            writeNames("members", others, to: frame)
        }
    }

    /// The relay has created a conversation. Adds the remaining members of a large one.
    func created(_ number: Int, _ reply: JSONMembers?, by creator: Device) {
        guard let name = reply.flatMap(CreatedConversation.init(reading:))?.conversation.id else {
            return stepFailed("conversation.create was answered without a conversation")
        }
        cast.learnName(name, of: number)
        var rest = cast.rooms[number].members.dropFirst(1 + HarnessLimits.membersPerCommand)
        while !rest.isEmpty {
            stepsUnderWay += 1
            let id = creator.expectReply(.add)
            creator.send("conversation.add") { frame in
                frame.member("id", Int64(id))
                frame.member("conversation", name)
                writeNames("users", rest.prefix(HarnessLimits.membersPerCommand), to: frame)
            }
            rest = rest.dropFirst(HarnessLimits.membersPerCommand)
        }
        stepDone()
    }

    /// A step was answered.
    func stepDone() { stepsUnderWay -= 1 }

    /// A step was refused.
    func stepFailed(_ why: String) {
        failure = why
        stepsUnderWay -= 1
    }

    private func writeNames(_ member: StaticString, _ users: some Sequence<Int>, to frame: JSONWriter) {
        frame.beginArray(member)
        for user in users { frame.element(EnginePlan.userName(user, run: course.runName)) }
        frame.endArray()
    }

    // MARK: Watching

    /// Lets every user watch some of the users with a shared conversation, on their first device.
    func watch(from next: Int) -> Int {
        var next = next
        while next < course.scenario.users, stepsUnderWay < HarnessLimits.setUpWindow {
            if let device = cast.devices(ofUser: next).first { watch(by: device) }
            next += 1
        }
        return next
    }

    /// Watches again on a later connection, or for the first time.
    func watch(by device: Device) {
        let watched = watchedUsers(of: device)
        guard !watched.isEmpty, device.isReady else { return }
        let now = SocketLoop.now()
        for user in watched { books.presence.began(habits.pair(device, user), at: now) }
        if course.stage == .settingUp { stepsUnderWay += 1 }
        let id = device.expectReply(course.stage == .settingUp ? .watch : .watchAgain)
        device.send("watch") { frame in
            frame.member("id", Int64(id))
            writeNames("users", watched, to: frame)
        }
    }

    /// The users that follow next in the device's rooms; the same at every call.
    private func watchedUsers(of device: Device) -> [Int] {
        var watched: [Int] = []
        for place in device.places.all {
            let room = cast.rooms[Int(cast.places[Int(place)].room)]
            let at = (Int(place) - room.firstPlace) / course.scenario.devices
            for step in 1..<max(2, room.members.count) {
                guard watched.count < course.scenario.watch else { return watched }
                let user = room.members[(at + step) % room.members.count]
                if user != device.user, !watched.contains(user) { watched.append(user) }
            }
        }
        return watched
    }
}
