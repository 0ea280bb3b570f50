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
    private let process = Process()

    init(_ options: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = Self.python
        process.arguments =
            [Self.root.appendingPathComponent("Tests/Fakes/smtp_server.py").path, folder.path] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = Pipe()
        try process.run()
        // It prints one line once it listens.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(Int(line.split(whereSeparator: \.isWhitespace).last ?? ""))
    }

    deinit {
        process.terminate()
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
