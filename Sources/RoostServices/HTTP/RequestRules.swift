import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// The demands of HTTP on each request, checked before anything else looks at it (RFC 9112): one `Host`, framing that
/// both ends understand, and one answer for each request, in JSON when it is a refusal. It closes the connection after
/// the last answer. It belongs to one connection and its event loop.
final class RequestRules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A body that can't be read. Not the parser's own error, for which Hummingbird would write an answer of its own
    /// beside that of the request.
    struct BodyFault: Error {}

    /// The fate of the connection after an answer.
    private enum Fate {
        case ends, persists
        /// HTTP/1.0 has it only if both sides say so (RFC 9112, section 9.3).
        case persistsByAgreement
    }

    // One for each request that was handed on and isn't answered yet.
    private var open = CircularBuffer<Fate>()
    // Whether a request's head was handed on, and its end wasn't.
    private var isReading = false
    // Nothing that comes is read any more.
    private var isOver = false
    // The last answer, which waits for those before it.
    private var lastAnswer: (answer: Answer, hasBody: Bool)?

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            if let fault = RequestRules.fault(of: head) {
                isOver = true
                return end(with: fault, hasBody: head.method != .HEAD, context)
            }
            isReading = true
            let isOld = head.version == .http1_0
            open.append(!head.isKeepAlive ? .ends : isOld ? .persistsByAgreement : .persists)
            // 1.0 has no interim answers (RFC 9110, section 10.1.1).
            if isOld { head.headers.remove(name: "Expect") }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body:
            context.fireChannelRead(data)
        case .end:
            isReading = false
            // Requests behind one that ends the connection aren't carried out.
            isOver = open.last == .ends
            context.fireChannelRead(data)
        }
    }

    /// Why a request isn't handed on; nil if it is.
    static func fault(of head: HTTPRequestHead) -> ServiceFault? {
        guard head.version == .http1_1 || head.version == .http1_0 else {
            return ServiceFault(.badRequest, "this server speaks HTTP/1.1")
        }
        let hosts = head.headers["Host"]
        guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0 else {
            return ServiceFault(.badRequest, "a request has one Host")
        }
        guard hosts.allSatisfy(isHost) else { return ServiceFault(.badRequest, "Host can't be read") }
        // RFC 9112, section 6.1.
        guard head.version == .http1_1 || !head.headers.contains(name: "Transfer-Encoding") else {
            return ServiceFault(.badRequest, "HTTP/1.0 has no Transfer-Encoding")
        }
        let expected = head.version == .http1_1 ? head.headers["Expect"] : []
        guard expected.allSatisfy({ $0.lowercased() == "100-continue" }) else {
            return ServiceFault(.expectationFailed, "this server only knows Expect: 100-continue")
        }
        return nil
    }

    // The characters of RFC 3986, section 3.2.2, and of a port.
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        guard !isOver || isReading else { return }
        isOver = true
        guard isReading else {
            let fault = ServiceFault(.badRequest, "this is no request of HTTP, or its head is too large")
            return end(with: fault, hasBody: true, context)
        }
        isReading = false
        // The request whose body this is has its answer, or gets the one that its route gives. It is the last one.
        guard !open.isEmpty else { return context.close(promise: nil) }
        open[open.index(before: open.endIndex)] = .ends
        context.fireErrorCaught(BodyFault())
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.code < 200:
            context.write(data, promise: promise)
        case .head(var head):
            switch open.first {
            case .ends: head.headers.replaceOrAdd(name: "Connection", value: "close")
            case .persistsByAgreement: head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
            case .persists, nil: break
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            let fate = open.popFirst()
            guard fate == .ends else {
                context.write(data, promise: promise)
                if open.isEmpty { writeLastAnswer(context) }
                return
            }
            close(context, after: data, promise)
        }
    }

    private func end(with fault: ServiceFault, hasBody: Bool, _ context: ChannelHandlerContext) {
        lastAnswer = (Answer(fault), hasBody)
        if open.isEmpty { writeLastAnswer(context) }
    }

    private func writeLastAnswer(_ context: ChannelHandlerContext) {
        guard let (answer, hasBody) = lastAnswer else { return }
        lastAnswer = nil
        var headers = HTTPHeaders(answer.response.headers.map { ($0.name.rawName, $0.value) })
        headers.replaceOrAdd(name: "Content-Length", value: String(answer.body.count))
        headers.replaceOrAdd(name: "Connection", value: "close")
        let status = HTTPResponseStatus(statusCode: answer.status)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if hasBody { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil) }
        close(context, after: wrapOutboundOut(.end(nil)), nil)
    }

    // Not before all is written. A client that still sends would be cut off before it has read the answer, so that only
    // our side ends then.
    private func close(_ context: ChannelHandlerContext, after data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        let mode: CloseMode = isReading ? .output : .all
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: mode, promise: nil) }
        isOver = true
        context.writeAndFlush(data, promise: written)
    }
}

@available(*, unavailable)
extension RequestRules: Sendable {}
