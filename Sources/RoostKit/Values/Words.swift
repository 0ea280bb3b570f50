public import RoostClient
public import RoostStore
public import RoostWire

// The words of the modules below that an app writes out: with these, `import RoostKit` is enough, and the words of the
// protocol that are also SwiftUI's, such as `RoostWire.Text`, stay out of an app's files.

/// A message's number in its conversation.
public typealias SequenceNumber = RoostWire.SequenceNumber
/// What a message says: any JSON value.
public typealias MessageBody = RoostWire.MessageBody
/// How a device is in use.
public typealias PresenceActivity = RoostWire.PresenceActivity
/// What a member of a group may do.
public typealias MemberRole = RoostWire.MemberRole
/// Which members of a group may write.
public typealias PostingRule = RoostWire.PostingRule
/// Why somebody was banned, timed out or reported.
public typealias ReportReason = RoostWire.ReportReason
/// Users who are banned from a group.
public typealias BanPage = RoostWire.BanPage
/// Why the user can't write to a conversation.
public typealias WritingBarrier = RoostStore.WritingBarrier
/// Whether somebody is there.
public typealias UserPresence = RoostWire.UserPresence
/// What somebody is called.
public typealias UserProfile = RoostWire.UserProfile
/// How often a message got a reaction.
public typealias ReactionCount = RoostWire.ReactionCount
/// A conversation, as far as the device knows it.
public typealias LocalConversation = RoostStore.LocalConversation
/// Why the device's file can't be opened, read or written.
public typealias LocalFailure = RoostStore.LocalFailure
/// What happens to what can't be sent for now.
public typealias RetryPolicy = RoostStore.RetryPolicy
/// Why the relay couldn't be asked, or what it refused.
public typealias RoostFailure = RoostClient.RoostFailure
/// Opens sockets.
public typealias SocketConnector = RoostClient.SocketConnector
/// Tells when the network changes.
public typealias NetworkMonitor = RoostClient.NetworkMonitor
