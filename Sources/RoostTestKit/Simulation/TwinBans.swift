import RoostCore
import RoostFraming
import RoostWire
import SeededRandom

/// Two worlds that differ only in a group's bans. In the first its owner bans and unbans users who have left it; in the
/// second the owner writes to a friend instead, so that the log has as many events. A user who isn't an admin of the
/// group has to get the same frames at the same milliseconds in both: a stranger, a user who comes and goes, and the
/// banned ones. Present members get the events on purpose, so no watched user is one.
public struct TwinBans {
    /// The user whose frames are compared.
    public enum Observer: String, CaseIterable, Sendable {
        /// An admin gets bans: the two worlds must differ, or the comparison is blind.
        case admin
        /// Comes by a link and leaves again. Bans come while it is away.
        case passerBy
        /// Has left, and is banned in the first world.
        case banned
    }

    /// A mistake that is made in the first world, to show that the comparison would see it.
    public enum Mistake: String, CaseIterable, Sendable {
        /// The observer gets a ban.
        case toldBan
        /// A refusal is another one than it would be without a ban.
        case otherRefusal
        /// A ban takes a place in the log more than it should.
        case shiftedPosition
    }

    /// The result of a run.
    public struct Report: Sendable {
        /// The first frame that the other world doesn't have; nil if there is none.
        public var difference: String?
        /// Frames that the observer got, and number of bans and unbans.
        public var frames = 0, bans = 0
    }

    /// Runs both worlds of a seed.
    public static func run(
        seed: UInt64, _ observer: Observer, steps: Int = 150, mistake: Mistake? = nil
    ) -> Report {
        let first = BanWorld(seed: seed, observer, isBanning: true, mistake).run(steps)
        let second = BanWorld(seed: seed, observer, isBanning: false, nil).run(steps)
        var report = Report(frames: first.transcript.count, bans: first.bans)
        guard first.transcript != second.transcript else { return report }
        let place = zip(first.transcript, second.transcript).prefix { $0 == $1 }.count
        let (mine, theirs) = (first.transcript.dropFirst(place).first, second.transcript.dropFirst(place).first)
        report.difference = "frame \(place): \(mine ?? "nothing") | \(theirs ?? "nothing")"
        return report
    }
}

/// One of the two worlds.
private final class BanWorld {
    private let role: TwinBans.Observer
    private let isBanning: Bool
    private let mistake: TwinBans.Mistake?
    private var random: SeededGenerator
    private var hiddenRandom: SeededGenerator
    private let relay: RelayHarness
    private let host: HarnessClient
    private let observer: HarnessClient
    private let group: String
    private let code: String
    private var banned: Set<String> = []
    private var bans = 0
    private var isMember: Bool
    private var planted: [(after: Int, text: String)] = []
    private var number = 10

    init(seed: UInt64, _ role: TwinBans.Observer, isBanning: Bool, _ mistake: TwinBans.Mistake?) {
        (self.role, self.isBanning, self.mistake) = (role, isBanning, mistake)
        random = SeededGenerator(seed: seed)
        hiddenRandom = SeededGenerator(seed: seed &+ 1_000_000)
        isMember = role == .admin
        var limits = Limits()
        limits.pingMilliseconds = 100_000_000
        let relay = RelayHarness(limits: limits)
        self.relay = relay
        let host = relay.connect("host")
        self.host = host
        let others = ["bob", "dave", "eve", "mal", "amy"].map { (name: $0, client: relay.connect($0)) }
        let created = host.ask(
            #"{"type":"conversation.create","id":1,"kind":"group","name":"G","members":["bob","dave","eve"]}"#)
        let group = created?["conversation"]?["conversation"]?.string ?? ""
        precondition(!group.isEmpty, "the group can't be created")
        self.group = group
        let link = host.ask(#"{"type":"invite.create","id":2,"conversation":"\#(group)","uses":1000}"#)
        code = link?["invite"]?["code"]?.string ?? "none"
        host.send(#"{"type":"send","id":3,"to":"@amy","key":"a0","body":"x"}"#)
        for (name, client) in others where ["dave", "eve"].contains(name) {
            client.send(#"{"type":"send","id":3,"to":"\#(group)","key":"l0","body":"x"}"#)
            client.send(#"{"type":"conversation.leave","id":4,"conversation":"\#(group)"}"#)
        }
        if role == .admin {
            host.send(#"{"type":"conversation.add","id":5,"conversation":"\#(group)","users":["mal"]}"#)
            host.send(
                #"{"type":"conversation.role","id":6,"conversation":"\#(group)","user":"mal","role":"admin"}"#)
        }
        observer = relay.connect(role == .banned ? "dave" : "mal", "tablet")
        // All of them are also in a group without bans.
        observer.send(
            #"{"type":"conversation.create","id":7,"kind":"group","name":"H","members":["bob","eve","amy"]}"#)
        observer.keepsTranscript = true
    }

    private func ask(_ type: String, _ members: String) {
        number += 1
        observer.send("{\"type\":\"\(type)\",\"id\":\(number),\(members)}")
    }

    private func actAsObserver() {
        let of = "\"conversation\":\"\(group)\""
        let user = of + ",\"user\":\"\(["dave", "eve", "bob"][random.below(3)])\""
        switch random.below(16) {
        case 0, 1, 2: comeOrGo()
        case 3: ask("conversation.bans", of)
        case 4: ask("conversation.unban", user)
        case 5 where role != .admin: ask("conversation.ban", user + ",\"reason\":\"spam\"")
        case 6 where role != .admin: ask("conversation.add", of + ",\"users\":[\"dave\",\"eve\"]")
        case 7: ask("conversation.get", of)
        case 8: ask("conversation.members", of)
        case 9: ask("conversation.list", "\"limit\":10")
        case 10: ask("history", of)
        case 11: ask("send", "\"to\":\"\(group)\",\"key\":\"m\(number)\",\"body\":\"x\"")
        case 12: ask("user.get", "\"users\":[\"dave\",\"eve\"]")
        case 13: ask("send", "\"to\":\"@eve\",\"key\":\"d\(number)\",\"body\":\"x\"")
        case 14 where role != .banned: ask("invite.show", "\"code\":\"\(code)\"")
        default: ask("conversation.timeout", user + ",\"after\":0")
        }
    }

    /// A banned user would find that the link isn't valid, which it may know; so it doesn't try.
    private func comeOrGo() {
        guard role == .passerBy else { return }
        if isMember {
            ask("conversation.leave", "\"conversation\":\"\(group)\"")
        } else {
            ask("invite.open", "\"code\":\"\(code)\"")
        }
        isMember.toggle()
    }

    private func actHidden() {
        let (acts, name) = (hiddenRandom.chance(50), ["dave", "eve"][hiddenRandom.below(2)])
        // Members get the event.
        guard acts, !isMember || role == .admin else { return }
        if isBanning {
            ban(name)
            if mistake == .shiftedPosition { ban(name) }
            if mistake == .toldBan {
                let text = #"{"type":"conversation","event":"banned","conversation":"\#(group)","user":"\#(name)"}"#
                planted.append((observer.transcript.count, "\(relay.now.monotonic) \(text)"))
            }
        } else {
            host.send(#"{"type":"send","id":9,"to":"@amy","key":"h\#(bans)","body":"x"}"#)
        }
        bans += 1
    }

    private func ban(_ name: String) {
        let verb = banned.insert(name).inserted ? "ban" : "unban"
        if verb == "unban" { banned.remove(name) }
        host.send(#"{"type":"conversation.\#(verb)","id":9,"conversation":"\#(group)","user":"\#(name)"}"#)
    }

    func run(_ steps: Int) -> (transcript: [String], bans: Int) {
        for _ in 0..<steps {
            actAsObserver()
            relay.advance(Int64(random.below(90)))
            actHidden()
            relay.advance(Int64(random.below(random.chance(10) ? 3_000 : 90)))
        }
        relay.advance(10_000)
        var transcript = observer.transcript
        for (place, text) in planted.reversed() where place <= transcript.count { transcript.insert(text, at: place) }
        let refused = transcript.lastIndex { $0.contains("\"code\":\"not_found\"") }
        if mistake == .otherRefusal, bans > 0, let refused {
            transcript[refused] = transcript[refused].replacing("not_found", with: "conflict")
        }
        return (transcript, bans)
    }
}
