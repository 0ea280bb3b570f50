import RoostWire
import Testing

@testable import RoostChat
@testable import RoostClient
@testable import RoostKit
@testable import RoostStore

@Suite struct PictureTests {
    private let talk = [
        Stage.message(1, "alice", "Are you there?", state: .read(count: 1, others: 1)),
        Stage.message(2, "bob", "Always", minutes: 1),
        Stage.message(3, "alice", "Good", minutes: 2, state: .delivered(count: 1, others: 1)),
    ]

    private func shows(_ scene: Scene, _ text: String) -> Bool { scene.shown().contains { $0.contains(text) } }

    @Test func listAndTimelineStandSideBySide() throws {
        var scene = Stage.scene(talk)
        scene.presences = ["bob": try presence("bob", "online")]
        let rows = scene.shown()
        #expect(rows.count == 24)
        #expect(rows[0].hasPrefix(" Roost alice            │ bob  ● online"))
        #expect(rows[2].hasPrefix("▌● bob             12:02│"))
        #expect(rows[3].hasPrefix("▌  you: Good ✓✓"))
        #expect(rows[4].hasPrefix(" ○ carol"))
        #expect(rows[5].contains("3│"))
        #expect(rows[17].contains("─ Today ─"))
        #expect(rows[18].contains("│ 12:00 alice  Are you there?") && rows[18].hasSuffix("✓✓"))
        #expect(rows[19].contains("│ 12:01 bob    Always"))
        #expect(rows[20].contains("│ 12:02 alice  Good") && rows[20].hasSuffix("✓✓ delivered"))
        #expect(rows[23].hasPrefix(" ● connected"))
        #expect(rows.allSatisfy { TextWidth.columns($0) <= 80 })
    }

    private func presence(_ user: String, _ state: String) throws -> UserPresence {
        let json = Array(#"{"user":"\#(user)","state":"\#(state)"}"#.utf8)
        return try #require(json.withUnsafeBytes { JSONMembers(parsing: $0).flatMap(UserPresence.init(reading:)) })
    }

    @Test(arguments: [20, 40, 63, 64, 80, 200], [6, 10, 24, 50]) func nothingIsDrawnOutside(columns: Int, rows: Int) {
        var scene = Stage.scene(talk, rows: rows, columns: columns)
        for focus in [Scene.Focus.composer, .list, .messages] {
            scene.focus = focus
            let shown = scene.shown()
            #expect(shown.count == rows)
            #expect(shown.allSatisfy { TextWidth.columns($0) <= columns })
        }
        #expect(scene.shown().joined().isEmpty == false)
    }

    @Test func aNarrowScreenShowsOneOfThem() {
        var scene = Stage.scene(talk, columns: 50)
        #expect(!shows(scene, "carol") && shows(scene, "Always"))
        scene.type(.tab)
        #expect(shows(scene, "carol") && !shows(scene, "12:01 bob"))
        #expect(scene.type(.down, .enter) == [.open("c-carol")])
    }

    @Test func ticksSayHowFarAMessageHasGot() {
        func mark(_ state: MessageState) -> String {
            let scene = Stage.scene([Stage.message(1, "alice", "hi", state: state)])
            return scene.shown().first { $0.contains("alice  hi") } ?? ""
        }
        #expect(mark(.sending).hasSuffix("… sending"))
        #expect(mark(.sent).hasSuffix(" ✓ sent"))
        #expect(mark(.delivered(count: 1, others: 1)).hasSuffix("✓✓ delivered"))
        #expect(mark(.read(count: 1, others: 1)).hasSuffix("✓✓ read"))
    }

    @Test func ticksOfAGroupCount() {
        var scene = Stage.scene([])
        let items = [
            Stage.message(1, "alice", "one", state: .read(count: 2, others: 3)),
            Stage.message(2, "alice", "two", state: .delivered(count: 1, others: 3)),
        ]
        scene.timeline = Stage.timeline(items, Stage.conversation(["alice", "bob", "carol", "dave"], name: "Crew"))
        scene.timeline.online = OnlineCount("c-1", online: 2, of: 4)
        #expect(scene.shown()[0].contains("# Crew  2 of 4 online"))
        #expect(scene.shown().contains { $0.contains("one") && $0.hasSuffix("✓✓ 2/3") })
        #expect(scene.shown().contains { $0.contains("two") && $0.hasSuffix("✓✓ delivered to 1 of 3") })
    }

    @Test func aRefusedMessageSaysWhyAndWhatToDo() {
        let failure = SendFailure(OutboxItem.Failure(.tooLarge, "11000 scalars"))
        let scene = Stage.scene([Stage.message(nil, "alice", "long", state: .failed(failure))])
        let text = scene.shown().map { $0.split(separator: "│").last.map(String.init) ?? "" }.joined(separator: " ")
        for word in ["✗", "too long", "/retry", "/discard"] { #expect(text.contains(word), "\(word)") }
    }

    @Test func partsOfAMessageStandWithIt() {
        var items = talk
        items += [
            Stage.message(4, "bob", "See above", minutes: 9, replyTo: 1),
            Stage.message(5, "bob", "typo fixed", minutes: 10, isEdited: true),
            Stage.message(
                6, "bob", "nice", minutes: 11,
                reactions: [ReactionCount("👍", count: 2, isMine: true), ReactionCount("+", count: 1, isMine: false)]),
            Stage.message(7, "bob", nil, minutes: 12),
            .gap(from: SequenceNumber(8), to: SequenceNumber(12)),
            Stage.message(13, "bob", "later", minutes: 60 * 24),
        ]
        let scene = Stage.scene(items)
        #expect(shows(scene, "╭ alice: Are you there?"))
        #expect(shows(scene, "typo fixed (edited)"))
        #expect(shows(scene, "[👍 2]  + 1"))
        #expect(shows(scene, "(deleted)"))
        #expect(shows(scene, "5 messages not loaded yet"))
        #expect(shows(scene, "Wednesday 25 November"))
    }

    @Test func othersCannotSendControlCharacters() {
        let evil = "\u{1B}]0;x\u{07}\u{9B}2J\u{202E}"
        var scene = Stage.scene([
            Stage.message(1, evil, "a\n" + evil, reactions: [ReactionCount(evil, count: 1, isMine: false)])
        ])
        scene.list.rows = [Stage.row(evil, Stage.message(1, evil, evil), isGroup: true)]
        scene.timeline.conversation?.name = evil
        scene.timeline.typing = [evil]
        scene.session.status = OwnStatus(.busy, text: evil)
        var copy = scene
        let picture = Picture(&copy)
        for row in 0..<picture.grid.rows {
            for cell in picture.grid.row(row) {
                #expect(cell.text.unicodeScalars.allSatisfy { TerminalText.isSafe($0) })
            }
        }
    }

    @Test func aNewMessageIsMarkedWhenTheConversationIsOpened() {
        var conversation = Stage.conversation()
        conversation.read = SequenceNumber(1)
        conversation.unread = 1
        var scene = Stage.scene([])
        scene.open("c-1", Stage.timeline(talk, conversation), draft: "begun")
        #expect(shows(scene, "─ new ─") && shows(scene, "> begun"))
    }

    @Test func theStatusTellsOfTheSession() {
        var scene = Stage.scene(talk)
        scene.session.pendingCount = 2
        scene.session.connection = .waiting(until: .now)
        scene.session.lastLoss = Disconnection(code: nil, reason: "refused", willRetryIn: .seconds(4), isFinal: false)
        scene.secondsToTry = 4
        #expect(shows(scene, "○ not connected, next try in 4 s: refused · 2 unsent"))
        scene.session.connection = .connected
        scene.session.isUpToDate = false
        #expect(shows(scene, "updating…"))
        scene.timeline.typing = ["bob"]
        #expect(shows(scene, "── bob is typing… ──"))
    }
}
