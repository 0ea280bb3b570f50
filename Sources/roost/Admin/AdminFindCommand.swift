import ArgumentParser
import Foundation
import RoostChat
import RoostClient
import RoostWire

/// `roost admin find WORDS`: facts about a user, group or link, and the ids and positions that other commands ask for.
struct AdminFindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find users, groups, invitations and messages by what you know about them.",
        discussion: """
            A word of a user's or a group's name, a username, an id, an address (where there are accounts), an \
            invitation's link or code, the link of a conversation in the chat page, or the position of a message. \
            Texts are not searched.
            """)

    @OptionGroup var admin: AdminOptions
    @Argument(parsing: .remaining, help: "A name, id, address, link or position.") var words: [String]

    func run() async throws {
        let meant = AdminFindCommand.meant(by: words.joined(separator: " "))
        guard !meant.isEmpty else { throw ValidationError("say what to find") }
        if let at = meant.firstIndex(of: "@"), at != meant.startIndex {
            let user = try await admin.person(meant)
            return try await show([user])
        }
        try await show([meant.hasPrefix("@") ? String(meant.dropFirst()) : meant])
    }

    private func show(_ words: [String]) async throws {
        let words = words.joined(separator: " ")
        let client = try await admin.connect()
        var lines: [String] = []
        do throws(RoostFailure) {
            if let event = try await message(words, client) { lines.append("message  " + AdminText.line(event)) }
            var after: String?
            repeat {
                let reply = try await client.find(words, after: after)
                guard let page = FoundPage(reading: reply.members) else { throw .unexpectedReply }
                if admin.json {
                    let text = TerminalText.escaped(json: String(decoding: reply.text, as: UTF8.self))
                    RoostCommand.write(text, to: .standardOutput)
                }
                lines += AdminText.lines(page)
                after = page.next
            } while after != nil
        } catch {
            await client.close()
            throw AdminFailure(FailureLine.text(error))
        }
        await client.close()
        guard !admin.json else { return }
        guard !lines.isEmpty else { throw AdminFailure("not_found: nothing found for \(words)", code: "not_found") }
        for line in lines { RoostCommand.write(line, to: .standardOutput) }
    }

    /// The event at a position, if these words are one.
    private func message(_ words: String, _ client: OperatorClient) async throws(RoostFailure) -> Whereabouts? {
        guard words.contains("-"), !words.contains(" ") else { return nil }
        do throws(RoostFailure) {
            return Whereabouts(reading: try await client.whereabouts(ofPosition: words).members)
        } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }

    /// The target of a chat page link, or the words themselves.
    static func meant(by words: String) -> String {
        let text = words.trimmingCharacters(in: .whitespaces)
        guard let hash = text.firstIndex(of: "#"), text.contains("://") else { return text }
        let fragment = String(text[text.index(after: hash)...])
        if fragment.hasPrefix("invite=") { return String(fragment.dropFirst("invite=".count)) }
        let place = fragment.hasPrefix("/") ? String(fragment.dropFirst()) : fragment
        return place.removingPercentEncoding ?? place
    }
}

extension AdminText {
    /// The results, with the ids and positions that other commands ask for.
    fileprivate static func lines(_ page: FoundPage) -> [String] {
        let called = ShownNames(page.names)
        let people = page.people.map { one in
            let names = [one.name, one.username.map { "@" + $0 }].compactMap { $0 }.map(TerminalText.printable)
            let what = one.isDeleted ? "deleted account" : names.joined(separator: " ")
            return "user     \(TerminalText.printable(one.user))  \(what)"
        }
        let groups = page.groups.flatMap { one in
            let id = TerminalText.printable(one.conversation)
            let name = one.name.map(TerminalText.printable) ?? "of two"
            let members = one.members.map(called.of).joined(separator: ", ")
            let more = one.count > one.members.count ? " and \(one.count - one.members.count) more" : ""
            return [
                "\(one.name == nil ? "chat " : "group")    \(id)  \(name), \(one.count) members: \(members)\(more)",
                "    \(one.sequence.value) messages, the last change at \(TerminalText.printable(one.position))",
            ]
        }
        let links = page.links.map { one in
            let what = one.invite.conversation.map { "to the group \(TerminalText.printable($0))" } ?? "to chat"
            return "link     \(TerminalText.printable(one.invite.id))  of \(called.of(one.user)) \(what), "
                + "used \(one.invite.used) of \(one.invite.uses), until \(WallClock().time(one.invite.expires))"
        }
        return people + groups + links
    }
}
