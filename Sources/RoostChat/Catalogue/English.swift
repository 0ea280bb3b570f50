import RoostKit
import RoostStore
import RoostWire

/// The English texts of `roost chat`. `German.swift` says the same, in the same order. Pure.
struct English: Language {
    let yes = ["y", "yes"]

    // MARK: The session

    func text(_ phrase: SessionPhrase) -> String {
        switch phrase {
        case .connected: "connected"
        case .catchingUp: "updating…"
        case .connectingTo(let server): "connecting to \(server)"
        case .connectingAgain: "reconnecting"
        case .notConnected(let reason, let seconds?): "not connected, next try in \(seconds) s: \(reason)"
        case .notConnected(let reason, nil): "not connected: \(reason)"
        case .unsent(let count): "\(number(count)) unsent"
        case .unread(let count): "\(number(count)) unread"
        case .strangersAsk(let count): "\(counted(count, "message request")): /requests"
        case .status(.invisible): "invisible"
        case .status(let status): state(status)
        case .connectedAs(let user, let device): "Connected as \(user) on \(device)"
        case .lost(let reason): "Not connected: \(reason). Trying again…"
        case .shown(let status, let text): "You appear \(state(status))" + (text.isEmpty ? "" : ": \(text)")
        case .takenOver(let device):
            "Another chat took over the device \(device). To use several at once, name each with --device"
        case .refused(let reason): "The server refused you: \(reason)"
        case .refusedByServer: "The server refused the connection"
        case .storeFailed(let reason): "Messages can’t be stored on this device: \(reason)"
        case .noReason: "not connected"
        case .noServerHere: "there’s no Roost server at this path; its path is /v1/socket"
        case .notLetIn: "the server, or a proxy in front of it, doesn’t let this client in"
        case .otherToken: "the token belongs to another user"
        case .otherUser(let user, let wanted): "The token belongs to \(user), not to \(wanted)"
        case .cannotConnect(let reason): "Can’t connect: \(reason)"
        case .waitingHere(let count):
            "\(counted(count, "message")) not sent yet. The next chat of this user on this device will send "
                + (count == 1 ? "it." : "them.")
        case .notSent(let count, let store):
            "\(counted(count, "message")) not sent yet: kept in \(store), and sent by the next chat of this user"
        case .nothingSent: "No connection: nothing was sent"
        case .someRefused(let count): "\(counted(count, "message")) not accepted"
        case .needsPeer: "Say with --with who to talk to, or run this in a terminal"
        case .badAddress(let address): "\(address) isn’t a valid address"
        case .noFolder(let path): "\(path) can’t be created. Choose a file with --store"
        case .deviceInUse(let device):
            "Another chat on this computer uses the device \(device). Choose another --device"
        case .tooManyChats(let count):
            "\(number(count)) chats of this user are open on this computer. Choose a name with --device"
        case .noFreeName: "There’s no free device name. Choose one with --device"
        case .fileInUse(let path): "Another chat uses \(path)"
        case .noSuchUser(let user): "There’s no account called \(user). To create a new user, add --new"
        case .newUserQuestion(let user): "There’s no account called \(user). Chat as a new user? [y/N]"
        }
    }

    private func state(_ status: StatusChoice) -> String {
        switch status {
        case .auto: "online"
        case .away: "away"
        case .busy: "busy"
        case .invisible: "offline"
        }
    }

    // MARK: Failures

    func text(_ phrase: FailurePhrase) -> String {
        switch phrase {
        case .refused(let code): refusal(code)
        case .refusedOtherwise(let code): "The server refused that (\(code))"
        case .closed(let code): closing(code)
        case .ended(let reason): "The session has ended: \(reason)"
        case .notConnected: "You’re not connected"
        case .noAnswer: "The server didn’t answer. It may have happened all the same"
        case .queueFull: "Too many messages are waiting to be sent"
        case .tooManyCommands: "You’re going too fast. Wait a moment"
        case .tooLarge: "That’s too long"
        case .invalid(let reason): "That isn’t valid: \(reason)"
        case .badAnswer: "The server’s answer makes no sense to this version"
        case .cancelled: "Cancelled"
        case .tooLateToChange: "It’s too late to change that"
        case .storeFull: "Too much is waiting to be sent"
        case .failed(let reason): "That didn’t work: \(reason)"
        case .cannotOpen(let reason): "Can’t open it: \(reason)"
        case .unsent(let reason): unsent(reason)
        case .messageNotSent(let why): "Not sent: \(why) · /retry, /edit TEXT or /discard"
        case .changeNotMade(let why): "Not changed: \(why) · /retry or /discard"
        case .notSent(let why, let text): "\(why): \(text)"
        case .changeRefused(let why, let text): "\(why). Not changed: \(text)"
        }
    }

    private func refusal(_ code: ErrorCode) -> String {
        switch code {
        case .badJSON, .badRequest, .unknownType, .badPosition: "That isn’t valid. Check it and try again"
        case .notReady: "The server isn’t ready yet. Try again"
        case .unauthorized: "The server doesn’t accept your sign-in"
        case .tokenExpired: "Your sign-in has expired"
        case .forbidden: "You don’t have permission to do that"
        case .notFound: "That isn’t available. Check the name"
        case .gone: "That has been deleted"
        case .conflict: "That has already been done"
        case .tooLarge: "That’s too long, or too many"
        case .rateLimited: "You’re going too fast. Wait a moment"
        case .busy: "The server is busy. Try again in a moment"
        case .unavailable: "That’s not available right now. Try again later"
        case .noRelationship: "You can’t contact this person. Try /invite first"
        case .usernameTaken: "Someone else has this username"
        case .blocked: "You’ve blocked this person. /unblock lets you write again"
        }
    }

    private func closing(_ code: CloseCode) -> String {
        switch code {
        case .normal: "the connection was closed"
        case .protocolError, .unsupportedData, .invalidText, .malformed: "the server didn’t understand this client"
        case .tooBig: "a message was too long"
        case .drain: "the server is restarting"
        case .tooSlow: "this client reads too slowly"
        case .pingTimeout, .helloTimeout: "the server heard nothing for too long"
        case .tokenExpired: "the token has expired"
        case .overloaded: "the server is overloaded"
        case .disconnected: "an operator ended the connection"
        case .rateLimited: "too much at once"
        case .unauthorized: "the token isn’t accepted"
        case .takenOver: "this device is in use elsewhere"
        case .revoked: "this device was signed out"
        }
    }

    private func unsent(_ reason: SendFailure.Reason) -> String {
        switch reason {
        case .tooLong: "this message is too long"
        case .notAllowed: "you can’t write here"
        case .noRelationship: "you can write to each other once your invitation is accepted: /invite"
        case .youBlocked: "you’ve blocked this person"
        case .notFound: "this conversation no longer exists"
        case .unreachable: "the server couldn’t be reached"
        case .changedElsewhere: "you edited this message on another device"
        case .notAccepted: "the server doesn’t accept this message"
        }
    }

    // MARK: Conversations

    func text(_ phrase: ConversationPhrase) -> String {
        switch phrase {
        case .threadIn(let title): "thread in \(title)"
        case .online(let count, let all): "\(number(count)) of \(number(all)) online"
        case .members(let count): counted(count, "member")
        case .pinned(let count): "\(number(count)) pinned"
        case .request(let state): request(state)
        case .expiry(let time): expiry(time)
        case .fromNowOn(let time): "From now on, \(expiry(time))"
        case .slow(0): "slow mode is off"
        case .slow(let time): "slow mode: \(span(time)) between messages"
        case .typing: "typing…"
        case .isTyping(let name): "\(name) is typing…"
        case .areTyping(let names): "\(list(names)) are typing…"
        case .manyTyping: "several people are typing…"
        case .othersTyping(let names): "\(list(names + ["several others"])) are typing…"
        case .draft(let text): "draft: \(text)"
        case .you(let text): "you: \(text)"
        case .new: "new"
        case .missing(let count): "\(counted(Int(clamping: count), "message")) not loaded yet"
        case .yourConversations: "Your conversations"
        case .none: "You have no conversations"
        case .row(let title, let unread, let mentions, let isMuted):
            "\(title), \(number(unread)) unread" + (mentions > 0 ? ", \(number(mentions)) for you" : "")
                + (isMuted ? ", muted" : "")
        case .wrote(let name, let place, let text): "\(name) wrote\(place.map { " in \($0)" } ?? ""): \(text)"
        case .noneYet: "There’s no conversation yet"
        case .noneOpen: "Open a conversation first: /open NAME"
        case .opened(let id): "Created. To open it, start a chat with --with \(id)"
        case .needsAnotherChat: "To open another conversation, start another chat or use a terminal"
        case .needsTerminal: "That works only in a terminal"
        case .earlier: "earlier"
        case .nothingEarlier: "There’s nothing earlier"
        case .moreEarlier: "/history shows more"
        case .beginning: "this is the beginning"
        case .missed(let count): "you missed \(counted(Int(clamping: count), "message")); /history shows what was said"
        case .severalGroups(let name): "Several groups are called \(name). Use an ID from /list instead"
        case .noGroup(let name): "You’re in no group called \(name)"
        }
    }

    private func request(_ state: RequestState) -> String {
        switch state {
        case .sent: "not accepted yet"
        case .received: "wants to write to you: /accept or /drop"
        case .dropped: "ignored; /accept if you change your mind"
        }
    }

    private func expiry(_ milliseconds: Int64) -> String {
        milliseconds > 0 ? "messages disappear after \(days(milliseconds))" : "messages don’t disappear"
    }

    func text(_ phrase: ScreenPhrase) -> String {
        switch phrase {
        case .noConversations: "No conversations yet."
        case .howToBegin: "/open bob opens a chat with Bob, /group Crew: bob carol creates a group, /help shows more."
        case .choose: "Choose a conversation with the arrow keys and Enter."
        case .noMessages: "No messages yet."
        case .neverTalked(let name): "You haven’t talked to \(name) before."
        case .firstMessageBegins: "Your first message starts the conversation."
        case .askStranger(let name): "You haven’t talked to \(name) before. Enter: send it anyway. Esc: don’t send."
        case .newer: "↓ newer"
        case .writeHint: "Write a message, or /help"
        case .keysOfChoice: "↑↓ Enter choose  Esc close"
        case .keysOfText: "↑↓ scroll  Esc close"
        case .keysOfList: "↑↓ Enter open  Tab back  ^D quit"
        case .keysOfMessages: "r reply  e edit  d delete  + react  i info  o thread  /help"
        case .keysOfReply: "Enter reply  Esc cancel"
        case .keysOfEdit: "Enter save  Esc cancel"
        case .keysOfThread: "Esc leaves the thread"
        case .keysOfWriting: "Tab list  ↑ messages  /help"
        }
    }

    // MARK: Messages

    func text(_ phrase: MessagePhrase) -> String {
        switch phrase {
        case .sending: "sending"
        case .sent: "sent"
        case .delivered: "delivered"
        case .read: "read"
        case .notSent: "not sent"
        case .deliveredOf(let count, let all): "delivered to \(number(count)) of \(number(all))"
        case .readOf(let count, let all): "read by \(number(count)) of \(number(all))"
        case .deliveredTo(let who): "delivered to \(who)"
        case .readBy(let who): "read by \(who)"
        case .some(let count, let all): "\(number(count)) of \(number(all))"
        case .deleted: "deleted"
        case .hidden: "hidden"
        case .hiddenByBlock: "hidden because of a block"
        case .lost: "the server has lost this message"
        case .edited: "edited"
        case .isPinned: "pinned"
        case .replies(let count): replies(count)
        case .repliesInThread(let count): "\(replies(count)) in its thread"
        case .forYou: "for you"
        case .forwardedFrom(let name): "forwarded from \(name)"
        case .from(let name): "from \(name)"
        case .inThread(let message): "in the thread of \(message)"
        case .number(let number): "message \(number)"
        case .notHere: "not on this device"
        case .pin(let number, let message, let by):
            "#\(number) \(message ?? "(not on this device)")" + (by.map { ", pinned by \($0)" } ?? "")
        case .wasDeleted(let name, let text): "Deleted: \(name): \(text)"
        case .wasEdited(let name, let text): "\(name) edited: \(text)"
        case .reaction(let reaction, let count, let name, let text): "\(reaction)×\(count) on \(name): \(text)"
        case .noReaction(let reaction, let name, let text): "\(reaction) removed from \(name): \(text)"
        case .thread(let message): "thread: \(message)"
        case .threadHasMore: "there are earlier messages"
        }
    }

    private func replies(_ count: Int) -> String {
        count >= Limits().repliesCounted ? "\(number(count)) or more replies" : counted(count, "reply", "replies")
    }

    func text(_ phrase: DeedPhrase) -> String {
        switch phrase {
        case .tryingAgain: "Trying again…"
        case .isNotHere: "That message isn’t here"
        case .reacted(let reaction): "You reacted with \(reaction)"
        case .unreacted(let reaction): "You removed \(reaction)"
        case .changed(let text): "Edited: \(text)"
        case .deleted: "Deleted"
        case .wasNotRefused: "That message wasn’t refused"
        case .discarded: "Discarded"
        case .notStored: "The server doesn’t have it yet"
        case .pinned(let text): "Pinned: \(text)"
        case .unpinned(let text): "Unpinned: \(text)"
        case .reported(let text): "Report sent: \(text)"
        case .forwarded(let name): "Forwarded to \(name)"
        case .forwardAnyway(let name): "You haven’t talked to \(name) before. To forward it anyway: /forward @\(name)"
        case .readers(let number): "Message \(number), read by"
        case .noReaders: "no one yet"
        case .disappears(let time): "It disappears \(time)"
        case .pins: "Pinned messages"
        case .noPins: "There are no pinned messages"
        case .nothingOwn: "You haven’t written anything here"
        case .nothing: "There’s no message here"
        case .nothingRefused: "Nothing was refused here"
        case .onlyOwnTexts: "You can edit only your own messages"
        case .unsentInThread: "You haven’t sent this yet. Enter: send it. Ctrl-U: delete it"
        case .notInConversation(let number): "There’s no message \(number) in this conversation"
        case .unavailable: "That message isn’t available right now"
        case .found: "Found, newest first"
        case .nothingFound: "Nothing found on this device"
        case .noThread: "No thread is open"
        case .threadUntilClose: "You’re writing in this thread until /close"
        case .backInConversation: "Back in the conversation"
        }
    }
}
