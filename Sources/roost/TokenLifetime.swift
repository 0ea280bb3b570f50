import ArgumentParser

/// A token's lifetime, as written on the command line: `90s`, `15m`, `1h`, `30d`.
struct TokenLifetime: ExpressibleByArgument, Equatable {
    /// Ten years. A token that lasts longer is as good as a key.
    static let secondsMax: Int64 = 10 * 365 * 86_400

    let seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), argument.utf8.first != UInt8(ascii: "+"),
            let count = Int64(argument.dropLast()), (1...Self.secondsMax / unit).contains(count)
        else { return nil }
        seconds = count * unit
    }

    var defaultValueDescription: String { seconds % 86_400 == 0 ? "\(seconds / 86_400)d" : "\(seconds / 3_600)h" }
}
