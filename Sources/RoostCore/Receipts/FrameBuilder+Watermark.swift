import RoostFraming
import RoostWire

extension FrameBuilder {
    /// Writes a member's watermark into the object that is open.
    func members(of watermark: Watermark) {
        member("delivered", watermark.delivered.value)
        if watermark.deliveredAt != .never { member("deliveredAt", watermark.deliveredAt.milliseconds) }
        member("read", watermark.read.value)
        if watermark.readAt != .never { member("readAt", watermark.readAt.milliseconds) }
    }
}
