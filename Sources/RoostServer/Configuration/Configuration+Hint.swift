import RoostTransport

extension Configuration {
    /// The options by which another command of `roost` on this machine finds this relay and its key, to be copied into
    /// a shell; empty if it finds them without.
    /// - Parameter port: the port that it listens on.
    func hint(port: UInt16) -> (key: String, relay: String) {
        let defaults = Configuration()
        var words: [String] = []
        if auth.keyFile != defaults.auth.keyFile { words.append("auth.key_file=\(auth.keyFile)") }
        if let audience = auth.audience { words.append("auth.audience=\(audience)") }
        if let issuer = auth.issuer { words.append("auth.issuer=\(issuer)") }
        let key = words.map { " --set " + Self.quoted($0) }.joined()
        guard let url = url(port: port), url != defaults.url(port: defaults.listen.port) else { return (key, key) }
        return (key, " --url \(url)" + key)
    }

    /// The address at which clients on this machine reach a relay with this configuration; nil if it listens on a Unix
    /// socket, which has no URL. A relay that listens everywhere is reached by the loopback address.
    /// - Parameter port: the port that it listens on.
    public func url(port: UInt16) -> String? {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][listen.host] ?? listen.host
        let authority = ListenAddress(host)?.authority(port: port, as: host)
        return authority.map { "ws\(tls.isOn ? "s" : "")://\($0)/v1/socket" }
    }

    /// Quotes a text as one word of a shell.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/.,:=_-@%+".utf8.contains(byte)
            }
        }
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
