import RoostCore
import RoostFraming
import RoostWire

/// One connection of a `RelayHarness`, seen from the client's side: says commands as JSON text, keeps every frame that
/// came. It reads everything at once, unless a test tells it to stop reading.
public final class HarnessClient {
    /// The relay's side.
    public let session: Session
    /// Text messages that came, oldest first.
    public private(set) var frames: [JSONValue] = []
    /// Pings that came; none is answered by itself.
    public private(set) var pings = 0
    /// False: what the relay writes stays in its outbox.
    public var isReading = true
    /// False once the connection is gone.
    public internal(set) var isOpen = true
    /// The code with which the relay closed the connection.
    public private(set) var closeCode: CloseCode?

    /// The relay wants the host to look after it.
    var isDue = false

    private unowned let harness: RelayHarness

    init(_ session: Session, of harness: RelayHarness) {
        self.session = session
        self.harness = harness
        session.attachment = self
    }

    // MARK: Saying

    /// Says one command and lets everything settle.
    public func send(_ json: String) {
        say(json)
        harness.settle()
    }

    /// Says one command; nothing is committed, read or written before `settle` is called.
    public func say(_ json: String) {
        guard isOpen, closeCode == nil else { return }
        Array(json.utf8).withUnsafeBytes { harness.relay.receive($0, from: session, at: harness.now) }
    }

    /// Says one command and gives its reply: the frame with the same `re`.
    public func ask(_ json: String) -> JSONValue? {
        guard let id = JSONValue(parsing: json)?["id"]?.raw else { return nil }
        let before = frames.count
        send(json)
        return frames[before...].first { $0["re"]?.raw == id }
    }

    /// Answers a ping.
    public func pong() {
        harness.relay.hear(from: session, at: harness.now)
        harness.settle()
    }

    /// The connection breaks, or ends with a close frame of the client.
    public func drop(isClean: Bool = false) {
        guard isOpen else { return }
        isOpen = false
        harness.relay.close(session, isClean: isClean, at: harness.now)
        harness.settle()
    }

    // MARK: What came

    /// Frames of a type, oldest first.
    public func frames(_ type: String) -> [JSONValue] { frames.filter { $0["type"]?.string == type } }

    /// Frames since the last call.
    public func take() -> [JSONValue] {
        let taken = frames
        frames.removeAll()
        return taken
    }

    /// The member of the `welcome` frame.
    public func welcome(_ member: String) -> JSONValue? { frames("welcome").first?[member] }

    // MARK: The host's part

    /// Takes what waits in the outbox and ends the connection if the relay wants so; whether anything happened.
    func write() -> Bool {
        guard isReading, isDue || !session.outbox.isEmpty else { return false }
        isDue = false
        var hasMoved = false
        while let frame = session.outbox.pop() {
            hasMoved = true
            for message in frame.messages() { receive(message) }
        }
        if let code = session.closing {
            closeCode = code
            isOpen = false
            harness.relay.close(session, isClean: false, at: harness.now)
            return true
        }
        if session.wantsDrained {
            let before = session.outbox.count
            harness.relay.drained(session, at: harness.now)
            hasMoved = hasMoved || session.outbox.count > before || !session.wantsDrained
        }
        return hasMoved
    }

    private func receive(_ frame: Frame) {
        // RFC 6455, section 5.2: the opcode of a text frame is 1, of a ping 9.
        guard frame.bytes.first.map({ $0 & 0x0F }) == 1 else {
            pings += 1
            return
        }
        if let event = JSONValue(parsing: frame.payload) { frames.append(event) }
    }
}
