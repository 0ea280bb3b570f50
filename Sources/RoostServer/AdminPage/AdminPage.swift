import RoostTransport

/// The files of the operators' page. They are part of the program, hold nothing that is secret, and say to browsers
/// that nothing else may be loaded, run or framed (Content Security Policy Level 3).
enum AdminPage {
    /// The response for one of its paths; nil for others.
    static func response(to path: String) -> HTTPResponse? {
        switch path {
        case "/admin": response("text/html; charset=utf-8", PackageResources.admin_html)
        case "/admin/admin.css": response("text/css; charset=utf-8", PackageResources.admin_css)
        case "/admin/admin.js": response("text/javascript; charset=utf-8", PackageResources.admin_js)
        default: nil
        }
    }

    private static func response(_ type: String, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: 200, contentType: type, body: body, headers: headers)
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
