import DequeModule
import RoostFraming
import RoostWire

/// Ends of connections, on the way to the store. A device is looked at some seconds after it came or went, and only
/// what then differs from the store is written: a device that is back by then costs nothing. Loop thread only.
final class DeviceEnds {
    /// The limits of this part.
    struct Bounds {
        /// From a change to its storing.
        let milliseconds: Int64
        /// Devices that are looked at in one turn.
        let atOnce: Int

        init(_ limits: Limits) {
            milliseconds = limits.aliveMilliseconds
            atOnce = max(1, limits.stepsPerTurn / 4)
        }
    }

    /// The state that a device keeps for this part.
    struct Slot {
        /// The end of its last connection; nil if there was none.
        fileprivate(set) var last: StoredEnd?
        /// The stored end: nil while it is connected.
        fileprivate var stored: StoredEnd?
        fileprivate var isNoted = false

        /// - Parameters:
        ///   - stored: what was found in the store.
        ///   - isKnown: the device was there before the start. If nothing is stored of it, it was connected then.
        init(_ stored: StoredEnd? = nil, isKnown: Bool) {
            self.stored = stored
            last = stored ?? (isKnown ? StoredEnd(.restart, at: .never) : nil)
        }
    }

    private let bounds: Bounds
    private var changed = Deque<Device>()
    private var storeAt = Int64.max

    init(_ bounds: Bounds) { self.bounds = bounds }

    /// A connection of the device began.
    func noteBegin(of device: Device, at now: Moment) { note(device, at: now) }

    /// A connection of the device ended, also if another one has begun.
    func noteEnd(of device: Device, _ reason: EndReason, at now: Moment) {
        device.ends.last = StoredEnd(reason, at: now.wall)
        note(device, at: now)
    }

    private func note(_ device: Device, at now: Moment) {
        guard !device.ends.isNoted else { return }
        device.ends.isNoted = true
        if changed.isEmpty { storeAt = now.monotonic + bounds.milliseconds }
        changed.append(device)
    }

    /// When to call `takeDue` next, in monotonic milliseconds.
    var nextDeadline: Int64 { changed.isEmpty ? .max : storeAt }

    /// The ends to store now: some of them, if there are many.
    func takeDue(at now: Int64) -> [Mutation] { storeAt <= now ? take(atMost: bounds.atOnce) : [] }

    /// The ends to store before the relay stops.
    func takeAll() -> [Mutation] { take(atMost: .max) }

    private func take(atMost most: Int) -> [Mutation] {
        var mutations: [Mutation] = []
        var looked = 0
        while looked < most, let device = changed.popFirst() {
            looked += 1
            device.ends.isNoted = false
            let end = device.session == nil ? device.ends.last : nil
            guard end != device.ends.stored else { continue }
            device.ends.stored = end
            mutations.append(.end(device.number, end))
        }
        return mutations
    }
}

extension FrameBuilder {
    /// Writes how a device's last connection ended.
    func ended(_ end: StoredEnd) {
        beginObject("ended")
        member("reason", word: end.reason.word)
        if end.time != .never { member("time", end.time.milliseconds) }
        endObject()
    }
}
