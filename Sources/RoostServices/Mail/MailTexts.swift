import Foundation

/// The texts of mails, in all languages: ours, and those that a folder of the operator has in their place. Read once,
/// at the start. A value.
package struct MailTexts: Sendable {
    /// The reason for a mail.
    package enum Purpose: String, Sendable, CaseIterable {
        case verify, reset, changed, linked, joined, opened, guarded, unguarded, recovered

        var needsLink: Bool { self == .verify || self == .reset }
    }

    private struct Key: Hashable {
        let purpose: Purpose
        let language: String
    }

    private static let own: [(name: String, bytes: [UInt8])] = [
        ("verify.en.txt", PackageResources.verify_en_txt), ("verify.de.txt", PackageResources.verify_de_txt),
        ("reset.en.txt", PackageResources.reset_en_txt), ("reset.de.txt", PackageResources.reset_de_txt),
        ("changed.en.txt", PackageResources.changed_en_txt), ("changed.de.txt", PackageResources.changed_de_txt),
        ("linked.en.txt", PackageResources.linked_en_txt), ("linked.de.txt", PackageResources.linked_de_txt),
        ("joined.en.txt", PackageResources.joined_en_txt), ("joined.de.txt", PackageResources.joined_de_txt),
        ("opened.en.txt", PackageResources.opened_en_txt), ("opened.de.txt", PackageResources.opened_de_txt),
        ("guarded.en.txt", PackageResources.guarded_en_txt), ("guarded.de.txt", PackageResources.guarded_de_txt),
        ("unguarded.en.txt", PackageResources.unguarded_en_txt),
        ("unguarded.de.txt", PackageResources.unguarded_de_txt),
        ("recovered.en.txt", PackageResources.recovered_en_txt),
        ("recovered.de.txt", PackageResources.recovered_de_txt),
    ]

    /// Most bytes of a text.
    private static let fileBytesMax = 65_536

    private var texts: [Key: MailText] = [:]
    private let language: String

    /// - Parameters:
    ///   - folder: has files such as `verify.fr.txt`; nil for ours alone.
    ///   - language: for those whose language there isn't.
    package init(folder: String? = nil, language: String = "en") throws(MailSettingsFault) {
        self.language = language
        for (name, bytes) in Self.own {
            try add(name, String(decoding: bytes, as: UTF8.self), as: name)
        }
        if let folder { try read(folder) }
        for purpose in Purpose.allCases where texts[Key(purpose: purpose, language: language)] == nil {
            throw MailSettingsFault("mail.language", "there is no \(purpose.rawValue).\(language).txt")
        }
    }

    /// The text for a reader of that language: `de-AT` is `de`.
    func text(_ purpose: Purpose, language wanted: String) -> MailText? {
        let short = wanted.prefix { $0 != "-" && $0 != "_" }.lowercased()
        return texts[Key(purpose: purpose, language: short)] ?? texts[Key(purpose: purpose, language: language)]
    }

    private mutating func read(_ folder: String) throws(MailSettingsFault) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw MailSettingsFault("mail.texts", "\(folder) can't be read")
        }
        for name in names where name.hasSuffix(".txt") {
            let path = "\(folder)/\(name)"
            guard let data = FileManager.default.contents(atPath: path), data.count <= Self.fileBytesMax,
                let text = String(data: data, encoding: .utf8)
            else { throw MailSettingsFault("mail.texts", "\(path) can't be read as UTF-8 of at most 64 KiB") }
            try add(name, text, as: path)
        }
    }

    private mutating func add(_ name: String, _ text: String, as path: String) throws(MailSettingsFault) {
        let parts = name.split(separator: ".")
        guard parts.count == 3, let purpose = Purpose(rawValue: String(parts[0])) else {
            let known = Purpose.allCases.map { "\($0.rawValue).en.txt" }.joined(separator: ", ")
            throw MailSettingsFault("mail.texts", "\(path) isn't a letter; their names are as \(known)")
        }
        do throws(MailText.Fault) {
            let key = Key(purpose: purpose, language: parts[1].lowercased())
            texts[key] = try MailText(text, needsLink: purpose.needsLink)
        } catch {
            throw MailSettingsFault("mail.texts", "\(path): \(error)")
        }
    }
}
