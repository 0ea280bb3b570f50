import RoostClient
import RoostKit
import RoostWire

/// Lines about the session.
enum ConnectionLine {
    /// Why there will be no session, and what to do; nil if there may be one by itself.
    static func end(_ session: RoostSnapshot, _ words: Words) -> String? {
        guard case .failed(let failure) = session.connection else { return nil }
        let code = session.lastLoss?.code.map { " (\($0))" } ?? ""
        switch failure {
        case .takenOver: return words(.takenOver(device: session.device)) + code
        case .signedOut, .wrongUser, .refused, .ended:
            guard let lost = session.lastLoss else { return words(.refusedByServer) }
            return words(.refused(reason: words.why(lost))) + code
        case .store(let line): return words(.storeFailed(line))
        }
    }

    /// Why there is no session now.
    static func reason(_ session: RoostSnapshot, _ words: Words) -> String {
        session.lastLoss.map(words.why) ?? words(.noReason)
    }
}
