import RoostFraming
import RoostWire

/// `welcome`: who the session is, how far it has got, and the server's limits.
struct WelcomeFrame {
    private let identity: Relay.Identity
    private let builder: FrameBuilder
    // The same for everybody, so it is written once.
    private let limits: [UInt8]

    init(identity: Relay.Identity, limits: Limits, builder: FrameBuilder) {
        self.identity = identity
        self.builder = builder
        let writer = JSONWriter()
        writer.beginBare()
        writer.beginObject()
        ServerLimits(limits).write(to: writer)
        writer.endObject()
        self.limits = Array(writer.written)
    }

    func frame(
        for user: User, _ device: Device, isNew: Bool, until expires: Timestamp, head: Position, re id: CommandID?,
        at now: Moment
    ) -> Frame {
        builder.begin("welcome")
        builder.reply(to: id)
        builder.member("user", plain: user.name)
        builder.member("device", plain: device.name)
        if isNew { builder.member("new", true) }
        builder.member("position", device.cursor)
        builder.member("head", head)
        builder.member("epoch", plain: builder.epoch)
        builder.member("durability", identity.durability.rawValue)
        builder.member("expires", expires.milliseconds)
        builder.member("time", now.wall.milliseconds)
        builder.member("server", identity.server)
        builder.member("limits", raw: limits)
        return builder.finish()
    }
}
