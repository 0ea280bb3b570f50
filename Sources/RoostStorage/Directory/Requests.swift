import RoostCore
import RoostWire

/// A request's form in the column of its conversation: the receiver's number, negative once the receiver has dropped
/// it, and 0 if the conversation is no request.
extension StoredRequest {
    /// Nil for 0.
    init?(number: Int32) {
        guard number != 0 else { return nil }
        self.init(to: UserNumber(Int32(clamping: number.magnitude)), isDropped: number < 0)
    }
}

extension StoredRequest? {
    /// The number that `init(number:)` reads.
    var number: Int32 { map { $0.isDropped ? -$0.receiver.value : $0.receiver.value } ?? 0 }
}
