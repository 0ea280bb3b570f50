/// A mistake put in on purpose, to show that the checker would see it: each makes the log or the host break one
/// promise, behind the Relay's back.
public enum PlantedMistake: String, CaseIterable, Sendable {
    /// The store says that a batch is durable before it is.
    case ackBeforeCommit
    /// The store says that a status, privacy, an exception or a block, a contact, a prospect or a report is durable
    /// before it is.
    case earlyStatus, earlyPrivacy, earlyException, earlyContact, earlyProspect, earlyReport
    /// After a restart it is forgotten that a user's account was deleted.
    case forgottenDeletion
    /// After a restart it is forgotten that members of a group may write only once in a time.
    case forgottenSlowMode
    /// After a restart admins aren't asked any more about users who follow links.
    case forgottenApproval
    /// A group has no owner after its owner leaves.
    case lostHeir
    /// A crash loses a batch that was said to be durable.
    case lostCommit
    /// A page of catch-up leaves a row out.
    case skippedRow
    /// A gap leaves out what happened to messages that the device has.
    case swallowedChange
    /// A gap isn't sent.
    case lostGap
    /// After a crash, members haven't read what they wrote themselves.
    case unreadOwn
    /// After a restart, what members wrote without reading what came before counts as unread for them.
    case countedOwn
    /// The rows of a page change places.
    case reorderedRows
    /// After a restart the log has forgotten all keys, so that a retry is stored again.
    case forgottenKeys
    /// After a restart the log has forgotten the keys of erased conversations.
    case forgottenKeysOfErased
    /// A page has a row of a conversation that the reader isn't in.
    case strangersRow
    /// After a restart, all users are stored as gone.
    case forgottenPresence
    /// After a restart, a user who had left is stored as online.
    case raisedDead
    /// After a restart it is forgotten how connections ended.
    case forgottenEnds
    /// A device's cursor is stored as if it had acked everything.
    case runawayCursor
    /// The host doesn't say that a connection broke.
    case ghostConnection
    /// The end of typing gets lost.
    case stuckTyping
    /// The end of several people's typing gets lost.
    case stuckSeveral
    /// It gets lost that a user who types moves to another thread.
    case lostMove
    /// A reply gets lost.
    case lostReply
    /// It gets lost how many members of a conversation are online.
    case lostCount
    /// A message is sent as if it were in no thread.
    case lostThread
    /// History counts one message of a thread too many.
    case miscountedThread
    /// A page of a thread leaves its last message out.
    case shortThread
    /// A placeholder of a message gets lost.
    case lostPlace
    /// After a restart all blocks are gone.
    case forgottenBlocks
    /// The answer to a message doesn't say when it disappears.
    case lostExpiry
    /// The store doesn't say when a repeated message disappears.
    case forgottenExpiry
    /// After a restart, the blocked user has the block instead, and gets its event.
    case turnedBlocks
    /// Pages of the log show what was written while its sender was blocked.
    case shownWithheld
    /// History counts what a blocked user has given.
    case countedWithheld
    /// A pin for one of two users is a pin for both.
    case sharedPins
    /// After a restart, what a blocked user has written counts, and moves the conversation.
    case forgottenVeils
    /// Forwarded messages in a page don't name their authors.
    case lostOrigin
    /// After a restart nothing is pinned.
    case forgottenPins
    /// After a restart no user is banned or timed out, and all may write.
    case forgottenRestrictions
    /// A receipt gets lost.
    case lostReceipt
    /// Clients get delivery receipts of users who hide their presence from them.
    case toldDelivery
    /// After a restart, users' read receipts go to everyone, and with them delivery receipts.
    case forgottenReading
    /// A change of a profile isn't sent.
    case lostProfile
    /// A search finds users without a common conversation.
    case openDirectory
    /// A message that a service sends for a user is stored as another user's.
    case strangersVoice
    /// Content that a service erases stays.
    case unerased
    /// A page of catch-up leaves a setting out.
    case lostSetting
    /// It gets lost how much a user hasn't read.
    case staleBadge
    /// After a restart all mutes are gone.
    case forgottenMutes
    /// After a restart deleted messages are unread.
    case forgottenDeletions
    /// The store doesn't look at the version that a message must have.
    case staleEdit
    /// The store doesn't look at the version that a setting must have.
    case ignoredVersion
    /// The relay makes users of unknown names, although its operator doesn't want it.
    case madeUsers
    /// The relay lets strangers reach each other, although its operator doesn't.
    case openGate
    /// The store keeps wrong times of what was read.
    case lateReads
    /// After a restart no conversation waits to be accepted.
    case forgottenRequests
    /// After a restart nothing has been said in conversations that wait to be accepted.
    case forgottenFirstMessage
    /// After a restart, conversations wait to be accepted by the user who has begun them.
    case turnedRequests
    /// After a restart no request was dropped.
    case forgottenDrops
    /// After a restart those conversations wait again that were accepted.
    case forgottenAcceptance
    /// It isn't stored that a request was dropped.
    case lostDrop
    /// The store says that an invitation is stored before it is.
    case earlyInvite
    /// It isn't stored that an invitation was revoked.
    case lostRevocation
    /// After a restart no invitation was ever used.
    case forgottenUses
    /// After a restart each use of an invitation counts twice.
    case doubledUses
    /// After a restart invitations never end.
    case endlessInvites
    /// After a restart, a blocked user who has followed a link is a contact of its maker.
    case shownFollower
    /// A use of an invitation to a group isn't stored.
    case uncountedUse
    /// The host doesn't say of some connections that everything has left for the network.
    case forgottenReader
}
