public import RoostWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A user, as far as known on this device.
public struct KnownPerson: Sendable, Hashable, Identifiable {
    /// The user's id.
    public var user: String
    /// The presence; nil while it is unknown.
    public var presence: UserPresence?
    /// The profile; nil if none is shown.
    public var profile: UserProfile?

    /// The user's id.
    public var id: String { user }
    /// The name to show: the display name, or the user's id if there is none.
    public var name: String { profile?.name ?? user }
    /// Whether the person is there.
    public var isOnline: Bool { presence.map { $0.state != .offline } ?? false }
    /// Time at which an offline user was last online, if the user shares it.
    public var lastSeen: Date? { presence?.lastSeen?.date }

    /// By the user's id.
    public func hash(into hasher: inout Hasher) { hasher.combine(user) }
}
