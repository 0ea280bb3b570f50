/// Numbers in a form for people, the same in every view and in every locale. Pure functions for any thread; without
/// Foundation, because the live display uses them too.
enum Readable {
    /// `12,345`.
    static func count(_ number: UInt64) -> String {
        let digits = String(number)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// With this number of decimals, at most 6, and commas between thousands.
    static func fixed(_ number: Double, _ decimals: Int) -> String {
        guard number.isFinite else { return "–" }
        let places = Swift.max(0, Swift.min(decimals, 6))
        let factor = (0..<places).reduce(1.0) { power, _ in power * 10 }
        let scaled = (abs(number) * factor).rounded()
        guard scaled < 9e18 else { return "\(number)" }
        let whole = UInt64(scaled)
        let sign = number < 0 && whole > 0 ? "-" : ""
        let unit = UInt64(factor)
        guard places > 0 else { return sign + count(whole) }
        let rest = String(whole % unit)
        return sign + count(whole / unit) + "." + String(repeating: "0", count: places - rest.count) + rest
    }

    /// With three significant digits: `0.045`, `1.23`, `12.3`, `1,234`.
    static func significant(_ number: Double) -> String {
        switch abs(number) {
        case 0: "0"
        case ..<0.001: fixed(number, 6)
        case ..<1: fixed(number, 3)
        case ..<9.995: fixed(number, 2)
        case ..<99.95: fixed(number, 1)
        default: fixed(number, 0)
        }
    }

    /// A figure of a report. Counts stay whole.
    static func figure(_ number: Double) -> String {
        number.rounded() == number ? fixed(number, 0) : significant(number)
    }

    /// Nanoseconds as milliseconds, without the unit.
    static func milliseconds(_ nanoseconds: UInt64) -> String { significant(Double(nanoseconds) / 1e6) }

    /// Nanoseconds with a suitable unit: `450 µs`, `12.3 ms`, `1.20 s`.
    static func span(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<999_500: "\(fixed(nanoseconds / 1e3, 0)) µs"
        case ..<999_500_000: "\(significant(nanoseconds / 1e6)) ms"
        default: "\(significant(nanoseconds / 1e9)) s"
        }
    }

    /// A share of 1: `2.5 %`.
    static func percent(_ share: Double) -> String { fixed(share * 100, 1) + " %" }

    /// KiB with a suitable unit.
    static func memory(_ kibibytes: Double) -> String {
        switch abs(kibibytes) {
        case ..<1_024: "\(significant(kibibytes)) KiB"
        case ..<1_048_576: "\(significant(kibibytes / 1_024)) MiB"
        default: "\(significant(kibibytes / 1_048_576)) GiB"
        }
    }

    /// Seconds as a duration: `45 s`, `2 min`, `1 h 30 min`.
    static func clock(_ seconds: Double) -> String {
        guard abs(seconds) >= 120 else { return "\(trimmed(seconds)) s" }
        guard abs(seconds) >= 7_200 else { return "\(trimmed(seconds / 60)) min" }
        return "\(trimmed(seconds / 3_600)) h"
    }

    /// Replaces control characters in foreign text, so that it can't steer the terminal.
    static func harmless(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    // C0, DEL, C1, line separators, and marks that change the direction of writing.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Three significant digits without trailing zeros.
    static func trimmed(_ number: Double) -> String {
        var text = significant(number)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
