import RoostWire

/// One page of the log on its way to everyone who missed the same: read once and encoded once, for as many sessions as
/// ask for it. After a restart of the relay, or of the network, that is all the devices of a group. Loop thread only.
final class CatchUpPage {
    let request: PageRequest
    /// Those for whom it is being read, in the order in which they asked.
    var readers: [Session] = []
    /// Those who have not been given it yet.
    var waiting = 0
    /// One of those that the limit counts: not yet given to all for whom it was read.
    var isUnderWay = true
    /// Somebody asked for it lately.
    var isWanted = true
    /// What the log said.
    private(set) var result: ReadResult?
    /// Who wrote its messages: their own devices are told more of those than others.
    private(set) var senders: Set<UserNumber> = []
    /// About what it takes, events and frames.
    private(set) var bytes = 0
    /// As all others see it, if somebody has.
    var frames: PageFrames?

    init(_ request: PageRequest) { self.request = request }

    /// Whether the log has answered.
    var isRead: Bool { result != nil }

    func take(_ result: ReadResult) {
        self.result = result
        for event in result.events {
            if event.kind == .message { senders.insert(event.sender) }
            bytes += 2 * (event.body.count + Self.envelopeBytes)
        }
    }

    // About what an event takes beside its body.
    private static let envelopeBytes = 256
}
