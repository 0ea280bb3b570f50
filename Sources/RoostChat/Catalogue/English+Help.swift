extension English {
    // MARK: Help

    func text(_ phrase: HelpPhrase) -> String {
        switch phrase {
        case .title: "Help"
        case .keys: "Keys"
        case .commands: "Commands"
        case .slash: "To send a message that starts with a slash, type two slashes."
        case .usage(let form): "Usage: \(form)"
        case .noSuchCommand(let word): "There’s no command \(word). /help lists them all"
        case .keyEnter: "Enter"
        case .keyNewline: "Alt-Enter, Ctrl-J"
        case .keyTab: "Tab"
        case .keyNext: "Ctrl-N, Ctrl-P"
        case .keyPage: "Page Up, Page Down"
        case .keyUp: "↑ in an empty line"
        case .keyEscape: "Esc"
        case .keyErase: "Ctrl-W, Ctrl-U, Ctrl-K"
        case .keyRedraw: "Ctrl-L, Ctrl-Z"
        case .keyLeave: "Ctrl-D, Ctrl-C"
        case .enter: "send"
        case .newline: "new line"
        case .tab: "switch between the list and the message"
        case .next: "next or previous conversation"
        case .page: "scroll"
        case .up:
            "choose a message: r reply, e edit, d delete, + react, i info, o open its thread, p pin or unpin, "
                + "f forward, ! report"
        case .escape: "go back; jump to the newest message; leave a thread"
        case .erase: "delete a word, to the start, to the end"
        case .redraw: "redraw; suspend"
        case .leave: "quit; quit at once"
        }
    }

    func text(_ form: CommandForm) -> String {
        switch form {
        case .nothing: ""
        case .name, .newName, .user: "NAME"
        case .names: "NAMES"
        case .userRole: "NAME ROLE"
        case .text: "TEXT"
        case .emoji: "👍"
        case .uses: "PEOPLE"
        case .link: "LINK"
        case .linkID: "ID"
        case .number: "NUMBER"
        case .groupMembers: "NAME: NAMES"
        case .expiry: "off, 24h, 7d or 90d"
        case .slow: "off, 30s, 5m or 1h"
        case .ban: "NAME REASON"
        case .timeout: "NAME 10m REASON"
        case .onOff: "on or off"
        case .report: "NAME REASON TEXT"
        case .status: "STATUS TEXT"
        case .privacy:
            "presence everyone, shared or nobody; or lastSeen exact, coarse or nobody; or read shared or nobody"
        }
    }

    func text(_ help: TalkHelp) -> String {
        switch help {
        case .open: "open a conversation with a person or group: @bob, bob, Crew"
        case .list: "list your conversations"
        case .group: "create a group: /group Crew: bob carol"
        case .add: "add people to this group"
        case .remove: "remove people from this group"
        case .rename: "rename this group"
        case .role: "make someone a member, admin or owner"
        case .members: "list the members and how far they have read"
        case .expire: "set when new messages disappear; on its own, show the setting"
        case .slow: "limit how often a member can write; on its own, show the setting"
        case .mute: "mute this conversation on all your devices"
        case .unmute: "unmute this conversation"
        case .leave: "leave this group, or hide a conversation with one person"
        case .ban: "remove someone for good; you can add spam, harassment, impersonation, illegal or other"
        case .unban: "lift a ban"
        case .timeout: "keep someone from writing for 30s, 10m, 2h or 7d; off ends it"
        case .bans: "list who is banned"
        case .announce: "let only the owner and admins write, or everyone again"
        case .reply: "reply to the selected message, or to a number: /reply #12 TEXT"
        case .edit: "edit your selected or last message"
        case .delete: "delete your selected or last message"
        case .react: "react to the selected message, or to the last one from someone else"
        case .unreact: "remove your reaction"
        case .info: "show a message’s number, and who has read it when"
        case .thread: "open a message’s thread and write in it"
        case .forward: "forward a message to a conversation or to @bob"
        case .pin: "pin a message for everyone"
        case .unpin: "unpin a message"
        case .retry: "try again to send a message that was refused"
        case .discard: "discard a message that is waiting or was refused"
        case .close: "leave the thread"
        case .pins: "list the pinned messages"
        case .history: "show earlier messages"
        case .search: "search the messages on this device"
        case .jump: "go to a message by its number"
        case .end: "go to the newest message"
        }
    }

    func text(_ help: PeopleHelp) -> String {
        switch help {
        case .find: "find people by the beginning of their name"
        case .contacts: "list your contacts and invitations"
        case .invite: "invite someone to your contacts"
        case .link: "create a link to chat with you or to join the open group, for one person or more"
        case .links: "list your links"
        case .revokeLink: "revoke a link, by its ID in /links"
        case .follow: "open a link that someone sent you"
        case .decline: "decline an invitation"
        case .forget: "remove a contact, or cancel an invitation"
        case .block: "block someone: neither of you sees the other"
        case .unblock: "unblock someone"
        case .report:
            "report someone to the people who run this server: spam, harassment, impersonation, illegal or other, and "
                + "details if you like; without NAME, report the selected message or the last one from someone else"
        case .requests: "list message requests from people you don’t know"
        case .accept: "accept an invitation or a request; on its own, the open request"
        case .drop: "ignore a request; on its own, the open one. The sender won’t know"
        case .away: "appear away; nothing is marked as read"
        case .back: "appear online again"
        case .status: "auto, away, busy or invisible, a text, or both; - removes the text"
        case .privacy: "choose what others see of you; on its own, show the settings"
        case .name: "set your display name"
        case .username: "set the username others find you by; - removes it"
        case .devices: "list your devices, and why they disconnected"
        case .connect: "try to connect now"
        case .help: "show this help"
        case .quit: "quit; also Ctrl-D"
        }
    }
}
