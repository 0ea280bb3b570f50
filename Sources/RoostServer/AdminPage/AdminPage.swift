import RoostTransport

/// The files of the operators' page. They are part of the program, hold nothing that is secret, and say to browsers
/// that nothing else may be loaded, run or framed (Content Security Policy Level 3).
enum AdminPage {
    private static let files: [String: (type: String, body: [UInt8])] = [
        "/admin": ("text/html", PackageResources.admin_html),
        "/admin/admin.css": ("text/css", PackageResources.admin_css),
        "/admin/admin.js": ("text/javascript", PackageResources.admin_js),
        "/admin/accounts.js": ("text/javascript", PackageResources.accounts_js),
        "/admin/dom.js": ("text/javascript", PackageResources.dom_js),
        "/admin/find.js": ("text/javascript", PackageResources.find_js),
        "/admin/invites.js": ("text/javascript", PackageResources.invites_js),
        "/admin/services.js": ("text/javascript", PackageResources.services_js),
        "/admin/reports.js": ("text/javascript", PackageResources.reports_js),
        "/admin/signins.js": ("text/javascript", PackageResources.signins_js),
    ]

    /// The paths of its files.
    static let paths = Set(files.keys)

    /// The response for one of its paths; nil for others.
    /// - Parameter services: the origin of the services, or nothing.
    static func response(to path: String, services: String) -> HTTPResponse? {
        files[path].map { type, body in
            HTTPResponse(
                status: 200, contentType: "\(type); charset=utf-8", body: body,
                headers: [("Content-Security-Policy", policy(services: services))] + headers)
        }
    }

    private static func policy(services: String) -> String {
        let origins = services.isEmpty ? "'self'" : "'self' \(services)"
        return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src \(origins); img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }

    private static let headers: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        // The page and the relay are of one version.
        ("Cache-Control", "no-store"),
    ]
}
