import Foundation
import Logging
import RoostCore
import RoostServicesConfiguration
import RoostWire
import Testing

@testable import RoostConfiguration
@testable import RoostServer

/// The configuration that follows from file, environment and flags.
@Suite struct ConfigurationTests {
    func failure(
        _ yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) throws -> String {
        try #require(throws: ConfigurationFailure.self) {
            if let yaml {
                _ = try configuration(yaml)
            } else {
                _ = try Configuration.load(environment: environment, flags: flags)
            }
        }.description
    }

    func configuration(_ yaml: String) throws -> Configuration {
        let settings = try ConfigurationFile.settings(text: yaml, path: "roost.yaml", of: .relay)
        return try Configuration.checked(Configuration.table.apply(settings, to: Configuration()))
    }

    // MARK: The table

    @Test func theDefaultsFileMatchesTheTable() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try String(contentsOf: root.appendingPathComponent("Config/roost.yaml"), encoding: .utf8)
        let expected = ConfigurationText.head + Configuration().text + ServicesConfiguration().text
        #expect(file == expected, "run: swift run roost check-config --print > Config/roost.yaml")
        #expect(try configuration(file) == Configuration())
        let settings = try ConfigurationFile.settings(text: file, path: "roost.yaml", of: .services)
        let services = try ServicesConfiguration.table.apply(settings, to: ServicesConfiguration()).value
        #expect(services == ServicesConfiguration())
    }

    @Test func unknownNamesAreRefusedWhereThereAreServices() throws {
        #expect(try configuration("listen:\n  port: 1").rules.unknown == .allow)
        let services = "listen:\n  services: https://accounts.example.org\n"
        #expect(try configuration(services).rules.unknown == .refuse)
        #expect(try configuration(services + "directory:\n  unknown: allow").rules.unknown == .allow)
        #expect(try configuration("directory:\n  unknown: refuse").rules.unknown == .refuse)
        #expect(try failure("directory:\n  unknown: perhaps").contains("one of auto, refuse, allow"))
    }

    @Test func everyDefaultIsAllowed() throws {
        // Each key can read the text that it prints.
        #expect(try configuration(Configuration().text) == Configuration())
        for key in Configuration.table.keys {
            #expect(key.name.split(separator: ".").count == 2)
            #expect(!key.note.isEmpty)
        }
        expectWhole(Configuration.table)
        expectWhole(ServicesConfiguration.table)
    }

    // Each section belongs to the process, and has a comment; no two keys have one variable.
    private func expectWhole<Root>(_ table: ConfigurationTable<Root>) {
        let sections = Set(table.keys.map { String($0.section) })
        #expect(sections == Set(table.owner.sections) && sections == Set(table.notes.keys))
        #expect(Set(table.keys.map(\.variable)).count == table.keys.count)
    }

    @Test func acceptsBothEndsOfEveryRange() throws {
        for key in Configuration.table.keys {
            let range: ClosedRange<Int>
            switch key.form {
            case .whole(_, let allowed), .seconds(_, let allowed): range = allowed
            case .word, .text, .list: continue
            }
            for (value, isAllowed) in [
                (range.lowerBound, true), (range.upperBound, true), (range.lowerBound - 1, false),
                (range.upperBound + 1, false),
            ] {
                let setting = ConfigurationSetting(key: key.name, value: .text("\(value)"), source: .flag("--set"))
                var configuration = Configuration()
                if isAllowed {
                    try key.read(setting, into: &configuration)
                    switch key.form {
                    case .whole(let slot, _): #expect(configuration[keyPath: slot] == value)
                    case .seconds(let slot, _): #expect(configuration[keyPath: slot] == Int64(value) * 1_000)
                    case .word, .text, .list: Issue.record("not a number")
                    }
                } else {
                    #expect(throws: ConfigurationFailure.self) { try key.read(setting, into: &configuration) }
                    #expect(configuration == Configuration())
                }
            }
        }
    }

    // MARK: Reading

    @Test func readsEveryFormOfValue() throws {
        let configuration = try configuration(
            """
            listen:
              port: 0
              origins: ["https://chat.example.org", "http://localhost:3000"]
            store: {path: /var/lib/roost/roost.db, durability: normal}
            auth:
              public_keys:
                - keys/one.pem
                - keys/two.json
              audience: roost
            presence:
              grace_seconds: 30
            metrics:
              token: "0123456789abcdef"
            log:
              level: debug
            limits:
              history_max: 200
            drain:
            """
        )
        #expect(configuration.listen.port == 0)
        #expect(configuration.listen.origins == ["https://chat.example.org", "http://localhost:3000"])
        #expect(configuration.store == .init(path: "/var/lib/roost/roost.db", durability: .normal))
        #expect(configuration.auth.publicKeys == ["keys/one.pem", "keys/two.json"])
        #expect(configuration.auth.audience == "roost")
        #expect(configuration.auth.issuer == nil)
        #expect(configuration.limits.graceMilliseconds == 30_000)
        #expect(configuration.limits.historyMax == 200)
        #expect(configuration.metrics.token == "0123456789abcdef")
        #expect(configuration.logLevel == .debug)
        #expect(configuration.drain == Configuration.Drain())
    }

    @Test(arguments: ["", "# nothing\n", "~\n", "listen:\n", "listen: {}\n", "---\n"])
    func anEmptyFileChangesNothing(_ yaml: String) throws {
        #expect(try configuration(yaml) == Configuration())
    }

    @Test func flagsOverrideEnvironmentWhichOverridesTheFile() throws {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("roost-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("listen: {port: 1, host: 10.0.0.1}\nlimits: {ping_seconds: 7}\n".utf8).write(to: file)
        let environment = ["ROOST_LISTEN_PORT": "2", "ROOST_LIMITS_PING_SECONDS": "8", "PATH": "/bin"]
        let flag = ConfigurationFlag("--port", key: "listen.port", value: "3")
        let configuration = try Configuration.load(file: file.path, environment: environment, flags: [flag])
        #expect(configuration.listen.port == 3)
        #expect(configuration.limits.pingMilliseconds == 8_000)
        #expect(configuration.listen.host == "10.0.0.1")
        let twice = try Configuration.load(flags: [flag, ConfigurationFlag(set: "listen.port=4")])
        #expect(twice.listen.port == 4)
    }

    @Test func listsAreSeparatedByCommas() throws {
        let environment = ["ROOST_LISTEN_ORIGINS": "https://a.example, https://b.example"]
        #expect(try Configuration.load(environment: environment).listen.origins.count == 2)
        let flag = try ConfigurationFlag(set: "auth.public_keys=a=b.pem,c.pem")
        #expect(try Configuration.load(flags: [flag]).auth.publicKeys == ["a=b.pem", "c.pem"])
        #expect(try Configuration.load(environment: ["ROOST_LISTEN_ORIGINS": ""]).listen.origins.isEmpty)
    }

    @Test func ignoresVariablesWithAnotherMeaning() throws {
        let environment = [
            "ROOST_CONFIG": "/etc/roost.yaml", "ROOST_STRICT": "1", "ROOST_BINARY": "roost",
            "ROOST_SERVICE_HOST": "10.0.0.1", "ROOST_SERVICE_PORT": "8080", "ROOST_PORT": "tcp://10.0.0.1:8080",
            "ROOST_PORT_8080_TCP_ADDR": "10.0.0.1",
            "ROOSTER": "1", "roost_listen_port": "x",
        ]
        #expect(try Configuration.load(environment: environment) == Configuration())
    }

    // MARK: Refusing: one line with source, key, value and what is allowed

    @Test func namesFileAndLine() throws {
        #expect(
            try failure("listen:\n  host: 127.0.0.1\n  port: 8o8o\n")
                == #"roost.yaml:3: listen.port: "8o8o" is not allowed: expected a whole number from 0 to 65535"#
        )
        #expect(
            try failure("store:\n  durability: sometimes\n")
                == #"roost.yaml:2: store.durability: "sometimes" is not allowed: expected one of full, normal, memory"#
        )
    }

    @Test func namesVariableAndFlag() throws {
        #expect(
            try failure(environment: ["ROOST_DRAIN_SECONDS": "11"])
                == #"ROOST_DRAIN_SECONDS: drain.seconds: "11" is not allowed: expected a whole number from 1 to 10"#
        )
        #expect(
            try failure(flags: [ConfigurationFlag("--port", key: "listen.port", value: "65536")])
                == #"--port: listen.port: "65536" is not allowed: expected a whole number from 0 to 65535"#
        )
        let failure = try #require(throws: ConfigurationFailure.self) { try ConfigurationFlag(set: "listen.port") }
        #expect(failure.description == #"--set: "listen.port": expected key=value"#)
    }

    @Test func suggestsTheMostSimilarKey() throws {
        #expect(
            try failure("limits:\n  frame_byts: 1\n")
                == "roost.yaml:2: limits.frame_byts: unknown key; did you mean limits.frame_bytes?"
        )
        #expect(
            try failure("limit:\n  ping_seconds: 1\n")
                == "roost.yaml:2: limit.ping_seconds: unknown key; did you mean limits.ping_seconds?"
        )
        #expect(
            try failure("quic:\n  streams: 3\n")
                == "roost.yaml:2: quic.streams: unknown key; `roost check-config --print` lists all keys"
        )
        #expect(
            try failure(environment: ["ROOST_LISTEN_PROT": "1"])
                == "ROOST_LISTEN_PROT: no key belongs to this variable; did you mean ROOST_LISTEN_PORT?"
        )
        #expect(
            try failure(flags: [ConfigurationFlag(set: "listen.prt=1")])
                == "--set: listen.prt: unknown key; did you mean listen.port?"
        )
    }

    @Test func distanceIsTheLevenshteinDistance() {
        for (one, other, distance) in [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("a", "a", 0),
        ] {
            #expect(EditDistance.between(one, other) == distance)
        }
    }

    @Test(arguments: [
        "listen.port=+1", "listen.port= 1", "listen.port=1_000", "listen.port=-1", "listen.port=", "listen.port=1.0",
        "listen.port=99999999999999999999999", "listen.host=1.2.3", "listen.host=1.2.3.256",
        "listen.host=01.2.3.4", "listen.host=[::1]", "listen.origins=*", "listen.origins=https://a.example/",
        "listen.origins=https://A.example", "listen.origins=a.example", "listen.origins=https://a.example:0",
        "listen.origins=https://a.example:65536", "listen.origins=null", "listen.origins=https://", "store.path=",
        "store.durability=FULL", "metrics.token=short", "metrics.token=sixteen characters", "log.level=verbose",
        "presence.grace_seconds=301", "drain.seconds=0",
    ])
    func refuses(_ setting: String) throws {
        let line = try failure(flags: [ConfigurationFlag(set: setting)])
        #expect(line.hasPrefix("--set: \(setting.prefix { $0 != "=" }): "))
        #expect(line.contains("expected "))
    }

    @Test(arguments: [
        ("- a\n- b\n", 1), ("just text\n", 1), ("listen:\n\tport: 1\n", 2), ("listen: {port: 1\n", 2),
        ("listen:\n  port: [1]\n", 2), ("listen:\n  port: {a: 1}\n", 2), ("listen:\n  port:\n", 2),
        ("listen:\n  origins: https://a.example\n", 2), ("listen:\n  origins: [[a]]\n", 2), ("listen: 7\n", 1),
        ("\n\nlisten:\n  a: {b: 1}\n", 4), ("? [a]\n: 1\n", 1), ("listen: \"x\n", 2), ("listen: *x\n", 1),
    ])
    func namesTheLineOfInvalidContent(_ yaml: String, _ line: Int) throws {
        let text = try failure(yaml)
        #expect(text.hasPrefix("roost.yaml:\(line): "), "\(text)")
        #expect(!text.contains("\n"))
    }

    @Test func refusesAKeyGivenTwice() throws {
        let line = try failure("listen:\n  port: 1\n  port: 2\n")
        #expect(line.hasPrefix("roost.yaml:"))
        #expect(line.hasSuffix(": port: given twice"))
    }

    @Test func reportsAnUnreadableFile() throws {
        for path in ["/nonexistent/roost.yaml", "/"] {
            let failure = try #require(throws: ConfigurationFailure.self) { try Configuration.load(file: path) }
            #expect(failure.description == "\(path): can't be read")
        }
    }

    @Test func failureStaysOneLineWhateverTheValue() throws {
        let hostile = "a\nb\u{2028}c\u{1B}[31m\u{202E}" + String(repeating: "x", count: 10_000)
        let line = try failure(flags: [ConfigurationFlag("--set", key: "log.level", value: hostile)])
        #expect(line.split(whereSeparator: \.isNewline).count == 1)
        #expect(!line.unicodeScalars.contains("\u{1B}"))
        #expect(!line.unicodeScalars.contains("\u{202E}"))
        #expect(line.utf8.count < 400)
        let unknown = try failure(flags: [ConfigurationFlag("--set", key: hostile, value: "")])
        #expect(unknown.split(whereSeparator: \.isNewline).count == 1)
        #expect(unknown.utf8.count < 400)
    }

    // MARK: Secrets

    @Test func aSecretIsNeverShown() throws {
        let bad = "tiny-secret"
        for line in [
            try failure("metrics:\n  token: \(bad)\n"), try failure(environment: ["ROOST_METRICS_TOKEN": bad]),
            try failure(flags: [ConfigurationFlag("--set", key: "metrics.token", value: bad)]),
            try failure("metrics:\n  token: [\(bad)]\n"), try failure("metrics:\n  token: \"\(bad)\n"),
        ] {
            #expect(!line.contains(bad), "\(line)")
        }
        let good = "0123456789abcdef"
        let configuration = try Configuration.load(environment: ["ROOST_METRICS_TOKEN": good])
        #expect(configuration.metrics.token == good)
        #expect(!configuration.text.contains(good))
        #expect(configuration.text.contains(#"token: "" # set, not shown"#))
    }

    // MARK: Together

    @Test(arguments: [
        ("limits.ping_seconds_min=301", "limits.ping_seconds_max"),
        ("limits.pong_seconds_max=1", "limits.pong_seconds_min"),
        ("limits.history_default=101", "limits.history_max"), ("limits.history_max=49", "limits.history_default"),
        ("limits.page_messages=1000,limits.backlog_max=999", "limits.backlog_max"),
        ("limits.outbox_spill_bytes=65536,limits.outbox_calm_bytes=65537", "limits.outbox_spill_bytes"),
        ("limits.outbox_max_bytes=1048576", "limits.outbox_spill_bytes"),
        ("limits.body_bytes=262144", "limits.frame_bytes"), ("limits.text_scalars=40000", "limits.frame_bytes"),
        ("limits.frame_bytes=132095", "limits.body_bytes"),
    ])
    func refusesValuesThatContradictEachOther(_ settings: String, _ other: String) throws {
        let flags = try settings.split(separator: ",").map { try ConfigurationFlag(set: String($0)) }
        let line = try failure(flags: flags)
        #expect(line.hasPrefix("--set: limits."))
        #expect(line.contains(other), "\(line)")
        #expect(line.contains("expected at least"))
    }

    @Test func acceptsValuesThatJustFitTogether() throws {
        for settings in [
            ["limits.history_default=100"], ["limits.history_max=50"],
            ["limits.page_messages=1000", "limits.backlog_max=1000"],
            ["limits.frame_bytes=241024"], ["limits.frame_bytes=132096", "limits.text_scalars=10922"],
        ] {
            _ = try Configuration.load(flags: settings.map { try ConfigurationFlag(set: $0) })
        }
    }
}
