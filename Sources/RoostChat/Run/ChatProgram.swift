import Foundation
import RoostClient
import RoostKit
import RoostWire

/// The relay's address, the user, and the places of files for a chat.
package struct ChatOptions: Sendable {
    /// The relay's address.
    package var url: String
    /// The user; nil if only the token names them.
    package var user: String?
    /// The other side: a user, the name of a group, or the id of a conversation; nil to choose.
    package var peer: String?
    /// The name of the device; nil for one that no other chat on this machine uses.
    package var device: String?
    /// The file of this device; nil for one in the folder of the user's state.
    package var store: String?
    /// The language in which it speaks.
    package var language: LanguageChoice
    /// Creates the sockets.
    package var connector: any SocketConnector
    /// Whether there is one token and no other.
    package var isTokenFixed: Bool
    /// Returns a valid token.
    package var token: @Sendable () async throws -> String

    /// Creates options.
    package init(
        url: String, user: String?, peer: String?, device: String?, store: String?, language: LanguageChoice,
        connector: any SocketConnector, isTokenFixed: Bool, token: @escaping @Sendable () async throws -> String
    ) {
        self.url = url
        self.user = user
        self.peer = peer
        self.device = device
        self.store = store
        self.language = language
        self.connector = connector
        self.isTokenFixed = isTokenFixed
        self.token = token
    }
}

/// `roost chat` from its first to its last line: on a terminal it has the whole screen, otherwise it reads and writes
/// plain lines.
package enum ChatProgram {
    /// Runs until the user leaves, the input ends, or there is no point in going on.
    /// - Throws: `ChatFailure`, one line.
    @MainActor package static func run(_ options: ChatOptions) async throws {
        // Messages are for this user only, not for others on this machine.
        umask(0o077)
        let words = Words(options.language)
        let claims = TokenClaims(try await options.token())
        let user = options.user ?? claims.user
        let place = try place(options, user: user ?? "-", device: options.device ?? claims.device, words)
        guard let relay = URL(string: options.url) else { throw ChatFailure(words(.badAddress(options.url))) }
        var settings = RoostSettings(
            relay: relay, file: URL(filePath: place.path), device: place.device, user: user,
            connector: options.connector,
            token: options.token)
        let drawsScreen = Terminal.canDraw
        // In a pipe no user chooses what becomes of a refused message, so the next one doesn't wait for that.
        settings.goesOnAfterFailures = !drawsScreen
        let chat: ChatSession
        do { chat = try await ChatSession(settings, words) } catch { throw ChatFailure("\(place.path): \(error)") }
        defer { withExtendedLifetime(place) {} }
        let judge = SessionJudge(user: options.user, isTokenFixed: options.isTokenFixed, words)
        try await Terminal.withoutErrors {
            if drawsScreen {
                try await FullScreen(chat, relay: options.url, judge: judge).run(options.peer)
            } else {
                guard let peer = options.peer else {
                    throw ChatFailure(words(.needsPeer))
                }
                try await PlainChat(chat, judge: judge, store: place.path).run(peer)
            }
        }
    }

    private static func place(
        _ options: ChatOptions, user: String, device: String?, _ words: Words
    ) throws -> DeviceShelf.Place {
        if let path = options.store { return try DeviceShelf.take(path: path, device: device, words) }
        let shelf = DeviceShelf(
            relay: options.url, user: user, environment: ProcessInfo.processInfo.environment, words)
        return try shelf.take(device: device)
    }
}

/// The token's claims about its user, unchecked: only for names of files. The relay checks it.
struct TokenClaims {
    let user: String?
    let device: String?

    init(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        var text = parts.count == 3 ? String(parts[1]).replacing("-", with: "+").replacing("_", with: "/") : ""
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let json = Data(base64Encoded: text).map { Array($0) } ?? []
        let claims = json.withUnsafeBytes { JSONMembers(parsing: $0) }
        user = claims?.string("sub")
        device = claims?.string("device")
    }
}
