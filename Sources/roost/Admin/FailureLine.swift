import RoostChat
import RoostClient
import RoostWire

/// Failures in words for the user.
enum FailureLine {
    static func text(_ failure: RoostFailure) -> String {
        switch failure {
        case .refused(let refusal): TerminalText.printable("\(refusal.code): \(refusal.reason)")
        case .ended(let ending): TerminalText.printable("the session has ended: \(ending.reason)")
        case .notConnected: "not connected"
        case .connectionLost, .timedOut: "no answer; the command may have been carried out"
        case .queueFull: "too many messages are waiting to be sent"
        case .tooManyCommands: "too many commands at once"
        case .tooLarge(let bytes, let most): "too long: \(bytes) bytes; at most \(most)"
        case .invalid(let reason): TerminalText.printable(reason)
        case .unexpectedReply: "the server's answer is not valid"
        case .cancelled: "cancelled"
        }
    }
}
