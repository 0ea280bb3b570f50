import RoostFraming
import RoostWire

/// `welcome`: the session's user and position, and the server's limits.
struct WelcomeFrame {
    private let identity: Relay.Identity
    private let builder: FrameBuilder
    // The same for all sessions with the usual heartbeat, so it is written once.
    private let limits: [UInt8]
    private let usual: ServerLimits

    init(identity: Relay.Identity, limits: Limits, builder: FrameBuilder) {
        self.identity = identity
        self.builder = builder
        let writer = JSONWriter()
        writer.beginBare()
        writer.beginObject()
        usual = ServerLimits(limits)
        usual.write(to: writer)
        writer.endObject()
        self.limits = Array(writer.written)
    }

    func frame(
        for session: Session, _ user: User, _ device: Device, isNew: Bool, badge: Int64?, until expires: Timestamp,
        head: Position, re id: CommandID?, at now: Moment
    ) -> Frame {
        builder.begin("welcome")
        builder.reply(to: id)
        builder.member("user", plain: user.name)
        builder.member("device", plain: device.name)
        if isNew { builder.member("new", true) }
        builder.member("position", device.cursor)
        writeServer(head, expires, now)
        builder.beginObject("status")
        builder.members(of: user.presence.status)
        builder.endObject()
        if let badge { builder.member("badge", badge) }
        write(session.life.heartbeat)
        return builder.finish()
    }

    /// The welcome of a session that belongs to no user.
    func frame(
        forOperator session: Session, until expires: Timestamp, head: Position, re id: CommandID?, at now: Moment
    ) -> Frame {
        builder.begin("welcome")
        builder.reply(to: id)
        builder.member("operator", plain: session.operatorName ?? "")
        writeServer(head, expires, now)
        write(session.life.heartbeat)
        return builder.finish()
    }

    private func writeServer(_ head: Position, _ expires: Timestamp, _ now: Moment) {
        builder.member("head", head)
        builder.member("epoch", plain: builder.epoch)
        builder.member("durability", identity.durability.rawValue)
        builder.member("expires", expires.milliseconds)
        builder.member("time", now.wall.milliseconds)
        builder.member("server", identity.server)
    }

    private func write(_ heartbeat: Sessions.Heartbeat) {
        var told = usual
        told.ping = .seconds(heartbeat.ping / 1_000)
        told.pong = .seconds(heartbeat.pong / 1_000)
        guard told != usual else { return builder.member("limits", raw: limits) }
        builder.beginObject("limits")
        told.write(to: builder)
        builder.endObject()
    }
}
