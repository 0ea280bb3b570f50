import Foundation
import Glibc

/// The parent's order for a worker, passed as a file: the worker's share of the scenario, the relay's address, and when
/// to begin. A value.
public struct WorkerOrder: Codable, Sendable, Equatable {
    var scenario: Scenario
    var url: String
    /// See `EnginePlan.caFile`.
    var caFile: String?
    var keyFile: String
    /// When to begin, monotonic, in ns. All processes of a machine share that clock.
    var startAt: UInt64
    /// Path of the file for the result.
    var result: String
    /// The worker ends when this process has ended.
    var parent: Int32

    /// Longest delay until a worker is ready. A later one would still load the relay when the others have finished a
    /// part.
    static let latenessMax: UInt64 = 250_000_000
    /// Most bytes of an order or a result.
    static let fileBytesMax = 67_108_864

    /// Carries out the order in this file, in the worker's process, and writes the result.
    public static func carryOut(file: String) throws(RunFailure) {
        let order: WorkerOrder = try read(file)
        _ = Descriptors.raise()
        let plan = try EnginePlan.make(
            order.scenario, url: order.url, caFile: order.caFile, keyFile: order.keyFile, startAt: order.startAt)
        var late: UInt64 = 0
        let isOver = { Interruption.isRequested || late > Self.latenessMax || getppid() != order.parent }
        let result = try Engine.run(plan, interrupted: isOver) { moment in
            guard case .warmup = moment else { return }
            let now = Deadline.now
            late = now > order.startAt ? now - order.startAt : 0
        }
        guard late <= Self.latenessMax else {
            throw RunFailure("the set-up took \(late / 1_000_000) ms too long; use fewer users or more workers")
        }
        try write(result, to: order.result)
    }

    static func read<Value: Decodable>(_ path: String) throws(RunFailure) -> Value {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw RunFailure("\(path): can't be read") }
        defer { try? handle.close() }
        do {
            let data = try handle.read(upToCount: fileBytesMax + 1) ?? Data()
            guard data.count <= fileBytesMax else { throw RunFailure("\(path): larger than \(fileBytesMax) bytes") }
            let decoder = JSONDecoder()
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            return try decoder.decode(Value.self, from: data)
        } catch let failure as RunFailure {
            throw failure
        } catch {
            throw RunFailure("\(path): not a file of this program's")
        }
    }

    static func write(_ value: some Encodable, to path: String) throws(RunFailure) {
        do {
            let encoder = JSONEncoder()
            // The duration of a storm that never ended is infinite.
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            // Writes the whole file or nothing, because a worker may be ended at any time.
            try encoder.encode(value).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw RunFailure("\(path): can't be written")
        }
    }
}
