import RoostFraming
import RoostWire

extension FrameBuilder {
    /// How far a member has got, as members of the object that is begun.
    func members(of watermark: Watermark) {
        member("delivered", watermark.delivered.value)
        if watermark.deliveredAt != .never { member("deliveredAt", watermark.deliveredAt.milliseconds) }
        member("read", watermark.read.value)
        if watermark.readAt != .never { member("readAt", watermark.readAt.milliseconds) }
    }
}
