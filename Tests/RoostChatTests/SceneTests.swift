import RoostWire
import Testing

@testable import RoostChat
@testable import RoostClient
@testable import RoostKit
@testable import RoostStore

@Suite struct SceneTests {
    private func talk(_ count: Int64) -> [TimelineItem] {
        (1...count).map { Stage.message($0, $0 % 2 == 0 ? "alice" : "bob", "message \($0)", minutes: $0) }
    }

    // MARK: Writing

    @Test func typedTextIsKeptAndSent() {
        var scene = Stage.scene(talk(3))
        #expect(scene.type(.text("hi")) == [.draft("hi")])
        #expect(scene.type(.newline, .paste("there\nyou")) == [.draft("hi\n"), .draft("hi\nthere\nyou")])
        #expect(scene.type(.enter) == [.send("hi\nthere\nyou", replyTo: nil)])
        #expect(scene.composer.isEmpty)
        #expect(scene.type(.enter).isEmpty)
    }

    @Test func aSlashBeginsACommand() {
        var scene = Stage.scene(talk(3))
        scene.type(.text("/rename The Crew"))
        #expect(scene.type(.enter) == [.draft(""), .act(.rename("The Crew"), on: nil)])
        scene.type(.text("//hi"))
        #expect(scene.type(.enter) == [.send("/hi", replyTo: nil)])
        scene.type(.text("/nonsense"))
        #expect(scene.type(.enter).isEmpty)
        #expect(scene.notice?.contains("/help") == true)
        #expect(scene.composer.text == "/nonsense", "what was typed can be mended")
    }

    @Test func aNameThatNobodyKnowsIsAskedAbout() {
        var scene = Stage.scene([])
        scene.open("@bbo", Stage.timeline([], nil), draft: "")
        scene.type(.text("hi"))
        #expect(scene.type(.enter).isEmpty)
        #expect(scene.question == "bbo" && scene.composer.text == "hi")
        #expect(scene.type(.escape).isEmpty)
        #expect(scene.question == nil && scene.composer.text == "hi")
        #expect(scene.type(.enter).isEmpty)
        #expect(scene.type(.enter) == [.send("hi", replyTo: nil)])
        // Once is enough.
        scene.type(.text("again"))
        #expect(scene.type(.enter) == [.send("again", replyTo: nil)])
    }

    @Test func leavingHasItsKeys() {
        var scene = Stage.scene(talk(3))
        #expect(scene.type(.control("d")) == [.act(.quit, on: nil)])
        scene.type(.text("ab"), .left)
        #expect(scene.type(.control("d")) == [.draft("a")])
        #expect(scene.type(.control("c")) == [.interrupt])
        #expect(scene.type(.control("z")) == [.suspend])
    }

    // MARK: Messages

    @Test func arrowsChooseAMessageAndKeysActOnIt() {
        var scene = Stage.scene(talk(4))
        scene.type(.up, .up)
        #expect(scene.selected == .sequence(SequenceNumber(3)))
        scene.type(.text("r"), .text("because"))
        #expect(scene.type(.enter) == [.send("because", replyTo: .sequence(SequenceNumber(3)))])
        #expect(scene.purpose == .write && scene.selected == nil)

        scene.type(.up)
        scene.type(.text("e"))
        #expect(scene.composer.text == "message 4" && scene.purpose == .edit(.key("k4")))
        #expect(scene.type(.text("!")).isEmpty, "an edit is no draft")
        #expect(scene.type(.enter) == [.edit(.key("k4"), "message 4!")])

        scene.type(.up, .up)
        #expect(scene.type(.text("e")).isEmpty)
        #expect(scene.notice != nil, "others' messages can't be edited")
        scene.type(.escape, .up)
        #expect(scene.type(.text("d")) == [.act(.delete, on: .key("k4"))])
        scene.type(.up)
        scene.type(.text("+"), .text("👍"))
        #expect(scene.type(.enter) == [.draft(""), .act(.react("👍", isOn: true), on: .key("k4"))])
    }

    @Test func aChosenMessageHasMoreKeys() {
        var scene = Stage.scene(talk(4))
        scene.type(.up)
        #expect(scene.type(.text("o")) == [.act(.thread, on: .key("k4"))])
        scene.type(.up)
        #expect(scene.type(.text("p")) == [.act(.pin, on: .key("k4"))])
        scene.timeline.pins = [PinnedMessage(LocalPin(sequence: SequenceNumber(4)), nil)]
        scene.type(.up)
        #expect(scene.type(.text("p")) == [.act(.unpin, on: .key("k4"))])
        scene.type(.up, .up, .text("f"), .text("carol"))
        let carol = Effect.act(.forward("carol"), on: .sequence(SequenceNumber(3)))
        #expect(scene.type(.enter) == [.draft(""), carol])
        scene.type(.up, .up, .text("!"), .text("spam"))
        let spam = Effect.act(.reportMessage(.spam, nil), on: .sequence(SequenceNumber(3)))
        #expect(scene.type(.enter) == [.draft(""), spam])
        // A number says the same without a choice.
        scene.type(.text("/pin #2"))
        #expect(scene.type(.enter) == [.draft(""), .act(.pin, on: .sequence(SequenceNumber(2)))])
    }

    @Test func escapeLeavesAThreadAndNothingInItCountsAsSeen() throws {
        var scene = Stage.scene(talk(5))
        #expect(scene.seen == SequenceNumber(5))
        var thread = ThreadSnapshot()
        thread.root = scene.timeline.items[0].message
        thread.items = [Stage.message(5, "bob", "in the thread", minutes: 5)]
        scene.show(thread.timeline(in: scene.timeline), thread: SequenceNumber(1), draft: "")
        #expect(scene.timeline.items.compactMap(\.message?.sequence) == [1, 5].map { SequenceNumber($0) })
        #expect(scene.seen == nil, "before it there are messages that nobody has seen")
        #expect(scene.shown()[0].contains("thread in bob"))
        scene.type(.text("yes"))
        #expect(scene.type(.escape).isEmpty && scene.composer.text == "yes", "what was written isn't lost")
        #expect(scene.type(.enter) == [.send("yes", replyTo: nil)])
        #expect(scene.type(.escape) == [.act(.close, on: nil)])
        scene.show(Stage.timeline(talk(5)), thread: nil, draft: "begun")
        #expect(scene.composer.text == "begun" && scene.seen == SequenceNumber(5))
        #expect(scene.type(.escape).isEmpty)
    }

    @Test func keysThatComeTogetherAreKeysAllTheSame() {
        var scene = Stage.scene(talk(4))
        scene.type(.up, .text("rGood"))
        #expect(scene.composer.text == "Good" && scene.purpose == .reply(.key("k4")))
    }

    @Test func escapeLeavesAnEdit() {
        var scene = Stage.scene(talk(4))
        scene.type(.up, .text("e"))
        #expect(scene.type(.escape) == [.draft("")])
        #expect(scene.purpose == .write && scene.composer.isEmpty)
    }

    @Test func aRefusedMessageGetsAnotherText() {
        let failure = SendFailure(OutboxItem.Failure(.tooLarge, ""))
        var scene = Stage.scene([Stage.message(nil, "alice", "long", state: .failed(failure))])
        scene.type(.up, .text("e"), .backspace)
        #expect(scene.type(.enter) == [.replace(7, "lon")])
    }

    // MARK: Scrolling

    @Test func scrollingHoldsOnToWhatIsRead() {
        var scene = Stage.scene(talk(60))
        scene.type(.pageUp)
        let before = scene.shown().first { $0.contains("message ") }
        #expect(!scene.viewport.isAtEnd)
        // Newer messages come below, older ones above: nothing moves.
        scene.timeline.items.append(Stage.message(61, "bob", "message 61", minutes: 61))
        #expect(scene.shown().first { $0.contains("message ") } == before)
        scene.timeline.items.insert(Stage.message(0, "bob", "message 0", minutes: 0), at: 0)
        #expect(scene.shown().first { $0.contains("message ") } == before)
        #expect(scene.shown().contains { $0.contains("↓ newer") })
        scene.type(.escape)
        #expect(scene.viewport.isAtEnd && scene.shown().contains { $0.contains("message 61") })
    }

    @Test func theTopAsksForOlderMessages() {
        var scene = Stage.scene(talk(60))
        scene.timeline.hasOlder = true
        #expect(scene.wants().isEmpty)
        for _ in 0..<5 { scene.type(.pageUp) }
        #expect(scene.wants() == [.older])
        #expect(scene.shown().contains { $0.contains("message 1") })
    }

    @Test func aGapOnTheScreenIsFilled() {
        var scene = Stage.scene(talk(3) + [.gap(from: SequenceNumber(4), to: SequenceNumber(9))])
        #expect(scene.wants() == [.fill(from: SequenceNumber(4), to: SequenceNumber(9))])
    }

    @Test func onlyWhatIsOnTheScreenIsSeen() {
        var scene = Stage.scene(talk(61))
        #expect(scene.seen == SequenceNumber(61))
        scene.type(.pageUp)
        #expect(scene.seen == nil)
        scene.type(.pageDown)
        #expect(scene.seen == SequenceNumber(61))
        scene.overlay = HelpOverlay.make(width: 54, Stage.words)
        #expect(scene.seen == nil)
        scene.overlay = nil
        scene.size.columns = 40
        scene.type(.tab)
        #expect(scene.seen == nil, "a narrow screen shows the list")
    }

    // MARK: The list

    @Test func keysGoThroughTheList() {
        var scene = Stage.scene(talk(3))
        #expect(scene.type(.control("n")) == [.open("c-carol")])
        #expect(scene.type(.tab, .home, .enter) == [.open("c-1")])
        scene.type(.down, .down)
        #expect(scene.type(.enter) == [.open("c-carol")])
        // A user who types means to write.
        #expect(scene.type(.text("hi")).last == .draft("hi"))
        #expect(scene.focus == .composer)
    }

    @Test func foundMessagesCanBeJumpedTo() throws {
        var scene = Stage.scene(talk(60))
        let found = try #require(talk(60)[1].message)
        scene.overlay = FoundOverlay.make([found], scene.names, scene.words)
        #expect(scene.type(.enter) == [.act(.jump(SequenceNumber(2)), on: nil)])
        scene.show(SequenceNumber(2))
        #expect(scene.shown().contains { $0.contains("message 2") } && scene.selected == .key("k2"))
    }
}

@Suite struct TypedLineTests {
    @Test(arguments: [
        ("", TypedLine.nothing), ("  \n", .nothing), ("hi ", .message("hi")), (" hi", .message(" hi")),
        ("//x", .message("/x")), ("/quit", .act(.quit)),
        ("/group Crew of two: bob, @carol", .act(.group(name: "Crew of two", members: ["bob", "carol"]))),
        ("/group Crew", .act(.group(name: "Crew", members: []))), ("/add bob carol", .act(.add(["bob", "carol"]))),
        ("/role bob admin", .act(.role("bob", .admin))), ("/react 👍", .act(.react("👍", isOn: true))),
        ("/jump 12", .act(.jump(SequenceNumber(12)))),
        ("/status busy In a meeting", .act(.status(StatusLine("busy In a meeting")))),
        ("/privacy", .act(.privacy(PrivacyChange()))), ("/block bob", .act(.block("bob"))),
        ("/report @bob spam Every night ", .act(.report("bob", .spam, "Every night"))),
        ("/report bob other", .act(.report("bob", .other, nil))), ("/username -", .act(.username(""))),
        ("/name Alice Ardent", .act(.name("Alice Ardent"))), ("/find ard", .act(.find("ard"))),
        ("/mute", .act(.mute(true))), ("/unmute", .act(.mute(false))), ("/who-read", .act(.info)),
        ("/contacts", .act(.contacts)), ("/accept @bob", .act(.accept("bob"))), ("/accept", .act(.accept(nil))),
        ("/drop", .act(.drop(nil))), ("/drop zoe", .act(.drop("zoe"))), ("/requests", .act(.requests)),
        ("/pin", .act(.pin)), ("/unpin #12", .act(.unpin, on: SequenceNumber(12))), ("/pins", .act(.pins)),
        ("/forward The Crew", .act(.forward("The Crew"))),
        ("/forward #3 @bob", .act(.forward("@bob"), on: SequenceNumber(3))),
        ("/reply #12 Why?", .act(.reply("Why?"), on: SequenceNumber(12))), ("/reply #1st", .act(.reply("#1st"))),
        ("/thread", .act(.thread)), ("/close", .act(.close)), ("/expire", .act(.expire(nil))),
        ("/expire off", .act(.expire(0))), ("/expire 24h", .act(.expire(86_400_000))),
        ("/slow", .act(.slow(nil))), ("/slow off", .act(.slow(0))), ("/slow 30s", .act(.slow(30_000))),
        ("/slow 6h", .act(.slow(21_600_000))),
        ("/expire 7d", .act(.expire(604_800_000))), ("/expire 90d", .act(.expire(7_776_000_000))),
        ("/report spam", .act(.reportMessage(.spam, nil))),
        ("/report #4 other Not funny", .act(.reportMessage(.other, "Not funny"), on: SequenceNumber(4))),
        ("/report @spam other", .act(.report("spam", .other, nil))),
        ("/ban Bob Ford", .act(.ban("Bob Ford", nil))), ("/ban @bob spam", .act(.ban("@bob", .spam))),
        ("/ban spam", .act(.ban("spam", nil))), ("/unban Bob Ford", .act(.unban("Bob Ford"))),
        ("/timeout Bob Ford 10m", .act(.timeOut("Bob Ford", 600_000, nil))),
        ("/timeout bob 2h harassment", .act(.timeOut("bob", 7_200_000, .harassment))),
        ("/timeout bob off", .act(.timeOut("bob", 0, nil))), ("/timeout 10m 30s", .act(.timeOut("10m", 30_000, nil))),
        ("/approval on", .act(.approve(true))), ("/approval off", .act(.approve(false))),
        ("/waiting", .act(.waiting)), ("/admit Bob Ford", .act(.admit("Bob Ford"))),
        ("/turn-away @bob", .act(.turnAway("@bob"))),
        ("/bans", .act(.bans)), ("/announce on", .act(.announce(true))), ("/announce off ", .act(.announce(false))),
    ])
    func isRead(typed: String, line: TypedLine) { #expect(TypedLine(typed) == line) }

    @Test(arguments: [
        "/add", "/role bob", "/role bob king", "/jump x", "/jump 0", "/react", "/group", "/block a b", "/edit  ",
        "/report bob", "/report bob rude", "/name", "/invite", "/forward", "/accept bob carol", "/drop a b",
        "/slow 7h", "/slow 0s", "/slow soon",
        "/expire 1h", "/expire 91d", "/expire soon", "/expire 99999999999999999999d", "/report",
        "/ban", "/unban", "/timeout", "/timeout bob", "/timeout 10m", "/timeout bob soon", "/timeout bob 29d",
        "/timeout bob 0s", "/announce", "/announce maybe", "/approval", "/admit",
    ])
    func whatIsMissingIsTold(typed: String) {
        guard case .mistake(let mistake) = TypedLine(typed) else {
            Issue.record("\(typed) was taken")
            return
        }
        #expect(mistake.text(Stage.words).hasPrefix("Usage: " + typed.prefix { $0 != " " }))
    }

    @Test func namesAreCompleted() {
        let group = Stage.conversation(["alice", "u1", "u2", "carol"], name: "Crew")
        let names = Names(profiles: [
            "u1": UserProfile(user: "u1", version: 1, name: "Bob Ford", username: "bford"),
            "u2": UserProfile(user: "u2", version: 1, name: "Bob Frost"),
            "u3": UserProfile(user: "u3", version: 1, name: "Zoe"),
        ])
        let completion = NameCompletion(group, names, user: "alice")
        #expect(completion.complete("/tim") == "/timeout ")
        #expect(completion.complete("/una") == nil && completion.complete("tim") == nil)
        #expect(completion.complete("/ban bo") == "/ban Bob F")
        #expect(completion.complete("/ban Bob Fr") == "/ban Bob Frost ")
        #expect(completion.complete("/timeout bf") == "/timeout bford ")
        // A banned user is no member any more.
        #expect(completion.complete("/unban z") == "/unban Zoe ")
        #expect(completion.complete("/timeout ca") == "/timeout carol ")
        // One's own name, messages, and other commands.
        #expect(completion.complete("/ban al") == nil && completion.complete("/reply bo") == nil)
        #expect(completion.complete("/ban ") == nil && completion.complete("/ban zoe") == nil)
    }

    @Test func everyCommandIsInTheHelp() {
        let help = HelpOverlay.make(width: 54, Stage.words).rows.flatMap(\.spans).map(\.text).joined(separator: "\n")
        for command in ChatCommandWord.all { #expect(help.contains(command.words[0])) }
        for row in HelpOverlay.make(width: 54, Stage.words).rows { #expect(row.spans.columns <= 54) }
    }
}
