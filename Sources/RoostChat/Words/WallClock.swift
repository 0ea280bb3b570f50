import Foundation
import RoostWire

/// Times of day and days, in the local time zone. Confined to no thread: it keeps nothing.
package struct WallClock: Sendable {
    /// Whether it shows UTC, as in tests, instead of the local time.
    var isUTC = false

    /// Shows local time.
    package init() {}

    init(isUTC: Bool) { self.isUTC = isUTC }

    // The end of the year 9999. A later time from the server is wrong and would overflow.
    private static let secondsMax: Int64 = 253_402_300_799

    /// Now.
    package static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    /// The time of day: `12:01`.
    func clock(_ time: Timestamp) -> String {
        let parts = parts(time)
        return WallClock.two(parts.tm_hour) + ":" + WallClock.two(parts.tm_min)
    }

    /// The time of day, with the date unless it is today.
    package func time(_ time: Timestamp, now: Timestamp = WallClock.now) -> String {
        isSameDay(time, now) ? clock(time) : "\(date(time).text) \(clock(time))"
    }

    func isSameDay(_ one: Timestamp, _ other: Timestamp) -> Bool {
        let (one, other) = (parts(one), parts(other))
        return one.tm_year == other.tm_year && one.tm_yday == other.tm_yday
    }

    /// A day. Sunday is 0, January too.
    struct Day: Equatable {
        var weekday, day, month, year: Int

        /// The date in ISO 8601: `2026-11-24`.
        var text: String { "\(year)-\(WallClock.two(Int32(month + 1)))-\(WallClock.two(Int32(day)))" }
    }

    func date(_ time: Timestamp) -> Day {
        let parts = parts(time)
        return Day(
            weekday: Int(parts.tm_wday), day: Int(parts.tm_mday), month: Int(parts.tm_mon),
            year: Int(parts.tm_year) + 1_900)
    }

    private func parts(_ time: Timestamp) -> tm {
        var seconds = time_t(min(max(0, time.milliseconds / 1_000), WallClock.secondsMax))
        var parts = tm()
        if isUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
        return parts
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
