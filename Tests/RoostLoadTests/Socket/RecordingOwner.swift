@testable import RoostLoad

/// Records its callbacks, and runs a test's code inside one.
final class RecordingOwner: ClientSocketOwner {
    var openings = 0
    var texts: [String] = []
    var times: [UInt64] = []
    var endings: [SocketEnding] = []
    var whenOpened: (ClientSocket) -> Void = { _ in }
    var whenReceived: (ClientSocket, String) -> Void = { _, _ in }
    var whenEnded: (ClientSocket) -> Void = { _ in }

    func opened(_ socket: ClientSocket) {
        openings += 1
        whenOpened(socket)
    }

    func received(_ text: UnsafeRawBufferPointer, on socket: ClientSocket, at: UInt64) {
        let copy = String(decoding: text, as: UTF8.self)
        texts.append(copy)
        times.append(at)
        whenReceived(socket, copy)
        // The bytes are valid until the return, whatever the callback did.
        if String(decoding: text, as: UTF8.self) != copy { texts.append("changed while borrowed") }
    }

    func ended(_ socket: ClientSocket, _ ending: SocketEnding) {
        endings.append(ending)
        whenEnded(socket)
    }
}

extension SocketLoop {
    /// Runs turns until the condition holds. Returns false after ten seconds.
    func run(until condition: () -> Bool) -> Bool {
        let end = SocketLoop.now() + 10_000_000_000
        while !condition() {
            guard SocketLoop.now() < end else { return false }
            turn(until: SocketLoop.now() + 20_000_000)
        }
        return true
    }

    /// Runs a few turns: enough to handle everything that has arrived.
    func look() {
        for _ in 0..<20 { turn(until: 0) }
    }
}

extension ClientSocket {
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send($0) } }
}

/// A loop, a listener, and one connection between them after the handshake.
struct OpenConnection {
    let loop: SocketLoop
    let listener: SocketListener
    let owner = RecordingOwner()
    let socket: ClientSocket
    let peer: SocketPeer

    init(
        closeSeconds: Double = SocketLoop.closeSeconds,
        readBytes: Int = HarnessLimits.readBytes,
        whenOpened: @escaping (ClientSocket) -> Void = { _ in },
        following: [UInt8] = []
    ) throws {
        loop = try SocketLoop(closeSeconds: closeSeconds, readBytes: readBytes, seed: 1)
        listener = try SocketListener()
        owner.whenOpened = whenOpened
        socket = loop.connect(to: try SocketTarget(url: listener.url), from: nil, owner: owner)
        peer = try listener.accept()
        loop.look()
        _ = try peer.readHead()
        peer.send(Array(SocketPeer.accepting.utf8) + following)
        let owner = owner
        guard loop.run(until: { owner.openings == 1 }) else { throw PeerFailure() }
    }
}

/// A suite whose tests all begin with an open connection.
protocol ConnectedSuite {
    var connection: OpenConnection { get }
}

extension ConnectedSuite {
    var loop: SocketLoop { connection.loop }
    var owner: RecordingOwner { connection.owner }
    var socket: ClientSocket { connection.socket }
    var peer: SocketPeer { connection.peer }
}
