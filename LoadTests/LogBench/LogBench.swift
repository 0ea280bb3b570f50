import Foundation
import RoostStorage
import RoostWire

/// `roost-log-bench`: measures how many rows a second the log alone can store, without sockets and without the Relay.
/// It appends as the server does, one batch at a time, and prints the figures as one line of JSON. The store must not
/// be in use; it is not removed afterwards.
@main
struct LogBench {
    static func main() {
        guard let arguments = BenchArguments(Array(CommandLine.arguments.dropFirst())) else {
            write(BenchArguments.usage, to: .standardError)
            exit(2)
        }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            let figures = try measure(arguments)
            write(String(decoding: try encoder.encode(figures), as: UTF8.self), to: .standardOutput)
        } catch {
            write("roost-log-bench: \(error)", to: .standardError)
            exit(1)
        }
    }

    private static func measure(_ arguments: BenchArguments) throws -> BenchFigures {
        let log = try SQLiteLog(path: arguments.path, durability: arguments.durability)
        defer { log.close() }
        guard log.statistics.head == .start else { throw BenchFailure("\(arguments.path) holds something already") }
        if arguments.storedKeys > 0 { try log.fillKeys(arguments.storedKeys) }
        var rows = RowSource(arguments)
        let run = try BenchRun(log)
        defer { run.stop() }
        try run.prepare(rows.directory(batch: arguments.batch))
        return try run.append(&rows, arguments)
    }

    private static func write(_ line: String, to handle: FileHandle) {
        // A closed output isn't a failure: the reader may have ended.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// Why nothing could be measured, in one line.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
