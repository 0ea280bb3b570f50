extension German {
    // MARK: Help

    func text(_ phrase: HelpPhrase) -> String {
        switch phrase {
        case .title: "Hilfe"
        case .keys: "Tasten"
        case .commands: "Befehle"
        case .slash: "Eine Nachricht, die mit einem Schrägstrich beginnt, schreibst du mit zweien."
        case .usage(let form): "So geht es: \(form)"
        case .noSuchCommand(let word): "Es gibt keinen Befehl \(word). /help zeigt alle"
        case .keyEnter: "Enter"
        case .keyNewline: "Alt-Enter, Strg-J"
        case .keyTab: "Tab"
        case .keyNext: "Strg-N, Strg-P"
        case .keyPage: "Bild auf, Bild ab"
        case .keyUp: "↑ in leerer Zeile"
        case .keyEscape: "Esc"
        case .keyErase: "Strg-W, Strg-U, Strg-K"
        case .keyRedraw: "Strg-L, Strg-Z"
        case .keyLeave: "Strg-D, Strg-C"
        case .enter: "senden"
        case .newline: "neue Zeile"
        case .tab: "zwischen der Liste und der Nachricht wechseln"
        case .next: "nächster oder vorheriger Chat"
        case .page: "blättern"
        case .up:
            "eine Nachricht wählen: r antworten, e bearbeiten, d löschen, + reagieren, i Infos, o Thread öffnen, "
                + "p anheften oder lösen, f weiterleiten, ! melden"
        case .escape: "zurück; zur neuesten Nachricht; aus dem Thread"
        case .erase: "ein Wort löschen, bis zum Anfang, bis zum Ende"
        case .redraw: "neu zeichnen; anhalten"
        case .leave: "beenden; sofort beenden"
        }
    }

    func text(_ form: CommandForm) -> String {
        switch form {
        case .nothing: ""
        case .name, .newName, .user: "NAME"
        case .names: "NAMEN"
        case .userRole: "NAME ROLLE"
        case .text: "TEXT"
        case .emoji: "👍"
        case .uses: "PERSONEN"
        case .link: "LINK"
        case .linkID: "ID"
        case .number: "NUMMER"
        case .groupMembers: "NAME: NAMEN"
        case .expiry: "off, 24h, 7d oder 90d"
        case .slow: "off, 30s, 5m oder 1h"
        case .ban: "NAME GRUND"
        case .timeout: "NAME 10m GRUND"
        case .onOff: "on oder off"
        case .report: "NAME GRUND TEXT"
        case .status: "STATUS TEXT"
        case .privacy:
            "presence everyone, shared oder nobody; oder lastSeen exact, coarse oder nobody; oder read shared oder "
                + "nobody"
        }
    }

    func text(_ help: TalkHelp) -> String {
        switch help {
        case .open: "einen Chat mit einer Person oder Gruppe öffnen: @bob, bob, Crew"
        case .list: "deine Chats anzeigen"
        case .group: "eine Gruppe erstellen: /group Crew: bob carol"
        case .add: "Personen zu dieser Gruppe hinzufügen"
        case .remove: "Personen aus dieser Gruppe entfernen"
        case .rename: "diese Gruppe umbenennen"
        case .role: "jemanden zu member (Mitglied), admin oder owner (Besitzer) machen"
        case .members: "die Mitglieder anzeigen, und wie weit sie gelesen haben"
        case .expire: "einstellen, wann neue Nachrichten verschwinden; allein: die Einstellung anzeigen"
        case .slow: "einstellen, wie oft ein Mitglied schreiben kann; allein: die Einstellung anzeigen"
        case .mute: "diesen Chat auf allen deinen Geräten stummschalten"
        case .unmute: "die Stummschaltung aufheben"
        case .leave: "diese Gruppe verlassen, oder einen Chat zu zweit ausblenden"
        case .ban: "jemanden für immer entfernen; als Grund: spam, harassment, impersonation, illegal oder other"
        case .unban: "eine Sperre aufheben"
        case .timeout: "jemanden für 30s, 10m, 2h oder 7d nicht schreiben lassen; off beendet es"
        case .bans: "anzeigen, wer gesperrt ist"
        case .announce: "nur Besitzer und Admins schreiben lassen, oder wieder alle"
        case .approval: "Beitritte über einen Link von Admins freigeben lassen, oder sofort zulassen"
        case .reply: "auf die gewählte Nachricht antworten, oder auf eine Nummer: /reply #12 TEXT"
        case .edit: "deine gewählte oder letzte Nachricht bearbeiten"
        case .delete: "deine gewählte oder letzte Nachricht löschen"
        case .react: "auf die gewählte Nachricht reagieren, oder auf die letzte von anderen"
        case .unreact: "deine Reaktion zurücknehmen"
        case .info: "die Nummer einer Nachricht anzeigen, und wer sie wann gelesen hat"
        case .thread: "den Thread einer Nachricht öffnen und darin schreiben"
        case .forward: "eine Nachricht an einen Chat oder an @bob weiterleiten"
        case .pin: "eine Nachricht für alle anheften"
        case .unpin: "eine Nachricht nicht mehr anheften"
        case .retry: "eine abgelehnte Nachricht noch einmal senden"
        case .discard: "eine wartende oder abgelehnte Nachricht verwerfen"
        case .close: "den Thread verlassen"
        case .pins: "die angehefteten Nachrichten anzeigen"
        case .history: "frühere Nachrichten anzeigen"
        case .search: "die Nachrichten auf diesem Gerät durchsuchen"
        case .jump: "zu einer Nachricht mit dieser Nummer springen"
        case .end: "zur neuesten Nachricht springen"
        }
    }

    func text(_ help: PeopleHelp) -> String {
        switch help {
        case .find: "Personen nach dem Anfang ihres Namens suchen"
        case .contacts: "deine Kontakte und Einladungen anzeigen"
        case .invite: "jemanden zu deinen Kontakten einladen"
        case .link:
            "einen Link zum Chatten mit dir oder zum Beitreten zur offenen Gruppe erstellen, für eine Person oder mehr"
        case .links: "deine Links anzeigen"
        case .revokeLink: "einen Link widerrufen, mit seiner ID aus /links"
        case .follow: "einen Link öffnen, den du bekommen hast"
        case .decline: "eine Einladung ablehnen"
        case .forget: "einen Kontakt entfernen, oder eine Einladung zurückziehen"
        case .block: "jemanden blockieren: Ihr seht nichts mehr voneinander"
        case .unblock: "eine Blockierung aufheben"
        case .report:
            "jemanden den Betreibern dieses Servers melden: spam, harassment, impersonation, illegal oder other, und "
                + "Einzelheiten, wenn du möchtest; ohne NAME die gewählte Nachricht oder die letzte von anderen"
        case .waiting: "zeigen, wer der Gruppe beitreten möchte; sonst die Gruppen, auf die du wartest"
        case .admit: "jemanden beitreten lassen"
        case .turnAway: "eine Beitrittsanfrage ablehnen"
        case .requests: "Nachrichtenanfragen von Personen anzeigen, die du nicht kennst"
        case .accept: "eine Einladung oder Anfrage annehmen; allein: die offene Anfrage"
        case .drop: "eine Anfrage ignorieren; allein: die offene. Die andere Person erfährt es nicht"
        case .away: "als abwesend erscheinen; nichts gilt als gelesen"
        case .back: "wieder als online erscheinen"
        case .status:
            "auto, away (abwesend), busy (beschäftigt) oder invisible (unsichtbar), ein Text, oder beides; - löscht "
                + "den Text"
        case .privacy: "wählen, was andere von dir sehen; allein: die Einstellungen anzeigen"
        case .name: "deinen Anzeigenamen festlegen"
        case .username: "den Benutzernamen festlegen, mit dem andere dich finden; - entfernt ihn"
        case .devices: "deine Geräte anzeigen, und warum sie getrennt wurden"
        case .connect: "jetzt eine Verbindung versuchen"
        case .help: "diese Hilfe anzeigen"
        case .quit: "beenden; auch mit Strg-D"
        }
    }
}
