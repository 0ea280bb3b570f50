import HTTPTypes
import Hummingbird
import RoostWire

/// A route's answer. Bodies are whole: nothing here is large.
package struct Answer: Sendable {
    private static let referrerPolicy = HTTPField.Name("Referrer-Policy")
    package var status: Int
    package var type: String
    package var body: [UInt8]
    /// Whether caches must not keep it: it has tokens, or something about a person.
    package var isPrivate = true
    package var retryAfter: Int64?
    package var allow: String?
    /// Where the browser goes.
    package var location: String?

    /// An answer with any body.
    package init(_ status: Int, type: String, body: [UInt8], isPrivate: Bool) {
        self.status = status
        self.type = type
        self.body = body
        self.isPrivate = isPrivate
    }

    /// A JSON object.
    package static func json(_ status: Int = 200, _ members: (JSONWriter) -> Void = { _ in }) -> Answer {
        Answer(status, type: "application/json", body: JSONWriter.object(members), isPrivate: true)
    }

    /// Nothing but the status.
    package static let done = Answer(204, type: "", body: [], isPrivate: true)

    /// Sends the browser elsewhere: by 302 to a provider, by 303 to the page, which is never posted to.
    package static func redirect(_ status: Int, _ location: String) -> Answer {
        var answer = Answer(status, type: "", body: [], isPrivate: true)
        answer.location = location
        return answer
    }

    /// A refusal: always an object with `code` and `reason`.
    package init(_ fault: ServiceFault) {
        self = .json(fault.code.status) { writer in
            writer.member("code", fault.code.rawValue)
            writer.member("reason", fault.reason)
            if let member = fault.member { writer.member("member", member) }
            if let wait = fault.retryAfter { writer.member("retryAfter", wait) }
            if let ticket = fault.ticket {
                writer.member("ticket", ticket.secret)
                writer.member("expires", ticket.expires)
            }
        }
        retryAfter = fault.retryAfter
        allow = fault.allow
    }

    var response: Response {
        var headers = HTTPFields()
        if !type.isEmpty { headers[.contentType] = type }
        headers[.xContentTypeOptions] = "nosniff"
        if isPrivate { headers[.cacheControl] = "no-store" }
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        if let allow { headers[.allow] = allow }
        if let location {
            headers[.location] = location
            // Where it goes next needn't know what is in our address.
            if let name = Answer.referrerPolicy { headers[name] = "no-referrer" }
        }
        if status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        // 204 has no body, and no length either (RFC 9110, section 8.6).
        guard status != 204 else { return Response(status: .noContent, headers: headers) }
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
