/// The privacy settings of this session's user.
public struct OwnPrivacy: Sendable, Equatable {
    /// A user with an exception from the settings.
    public struct Exception: Sendable, Equatable {
        /// The user.
        public var user: String
        /// The exception.
        public var kind: PrivacyException
    }

    /// The settings.
    public var settings: PrivacySettings
    /// The exceptions.
    public var exceptions: [Exception]
}

extension OwnPrivacy {
    /// Reads the answer to `privacy`; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let settings = members.object("privacy").flatMap(PrivacySettings.init(reading:)) else { return nil }
        self.settings = settings
        exceptions = (members.objects("exceptions") ?? []).compactMap { one in
            guard let user = one.string("user"), let kind = one.string("as").flatMap(PrivacyException.init(word:))
            else { return nil }
            return Exception(user: user, kind: kind)
        }
    }
}

extension PrivacySettings {
    /// Reads them; nil if a member is missing that Docs/Protocol.md promises, or a word is unknown.
    public init?(reading members: JSONMembers) {
        guard let presence = members.string("presence").flatMap(PresenceAudience.init(word:)),
            let lastSeen = members.string("lastSeen").flatMap(LastSeenDetail.init(word:)),
            let read = members.string("read").flatMap(ReadAudience.init(word:))
        else { return nil }
        self.init(presence, lastSeen, read)
    }
}
