import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Ends a connection whose request was answered before it arrived as a whole, as refusals are: what follows is read for
/// some seconds, so that the client can read why, and discarded. Otherwise one byte in 20 s would keep the connection
/// for ever. It belongs to one connection and its event loop.
final class ConnectionBounds: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    private let bytesMax: Int
    private let patience: TimeAmount
    /// Requests that have begun to arrive, and of these the ones that arrived as a whole.
    private var begun = 0
    private var arrived = 0
    private var answered = 0
    private var isEnding = false
    private var bytes = 0
    private var deadline: Scheduled<Void>?

    init(table: ConnectionTable, limits: ServicesLimits) {
        self.table = table
        bytesMax = limits.lingerBytes
        patience = .seconds(Int64(limits.lingerSeconds))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { table.add(context.channel) }
    }

    func channelActive(context: ChannelHandlerContext) {
        table.add(context.channel)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        table.remove(context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        table.remove(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard !isEnding else { return drop(part, context) }
        switch part {
        case .head: begun += 1
        case .body: break
        case .end:
            arrived += 1
            table.setBusy(context.channel, true)
        }
        context.fireChannelRead(data)
    }

    private func drop(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        if case .body(let piece) = part { bytes += piece.readableBytes }
        // The rest has come, or too much of it.
        if case .body = part, bytes <= bytesMax { return }
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // One answer follows the other, so it belongs to the oldest request without one.
        let isEarly = answered >= arrived
        switch unwrapOutboundIn(data) {
        case .head(var head) where isEarly && head.status.kind != .informational:
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isEarly && begun > 0:
            answered += 1
            end(context, data, promise)
        case .end:
            answered += 1
            if answered >= arrived { table.setBusy(context.channel, false) }
            context.write(data, promise: promise)
        default: context.write(data, promise: promise)
        }
    }

    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        isEnding = true
        context.writeAndFlush(data, promise: promise)
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }
}

@available(*, unavailable)
extension ConnectionBounds: Sendable {}
