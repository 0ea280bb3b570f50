import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// One connection of a client. As Hummingbird's own, with `RequestRules` where requests still have their version and
/// all of their headers.
struct ServicesChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: ServicesLimits
    let connections: ConnectionTable

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var bounds = NIOHTTPDecoderLimitConfiguration()
            bounds.maxHeaderFieldSize = limits.headerBytes
            bounds.maxHeaderListSize = limits.headerBytes
            bounds.maxHeaderFieldCount = limits.headerFields
            let pipeline = channel.pipeline.syncOperations
            // The stream of requests of a connection is read one by one; what is faulty is answered below.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: bounds)
            try pipeline.addHandler(RequestRules())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(ConnectionBounds(table: connections, limits: limits))
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: .seconds(limits.idleSeconds), logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
