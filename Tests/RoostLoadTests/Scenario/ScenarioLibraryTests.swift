import Foundation
import RoostConfiguration
import RoostWire
import Testing

@testable import RoostLoad

/// The scenarios of the library, where they are found, and their documentation.
@Suite struct ScenarioLibraryTests {
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let shipped = ScenarioLibrary(folder: package.appendingPathComponent("LoadTests/Scenarios").path)

    /// A folder with one scenario, removed after the test.
    func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-\(UUID().uuidString)")
        let scenarios = folder.appendingPathComponent("LoadTests/Scenarios")
        try FileManager.default.createDirectory(at: scenarios, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("about: One.\nusers: 7\n".utf8).write(to: scenarios.appendingPathComponent("one.yaml"))
        try body(folder)
    }

    // MARK: Shipped scenarios

    @Test func theLibraryHasAllScenarios() throws {
        #expect(
            try Self.shipped.names() == [
                "backlog", "cold-start", "direct", "group", "groups-storm", "idle", "mixed", "offline-catch-up",
                "overload", "presence-churn", "presence-storm", "presence-watchers", "reconnect-storm",
                "restart-under-load", "slow-reader", "soak", "storm-beside", "storm-under-load", "typing",
            ]
        )
    }

    @Test func allScenariosCanBeReadAndNameTheirQuestion() throws {
        for scenario in try Self.shipped.list() {
            #expect(scenario.about.hasSuffix("?"), "\(scenario.name)")
            #expect(!scenario.thresholds.isEmpty, "\(scenario.name)")
            let path = "\(Self.shipped.folder)/\(scenario.name).yaml"
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect((3...6).contains(lines.prefix { $0.hasPrefix("#") }.count), "\(scenario.name): head comment")
            #expect(lines.allSatisfy { $0.count <= 120 }, "\(scenario.name)")
        }
    }

    /// The scenarios fit a relay with its default limits.
    @Test func allScenariosFitTheDefaultsOfTheRelay() throws {
        let limits = Limits()
        for scenario in try Self.shipped.list() {
            #expect(scenario.conversations.rooms.allSatisfy { $0.members <= limits.membersMax }, "\(scenario.name)")
            #expect(scenario.watch <= limits.watchedPerSession, "\(scenario.name)")
            #expect((scenario.messages?.bytes.upperBound ?? 0) <= limits.textScalars, "\(scenario.name)")
            #expect((scenario.users + scenario.outsiders) * scenario.devices <= 10_000, "\(scenario.name)")
            // Missing messages count as lost and not as a gap, even if all of them belong to one conversation.
            guard let catchUp = scenario.catchUp, let messages = scenario.messages else { continue }
            let conversations =
                scenario.conversations.pairs + scenario.conversations.rooms.reduce(0) { $0 + $1.count }
            let missed = messages.rate * (catchUp.back - catchUp.leave) / Double(conversations)
            #expect(scenario.conversations.zipf == 0 && missed * 4 < Double(limits.backlogMax), "\(scenario.name)")
        }
    }

    @Test(arguments: [(2, 1.0), (10, 3), (50, 10)])
    func shortenedScenariosAreValid(_ users: Int, _ seconds: Double) throws {
        for scenario in try Self.shipped.list() {
            let short = scenario.shortened(users: users, seconds: seconds)
            try short.check(ScenarioPlaces(whole: .flag(scenario.name)))
            #expect(short.users <= users)
            #expect(short.warmup + short.seconds <= seconds + 1e-9)
            #expect(short.personas.count == scenario.personas.count)
            #expect(short.storms.count == scenario.storms.count)
            #expect(short.conversations.rooms.count == scenario.conversations.rooms.count)
        }
    }

    @Test func everyThresholdListIncludesTheContract() throws {
        for scenario in try Self.shipped.list() where scenario.messages != nil {
            #expect(scenario.thresholds.contains(Threshold(figure: "lost", bound: 0)), "\(scenario.name)")
        }
        let mixed = try Self.shipped.scenario("mixed")
        #expect(mixed.thresholds.contains(Threshold(figure: "p99_ms", bound: 200)))
        #expect(mixed.warmup + mixed.seconds == 60)
        let figures = Set(mixed.thresholds.map(\.figure))
        #expect(Fault.allCases.allSatisfy { figures.contains($0.rawValue) })
    }

    @Test func theSoakScenarioHasTheUsersOfMixed() throws {
        var soak = try Self.shipped.scenario("soak")
        let mixed = try Self.shipped.scenario("mixed")
        (soak.name, soak.about) = (mixed.name, mixed.about)
        (soak.warmup, soak.seconds, soak.thresholds) = (mixed.warmup, mixed.seconds, mixed.thresholds)
        #expect(soak == mixed)
    }

    // MARK: Where they are found

    func found(_ option: String?, _ variable: String?, _ current: String, _ executable: String?) throws -> String {
        let environment = variable.map { [ScenarioLibrary.variable: $0] } ?? [:]
        return try ScenarioLibrary.find(
            option: option, environment: environment, current: current, executable: executable
        ).folder
    }

    @Test func theFirstNamedFolderIsUsed() throws {
        try withFolder { first in
            try withFolder { second in
                let path = "LoadTests/Scenarios"
                let asked = first.appendingPathComponent(path).path
                let other = second.appendingPathComponent(path).path
                let built = second.appendingPathComponent(".build/linux/release/roost-load").path
                let answers = try [
                    found(asked, other, second.path, built), found(nil, asked, second.path, built),
                    found(nil, "", first.path, built), found(nil, nil, "/", built),
                ]
                #expect(answers == [asked, asked, asked, other])
                #expect(throws: ConfigurationFailure("--scenarios: \"/nowhere\" is not a folder that can be read")) {
                    try found("/nowhere", other, first.path, built)
                }
                #expect(throws: ConfigurationFailure("ROOST_SCENARIOS: \"/nowhere\" is not a folder that can be read"))
                {
                    try found(nil, "/nowhere", first.path, built)
                }
                #expect(throws: ConfigurationFailure.self) { try found(nil, nil, "/", "/usr/bin/roost-load") }
                #expect(throws: ConfigurationFailure.self) { try found(nil, nil, "/", nil) }
            }
        }
    }

    @Test func findsScenariosByNameOrPath() throws {
        try withFolder { folder in
            let library = ScenarioLibrary(folder: folder.appendingPathComponent("LoadTests/Scenarios").path)
            #expect(try library.scenario("one").users == 7)
            #expect(try library.scenario("\(library.folder)/one.yaml").name == "one")
            #expect(try library.list().map(\.about) == ["One."])
            #expect(throws: ConfigurationFailure("onne: no such scenario; did you mean one?")) {
                try library.scenario("onne")
            }
            #expect(throws: ConfigurationFailure("/nowhere/one.yaml: can't be read")) {
                try library.scenario("/nowhere/one.yaml")
            }
            let broken = folder.appendingPathComponent("LoadTests/Scenarios/two.yaml")
            try Data([0x61, 0xFF]).write(to: broken)
            #expect(throws: ConfigurationFailure.self) { try library.scenario("two") }
            try Data("users: 0".utf8).write(to: broken)
            #expect(
                throws: ConfigurationFailure("\(broken.path):1: users: 0 is too small; a whole number from 1 to 19000")
            ) { try library.list() }
        }
    }

    // MARK: Documentation

    @Test func theTableOfKeysIsUpToDate() throws {
        let path = Self.package.appendingPathComponent("LoadTests/README.md").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(ScenarioKeyRow.table), "the table has to be:\n\(ScenarioKeyRow.table)")
    }
}
