import HTTPTypes
import RoostConfiguration

/// The rule for requests of web pages. There are no cookies, so a page elsewhere can't act as a user; but requests of
/// its visitors' browsers count for their networks, make accounts and cause mails. They are refused before anything
/// counts. Programs other than browsers send none of these fields, and pass.
struct PageOrigin: Sendable {
    /// The demand on a request, by its route.
    enum Rule: Sendable {
        /// Requests that change something must come from listed pages.
        case listed
        /// A browser is sent here by a link on a page that is listed, and nothing on a page is made of it.
        case link
        /// A provider of sign-ins sends the browser here, from its own page. Its code is valid once, and from us.
        case provider
    }

    private static let site = HTTPField.Name("Sec-Fetch-Site")
    private static let destination = HTTPField.Name("Sec-Fetch-Dest")
    private static let referer = HTTPField.Name("Referer")
    private static let refusal = ServiceFault(
        .forbidden, "pages of this origin may not ask (services.origins, services.public_url)")

    /// The origins as the operator wrote them.
    let origins: Set<String>

    /// Checks where a request comes from.
    /// - Throws: `forbidden`.
    func check(_ method: HTTPRequest.Method, _ headers: HTTPFields, _ rule: Rule) throws(ServiceFault) {
        switch rule {
        case .provider: return
        case .listed where method == .get || method == .head: return
        case .listed:
            // Browsers send it with all of these (the Fetch standard, "append a request Origin header").
            if let origin = headers[.origin] {
                guard WebOrigin.isOne(origin, of: origins) else { throw PageOrigin.refusal }
            } else if value(PageOrigin.site, headers) == "cross-site" {
                throw PageOrigin.refusal
            }
        case .link:
            // An image or a frame isn't a person who goes somewhere.
            if let destination = value(PageOrigin.destination, headers), destination != "document" {
                throw PageOrigin.refusal
            }
            // The request comes from the same site, or was typed. From elsewhere a page of the operator's must be the
            // referrer.
            guard value(PageOrigin.site, headers) == "cross-site" else { return }
            guard let origin = value(PageOrigin.referer, headers).flatMap(PageOrigin.origin),
                WebOrigin.isOne(origin, of: origins)
            else { throw PageOrigin.refusal }
        }
    }

    private func value(_ name: HTTPField.Name?, _ headers: HTTPFields) -> String? { name.flatMap { headers[$0] } }

    /// The origin of a URL: all before its path.
    private static func origin(_ url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty else { return nil }
        return "\(parts[0])//\(parts[2])"
    }
}
