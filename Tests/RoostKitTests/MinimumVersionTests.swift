import Foundation
import Testing

/// Apps on iOS 17 link the client modules. Nothing here is compiled for Apple's systems, so this looks for code that is
/// newer than the platforms that `Package.swift` names.
@Suite struct MinimumVersionTests {
    /// The modules that an app links, and those of ours that these import. `RoostTestClient` brings the relay's own
    /// modules.
    private static let modules = [
        "RoostAccounts", "RoostClient", "RoostClientURLSession", "RoostCore", "RoostFraming", "RoostKit", "RoostLock",
        "RoostNames", "RoostStore", "RoostTestClient", "RoostTestKit", "RoostWire", "SeededRandom",
    ]

    /// APIs that need more than iOS 17, each with the first iOS that has it (developer.apple.com/documentation/swift,
    /// and the availability in the interfaces of the standard library).
    private static let newer: [(pattern: String, since: String, example: String)] = [
        (#"\bimport Synchronization\b"#, "18", "import Synchronization"),
        (#"\bMutex\b|\bAtomic<"#, "18", "let state = Mutex(0)"),
        (#"\bisolated deinit\b"#, "18.4", "    isolated deinit {}"),
        (#"\bU?Int128\b"#, "18", "let sum: Int128 = 0"),
        (#"\bInlineArray\b|\[\d+ of "#, "26", "let four: InlineArray<4, Int>"),
        (#"\bObservations\b"#, "26", "for await name in Observations({ person.name }) {}"),
        (#"\bTask\.(detached)?[iI]mmediate\b"#, "26", "Task.immediate {}"),
        (#"\bTaskExecutor\b|executorPreference:|withTaskExecutorPreference"#, "18", "Task(executorPreference: own) {}"),
        (#"AsyncSequence<\w+, "#, "18", "let all: any AsyncSequence<Int, Never>"),
        (#"\.next\(isolation:"#, "18", "try await iterator.next(isolation: #isolation)"),
        (#"\bUTF8Span\b"#, "26", "let span: UTF8Span"),
    ]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The lines that need a newer system, as `file:line: since`.
    private static func findings(in text: String, of file: String) throws -> [String] {
        var found: [String] = []
        let patterns = try newer.map { (try NSRegularExpression(pattern: $0.pattern), $0.since) }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let code = line.components(separatedBy: "//")[0]
            let range = NSRange(code.startIndex..., in: code)
            for (pattern, since) in patterns where pattern.firstMatch(in: code, range: range) != nil {
                found.append("\(file):\(index + 1): needs iOS \(since)")
            }
        }
        return found
    }

    @Test func clientModulesUseNothingNewerThanTheirPlatforms() throws {
        var files = 0
        for module in MinimumVersionTests.modules {
            let folder = MinimumVersionTests.root.appendingPathComponent("Sources/\(module)")
            let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in all where file.pathExtension == "swift" {
                files += 1
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(try MinimumVersionTests.findings(in: text, of: file.lastPathComponent) == [])
            }
        }
        #expect(files > 300, "the modules moved: \(files) files")
    }

    @Test func eachPatternFindsItsExample() throws {
        for (_, since, example) in MinimumVersionTests.newer {
            let found = try MinimumVersionTests.findings(in: "let a = 1\n\(example)\n", of: "App.swift")
            #expect(found.contains("App.swift:2: needs iOS \(since)"), "\(example)")
        }
        #expect(try MinimumVersionTests.findings(in: "// Mutex needs iOS 18\n", of: "App.swift") == [])
    }

    /// A module that a client product reaches is looked at.
    @Test func allModulesOfClientsAreLookedAt() throws {
        for module in MinimumVersionTests.modules {
            let folder = MinimumVersionTests.root.appendingPathComponent("Sources/\(module)")
            let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in all where file.pathExtension == "swift" {
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    guard let imported = line.firstMatch(of: /import (Roost\w+|SeededRandom)$/)?.1 else { continue }
                    #expect(MinimumVersionTests.modules.contains(String(imported)), "\(file.lastPathComponent)")
                }
            }
        }
    }

    @Test func pagesForAppsSayThePlatformsFirst() throws {
        let package = try MinimumVersionTests.text("Package.swift")
        #expect(package.contains("platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)]"))
        let sentence = "iOS 17, macOS 14, tvOS 17, watchOS 10 and visionOS 1"
        let docc = "Sources/RoostKit/RoostKit.docc"
        for page in ["Docs/Clients.md", "\(docc)/RoostKit.md", "\(docc)/FromFirebase.md", "\(docc)/FirstChat.md"] {
            let head = try MinimumVersionTests.text(page).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(head.prefix(10).joined(separator: " ").contains(sentence), "\(page)")
        }
    }
}
