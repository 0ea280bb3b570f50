import Foundation
import Testing

@testable import RoostServices

struct MailTextsTests {
    private func folder(_ files: [String: String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        return folder.path
    }

    @Test("Ours are there in two languages, with all their places filled", arguments: MailTexts.Purpose.allCases)
    func ours(_ purpose: MailTexts.Purpose) throws {
        let texts = try MailTexts()
        for language in ["en", "de", "de-AT"] {
            let text = try #require(texts.text(purpose, language: language))
            let body = text.body([
                .displayName: "Ann", .link: "https://x/y", .minutes: "30", .email: "ann@x", .time: "then",
            ])
            #expect(body.contains("Ann"))
            #expect(body.contains("https://x/y") == purpose.needsLink)
            #expect(!body.contains("{") && !text.subject([:]).isEmpty)
        }
        #expect(texts.text(purpose, language: "de") != texts.text(purpose, language: "en"))
        #expect(texts.text(purpose, language: "xx") == texts.text(purpose, language: "en"))
        let german = try MailTexts(language: "de")
        #expect(german.text(purpose, language: "xx") == texts.text(purpose, language: "de"))
    }

    @Test func whoAskedIsInTheLetter() throws {
        let texts = try MailTexts()
        for language in ["en", "de"] {
            let body = try #require(texts.text(.verify, language: language)).body([
                .displayName: "Mallory", .email: "ann@example.org", .time: MailText.time(1_795_747_080),
            ])
            for words in ["Mallory", "ann@example.org", "2026-11-27 02:38 UTC"] { #expect(body.contains(words)) }
        }
    }

    @Test("A folder replaces some, and adds languages")
    func replaces() throws {
        let folder = try folder([
            "verify.en.txt": "Subject: Yes, {displayName}\r\n\r\n{link}\r\n",
            "verify.fr.txt": "Subject: Oui\n\n{link}\n",
            "README.md": "",
        ])
        let texts = try MailTexts(folder: folder)
        #expect(texts.text(.verify, language: "en")?.subject([.displayName: "Ann"]) == "Yes, Ann")
        #expect(texts.text(.verify, language: "fr")?.subject([:]) == "Oui")
        #expect(texts.text(.reset, language: "fr") == texts.text(.reset, language: "en"))
    }

    @Test(
        "What can't be used is refused with the place",
        arguments: [
            ("verify.en.txt", "Subject: A\n\n{link} {foo}\n", "there is no {foo}"),
            ("verify.en.txt", "Subject: {x}\n\n{link}\n", "there is no {x}"),
            ("verify.en.txt", "Subject: A\n\nno link\n", "it needs {link}"),
            ("verify.en.txt", "Subject: A\n\n{link\n", "a \"{\" has no \"}\""),
            ("verify.en.txt", "Hello\n\n{link}\n", "it has to begin"), ("verify.en.txt", "", "it has to begin"),
            ("verify.en.txt", "Subject: A\n{link}\n", "it has to begin"),
            ("welcome.en.txt", "Subject: A\n\nB\n", "isn't a letter"),
            ("verify.txt", "Subject: A\n\nB\n", "isn't a letter"),
        ])
    func refuses(_ name: String, _ text: String, _ words: String) throws {
        let folder = try folder([name: text])
        let fault = try #require(throws: MailSettingsFault.self) { try MailTexts(folder: folder) }
        #expect(fault.description.contains(words) && fault.description.contains(name), "\(fault)")
        #expect(fault.key == "mail.texts")
    }

    @Test("A folder that isn't there, and a language without letters, are refused")
    func refusesSettings() {
        #expect(throws: MailSettingsFault.self) { try MailTexts(folder: "/nonexistent") }
        #expect(throws: MailSettingsFault.self) { try MailTexts(language: "fr") }
    }

    @Test("Values aren't read for places again")
    func onePass() throws {
        let text = try MailText("Subject: {displayName}\n\n{displayName} {link}", needsLink: true)
        #expect(text.body([.displayName: "{link}", .link: "{minutes}", .minutes: "1"]) == "{link} {minutes}")
    }

    @Test("Somebody without a name is greeted without one", arguments: MailTexts.Purpose.allCases)
    func nameless(_ purpose: MailTexts.Purpose) throws {
        for (language, greeting) in [("en", "Hello,"), ("de", "Hallo,")] {
            let text = try #require(MailTexts().text(purpose, language: language))
            #expect(text.body([.displayName: "", .link: "x", .minutes: "30"]).hasPrefix(greeting))
        }
    }

    @Test("A name in a letter is no advertisement")
    func harmless() {
        #expect(MailText.harmless("Ann-Marie O'Neil") == "Ann-Marie O'Neil")
        #expect(MailText.harmless("Win at https://evil.example/now!") == "Win at https evil example now")
        #expect(MailText.harmless("Jürgen 名前\r\nBcc: x") == "Jürgen 名前 Bcc x")
        #expect(MailText.harmless(String(repeating: "a", count: 100)).count == 64)
    }
}
