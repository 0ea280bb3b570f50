import Foundation
import RoostTransport

/// The files of the chat page (folder Web). They are packed while the relay is built, are part of the program, hold
/// nothing that is secret, and say to browsers that nothing else may be loaded, run or framed.
///
/// The modules of the client are there a second time, below `/v1/client/`, for pages of apps from any origin.
enum ChatPage {
    private struct File {
        var type: String
        var tag: String
        var plain: [UInt8]
        /// By gzip; nil if that makes it no smaller.
        var packed: [UInt8]?
    }

    private static let files: [String: File] = Dictionary(
        uniqueKeysWithValues: PackedPage.files.compactMap { file in
            guard let plain = Data(base64Encoded: file.plain) else { return nil }
            let path = file.name == "index.html" ? "/" : "/" + file.name
            let packed = file.packed.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
            return (path, File(type: type(of: file.name), tag: file.tag, plain: [UInt8](plain), packed: packed))
        })

    /// Where pages from elsewhere load the client. The number is that of the protocol: within it, modules keep what
    /// their `.d.ts` files promise, so that an app needn't change with the relay.
    private static let clientFolder = "/v1/client/"
    private static let clientModules: Set<String> = ["/roost.js", "/roost-people.js", "/roost-talk.js", elementModule]
    /// Only for apps.
    private static let elementModule = "/roost-chat.js"

    /// Whether it is a path of the client, which is there without the chat page, too.
    static func isClient(_ path: String) -> Bool { path.hasPrefix(clientFolder) }

    /// The response for one of its paths; nil for others. At `/` the page is only for clients that accept HTML by name,
    /// as browsers do: programs and people with curl get a line of text there.
    /// - Parameter services: the origin of the services, or nothing.
    static func response(to request: HTTPRequest, services: String) -> HTTPResponse? {
        let isModule = isClient(request.path)
        let name = isModule ? "/" + request.path.dropFirst(clientFolder.count) : request.path
        guard let file = files[name], isModule ? clientModules.contains(name) : name != elementModule else {
            return nil
        }
        let isRoot = request.path == "/"
        if !isRoot, isOtherVersion(request.query) { return otherVersion }
        if isRoot, !takesHTML(request.accept) { return nil }
        let packed = file.packed.flatMap { takesGzip(request.acceptEncoding) ? $0 : nil }
        // A strong tag names bytes as they are sent (RFC 9110, section 8.8.3).
        let tag = packed == nil ? "\"\(file.tag)\"" : "\"\(file.tag)-gzip\""
        var response = HTTPResponse(
            status: 200, contentType: file.type, body: packed ?? file.plain,
            headers: isModule ? moduleHeaders : headers(services: services))
        response.headers.append(("ETag", tag))
        let varying = (isRoot ? ["Accept"] : []) + (file.packed == nil ? [] : ["Accept-Encoding"])
        if !varying.isEmpty { response.headers.append(("Vary", varying.joined(separator: ", "))) }
        if let known = request.ifNoneMatch, names(known, tag) {
            response.status = 304
            response.body = []
        } else if packed != nil {
            response.headers.append(("Content-Encoding", "gzip"))
        }
        return response
    }

    /// Whether a query names another version. An open page requests its parts with its version, and must not get parts
    /// of another one, which may not fit it. Other queries, such as a campaign's name, say nothing of a version.
    private static func isOtherVersion(_ query: String) -> Bool {
        query.utf8.count == PackedPage.version.utf8.count && query != PackedPage.version
            && query.allSatisfy { "0"..."9" ~= $0 || "a"..."f" ~= $0 }
    }

    private static var otherVersion: HTTPResponse {
        var response = HTTPResponse.refusal(
            404, code: "not_found", reason: "the page is of another version here: reload it")
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        default: "image/png"
        }
    }

    private static func takesHTML(_ accept: String?) -> Bool {
        items(accept).contains { $0 == "text/html" || $0.hasPrefix("text/html;") }
    }

    private static func takesGzip(_ encodings: String?) -> Bool {
        items(encodings).contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard parts.first == "gzip" || parts.first == "x-gzip" else { return false }
            // `q=0` refuses it (RFC 9110, section 12.4.2).
            return !parts.dropFirst().contains { $0.hasPrefix("q=0") && !$0.dropFirst(3).contains { "1"..."9" ~= $0 } }
        }
    }

    private static func names(_ known: String, _ tag: String) -> Bool {
        items(known).contains { $0 == "*" || $0 == tag || $0 == "w/" + tag }
    }

    private static func items(_ list: String?) -> [String] {
        (list ?? "").lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The operator's settings for the page, which its files can't contain. An origin has no character that JSON
    /// escapes.
    static func settings(services: String) -> HTTPResponse {
        let text = services.isEmpty ? "{}" : "{\"services\":\"\(services)\"}"
        return HTTPResponse(
            status: 200, contentType: "application/json", body: [UInt8](text.utf8), headers: headers(services: ""))
    }

    private static func headers(services: String) -> [(name: String, value: String)] {
        let policy = policy.replacing("connect-src 'self'", with: "connect-src 'self' \(services)")
        return [("Content-Security-Policy", services.isEmpty ? Self.policy : policy)] + others
    }

    /// A module script from another origin needs the permission of both headers (the HTML standard, "fetch a single
    /// module script"; the Fetch standard, "cross-origin resource policy check"). Everybody may read these files.
    private static let moduleHeaders: [(name: String, value: String)] = [
        ("Access-Control-Allow-Origin", "*"),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-cache"),
    ]

    // Trusted Types: text can't become script or markup by any way of the DOM. The one policy that there is names the
    // service worker's address.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types roost"

    private static let others: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        // The page and the relay are of one version: a browser asks each time, and mostly gets 304.
        ("Cache-Control", "no-cache"),
    ]
}
