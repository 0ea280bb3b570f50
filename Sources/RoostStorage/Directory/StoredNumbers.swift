import RoostCore
import RoostWire

extension StoredStatus {
    /// Reads the stored form; `auto` if the number is damaged.
    init(number: Int32, text: String, toldText: String, until: Int64) {
        let choice = UInt8(exactly: number).flatMap(StatusChoice.init(rawValue:)) ?? .auto
        self.init(choice, text: text, toldText: toldText, until: Timestamp(milliseconds: max(0, until)))
    }
}

extension PrivacySettings {
    /// Reads the stored form. Damaged settings hide everything.
    init(shownTo: Int32, seenAs: Int32, readTo: Int32) {
        self.init(
            UInt8(exactly: shownTo).flatMap(PresenceAudience.init(rawValue:)) ?? .nobody,
            UInt8(exactly: seenAs).flatMap(LastSeenDetail.init(rawValue:)) ?? .nobody,
            UInt8(exactly: readTo).flatMap(ReadAudience.init(rawValue:)) ?? .nobody)
    }
}

extension PrivacyException {
    /// Reads the stored form; `blocked` if the number is damaged.
    init(number: Int32) { self = UInt8(exactly: number).flatMap(PrivacyException.init(rawValue:)) ?? .blocked }
}
