import RoostNames
import Testing

/// The rules for names and short texts, at both servers.
@Suite struct NameFormTests {
    private func fault(_ text: String, _ use: NameForm.Use = .name) -> NameForm.Fault? {
        NameForm.fault(in: text.unicodeScalars, as: use)
    }

    @Test(arguments: [
        "Bob", "José", "Jose\u{301}", "山田太郎", "김철수", "Zoë 🏳️‍🌈", "👨‍👩‍👧", "❤️", "1️⃣",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "می\u{200C}خواهم", "क्\u{200D}ष", "O'Brien", "!!!",
    ])
    func namesOfPeopleAreTaken(name: String) { #expect(fault(name) == nil) }

    @Test(arguments: [
        "", " ", "\u{3000}", "\u{A0}", "\u{301}\u{301}", "\u{20E3}",
    ])
    func aNameShowsSomething(name: String) { #expect(fault(name) == .blank) }

    /// Alone they show nothing, and inside a name they make a twin of another.
    @Test(arguments: [
        "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{3164}", "\u{115F}", "\u{FFA0}", "\u{2800}", "\u{AD}",
        "\u{34F}", "\u{180E}", "\u{FEFF}", "\u{2064}", "\u{FFF9}", "\u{FE00}", "\u{FE0E}", "\u{FE0F}", "\u{E0041}",
        "\u{E007F}", "\u{E0100}",
    ])
    func invisibleCharactersMakeNoTwins(character: String) {
        #expect(fault(character) == .invisible)
        #expect(fault("Ann\(character)") == .invisible)
        #expect(fault("An\(character)n") == .invisible)
        #expect(fault("\(character)Ann") == .invisible)
    }

    @Test(arguments: [0xFFFE, 0xFDD0, 0x1_FFFF] as [UInt32])
    func nonCharactersAreRefused(value: UInt32) throws {
        #expect(fault("Ann\(try #require(Unicode.Scalar(value)))") == .invisible)
    }

    /// A character with a meaning beside some neighbours makes twins beside others.
    @Test(arguments: [
        "Ann1\u{FE0F}", "1\u{FE0E}\u{20E3}", "😀\u{FE0F}", "❤\u{FE00}", "🏴\u{E0067}\u{E0062}", "🏴\u{E007F}",
        "🏴\u{E0067}\u{E0062}\u{E0078}\u{E007F}", "葛\u{E0100}", "葛\u{FE00}", "山\u{200D}田", "1\u{200D}2", "א\u{200C}ב",
        "می\u{200D}خ", "می\u{200C}", "می\u{200C}a", "👨\u{200D}a", "👨\u{200D}1", "क्\u{200D}a", "क\u{200D}ष",
    ])
    func neighboursGiveAMeaning(name: String) { #expect(fault(name) == .invisible) }

    @Test(arguments: [
        "\0", "\n", "\t", "\u{7F}", "\u{85}", "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}", "\u{2066}",
        "\u{2069}", "\u{2028}",
    ])
    func controlsAndDirectionMarksAreRefusedInALine(character: String) {
        #expect(fault("a\(character)b") == .control)
        #expect(fault("a\(character)b", .line) == .control)
    }

    @Test func linesMayHaveBreaksAndIsolates() {
        #expect(fault("a\n\tb \u{2067}ג\u{2069}", .lines) == nil)
        #expect(fault("a\u{202E}b", .lines) == .control && fault("a\0", .lines) == .control)
        #expect(fault("\n\u{200B}", .lines) == .blank)
        // A line may have what only names must not.
        #expect(fault("so\u{AD}so", .line) == nil && fault("\u{AD}", .line) == .blank)
    }

    @Test(arguments: [
        ("  Ann \n", "Ann"), ("An\u{200B}n\u{202E}", "Ann"), ("Jo\u{200D}e", "Joe"), ("\u{3164}", ""), ("\u{200D}", ""),
        ("Jose\u{301}", "Jos\u{E9}"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("Ann\u{FE0F}", "Ann"),
        ("🏴\u{E0041}", "🏴"), ("葛\u{E0100}", "葛"),
    ])
    func whatIsLeftOfANameIsAccepted(name: String, left: String) {
        let mended = NameForm.mended(name)
        #expect(Array(mended.utf8) == Array(left.utf8))
        #expect(mended.isEmpty || fault(mended) == nil)
    }

    @Test(arguments: [("Ann ⭐\u{FE0F}", "Ann ⭐"), ("❤\u{FE0F}", "❤\u{FE0F}"), ("  Jose\u{301} ", "Jos\u{E9}")])
    func aNameIsKeptInOneForm(name: String, kept: String) {
        #expect(Array(NameForm.kept(name).utf8) == Array(kept.utf8))
        #expect(fault(NameForm.kept(name)) == nil)
    }

    @Test func composedTextsAreTheSameBytes() {
        #expect(Array("Jose\u{301}".composed.utf8) == Array("Jos\u{E9}".utf8))
        #expect(Array("\u{1112}\u{1161}\u{11AB}".composed.utf8) == Array("한".utf8))
        #expect(Array("\u{E9}".decomposed.unicodeScalars) == ["e", "\u{301}"])
        #expect("plain".composed == "plain")
    }

    @Test(arguments: ["admin", "Ad.Min", "root", "every_one", "Roost", "support"])
    func reservedNamesAreFoundHoweverTheyAreDotted(username: String) { #expect(ReservedNames.contains(username)) }

    @Test(arguments: ["alice", "admiral", "rooster", "alice.a"])
    func otherNamesAreFree(username: String) { #expect(!ReservedNames.contains(username)) }
}
