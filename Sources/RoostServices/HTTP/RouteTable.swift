import HTTPTypes

/// The routes by path and method. One segment of a path may be `{…}`.
package struct RouteTable: Sendable {
    package typealias Handler = @Sendable (Call) async throws(ServiceFault) -> Answer

    /// The handler of a method of a path.
    package struct Route: Sendable {
        let handler: Handler
        /// Most bytes of a body; nil for as many as most routes take.
        let bodyBytes: Int?
        /// The pages that may send this request.
        let pages: PageOrigin.Rule
        /// Refuses before the body is read.
        let guardian: (@Sendable (Call) async throws(ServiceFault) -> Void)?
    }

    private struct Entry: Sendable {
        var segments: [Substring]
        var methods: [String: Route]

        var allowed: [String] { (methods.keys + (methods["GET"] == nil ? [] : ["HEAD"])).sorted() }

        // HEAD is GET without the body (RFC 9110, section 9.3.2), and monitors ask by it.
        func route(of method: HTTPRequest.Method) -> Route? { methods[method == .head ? "GET" : method.rawValue] }
    }

    private var entries: [Entry] = []

    /// No routes.
    package init() {}

    /// Adds a route, such as `DELETE` and `/v1/sessions/{sid}`. Paths without `{…}` come first.
    package mutating func add(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        add(method, path, pages: .listed, handler)
    }

    /// Adds a route that has something of its own.
    /// - Parameters:
    ///   - bodyBytes: most bytes of a body, if the route takes more than others.
    ///   - pages: which web pages may ask.
    ///   - guardian: refuses before the body is read.
    mutating func add(
        _ method: HTTPRequest.Method, _ path: String, bodyBytes: Int? = nil, pages: PageOrigin.Rule = .listed,
        guardian: (@Sendable (Call) async throws(ServiceFault) -> Void)? = nil, _ handler: @escaping Handler
    ) {
        let route = Route(handler: handler, bodyBytes: bodyBytes, pages: pages, guardian: guardian)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if let index = entries.firstIndex(where: { $0.segments == segments }) {
            entries[index].methods[method.rawValue] = route
        } else {
            entries.append(Entry(segments: segments, methods: [method.rawValue: route]))
        }
    }

    /// The paths with their methods, for a test that compares them with the document.
    package var paths: [String: Set<String>] {
        Dictionary(
            entries.map { ($0.segments.joined(separator: "/"), Set($0.methods.keys)) },
            uniquingKeysWith: { $0.union($1) })
    }

    /// The path as it was added, such as `/v1/sessions/{sid}`; nil if there is no such path.
    func pattern(of path: String) -> String? { find(path)?.entry.segments.joined(separator: "/") }

    /// The methods that a path takes, with HEAD wherever there is GET; empty if there is no such path.
    func methods(of path: String) -> [String] { find(path)?.entry.allowed ?? [] }

    /// The route of a request, and what `{…}` stands for.
    func route(
        _ method: HTTPRequest.Method, _ path: String
    ) throws(ServiceFault) -> (route: Route, parameter: String?) {
        guard let (entry, parameter) = find(path) else { throw ServiceFault(.notFound, "there is no such path") }
        guard let route = entry.route(of: method) else {
            var fault = ServiceFault(.methodNotAllowed, "this path takes other methods")
            fault.allow = entry.allowed.joined(separator: ", ")
            throw fault
        }
        return (route, parameter)
    }

    private func find(_ path: String) -> (entry: Entry, parameter: String?)? {
        let segments = path.split(separator: "/", maxSplits: 16, omittingEmptySubsequences: false)
        for entry in entries where entry.segments.count == segments.count {
            var parameter: String?
            let fits = zip(entry.segments, segments).allSatisfy { pattern, segment in
                guard pattern.hasPrefix("{") else { return pattern == segment }
                parameter = String(segment)
                return !segment.isEmpty
            }
            if fits { return (entry, parameter) }
        }
        return nil
    }
}
