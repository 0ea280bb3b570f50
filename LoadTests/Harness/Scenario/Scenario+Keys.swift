extension Scenario: ScenarioPart {
    init() { self.init(name: "", about: "") }

    static let keys: [ScenarioKey<Scenario>] = [
        .text("about", \.about, upTo: ScenarioLimits.aboutCharacters, "What the scenario asks, in one sentence.")
            .required,
        .seed("seed", \.seed, "Everything left to chance follows from it."),
        .seconds("warmup", \.warmup, "Seconds of load that aren't measured, before those that are."),
        .seconds("seconds", \.seconds, from: 0.1, "Seconds of load that are measured."),
        .seconds("settle", \.settle, "At most so many seconds after the load until everything has arrived."),
        .whole("users", \.users, 1...HarnessLimits.usersMax, "Simulated users."),
        .whole("devices", \.devices, 1...ScenarioLimits.devices, "Devices of each user, each with its own connection."),
        .whole(
            "outsiders", \.outsiders, 0...HarnessLimits.usersMax,
            "Further users, who belong to no conversation and must not hear anything."
        ),
        .number(
            "connect_rate", \.connectRate, 0...100_000,
            "Connections begun a second while setting up; 0: as fast as they are taken."
        ),
        .section("conversations", \.conversations, "Who shares a conversation with whom."),
        .section("messages", \.messages, "What is written; left out, nobody writes."),
        .list(
            "personas", \.personas, upTo: ScenarioLimits.personas,
            "Kinds of users; their shares make 1. Left out, all are alike and only write."
        ),
        .whole(
            "watch", \.watch, 0...HarnessLimits.usersMax,
            "Each user watches the presence of so many of those whom they share a conversation with."
        ),
        .section("catch_up", \.catchUp, "Some users go away together, miss what is sent, and come back together."),
        .list(
            "storms", \.storms, upTo: ScenarioLimits.storms, "Connections that drop all at once, and come back."),
        .thresholds(
            "thresholds", \.thresholds,
            "Bounds that decide whether the run held: at most, or at least for figures of which more is better."
        ),
    ]
}

extension Scenario.Conversations: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .whole(
            "pairs", \.pairs, 0...ScenarioLimits.memberships / 2,
            "Direct conversations: users 0 and 1, 2 and 3, and so on, then around again with other partners."
        ),
        .list("rooms", \.rooms, upTo: ScenarioLimits.rooms, "Groups, by size."),
        .number(
            "zipf", \.zipf, 0...5,
            "Exponent of Zipf's law by which a message picks its conversation; 0: all alike, 1: a few have most."
        ),
    ]
}

extension Scenario.Rooms: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .whole("count", \.count, 1...ScenarioLimits.memberships / 2, "Groups of this size."),
        .whole("members", \.members, 2...HarnessLimits.usersMax, "Members of each, drawn from all users.").required,
        .whole("senders", \.senders, 0...HarnessLimits.usersMax, "Members who write; 0: all."),
    ]
}

extension Scenario.Messages: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .number("rate", \.rate, 0.1...HarnessLimits.rateMax, "Messages a second, in all.").required,
        .word("arrivals", \.arrivals, "How the moments lie at which messages are due."),
        .span("bytes", \.bytes, ScenarioLimits.textBytes, "Bytes of the text, or the least and the most."),
        .word("mode", \.mode, "send: stored and acked; signal: fan-out without storing."),
    ]
}

extension Scenario.Persona: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .text("name", \.name, upTo: 32, "What the kind is called; each name once.").required,
        .share("share", \.share, "Of all users.").required,
        .number("writes", \.writes, 0...1_000, "How much more often than others they are the sender; 0: never."),
        .share("typing", \.typing, "Probability that they type before they send."),
        .seconds("typing_seconds", \.typingSeconds, "How long they type."),
        .share("reads", \.reads, "Probability that they mark a message read that has come."),
        .seconds("read_seconds", \.readSeconds, "How long they take to."),
        .seconds("present", \.present, "Mean seconds connected, with `away`; 0: always."),
        .seconds("away", \.away, "Mean seconds away, with `present`."),
        .share("clean", \.clean, "Probability that they go with `bye`; else the connection is cut."),
        .seconds(
            "stalls_after", \.stallsAfter,
            "They stop reading from their socket so many seconds after the load begins; 0: never."
        ),
        .seconds("stalls_for", \.stallsFor, "For so many seconds; 0: to the end of the load."),
    ]
}

extension Scenario.CatchUp: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .share("share", \.share, "Of all users."),
        .seconds("leave", \.leave, "Seconds after the measured load has begun."),
        .seconds("back", \.back, "The same, later than `leave`."),
    ]
}

extension Scenario.Storm: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .seconds("at", \.at, "Seconds after the measured load has begun.").required,
        .share("share", \.share, "Of all sessions."),
        .toggle(
            "backoff", \.backoff,
            "Whether they wait a random time first that doubles from 0.5 s, as the protocol asks; else they don't."
        ),
    ]
}
