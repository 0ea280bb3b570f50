import RoostKit
import RoostStore
import RoostWire

extension German {
    // MARK: People

    func text(_ phrase: PeoplePhrase) -> String {
        switch phrase {
        case .presence(let state): presence(state)
        case .lastSeen(let time): "zuletzt online \(time)"
        case .seen(let range): seen(range)
        case .isNow(let name, let presence): "\(name) ist \(presence)"
        case .wasThere(let name, let presence): "\(name) war \(presence)"
        case .contacts: "Kontakte"
        case .noContacts: "Du hast noch keine Kontakte. Füge jemanden hinzu: /invite NAME"
        case .contact(let kind): kind == "friend" ? "Kontakt" : kind
        case .invited: "eingeladen"
        case .invitesYou(let user): "lädt dich ein: /accept \(user)"
        case .isInvited(let name): "Du hast \(name) eingeladen, oder ihr seid schon Kontakte"
        case .isContact(let name): "\(name) ist jetzt ein Kontakt"
        case .declined: "Einladung abgelehnt"
        case .noContactAnyMore(let name): "\(name) ist kein Kontakt mehr"
        case .blocked(let name): "Du hast \(name) blockiert"
        case .unblocked(let name): "Du hast die Blockierung von \(name) aufgehoben"
        case .reported(let user): "Meldung gesendet. Diese Person blockieren: /block \(user)"
        case .requests: "Nachrichtenanfragen: /accept NAME oder /drop NAME"
        case .noRequests: "Du hast keine Nachrichtenanfragen"
        case .asksToWrite(let text, let answer): "Nachrichtenanfrage von \(text) – \(answer)"
        case .mayWrite(let name): "\(name) kann dir jetzt schreiben"
        case .noRequestHere: "Das ist keine Nachrichtenanfrage. Eine Einladung annehmen: /accept NAME"
        case .noRequest: "Das ist keine Nachrichtenanfrage"
        case .noRequestOf(let name): "Es gibt keine Nachrichtenanfrage von \(name)"
        case .dropped(let name): "Du hast die Anfrage von \(name) ignoriert"
        case .found: "Personen"
        case .noneFound(let name): "Niemand gefunden für „\(name)“"
        case .moreFound: "… und weitere: Gib mehr vom Namen ein"
        case .nameSet(let name): "Andere sehen dich jetzt als \(name)"
        case .usernameSet(let name): "Andere finden dich jetzt als @\(name)"
        case .usernameRemoved: "Du hast keinen Benutzernamen mehr"
        case .muted: "Auf allen deinen Geräten stummgeschaltet. Rückgängig: /unmute"
        case .unmuted: "Nicht mehr stumm"
        case .away: "Andere sehen dich als abwesend, und nichts gilt als gelesen, bis /back"
        case .back: "Willkommen zurück"
        case .privacy: "Privatsphäre"
        case .presenceAudience(let who): presenceAudience(who)
        case .lastSeenDetail(let detail): lastSeenDetail(detail)
        case .readAudience(let who): readAudience(who)
        case .exception(let user, let kind): exception(user, kind)
        case .devices: "Deine Geräte"
        case .device(let name, let state, let since):
            "\(name) ist \(device(state))" + (since.map { " seit \($0)" } ?? "")
        case .endedBefore(let reason, let time): "zuletzt: \(ending(reason))" + (time.map { ", \($0)" } ?? "")
        }
    }

    private func presence(_ state: UserPresence.State) -> String {
        switch state {
        case .online: "online"
        case .away: "abwesend"
        case .busy: "beschäftigt"
        case .offline: "offline"
        }
    }

    private func seen(_ range: SeenRange) -> String {
        switch range {
        case .recently: "vor Kurzem online"
        case .week: "in der letzten Woche online"
        case .month: "im letzten Monat online"
        case .long: "vor langer Zeit online"
        }
    }

    private func presenceAudience(_ who: PresenceAudience) -> String {
        switch who {
        case .shared: "presence shared: Personen, mit denen du chattest, sehen, ob du online bist"
        case .everyone: "presence everyone: alle sehen, ob du online bist"
        case .nobody: "presence nobody: niemand sieht, ob du online bist"
        }
    }

    private func lastSeenDetail(_ detail: LastSeenDetail) -> String {
        switch detail {
        case .exact: "lastSeen exact: sie sehen, wann du zuletzt online warst"
        case .coarse: "lastSeen coarse: sie sehen ungefähr, wann du zuletzt online warst"
        case .nobody: "lastSeen nobody: niemand sieht, wann du zuletzt online warst"
        }
    }

    private func readAudience(_ who: ReadAudience) -> String {
        switch who {
        case .shared: "read shared: Personen im Chat sehen, was du gelesen hast"
        case .nobody: "read nobody: niemand sieht, was du gelesen hast"
        }
    }

    private func exception(_ user: String, _ kind: PrivacyException) -> String {
        switch kind {
        case .always: "\(user): sieht immer alles"
        case .never: "\(user): sieht nie etwas"
        case .blocked, .blockedOverAlways, .blockedOverNever: "\(user): blockiert"
        }
    }

    private func device(_ state: OwnDevice.State) -> String {
        switch state {
        case .active: "aktiv"
        case .idle: "inaktiv"
        case .background: "im Hintergrund"
        case .offline: "offline"
        }
    }

    private func ending(_ reason: EndReason) -> String {
        switch reason {
        case .bye, .closed: "von dir geschlossen"
        case .cut, .timeout: "Verbindung abgebrochen"
        case .takeover: "von einer anderen Verbindung abgelöst"
        case .drain, .restart: "Server neu gestartet"
        case .token: "Anmeldung abgelaufen"
        case .slow: "zu langsam"
        case .overload: "Server überlastet"
        case .refused: "vom Server abgewiesen"
        case .operator: "vom Betreiber getrennt"
        }
    }

    func text(_ phrase: LinkPhrase) -> String {
        switch phrase {
        case .links: "Deine Links"
        case .noLinks: "Du hast keine Links. Erstelle einen mit /link"
        case .noLink(let id): "Du hast keinen Link \(id). /links zeigt deine"
        case .linkRevoked: "Link widerrufen"
        case .linkGone: "Dieser Link ist aufgebraucht, widerrufen oder abgelaufen. Bitte um einen neuen"
        case .openGroupFirst: "Öffne zuerst die Gruppe"
        case .requestSent: "Deine Anfrage ist gesendet. Die Gruppe erscheint, sobald ein Admin sie annimmt"
        case .waiting: "Möchten beitreten"
        case .noneWaiting: "Niemand wartet"
        case .noneCalled: "Niemand mit diesem Namen wartet. /waiting zeigt, wer wartet"
        case .severalCalled: "Mehrere Personen heißen so. Nimm den Namen in Klammern"
        case .accepted(let name): "\(name) ist beigetreten"
        case .declined(let name): "\(name) wurde abgelehnt"
        case .awaited: "Warten auf Freigabe"
        case .noneAwaited: "Du wartest auf keine Gruppe"
        case .joining(.ask): "Wer einem Link folgt, wartet jetzt auf einen Admin"
        case .joining(.open): "Wer einem Link folgt, tritt jetzt sofort bei"
        case .wantToJoin(1): "1 möchte beitreten"
        case .wantToJoin(let count): "\(number(count)) möchten beitreten"
        case .wantToJoinHint(let count): "\(text(LinkPhrase.wantToJoin(count))). /waiting zeigt die Namen"
        case .linkToChat: "zum Chatten mit dir"
        case .linkToJoin(let group): "zum Beitreten zu \(group)"
        case .link(let id, let group, let used, let uses, let until):
            "\(id)  \(group ?? "Chat mit dir"), \(number(used)) von \(number(uses)) benutzt, bis \(until)"
        case .aGroup: "einer Gruppe"
        }
    }

    // MARK: Groups

    func text(_ phrase: GroupPhrase) -> String {
        switch phrase {
        case .added(let names): "Hinzugefügt: \(list(names))"
        case .removed(let names): "Entfernt: \(list(names))"
        case .renamed(let name): "Umbenannt in \(name)"
        case .hasRole(let name, .owner): "Die Gruppe gehört jetzt \(name)"
        case .hasRole(let name, .admin): "\(name) ist jetzt Admin"
        case .hasRole(let name, .member): "\(name) ist jetzt einfaches Mitglied"
        case .left: "Du hast die Gruppe verlassen"
        case .hiddenUntilNews: "Ausgeblendet bis zur nächsten Nachricht"
        case .members: "Mitglieder"
        case .member(let name, let role, let presence, let read, let delivered):
            "\(name) (\(word(role)))" + (presence.map { " " + $0 } ?? "")
                + ", gelesen bis \(read), zugestellt bis \(delivered)"
        case .joined(let names): "Beigetreten: \(list(names))"
        case .gone(let names): "Nicht mehr dabei: \(list(names))"
        case .noGroup: "Das ist keine Gruppe. Jemanden blockieren: /block NAME"
        case .banned(let who, let name): "Du hast \(who) aus der Gruppe gesperrt. Rückgängig: /unban \(name)"
        case .unbanned(let who): "\(who) kann wieder hinzugefügt werden"
        case .timedOut(let who, let name): "Du hast \(who) eine Auszeit gegeben. Beenden: /timeout \(name) off"
        case .timeoutEnded(let who): "\(who) kann wieder schreiben"
        case .bans: "Gesperrt"
        case .noBans: "Hier ist niemand gesperrt"
        case .ban(let who, let by, let time, let reason): "\(who), von \(by), \(time)\(why(reason))"
        case .posting(.admins): "Jetzt können hier nur noch Admins schreiben"
        case .posting(.all): "Jetzt können hier alle schreiben"
        case .severalPeople(let name, let ids): "Mehrere Personen heißen \(name). Benutze eine ID: \(list(ids))"
        case .nobodyCalled(let name): "Hier heißt niemand \(name). /who zeigt die Mitglieder"
        }
    }

    private func word(_ role: MemberRole) -> String {
        switch role {
        case .owner: "Besitzer"
        case .admin: "Admin"
        case .member: "Mitglied"
        }
    }

    func text(_ phrase: LinePhrase) -> String {
        switch phrase {
        case .created(let by): "\(has(by)) die Gruppe erstellt"
        case .joined(.you): "Du bist beigetreten"
        case .joined(.other(let name)): "\(name) ist beigetreten"
        case .added(let by, let users, let more): "\(has(by)) \(all(users, more)) hinzugefügt"
        case .removed(let by, let users, let more): "\(has(by)) \(all(users, more)) entfernt"
        case .left(let by, nil): "\(has(by)) die Gruppe verlassen"
        case .left(let by, let owner?): "\(has(by)) die Gruppe verlassen. Sie gehört jetzt \(to(owner))"
        case .renamed(let by, let name): "\(has(by)) die Gruppe in „\(name)“ umbenannt"
        case .described(let by): "\(has(by)) das Foto oder die Beschreibung geändert"
        case .role(let by, let user, .owner): "\(has(by)) \(to(user)) die Gruppe übergeben"
        case .role(let by, let user, .admin): "\(has(by)) \(whom(user)) zum Admin gemacht"
        case .role(let by, let user, .member): "\(has(by)) \(whom(user)) zum einfachen Mitglied gemacht"
        case .expiryOff(let by): "\(has(by)) verschwindende Nachrichten ausgestellt"
        case .expiry(let by, let time): "\(has(by)) eingestellt, dass Nachrichten nach \(days(time)) verschwinden"
        case .pinned(let by): "\(has(by)) eine Nachricht angeheftet"
        case .banned(let by, let users, let more, let reason):
            "\(has(by)) \(all(users, more)) aus der Gruppe gesperrt\(why(reason))"
        case .unbanned(let by, let user): "\(has(by)) die Sperre für \(whom(user)) aufgehoben"
        case .timeout(let by, let user, let until, let reason):
            "\(has(by)) \(to(user)) eine Auszeit bis \(until) gegeben\(why(reason))"
        case .timeoutEnded(let by, let user): "\(has(by)) die Auszeit für \(whom(user)) beendet"
        case .posting(.you, .admins): "Du lässt nur noch Admins schreiben"
        case .posting(.other(let name), .admins): "\(name) lässt nur noch Admins schreiben"
        case .posting(.you, .all): "Du lässt wieder alle schreiben"
        case .posting(.other(let name), .all): "\(name) lässt wieder alle schreiben"
        case .joining(.you, .ask): "Du lässt Beitritte über einen Link jetzt von Admins freigeben"
        case .joining(.other(let name), .ask): "\(name) lässt Beitritte über einen Link jetzt von Admins freigeben"
        case .joining(.you, .open): "Du lässt alle mit einem Link wieder sofort beitreten"
        case .joining(.other(let name), .open): "\(name) lässt alle mit einem Link wieder sofort beitreten"
        case .slowOff(let by): "\(has(by)) den langsamen Modus ausgeschaltet"
        case .slow(let by, let time):
            "\(has(by)) den langsamen Modus eingeschaltet: \(span(time)) zwischen zwei Nachrichten"
        }
    }

    private func why(_ reason: ReportReason?) -> String {
        switch reason {
        case .spam: ": Spam"
        case .harassment: ": Belästigung"
        case .impersonation: ": gibt sich als jemand anderes aus"
        case .illegal: ": illegale Inhalte"
        case .other, nil: ""
        }
    }

    private func has(_ person: Person) -> String {
        switch person {
        case .you: "Du hast"
        case .other(let name): "\(name) hat"
        }
    }

    private func whom(_ person: Person) -> String {
        switch person {
        case .you: "dich"
        case .other(let name): name
        }
    }

    private func to(_ person: Person) -> String {
        switch person {
        case .you: "dir"
        case .other(let name): name
        }
    }

    private func all(_ people: [Person], _ more: Int) -> String {
        list(people.map(whom) + (more > 0 ? [counted(more, "weitere Person", "weitere Personen")] : []))
    }

    // MARK: Numbers and times

    func text(_ phrase: DayPhrase) -> String {
        switch phrase {
        case .today: "Heute"
        case .day(let weekday, let day, let month, let year):
            "\(German.days[weekday % 7]), \(day). \(German.months[month % 12])" + (year.map { " \($0)" } ?? "")
        case .short(let day, let month): "\(day).\(month + 1)."
        }
    }

    private static let days = ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"]
    private static let months = [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
        "Dezember",
    ]

    /// `1.234`
    func number(_ count: Int) -> String { count.grouped(by: ".") }

    /// `1 Nachricht`, `2 Nachrichten`
    func counted(_ count: Int, _ one: String, _ others: String) -> String {
        "\(number(count)) \(count == 1 ? one : others)"
    }

    /// `a, b und c`
    func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " und " + last
    }

    /// A time in its largest whole unit: `90 Sekunden`, `5 Minuten`.
    func span(_ milliseconds: Int64) -> String {
        switch WholeTime(milliseconds) {
        case .seconds(let count): counted(count, "Sekunde", "Sekunden")
        case .minutes(let count): counted(count, "Minute", "Minuten")
        case .hours(let count): counted(count, "Stunde", "Stunden")
        }
    }

    /// The life of disappearing messages, behind "nach": `24 Stunden`, `1 Woche`, `90 Tagen`.
    func days(_ milliseconds: Int64) -> String {
        switch LongTime(milliseconds) {
        case .hours(let count): counted(count, "Stunde", "Stunden")
        case .days(let count): counted(count, "Tag", "Tagen")
        case .weeks(let count): counted(count, "Woche", "Wochen")
        }
    }
}
