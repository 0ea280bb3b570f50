import RoostFraming
import RoostWire

/// `welcome`: who the session is, how far it has got, and the server's limits.
struct WelcomeFrame {
    let identity: Relay.Identity
    let limits: Limits
    let builder: FrameBuilder

    func frame(
        for user: User, _ device: Device, until expires: Timestamp, head: Position, re id: CommandID?, at now: Moment
    ) -> Frame {
        builder.begin("welcome")
        builder.reply(to: id)
        builder.member("user", plain: user.name)
        builder.member("device", plain: device.name)
        builder.member("position", device.cursor)
        builder.member("head", head)
        builder.member("epoch", plain: builder.epoch)
        builder.member("durability", identity.durability.rawValue)
        builder.member("expires", expires.milliseconds)
        builder.member("time", now.wall.milliseconds)
        builder.member("server", identity.server)
        builder.beginObject("limits")
        builder.member("frameBytes", Int64(limits.frameBytes))
        builder.member("bodyBytes", Int64(limits.bodyBytes))
        builder.member("textScalars", Int64(limits.textScalars))
        builder.member("historyDefault", Int64(limits.historyDefault))
        builder.member("historyMax", Int64(limits.historyMax))
        builder.member("backlogMax", Int64(limits.backlogMax))
        builder.member("pageMessages", Int64(limits.pageMessages))
        builder.member("membersMax", Int64(limits.membersMax))
        builder.member("typingSeconds", limits.typingMilliseconds / 1_000)
        builder.member("graceSeconds", limits.graceMilliseconds / 1_000)
        builder.member("refreshGraceSeconds", limits.refreshGraceMilliseconds / 1_000)
        builder.member("pingSeconds", limits.pingMilliseconds / 1_000)
        builder.member("commandsPerSecond", Int64(limits.commandsPerSecond))
        builder.endObject()
        return builder.finish()
    }
}
