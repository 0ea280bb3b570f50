/// Judges signals, which are not stored. A signal that doesn't arrive is counted and is no fault. One that arrives
/// twice, reaches an outsider, or was never sent is a fault. Loop thread only. Numbers run over all senders of a
/// conversation, and signals may arrive in any order. For each membership the last 64 are remembered; older ones count
/// as new.
final class SignalLedger {
    /// The signals that came to a membership, in 16 bytes.
    private struct Window {
        var highest: UInt32 = 0
        /// Bit n is set if `highest - n` came.
        var came: UInt64 = 0
    }

    private(set) var faults = FaultCounts()
    /// Deliveries to devices that were connected when a signal was sent, except the sender's.
    private(set) var expectedDeliveries = 0
    private(set) var arrivedDeliveries = 0

    private var roster = Roster()
    /// Number of signals sent, by conversation.
    private var sent: [UInt32] = []
    /// Windows by membership.
    private var windows: [Window] = []

    init() {}

    /// Number of signals that did not arrive. Devices that connected just in time may make up for some.
    var missedSignals: Int { max(0, expectedDeliveries - arrivedDeliveries) }

    /// Adds a conversation, as `MessageLedger.addConversation` does: the same calls give the same memberships.
    func addConversation(_ index: Int, members devices: [Int]) -> [Membership] {
        let memberships = roster.add(index, members: devices)
        while sent.count <= index { sent.append(0) }
        windows.append(contentsOf: repeatElement(Window(), count: devices.count))
        return memberships
    }

    /// A device's session begins.
    func connected(_ device: Int) { _ = roster.setPresent(true, device) }

    /// A device's session ended.
    func left(_ device: Int) { _ = roster.setPresent(false, device) }

    /// A signal is sent.
    /// - Returns: its number, from 1, which it must carry.
    func send(_ conversation: Int) -> Int {
        precondition(sent.indices.contains(conversation), "a signal goes to a conversation")
        sent[conversation] += 1
        expectedDeliveries += max(0, Int(roster.spans[conversation].present) - 1)
        return Int(sent[conversation])
    }

    /// A device read a signal.
    func received(_ conversation: Int, by membership: Membership, from sender: Membership, number: Int) -> Reception {
        guard roster.contains(conversation, membership) else {
            return count(.nonMember, conversation, membership, "got signal \(number) and isn't a member")
        }
        guard number >= 1, number <= Int(sent[conversation]), roster.contains(conversation, sender) else {
            return count(.altered, conversation, membership, "got signal \(number), which was never sent")
        }
        guard sender != membership else {
            return count(.duplicated, conversation, membership, "got its own signal \(number)")
        }
        guard enter(UInt32(number), into: &windows[Int(membership.index)]) else {
            return count(.duplicated, conversation, membership, "got signal \(number) twice")
        }
        arrivedDeliveries += 1
        return .first
    }

    @inline(__always)
    private func enter(_ number: UInt32, into window: inout Window) -> Bool {
        guard number <= window.highest else {
            // A shift by more than the width gives 0.
            window.came = window.came << (number - window.highest) | 1
            window.highest = number
            return true
        }
        let age = window.highest - number
        guard age < 64 else { return true }
        let bit: UInt64 = 1 << UInt64(age)
        guard window.came & bit == 0 else { return false }
        window.came |= bit
        return true
    }

    private func count(
        _ fault: Fault, _ conversation: Int, _ membership: Membership, _ what: @autoclosure () -> String
    ) -> Reception {
        faults.count(fault, "conversation \(conversation): \(roster.device(of: membership)) \(what())")
        return .fault(fault)
    }
}
