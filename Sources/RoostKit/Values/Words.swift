public import RoostClient
public import RoostStore
public import RoostWire

// The words of the modules below that an app writes out: with these, `import RoostKit` is enough, and the words of the
// protocol that are also SwiftUI's, such as `RoostWire.Text`, stay out of an app's files.

/// A message's number in its conversation.
public typealias SequenceNumber = RoostWire.SequenceNumber
/// The contents of a message: any JSON value.
public typealias MessageBody = RoostWire.MessageBody
/// The user's activity on a device.
public typealias PresenceActivity = RoostWire.PresenceActivity
/// The rights of a member of a group.
public typealias MemberRole = RoostWire.MemberRole
/// The rule for which members of a group may write.
public typealias PostingRule = RoostWire.PostingRule
/// The rule for users who follow links to a group.
public typealias JoiningRule = RoostWire.JoiningRule
/// The reason for a ban, timeout or report.
public typealias ReportReason = RoostWire.ReportReason
/// Users who are banned from a group.
public typealias BanPage = RoostWire.BanPage
/// Why the user can't write to a conversation.
public typealias WritingBarrier = RoostStore.WritingBarrier
/// The presence of a user.
public typealias UserPresence = RoostWire.UserPresence
/// The profile of a user.
public typealias UserProfile = RoostWire.UserProfile
/// A reaction to a message, with its number.
public typealias ReactionCount = RoostWire.ReactionCount
/// A conversation, as far as the device knows it.
public typealias LocalConversation = RoostStore.LocalConversation
/// Why the device's file can't be opened, read or written.
public typealias LocalFailure = RoostStore.LocalFailure
/// The treatment of messages that can't be sent for now.
public typealias RetryPolicy = RoostStore.RetryPolicy
/// Why the relay couldn't be asked, or what it refused.
public typealias RoostFailure = RoostClient.RoostFailure
/// Opens sockets.
public typealias SocketConnector = RoostClient.SocketConnector
/// Reports network changes.
public typealias NetworkMonitor = RoostClient.NetworkMonitor
