public import RoostWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Timestamp {
    /// The time of this device's clock.
    static var now: Timestamp { Timestamp(.now) }

    /// A moment, to the nearest millisecond.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        // An impossible time isn't worth a trap.
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// The same moment; nil if it never comes.
    public var date: Date? {
        self == .never ? nil : Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
