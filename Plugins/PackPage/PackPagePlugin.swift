import Foundation
import PackagePlugin

/// Has the files of the chat page packed into a source of the target, whenever one of them has changed.
@main
struct PackPagePlugin: BuildToolPlugin {
    static let names = [
        "index.html", "app.css", "app.js", "app-card.js", "app-factor.js", "app-find.js", "app-invites.js",
        "app-people.js", "app-pick.js", "app-prospects.js", "app-settings.js", "app-talk.js", "app-write.js",
        "words-en.js", "words-de.js", "words-en-more.js", "words-de-more.js", "words-de-emoji.js",
        "roost.js", "roost-people.js", "roost-talk.js", "roost-chat.js", "sw.js", "manifest.webmanifest", "icon.svg",
        "icon.png",
    ]
    /// Files that are sent as a part of others, or that say how others are sent.
    static let parts = [
        "accounts.js", "app-account.js", "app-choices.js", "app-dialogs.js", "app-emoji.js", "app-expiry.js",
        "app-language.js", "app-lines.js", "app-moderation.js", "app-text.js", "qr.js", "short-names.txt",
    ]

    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "Web")
        let files = Self.names.map { folder.appending(path: $0) }
        let source = context.pluginWorkDirectoryURL.appending(path: "PackedPage.swift")
        return [
            .buildCommand(
                displayName: "Packing the chat page", executable: try context.tool(named: "roost-pack-page").url,
                arguments: [source.path] + files.map(\.path),
                inputFiles: files + Self.parts.map { folder.appending(path: $0) }, outputFiles: [source])
        ]
    }
}
