import Foundation

/// The file format of reports: JSON with sorted keys, so that the same report gives the same file. Blocks; not for the
/// loop's thread.
enum ReportFile {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A figure that isn't a number must not make the whole report fail.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(value) + Data("\n".utf8)
    }

    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw RunFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
