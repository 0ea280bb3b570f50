import RoostClient
import RoostLock

/// A device's way to the relay, which can be taken away in the ways in which a network does it.
final class Airplane: SocketConnector {
    /// The fate of sent bytes.
    enum Mode: Sendable {
        /// It arrives.
        case on
        /// Connections are cut, and new ones fail.
        case off
        /// Nothing arrives on either side, and neither side notices.
        case silent
        /// Bytes from the device are lost, and bytes from the relay arrive.
        case deaf
    }

    private struct State {
        var mode = Mode.on
        var lines: [Line] = []
    }

    private let ground: any SocketConnector
    private let state = Locked(State())

    init(_ ground: any SocketConnector) { self.ground = ground }

    var mode: Mode { state.withLock { $0.mode } }

    /// Changes the way. Connections of before don't come back to life.
    func become(_ mode: Mode) {
        let cut = state.withLock { state in
            defer { state.mode = mode }
            guard mode != state.mode, mode == .off || mode == .on else { return [Line]() }
            defer { state.lines = [] }
            return state.lines
        }
        for line in cut { line.end() }
    }

    func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket {
        let line = Line(self, onEvent)
        guard mode != .off else {
            onEvent(.failed(reason: "airplane mode"))
            return line
        }
        state.withLock { $0.lines.append(line) }
        line.carry(try ground.connect(to: url) { line.arrived($0) })
        return line
    }

    /// One connection.
    private final class Line: ClientSocket {
        private let airplane: Airplane
        private let onEvent: @Sendable (SocketEvent) -> Void
        private let wire = Locked<(any ClientSocket)?>(nil)
        private let isOver = Locked(false)

        init(_ airplane: Airplane, _ onEvent: @escaping @Sendable (SocketEvent) -> Void) {
            self.airplane = airplane
            self.onEvent = onEvent
        }

        func carry(_ socket: any ClientSocket) { wire.withLock { $0 = socket } }

        func arrived(_ event: SocketEvent) {
            let mode = airplane.mode
            guard mode == .on || mode == .deaf, !isOver.withLock({ $0 }) else { return }
            onEvent(event)
        }

        func send(_ text: [UInt8]) -> Bool {
            guard !isOver.withLock({ $0 }) else { return false }
            guard airplane.mode == .on else { return true }
            return wire.withLock { $0 }?.send(text) ?? false
        }

        func close(code: UInt16, reason: String) {
            isOver.withLock { $0 = true }
            wire.withLock { $0 }?.close(code: code, reason: reason)
        }

        func end() {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            wire.withLock { $0 }?.close(code: 1_001, reason: "")
            if isFirst { onEvent(.closed(code: 1_006, reason: "")) }
        }
    }
}
