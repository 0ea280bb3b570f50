import RoostKit
import RoostStore
import RoostWire

extension English {
    // MARK: People

    func text(_ phrase: PeoplePhrase) -> String {
        switch phrase {
        case .presence(let state): presence(state)
        case .lastSeen(let time): "last seen \(time)"
        case .seen(let range): seen(range)
        case .isNow(let name, let presence): "\(name) is \(presence)"
        case .wasThere(let name, let presence): "\(name) was \(presence)"
        case .contacts: "Contacts"
        case .noContacts: "You have no contacts yet. Add someone with /invite NAME"
        case .contact(let kind): kind == "friend" ? "contact" : kind
        case .invited: "invited"
        case .invitesYou(let user): "invites you: /accept \(user)"
        case .isInvited(let name): "You invited \(name), or you’re already contacts"
        case .isContact(let name): "\(name) is now a contact"
        case .declined: "Invitation declined"
        case .noContactAnyMore(let name): "\(name) is no longer a contact"
        case .blocked(let name): "You blocked \(name)"
        case .unblocked(let name): "You unblocked \(name)"
        case .reported(let user): "Report sent. To block this person: /block \(user)"
        case .requests: "Message requests: /accept NAME or /drop NAME"
        case .noRequests: "You have no message requests"
        case .asksToWrite(let text, let answer): "Message request from \(text) – \(answer)"
        case .mayWrite(let name): "\(name) can now write to you"
        case .noRequestHere: "This isn’t a message request. To accept an invitation: /accept NAME"
        case .noRequest: "This isn’t a message request"
        case .noRequestOf(let name): "There’s no message request from \(name)"
        case .dropped(let name): "You ignored the request from \(name)"
        case .found: "People"
        case .noneFound(let name): "No one found for “\(name)”"
        case .moreFound: "… and more: type more of the name"
        case .nameSet(let name): "Others now see you as \(name)"
        case .usernameSet(let name): "Others can now find you as @\(name)"
        case .usernameRemoved: "You have no username now"
        case .muted: "Muted on all your devices. To undo: /unmute"
        case .unmuted: "No longer muted"
        case .away: "You appear away, and nothing is marked as read until /back"
        case .back: "Welcome back"
        case .privacy: "Privacy"
        case .presenceAudience(let who): presenceAudience(who)
        case .lastSeenDetail(let detail): lastSeenDetail(detail)
        case .readAudience(let who): readAudience(who)
        case .exception(let user, let kind): exception(user, kind)
        case .devices: "Your devices"
        case .device(let name, let state, let since):
            "\(name) is \(device(state))" + (since.map { " since \($0)" } ?? "")
        case .endedBefore(let reason, let time): "last time, \(ending(reason))" + (time.map { " at \($0)" } ?? "")
        }
    }

    private func presence(_ state: UserPresence.State) -> String {
        switch state {
        case .online: "online"
        case .away: "away"
        case .busy: "busy"
        case .offline: "offline"
        }
    }

    private func seen(_ range: SeenRange) -> String {
        switch range {
        case .recently: "seen recently"
        case .week: "seen within a week"
        case .month: "seen within a month"
        case .long: "seen a long time ago"
        }
    }

    private func presenceAudience(_ who: PresenceAudience) -> String {
        switch who {
        case .shared: "presence shared: people you chat with see when you’re online"
        case .everyone: "presence everyone: everyone sees when you’re online"
        case .nobody: "presence nobody: no one sees when you’re online"
        }
    }

    private func lastSeenDetail(_ detail: LastSeenDetail) -> String {
        switch detail {
        case .exact: "lastSeen exact: they see when you were last online"
        case .coarse: "lastSeen coarse: they see roughly when you were last online"
        case .nobody: "lastSeen nobody: no one sees when you were last online"
        }
    }

    private func readAudience(_ who: ReadAudience) -> String {
        switch who {
        case .shared: "read shared: people in a conversation see what you’ve read"
        case .nobody: "read nobody: no one sees what you’ve read"
        }
    }

    private func exception(_ user: String, _ kind: PrivacyException) -> String {
        switch kind {
        case .always: "\(user): always sees everything"
        case .never: "\(user): never sees anything"
        case .blocked, .blockedOverAlways, .blockedOverNever: "\(user): blocked"
        }
    }

    private func device(_ state: OwnDevice.State) -> String {
        switch state {
        case .active: "active"
        case .idle: "idle"
        case .background: "in the background"
        case .offline: "offline"
        }
    }

    private func ending(_ reason: EndReason) -> String {
        switch reason {
        case .bye, .closed: "you closed it"
        case .cut, .timeout: "the connection was lost"
        case .takeover: "another connection took over"
        case .drain, .restart: "the server restarted"
        case .token: "the sign-in expired"
        case .slow: "it was too slow"
        case .overload: "the server was overloaded"
        case .refused: "the server refused it"
        case .operator: "an operator ended it"
        }
    }

    func text(_ phrase: LinkPhrase) -> String {
        switch phrase {
        case .links: "Your links"
        case .noLinks: "You have no links. Create one with /link"
        case .noLink(let id): "You have no link \(id). /links shows yours"
        case .linkRevoked: "Link revoked"
        case .linkGone: "This link was used up, revoked, or has expired. Ask for a new one"
        case .openGroupFirst: "Open the group first"
        case .requestSent: "Your request was sent. The group appears once an admin approves it"
        case .waiting: "Waiting to join"
        case .noneWaiting: "No one is waiting"
        case .noneCalled: "No one by this name is waiting. /waiting shows who is"
        case .severalCalled: "Several people have this name. Use the name in parentheses"
        case .accepted(let name): "\(name) joined"
        case .declined(let name): "\(name) was declined"
        case .awaited: "Waiting for approval"
        case .noneAwaited: "You aren’t waiting for a group"
        case .joining(.ask): "People who follow a link now wait for an admin"
        case .joining(.open): "People who follow a link now join right away"
        case .wantToJoin(1): "1 wants to join"
        case .wantToJoin(let count): "\(number(count)) want to join"
        case .wantToJoinHint(let count): "\(text(LinkPhrase.wantToJoin(count))). /waiting shows their names"
        case .linkToChat: "to chat with you"
        case .linkToJoin(let group): "to join \(group)"
        case .link(let id, let group, let used, let uses, let until):
            "\(id)  \(group ?? "chat with you"), used \(number(used)) of \(number(uses)), until \(until)"
        case .aGroup: "a group"
        }
    }

    // MARK: Groups

    func text(_ phrase: GroupPhrase) -> String {
        switch phrase {
        case .added(let names): "Added \(list(names))"
        case .removed(let names): "Removed \(list(names))"
        case .renamed(let name): "Renamed to \(name)"
        case .hasRole(let name, let role): "\(name) is now \(article(role))"
        case .left: "You left the group"
        case .hiddenUntilNews: "Hidden until the next message"
        case .members: "Members"
        case .member(let name, let role, let presence, let read, let delivered):
            "\(name) (\(word(role)))" + (presence.map { " " + $0 } ?? "")
                + ", read up to \(read), delivered up to \(delivered)"
        case .joined(let names): "Joined: \(list(names))"
        case .gone(let names): "Left: \(list(names))"
        case .noGroup: "This isn’t a group. To block someone: /block NAME"
        case .banned(let who, let name): "You banned \(who). To undo: /unban \(name)"
        case .unbanned(let who): "\(who) can be added again"
        case .timedOut(let who, let name): "You gave \(who) a timeout. To end it: /timeout \(name) off"
        case .timeoutEnded(let who): "\(who) can write again"
        case .bans: "Banned"
        case .noBans: "No one is banned here"
        case .ban(let who, let by, let time, let reason): "\(who), by \(by), \(time)\(why(reason))"
        case .posting(.admins): "Only the owner and admins can write here now"
        case .posting(.all): "Everyone can write here now"
        case .severalPeople(let name, let ids): "Several people are called \(name). Use an ID: \(list(ids))"
        case .nobodyCalled(let name): "No one here is called \(name). /who lists the members"
        }
    }

    private func word(_ role: MemberRole) -> String {
        switch role {
        case .owner: "owner"
        case .admin: "admin"
        case .member: "member"
        }
    }

    private func article(_ role: MemberRole) -> String {
        switch role {
        case .owner: "the owner"
        case .admin: "an admin"
        case .member: "a regular member"
        }
    }

    func text(_ phrase: LinePhrase) -> String {
        switch phrase {
        case .created(let by): "\(who(by)) created the group"
        case .joined(let by): "\(who(by)) joined"
        case .added(let by, let users, let more): "\(who(by)) added \(all(users, more))"
        case .removed(let by, let users, let more): "\(who(by)) removed \(all(users, more))"
        case .left(let by, nil): "\(who(by)) left"
        case .left(let by, .you): "\(who(by)) left. You’re now the owner"
        case .left(let by, .other(let owner)): "\(who(by)) left. \(owner) is now the owner"
        case .renamed(let by, let name): "\(who(by)) renamed the group to “\(name)”"
        case .described(let by): "\(who(by)) changed the photo or description"
        case .role(let by, let user, let role): "\(who(by)) made \(whom(user)) \(article(role))"
        case .expiryOff(let by): "\(who(by)) turned off disappearing messages"
        case .expiry(let by, let time): "\(who(by)) set messages to disappear after \(days(time))"
        case .pinned(let by): "\(who(by)) pinned a message"
        case .banned(let by, let users, let more, let reason): "\(who(by)) banned \(all(users, more))\(why(reason))"
        case .unbanned(let by, let user): "\(who(by)) lifted the ban on \(whom(user))"
        case .timeout(let by, let user, let until, let reason):
            "\(who(by)) gave \(whom(user)) a timeout until \(until)\(why(reason))"
        case .timeoutEnded(let by, .you): "\(who(by)) ended your timeout"
        case .timeoutEnded(let by, .other(let user)): "\(who(by)) ended \(user)’s timeout"
        case .posting(let by, .admins): "\(who(by)) let only admins send messages"
        case .posting(let by, .all): "\(who(by)) let everyone send messages"
        case .joining(let by, .ask): "\(who(by)) turned on approval for people who join by link"
        case .joining(let by, .open): "\(who(by)) turned off approval for people who join by link"
        case .slowOff(let by): "\(who(by)) turned off slow mode"
        case .slow(let by, let time): "\(who(by)) turned on slow mode: \(span(time)) between messages"
        }
    }

    private func why(_ reason: ReportReason?) -> String {
        switch reason {
        case .spam: ": spam"
        case .harassment: ": harassment"
        case .impersonation: ": pretending to be someone else"
        case .illegal: ": illegal content"
        case .other, nil: ""
        }
    }

    private func who(_ person: Person) -> String {
        switch person {
        case .you: "You"
        case .other(let name): name
        }
    }

    private func whom(_ person: Person) -> String {
        switch person {
        case .you: "you"
        case .other(let name): name
        }
    }

    private func all(_ people: [Person], _ more: Int) -> String {
        list(people.map(whom) + (more > 0 ? [counted(more, "other")] : []))
    }

    // MARK: Numbers and times

    func text(_ phrase: DayPhrase) -> String {
        switch phrase {
        case .today: "Today"
        case .day(let weekday, let day, let month, let year):
            "\(English.days[weekday % 7]) \(day) \(English.months[month % 12])" + (year.map { " \($0)" } ?? "")
        case .short(let day, let month): "\(day) \(English.months[month % 12].prefix(3))"
        }
    }

    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `1,234`
    func number(_ count: Int) -> String { count.grouped(by: ",") }

    /// `1 message`, `2 messages`; other plurals than with an `s` are given.
    func counted(_ count: Int, _ one: String, _ others: String? = nil) -> String {
        "\(number(count)) \(count == 1 ? one : others ?? one + "s")"
    }

    /// `a, b and c`
    func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// A time in its largest whole unit: `90 seconds`, `5 minutes`.
    func span(_ milliseconds: Int64) -> String {
        switch WholeTime(milliseconds) {
        case .seconds(let count): counted(count, "second")
        case .minutes(let count): counted(count, "minute")
        case .hours(let count): counted(count, "hour")
        }
    }

    /// The life of disappearing messages: `24 hours`, `1 week`, `90 days`.
    func days(_ milliseconds: Int64) -> String {
        switch LongTime(milliseconds) {
        case .hours(let count): counted(count, "hour")
        case .days(let count): counted(count, "day")
        case .weeks(let count): counted(count, "week")
        }
    }
}
