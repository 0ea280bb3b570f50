import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Groups: the rights in them, and the recipients of events.
@Suite struct GroupTests {
    let relay = RelayHarness()
    let owner: HarnessClient
    let admin: HarnessClient
    let member: HarnessClient
    let group: String

    /// Each user is named after a role.
    init() {
        owner = relay.connect("owner")
        admin = relay.connect("admin")
        member = relay.connect("member")
        group = owner.makeGroup("other", "admin", "member")
        _ = owner.request("conversation.role", ["conversation": "\(group)", "user": "admin", "role": "admin"])
        for client in [owner, admin, member] { client.forget() }
    }

    private func rename(_ client: HarnessClient) -> String {
        client.outcome("conversation.rename", ["conversation": "\(group)", "name": "New"])
    }

    private func add(_ client: HarnessClient, _ users: String...) -> String {
        client.outcome("conversation.add", ["conversation": "\(group)", "users": .list(users)])
    }

    private func remove(_ client: HarnessClient, _ users: String...) -> String {
        client.outcome("conversation.remove", ["conversation": "\(group)", "users": .list(users)])
    }

    private func role(_ client: HarnessClient, _ user: String, _ role: String) -> String {
        client.outcome("conversation.role", ["conversation": "\(group)", "user": "\(user)", "role": "\(role)"])
    }

    private func leave(_ client: HarnessClient) -> String {
        client.outcome("conversation.leave", ["conversation": "\(group)"])
    }

    private func roles(_ client: HarnessClient) -> [String: String] {
        let members = client.request("conversation.members", ["conversation": "\(group)"])?.list("members") ?? []
        return Dictionary(uniqueKeysWithValues: members.map { ($0.text("user") ?? "", $0.text("role") ?? "") })
    }

    @Test func theCreatorOfAGroupOwnsIt() {
        #expect(roles(owner) == ["owner": "owner", "admin": "admin", "member": "member", "other": "member"])
    }

    @Test func ownerAndAdminsMayRename() {
        #expect(rename(member) == "forbidden")
        #expect(rename(admin) == "ok")
        #expect(member.frames("conversation").last?.text("name") == "New")
        #expect(member.frames("conversation").last?.text("by") == "admin")
        #expect(rename(owner) == "ok")
        #expect(owner.request("conversation.list")?.list("conversations").first?.text("name") == "New")
    }

    @Test func ownerAndAdminsMayAdd() {
        #expect(add(member, "new") == "forbidden")
        #expect(add(admin, "new", "member", "new") == "ok")
        #expect(add(owner, "new") == "conflict")
        let new = relay.connect("new")
        #expect(new.events == ["added"])
        #expect(new.frames("conversation").first?.list("users").compactMap(\.string) == ["new"])
        #expect(new.frames("conversation").first?.text("name") == "Crew")
        #expect(new.frames("conversation").first?.number("count") == 5)
        #expect(roles(new)["new"] == "member")
    }

    @Test func aNewMemberMayReadEarlierMessages() {
        owner.post("before", to: group)
        _ = add(owner, "new")
        let new = relay.connect("new")
        #expect(new.bodies.isEmpty)
        #expect(new.request("history", ["conversation": "\(group)"])?.list("messages").count == 1)
        #expect(new.request("conversation.list")?.list("conversations").first?.number("unread") == 0)
    }

    @Test func onlyMembersOfLowerRankCanBeRemoved() {
        #expect(remove(member, "other") == "forbidden")
        #expect(remove(admin, "owner") == "forbidden")
        #expect(remove(admin, "member", "owner") == "forbidden")
        #expect(remove(admin, "admin") == "bad_request")
        #expect(remove(admin, "nobody") == "not_found")
        _ = role(owner, "other", "admin")
        #expect(remove(admin, "other") == "forbidden")
        #expect(remove(owner, "other", "other") == "ok")
        #expect(remove(admin, "member") == "ok")
        #expect(roles(owner) == ["owner": "owner", "admin": "admin"])
    }

    @Test func aRemovedMemberIsToldOfThatAndOfNothingAfterwards() {
        _ = remove(owner, "member")
        owner.post("later", to: group)
        #expect(member.events == ["removed"])
        #expect(member.outcome("history", ["conversation": "\(group)"]) == "not_found")
        #expect(member.outcome("send", ["to": "\(group)", "key": "k", "body": "b"]) == "not_found")
        #expect(member.outcome("signal", ["to": "\(group)", "body": 1]) == "not_found")
    }

    @Test func onlyTheOwnerChangesRoles() {
        #expect(role(admin, "member", "admin") == "forbidden")
        #expect(role(member, "member", "owner") == "forbidden")
        #expect(role(owner, "member", "member") == "conflict")
        #expect(role(owner, "nobody", "admin") == "not_found")
        #expect(role(owner, "owner", "member") == "bad_request")
        #expect(role(owner, "admin", "member") == "ok")
        #expect(member.frames("conversation").last?.text("user") == "admin")
        #expect(member.frames("conversation").last?.text("role") == "member")
    }

    @Test func aGroupHasExactlyOneOwner() {
        #expect(role(owner, "member", "owner") == "ok")
        #expect(roles(owner) == ["owner": "admin", "admin": "admin", "member": "owner", "other": "member"])
        #expect(role(owner, "other", "admin") == "forbidden")
    }

    @Test func theLongestStandingAdminInheritsElseTheLongestStandingMember() {
        #expect(leave(owner) == "ok")
        #expect(member.frames("conversation").last?.text("owner") == "admin")
        #expect(roles(member) == ["admin": "owner", "member": "member", "other": "member"])
        #expect(leave(admin) == "ok")
        #expect(roles(member) == ["other": "owner", "member": "member"])
        #expect(relay.log.load().members.filter { $0.role == .owner }.count == 1)
    }

    @Test func whenTheLastLeavesEverythingIsErased() {
        owner.post("hi", to: group)
        _ = remove(owner, "admin", "member", "other")
        #expect(owner.outcome("conversation.leave", ["conversation": "\(group)", "keep": true]) == "forbidden")
        #expect(leave(owner) == "ok")
        #expect(relay.relay.counters.conversations == 0)
        #expect(relay.log.load().conversations.isEmpty)
        #expect(leave(owner) == "not_found")
        // The removed member has lost the group, too.
        relay.crash()
        #expect(relay.connect("member", "phone").frames("conversation").isEmpty)
    }

    @Test func aRestartKeepsNameRolesAndOrder() {
        _ = rename(owner)
        _ = remove(owner, "other")
        _ = add(owner, "other")
        relay.crash()
        let again = relay.connect("member")
        #expect(roles(again) == ["owner": "owner", "admin": "admin", "member": "member", "other": "member"])
        let object = again.request("conversation.list")?.list("conversations").first
        #expect(object?.text("name") == "New")
        #expect(object?.list("members").compactMap(\.string) == ["owner", "admin", "member", "other"])
        #expect(remove(again, "other") == "forbidden")
    }

    @Test(arguments: [
        "conversation.rename", "conversation.add", "conversation.remove", "conversation.role", "conversation.members",
        "conversation.leave",
    ])
    func forStrangersThereIsNoSuchGroup(type: String) {
        let members: Members = [
            "conversation": "\(group)", "name": "N", "users": ["other"], "user": "other", "role": "admin",
        ]
        #expect(relay.connect("stranger").outcome(type, members) == "not_found")
    }
}
