import RoostFraming
import RoostWire

extension FrameBuilder {
    /// Writes what the member hasn't read into the object that is open.
    func unread(of member: Member) {
        self.member("unread", member.unread)
        if let first = member.firstMarked { self.member("unreadFrom", first.value) }
        guard let mentions = member.unreadMentions else { return }
        self.member("mentions", Int64(mentions.count))
        self.member("firstMention", mentions.first.value)
    }

    /// Writes the visible part of a member's watermark into the object that is open.
    func members(of watermark: Watermark, _ view: ReceiptView) {
        guard view != .nothing else { return }
        if view == .all {
            member("delivered", watermark.delivered.value)
            if watermark.deliveredAt != .never { member("deliveredAt", watermark.deliveredAt.milliseconds) }
        }
        member("read", watermark.read.value)
        if watermark.readAt != .never { member("readAt", watermark.readAt.milliseconds) }
    }
}
