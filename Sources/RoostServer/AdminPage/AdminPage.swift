import RoostTransport

/// The files of the operators' page. They are part of the program, hold nothing that is secret, and say to browsers
/// that nothing else may be loaded, run or framed (Content Security Policy Level 3).
enum AdminPage {
    private static let files: [String: (type: String, body: [UInt8])] = [
        "/admin": ("text/html", PackageResources.admin_html),
        "/admin/admin.css": ("text/css", PackageResources.admin_css),
        "/admin/admin.js": ("text/javascript", PackageResources.admin_js),
    ]

    /// The paths of its files.
    static let paths = Set(files.keys)

    /// The response for one of its paths; nil for others.
    static func response(to path: String) -> HTTPResponse? {
        files[path].map { type, body in
            HTTPResponse(status: 200, contentType: "\(type); charset=utf-8", body: body, headers: headers)
        }
    }

    private static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        // The page and the relay are of one version.
        ("Cache-Control", "no-store"),
    ]
}
