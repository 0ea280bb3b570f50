import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import RoostConfiguration
import Synchronization

/// The part of a connection that its requests need.
struct GateContext: InitializableFromSource {
    let peer: String
    let logger: Logger
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? ""
        logger = source.logger
    }

    /// Has a client that asked for it send its body (RFC 9110, section 10.1.1).
    func sendContinue() async {
        try? await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
    }
}

/// The one way in: limits, origins and errors are the same for every route. It answers whatever comes; it never throws.
final class Gate: HTTPResponder {
    private static let forwarded = HTTPField.Name("X-Forwarded-For")
    private let routes: RouteTable
    /// Origins of the web pages that may read our answers (the Fetch standard, CORS), as the operator wrote them.
    private let origins: Set<String>
    private let pages: PageOrigin
    private let addresses: ClientAddress
    private let limits: ServicesLimits
    private let requests: RequestCounts
    private let log: Logger
    private let underWay = Mutex(0)
    // Complaints that were logged: once, because every request would repeat them.
    private let complaints = Mutex<Set<ClientAddress.Complaint>>([])

    init(
        routes: RouteTable, origins: Set<String>, addresses: ClientAddress, limits: ServicesLimits,
        requests: RequestCounts, log: Logger
    ) {
        self.routes = routes
        self.origins = origins
        pages = PageOrigin(origins: origins)
        self.addresses = addresses
        self.limits = limits
        self.requests = requests
        self.log = log
    }

    func respond(to request: Request, context: GateContext) async -> Response {
        let began = ContinuousClock.now
        let response = await answered(request, context)
        let route = routes.pattern(of: request.uri.path)
        // Anybody can invent methods and paths.
        let isKnown = routes.methods(of: request.uri.path).contains(request.method.rawValue)
        let method = isKnown || request.method == .options ? request.method.rawValue : "other"
        requests.record(
            RequestCounts.Kind(method: method, route: route ?? "other", status: response.status.code),
            took: .now - began)
        return response
    }

    private func answered(_ request: Request, _ context: GateContext) async -> Response {
        let origin = request.headers[.origin]
        var response: Response
        if request.method == .options, let origin, request.headers[.accessControlRequestMethod] != nil {
            response = preflight(origin, path: request.uri.path)
        } else {
            response = await answer(request, context).response
        }
        // The answer differs by origin, so a cache must keep them apart.
        response.headers[.vary] = "Origin"
        if let origin, WebOrigin.isOne(origin, of: origins) {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlExposeHeaders] = "Retry-After"
        }
        // A body behind the headers would be taken for the next answer on this connection.
        return request.method == .head ? response.withoutBody : response
    }

    private func preflight(_ origin: String, path: String) -> Response {
        let methods = routes.methods(of: path)
        guard WebOrigin.isOne(origin, of: origins), !methods.isEmpty else {
            return Answer(ServiceFault(.notFound, "this origin isn't allowed, or there is no such path")).response
        }
        var headers = HTTPFields()
        headers[.accessControlAllowMethods] = methods.joined(separator: ", ")
        headers[.accessControlAllowHeaders] = "Authorization, Content-Type, Idempotency-Key"
        headers[.accessControlMaxAge] = String(limits.preflightSeconds)
        return Response(status: .noContent, headers: headers)
    }

    private func answer(_ request: Request, _ context: GateContext) async -> Answer {
        do throws(ServiceFault) {
            let (route, parameter) = try routes.route(request.method, request.uri.path)
            try pages.check(request.method, request.headers, route.pages)
            let forwarded = Gate.forwarded.flatMap { request.headers[$0] }
            complain(of: addresses.complaint(peer: context.peer, forwarded: forwarded))
            var call = Call(
                parameter: parameter, query: request.uri.query, body: [], headers: request.headers,
                client: addresses.key(peer: context.peer, forwarded: forwarded),
                isLocal: addresses.isLocal(peer: context.peer, request.headers))
            try await route.guardian?(call)
            // Bodies that are slow to arrive keep no client out: what they may hold is bounded by the connections.
            call.body = try await body(of: request, context, atMost: route.bodyBytes ?? limits.bodyBytes)
            guard enter() else {
                throw ServiceFault(.busy, "too many requests at once", retryAfter: Int64(limits.busySeconds))
            }
            defer { leave() }
            return try await route.handler(call)
        } catch {
            log.debug("refused", metadata: ["code": "\(error.code.rawValue)", "method": "\(request.method)"])
            return Answer(error)
        }
    }

    private func complain(of complaint: ClientAddress.Complaint?) {
        guard let complaint, complaints.withLock({ $0.insert(complaint).inserted }) else { return }
        log.warning("\(complaint.words)")
    }

    private func enter() -> Bool {
        underWay.withLock { count in
            guard count < limits.requestsMax else { return false }
            count += 1
            return true
        }
    }

    private func leave() { underWay.withLock { $0 -= 1 } }

    // MARK: Bodies

    private enum Read: Sendable {
        case whole([UInt8])
        case tooLarge, broken, late
    }

    private func body(
        of request: Request, _ context: GateContext, atMost most: Int
    ) async throws(ServiceFault) -> [UInt8] {
        let tooLarge = ServiceFault(.tooLarge, "the body has more than \(most) bytes")
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > most { throw tooLarge }
        // A client isn't asked for a body that is refused. Other expectations were refused before.
        if request.headers[.expect] != nil { await context.sendContinue() }
        let (body, seconds) = (request.body, limits.requestSeconds)
        let read = await withTaskGroup(of: Read.self) { group in
            group.addTask {
                do { return .whole(Array(buffer: try await body.collect(upTo: most))) } catch is NIOTooManyBytesError {
                    return .tooLarge
                } catch {
                    return .broken
                }
            }
            group.addTask {
                do { try await Task.sleep(for: .seconds(seconds)) } catch { return .broken }
                return .late
            }
            let first = await group.next() ?? .broken
            group.cancelAll()
            return first
        }
        switch read {
        case .whole(let bytes): return bytes
        case .tooLarge: throw tooLarge
        case .broken: throw ServiceFault(.badRequest, "the body ended early")
        case .late: throw ServiceFault(.timeout, "the request took more than \(seconds) seconds to arrive")
        }
    }
}

extension Response {
    /// The headers of this answer, its length among them, and nothing after.
    fileprivate var withoutBody: Response {
        Response(
            status: status, headers: headers,
            body: ResponseBody(contentLength: body.contentLength) { try await $0.finish(nil) })
    }
}
