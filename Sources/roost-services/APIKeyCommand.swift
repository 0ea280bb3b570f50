import ArgumentParser
import Foundation
import RoostServices
import RoostServicesConfiguration

/// `roost-services api-key`: the keys with which backends speak to us. The process may run meanwhile, or not.
struct APIKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-key", abstract: "Create, list and remove backends' API keys (Docs/HTTP.md).",
        subcommands: [Create.self, List.self, Remove.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a key and print it. It is not shown again.")

        @OptionGroup var options: ServicesOptions
        @Argument(help: "A name for the list of keys.") var name: String
        @Option(
            help: ArgumentHelp(
                "What it may be used for, such as send,presence; otherwise everything: "
                    + APIKey.Word.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "words"))
        var scope: String?

        func validate() throws {
            guard APIKey.isName(name) else {
                throw ValidationError("a name has 1 to 64 printable ASCII characters without space and quotation mark")
            }
            if let scope, APIKey.words(scope) == nil {
                throw ValidationError("--scope: words of the list, with commas between them")
            }
        }

        func run() async throws {
            let words = scope.flatMap(APIKey.words) ?? Set(APIKey.Word.allCases)
            ServicesCommand.write(try await APIKeyCommand.keys(options).create(name, words: words))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List all keys with their permissions.")

        @OptionGroup var options: ServicesOptions

        func run() async throws {
            for key in try await APIKeyCommand.keys(options).all() {
                let words = key.words.map(\.rawValue).sorted().joined(separator: ",")
                let day = Date(timeIntervalSince1970: Double(key.created) / 1_000)
                ServicesCommand.write("\(key.name)  \(words)  \(day.formatted(.iso8601.year().month().day()))")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a key. Its next request is refused.")

        @OptionGroup var options: ServicesOptions
        @Argument(help: "The key's name.") var name: String

        func run() async throws {
            guard try await APIKeyCommand.keys(options).remove(name) else {
                throw ServiceFault(.notFound, "\(name): there is no such key")
            }
        }
    }

    private static func keys(_ options: ServicesOptions) async throws -> APIKeys {
        try await Services.apiKeys(try options.configuration())
    }
}
