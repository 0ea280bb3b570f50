import RoostStore
import RoostWire

/// Completes what is written behind a slash: the command, and then the name of a member. Pure.
struct NameCompletion {
    /// Commands that take one member by any of its names.
    private static let commands: Set<String> = ["/ban", "/unban", "/timeout"]

    private let members: [String]
    private let everybody: [String]

    /// - Parameters:
    ///   - conversation: the open one, of whose members the first 50 are known.
    ///   - called: what they are called.
    init(_ conversation: LocalConversation?, _ called: Names, user: String) {
        func names(_ users: [String]) -> [String] {
            users.filter { $0 != user }.flatMap { one in
                [called.profiles[one]?.name, called.profiles[one]?.username, one].compactMap { $0 }
            }
        }
        members = names(conversation?.members ?? [])
        everybody = names(called.profiles.keys.sorted())
    }

    /// The text with as much more as is certain; nil if nothing is.
    func complete(_ text: String) -> String? {
        guard text.hasPrefix("/") else { return nil }
        guard let space = text.firstIndex(of: " ") else {
            let words = ChatCommandWord.all.flatMap(\.words)
            return NameCompletion.longest(text, among: words.filter { $0.hasPrefix(text) })
        }
        let (command, begun) = (text[..<space], text[text.index(after: space)...])
        guard NameCompletion.commands.contains(String(command)), !begun.isEmpty else { return nil }
        let names = command == "/unban" ? everybody : members
        let fitting = names.filter { $0.lowercased().hasPrefix(begun.lowercased()) }
        return NameCompletion.longest(String(begun), among: fitting).map { "\(command) \($0)" }
    }

    /// The beginning that all of them share, if that is more than was written; a space behind the only one.
    private static func longest(_ begun: String, among fitting: [String]) -> String? {
        guard let first = fitting.first else { return nil }
        guard Set(fitting).count > 1 else { return first + " " }
        var common = first
        while !fitting.allSatisfy({ $0.lowercased().hasPrefix(common.lowercased()) }) { common.removeLast() }
        return common.count > begun.count ? common : nil
    }
}
