import COpenSSL
import CZlib
import Foundation

/// Packs the files of the chat page into a Swift source, compressed: `roost-pack-page OUTPUT FILE…`. It runs while the
/// relay is built, and is no part of it. Equal files give an equal source.
@main
struct PackPage {
    /// What the files have in place of the version, which is a hash of all of them.
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
        nameVersion(in: &files)
        let entries = try files.map { try $0.entry() }
        let source = """
            // Made by roost-pack-page from the files in Web.
            enum PackedPage {
                static let files: [(name: String, tag: String, plain: String, packed: String?)] = [
            \(entries.joined(separator: "\n"))
                ]
            }

            """
        try Data(source.utf8).write(to: URL(fileURLWithPath: output))
    }

    private static func nameVersion(in files: inout [PageFile]) {
        let all = files.flatMap { Array("\($0.name)\n\($0.tag)\n".utf8) }
        let version = PageFile(name: "", bytes: all).tag
        for place in files.indices where !files[place].name.hasSuffix(".png") {
            var text = String(decoding: files[place].bytes, as: UTF8.self).replacing(mark, with: version)
            if files[place].name.hasSuffix(".js") { text = withoutComments(text) }
            files[place].bytes = [UInt8](text.utf8)
        }
    }

    /// A program without the lines that are comments and nothing else, a quarter of what would be sent. Everything else
    /// stays as it is, so no line of the program may begin with `//` or `/*` inside a literal.
    private static func withoutComments(_ program: String) -> String {
        var kept: [Substring] = []
        var isInside = false
        for line in program.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if isInside || text.hasPrefix("/*") {
                isInside = !text.hasSuffix("*/")
            } else if !text.hasPrefix("//") {
                kept.append(line)
            }
        }
        return kept.joined(separator: "\n")
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

    /// The file as an element of the table. What gets no smaller, as pictures, isn't compressed.
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
