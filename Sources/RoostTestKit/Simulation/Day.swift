import RoostWire

/// The conditions of a run: number of users, limits, speed of the store, quality of the network. Drawn from the seed,
/// so that no two runs stress the same thing.
public struct Day {
    /// The roughness of a day.
    public enum Weather: Sendable {
        /// On some days the process dies and the store fails often, on others never.
        case mixed
        /// Both happen all the time: for a store that has to stand it.
        case rough
    }

    var limits = Limits()
    var users: Int
    var devicesPerUser: Int
    /// Milliseconds until a batch is durable, at most.
    var commitDelay: Int
    var readDelay: Int
    var tokenDelay: Int
    /// Milliseconds between steps, most of the time.
    var pace: Int
    /// Percentage of connections that read slowly.
    var slowPercent: Int
    /// Percentage of drops after which the device stays away for long.
    var sleepers: Int
    /// Connections last, and much is said in few places: backlogs grow long.
    var isChatty: Bool
    /// Bytes of a body at most.
    var bodyBytes: Int
    /// Number of steps in ten thousand that are crashes, drains or failures of the store.
    var crashes: Int
    var drains: Int
    var failures: Int
    /// Percentage of hellos with a token that ends soon.
    var shortTokens: Int
    /// Whether people block each other.
    var hasBlocks: Bool { limits.pageMessages % 3 > 0 }

    init(_ random: inout SeededGenerator, _ weather: Weather) {
        users = random.within(3...7)
        devicesPerUser = random.within(1...3)
        commitDelay = random.chance(30) ? 0 : random.within(1...120)
        readDelay = random.chance(30) ? 0 : random.within(1...150)
        tokenDelay = random.chance(60) ? 0 : random.within(1...50)
        pace = random.within(1...60)
        slowPercent = random.within(0...40)
        sleepers = random.within(0...40)
        bodyBytes = random.within(10...900)
        isChatty = random.chance(40)
        crashes = random.chance(30) ? 0 : random.within(2...(isChatty ? 15 : 80))
        drains = random.chance(60) ? 0 : random.within(2...(isChatty ? 5 : 30))
        failures = random.chance(50) ? 0 : random.within(2...(isChatty ? 5 : 20))
        shortTokens = random.chance(60) ? 0 : random.within(2...30)
        drawLimits(&random)
        if weather == .rough {
            crashes = random.within(100...400)
            drains = random.within(20...100)
            failures = random.within(20...100)
        }
    }

    private mutating func drawLimits(_ random: inout SeededGenerator) {
        limits.watermarksPerBatch = 3
        limits.receiptsPerMillisecond = 4
        limits.badgesPerMillisecond = 1
        limits.badgeCountedAtOnce = 2
        limits.outboxSpillBytes = random.within(1_200...16_000)
        limits.outboxCalmBytes = random.within(300...limits.outboxSpillBytes)
        limits.outboxMaxBytes = limits.outboxSpillBytes + random.within(30_000...90_000)
        limits.pageMessages = random.within(2...20)
        limits.pageBytes = random.within(800...8_000)
        // Derived from earlier draws, so that seeds keep their days.
        limits.pageBytesPerTurn = limits.pageBytes
        limits.sharedPageBytes = limits.pageBytes * 4
        limits.pageSpans = 2 + limits.pageMessages % 3
        // Everything from the log, a window with few events, one with most of them, one with all.
        limits.windowBytes = [0, 12_288, 98_304, limits.windowBytes][limits.pageMessages % 4]
        limits.backlogMax = random.within(limits.pageMessages...60)
        limits.backlogChangesMax = limits.backlogMax / 3
        limits.backlogRowsMax = limits.backlogMax * 4
        limits.historyDefault = random.within(2...10)
        limits.historyMax = 20
        // Few enough for large commands to take several turns.
        limits.stepsPerTurn = limits.pageMessages
        limits.readsPerSession = random.within(1...4)
        limits.owedMax = random.within(10...200)
        limits.typersPerConversation = random.within(1...2)
        limits.watchedPerSession = random.within(2...8)
        limits.reactionsPerUser = random.within(1...3)
        limits.receiptMembersMax = random.chance(20) ? 3 : 256
        limits.typingMembersMax = limits.receiptMembersMax
        limits.severalTypingMilliseconds = Int64(limits.typersPerConversation) * 1_000
        limits.commandsPerSecond = random.chance(15) ? random.within(5...50) : 2_000
        // Some days have commits that take too long.
        limits.stallMilliseconds = commitDelay > 100 ? 60 : 2_000
        limits.pendingEvents = random.chance(20) ? random.within(3...10) : 10_000
        limits.pendingIntroductions = limits.pendingEvents
        limits.devicesPerUser = random.chance(20) ? max(1, devicesPerUser - 1) : 8
        limits.membersMax = random.chance(20) ? 3 : 100
        limits.verificationsAtOnce = limits.pageMessages / 2
        limits.graceMilliseconds = Int64(random.within(500...15_000))
        // At once, soon, and after minutes.
        limits.awayMilliseconds = [0, 2_000, 300_000][limits.pageMessages % 3]
        // Waiting receipts have to be sent within the rest at the end.
        limits.receiptsPerSecond = random.chance(30) ? random.within(50...200) : 10_000
        // At the end all users change their profiles and some their status: these are sent within the lateness.
        limits.presencePerSecond = max(limits.receiptsPerSecond, 120)
        limits.presenceAtOnce = limits.pageMessages
        limits.countsPerSession = 1 + limits.pageMessages % 4
        limits.countsPerSecond = limits.receiptsPerSecond
        limits.requestsPerUser = 1 + limits.pageMessages % 4
    }
}
