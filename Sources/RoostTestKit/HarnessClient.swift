import RoostCore
import RoostFraming
import RoostWire

/// One connection of a `RelayHarness`, from the client's side. It sends commands as JSON text and keeps every frame
/// that arrives. It reads everything at once, unless a test stops reading.
public final class HarnessClient {
    /// The relay's session of this connection.
    public let session: Session
    /// Text messages that arrived, oldest first.
    public private(set) var frames: [JSONValue] = []
    /// Number of pings that arrived. None is answered automatically.
    public private(set) var pings = 0
    /// If true, every frame is kept in `transcript`, too.
    public var keepsTranscript = false
    /// The monotonic time and the text of every frame that arrived.
    public private(set) var transcript: [String] = []
    /// If false, the relay's frames stay in its outbox.
    public var isReading = true
    /// False once the connection has ended.
    public internal(set) var isOpen = true
    /// The code with which the relay closed the connection.
    public private(set) var closeCode: CloseCode?

    /// The relay wants the host to write to this client.
    var isDue = false

    private unowned let harness: RelayHarness

    init(_ session: Session, of harness: RelayHarness) {
        self.session = session
        self.harness = harness
        session.attachment = self
    }

    // MARK: Saying

    /// Sends one command and lets everything settle.
    public func send(_ json: String) {
        say(json)
        harness.settle()
    }

    /// Sends one command. Nothing is committed, read or written before `settle` is called.
    public func say(_ json: String) {
        guard isOpen, closeCode == nil else { return }
        Array(json.utf8).withUnsafeBytes { harness.relay.receive($0, from: session, at: harness.now) }
    }

    /// Sends one command and returns its reply, the frame with the same `re`.
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

    /// The connection is cut, or ends with a close frame of the client.
    public func drop(_ reason: EndReason = .cut) {
        guard isOpen else { return }
        isOpen = false
        harness.relay.close(session, as: reason, at: harness.now)
        harness.settle()
    }

    // MARK: Received frames

    /// Frames of this type, oldest first.
    public func frames(_ type: String) -> [JSONValue] { frames.filter { $0["type"]?.string == type } }

    /// Frames since the last call.
    public func take() -> [JSONValue] {
        let taken = frames
        frames.removeAll()
        return taken
    }

    /// A member of the `welcome` frame.
    public func welcome(_ member: String) -> JSONValue? { frames("welcome").first?[member] }

    // MARK: The host's part

    /// Takes what waits in the outbox, and ends the connection if the relay wants that. Returns whether anything
    /// happened.
    func write() -> Bool {
        guard isReading, isDue || !session.outbox.isEmpty else { return false }
        isDue = false
        var hasMoved = false
        while let frame = session.outbox.pop() {
            hasMoved = true
            for message in frame.messages() { receive(message) }
        }
        harness.relay.wrote(to: session)
        if let code = session.closing {
            closeCode = code
            isOpen = false
            harness.relay.close(session, at: harness.now)
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
        // The opcode of a text frame is 1, of a ping 9 (RFC 6455, section 5.2).
        guard frame.bytes.first.map({ $0 & 0x0F }) == 1 else {
            pings += 1
            return
        }
        if keepsTranscript {
            transcript.append("\(harness.now.monotonic) \(String(decoding: frame.payload, as: UTF8.self))")
        }
        if let event = JSONValue(parsing: frame.payload) { frames.append(event) }
    }
}
