import Testing

@testable import roost

/// What the chat says of those who type.
@Suite struct TypingNoticeTests {
    @Test func namesThemInTheOrderInWhichTheyBegan() {
        var notice = TypingNotice()
        #expect(notice.text == nil)
        notice.note("bob", isActive: true)
        #expect(notice.text == "bob is typing…")
        notice.note("alice", isActive: true)
        // In another thread now.
        notice.note("bob", isActive: true)
        #expect(notice.text == "bob, alice are typing…")
        notice.note("bob", isActive: false)
        #expect(notice.text == "alice is typing…")
    }

    @Test func saysThatSeveralType() {
        var notice = TypingNotice()
        notice.noteSeveral(isActive: true)
        #expect(notice.text == "several people are typing…")
        notice.note("bob", isActive: true)
        #expect(notice.text == "bob and several others are typing…")
        notice.noteSeveral(isActive: false)
        #expect(notice.text == "bob is typing…")
        notice.forget()
        #expect(notice.text == nil)
    }

    @Test func printsNoControlCharacters() {
        var notice = TypingNotice()
        notice.note("\u{1B}[2J", isActive: true)
        #expect(notice.text == "\u{FFFD}[2J is typing…")
    }
}
