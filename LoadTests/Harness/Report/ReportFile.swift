import Foundation

/// The file format of reports: JSON with sorted keys, so that the same report gives the same file, and
/// with each list of numbers on one line, for human readers. Blocks; not for the loop's thread.
enum ReportFile {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A figure that isn't a number must not make the whole report fail.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return folded(try encoder.encode(value)) + Data("\n".utf8)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, format: Int, from data: Data, name: String) throws -> Value
    {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let head = try? decoder.decode(Head.self, from: data) else {
            throw ReportFileError(text: "\(name) is not a report of roost-load: it has no format.")
        }
        guard (1...format).contains(head.format) else {
            throw ReportFileError(
                text: "\(name) has format \(head.format), and this roost-load reads format \(format) and older: "
                    + "use a newer roost-load.")
        }
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw ReportFileError(text: "\(name) says format \(head.format) but is not complete: \(place(of: error)).")
        }
    }

    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ReportFileError(text: "\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    static func read(_ path: String) throws -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ReportFileError(text: "\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    private struct Head: Decodable { var format: Int }

    private static func place(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, let context):
            return "\((context.codingPath + [key]).map(\.stringValue).joined(separator: ".")) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return "\(context.codingPath.map(\.stringValue).joined(separator: ".")) is not what it should be"
        @unknown default: return "\(error)"
        }
    }

    // Removes the white space from lists of numbers.
    private static func folded(_ json: Data) -> Data {
        let bytes = [UInt8](json)
        var folded: [UInt8] = []
        folded.reserveCapacity(bytes.count)
        var index = 0
        var isInString = false
        while index < bytes.count {
            let byte = bytes[index]
            if isInString, byte == UInt8(ascii: "\\") {
                folded.append(contentsOf: bytes[index..<min(index + 2, bytes.count)])
                index += 2
                continue
            }
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            if !isInString, byte == UInt8(ascii: "["), let end = endOfNumbers(in: bytes, from: index + 1) {
                folded.append(contentsOf: bytes[index...end].filter { $0 > UInt8(ascii: " ") })
                index = end + 1
                continue
            }
            folded.append(byte)
            index += 1
        }
        return Data(folded)
    }

    private static func endOfNumbers(in bytes: [UInt8], from start: Int) -> Int? {
        for index in start..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "]"): return index
            case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x09, 0x0A, 0x0D, 0x20: continue
            case UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"): continue
            case UInt8(ascii: "e"), UInt8(ascii: "E"): continue
            default: return nil
            }
        }
        return nil
    }
}

/// Why a report's file can't be read or written, in one line.
public struct ReportFileError: Error, CustomStringConvertible, Equatable {
    var text: String

    /// One line.
    public var description: String { text }
}
