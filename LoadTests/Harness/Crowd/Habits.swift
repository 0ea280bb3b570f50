import RoostWire
import SeededRandom

/// People's habits besides writing: they read, type and watch each other. Also what the relay sends others about it.
final class Habits {
    private let course: Course
    private let cast: Cast
    private let books: Books
    /// By place and reader: the read position that the place last got from the relay. Only small rooms get receipts.
    private var seenReads: [UInt64: Int] = [:]
    /// The ledger's pair of a watching device and a watched user, by both.
    private var pairs: [UInt64: Int] = [:]

    init(_ course: Course, _ cast: Cast, _ books: Books) {
        self.course = course
        self.cast = cast
        self.books = books
    }

    // MARK: Reading

    /// A message came: its reader may read it after a while.
    func planRead(_ device: Device, place: Int, at now: UInt64) {
        let persona = cast.persona(of: device)
        guard persona.reads > 0, !cast.places[place].isReadPlanned,
            course.random.happens(persona.reads)
        else { return }
        cast.places[place].isReadPlanned = true
        course.timers.add(
            .read(device, place: place), at: now + UInt64(course.random.exponential(mean: persona.readSeconds) * 1e9))
    }

    /// A user reads what has come to a place.
    func read(_ device: Device, place: Int, at now: UInt64) {
        cast.places[place].isReadPlanned = false
        guard device.isReady, !device.isStalled, course.stage != .settling, course.stage != .over,
            device.sendRead(place: place, at: now)
        else { return }
        books.unread.said(cast.reader(at: place), upTo: cast.places[place].readSequence)
    }

    /// Records a latency only if this receipt is the first to tell the device of the reader's newest `read`. An older
    /// `read` was merged into it, a later receipt repeats it, and a device that was away hears of it late.
    func sawReceipt(of reader: Int, read: Int, in room: Int, by device: Device, at place: Int, _ now: UInt64) {
        books.counts.receipts += 1
        guard reader != device.user else { return }
        let key = UInt64(place) << 32 | UInt64(reader)
        guard read > seenReads[key, default: 0] else { return }
        seenReads[key] = read
        for other in cast.devices(ofUser: reader) {
            guard let place = other.place(in: room), cast.places[place].readSequence == read,
                course.isMeasured(cast.places[place].readAt), cast.places[place].readAt >= device.readyAt,
                cast.places[place].readAt >= device.measuresFrom
            else { continue }
            return books.recorder.record(.receipt, now - min(now, cast.places[place].readAt))
        }
    }

    // MARK: Typing

    /// Sends that a user types, again and again until the message is due. Without a connection nothing is sent.
    func type(_ device: Device, _ draft: Draft, at now: UInt64) {
        if device.isReady {
            device.sendTyping(place: draft.place)
            books.typing.typed(device.user, in: Int(cast.places[draft.place].room), at: now)
        }
        let again = now + HarnessLimits.typingRefresh
        if again < draft.due {
            course.timers.add(.type(device, draft), at: again)
        } else {
            course.timers.add(.send(device, draft), at: draft.due)
        }
    }

    /// A device got that a user types, or no longer does.
    func sawTyping(of user: Int, _ isActive: Bool, at place: Int, by device: Device, _ now: UInt64) {
        books.counts.typings += 1
        let latency = books.typing.shown(
            Int(cast.places[place].room), by: Membership(place), user, isActive: isActive, at: now)
        guard let latency, course.stage == .measuring else { return }
        books.recorder.record(.typing, latency)
    }

    // MARK: Presence

    /// A device got a `presence` event about so many users.
    func countPresence(of users: Int) {
        guard course.stage == .measuring else { return }
        books.counts.presenceFrames += 1
        books.counts.presences += UInt64(users)
    }

    /// A device got the presence of a user.
    func sawPresence(of name: String, _ state: UserPresence.State, by device: Device, at now: UInt64) {
        var name = name
        guard let user = name.withUTF8({ cast.user(named: UnsafeRawBufferPointer($0)) }) else { return }
        let shown: ShownPresence =
            switch state {
            case .online: .online
            case .away, .busy: .away
            case .offline: .offline
            }
        // Members of a direct conversation are shown without being watched; they have no pair.
        guard let pair = pairs[Habits.key(device, user)], let latency = books.presence.shown(pair, shown, at: now),
            course.stage == .measuring
        else { return }
        books.recorder.record(.presence, latency)
    }

    /// The ledger's pair of a watching device and a user. Makes it if needed.
    func pair(_ device: Device, _ user: Int) -> Int {
        let key = Habits.key(device, user)
        if let pair = pairs[key] { return pair }
        let pair = books.presence.addPair(of: user)
        pairs[key] = pair
        device.pairs.append(pair)
        return pair
    }

    private static func key(_ device: Device, _ user: Int) -> UInt64 { UInt64(device.index) << 32 | UInt64(user) }
}
