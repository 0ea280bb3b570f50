extension Scenario: ScenarioPart {
    init() { self.init(name: "", about: "") }

    static let keys: [ScenarioKey<Scenario>] = [
        .text(
            "about", \.about, upTo: ScenarioLimits.aboutCharacters,
            "The question that the scenario answers, in one sentence."
        ).required,
        .seed("seed", \.seed, "Seed of all random choices."),
        .seconds("warmup", \.warmup, "Seconds of load before the measurement begins."),
        .seconds("seconds", \.seconds, from: 0.1, "Seconds of measured load."),
        .seconds("settle", \.settle, "Longest wait after the load, in seconds, for everything to arrive."),
        .whole("users", \.users, 1...HarnessLimits.usersMax, "Simulated users."),
        .whole(
            "devices", \.devices, 1...ScenarioLimits.devices, "Devices of each user. Each has its own connection."),
        .whole(
            "outsiders", \.outsiders, 0...HarnessLimits.usersMax,
            "Further users who belong to no conversation. Nothing may reach them."
        ),
        .number(
            "connect_rate", \.connectRate, 0...100_000,
            "Connections opened per second during the set-up. 0: as fast as the relay accepts them."
        ),
        .section("conversations", \.conversations, "Which users share a conversation."),
        .section("messages", \.messages, "What users write. Without this section nobody writes."),
        .list(
            "personas", \.personas, upTo: ScenarioLimits.personas,
            "Kinds of users. Their shares add up to 1. Without personas all users are alike and only write."
        ),
        .whole(
            "watch", \.watch, 0...HarnessLimits.usersMax,
            "How many users each user watches, out of those with whom they share a conversation."
        ),
        .whole(
            "grace", \.grace, 0...300,
            "`presence.grace_seconds` of the relay, which roost-load starts: how long a dropped device may be away."
        ),
        .section("catch_up", \.catchUp, "Some users leave together, miss messages, and come back together."),
        .list(
            "storms", \.storms, upTo: ScenarioLimits.storms, "Moments when connections drop together and come back."),
        .list(
            "restarts", \.restarts, upTo: ScenarioLimits.storms,
            "Moments when the relay stops and starts again. For a relay that roost-load starts."
        ),
        .list("stalls", \.stalls, upTo: ScenarioLimits.storms, "Spans in which nobody reads from their sockets."),
        .toggle(
            "backoff", \.backoff,
            "How devices come back that lost their connection. true: after a random time that doubles from 0.5 s; "
                + "false: every 0.1 s."
        ),
        .thresholds(
            "thresholds", \.thresholds,
            "Bounds that decide whether the run held: the most a figure may be, or the least where more is better."
        ),
    ]
}

extension Scenario.Conversations: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .whole(
            "pairs", \.pairs, 0...ScenarioLimits.memberships / 2,
            "Direct conversations: users 0 and 1, 2 and 3, and so on; then from the first user again with new partners."
        ),
        .list("rooms", \.rooms, upTo: ScenarioLimits.rooms, "Groups, one entry for each size."),
        .number(
            "zipf", \.zipf, 0...5,
            "Exponent of Zipf's law, by which messages pick a conversation. 0: all get the same; 1: a few get most."
        ),
    ]
}

extension Scenario.Rooms: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .whole("count", \.count, 1...ScenarioLimits.memberships / 2, "Number of groups of this size."),
        .whole("members", \.members, 2...HarnessLimits.usersMax, "Members of each, drawn from all users.").required,
        .whole("senders", \.senders, 0...HarnessLimits.usersMax, "How many of the members write. 0: all."),
    ]
}

extension Scenario.Messages: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .number("rate", \.rate, 0.1...HarnessLimits.rateMax, "Messages per second, of all users together.").required,
        .word("arrivals", \.arrivals, "Whether messages are due at even intervals or at random moments."),
        .span("bytes", \.bytes, ScenarioLimits.textBytes, "Bytes of a message's text: one number, or the range."),
        .word("mode", \.mode, "send: messages are stored and acked. signal: messages are delivered without storing."),
        .list(
            "stages", \.stages, upTo: ScenarioLimits.stages,
            "Spans with another rate, in rising order. Each lasts until the next one."
        ),
    ]
}

extension Scenario.Messages.Stage: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .seconds("at", \.at, "When it begins, in seconds after the measured load begins.").required,
        .number("factor", \.factor, 0.01...100, "What the rate is multiplied by.").required,
    ]
}

extension Scenario.Persona: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .text("name", \.name, upTo: 32, "Name of the persona; every name is used once.").required,
        .share("share", \.share, "Share of all users.").required,
        .number("writes", \.writes, 0...1_000, "Weight with which they are picked as sender. 0: never."),
        .share("typing", \.typing, "Probability that they show typing before they send."),
        .seconds("typing_seconds", \.typingSeconds, "Seconds that they type before they send."),
        .share("reads", \.reads, "Probability that they mark an arrived message as read."),
        .seconds("read_seconds", \.readSeconds, "Seconds from a message's arrival until they mark it as read."),
        .seconds("present", \.present, "Mean seconds connected; goes with `away`. 0: always connected."),
        .seconds("away", \.away, "Mean seconds away; goes with `present`."),
        .share("clean", \.clean, "Probability that they leave with `bye`. Otherwise the connection is cut."),
        .seconds(
            "stalls_after", \.stallsAfter,
            "They stop reading from their socket this many seconds after the measured load begins. 0: never."
        ),
        .seconds("stalls_for", \.stallsFor, "Seconds until they read again. 0: they don't until the load ends."),
    ]
}

extension Scenario.CatchUp: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .share("share", \.share, "Share of all users."),
        .seconds("leave", \.leave, "When they leave, in seconds after the measured load begins."),
        .seconds("back", \.back, "When they come back, in seconds after the measured load begins."),
    ]
}

extension Scenario.Storm: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .seconds("at", \.at, "When they drop, in seconds after the measured load begins.").required,
        .share("share", \.share, "Share of all sessions that drops."),
        .whole(
            "spare", \.spare, 0...HarnessLimits.usersMax,
            "The first so many users keep their connections, and have a process of their own. What they notice is the "
                + "latency `bystander`."
        ),
        .toggle(
            "backoff", \.backoff,
            "true: they first wait a random time that doubles from 0.5 s, as the protocol asks. false: they don't wait."
        ),
    ]
}

extension Scenario.Restart: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .seconds("at", \.at, "When it stops, in seconds after the measured load begins.").required,
        .word("how", \.how, "kill: at once. drain: the relay is asked to, and sends its clients away first."),
        .seconds("down", \.down, "Seconds from its end to its start."),
    ]
}

extension Scenario.Stall: ScenarioPart {
    static let keys: [ScenarioKey<Self>] = [
        .seconds("at", \.at, "When it begins, in seconds after the measured load begins.").required,
        .seconds("seconds", \.seconds, from: 0.1, "How long it lasts."),
    ]
}
