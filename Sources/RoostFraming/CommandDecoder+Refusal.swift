import CSimdjson
import RoostWire

/// Refusals name the member at fault and what is allowed. They never repeat what the client sent: it may be a token
/// or a body, and reasons are logged.
extension CommandDecoder {
    @inline(never)
    func refusal(_ member: Member, _ fault: String, _ code: ErrorCode = .badRequest) -> Refusal {
        Refusal(code, "\(member.word) \(fault)")
    }

    @inline(never)
    func refusal(_ status: csj_status) -> Refusal {
        switch status {
        case CSJ_TOO_LONG: Refusal(.tooLarge, "the message has more than \(limits.frameBytes) bytes")
        case CSJ_TOO_DEEP: Refusal(.badJSON, "the message is nested deeper than \(limits.jsonDepth) levels")
        case CSJ_TOO_MANY_MEMBERS:
            Refusal(.tooLarge, "the message has more than \(limits.commandMembers) members")
        default: Refusal(.badJSON, "the message is not a JSON object")
        }
    }
}
