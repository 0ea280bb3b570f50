import ArgumentParser
import Foundation
import RoostChat
import RoostClient
import RoostWire

/// `roost admin conversations NAME`: the ids and positions that other commands ask for. Messages aren't shown, so there
/// is no `--json` with the answer as it came.
struct AdminConversationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversations",
        abstract: "List a user's conversations with their ids, members and last positions.",
        discussion: "`roost admin message` takes these positions and ids. Texts are not shown.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The user: the id, the username or the address.") var user: String

    func validate() throws {
        guard !admin.json else { throw ValidationError("--json would show what people wrote") }
    }

    func run() async throws {
        let id = try await admin.person(user)
        let client = try await admin.connect(isService: true)
        var before: String?
        do throws(RoostFailure) {
            repeat {
                let members = try await client.conversations(of: id, before: before).members
                var names: [String: String] = [:]
                for one in members.objects("people") ?? [] { names[one.string("user") ?? ""] = one.string("name") }
                for one in members.objects("conversations") ?? [] {
                    for line in AdminText.lines(ofConversation: one, of: id, names) {
                        RoostCommand.write(line, to: .standardOutput)
                    }
                }
                before = members.string("next")
            } while before != nil
        } catch {
            await client.close()
            throw AdminFailure(FailureLine.text(error))
        }
        await client.close()
    }
}

extension AdminText {
    /// A conversation of a user's, without what was written.
    fileprivate static func lines(
        ofConversation one: JSONMembers, of user: String, _ names: [String: String]
    ) -> [String] {
        let id = TerminalText.printable(one.string("conversation") ?? "")
        let others = one.strings("members").filter { $0 != user }.prefix(3).map { other in
            let shown = TerminalText.printable(other)
            return names[other].map { "\(TerminalText.printable($0)) (\(shown))" } ?? shown
        }
        let count = one.integer("count") ?? 0
        let kind =
            one.string("kind") == "group"
            ? "group \(TerminalText.printable(one.string("name") ?? "")), \(count) member\(count == 1 ? "" : "s")"
            : "with " + others.joined(separator: ", ")
        let last = one.integer("sequence") ?? 0
        var facts = "\(last) message\(last == 1 ? "" : "s")"
        if let message = one.object("message"), let position = message.string("position") {
            facts += ", the last at \(TerminalText.printable(position))"
            if let time = message.time("time") { facts += ", \(WallClock().time(time))" }
        }
        return ["\(id)  \(kind)", "    \(facts)"]
    }
}
