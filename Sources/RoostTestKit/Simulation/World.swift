import RoostCore
import RoostWire
import SeededRandom

/// What all parts of a simulation share: the clock, the dice, what kind of day it is, and the record of what happened
/// and of what was wrong. It decides nothing.
final class World {
    /// How late a change may be told, in milliseconds: the timer's slot, the tick that gathers, and then some.
    static let lateness: Int64 = 1_000
    /// More violations than these say nothing new.
    private static let violationsMax = 20

    let day: Day
    let mistake: PlantedMistake?
    /// Whether only contacts may reach each other: on every fifth day.
    let hasGate: Bool
    /// Whether a name that nobody has is refused: on every other day.
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
    /// What happened before the first violation.
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
    /// The end of a run: the store fails no more, nobody drops.
    var isCalm = false
    /// The relay was told to stop, or its store has failed: it serves nobody.
    var isStopping = false
    /// From this monotonic time on nobody changes anything.
    var restAt = Int64.max

    /// What happened how often.
    struct Tally {
        var commands = 0, frames = 0, events = 0, acked = 0, retries = 0, duplicates = 0, gaps = 0, spills = 0
        var connects = 0, drops = 0, crashes = 0, drains = 0, failures = 0, takeovers = 0, closes = 0
        var fullDisks = 0
        /// Commands beside messages whose `ok` promises that they are stored.
        var promises = 0
        /// Steps of days on which people block each other, and only contacts may reach each other.
        var guarded = 0
        /// Members of whom somebody was told when they had read a message.
        var receipts = 0
        /// First messages of strangers, and what their receivers made of them.
        var requests = 0, requestsAccepted = 0, requestsDropped = 0
        /// Links that were made, revoked and used, also by users whom their makers had blocked.
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

    /// Which log every position is of, as the relay says when it starts. It stays the same: nobody restores a backup.
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
