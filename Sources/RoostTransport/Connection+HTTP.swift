internal import CLibwebsockets
internal import Glibc

extension Connection {
    /// Answers a plain HTTP request. Returns -1 to close the connection.
    func answer(_ wsi: OpaquePointer, mayKeepAlive: Bool = true) -> Int32 {
        core.counters.requests += 1
        let target = target(of: wsi)
        let response = respond(to: target, of: wsi)
        let keepAlive = mayKeepAlive && response.status < 400 && mayStay(wsi)
        guard send(response.serialized(keepAlive: keepAlive, withBody: target.method != "HEAD"), on: wsi) else {
            return -1
        }
        core.unread.add(self, wsi)
        guard keepAlive else { return -1 }
        return lws_http_transaction_completed(wsi) == 0 ? 0 : -1
    }

    private func respond(to target: Target, of wsi: OpaquePointer) -> HTTPResponse {
        guard target.method == "GET" || target.method == "HEAD" else {
            var response = HTTPResponse.refusal(
                405, code: "method_not_allowed", reason: "only GET and HEAD are allowed")
            response.headers = [("Allow", "GET, HEAD")]
            return response
        }
        if target.path == core.settings.path { return .upgradeRequired }
        let request = HTTPRequest(
            method: target.method,
            path: target.path,
            query: query(of: wsi),
            authorization: header(WSI_TOKEN_HTTP_AUTHORIZATION, of: wsi),
            peerAddress: peerAddress
        )
        return core.events?.respond(to: request) ?? .notFound
    }

    // The body of a request would have to be read to its end first, but libwebsockets 4.1 misreads negative lengths and
    // never ends chunked bodies. So a request with a body is answered, and its connection is closed.
    private func mayStay(_ wsi: OpaquePointer) -> Bool {
        guard header(WSI_TOKEN_HTTP, of: wsi) == "HTTP/1.1" else { return false }
        let hasBody = [WSI_TOKEN_HTTP_CONTENT_LENGTH, WSI_TOKEN_HTTP_TRANSFER_ENCODING].contains {
            lws_hdr_total_length(wsi, $0) > 0
        }
        guard !hasBody else { return false }
        guard lws_hdr_total_length(wsi, WSI_TOKEN_CONNECTION) > 0 else { return true }
        return header(WSI_TOKEN_CONNECTION, of: wsi, max: 24)?.lowercased() == "keep-alive"
    }

    /// Hands a response to the library, which keeps what the socket doesn't take. Returns false if the socket is dead.
    @discardableResult
    func send(_ bytes: [UInt8], on wsi: OpaquePointer) -> Bool {
        bytes.withUnsafeBytes { shim_lws_write_raw(wsi, $0.baseAddress, $0.count) } >= 0
    }

    // MARK: Request head

    struct Target {
        var method: String
        var path: String
    }

    /// Returns method and path. The library stores the path under a token named after the method.
    func target(of wsi: OpaquePointer) -> Target {
        for (token, method) in Connection.methods where lws_hdr_total_length(wsi, token) > 0 {
            return Target(method: method, path: header(token, of: wsi) ?? "")
        }
        return Target(method: "", path: "")
    }

    private static let methods: [(lws_token_indexes, String)] = [
        (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_HEAD_URI, "HEAD"), (WSI_TOKEN_POST_URI, "POST"),
        (WSI_TOKEN_PUT_URI, "PUT"), (WSI_TOKEN_PATCH_URI, "PATCH"), (WSI_TOKEN_DELETE_URI, "DELETE"),
        (WSI_TOKEN_OPTIONS_URI, "OPTIONS"),
    ]

    /// Returns the value of a header, or nil if it is missing or has `max` bytes or more. The library's header table
    /// holds 4 KiB.
    func header(_ token: lws_token_indexes, of wsi: OpaquePointer, max: Int = 4_096) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: max + 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = lws_hdr_copy(wsi, start, Int32(max), token)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
        }
    }

    // The library splits the query at each `&`.
    private func query(of wsi: OpaquePointer) -> String {
        var arguments: [String] = []
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
            guard let start = buffer.baseAddress else { return }
            while true {
                let count = lws_hdr_copy_fragment(
                    wsi,
                    start,
                    Int32(buffer.count),
                    WSI_TOKEN_HTTP_URI_ARGS,
                    Int32(arguments.count)
                )
                guard count > 0 else { return }
                arguments.append(
                    String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
                )
            }
        }
        return arguments.joined(separator: "&")
    }
}
