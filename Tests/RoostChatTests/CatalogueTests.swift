import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostWire
import Testing

@testable import RoostChat
@testable import RoostClient
@testable import RoostKit
@testable import RoostStore

/// The texts of a terminal in each language. The compiler checks that each language has them all.
@Suite struct CatalogueTests {
    private let english = Words(.english, WallClock(isUTC: true))
    private let german = Words(.german, WallClock(isUTC: true))

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], LanguageChoice.german), (["LANG": "de"], .german), (["LANG": "de_AT@euro"], .german),
        (["LANG": "en_GB.UTF-8"], .english), (["LANG": "C.UTF-8"], .english), (["LANG": "fr_FR"], .english),
        ([:], .english),
        (["LANG": "en_US", "LC_MESSAGES": "de_DE"], .german), (["LANG": "de_DE", "LC_MESSAGES": "en_US"], .english),
        (["LANG": "de_DE", "LC_ALL": "C"], .english), (["LC_ALL": "", "LANG": "de_DE"], .german),
        (["LC_ALL": "en_XA.UTF-8"], .brackets),
    ])
    func theEnvironmentChoosesTheLanguage(environment: [String: String], choice: LanguageChoice) {
        #expect(LanguageChoice(nil, environment: environment) == choice)
        #expect(LanguageChoice("de", environment: environment) == .german, "what is asked for comes first")
    }

    @Test func numbersChooseTheForm() {
        #expect(english(.members(1)) == "1 member" && english(.members(1_234)) == "1,234 members")
        #expect(german(.members(1)) == "1 Mitglied" && german(.members(1_234)) == "1.234 Mitglieder")
        #expect(english(.replies(1)) == "1 reply" && english(.replies(2)) == "2 replies")
        #expect(german(.replies(1)) == "1 Antwort" && german(.replies(2)) == "2 Antworten")
        #expect(english(.replies(Limits().repliesCounted)).contains("or more"))
        #expect(1_000_000.grouped(by: ",") == "1,000,000" && (-1_234).grouped(by: ".") == "-1.234")
        #expect(999.grouped(by: ",") == "999" && 0.grouped(by: ",") == "0")
    }

    @Test func namesAreListed() {
        #expect(english(.areTyping(["Ann", "Ben", "Cleo"])) == "Ann, Ben and Cleo are typing…")
        #expect(german(.areTyping(["Ann", "Ben"])) == "Ann und Ben schreiben …")
        #expect(english(.othersTyping(["Ann"])) == "Ann and several others are typing…")
    }

    @Test func timesAreWrittenAsInTheLanguage() {
        let (noon, day) = (Stage.noon, Int64(86_400_000))
        let now = Timestamp(milliseconds: noon)
        func both(_ text: (Words) -> String) -> [String] { [text(english), text(german)] }
        #expect(both { $0.day(now, now: now) } == ["Today", "Heute"])
        let later = Timestamp(milliseconds: noon + 3 * day)
        #expect(both { $0.day(later, now: now) } == ["Friday 27 November", "Freitag, 27. November"])
        let earlier = Timestamp(milliseconds: noon - 365 * day)
        #expect(both { $0.day(earlier, now: now) } == ["Monday 24 November 2025", "Montag, 24. November 2025"])
        #expect(both { $0.short(later, now: now) } == ["27 Nov", "27.11."])
        #expect(both { $0.short(now, now: now) } == ["12:00", "12:00"])
        #expect(both { $0.short(earlier, now: now) } == ["2025-11-24", "2025-11-24"])
        #expect(both { $0.time(later) } == ["2026-11-27 12:00", "2026-11-27 12:00"])
        #expect(
            both { $0(.expiry(milliseconds: 90 * day)) }
                == ["messages disappear after 90 days", "Nachrichten verschwinden nach 90 Tagen"])
        #expect(
            both { $0(.slow(milliseconds: 60_000)) }
                == ["slow mode: 1 minute between messages", "langsamer Modus: 1 Minute zwischen zwei Nachrichten"])
    }

    @Test func germanSaysWhoDidIt() {
        func says(_ phrase: LinePhrase) -> String { german(phrase) }
        let (you, bob) = (Person.you, Person.other("Bob"))
        #expect(
            says(.added(you, people: [bob, .other("Cleo")], more: 1))
                == "Du hast Bob, Cleo und 1 weitere Person hinzugefügt")
        #expect(says(.removed(bob, people: [you], more: 0)) == "Bob hat dich entfernt")
        #expect(says(.left(bob, owner: you)) == "Bob hat die Gruppe verlassen. Sie gehört jetzt dir")
        #expect(says(.role(bob, person: you, .owner)) == "Bob hat dir die Gruppe übergeben")
        #expect(says(.joined(you)) == "Du bist beigetreten")
        #expect(says(.posting(you, .admins)) == "Du lässt nur noch Admins schreiben")
    }

    @Test func everyRefusalIsASentenceOfItsLanguage() throws {
        for code in ErrorCode.allCases {
            let words = String(describing: code.word)
            let json = Array(#"{"type":"error","re":1,"code":"\#(words)","reason":"for developers"}"#.utf8)
            let refusal = try #require(
                json.withUnsafeBytes { JSONMembers(parsing: $0).map(CommandRefusal.init(reading:)) })
            for one in [english, german] {
                let text = one.failure(.refused(refusal))
                #expect(!text.contains("_") && !text.contains("for developers") && text.count > 10, "\(text)")
            }
            #expect(english.failure(.refused(refusal)) != german.failure(.refused(refusal)))
        }
        for code in CloseCode.allCases {
            let lost = Disconnection(code: code.rawValue, reason: "\(code.reason)", willRetryIn: nil, isFinal: false)
            #expect(german.why(lost) != "\(code.reason)" && german.why(lost) != english.why(lost))
        }
        let other = Disconnection(code: nil, reason: "HTTP status 404", willRetryIn: nil, isFinal: false)
        #expect(german.why(other).contains("/v1/socket"))
    }

    @Test func valuesCannotWriteOnTheScreen() {
        let evil = "\u{1B}]0;x\u{07}\u{9B}2J\u{202E}"
        for words in [english, german] {
            for text in [
                words(.neverTalked(evil)), words(.pin(number: 1, message: evil, by: evil)), words(.added([evil])),
            ] {
                #expect(text.unicodeScalars.allSatisfy(TerminalText.isSafe))
            }
        }
    }

    @Test func theUserAnswersInTheLanguage() {
        let (english, german) = (NewUserQuestion(.english), NewUserQuestion(.german))
        #expect(english.text("bem").hasSuffix("[y/N]") && english.isYes("Y") && english.isYes("yes"))
        #expect(!english.isYes("j") && !english.isYes("") && !english.isYes("n"))
        #expect(german.text("bem").hasSuffix("[j/N]") && german.isYes("ja") && german.isYes("J") && german.isYes("y"))
        #expect(!german.isYes("nein") && german.refusal("bem").contains("--new"))
    }

    @Test func commandsAreTheSameInEveryLanguage() {
        for command in ChatCommandWord.all {
            #expect(command.usage(german).hasPrefix(command.words[0]) && command.words[0].hasPrefix("/"))
            #expect(german.say(command.what) != english.say(command.what))
        }
    }

    @Test func theScreenSpeaksGerman() {
        var scene = Stage.scene(
            [Stage.message(1, "bob", "Hallo"), Stage.message(2, "alice", "Na?", minutes: 1)], columns: 120, german)
        scene.timeline.typing = ["bob"]
        let shown = scene.shown()
        for text in [
            "─ Heute ─", "✓ gesendet", "bob schreibt …", "● verbunden", "du: Na?", "Nachricht schreiben, oder /help",
        ] {
            #expect(shown.contains { $0.contains(text) }, "\(text)")
        }
    }
}
