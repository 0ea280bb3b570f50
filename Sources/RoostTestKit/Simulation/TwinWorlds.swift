import RoostCore
import RoostFraming
import RoostWire
import SeededRandom

/// Two worlds that differ only in the actions of a user hidden from an observer. The observer has to get the same
/// frames at the same milliseconds in both: every difference reveals the hidden user, be it a number, an event without
/// news, or a tick that came earlier.
///
/// Both worlds run one script, drawn from a seed: the observer with several devices, and others whose presence it sees.
/// Beside it the hidden user connects, leaves, sets its activity, types, reads and acks in the one world, and does
/// nothing, or something else, in the other.
public struct TwinWorlds {
    /// The setting that hides the user from the observer.
    public enum Curtain: String, CaseIterable, Sendable {
        /// Nothing does: the two worlds must differ, or the comparison is blind.
        case none
        case blocked, blockedByObserver
        case never, neverByObserver
        /// The user hides from all others.
        case nobody
        /// The observer hides from all others, and so sees none of them.
        case observerHides
        case invisible
        /// The observer's request waits.
        case request
    }

    /// A mistake that is made with the observer's frames in the first world, to show that the comparison would see it.
    public enum Mistake: String, CaseIterable, Sendable {
        /// When the hidden user connects or leaves, the observer gets the count that it has once more.
        case repeatedCount
        /// When the hidden user acks, the observer gets a delivery receipt.
        case toldDelivery
        /// When the hidden user uses a name that doesn't exist, the observer's answers show that the name is known.
        case toldName
        /// When the hidden user makes or revokes a link, the observer gets an event that another one has ended.
        case toldLink
        /// The first frame after the hidden user has done something comes a millisecond earlier.
        case earlyTick
    }

    /// The result of a run.
    public struct Report: Sendable {
        /// The first frame of each of the observer's devices that the other world doesn't have.
        public var differences: [String] = []
        /// Frames that the observer got, and what the hidden user did.
        public var frames = 0, hiddenActs = 0
    }

    /// Runs both worlds of a seed.
    public static func run(
        seed: UInt64, _ curtain: Curtain, steps: Int = 150, mistake: Mistake? = nil
    ) -> Report {
        let first = TwinWorld(seed: seed, curtain, hiddenSeed: seed &+ 1_000_000, mistake).run(steps)
        // In every other pair of worlds, the hidden user does something else instead of nothing.
        let second = TwinWorld(seed: seed, curtain, hiddenSeed: seed % 2 == 0 ? nil : seed &+ 2_000_000, nil).run(steps)
        var report = Report()
        report.frames = first.transcripts.reduce(0) { $0 + $1.count }
        report.hiddenActs = first.hiddenActs
        for (device, (one, other)) in zip(first.transcripts, second.transcripts).enumerated() where one != other {
            let place = zip(one, other).prefix { $0 == $1 }.count
            let (mine, theirs) = (one.dropFirst(place).first ?? "nothing", other.dropFirst(place).first ?? "nothing")
            let before = one[..<place].suffix(4).joined(separator: "\n")
            report.differences.append("device \(device), frame \(place), after\n\(before)\n\(mine) | \(theirs)")
        }
        return report
    }
}

/// One of the two worlds.
private final class TwinWorld {
    private let curtain: TwinWorlds.Curtain
    private let mistake: TwinWorlds.Mistake?
    private var random: SeededGenerator
    private var hiddenRandom: SeededGenerator?
    private let relay: RelayHarness
    private let group: String
    /// All connections of the observer, in the order of the script.
    private var observers: [HarnessClient] = []
    private var others: [String: HarnessClient] = [:]
    /// The hidden user's devices that are connected.
    private var hidden: [String: HarnessClient] = [:]
    private var hiddenActs = 0
    /// The code of a link of the hidden user's, which the observer has, and of one that was revoked.
    private var codes: [String] = []
    private var planted: [(after: Int, text: String)] = []
    private var isEarly = false
    private var number = 10

    init(
        seed: UInt64, _ curtain: TwinWorlds.Curtain, hiddenSeed: UInt64?, _ mistake: TwinWorlds.Mistake?
    ) {
        self.curtain = curtain
        self.mistake = mistake
        random = SeededGenerator(seed: seed)
        hiddenRandom = hiddenSeed.map { SeededGenerator(seed: $0) }
        var limits = Limits()
        limits.pingMilliseconds = 100_000_000
        limits.graceMilliseconds = 1_000
        limits.awayMilliseconds = seed % 3 == 0 ? 0 : 2_000
        // Load isn't hidden: a user with many recipients makes others wait.
        limits.badgesPerMillisecond = 1_000
        limits.countMembersSmall = seed % 4 == 1 ? 3 : 256
        var rules = PolicyRules()
        if curtain == .request {
            rules.gate = GateRules(.on)
            rules.gate.takesRequests = true
        }
        // Then a name that another user has used is no better known for it.
        if seed % 3 != 1 { rules.unknown = .refuse }
        relay = RelayHarness(limits: limits, rules: rules)
        let host = relay.connect("host")
        let members = curtain == .request ? ["mal", "bob", "carol"] : ["mal", "bob", "carol", "ann"]
        for name in members {
            let member = relay.connect(name)
            host.send(#"{"type":"contact.invite","id":1,"user":"\#(name)"}"#)
            member.send(#"{"type":"contact.accept","id":1,"user":"host"}"#)
        }
        let names = members.map { "\"\($0)\"" }.joined(separator: ",")
        let created = host.ask(
            #"{"type":"conversation.create","id":1,"kind":"group","name":"G","members":[\#(names)]}"#)
        group = created?["conversation"]?["conversation"]?.string ?? ""
        precondition(!group.isEmpty, "the group can't be created")
        observe("phone")
        observe("tablet")
        for name in ["bob", "carol"] { others[name] = relay.connect(name) }
        hidden["phone"] = relay.connect("ann")
        // The observer has two links of the hidden user's, of which one has ended.
        // Further ones end in secret. None is made there: the relay's dice would fall in another way afterwards.
        codes = (0..<8).map { number in
            hidden["phone"]?.ask(#"{"type":"invite.create","id":\#(number + 100),"uses":1000}"#)?["invite"]?["code"]?
                .string ?? "none"
        }
        codes.swapAt(1, 7)
        revokeLast(hidden["phone"])
        drawCurtain()
        relay.advance(3_000)
        watch()
    }

    // MARK: The observer

    private func observe(_ device: String) {
        let client = relay.connect("mal", device)
        client.keepsTranscript = true
        observers.append(client)
    }

    private func revokeLast(_ client: HarnessClient?) {
        let own = client?.ask(#"{"type":"invite.list","id":4}"#)?["invites"]?.elements ?? []
        guard own.count > 1, let id = own.last?["invite"]?.string else { return }
        client?.send(#"{"type":"invite.revoke","id":5,"invite":"\#(id)"}"#)
    }

    private func watch() {
        for client in observers where client.isOpen {
            ask(client, "watch", "\"users\":[\"bob\"],\"conversations\":[\"\(group)\"]")
            ask(client, "watch", "\"users\":[\"ann\"]")
        }
    }

    private func ask(_ client: HarnessClient?, _ type: String, _ members: String = "") {
        number += 1
        client?.send("{\"type\":\"\(type)\",\"id\":\(number)\(members.isEmpty ? "" : ",")\(members)}")
    }

    /// The numbers of the observer's commands are the same in both worlds.
    private func secretly(_ client: HarnessClient, _ type: String, _ members: String = "") {
        client.send("{\"type\":\"\(type)\",\"id\":1\(members.isEmpty ? "" : ",")\(members)}")
    }

    private func drawCurtain() {
        let (ann, mal) = (hidden["phone"], observers.first)
        if curtain != .request {
            // The two have a direct conversation.
            ask(mal, "send", #""to":"@ann","key":"d0","body":"x""#)
            ask(ann, "send", #""to":"@mal","key":"d0","body":"x""#)
        }
        ask(mal, "send", #""to":"\#(group)","key":"g0","body":"x""#)
        switch curtain {
        case .none: break
        case .blocked: ask(ann, "contact.block", #""users":["mal"]"#)
        case .blockedByObserver: ask(mal, "contact.block", #""users":["ann"]"#)
        case .never: ask(ann, "except", #""users":["mal"],"as":"never""#)
        case .neverByObserver: ask(mal, "except", #""users":["ann"],"as":"never""#)
        case .nobody: ask(ann, "privacy", #""presence":"nobody","lastSeen":"nobody","read":"nobody""#)
        case .observerHides: ask(mal, "privacy", #""presence":"nobody","lastSeen":"nobody","read":"nobody""#)
        case .invisible: ask(ann, "status", #""state":"invisible""#)
        case .request:
            // Nothing else connects the two.
            ask(mal, "send", #""to":"@ann","key":"d0","body":"x""#)
        }
    }

    private func actAsObserver() {
        let open = observers.filter(\.isOpen)
        guard let client = open.isEmpty ? nil : open[random.below(open.count)] else { return observe("phone") }
        switch random.below(18) {
        case 16: ask(client, "invite.show", #""code":"\#(codes[random.below(2)])""#)
        case 17 where curtain == .request || random.chance(50): ask(client, "invite.list")
        case 17: ask(client, "invite.open", #""code":"\#(codes[random.below(2)])""#)
        case 0: watch()
        case 1: ask(client, "conversation.members", #""conversation":"\#(group)","sequence":1,"presence":true"#)
        case 2: ask(client, "receipts", #""conversation":"\#(group)","sequence":1"#)
        case 3: ask(client, "conversation.list")
        case 4: ask(client, "user.get", #""users":["ann","bob"]"#)
        case 5: ask(client, "send", #""to":"\#(group)","key":"m\#(number)","body":"x""#)
        case 6: ask(client, "send", #""to":"@ann","key":"m\#(number)","body":"x""#)
        case 7: ask(client, "typing", #""to":"\#(group)""#)
        case 8: ask(client, "except", #""users":["carol"],"as":"\#(random.chance(50) ? "always" : "none")""#)
        case 9: ask(client, "conversation.members", #""conversation":"@ann","presence":true"#)
        case 10: ask(client, "presence", #""state":"\#(random.chance(50) ? "idle" : "active")""#)
        case 11: ask(client, "unwatch", #""users":["ann"],"conversations":["\#(group)"]"#)
        case 12: ask(client, "history", #""conversation":"@ann""#)
        case 13, 14: mistype { ask(client, $0, $1) }
        default:
            client.drop()
            observe("phone\(random.below(3))")
        }
    }

    /// Uses a name that doesn't exist.
    private func mistype(_ say: (String, String) -> Void) {
        let name = "nobody\(number % 2)"
        switch number % 5 {
        case 0: say("watch", #""users":["\#(name)"]"#)
        case 1: say("contact.block", #""users":["\#(name)"]"#)
        case 2: say("contact.invite", #""user":"\#(name)""#)
        case 3: say("user.get", #""users":["\#(name)"]"#)
        default: say("send", #""to":"@\#(name)","key":"n\#(number)","body":"x""#)
        }
    }

    // MARK: Others

    private func actAsOther() {
        let name = ["bob", "carol"][random.below(2)]
        guard let client = others[name], client.isOpen, client.closeCode == nil else {
            return others[name] = relay.connect(name)
        }
        switch random.below(11) {
        case 0, 1: ask(client, "bye")
        case 2: client.drop()
        case 3: ask(client, "presence", #""state":"\#(random.chance(50) ? "idle" : "active")""#)
        case 4: ask(client, "status", #""state":"\#(["auto", "busy", "invisible"][random.below(3)])""#)
        case 5: ask(client, "typing", #""to":"\#(group)","active":\#(random.chance(60))"#)
        case 6: ask(client, "send", #""to":"\#(group)","key":"o\#(number)","body":"x""#)
        case 7: ack(client) { ask($0, $1, $2) }
        case 8: ask(client, "read", #""conversation":"\#(group)","sequence":1"#)
        case 9: ask(client, "privacy", #""lastSeen":"\#(random.chance(50) ? "exact" : "coarse")""#)
        default: ask(client, "except", #""users":["host"],"as":"\#(random.chance(50) ? "never" : "none")""#)
        }
    }

    private func ack(_ client: HarnessClient, _ say: (HarnessClient, String, String) -> Void) {
        guard let position = client.frames.last(where: { $0["position"] != nil })?["position"]?.string else { return }
        say(client, "ack", "\"position\":\"\(position)\"")
    }

    // MARK: The hidden user

    /// Acts without an openly visible effect for the observer: no message, and nothing that takes a position of the
    /// log.
    private func actHidden() {
        guard var dice = hiddenRandom else { return }
        defer { hiddenRandom = dice }
        guard dice.chance(60) else { return }
        hiddenActs += 1
        let device = ["phone", "tablet"][dice.below(2)]
        guard let client = hidden[device], client.isOpen, client.closeCode == nil else {
            hidden[device] = relay.connect("ann", device, background: dice.chance(10))
            return plant(.repeatedCount)
        }
        isEarly = true
        switch dice.below(16) {
        case 14:
            secretly(client, "invite.show", #""code":"guess\#(dice.below(9))""#)
            plant(.toldLink)
        case 15:
            revokeLast(client)
            plant(.toldLink)
        case 0, 1:
            secretly(client, "bye")
            plant(.repeatedCount)
        case 2: client.drop()
        case 3: secretly(client, "presence", #""state":"\#(["idle", "active", "background"][dice.below(3)])""#)
        case 4: setStatus(client, &dice)
        case 5: secretly(client, "typing", #""to":"\#(group)","active":\#(dice.chance(60))"#)
        case 6: if curtain != .request { secretly(client, "typing", #""to":"@mal""#) }
        case 7, 8:
            ack(client, secretly)
            plant(.toldDelivery)
        case 9: read(client, dice.below(3))
        case 11, 12:
            let verb = dice.chance(50) ? "block" : "unblock"
            secretly(client, "contact.\(verb)", #""users":["nobody\#(dice.below(2))"]"#)
            plant(.toldName)
        case 10: secretly(client, "watch", #""users":["bob"],"conversations":["\#(group)"]"#)
        default: changePrivacy(client, &dice)
        }
    }

    private func setStatus(_ client: HarnessClient, _ dice: inout SeededGenerator) {
        // An invisible user's text shows only afterwards.
        let state = curtain == .invisible ? "invisible" : ["auto", "away", "invisible"][dice.below(3)]
        secretly(client, "status", #""state":"\#(state)","text":"t\#(dice.below(3))""#)
    }

    private func read(_ client: HarnessClient, _ sequence: Int) {
        // To read is an act of its own, which an invisible user shows unless its privacy says otherwise.
        guard curtain != .invisible else { return }
        secretly(client, "read", #""conversation":"\#(group)","sequence":\#(sequence + 1)"#)
        secretly(client, "read", #""conversation":"@mal","sequence":1"#)
    }

    /// Changes that leave the curtain as it is.
    private func changePrivacy(_ client: HarnessClient, _ dice: inout SeededGenerator) {
        let word = dice.chance(50) ? "always" : "none"
        switch curtain {
        case .nobody, .invisible, .none, .request: secretly(client, "except", #""users":["carol"],"as":"\#(word)""#)
        case .observerHides where dice.chance(50): secretly(client, "privacy", #""lastSeen":"coarse""#)
        case .observerHides: secretly(client, "except", #""users":["carol"],"as":"\#(word)""#)
        case .blocked, .blockedByObserver, .never, .neverByObserver:
            let read = dice.chance(50) ? "nobody" : "shared"
            secretly(client, "privacy", #""presence":"\#(dice.chance(50) ? "nobody" : "shared")","read":"\#(read)""#)
        }
    }

    // MARK: Running

    func run(_ steps: Int) -> (transcripts: [[String]], hiddenActs: Int) {
        for _ in 0..<steps {
            random.chance(40) ? actAsObserver() : actAsOther()
            relay.advance(Int64(random.below(90)))
            actHidden()
            relay.advance(Int64(random.below(random.chance(10) ? 3_000 : 90)))
        }
        relay.advance(10_000)
        return (observers.map { spoil($0.transcript) }, hiddenActs)
    }

    // MARK: Planted mistakes

    private func plant(_ planted: TwinWorlds.Mistake) {
        guard planted == mistake, let frame = frame(of: planted) else { return }
        self.planted.append((observers[0].transcript.count, "\(relay.now.monotonic) \(frame)"))
    }

    private func frame(of mistake: TwinWorlds.Mistake) -> String? {
        switch mistake {
        case .repeatedCount:
            #"{"type":"presence","conversations":[{"conversation":"\#(group)","online":1,"of":5}]}"#
        case .toldLink: #"{"type":"error","re":\#(number),"code":"not_found"}"#
        case .toldName: #"{"type":"error","re":\#(number),"code":"forbidden"}"#
        case .toldDelivery: #"{"type":"receipt","conversation":"\#(group)","user":"ann","delivered":1}"#
        case .earlyTick: nil
        }
    }

    private func spoil(_ transcript: [String]) -> [String] {
        var spoiled = transcript
        for (place, text) in planted.reversed() where place <= spoiled.count { spoiled.insert(text, at: place) }
        if mistake == .earlyTick, isEarly, let last = spoiled.popLast() {
            let parts = last.split(separator: " ", maxSplits: 1)
            let time = parts.first.flatMap { Int64($0) } ?? 0
            spoiled.append("\(time - 1) \(parts.last ?? "")")
        }
        return spoiled
    }
}
