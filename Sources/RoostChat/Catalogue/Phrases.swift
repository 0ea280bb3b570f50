import RoostKit
import RoostStore
import RoostWire

/// Something that `roost chat` says, without its words: a case for each text, with what is filled in. Every language
/// says each case in a `switch` without `default`, so that a text that one of them lacks doesn't compile. What is
/// filled in may be of others: `Words` makes the whole safe to print. Pure.
protocol Phrase: Sendable {
    /// The words in a language.
    func said(in language: any Language) -> String
}

/// The session, and the program itself.
enum SessionPhrase: Phrase {
    case connected, catchingUp, connectingTo(String), connectingAgain
    case notConnected(reason: String, seconds: Int?)
    case unsent(Int), unread(Int), strangersAsk(Int)
    case status(StatusChoice)
    // What has happened, on a pipe.
    case connectedAs(String, device: String), lost(reason: String), shown(StatusChoice, text: String)
    // Why there is no session, and what to do.
    case takenOver(device: String), refused(reason: String), refusedByServer, storeFailed(String), noReason
    case noServerHere, notLetIn, otherToken, otherUser(String, wanted: String), cannotConnect(reason: String)
    // The end.
    case waitingHere(Int), notSent(Int, store: String), nothingSent, someRefused(Int)
    // The start.
    case needsPeer, badAddress(String), noFolder(String), deviceInUse(String), tooManyChats(Int), noFreeName
    case fileInUse(String), noSuchUser(String), newUserQuestion(String)

    func said(in language: any Language) -> String { language.text(self) }
}

/// Failures.
enum FailurePhrase: Phrase {
    /// The relay's code of a refusal. What it says beside the code is for developers, and isn't shown.
    case refused(ErrorCode), refusedOtherwise(code: String)
    case closed(CloseCode)
    case ended(reason: String), notConnected, noAnswer, queueFull, tooManyCommands, tooLarge, invalid(String)
    case badAnswer, cancelled, tooLateToChange, storeFull, failed(String), cannotOpen(String)
    /// The reason why a message, or a change of one, waits for its user.
    case unsent(SendFailure.Reason)
    case messageNotSent(why: String), changeNotMade(why: String), notSent(why: String, text: String)
    case changeRefused(why: String, text: String)

    func said(in language: any Language) -> String { language.text(self) }
}

/// The state of a conversation.
enum ConversationPhrase: Phrase {
    case threadIn(String), online(Int, of: Int), members(Int), pinned(Int), request(RequestState)
    case expiry(milliseconds: Int64), fromNowOn(milliseconds: Int64)
    case slow(milliseconds: Int64)
    case typing, isTyping(String), areTyping([String]), manyTyping, othersTyping([String])
    case draft(String), you(String), new, missing(Int64)
    // The list, on a pipe.
    case yourConversations, none, row(title: String, unread: Int, mentions: Int, isMuted: Bool)
    case wrote(String, place: String?, text: String)
    case noneYet, noneOpen, opened(id: String), needsAnotherChat, needsTerminal
    case earlier, nothingEarlier, moreEarlier, beginning, missed(Int64)
    case severalGroups(String), noGroup(String)

    func said(in language: any Language) -> String { language.text(self) }
}

/// The screen around the conversations, and the keys that do something now.
enum ScreenPhrase: Phrase {
    case noConversations, howToBegin, choose, noMessages, neverTalked(String), firstMessageBegins
    case askStranger(String)
    case newer, writeHint
    case keysOfChoice, keysOfText, keysOfList, keysOfMessages, keysOfReply, keysOfEdit, keysOfThread, keysOfWriting

    func said(in language: any Language) -> String { language.text(self) }
}

/// One message, as it is shown.
enum MessagePhrase: Phrase {
    case sending, sent, delivered, read, notSent, deliveredOf(Int, of: Int), readOf(Int, of: Int)
    case deliveredTo(String), readBy(String), some(Int, of: Int)
    case deleted, hidden, hiddenByBlock, lost, edited, isPinned, replies(Int), repliesInThread(Int), forYou
    case forwardedFrom(String), from(String), inThread(of: String), number(Int64), notHere
    case pin(number: Int64, message: String?, by: String?)
    case wasDeleted(from: String, text: String), wasEdited(from: String, text: String)
    case reaction(String, count: Int, from: String, text: String)
    case noReaction(String, from: String, text: String)
    case thread(String), threadHasMore

    func said(in language: any Language) -> String { language.text(self) }
}

/// Answers to commands about messages.
enum DeedPhrase: Phrase {
    case tryingAgain, isNotHere, reacted(String), unreacted(String), changed(String), deleted, wasNotRefused
    case discarded, notStored, pinned(String), unpinned(String), reported(String), forwarded(to: String)
    case forwardAnyway(String)
    case readers(Int64), noReaders, disappears(String), pins, noPins
    case nothingOwn, nothing, nothingRefused, onlyOwnTexts, unsentInThread, notInConversation(Int64), unavailable
    case found, nothingFound, noThread, threadUntilClose, backInConversation

    func said(in language: any Language) -> String { language.text(self) }
}

/// Other people, and the user's own profile and privacy.
enum PeoplePhrase: Phrase {
    case presence(UserPresence.State), lastSeen(String), seen(SeenRange), isNow(String, presence: String)
    case wasThere(String, presence: String)
    case contacts, noContacts, contact(kind: String), invited, invitesYou(String)
    case isInvited(String), isContact(String), declined, noContactAnyMore(String)
    case blocked(String), unblocked(String), reported(String)
    case requests, noRequests, asksToWrite(String, answer: String), mayWrite(String), noRequestHere
    case noRequest, noRequestOf(String), dropped(String)
    case found, noneFound(String), moreFound
    case nameSet(String), usernameSet(String), usernameRemoved
    case muted, unmuted, away, back
    case privacy, presenceAudience(PresenceAudience), lastSeenDetail(LastSeenDetail), readAudience(ReadAudience)
    case exception(String, PrivacyException)
    case devices, device(String, OwnDevice.State, since: String?), endedBefore(EndReason, at: String?)

    func said(in language: any Language) -> String { language.text(self) }
}

/// Links by which people meet.
enum LinkPhrase: Phrase {
    case links, noLinks, noLink(String), linkRevoked, linkGone
    case openGroupFirst, requestSent, waiting, noneWaiting, noneCalled, severalCalled
    case accepted(String), declined(String), awaited, noneAwaited, joining(JoiningRule)
    case wantToJoin(Int), wantToJoinHint(Int)
    case linkToChat, linkToJoin(String), link(id: String, group: String?, used: Int, uses: Int, until: String), aGroup

    func said(in language: any Language) -> String { language.text(self) }
}

/// A group: its members, and who may write.
enum GroupPhrase: Phrase {
    case added([String]), removed([String]), renamed(String), hasRole(String, MemberRole), left, hiddenUntilNews
    case members, member(String, MemberRole, presence: String?, read: Int64, delivered: Int64)
    case joined([String]), gone([String])
    case noGroup, banned(String, name: String), unbanned(String), timedOut(String, name: String), timeoutEnded(String)
    case bans, noBans, ban(String, by: String, time: String, reason: ReportReason?), posting(PostingRule)
    case severalPeople(String, ids: [String]), nobodyCalled(String)

    func said(in language: any Language) -> String { language.text(self) }
}

/// A person in a sentence: one about "you" isn't one about a name.
enum Person: Sendable, Equatable {
    case you
    case other(String)
}

/// Lines between the messages: what has happened to a conversation.
enum LinePhrase: Phrase {
    case created(Person), joined(Person), added(Person, people: [Person], more: Int)
    case removed(Person, people: [Person], more: Int), left(Person, owner: Person?), renamed(Person, to: String)
    case described(Person), role(Person, person: Person, MemberRole), expiryOff(Person)
    case expiry(Person, milliseconds: Int64), pinned(Person)
    case banned(Person, people: [Person], more: Int, ReportReason?), unbanned(Person, person: Person)
    case timeout(Person, person: Person, until: String, ReportReason?), timeoutEnded(Person, person: Person)
    case posting(Person, PostingRule), slowOff(Person), slow(Person, milliseconds: Int64)
    case joining(Person, JoiningRule)

    func said(in language: any Language) -> String { language.text(self) }
}

/// Days.
enum DayPhrase: Phrase {
    case today
    /// A day of this year, or of the one that is given. Sunday is 0, January 1.
    case day(weekday: Int, day: Int, month: Int, year: Int?)
    /// A day of this year, in as few columns as possible.
    case short(day: Int, month: Int)

    func said(in language: any Language) -> String { language.text(self) }
}

/// The help, besides what each command does.
enum HelpPhrase: Phrase {
    case title, keys, commands, slash, usage(String), noSuchCommand(String)
    case keyEnter, keyNewline, keyTab, keyNext, keyPage, keyUp, keyEscape, keyErase, keyRedraw, keyLeave
    case enter, newline, tab, next, page, up, escape, erase, redraw, leave

    func said(in language: any Language) -> String { language.text(self) }
}

/// The rest of a command, behind its word.
enum CommandForm: Phrase {
    case nothing, name, names, newName, user, userRole, text, emoji, uses, link, linkID, number, groupMembers, expiry
    case slow, ban, timeout, onOff, report, status, privacy

    func said(in language: any Language) -> String { language.text(self) }
}

/// Help for the commands of conversations and messages.
enum TalkHelp: Phrase {
    case open, list, group, add, remove, rename, role, members, expire, slow, mute, unmute, leave
    case ban, unban, timeout, bans, announce, approval
    case reply, edit, delete, react, unreact, info, thread, forward, pin, unpin, retry, discard
    case close, pins, history, search, jump, end

    func said(in language: any Language) -> String { language.text(self) }
}

/// Help for the commands of people and of the user.
enum PeopleHelp: Phrase {
    case find, contacts, invite, link, links, revokeLink, follow, decline, forget, block, unblock, report
    case requests, accept, drop, waiting, admit, turnAway
    case away, back, status, privacy, name, username, devices, connect, help, quit

    func said(in language: any Language) -> String { language.text(self) }
}
