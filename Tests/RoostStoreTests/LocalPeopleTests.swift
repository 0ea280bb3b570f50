import RoostWire
import Testing

@testable import RoostStore

/// Profiles, as far as a device has got them (Docs/Protocol.md, section 14).
@Suite struct LocalPeopleTests {
    private let file = OutboxFile()

    private func open(_ limits: StoreLimits = StoreLimits()) throws -> LocalStore {
        try LocalStore(path: file.path, device: "phone", limits: limits)
    }

    private func profile(_ json: String) throws -> UserProfile {
        try #require(UserProfile(reading: Told.members(json)))
    }

    @Test func aHigherVersionWinsWhateverComesFirst() throws {
        let store = try open()
        try store.people.take([profile(#"{"user":"bob","version":2,"name":"Bob B","bio":"Hi."}"#)])
        try store.people.take([profile(#"{"user":"bob","version":1,"name":"Bob A"}"#)])
        try store.people.take(people: [profile(#"{"user":"bob","version":2,"name":"Bob C"}"#)])
        #expect(try open().people.profile(of: "bob")?.name == "Bob B")
        #expect(try store.people.profile(of: "bob")?.bio == "Hi.")
        // A part of a newer one says nothing of the rest.
        try store.people.take(people: [profile(#"{"user":"bob","version":3,"name":"Bob D"}"#)])
        #expect(try store.people.profile(of: "bob")?.name == "Bob D" && store.people.profile(of: "bob")?.bio == nil)
        try store.people.take([profile(#"{"user":"bob","version":3,"name":"Bob D","bio":"Ho."}"#)])
        #expect(try store.people.profile(of: "bob")?.bio == "Ho.")
    }

    @Test func listsAndEventsFillIt() throws {
        let store = try open()
        try store.begin(Told.welcome(), isResumed: false)
        let page = try #require(
            ConversationPage(
                reading: Told.members(
                    #"{"type":"ok","re":1,"conversations":[],"people":[{"user":"bob","version":1,"name":"Bob"}]}"#)))
        try store.take(page, isLast: true)
        let event = try Told.event(#"{"type":"profile","user":"carol","version":4,"name":"Carol"}"#)
        _ = try store.take([event], position: nil)
        #expect(try store.people.profile(of: "bob")?.name == "Bob")
        #expect(try store.people.profile(of: "carol")?.version == 4)
        #expect(store.people.takeChanges() == .of(["bob", "carol"]))
        #expect(store.people.takeChanges() == .of([]))
        try store.begin(Told.welcome(epoch: "f"), isResumed: false)
        #expect(try store.people.profile(of: "bob") == nil && store.people.takeChanges() == .all)
    }

    @Test func hiddenUsersKeepTheirNames() throws {
        let store = try open()
        try store.people.take([profile(#"{"user":"bob","version":2,"name":"Bob"}"#)])
        try store.people.take([profile(#"{"user":"bob"}"#)])
        #expect(try store.people.profile(of: "bob")?.name == "Bob")
        try store.people.take([profile(#"{"user":"bob","version":3,"deleted":true}"#)])
        #expect(try store.people.profile(of: "bob")?.name == nil && store.people.profile(of: "bob")?.isDeleted == true)
    }

    @Test func theOldestProfilesGoFirst() throws {
        var limits = StoreLimits()
        limits.peopleMax = 2
        let store = try open(limits)
        for (number, user) in ["a", "b", "a", "c"].enumerated() {
            try store.people.take([profile(#"{"user":"\#(user)","version":\#(number + 1),"name":"x"}"#)])
        }
        #expect(try store.people.profile(of: "b") == nil)
        #expect(try store.people.profile(of: "a")?.version == 3 && store.people.profile(of: "c") != nil)
    }

    @Test func mutesAreReadAsTheyAreWritten() throws {
        let store = try open()
        let until = Timestamp(milliseconds: 500)
        try store.settings.put("mute/c1", Mute.always.json, 1)
        try store.settings.put("mute/c2", Mute.until(until).json, 2)
        try store.settings.put("mute/c3", Array(#"{"for":"ever"}"#.utf8), 3)
        try store.settings.put("pin/c4", Array("1".utf8), 4)
        var muted = try store.settings.muted(at: Timestamp(milliseconds: 499))
        #expect(muted.conversations == ["c1", "c2"] && muted.until == until)
        muted = try store.settings.muted(at: until)
        #expect(muted.conversations == ["c1"] && muted.until == nil)
    }
}
