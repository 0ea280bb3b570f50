import Foundation
import RoostServicesConfiguration
import Testing

@testable import RoostServices

/// Tests/Fakes/smtp_server.py as a process that ends with the test.
final class MailServer: Sendable {
    /// A letter as the server got it.
    struct Received: Decodable {
        let sender: String
        let recipients: [String]
        let text: String
        let encrypted: Bool
        let user: String?
    }

    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
    private static let python = root.appendingPathComponent(".build-venv/bin/python")

    /// Whether what it needs is installed (`make setup`).
    static let isThere = FileManager.default.isExecutableFile(atPath: python.path)

    let folder: URL
    let port: Int
    /// Closed once, by `deinit`.
    private nonisolated(unsafe) let input: UnsafeMutablePointer<FILE>

    // By popen(3), because Foundation's `Process` reads beyond a buffer while 1,365 descriptors or more are open
    // (swift-corelibs-foundation#5472), and other tests have as many.
    init(_ options: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let said = folder.appendingPathComponent("said").path
        guard mkfifo(said, 0o600) == 0 else { throw POSIXError(.EIO) }
        let program = Self.root.appendingPathComponent("Tests/Fakes/smtp_server.py").path
        let command = ([Self.python.path, program, folder.path] + options).map { "'\($0)'" }.joined(separator: " ")
        input = try #require(popen("exec \(command) >'\(said)'", "we"))
        // It prints one line once it listens.
        let output = try #require(fopen(said, "re"))
        defer { fclose(output) }
        let line = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
            fgets(room.baseAddress, Int32(room.count), output).map { String(cString: $0) }
        }
        let words = try #require(line).split(whereSeparator: \.isWhitespace)
        port = try #require(words.last.flatMap { Int($0) })
    }

    deinit {
        // It ends when its input does.
        pclose(input)
        try? FileManager.default.removeItem(at: folder)
    }

    var authority: String { folder.appendingPathComponent("authority.pem").path }

    func behave(_ json: String) throws {
        try Data(json.utf8).write(to: folder.appendingPathComponent("behaviour.json"), options: .atomic)
    }

    var received: [Received] {
        get throws {
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { Int($0.deletingPathExtension().lastPathComponent) != nil && $0.pathExtension == "json" }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
                .map { try JSONDecoder().decode(Received.self, from: Data(contentsOf: $0)) }
        }
    }

    /// Settings that fit it, as a proper operator would have them.
    func settings(_ change: (inout MailSettings) -> Void = { _ in }) -> MailSettings {
        var settings = MailSettings()
        settings.mode = .smtp
        settings.host = "localhost"
        settings.port = port
        settings.from = "Roost <no-reply@example.org>"
        change(&settings)
        return settings
    }
}
