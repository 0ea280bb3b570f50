import Foundation

/// Where the time comes from. Tests bring their own.
package struct WallClock: Sendable {
    /// Milliseconds since 1970.
    package var now: @Sendable () -> Int64

    /// Reads the time from `now`.
    package init(now: @escaping @Sendable () -> Int64) { self.now = now }

    /// The machine's.
    package static let system = WallClock { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// Whole seconds since 1970.
    package var seconds: Int64 { now() / 1_000 }
}
