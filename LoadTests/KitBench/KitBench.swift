import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// Measures what a person waits for, on a store like that of a user after years: how long an app takes to show the
/// first page, and each further one. Prints medians, with the fastest and slowest of the runs.
///
/// Usage: roost-kit-bench [folder]. The store is made once and then opened again and again; nothing is connected.
@main
struct KitBench {
    static let conversations = 1_000
    static let messages = 100
    static let longMessages = 10_000
    static let runs = 21

    @MainActor static func main() async throws {
        let folder = URL(
            filePath: CommandLine.arguments.dropFirst().first ?? FileManager.default.temporaryDirectory.path
        ).appending(path: "roost-kit-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "roost.db").path
        try await Task.detached { try fill(path) }.value
        let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("store: \(conversations) conversations of \(messages) messages and one of \(longMessages),")
        print("       \(bytes >> 20) MiB, durability full, \(runs) runs; median (fastest–slowest)")

        var starts: [Duration] = []
        var opens: [Duration] = []
        for _ in 0..<runs {
            let clock = ContinuousClock()
            let begun = clock.now
            let roost = try await open(path)
            let rows = roost.conversations.rows
            starts.append(begun.duration(to: clock.now))
            precondition(rows.count == 50 && rows.allSatisfy { $0.last != nil }, "the first page is not there")
            let before = clock.now
            let timeline = try await roost.timeline(with: rows[1].id)
            let items = timeline.items
            opens.append(before.duration(to: clock.now))
            precondition(items.count == 50, "the newest messages are not there")
        }
        report("start to the first page of 50 conversations", starts)
        report("opening a conversation, 50 messages", opens)
        report("a page of 100 older messages", try await scroll(path))
        report("send, until it is on disk", try await send(path))
        print("resident memory after it: \(residentMegabytes()) MiB")
    }

    @MainActor static func open(_ path: String) async throws -> Roost {
        let file = URL(filePath: path)
        return try await Roost(
            RoostSettings(relay: URL(filePath: "/"), file: file, device: "bench", connector: Nowhere()) { "" })
    }

    /// Scrolls from the newest message to the first, as a finger would.
    @MainActor static func scroll(_ path: String) async throws -> [Duration] {
        let timeline = try await open(path).timeline(with: "long")
        var pages: [Duration] = []
        while timeline.snapshot.hasOlder {
            let clock = ContinuousClock()
            let begun = clock.now
            let first = timeline.items.first?.id
            try await timeline.loadOlder()
            for await now in timeline.snapshots() where now.items.first?.id != first { break }
            pages.append(begun.duration(to: clock.now))
        }
        let first = timeline.items.first?.message?.sequence
        precondition(first == SequenceNumber(1), "the first message was not reached")
        return pages
    }

    @MainActor static func send(_ path: String) async throws -> [Duration] {
        let timeline = try await open(path).timeline(with: "long")
        var sends: [Duration] = []
        for number in 0..<200 {
            let clock = ContinuousClock()
            let begun = clock.now
            try await timeline.send("Message \(number)")
            sends.append(begun.duration(to: clock.now))
        }
        return sends
    }

    static func report(_ name: String, _ durations: [Duration]) {
        let sorted = durations.sorted().map { $0 / .milliseconds(1) }
        guard let least = sorted.first, let most = sorted.last else { return }
        let line = String(
            format: "%@: %.2f ms (%.2f–%.2f), %d of them", name, sorted[sorted.count / 2], least, most, sorted.count)
        print(line)
    }

    static func residentMegabytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0) / 1_024
    }

    /// Fills a store with what a relay would have sent, in batches.
    static func fill(_ path: String) throws {
        let store = try LocalStore(path: path, device: "bench")
        try store.signIn("alice")
        for number in 0..<conversations {
            try add(messages, to: "c\(number)", with: "user\(number)", store, from: Int64(number) * 1_000)
        }
        try add(longMessages, to: "long", with: "bob", store, from: 10_000_000)
    }

    static func add(_ count: Int, to id: String, with peer: String, _ store: LocalStore, from start: Int64) throws {
        var events: [Event] = []
        events.append(
            try event(
                """
                {"type":"conversation","event":"created","conversation":"\(id)","sequence":0,"position":"e-\(start)",
                 "by":"\(peer)","time":\(start),"kind":"direct","count":2,"members":["alice","\(peer)"]}
                """))
        for sequence in 1...Int64(count) {
            let from = sequence % 3 == 0 ? "alice" : peer
            let key = from == "alice" ? #","key":"k-\#(id)-\#(sequence)""# : ""
            events.append(
                try event(
                    """
                    {"type":"message","conversation":"\(id)","sequence":\(sequence),"position":"e-\(start + sequence)",
                     "from":"\(from)","time":\(start + sequence)\(key),
                     "body":"A message of usual length, such as people write them all day: number \(sequence)."}
                    """))
        }
        _ = try store.take(events, position: "e-\(start + Int64(count))")
    }

    static func event(_ json: String) throws -> Event {
        let members = Array(json.utf8).withUnsafeBytes { JSONMembers(parsing: $0) }
        guard let event = members.flatMap({ Event(reading: $0) }) else { throw SocketFailure("not an event") }
        return event
    }
}

/// A network that isn't there.
struct Nowhere: SocketConnector {
    func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket {
        throw SocketFailure("offline")
    }
}
