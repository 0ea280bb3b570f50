import RoostCore
import RoostWire
import SeededRandom

/// The shared state of all parts of a simulation: the clock, the dice, the day, and the record of events and
/// violations. It decides nothing.
final class World {
    /// Longest delay of a change, in milliseconds: the timer's slot, the tick that gathers, and then some.
    static let lateness: Int64 = 1_000
    /// More violations than these say nothing new.
    private static let violationsMax = 20

    let day: Day
    let mistake: PlantedMistake?
    /// Whether only contacts may reach each other: on every fifth day.
    let hasGate: Bool
    /// Whether unknown names are refused: on every other day.
    let refusesUnknown: Bool
    /// Whether people ask all day who has read what: on every fifth day.
    let isCurious: Bool
    /// Whether a stranger's first message waits there to be accepted: on every other day with a gate.
    let takesRequests: Bool
    var random: SeededGenerator
    private(set) var now = World.moment(1_000_000)
    var trace = Trace()
    var tally = Tally()
    private(set) var violations: [String] = []
    /// The events before the first violation.
    private(set) var lastEvents: [String] = []
    /// Steps that were taken.
    var stepsTaken = 0
    /// When the present process started.
    var startedAt = Int64.min / 2
    /// When the store failed, until another relay starts.
    var failedAt: Int64?
    /// The store has had no room at some time: commands may have been refused.
    var wasFull = false
    /// When it last had none. States wait meanwhile.
    var fullAt = Int64.min / 2
    /// The end of a run: the store fails no more, and connections stay.
    var isCalm = false
    /// The relay was stopped, or its store has failed: it serves no client.
    var isStopping = false
    /// The monotonic time from which on nothing changes any more.
    var restAt = Int64.max

    /// Counts of what happened.
    struct Tally {
        var commands = 0, frames = 0, events = 0, acked = 0, retries = 0, duplicates = 0, gaps = 0, spills = 0
        var connects = 0, drops = 0, crashes = 0, drains = 0, failures = 0, takeovers = 0, closes = 0
        var fullDisks = 0
        /// Commands beside messages whose `ok` promises that they are stored.
        var promises = 0
        /// Steps of days on which people block each other, and only contacts may reach each other.
        var guarded = 0
        /// Members in receipts of a message.
        var receipts = 0
        /// First messages of strangers, and what their receivers made of them.
        var requests = 0, requestsAccepted = 0, requestsDropped = 0
        /// Links that were made, revoked and used, also by users blocked by the makers.
        var links = 0, linksRevoked = 0, linksOpened = 0, linksHidden = 0
    }

    init(seed: UInt64, mistake: PlantedMistake?, weather: Day.Weather) {
        self.mistake = mistake
        hasGate = seed % 5 == 2
        isCurious = seed % 5 == 3
        takesRequests = seed % 10 == 7
        refusesUnknown = seed % 4 < 2
        random = SeededGenerator(seed: seed)
        day = Day(&random, weather)
    }

    /// The monotonic time in milliseconds.
    var time: Int64 { now.monotonic }

    /// The wall clock at this monotonic time, in milliseconds.
    func wall(at time: Int64) -> Int64 { now.wall.milliseconds - now.monotonic + time }

    /// Sets the clock, which never goes back.
    func goOn(to time: Int64) {
        precondition(time >= now.monotonic, "the clock goes back")
        now = World.moment(time)
    }

    /// The log that every position belongs to, from the relay's start. It stays the same: no backup is restored.
    private(set) var epoch = ""

    /// A relay has started.
    func begin(epoch: String) {
        if !self.epoch.isEmpty, self.epoch != epoch { fail("the epoch \(self.epoch) became \(epoch)") }
        self.epoch = epoch
    }

    /// Notes something that must not be.
    func fail(_ what: @autoclosure () -> String) {
        if violations.isEmpty { lastEvents = trace.lines() }
        if violations.count < World.violationsMax { violations.append("\(time): \(what())") }
    }

    private static func moment(_ monotonic: Int64) -> Moment {
        Moment(monotonic: monotonic, wall: Timestamp(milliseconds: 1_700_000_000_000 + monotonic))
    }
}
