import RoostWire

/// Looks at the devices of all users, one user after the other, for what operators want to know of those who are not
/// connected. Devices that come or go meanwhile may be counted or not.
final class BacklogCensus: Chore {
    /// A look at all users takes some ten steps for each, so it isn't repeated for each page of metrics.
    static let restMilliseconds: Int64 = 60_000

    private unowned let directory: Directory
    private let now: Moment
    private let done: (Counters.Backlog) -> Void
    private var found = Counters.Backlog()
    private var user: User?
    private var place = UserNumber.none
    /// Where the user is looked for what a device may lack; nothing if all its devices are connected.
    private var memberships: [Member] = []
    private var nextMember = 0
    /// The newest event in these conversations, as far as they were looked at.
    private var newest = Position.start

    init(of directory: Directory, at now: Moment, _ done: @escaping (Counters.Backlog) -> Void) {
        self.directory = directory
        self.now = now
        self.done = done
    }

    func work(_ steps: inout Int) -> Bool {
        while true {
            while nextMember < memberships.count {
                guard steps > 0 else { return false }
                steps -= 1
                newest = max(newest, memberships[nextMember].conversation.lastPosition)
                nextMember += 1
            }
            guard steps > 0 else { return false }
            steps -= 1
            if let user { count(user) }
            guard let next = directory.nextUser(after: place) else {
                done(found)
                return true
            }
            (user, place) = (next, next.number)
            memberships = next.devices.contains { $0.session == nil } ? next.memberships : []
            (nextMember, newest) = (0, next.settings?.conversation.lastPosition ?? .start)
        }
    }

    private func count(_ user: User) {
        for device in user.devices where device.session == nil {
            guard newest > device.cursor else {
                found.nothing += 1
                continue
            }
            let ended = device.ends.last?.time ?? .never
            // An unknown time is at least as long as the relay runs.
            let away =
                ended == .never
                ? now.monotonic - device.awaySince : now.wall.milliseconds - ended.milliseconds
            switch away {
            case ..<3_600_000: found.hour += 1
            case ..<86_400_000: found.day += 1
            case ..<604_800_000: found.week += 1
            default: found.longer += 1
            }
        }
    }
}
