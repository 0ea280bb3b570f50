import Foundation
import RoostWire

/// Times of day and days as people read them, in the local time zone. Confined to no thread: it keeps nothing.
package struct WallClock: Sendable {
    /// Whether it shows UTC, as in tests, instead of the local time.
    var isUTC = false

    /// Shows local time.
    package init() {}

    init(isUTC: Bool) { self.isUTC = isUTC }

    // The end of the year 9999. A later time from the server is wrong and would overflow.
    private static let secondsMax: Int64 = 253_402_300_799
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Now.
    package static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    /// The time of day: `12:01`.
    func clock(_ time: Timestamp) -> String {
        let parts = parts(time)
        return WallClock.two(parts.tm_hour) + ":" + WallClock.two(parts.tm_min)
    }

    /// The time of day, with the date unless it is today.
    package func time(_ time: Timestamp, now: Timestamp = WallClock.now) -> String {
        isSameDay(time, now) ? clock(time) : "\(date(time)) \(clock(time))"
    }

    /// The time of day if it is today, otherwise the date, both short.
    func short(_ time: Timestamp, now: Timestamp) -> String {
        if isSameDay(time, now) { return clock(time) }
        let (parts, today) = (parts(time), parts(now))
        guard parts.tm_year == today.tm_year else { return date(time) }
        return "\(parts.tm_mday) \(WallClock.months[Int(parts.tm_mon) % 12].prefix(3))"
    }

    /// A day: `Today`, `Tuesday 24 November`, with the year unless it is this one.
    func day(_ time: Timestamp, now: Timestamp) -> String {
        if isSameDay(time, now) { return "Today" }
        let parts = parts(time)
        let month = WallClock.months[Int(parts.tm_mon) % 12]
        let year = parts.tm_year == self.parts(now).tm_year ? "" : " \(parts.tm_year + 1_900)"
        return "\(WallClock.days[Int(parts.tm_wday) % 7]) \(parts.tm_mday) \(month)\(year)"
    }

    func isSameDay(_ one: Timestamp, _ other: Timestamp) -> Bool {
        let (one, other) = (parts(one), parts(other))
        return one.tm_year == other.tm_year && one.tm_yday == other.tm_yday
    }

    private func date(_ time: Timestamp) -> String {
        let parts = parts(time)
        return "\(parts.tm_year + 1_900)-\(WallClock.two(parts.tm_mon + 1))-\(WallClock.two(parts.tm_mday))"
    }

    private func parts(_ time: Timestamp) -> tm {
        var seconds = time_t(min(max(0, time.milliseconds / 1_000), WallClock.secondsMax))
        var parts = tm()
        if isUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
        return parts
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
