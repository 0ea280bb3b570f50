import Logging
import RoostWire

/// The format of the log's lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// The time, the level, the event, a sentence, and then `key=value`, which is quoted if it has to be.
    case text
    /// One JSON object for each line, with `time`, `level`, `event`, `text` and the same keys.
    case json
}

/// One line of the log, without its end.
struct LogLine {
    /// The key under which a line's metadata names the event.
    static let eventKey = "event"

    let time: Timestamp
    let level: Logger.Level
    let text: String
    var metadata: Logger.Metadata

    func formatted(as format: LogFormat) -> String {
        var values = metadata
        let event = values.removeValue(forKey: LogLine.eventKey).map { "\($0)" } ?? "relay.note"
        let keys = values.keys.sorted()
        switch format {
        case .text:
            let pairs = keys.map { " \($0)=\(LogLine.plain(values[$0]))" }.joined()
            // A newline in a sentence would begin a forged line.
            let sentence = text.utf8.contains { $0 < 0x20 } ? LogLine.quoted(text) : text
            return "\(LogLine.clock(time)) \(level) \(event) \(sentence)\(pairs)"
        case .json:
            let pairs = keys.map { ",\(LogLine.quoted($0)):\(LogLine.json(values[$0]))" }.joined()
            return "{\"time\":\"\(LogLine.clock(time))\",\"level\":\"\(level)\",\"event\":\(LogLine.quoted(event)),"
                + "\"text\":\(LogLine.quoted(text))\(pairs)}"
        }
    }

    /// A value as it is, if it can't be taken for something else.
    private static func plain(_ value: Logger.MetadataValue?) -> String {
        let text = value.map { "\($0)" } ?? ""
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 != 0x7F }
        return isPlain ? text : quoted(text)
    }

    /// Numbers stay numbers.
    private static func json(_ value: Logger.MetadataValue?) -> String {
        if case .stringConvertible(let number as any BinaryInteger)? = value { return "\(number)" }
        return quoted(value.map { "\($0)" } ?? "")
    }

    private static func quoted(_ text: String) -> String {
        let writer = JSONWriter()
        writer.beginBare()
        writer.element(text)
        return String(decoding: writer.written, as: UTF8.self)
    }

    /// RFC 3339, in UTC, with milliseconds.
    private static func clock(_ time: Timestamp) -> String {
        let (days, millisecond) = time.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = date(days)
        let second = millisecond / 1_000
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(second / 3_600, 2))"
            + ":\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2)).\(padded(millisecond % 1_000, 3))Z"
    }

    /// The date so many days after 1970-01-01, by the Gregorian calendar. Years are counted from March, so that the
    /// leap day is the last of its year, in periods of 400 years, which all have the same length.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let sinceMarch0 = days + 719_468
        let (period, dayOfPeriod) = sinceMarch0.quotientAndRemainder(dividingBy: 146_097)
        let yearOfPeriod = (dayOfPeriod - dayOfPeriod / 1_460 + dayOfPeriod / 36_524 - dayOfPeriod / 146_096) / 365
        let dayOfYear = dayOfPeriod - (365 * yearOfPeriod + yearOfPeriod / 4 - yearOfPeriod / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (period * 400 + yearOfPeriod + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// Hands each line of a `Logger` to a writer.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    let format: LogFormat
    let writer: LogWriter

    init(_ format: LogFormat, _ writer: LogWriter) {
        self.format = format
        self.writer = writer
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        let line = LogLine(
            time: Clock.wall(), level: event.level, text: "\(event.message)", metadata: metadata)
        writer.write(line.formatted(as: format))
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
