import CCurl

/// A URL as libcurl reads it, which is who will use it: two readers of one URL may see two hosts in it. A value.
package struct OutgoingURL: Sendable, Equatable {
    /// The whole of it.
    package let text: String
    /// In lower case.
    package let scheme: String
    /// In lower case; an IPv6 address has its brackets.
    package let host: String
    /// The scheme's own if it names none.
    package let port: String

    /// Nil if it can't be used: another scheme, no host, a name or password in it, or too long.
    package init?(_ text: String, schemes: [String], bytes: Int) {
        guard text.utf8.count <= bytes, !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else { return nil }
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK,
            OutgoingURL.part(CURLUPART_USER, of: handle) == nil,
            OutgoingURL.part(CURLUPART_PASSWORD, of: handle) == nil,
            let scheme = OutgoingURL.part(CURLUPART_SCHEME, of: handle)?.lowercased(), schemes.contains(scheme),
            let host = OutgoingURL.part(CURLUPART_HOST, of: handle)?.lowercased(), !host.isEmpty,
            let port = OutgoingURL.part(CURLUPART_PORT, of: handle)
        else { return nil }
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The key by which connections and failures are counted.
    var site: String { "\(scheme)://\(host):\(port)" }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
