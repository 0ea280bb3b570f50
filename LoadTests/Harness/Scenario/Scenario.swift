/// The plan of a run, as its file says. A value: it is read, checked and changed from the command line before the run
/// begins. All times are in seconds, all rates in events a second over the whole run.
public struct Scenario: Codable, Sendable, Equatable {
    /// The file's name without its ending.
    public var name: String
    /// The question that it answers, in one sentence.
    public var about: String
    /// Seed of all random choices.
    public var seed: UInt64 = 1
    /// Seconds of load before the measurement begins.
    public var warmup = 2.0
    /// Seconds of measured load.
    public var seconds = 20.0
    /// Longest wait after the load for everything to arrive.
    public var settle = 10.0
    /// Simulated users.
    public var users = 100
    /// Devices of each user.
    public var devices = 1
    /// Users who belong to no conversation. Nothing may reach them.
    public var outsiders = 0
    /// Sessions opened per second during the set-up; 0 means as fast as the relay accepts them.
    public var connectRate = 0.0
    /// The conversations that users share.
    public var conversations = Conversations()
    /// The messages that users write; nil if no user writes.
    public var messages: Messages?
    /// Kinds of users, whose shares add up to 1. If empty, all users are alike.
    public var personas: [Persona] = []
    /// Number of users that each user watches.
    public var watch = 0
    /// Seconds that a dropped device may take to come back before its user is shown as gone: a setting of the relay
    /// that is started.
    public var grace = 2
    /// Some users leave together and come back; nil if none do.
    public var catchUp: CatchUp?
    /// Moments when connections drop together.
    public var storms: [Storm] = []
    /// Moments when the relay is stopped and started again.
    public var restarts: [Restart] = []
    /// Spans in which no device reads.
    public var stalls: [Stall] = []
    /// Whether devices that lost their connection wait a random time before they come back, as the protocol asks.
    public var backoff = true
    /// Bounds that decide whether the run held.
    public var thresholds: [Threshold] = []

    /// The conversations that users share.
    public struct Conversations: Codable, Sendable, Equatable {
        /// Direct conversations: users 0 and 1, 2 and 3, and so on; then from the first user again with new partners.
        public var pairs = 0
        /// Groups, one entry for each size.
        public var rooms: [Rooms] = []
        /// Exponent of Zipf's law, by which the next message picks its conversation; 0 means all are equal.
        public var zipf = 0.0
    }

    /// Groups of one size. Their members are drawn from all users.
    public struct Rooms: Codable, Sendable, Equatable {
        /// Number of groups of this size.
        public var count = 1
        /// Members of each group.
        public var members = 10
        /// Number of the members who write; 0 means all.
        public var senders = 0
    }

    /// The messages that users write.
    public struct Messages: Codable, Sendable, Equatable {
        /// Messages per second, of all users together.
        public var rate = 100.0
        /// Whether messages are due at even intervals or at random moments.
        public var arrivals = Arrivals.poisson
        /// Smallest and largest number of bytes of the text.
        public var bytes = 200...200
        /// Whether messages are stored.
        public var mode = Mode.send
        /// Spans in which more or fewer are due, in rising order.
        public var stages: [Stage] = []

        /// From a moment on, a multiple of the rate is due.
        public struct Stage: Codable, Sendable, Equatable {
            /// When it begins, in seconds after the measured load begins.
            public var at = 0.0
            /// Factor of the rate until the next stage.
            public var factor = 1.0
        }

        /// `send`: messages are stored and acked. `signal`: messages are delivered without storing.
        public enum Mode: String, Codable, Sendable, CaseIterable { case send, signal }
        /// Whether messages are due at even intervals or at random moments.
        public enum Arrivals: String, Codable, Sendable, CaseIterable { case constant, poisson }
    }

    /// The behaviour of one kind of users.
    public struct Persona: Codable, Sendable, Equatable {
        /// Name of the persona.
        public var name = "everyone"
        /// Share of all users.
        public var share = 1.0
        /// Weight with which they are picked as sender; 0 means never.
        public var writes = 1.0
        /// Probability that they show typing before they send.
        public var typing = 0.0
        /// Seconds that they type before they send.
        public var typingSeconds = 1.5
        /// Probability that they mark an arrived message as read.
        public var reads = 0.0
        /// Seconds from a message's arrival until they mark it as read.
        public var readSeconds = 1.0
        /// Mean seconds connected; 0 means always connected. Goes with `away`.
        public var present = 0.0
        /// Mean seconds away.
        public var away = 0.0
        /// Probability that they leave with `bye`. Otherwise the connection is cut.
        public var clean = 0.5
        /// They stop reading from their socket this many seconds after the measured load begins; 0 means never.
        public var stallsAfter = 0.0
        /// Seconds until they read again; 0 means not until the load ends.
        public var stallsFor = 0.0
    }

    /// Some users leave together, miss messages, and come back together.
    public struct CatchUp: Codable, Sendable, Equatable {
        /// Share of all users.
        public var share = 0.5
        /// When they leave, in seconds after the measured load begins.
        public var leave = 1.0
        /// When they come back, in seconds after the measured load begins.
        public var back = 10.0
    }

    /// Sessions that drop together and come back.
    public struct Storm: Codable, Sendable, Equatable {
        /// When they drop, in seconds after the measured load begins.
        public var at = 1.0
        /// Share of all sessions.
        public var share = 1.0
        /// The first so many users keep their connections. What they notice is a figure of its own.
        public var spare = 0
        /// Whether they first wait a random time that doubles from 0.5 s, as the protocol asks.
        public var backoff = true
    }

    /// The relay stops and starts again.
    public struct Restart: Codable, Sendable, Equatable {
        /// When it stops, in seconds after the measured load begins.
        public var at = 1.0
        /// The way in which it stops.
        public var how = How.kill
        /// Seconds from its end to its start.
        public var down = 0.0

        /// `kill`: SIGKILL. `drain`: SIGTERM, on which a relay sends its clients away before it ends.
        public enum How: String, Codable, Sendable, CaseIterable { case kill, drain }
    }

    /// A span in which no device reads.
    public struct Stall: Codable, Sendable, Equatable {
        /// When it begins, in seconds after the measured load begins.
        public var at = 1.0
        /// Length in seconds.
        public var seconds = 5.0
    }
}

/// A bound on one figure of the report, such as `delivery_p99_ms: 200`. It decides whether a run held.
public struct Threshold: Codable, Sendable, Equatable {
    /// The figure's name, for `Report.figure(named:)`.
    public var figure: String
    /// The most that the figure may be, or the least where more is better.
    public var bound: Double
}
