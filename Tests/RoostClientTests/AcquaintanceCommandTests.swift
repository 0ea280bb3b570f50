import RoostWire
import Testing

@testable import RoostClient

/// The commands about people, contacts, settings and receipts.
@Suite struct AcquaintanceCommandTests {
    let fixture = Fixture()

    @Test func findsAndNamesPeople() async throws {
        let socket = await fixture.connected()
        let people = fixture.client.people
        async let found = people.find("ard", after: "x", limit: 2)
        let find = await socket.next()
        #expect(find.type == "user.find" && find["prefix"] == "ard" && find["after"] == "x")
        socket.ok(find, #""profiles":[{"user":"alice","version":2,"name":"Alice Ardent"}],"next":"y""#)
        let page = try await found
        #expect(page.profiles.map(\.name) == ["Alice Ardent"] && page.next == "y" && !page.isPartial)
        async let version = people.setProfile(name: "Al", bio: "", ifVersion: 2)
        let set = await socket.next()
        #expect(set.type == "profile.set" && set["name"] == "Al" && set["bio"] == "")
        #expect(set.json?["ifVersion"]?.integer == 2 && set.json?["username"] == nil)
        socket.ok(set, #""version":3"#)
        #expect(try await version == 3)
        async let told = people.get(["bob"])
        let get = await socket.next()
        #expect(get.type == "user.get" && get.json?["users"]?.elements?.compactMap(\.string) == ["bob"])
        socket.ok(get, #""profiles":[{"user":"bob"}]"#)
        #expect(try await told.map(\.version) == [0])
    }

    @Test func invitesAndListsContacts() async throws {
        let socket = await fixture.connected()
        let contacts = fixture.client.contacts
        async let invited = contacts.invite("bob", kind: "client", label: "from work")
        let invite = await socket.next()
        #expect(invite.type == "contact.invite" && invite["kind"] == "client" && invite["label"] == "from work")
        socket.ok(invite, #""contact":{"user":"bob","kind":"client","state":"sent","since":5}"#)
        #expect(try await invited.state == .sent)
        async let page = contacts.list(.accepted, limit: 10)
        let list = await socket.next()
        #expect(list.type == "contact.list" && list["state"] == "accepted")
        socket.ok(list, #""contacts":[{"user":"carol","kind":"friend","state":"accepted","since":5}]"#)
        #expect(try await page.contacts.map(\.user) == ["carol"])
        for (name, act) in [("contact.decline", contacts.decline), ("contact.remove", contacts.remove)] {
            async let done: Void = act("bob")
            let command = await socket.next()
            #expect(command.type == name && command["user"] == "bob")
            socket.ok(command)
            try await done
        }
    }

    @Test func answersStrangers() async throws {
        let socket = await fixture.connected()
        let requests = fixture.client.messageRequests
        async let page = requests.list(limit: 5)
        let list = await socket.next()
        #expect(list.type == "conversation.list" && list.json?["requests"]?.bool == true)
        let waiting =
            #"{"conversation":"d","kind":"direct","request":"received","role":"member","count":2,"#
            + #""members":["zoe","alice"],"sequence":1,"unread":1,"read":0,"time":5}"#
        socket.ok(list, #""conversations":["# + waiting + "]")
        #expect(try await page.conversations.map(\.request) == [.received])
        for (name, act) in [("request.accept", requests.accept), ("request.drop", requests.drop)] {
            async let done: Void = act("d")
            let command = await socket.next()
            #expect(command.type == name && command["conversation"] == "d")
            socket.ok(command)
            try await done
        }
    }

    @Test func setsAndGetsSettings() async throws {
        let socket = await fixture.connected()
        let settings = fixture.client.settings
        async let stored = settings.set("draft/c-1", json: Array(#"{"a":1}"#.utf8), ifVersion: 0)
        let set = await socket.next()
        #expect(set.type == "state.set" && set["key"] == "draft/c-1" && set.json?["ifVersion"]?.integer == 0)
        #expect(set.json?["value"]?["a"]?.integer == 1)
        socket.ok(set, #""version":7"#)
        let state = try await stored
        #expect(state?.version == 7 && state?.isDuplicate == false)
        async let removed = settings.set("draft/c-2", json: nil)
        let remove = await socket.next()
        #expect(remove.json?["value"] == nil)
        socket.ok(remove, #""duplicate":true"#)
        #expect(try await removed == nil, "there was nothing to remove")
        async let page = settings.get(prefix: "mute/", after: "mute/a", limit: 5)
        let get = await socket.next()
        #expect(get.type == "state.get" && get["prefix"] == "mute/" && get["after"] == "mute/a")
        socket.ok(get, #""states":[{"key":"mute/c","value":true,"version":4,"time":1}]"#)
        #expect(try await page.settings.map(\.key) == ["mute/c"])
        await #expect(throws: RoostFailure.invalid("the value isn't JSON")) {
            try await settings.set("k", json: Array("nonsense".utf8))
        }
    }

    @Test func tellsWhoHasReadAMessage() async throws {
        let socket = await fixture.connected()
        async let page = fixture.client.receipts.page(of: SequenceNumber(3), in: "c-1", limit: 2)
        let command = await socket.next()
        #expect(command.type == "receipts" && command.json?["sequence"]?.integer == 3)
        socket.ok(
            command,
            #""conversation":"c-1","sequence":3,"receipts":[{"user":"bob","deliveredAt":5,"read":true,"readAt":6}]"#)
        let entry = try await page.receipts.first
        #expect(entry?.user == "bob" && entry?.isRead == true && entry?.readAt == Timestamp(milliseconds: 6))
    }
}
