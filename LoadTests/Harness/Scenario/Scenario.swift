/// What a run does, as its file says it. A value: reading, checking and changing it from the command line is done
/// before the run begins. All spans of time are in seconds, all rates in events a second over the whole run.
public struct Scenario: Codable, Sendable, Equatable {
    /// The file's name without its ending.
    public var name: String
    /// What it asks, in one sentence.
    public var about: String
    /// Everything left to chance follows from it.
    public var seed: UInt64 = 1
    /// Load that isn't measured, before the load that is.
    public var warmup = 2.0
    /// Load that is measured.
    public var seconds = 20.0
    /// At most this long after the load until everything has arrived.
    public var settle = 10.0
    /// Simulated users.
    public var users = 100
    /// Devices of each user.
    public var devices = 1
    /// Users who belong to no conversation, and must not hear anything.
    public var outsiders = 0
    /// Sessions that are begun a second while setting up; 0: as fast as they are taken.
    public var connectRate = 0.0
    /// Who shares a conversation with whom.
    public var conversations = Conversations()
    /// nil: nobody writes.
    public var messages: Messages?
    /// Kinds of users; shares add up to 1. Empty: all are alike.
    public var personas: [Persona] = []
    /// Each user watches so many of those whom they share a conversation with.
    public var watch = 0
    /// nil: nobody goes away together.
    public var catchUp: CatchUp?
    /// Drops of all at once.
    public var storms: [Storm] = []
    /// What decides whether it held.
    public var thresholds: [Threshold] = []

    /// Who shares a conversation with whom.
    public struct Conversations: Codable, Sendable, Equatable {
        /// Direct conversations: users 0 and 1, 2 and 3, and so on, and then around again with other partners.
        public var pairs = 0
        /// Groups, by size.
        public var rooms: [Rooms] = []
        /// Exponent of Zipf's law by which the next message picks its conversation; 0: all alike.
        public var zipf = 0.0
    }

    /// Groups of one size. Their members are drawn from all users.
    public struct Rooms: Codable, Sendable, Equatable {
        /// Groups of this size.
        public var count = 1
        /// Members of each.
        public var members = 10
        /// Members who write; 0: all.
        public var senders = 0
    }

    /// What is written.
    public struct Messages: Codable, Sendable, Equatable {
        /// Messages a second, in all.
        public var rate = 100.0
        /// How the moments lie at which they are due.
        public var arrivals = Arrivals.poisson
        /// Bytes of the text, between these.
        public var bytes = 200...200
        /// `signal`: fan-out without storing.
        public var mode = Mode.send

        /// `send`: stored and acked. `signal`: fan-out without storing.
        public enum Mode: String, Codable, Sendable, CaseIterable { case send, signal }
        /// How the moments lie at which messages are due.
        public enum Arrivals: String, Codable, Sendable, CaseIterable { case constant, poisson }
    }

    /// What one kind of user does.
    public struct Persona: Codable, Sendable, Equatable {
        /// What the kind is called.
        public var name = "everyone"
        /// Of all users.
        public var share = 1.0
        /// How much more often than others they are the sender; 0: never.
        public var writes = 1.0
        /// Probability that they type before they send.
        public var typing = 0.0
        /// How long they type.
        public var typingSeconds = 1.5
        /// Probability that they mark a message read that has come.
        public var reads = 0.0
        /// How long they take to.
        public var readSeconds = 1.0
        /// Mean time connected; 0: always. With `away` it makes a user who comes and goes.
        public var present = 0.0
        /// Mean time away.
        public var away = 0.0
        /// Probability that they go with `bye`; else the connection is cut.
        public var clean = 0.5
        /// They stop reading from their socket this long after the load begins; 0: never.
        public var stallsAfter = 0.0
        /// For so long; 0: to the end of the load.
        public var stallsFor = 0.0
    }

    /// Some users go away together, miss what is sent, and come back together.
    public struct CatchUp: Codable, Sendable, Equatable {
        /// Of all users.
        public var share = 0.5
        /// After the measured load has begun.
        public var leave = 1.0
        /// When they come back, after the same moment.
        public var back = 10.0
    }

    /// All sessions drop at once and come back.
    public struct Storm: Codable, Sendable, Equatable {
        /// After the measured load has begun.
        public var at = 1.0
        /// Of all sessions.
        public var share = 1.0
        /// Whether they wait a random time first that doubles from 0.5 s, as the protocol asks; if not, they come at
        /// once.
        public var backoff = true
    }
}

/// A bound on one figure of the report, such as `delivery_p99_ms: 200`. It decides whether a run held.
public struct Threshold: Codable, Sendable, Equatable {
    /// The figure's name; `Report.figure(named:)` knows it.
    public var figure: String
    /// At most this; at least this, for figures of which more is better.
    public var bound: Double
}
