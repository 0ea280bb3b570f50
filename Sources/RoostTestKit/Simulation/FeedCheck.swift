import RoostCore
import RoostFraming
import RoostWire

/// Checks, when everything has come to rest, that a service gets every durable event in the order of the log.
final class FeedCheck {
    private let world: World
    private let ledger: Ledger
    private let host: SimulatedHost

    init(_ world: World, _ ledger: Ledger, _ host: SimulatedHost) {
        self.world = world
        self.ledger = ledger
        self.host = host
    }

    /// Fails unless the feed is the log.
    func check() {
        let wanted = ledger.events.filter { !ledger.conversations[$0.value.conversation].isErased }.keys.sorted()
        let epoch = host.relay.epoch
        var told: [Int64] = []
        var after = "\(epoch)-0"
        while true {
            let answer = askForPage(after: after)
            guard let page = answer?["feed"], let reached = page["position"]?.string else {
                return world.fail(
                    "the feed ends after \(after), before the log does: \(answer?["reason"]?.string ?? "no answer")")
            }
            told += (page["events"]?.elements ?? []).compactMap { event in
                event["position"]?.string.flatMap { Position($0, epoch: epoch)?.value }
            }
            guard page["more"]?.bool == true else { break }
            guard reached != after else { return world.fail("the feed doesn't go on after \(after)") }
            after = reached
        }
        guard told != wanted else { return }
        let first = zip(told, wanted).first { $0 != $1 }.map { "\($0.0) instead of \($0.1)" } ?? "not as many"
        world.fail("the feed tells \(told.count) events, the log has \(wanted.count): \(first)")
    }

    /// Asks for a page in a session of its own, since a session may only spend so much at once.
    private func askForPage(after: String) -> JSONValue? {
        let session = host.relay.open(at: world.now)
        defer { host.relay.close(session, at: world.now) }
        let welcome = ask(#"{"type":"hello","id":1,"token":"service:mill","operator":true}"#, session)
        guard welcome?["type"]?.string == "welcome" else { return welcome }
        return ask(#"{"type":"feed","id":1,"consumer":"all","limit":16,"after":"\#(after)"}"#, session)
    }

    /// Sends a command and returns the answer. The relay's own work for it is done at once.
    private func ask(_ text: String, _ session: Session) -> JSONValue? {
        let relay = host.relay
        Array(text.utf8).withUnsafeBytes { relay.receive($0, from: session, at: world.now) }
        for one in relay.takeVerifications() {
            relay.verified(one.session, TokenRule.check(one.token, at: world.now.wall), at: world.now)
        }
        for read in relay.takeReads(at: world.now) { relay.answered(host.store.answer(read), at: world.now) }
        var answer: JSONValue?
        while let frame = session.outbox.pop() {
            for message in frame.messages() {
                if let value = JSONValue(parsing: message.payload), value["re"] != nil { answer = value }
            }
        }
        relay.wrote(to: session)
        return answer
    }
}
