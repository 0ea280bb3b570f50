import RoostKit
import RoostStore
import RoostWire

/// The German texts of `roost chat`, with "du" as on the chat page. Pure.
struct German: Language {
    let yes = ["j", "ja", "y", "yes"]

    // MARK: The session

    func text(_ phrase: SessionPhrase) -> String {
        switch phrase {
        case .connected: "verbunden"
        case .catchingUp: "wird aktualisiert …"
        case .connectingTo(let server): "Verbinden mit \(server)"
        case .connectingAgain: "Verbindung wird wiederhergestellt"
        case .notConnected(let reason, let seconds?): "nicht verbunden, nächster Versuch in \(seconds) s: \(reason)"
        case .notConnected(let reason, nil): "nicht verbunden: \(reason)"
        case .unsent(let count): "\(number(count)) nicht gesendet"
        case .unread(let count): "\(number(count)) ungelesen"
        case .strangersAsk(let count): "\(counted(count, "Nachrichtenanfrage", "Nachrichtenanfragen")): /requests"
        case .status(.invisible): "unsichtbar"
        case .status(let status): state(status)
        case .connectedAs(let user, let device): "Verbunden als \(user) auf \(device)"
        case .lost(let reason): "Nicht verbunden: \(reason). Neuer Versuch läuft …"
        case .shown(let status, let text): "Andere sehen dich als \(state(status))" + (text.isEmpty ? "" : ": \(text)")
        case .takenOver(let device):
            "Ein anderer Chat hat das Gerät \(device) übernommen. Gib mit --device jedem einen eigenen Namen"
        case .refused(let reason): "Der Server hat dich abgewiesen: \(reason)"
        case .refusedByServer: "Der Server hat die Verbindung abgewiesen"
        case .storeFailed(let reason): "Nachrichten können auf diesem Gerät nicht gespeichert werden: \(reason)"
        case .noReason: "nicht verbunden"
        case .noServerHere: "unter diesem Pfad gibt es keinen Roost-Server; sein Pfad ist /v1/socket"
        case .notLetIn: "der Server oder ein Proxy davor lässt diesen Client nicht zu"
        case .otherToken: "das Token gehört einem anderen Benutzer"
        case .otherUser(let user, let wanted): "Das Token gehört \(user), nicht \(wanted)"
        case .cannotConnect(let reason): "Keine Verbindung möglich: \(reason)"
        case .waitingHere(let count):
            "\(counted(count, "Nachricht", "Nachrichten")) noch nicht gesendet. Der nächste Chat von dir auf diesem "
                + "Gerät sendet \(count == 1 ? "sie" : "sie alle")."
        case .notSent(let count, let store):
            "\(counted(count, "Nachricht", "Nachrichten")) noch nicht gesendet: gespeichert in \(store), der nächste "
                + "Chat von dir sendet \(count == 1 ? "sie" : "sie alle")"
        case .nothingSent: "Keine Verbindung: nichts wurde gesendet"
        case .someRefused(let count): "\(counted(count, "Nachricht", "Nachrichten")) nicht angenommen"
        case .needsPeer: "Sag mit --with, mit wem du chatten möchtest, oder starte den Chat in einem Terminal"
        case .badAddress(let address): "\(address) ist keine gültige Adresse"
        case .noFolder(let path): "\(path) lässt sich nicht anlegen. Wähle eine Datei mit --store"
        case .deviceInUse(let device):
            "Ein anderer Chat auf diesem Computer benutzt das Gerät \(device). Wähle einen anderen Namen mit --device"
        case .tooManyChats(let count):
            "Auf diesem Computer sind schon \(number(count)) Chats von dir offen. Wähle einen Namen mit --device"
        case .noFreeName: "Kein Gerätename ist mehr frei. Wähle einen mit --device"
        case .fileInUse(let path): "Ein anderer Chat benutzt \(path)"
        case .noSuchUser(let user): "Es gibt kein Konto namens \(user). Mit --new legst du einen neuen Benutzer an"
        case .newUserQuestion(let user): "Es gibt kein Konto namens \(user). Als neuer Benutzer chatten? [j/N]"
        }
    }

    private func state(_ status: StatusChoice) -> String {
        switch status {
        case .auto: "online"
        case .away: "abwesend"
        case .busy: "beschäftigt"
        case .invisible: "offline"
        }
    }

    // MARK: Failures

    func text(_ phrase: FailurePhrase) -> String {
        switch phrase {
        case .refused(let code): refusal(code)
        case .refusedOtherwise(let code): "Der Server hat das abgelehnt (\(code))"
        case .closed(let code): closing(code)
        case .ended(let reason): "Die Sitzung ist beendet: \(reason)"
        case .notConnected: "Du bist nicht verbunden"
        case .noAnswer: "Der Server hat nicht geantwortet. Vielleicht ist es trotzdem geschehen"
        case .queueFull: "Zu viele Nachrichten warten darauf, gesendet zu werden"
        case .tooManyCommands: "Das war zu schnell. Warte einen Moment"
        case .tooLarge: "Das ist zu lang"
        case .invalid(let reason): "Das ist nicht gültig: \(reason)"
        case .badAnswer: "Diese Version versteht die Antwort des Servers nicht"
        case .cancelled: "Abgebrochen"
        case .tooLateToChange: "Das lässt sich nicht mehr ändern"
        case .storeFull: "Zu viel wartet darauf, gesendet zu werden"
        case .failed(let reason): "Das hat nicht geklappt: \(reason)"
        case .cannotOpen(let reason): "Das lässt sich nicht öffnen: \(reason)"
        case .unsent(let reason): unsent(reason)
        case .messageNotSent(let why): "Nicht gesendet: \(why) · /retry, /edit TEXT oder /discard"
        case .changeNotMade(let why): "Nicht geändert: \(why) · /retry oder /discard"
        case .notSent(let why, let text): "\(why): \(text)"
        case .changeRefused(let why, let text): "\(why). Nicht geändert: \(text)"
        }
    }

    private func refusal(_ code: ErrorCode) -> String {
        switch code {
        case .badJSON, .badRequest, .unknownType, .badPosition:
            "Das ist nicht gültig. Prüfe es und versuche es noch einmal"
        case .notReady: "Der Server ist noch nicht bereit. Versuche es noch einmal"
        case .unauthorized: "Der Server erkennt deine Anmeldung nicht an"
        case .tokenExpired: "Deine Anmeldung ist abgelaufen"
        case .forbidden: "Das darfst du nicht"
        case .notFound: "Das ist nicht verfügbar. Prüfe den Namen"
        case .gone: "Das wurde gelöscht"
        case .conflict: "Das ist schon geschehen"
        case .tooLarge: "Das ist zu lang oder zu viel"
        case .rateLimited: "Das war zu schnell. Warte einen Moment"
        case .busy: "Der Server ist ausgelastet. Versuche es gleich noch einmal"
        case .unavailable: "Das ist gerade nicht verfügbar. Versuche es später noch einmal"
        case .noRelationship: "Du kannst dieser Person nicht schreiben. Lade sie zuerst ein: /invite"
        case .usernameTaken: "Dieser Benutzername ist schon vergeben"
        case .blocked: "Du hast diese Person blockiert. Mit /unblock kannst du ihr wieder schreiben"
        }
    }

    private func closing(_ code: CloseCode) -> String {
        switch code {
        case .normal: "die Verbindung wurde geschlossen"
        case .protocolError, .unsupportedData, .invalidText, .malformed: "der Server hat diesen Client nicht verstanden"
        case .tooBig: "eine Nachricht war zu lang"
        case .drain: "der Server startet neu"
        case .tooSlow: "dieser Client liest zu langsam"
        case .pingTimeout, .helloTimeout: "der Server hat zu lange nichts gehört"
        case .tokenExpired: "das Token ist abgelaufen"
        case .overloaded: "der Server ist überlastet"
        case .disconnected: "die Verbindung wurde vom Betreiber getrennt"
        case .rateLimited: "zu viel auf einmal"
        case .unauthorized: "das Token wird nicht anerkannt"
        case .takenOver: "dieses Gerät wird anderswo benutzt"
        case .revoked: "dieses Gerät wurde abgemeldet"
        }
    }

    private func unsent(_ reason: SendFailure.Reason) -> String {
        switch reason {
        case .tooLong: "diese Nachricht ist zu lang"
        case .notAllowed: "du kannst hier nicht schreiben"
        case .noRelationship: "ihr könnt euch schreiben, sobald deine Einladung angenommen ist: /invite"
        case .youBlocked: "du hast diese Person blockiert"
        case .notFound: "diesen Chat gibt es nicht mehr"
        case .unreachable: "der Server war nicht erreichbar"
        case .changedElsewhere: "du hast diese Nachricht auf einem anderen Gerät bearbeitet"
        case .notAccepted: "der Server nimmt diese Nachricht nicht an"
        }
    }

    // MARK: Conversations

    func text(_ phrase: ConversationPhrase) -> String {
        switch phrase {
        case .threadIn(let title): "Thread in \(title)"
        case .online(let count, let all): "\(number(count)) von \(number(all)) online"
        case .members(let count): counted(count, "Mitglied", "Mitglieder")
        case .pinned(let count): "\(number(count)) angeheftet"
        case .request(let state): request(state)
        case .expiry(let time): expiry(time)
        case .fromNowOn(let time): "Ab jetzt: \(expiry(time))"
        case .slow(0): "langsamer Modus aus"
        case .slow(let time): "langsamer Modus: \(span(time)) zwischen zwei Nachrichten"
        case .typing: "schreibt …"
        case .isTyping(let name): "\(name) schreibt …"
        case .areTyping(let names): "\(list(names)) schreiben …"
        case .manyTyping: "mehrere Personen schreiben …"
        case .othersTyping(let names): "\(list(names + ["mehrere andere"])) schreiben …"
        case .draft(let text): "Entwurf: \(text)"
        case .you(let text): "du: \(text)"
        case .new: "neu"
        case .missing(let count): "\(counted(Int(clamping: count), "Nachricht", "Nachrichten")) noch nicht geladen"
        case .yourConversations: "Deine Chats"
        case .none: "Du hast noch keine Chats"
        case .row(let title, let unread, let mentions, let isMuted):
            "\(title), \(number(unread)) ungelesen" + (mentions > 0 ? ", \(number(mentions)) für dich" : "")
                + (isMuted ? ", stumm" : "")
        case .wrote(let name, let place, let text): "\(name) schreibt\(place.map { " in \($0)" } ?? ""): \(text)"
        case .noneYet: "Es gibt noch keinen Chat"
        case .noneOpen: "Öffne zuerst einen Chat: /open NAME"
        case .opened(let id): "Erstellt. Zum Öffnen starte einen Chat mit --with \(id)"
        case .needsAnotherChat:
            "Um einen anderen Chat zu öffnen, starte „roost chat“ noch einmal oder benutze ein Terminal"
        case .needsTerminal: "Das geht nur in einem Terminal"
        case .earlier: "frühere Nachrichten"
        case .nothingEarlier: "Es gibt keine früheren Nachrichten"
        case .moreEarlier: "/history zeigt mehr"
        case .beginning: "das ist der Anfang"
        case .missed(let count):
            "\(counted(Int(clamping: count), "Nachricht", "Nachrichten")) verpasst; /history zeigt sie"
        case .severalGroups(let name): "Mehrere Gruppen heißen \(name). Benutze stattdessen eine ID aus /list"
        case .noGroup(let name): "Du bist in keiner Gruppe namens \(name)"
        }
    }

    private func request(_ state: RequestState) -> String {
        switch state {
        case .sent: "noch nicht angenommen"
        case .received: "möchte dir schreiben: /accept oder /drop"
        case .dropped: "ignoriert; mit /accept nimmst du doch noch an"
        }
    }

    private func expiry(_ milliseconds: Int64) -> String {
        milliseconds > 0 ? "Nachrichten verschwinden nach \(days(milliseconds))" : "Nachrichten verschwinden nicht"
    }

    func text(_ phrase: ScreenPhrase) -> String {
        switch phrase {
        case .noConversations: "Noch keine Chats."
        case .howToBegin:
            "/open bob öffnet einen Chat mit Bob, /group Crew: bob carol erstellt eine Gruppe, /help zeigt mehr."
        case .choose: "Wähle einen Chat mit den Pfeiltasten und Enter."
        case .noMessages: "Noch keine Nachrichten."
        case .neverTalked(let name): "Mit \(name) hast du noch nie gechattet."
        case .firstMessageBegins: "Mit deiner ersten Nachricht beginnt der Chat."
        case .askStranger(let name):
            "Mit \(name) hast du noch nie gechattet. Enter: trotzdem senden. Esc: nicht senden."
        case .newer: "↓ neuere"
        case .writeHint: "Nachricht schreiben, oder /help"
        case .keysOfChoice: "↑↓ Enter wählen  Esc schließen"
        case .keysOfText: "↑↓ blättern  Esc schließen"
        case .keysOfList: "↑↓ Enter öffnen  Tab zurück  ^D beenden"
        case .keysOfMessages: "r antworten  e bearbeiten  d löschen  + reagieren  i Infos  o Thread  /help"
        case .keysOfReply: "Enter antworten  Esc abbrechen"
        case .keysOfEdit: "Enter speichern  Esc abbrechen"
        case .keysOfThread: "Esc verlässt den Thread"
        case .keysOfWriting: "Tab Liste  ↑ Nachrichten  /help"
        }
    }

    // MARK: Messages

    func text(_ phrase: MessagePhrase) -> String {
        switch phrase {
        case .sending: "wird gesendet"
        case .sent: "gesendet"
        case .delivered: "zugestellt"
        case .read: "gelesen"
        case .notSent: "nicht gesendet"
        case .deliveredOf(let count, let all): "\(number(count)) von \(number(all)) zugestellt"
        case .readOf(let count, let all): "von \(number(count)) von \(number(all)) gelesen"
        case .deliveredTo(let who): "zugestellt: \(who)"
        case .readBy(let who): "gelesen von \(who)"
        case .some(let count, let all): "\(number(count)) von \(number(all))"
        case .deleted: "gelöscht"
        case .hidden: "ausgeblendet"
        case .hiddenByBlock: "wegen einer Blockierung ausgeblendet"
        case .lost: "der Server hat diese Nachricht verloren"
        case .edited: "bearbeitet"
        case .isPinned: "angeheftet"
        case .replies(let count): replies(count)
        case .repliesInThread(let count): "\(replies(count)) im Thread"
        case .forYou: "für dich"
        case .forwardedFrom(let name): "weitergeleitet von \(name)"
        case .from(let name): "von \(name)"
        case .inThread(let message): "im Thread von \(message)"
        case .number(let number): "Nachricht \(number)"
        case .notHere: "nicht auf diesem Gerät"
        case .pin(let number, let message, let by):
            "#\(number) \(message ?? "(nicht auf diesem Gerät)")" + (by.map { ", angeheftet von \($0)" } ?? "")
        case .wasDeleted(let name, let text): "Gelöscht: \(name): \(text)"
        case .wasEdited(let name, let text): "\(name) hat bearbeitet: \(text)"
        case .reaction(let reaction, let count, let name, let text): "\(reaction)×\(count) auf \(name): \(text)"
        case .noReaction(let reaction, let name, let text): "\(reaction) zurückgenommen auf \(name): \(text)"
        case .thread(let message): "Thread: \(message)"
        case .threadHasMore: "es gibt frühere Nachrichten"
        }
    }

    private func replies(_ count: Int) -> String {
        count >= Limits().repliesCounted
            ? "\(number(count)) oder mehr Antworten" : counted(count, "Antwort", "Antworten")
    }

    func text(_ phrase: DeedPhrase) -> String {
        switch phrase {
        case .tryingAgain: "Neuer Versuch …"
        case .isNotHere: "Diese Nachricht ist nicht hier"
        case .reacted(let reaction): "Du hast mit \(reaction) reagiert"
        case .unreacted(let reaction): "Du hast \(reaction) zurückgenommen"
        case .changed(let text): "Bearbeitet: \(text)"
        case .deleted: "Gelöscht"
        case .wasNotRefused: "Diese Nachricht wurde nicht abgelehnt"
        case .discarded: "Verworfen"
        case .notStored: "Der Server hat sie noch nicht"
        case .pinned(let text): "Angeheftet: \(text)"
        case .unpinned(let text): "Nicht mehr angeheftet: \(text)"
        case .reported(let text): "Meldung gesendet: \(text)"
        case .forwarded(let name): "An \(name) weitergeleitet"
        case .forwardAnyway(let name):
            "Mit \(name) hast du noch nie gechattet. Trotzdem weiterleiten: /forward @\(name)"
        case .readers(let number): "Nachricht \(number), gelesen von"
        case .noReaders: "noch niemand"
        case .disappears(let time): "Sie verschwindet \(time)"
        case .pins: "Angeheftete Nachrichten"
        case .noPins: "Hier ist nichts angeheftet"
        case .nothingOwn: "Du hast hier noch nichts geschrieben"
        case .nothing: "Hier ist keine Nachricht"
        case .nothingRefused: "Hier wurde nichts abgelehnt"
        case .onlyOwnTexts: "Du kannst nur eigene Nachrichten bearbeiten"
        case .unsentInThread: "Das hast du noch nicht gesendet. Enter: senden. Strg-U: löschen"
        case .notInConversation(let number): "In diesem Chat gibt es keine Nachricht \(number)"
        case .unavailable: "Diese Nachricht ist gerade nicht verfügbar"
        case .found: "Treffer, neueste zuerst"
        case .nothingFound: "Keine Treffer auf diesem Gerät"
        case .noThread: "Kein Thread ist offen"
        case .threadUntilClose: "Du schreibst jetzt in diesem Thread, bis /close"
        case .backInConversation: "Zurück im Chat"
        }
    }
}
