import RoostWire
import Testing

@testable import RoostStore

/// Settings that follow the user (Docs/Protocol.md, section 6).
@Suite struct LocalSettingsTests {
    private let file = OutboxFile()

    private func open() throws -> LocalStore {
        let store = try LocalStore(path: file.path, device: "phone")
        try store.begin(Told.welcome(), isResumed: store.identity.position != nil)
        return store
    }

    private func change(_ key: String, _ value: String?, _ version: Int) throws -> Event {
        let value = value.map { #","value":\#($0)"# } ?? ""
        return try Told.event(
            """
            {"type":"state","position":"e-\(version)","key":"\(key)"\(value),"version":\(version),"device":"tv",
             "time":5}
            """)
    }

    private func page(_ states: String) throws -> StatePage {
        try #require(StatePage(reading: Told.members(#"{"type":"ok","re":1,"states":[\#(states)]}"#)))
    }

    private func all(_ store: LocalStore) throws -> [String] {
        try store.settings.settings().map { "\($0.key)=\(String(decoding: $0.value, as: UTF8.self))" }
    }

    @Test func aSettingComesWithItsPosition() throws {
        _ = try open().take([change("mute/c1", "true", 4)], position: "e-4")
        let again = try open()
        #expect(try all(again) == ["mute/c1=true"] && again.identity.position == "e-4")
    }

    @Test func aHigherVersionWinsWhateverComesFirst() throws {
        let store = try open()
        _ = try store.take([change("a", "2", 2), change("a", "1", 1), change("b", nil, 5)], position: nil)
        #expect(try all(store) == ["a=2"])
        // An answer that is older than the removal.
        try store.settings.take(
            page(#"{"key":"a","value":3,"version":3,"time":1},{"key":"b","value":4,"version":4,"time":1}"#),
            isLast: true)
        #expect(try all(store) == ["a=3"])
        try store.settings.put("b", Array("6".utf8), 6)
        #expect(try all(store) == ["a=3", "b=6"])
        #expect(try store.settings.settings(prefix: "b").map(\.version) == [6])
    }

    @Test func aResetAsksForAllAndIsntUndoneByAnEarlierAnswer() throws {
        let store = try open()
        try store.settings.beginAsking()
        try store.settings.take(page(#"{"key":"a","value":1,"version":1,"time":1}"#), isLast: true)
        #expect(try store.settings.isComplete())
        let reset = try Told.event(#"{"type":"state","position":"e-9","reset":true}"#)
        try store.settings.beginAsking()
        _ = try store.take([reset], position: "e-9")
        #expect(try all(store) == [] && store.identity.position == "e-9")
        try store.settings.take(page(#"{"key":"a","value":1,"version":1,"time":1}"#), isLast: true)
        #expect(try !store.settings.isComplete(), "what came before the reset isn't all")
    }

    @Test func anotherLogForgetsThem() throws {
        let store = try open()
        _ = try store.take([change("a", "2", 2)], position: "e-2")
        try store.begin(Told.welcome(epoch: "f"), isResumed: false)
        #expect(try all(store) == [] && !store.settings.isComplete())
    }

    @Test func onlyTheNewestRemovalsAreRemembered() throws {
        let store = try open()
        for version in 1...1_002 { try store.settings.put("k\(version)", nil, Int64(version)) }
        try store.settings.put("k1", [0x31], 1)
        try store.settings.put("k1002", [0x31], 1_002)
        #expect(try all(store) == ["k1=1"])
    }
}
