import COpenSSL
import CZlib
import Foundation

/// Packs the files of the chat page into a Swift source, minified and compressed: `roost-pack-page OUTPUT FILE…`. It
/// runs while the relay is built, and is no part of it. Equal files give an equal source. esbuild must be on the PATH.
@main
struct PackPage {
    /// The text that files have in place of the version, which is a hash of all of them.
    static let mark = "unpacked"

    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        guard let output = words.first, words.count > 1 else {
            throw PackFailure("usage: roost-pack-page OUTPUT FILE…")
        }
        var files = try words.dropFirst().map { path in
            let url = URL(fileURLWithPath: path)
            return PageFile(name: url.lastPathComponent, bytes: [UInt8](try Data(contentsOf: url)))
        }
        let folder = URL(fileURLWithPath: words.last ?? "").deletingLastPathComponent()
        for place in files.indices { try Minifier(folder: folder).minify(&files[place]) }
        let version = nameVersion(in: &files)
        let entries = try files.map { try $0.entry() }
        let source = """
            // Made by roost-pack-page from the files in Web.
            enum PackedPage {
                static let version = "\(version)"
                static let files: [(name: String, tag: String, plain: String, packed: String?)] = [
            \(entries.joined(separator: "\n"))
                ]
            }

            """
        try Data(source.utf8).write(to: URL(fileURLWithPath: output))
    }

    private static func nameVersion(in files: inout [PageFile]) -> String {
        let all = files.flatMap { Array("\($0.name)\n\($0.tag)\n".utf8) }
        let version = PageFile(name: "", bytes: all).tag
        for place in files.indices where !files[place].name.hasSuffix(".png") {
            let text = String(decoding: files[place].bytes, as: UTF8.self)
            files[place].bytes = [UInt8](text.replacing(mark, with: version).utf8)
        }
        return version
    }
}

/// Runs esbuild: a program is sent with short names, and without comments and white space.
struct Minifier {
    /// Where the files are, which name each other.
    let folder: URL
    /// The library's exports for its users. The source also exports its parts, for their tests; parts that only tests
    /// use aren't sent.
    static let library = #"export { Roost, RoostError, sentences } from "./roost.js";"#

    /// The files that are loaded by themselves.
    static let loaded = [
        "roost", "roost-people", "roost-talk", "app-card", "app-factor", "app-find", "app-invites", "app-people",
        "app-pick", "app-prospects", "app-settings", "app-talk", "app-write", "words-en", "words-de", "words-en-more",
        "words-de-more", "words-de-emoji",
    ]

    func minify(_ file: inout PageFile) throws {
        let common = ["--minify", "--log-level=warning"]
        switch file.name {
        case "roost.js":
            let words = common + ["--bundle", "--format=esm", "--target=es2022", "--mangle-props=\(try shortNames())"]
            file.bytes = try run(words, on: [UInt8](Self.library.utf8))
        case "roost-people.js", "roost-talk.js", "roost-chat.js", "words-en.js", "words-de.js", "words-en-more.js",
            "words-de-more.js", "words-de-emoji.js":
            file.bytes = try run(common + ["--format=esm", "--target=es2022"], on: file.bytes)
        case "app.js", "app-card.js", "app-factor.js", "app-find.js", "app-invites.js", "app-people.js",
            "app-pick.js", "app-prospects.js", "app-settings.js", "app-talk.js", "app-write.js":
            // With what they import; what is loaded by itself stays a file of its own.
            let others = Self.loaded.map { "--external:/\($0).js*" }
            let words = common + ["--bundle", "--format=esm", "--target=es2022"] + others
            file.bytes = try run(words, on: file.bytes)
        case "sw.js": file.bytes = try run(common + ["--target=es2022"], on: file.bytes)
        case "app.css": file.bytes = try run(common + ["--loader=css"], on: file.bytes)
        default: break
        }
    }

    /// A pattern of the names that only the library itself uses, which are sent as one letter each. A test checks that
    /// neither what its users are promised nor a string has one of them.
    private func shortNames() throws -> String {
        let list = try String(contentsOf: folder.appending(path: "short-names.txt"), encoding: .utf8)
        return "^(\(list.split(separator: "\n").joined(separator: "|")))$"
    }

    private func run(_ words: [String], on text: [UInt8]) throws -> [UInt8] {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["esbuild"] + words
        process.currentDirectoryURL = folder
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // It reads all of it before it writes anything.
        try input.fileHandleForWriting.write(contentsOf: Data(text))
        try input.fileHandleForWriting.close()
        let made = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0, !made.isEmpty else {
            throw PackFailure("esbuild ended with \(process.terminationStatus); `make setup` installs it")
        }
        return [UInt8](made)
    }
}

/// One file of the page.
struct PageFile {
    var name: String
    var bytes: [UInt8]

    /// Names the content: the first half of its SHA-256, in hexadecimal.
    var tag: String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return digest.prefix(16).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }

    /// The file as an element of the table. A file that gets no smaller, such as a picture, isn't compressed.
    func entry() throws -> String {
        var room = [UInt8](repeating: 0, count: bytes.count + 1_024)
        let size = roost_gzip(bytes, bytes.count, &room, room.count)
        guard size > 0 else { throw PackFailure("\(name) can't be compressed") }
        let packed = size < bytes.count * 9 / 10 ? "\"\(Data(room.prefix(size)).base64EncodedString())\"" : "nil"
        return "        (\"\(name)\", \"\(tag)\", \"\(Data(bytes).base64EncodedString())\", \(packed)),"
    }
}

/// Why nothing was packed.
struct PackFailure: Error, CustomStringConvertible {
    let description: String

    init(_ line: String) { description = line }
}
