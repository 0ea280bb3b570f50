import CCurl
import Glibc
import RoostConfiguration

/// The work of a transfer. A value.
enum TransferWork: Sendable {
    case http(OutgoingRequest)
    case mail(MailEnvelope)
    /// Introduces itself to a server of mail, and sends nothing.
    case greeting(MailAccess)
}

/// The user and password for a mail server. A value.
struct MailAccess: Sendable {
    let user: String?
    let password: String?
    /// Whether the connection is encrypted before anything else is said. Has no meaning for `smtps`.
    let needsTLS: Bool
}

/// One mail for one server, ready to be sent. A value.
struct MailEnvelope: Sendable {
    let sender: String
    let recipient: String
    /// With CRLF at each end of line; libcurl doubles dots.
    let message: [UInt8]
    let access: MailAccess
}

/// The end of a transfer.
struct TransferEnd: Sendable {
    enum Cause: Sendable, Equatable {
        /// libcurl's code, 0 if all went well.
        case library(UInt32)
        case refusedAddress, tooLarge, overdue, cancelled, stopped, busy

        /// Every word there is, for the metrics.
        static let words = ["answered", "failed", "refused_address", "too_large", "timeout", "cancelled", "busy"]

        /// The word in the metrics.
        var word: String {
            switch self {
            case .library(0): "answered"
            case .library: "failed"
            case .refusedAddress: "refused_address"
            case .tooLarge: "too_large"
            case .overdue: "timeout"
            case .cancelled, .stopped: "cancelled"
            case .busy: "busy"
            }
        }
    }

    let cause: Cause
    /// The status of HTTP, or the last code of SMTP; 0 if there was none.
    var status = 0
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The last line by which a server of mail refused something.
    var refusal = ""
}

/// One transfer of libcurl: its handle, what the handle borrows, and what has come. Confined to the loop's thread. The
/// handle points to it, so it lives until the handle is closed, which it does itself.
final class Transfer {
    let order: TransferOrder
    let handle: UnsafeMutableRawPointer
    private let policy: AddressPolicy
    private let bounds: OutgoingBounds
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var unsent: ArraySlice<UInt8> = []
    private var headerBytes = 0
    private var received = TransferEnd(cause: .library(0))
    private var hasRefused = false
    private var isTooLarge = false

    /// Nil without memory, or if libcurl lacks what we need.
    init?(_ order: TransferOrder, settings: OutgoingSettings) {
        guard let handle = curl_easy_init() else { return nil }
        self.order = order
        self.handle = handle
        policy = settings.policy
        bounds = settings.bounds
        guard prepare(settings) else { return nil }
        let isReady =
            switch order.work {
            case .http(let request): prepare(request)
            case .mail(let envelope): prepare(envelope)
            // The command needs a successful login (RFC 5321, section 4.1.1.9).
            case .greeting(let access): prepare(access) && set(CURLOPT_CUSTOMREQUEST, "NOOP")
            }
        guard isReady else { return nil }
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    /// The end of the transfer, from libcurl's code.
    func end(_ code: CURLcode) -> TransferEnd {
        var cause = TransferEnd.Cause.library(code.rawValue)
        if code == CURLE_OPERATION_TIMEDOUT { cause = .overdue }
        // Another address of the same name may have been used instead.
        if hasRefused, code == CURLE_COULDNT_CONNECT { cause = .refusedAddress }
        if isTooLarge { cause = .tooLarge }
        var end = TransferEnd(cause: cause, status: roost_curl_response_code(handle))
        end.headers = received.headers
        end.body = received.body
        end.refusal = received.refusal
        return end
    }

    private func prepare(_ settings: OutgoingSettings) -> Bool {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        let bounds = settings.bounds
        return set(CURLOPT_URL, order.url.text)
            && set(CURLOPT_NOSIGNAL, 1)
            && set(CURLOPT_CONNECTTIMEOUT_MS, bounds.connect.milliseconds)
            // A proxy from the environment would be what the policy sees.
            && set(CURLOPT_PROXY, "")
            && set(CURLOPT_FOLLOWLOCATION, 0)
            && set(CURLOPT_SSL_VERIFYPEER, 1)
            && set(CURLOPT_SSL_VERIFYHOST, 2)
            && set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            && (settings.caFile.map { set(CURLOPT_CAINFO, $0) } ?? true)
            && roost_curl_set_socket(handle, Transfer.openSocket, owner) == CURLE_OK
            && roost_curl_set_bytes(handle, CURLOPT_WRITEFUNCTION, Transfer.takeBody) == CURLE_OK
            && roost_curl_set_pointer(handle, CURLOPT_WRITEDATA, owner) == CURLE_OK
            && roost_curl_set_bytes(handle, CURLOPT_HEADERFUNCTION, Transfer.takeHeader) == CURLE_OK
            && roost_curl_set_pointer(handle, CURLOPT_HEADERDATA, owner) == CURLE_OK
            && roost_curl_set_bytes(handle, CURLOPT_READFUNCTION, Transfer.giveBody) == CURLE_OK
            && roost_curl_set_pointer(handle, CURLOPT_READDATA, owner) == CURLE_OK
    }

    private func prepare(_ request: OutgoingRequest) -> Bool {
        guard set(CURLOPT_PROTOCOLS_STR, "https,http") else { return false }
        // Without this libcurl would add a type for forms, and a wait of a second before large bodies.
        var lines = ["Expect:"]
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        // A field without a value is written with a semicolon (CURLOPT_HTTPHEADER(3)).
        lines += request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        guard set(CURLOPT_HTTPHEADER, lines) else { return false }
        switch request.method {
        case "GET" where request.body.isEmpty: return set(CURLOPT_HTTPGET, 1)
        case "HEAD": return set(CURLOPT_NOBODY, 1)
        case "DELETE" where request.body.isEmpty, "OPTIONS" where request.body.isEmpty:
            return set(CURLOPT_CUSTOMREQUEST, request.method)
        default:
            guard roost_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)) == CURLE_OK
            else { return false }
            return request.body.withUnsafeBytes { bytes in
                // Without an address libcurl would ask for the body.
                bytes.isEmpty
                    ? set(CURLOPT_COPYPOSTFIELDS, "")
                    : roost_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress) == CURLE_OK
            } && set(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func prepare(_ envelope: MailEnvelope) -> Bool {
        unsent = envelope.message[...]
        return prepare(envelope.access)
            && set(CURLOPT_MAIL_FROM, "<\(envelope.sender)>")
            && set(CURLOPT_MAIL_RCPT, ["<\(envelope.recipient)>"])
            && set(CURLOPT_UPLOAD, 1)
            && roost_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(envelope.message.count)) == CURLE_OK
    }

    private func prepare(_ access: MailAccess) -> Bool {
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
            && set(CURLOPT_USE_SSL, Int((access.needsTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE).rawValue))
            && (access.user.map { set(CURLOPT_USERNAME, $0) } ?? true)
            && (access.password.map { set(CURLOPT_PASSWORD, $0) } ?? true)
    }

    private func set(_ option: CURLoption, _ number: Int) -> Bool {
        roost_curl_set_number(handle, option, number) == CURLE_OK
    }

    private func set(_ option: CURLoption, _ text: String) -> Bool {
        text.withCString { roost_curl_set_pointer(handle, option, $0) == CURLE_OK }
    }

    private func set(_ option: CURLoption, _ lines: [String]) -> Bool {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                return false
            }
            list = longer
        }
        guard let list else { return false }
        lists.append(list)
        return roost_curl_set_pointer(handle, option, list) == CURLE_OK
    }
}

// libcurl's callbacks, on the loop's thread, while the transfer is its loop's.
extension Transfer {
    private static func owned(_ owner: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(owner).takeUnretainedValue()
    }

    private static let openSocket: roost_curl_socket = { owner, _, address in
        guard let owner, let address else { return -1 }
        return owned(owner).open(address)
    }

    private static let takeBody: roost_curl_bytes = { bytes, size, count, owner in
        guard let bytes, let owner else { return 0 }
        return owned(owner).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    private static let takeHeader: roost_curl_bytes = { bytes, size, count, owner in
        guard let bytes, let owner else { return 0 }
        return owned(owner).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    private static let giveBody: roost_curl_bytes = { bytes, size, count, owner in
        guard let bytes, let owner else { return 0 }
        return owned(owner).giveBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    /// Opens a socket for an address that libcurl is about to connect to, unless it is refused.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let found = address.pointee
        let bytes = UnsafeRawBufferPointer(start: roost_curl_address(address), count: Int(found.addrlen))
        // The server of mail is the operator's own choice, and usually in his network.
        if case .http = order.work {
            guard let target = NetworkAddress(bytes, family: found.family), policy.permits(target) else {
                hasRefused = true
                return -1
            }
        }
        return socket(found.family, found.socktype | Int32(SOCK_CLOEXEC.rawValue), found.protocol)
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        var most = bounds.responseBytes
        if case .http(let request) = order.work, let asked = request.responseBytes { most = asked }
        guard bytes.count <= most - received.body.count else {
            isTooLarge = true
            return 0
        }
        received.body.append(contentsOf: bytes)
        return bytes.count
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerBytes += bytes.count
        guard headerBytes <= bounds.headerBytes else {
            isTooLarge = true
            return 0
        }
        let line = String(decoding: bytes, as: UTF8.self).filter { $0 != "\r\n" && $0 != "\n" && $0 != "\r" }
        if case .mail = order.work {
            if line.hasPrefix("4") || line.hasPrefix("5") { received.refusal = line }
        } else if line.hasPrefix("HTTP/") {
            // The lines before belonged to an interim response (RFC 9110, section 15.2).
            received.headers = []
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            received.headers.append((line[..<colon].lowercased(), String(value)))
        }
        return bytes.count
    }

    private func giveBody(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let part = unsent.prefix(room.count)
        room.copyBytes(from: part)
        unsent = unsent.dropFirst(part.count)
        return part.count
    }
}

extension Duration {
    /// Whole milliseconds, at least one: libcurl takes 0 for no bound.
    var milliseconds: Int {
        max(1, Int(clamping: components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000))
    }
}
