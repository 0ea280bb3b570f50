// The German texts of the parts of the page that are loaded later. See words-de.js.

export default {
  // Of many parts
  accept: "Annehmen", block: "Blockieren", language: "Sprache",
  actFor: "{act}: {name}", everyone: "Alle", name: "Name", noOne: "Niemand", off: "Aus", remove: "Entfernen", report: "Melden",
  save: "Speichern",
  username: "Benutzername", write: "Schreiben", mute: "Stummschalten", unmute: "Stummschaltung aufheben", leave: "Verlassen",
  add: "Hinzufügen", members: "Mitglieder", contacts: "Kontakte",
  invitations: "Einladungen", decline: "Ablehnen", cancelInvitation: "Einladung zurückziehen", groupName: "Name der Gruppe",
  addPeople: "Personen hinzufügen",
  yourPassword: "Dein Passwort", memberCount: { one: "{count} Mitglied", other: "{count} Mitglieder" }, browser: "Browser",
  noneFound: "Niemand gefunden für „{words}“.",

  // A person
  groupsInCommon: "Gemeinsame Gruppen", acceptInvitation: "Einladung annehmen", declineInvitation: "Einladung ablehnen",
  addToContacts: "Zu Kontakten hinzufügen", removeFromContacts: "Aus Kontakten entfernen", leaveConversation: "Chat verlassen",
  removeContactAsk: "{name} aus deinen Kontakten entfernen?",
  leaveConversationAsk: "Den Chat mit {name} verlassen? Er kommt ohne seine Nachrichten zurück, sobald jemand von euch schreibt.",
  blockAsk: "{name} blockieren? Ihr seht dann voneinander weder Nachrichten noch Profil, und nicht, wer online ist oder schreibt.",
  disappearing: "Verschwindende Nachrichten", after: "{length}",

  // Reports
  reportHint: "Nur wer diesen Server betreibt, sieht deine Meldung.", reportReason: "Was ist das Problem?", reportDetails: "Einzelheiten",
  reportName: "{name} melden", reportSent: "Meldung gesendet.",

  // Readers of a message
  readByNames: "Gelesen von {names}", readByAt: "Gelesen von {names} um {time}", noneRead: "Noch niemand hat sie gelesen.",
  noneGot: "Sie wurde noch nicht zugestellt.", "receiptAt.read": "Gelesen: {time}", "receiptAt.delivered": "Zugestellt: {time}",

  // A group
  renameGroup: "Gruppe umbenennen", rename: "Umbenennen", leaveGroup: "Gruppe verlassen", makeAdmin: "Zum Admin machen", makeMember: "Als Admin entfernen",
  makeOwner: "Gruppe übergeben",
  makeOwnerAsk: "Die Gruppe an {name} übergeben? Du wirst dann Admin.", removeMemberAsk: "{name} aus der Gruppe entfernen?",
  leaveGroupAsk: "„{group}“ verlassen? Die Nachrichten verschwinden von diesem Gerät.", "role.owner": "Besitzer", "role.admin": "Admin",
  timedOut: "hat Auszeit", slowModeWait: "Langsamer Modus: Pause zwischen Nachrichten", whoCanSend: "Wer Nachrichten senden kann", onlyAdmins: "Nur Admins", banned: "Gesperrt", howLong: "Wie lange?",
  whoJoinsByLink: "Beitritt über einen Link", joinAtOnce: "Sofort", joinWithApproval: "Wenn ein Admin zustimmt",
  waitingToJoin: "Möchten beitreten", byLinkOf: "über den Link von {name}", review: "Ansehen", waitingForApproval: "Wartet auf Freigabe",
  joinRequestEnded: "Deine Anfrage für „{group}“ ist beendet.",
  reasonForAll: "Grund, den alle in der Gruppe sehen", noReason: "Kein Grund", endTimeout: "Auszeit beenden", timeOut: "Auszeit geben",
  timeOutAsk: "{name} eine Auszeit geben?", ban: "Sperren", banAsk: "{name} aus der Gruppe sperren?",
  removeAsk: "Die Nachricht von {name} für alle löschen?",
  bannedBy: "von {name}", unban: "Sperre aufheben", noneBanned: "Niemand ist gesperrt.",
  pin: "Anheften", unpin: "Nicht mehr anheften", pinned: "Angeheftete Nachricht", pinnedOf: "Angeheftete Nachricht {at} von {count}",

  // People
  findPeople: "Personen nach Namen suchen", invitedByYou: "Von dir eingeladen",
  noContacts: "Noch keine Kontakte. Suche jemanden und füge die Person hinzu.",
  peopleWaiting: { one: "Personen, {count} Einladung", other: "Personen, {count} Einladungen" }, inviteToContacts: "Hinzufügen",
  peopleFound: { one: "{count} Person", other: "{count} Personen" },
  exactUsername: "Nur der genaue Benutzername passt. Du kannst diese Person hinzufügen oder ihr schreiben.",
  notes: "Notizen zu Personen", notesHint: "Für Personen, die noch nicht hier sind. Nur du siehst sie.", note: "Notiz",
  deleteNoteAsk: "Deine Notiz zu {name} löschen?",

  // Picking people
  chosenPeople: "Ausgewählte Personen", searchPeople: "Nach Name oder Benutzername suchen", searchPeopleAndGroups: "Personen und Gruppen suchen",
  recent: "Zuletzt", fromYourGroups: "Aus deinen Gruppen", morePeople: "Weitere Personen",
  checkSpelling: "Genauer Benutzername. Prüfe die Schreibweise.",
  chosenCount: { one: "{count} Person ausgewählt", other: "{count} Personen ausgewählt" },
  searchHint: "Suche jemanden nach Name oder Benutzername.",
  searching: "Suche läuft …", cantSearch: "Die Suche ist gerade nicht möglich. Du siehst nur Personen, mit denen du schon chattest.",
  nameTheGroup: "Gib der Gruppe einen Namen.",

  // Requests, threads, forwarding
  requests: "Anfragen", request: "Anfrage", read: "Ansehen", ignore: "Ignorieren", noRequests: "Keine Anfragen.",
  requestsHint: "Personen, die nicht in deinen Kontakten sind, haben dir geschrieben. Sie sehen nicht, ob du ihre Nachricht liest oder ignorierst.",
  requestCount: { one: "{count} Nachrichtenanfrage", other: "{count} Nachrichtenanfragen" },
  moreRequests: "Beantworte einige davon, um weitere zu sehen.",
  "request.received": "{name} ist nicht in deinen Kontakten und sieht nicht, dass du das gelesen hast, bis du annimmst oder antwortest.",
  "request.dropped": "Du hast diese Anfrage ignoriert. {name} erfährt das nicht.",
  thread: "Thread", threadOf: "Thread: „{text}“", inThread: "In einem Thread", quoted: "„{text}“",
  replies: { one: "{count} Antwort", other: "{count} Antworten" }, manyReplies: "{count} oder mehr Antworten",
  threadMessages: "Nachrichten im Thread", showEarlier: "Frühere Nachrichten anzeigen", writeInThread: "Im Thread antworten",
  messageInThread: "Nachricht in diesem Thread", sendInThread: "Im Thread senden", emptyThread: "Noch keine Antworten.",
  forward: "Weiterleiten", forwardTo: "Weiterleiten an", forwardedTo: "An {name} weitergeleitet.", forwardedFrom: "Weitergeleitet von {name}",

  // Searching and writing
  nothingOnDevice: "Keine Treffer auf diesem Gerät.", searchEmoji: "Emoji suchen", skinTone: "Hautton", noEmoji: "Kein Emoji gefunden.",
  peopleToMention: "Personen zum Erwähnen", everyoneHere: "Alle in dieser Gruppe",
  charactersOver: { one: "{count} Zeichen zu lang", other: "{count} Zeichen zu lang" },
  charactersLeft: { one: "noch {count} Zeichen", other: "noch {count} Zeichen" },
  "emoji.recent": "Zuletzt", "emoji.smileys": "Smileys", "emoji.people": "Menschen", "emoji.hearts": "Herzen", "emoji.nature": "Natur",
  "emoji.food": "Essen", "emoji.activity": "Aktivitäten", "emoji.travel": "Reisen", "emoji.objects": "Gegenstände", "emoji.symbols": "Symbole",

  // Invitations
  inviteTo: "Einladen zu", inviteUses: "Wer den Link benutzen kann", inviteLife: "Läuft ab nach", createLink: "Link erstellen",
  upToPeople: { one: "{count} Person", other: "Bis zu {count} Personen" }, linkTooLong: "Dieser Link ist zu lang für einen QR-Code.",
  inviteLink: "Einladungslink", anotherLink: "Weiteren Link erstellen", yourLinks: "Deine Links", chatWithMe: "Chat mit mir",
  tooManyLinks: "Du hast zu viele Links. Widerrufe zuerst einen.", linksTooFast: "Du hast schon viele Links erstellt. Versuche es später noch einmal.",
  linkPicture: "QR-Code für den Link", linkCopied: "Link kopiert.", copyLinkByHand: "Drücke Strg+C, um den Link zu kopieren.",
  linkUsed: "{used} von {uses} benutzt · bis {until}", linkElsewhere: "Diesen Link siehst du nur in dem Browser, in dem du ihn erstellt hast.",
  show: "Anzeigen", revoke: "Widerrufen", revokeLink: "Link widerrufen: {name}",

  // Settings
  manageServer: "Server verwalten", backToSettings: "Zurück zu den Einstellungen", profile: "Profil", privacy: "Privatsphäre", notifications: "Benachrichtigungen",
  devices: "Geräte",
  account: "Konto", usernameHint: "Mit deinem Benutzernamen können andere dich finden und dir schreiben.", bio: "Über mich",
  saveProfile: "Profil speichern",
  profileSaved: "Profil gespeichert.", status: "Status", statusMessage: "Statusnachricht", statusExample: "In einer Besprechung, im Urlaub …",
  saveStatus: "Status speichern", statusSaved: "Status gespeichert.",
  "choice.auto": "Online", "choice.away": "Abwesend", "choice.busy": "Beschäftigt", "choice.invisible": "Unsichtbar",
  seeOnline: "Wer sehen kann, ob du online bist", sharedPeople: "Personen, mit denen du chattest", seeLastSeen: "Zuletzt online",
  showExactly: "Genaue Zeit anzeigen", showRoughly: "Ungefähre Zeit anzeigen", dontShow: "Nicht anzeigen", readReceipts: "Lesebestätigungen",
  peopleHere: "Personen im Chat", hideHint: "Was du vor anderen verbirgst, siehst du auch bei ihnen nicht.",
  blockedPeople: "Blockierte Personen", noneBlocked: "Du hast niemanden blockiert.",
  noneMuted: "Du hast keine Chats stummgeschaltet. Das geht in den Infos eines Chats.",
  badgeHint: "Ungelesene Nachrichten werden im Titel dieser Seite gezählt und, wenn du sie installiert hast, auf dem Symbol der App.",
  titleHint: "Ungelesene Nachrichten werden im Titel dieser Seite gezählt.", mutedConversations: "Stummgeschaltete Chats",
  mutedHint: "Stummgeschaltete Chats werden nicht gezählt.", conversation: "Chat",
  asBrowser: "Wie der Browser", languageHint: "Gilt für diesen Browser. Die Seite lädt neu, wenn du die Sprache wechselst.",

  // Devices and the account
  browserOn: "{browser} auf {system}", signOutEverywhere: "Überall abmelden", signOutEverywhereAsk: "Auf allen deinen Geräten abmelden?",
  strangeDevice: "Wenn du ein Gerät nicht kennst, melde es ab und ändere dein Passwort.",
  deviceByLink: "Du bist in diesem Browser mit einem Link angemeldet. Sein Gerätename ist {device}.", signedInOn: "Angemeldet am {time}",
  thisDevice: "Dieses Gerät", newDevice: "Neu: in den letzten 24 Stunden angemeldet", lastActive: "Zuletzt aktiv {when}",
  signedOutEverywhere: "Du bist überall abgemeldet", emailAndPassword: "E-Mail-Adresse und Passwort", accountsHere: "Konten in diesem Browser",
  signOutHint: "Deine Nachrichten werden aus diesem Browser entfernt. Auf dem Server und deinen anderen Geräten bleiben sie.",
  deleteAccount: "Konto löschen", emailUnconfirmed: "Deine E-Mail-Adresse ist noch nicht bestätigt.", sendAgain: "E-Mail erneut senden",
  addPasswordHint: "Nur dieser Browser kann dein Konto öffnen. Füge eine E-Mail-Adresse und ein Passwort hinzu, um dich überall anmelden zu können.",
  changePassword: "Passwort ändern", changePasswordHint: "Deine anderen Geräte werden abgemeldet.", currentPassword: "Aktuelles Passwort",
  newPassword: "Neues Passwort", deleteAccountHint: "Dein Konto wird gelöscht und du wirst überall abgemeldet. Das lässt sich nicht rückgängig machen.",
  deleteMyAccount: "Mein Konto löschen", deleteForGood: "Mein Konto endgültig löschen", accountID: "Konto-ID: {id}",
  signedInByLink: "Du bist mit einem Link als {name} angemeldet.", switch: "Wechseln", switchTo: "Zu {name} wechseln",
  wrongPassword: "Falsches Passwort.", passwordAdded: "Gespeichert. Du kannst dich mit dieser E-Mail-Adresse jetzt überall anmelden.",
  passwordChanged: "Passwort geändert. Deine anderen Geräte sind abgemeldet.", confirmationSent: "Sieh in deinen Posteingang.",
  accountDeleted: "Dein Konto ist gelöscht", accountDeletedHint: "Du wurdest überall abgemeldet.",

  // Two-step verification
  twoStep: "Bestätigung in zwei Schritten", twoStepRequired: "Wer diesen Server verwalten will, muss sie zuerst aktivieren.",
  twoStepHint: "Schütze dein Konto bei jeder Anmeldung mit einem Code aus einer Authenticator-App.", turnOn: "Aktivieren",
  turnOff: "Deaktivieren",
  onSince: "Aktiv seit {date}.", codesLeft: { one: "Noch {count} Wiederherstellungscode.", other: "Noch {count} Wiederherstellungscodes." },
  noCodesLeft: "Keine Wiederherstellungscodes mehr: Erstelle neue.", newCodes: "Neue Wiederherstellungscodes", codeFromApp: "Code aus deiner App",
  codeOrRecovery: "Code aus deiner App oder ein Wiederherstellungscode", scanThis: "Scanne diesen Code mit deiner Authenticator-App:",
  factorPicture: "QR-Code für deine Authenticator-App", openOnDevice: "öffne ihn in einer App auf diesem Gerät",
  openOrEnterKey: "Oder {1}, oder gib diesen Schlüssel ein: {2}",
  twoStepOn: "Die Bestätigung in zwei Schritten ist aktiv, und deine anderen Geräte sind abgemeldet.",
  createCodes: "Neue Codes erstellen", oldCodesGone: "Deine alten Wiederherstellungscodes gelten nicht mehr.",
  turnOffHint: "Zum Anmelden reicht dann dein Passwort.", twoStepOff: "Die Bestätigung in zwei Schritten ist aus.",
  copyByHand: "Markiere die Codes und kopiere sie.",
  saveCodes: "Speichere diese Wiederherstellungscodes: Mit jedem kannst du dich einmal anmelden, wenn du dein Gerät verlierst. Du siehst sie nicht noch einmal.",
  savedCodes: "Ich habe sie gespeichert",
};
