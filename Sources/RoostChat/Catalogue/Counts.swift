/// A time in its largest whole unit, for languages to name: of slow mode.
enum WholeTime: Equatable {
    case seconds(Int), minutes(Int), hours(Int)

    init(_ milliseconds: Int64) {
        let seconds = Int(max(1, milliseconds / 1_000))
        self =
            seconds % 3_600 == 0
            ? .hours(seconds / 3_600) : seconds % 60 == 0 ? .minutes(seconds / 60) : .seconds(seconds)
    }
}

/// A longer time, for languages to name: of disappearing messages.
enum LongTime: Equatable {
    case hours(Int), days(Int), weeks(Int)

    init(_ milliseconds: Int64) {
        let hours = Int(max(1, milliseconds / 3_600_000))
        let days = hours / 24
        self =
            hours % 24 != 0 || days < 2 ? .hours(hours) : days % 7 == 0 && days < 30 ? .weeks(days / 7) : .days(days)
    }
}

extension Int {
    /// The digits in groups of three.
    func grouped(by separator: Character) -> String {
        var text = ""
        for (place, digit) in String(magnitude).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text.append(separator) }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }
}
