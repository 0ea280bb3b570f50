import Foundation

/// An app without a screen on RoostKit, as Tests/Conformance/README.md asks for: commands come as lines of JSON, and
/// what an app would show goes out as lines of JSON. A test may kill it at any time.
@main
struct Driver {
    @MainActor static func main() async {
        let app = App()
        for await line in lines() {
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
                let members = object as? [String: Any]
            else { continue }
            let command = Command(members)
            // Commands that need the relay may wait for it; the others are done in their order.
            if command.asksRelay { Task { await app.take(command) } } else { await app.take(command) }
        }
    }

    /// Writes one line to standard output.
    @MainActor static func write(_ object: [String: Any]) {
        guard var line = try? JSONSerialization.data(withJSONObject: object) else { return }
        line.append(10)
        FileHandle.standardOutput.write(line)
    }

    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// One line that was said to the driver.
struct Command {
    let name: String
    let number: Int
    private let members: [String: Any]

    init(_ members: [String: Any]) {
        self.members = members
        name = members["do"] as? String ?? ""
        number = members["n"] as? Int ?? 0
    }

    var asksRelay: Bool {
        ["older", "newer", "fill", "group", "leave", "request", "invite", "revokeInvites", "invited", "join"]
            .contains(name)
    }

    func text(_ name: String) -> String { members[name] as? String ?? "" }

    func optional(_ name: String) -> String? { members[name] as? String }

    func number(_ name: String) -> Int64 { (members[name] as? NSNumber)?.int64Value ?? 0 }

    func optionalNumber(_ name: String) -> Int64? { (members[name] as? NSNumber)?.int64Value }

    func flag(_ name: String, otherwise: Bool) -> Bool { members[name] as? Bool ?? otherwise }

    func list(_ name: String) -> [String] { members[name] as? [String] ?? [] }

    /// Waits in milliseconds; nil if something else is there.
    func waits(_ name: String) -> [Duration]? {
        (members[name] as? [NSNumber])?.map { .milliseconds($0.int64Value) }
    }

    /// A member as JSON.
    func json(_ name: String) -> [UInt8] {
        let value = members[name] ?? NSNull()
        return (try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)).map { Array($0) } ?? []
    }
}

/// A command that can't be done as it was said.
struct Misuse: Error {
    let line: String

    init(_ line: String) { self.line = line }
}
