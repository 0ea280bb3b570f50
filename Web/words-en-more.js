// The English texts of the parts of the page that are loaded later. See words-en.js.

export default {
  // Of many parts
  accept: "Accept", block: "Block", language: "Language",
  actFor: "{act}: {name}", everyone: "Everyone", name: "Name", noOne: "No one", off: "Off", remove: "Remove", report: "Report", save: "Save",
  username: "Username", write: "Message", mute: "Mute", unmute: "Unmute", leave: "Leave", add: "Add", members: "Members", contacts: "Contacts",
  invitations: "Invitations", decline: "Decline", cancelInvitation: "Cancel invitation", groupName: "Group name", addPeople: "Add people",
  yourPassword: "Your password", memberCount: { one: "{count} member", other: "{count} members" }, browser: "Browser",
  noneFound: "No one found for “{words}”.",

  // A person
  groupsInCommon: "Groups in common", acceptInvitation: "Accept invitation", declineInvitation: "Decline invitation",
  addToContacts: "Add to contacts", removeFromContacts: "Remove from contacts", leaveConversation: "Leave conversation",
  removeContactAsk: "Remove {name} from your contacts?",
  leaveConversationAsk: "Leave your conversation with {name}? It’ll come back, without its messages, when one of you writes.",
  blockAsk: "Block {name}? You won’t see each other’s messages, typing, presence, or profile.",
  disappearing: "Disappearing messages", after: "After {length}",

  // Reports
  reportHint: "Only the people who run this server see your report.", reportReason: "What’s wrong?", reportDetails: "Details",
  reportName: "Report {name}", reportSent: "Report sent.",

  // Readers of a message
  readByNames: "Read by {names}", readByAt: "Read by {names} at {time}", noneRead: "No one has read it yet.",
  noneGot: "It hasn’t been delivered yet.", "receiptAt.read": "Read at {time}", "receiptAt.delivered": "Delivered at {time}",

  // A group
  renameGroup: "Rename group", rename: "Rename", leaveGroup: "Leave group", makeAdmin: "Make admin", makeMember: "Remove as admin", makeOwner: "Make owner",
  makeOwnerAsk: "Make {name} the owner of this group? You’ll become an admin.", removeMemberAsk: "Remove {name} from this group?",
  leaveGroupAsk: "Leave “{group}”? Its messages will disappear from this device.", "role.owner": "owner", "role.admin": "admin",
  timedOut: "timed out", slowModeWait: "Slow mode: wait between messages", whoCanSend: "Who can send messages", onlyAdmins: "Only admins", banned: "Banned", howLong: "How long?",
  whoJoinsByLink: "People who join by link", joinAtOnce: "Join right away", joinWithApproval: "Wait for an admin’s approval",
  waitingToJoin: "Waiting to join", byLinkOf: "by {name}’s link", review: "Review", waitingForApproval: "Waiting for approval",
  joinRequestEnded: "Your request to join “{group}” has ended.",
  reasonForAll: "Reason, shown to everyone in the group", noReason: "No reason", endTimeout: "End timeout", timeOut: "Time out",
  timeOutAsk: "Time out {name}?", ban: "Ban", banAsk: "Ban {name} from this group?", removeAsk: "Delete the message from {name} for everyone?",
  bannedBy: "by {name}", unban: "Unban", noneBanned: "No one is banned.",
  pin: "Pin", unpin: "Unpin", pinned: "Pinned message", pinnedOf: "Pinned message {at} of {count}",

  // People
  findPeople: "Find people by name", invitedByYou: "Invited by you", noContacts: "No contacts yet. Find someone and add them.",
  peopleWaiting: { one: "People, {count} invitation", other: "People, {count} invitations" }, inviteToContacts: "Add",
  peopleFound: { one: "{count} person", other: "{count} people" },
  exactUsername: "Only the exact username matches. You can add or message this person.",
  notes: "Notes about people", notesHint: "For people who aren’t here yet. Only you can see these.", note: "Note",
  deleteNoteAsk: "Delete your note about {name}?",

  // Picking people
  chosenPeople: "Selected people", searchPeople: "Search by name or username", searchPeopleAndGroups: "Search people and groups",
  recent: "Recent", fromYourGroups: "From your groups", morePeople: "More people", checkSpelling: "Exact username. Check the spelling.",
  chosenCount: { one: "{count} person selected", other: "{count} people selected" }, searchHint: "Search for someone by name or username.",
  searching: "Searching…", cantSearch: "Can’t search right now. Only people you already talk to are shown.",
  nameTheGroup: "Give the group a name.",

  // Requests, threads, forwarding
  requests: "Requests", request: "Request", read: "View", ignore: "Ignore", noRequests: "No requests.",
  requestsHint: "People who aren’t in your contacts have messaged you. They can’t see whether you read their message or ignore it.",
  requestCount: { one: "{count} message request", other: "{count} message requests" },
  moreRequests: "Answer some of these to see more.",
  "request.received": "{name} isn’t in your contacts. They won’t know you’ve read this until you accept or reply.",
  "request.dropped": "You ignored this request. {name} won’t be notified.",
  thread: "Thread", threadOf: "Thread: “{text}”", inThread: "In a thread", quoted: "“{text}”",
  replies: { one: "{count} reply", other: "{count} replies" }, manyReplies: "{count} or more replies",
  threadMessages: "Thread messages", showEarlier: "Show earlier messages", writeInThread: "Reply in thread",
  messageInThread: "Message in this thread", sendInThread: "Send to thread", emptyThread: "No replies yet.",
  forward: "Forward", forwardTo: "Forward to", forwardedTo: "Forwarded to {name}.", forwardedFrom: "Forwarded from {name}",

  // Searching and writing
  nothingOnDevice: "No results on this device.", searchEmoji: "Search emoji", skinTone: "Skin tone", noEmoji: "No emoji found.",
  peopleToMention: "People to mention", everyoneHere: "Everyone in this group",
  charactersOver: { one: "{count} character too long", other: "{count} characters too long" },
  charactersLeft: { one: "{count} character left", other: "{count} characters left" },
  "emoji.recent": "Recent", "emoji.smileys": "Smileys", "emoji.people": "People", "emoji.hearts": "Hearts", "emoji.nature": "Nature",
  "emoji.food": "Food", "emoji.activity": "Activity", "emoji.travel": "Travel", "emoji.objects": "Objects", "emoji.symbols": "Symbols",

  // Invitations
  inviteTo: "Invite to", inviteUses: "Who can use the link", inviteLife: "Expires after", createLink: "Create link",
  upToPeople: { one: "{count} person", other: "Up to {count} people" }, linkTooLong: "This link is too long for a QR code.",
  inviteLink: "Invitation link", anotherLink: "Create another link", yourLinks: "Your links", chatWithMe: "Chat with me",
  tooManyLinks: "You have too many links. Revoke one first.", linksTooFast: "You’ve created a lot of links. Try again later.",
  linkPicture: "QR code for the link", linkCopied: "Link copied.", copyLinkByHand: "Press Ctrl+C to copy the link.",
  linkUsed: "Used {used} of {uses} · until {until}", linkElsewhere: "You can only see this link in the browser that created it.",
  show: "Show", revoke: "Revoke", revokeLink: "Revoke link: {name}",

  // Settings
  manageServer: "Manage this server", backToSettings: "Back to settings", profile: "Profile", privacy: "Privacy", notifications: "Notifications", devices: "Devices",
  account: "Account", usernameHint: "People can find you and message you by your username.", bio: "About", saveProfile: "Save profile",
  profileSaved: "Profile saved.", status: "Status", statusMessage: "Status message", statusExample: "In a meeting, on vacation…",
  saveStatus: "Save status", statusSaved: "Status saved.",
  "choice.auto": "Online", "choice.away": "Away", "choice.busy": "Busy", "choice.invisible": "Invisible",
  seeOnline: "Who can see when you’re online", sharedPeople: "People you share a conversation with", seeLastSeen: "Last seen",
  showExactly: "Show the exact time", showRoughly: "Show an approximate time", dontShow: "Don’t show it", readReceipts: "Read receipts",
  peopleHere: "People in the conversation", hideHint: "If you hide something from others, you can’t see it about them either.",
  blockedPeople: "Blocked people", noneBlocked: "You haven’t blocked anyone.",
  noneMuted: "You haven’t muted any conversations. You can mute one in its details.",
  badgeHint: "Unread messages are counted in the title of this page and, if you’ve installed it, on the app’s icon.",
  titleHint: "Unread messages are counted in the title of this page.", mutedConversations: "Muted conversations",
  mutedHint: "Muted conversations aren’t counted.", conversation: "Conversation",
  asBrowser: "Same as the browser", languageHint: "Applies to this browser. The page reloads when you change it.",

  // Devices and the account
  browserOn: "{browser} on {system}", signOutEverywhere: "Sign out everywhere", signOutEverywhereAsk: "Sign out on all your devices?",
  strangeDevice: "If you don’t recognize a device, sign it out and change your password.",
  deviceByLink: "You’re signed in with a link in this browser. Its device name is {device}.", signedInOn: "Signed in {time}",
  thisDevice: "This device", newDevice: "New: signed in within the last 24 hours", lastActive: "Last active {when}",
  signedOutEverywhere: "You’re signed out everywhere", emailAndPassword: "Email and password", accountsHere: "Accounts in this browser",
  signOutHint: "Your messages are removed from this browser. They stay on the server and on your other devices.",
  deleteAccount: "Delete account", emailUnconfirmed: "Your email isn’t confirmed yet.", sendAgain: "Resend email",
  addPasswordHint: "Only this browser can open your account. Add an email and a password to sign in anywhere.",
  changePassword: "Change password", changePasswordHint: "Your other devices will be signed out.", currentPassword: "Current password",
  newPassword: "New password", deleteAccountHint: "Your account is deleted and you’re signed out everywhere. This can’t be undone.",
  deleteMyAccount: "Delete my account", deleteForGood: "Delete my account for good", accountID: "Account ID: {id}",
  signedInByLink: "You’re signed in with a link as {name}.", switch: "Switch", switchTo: "Switch to {name}",
  wrongPassword: "Wrong password.", passwordAdded: "Saved. You can now sign in anywhere with this email.",
  passwordChanged: "Password changed. Your other devices are signed out.", confirmationSent: "Check your email.",
  accountDeleted: "Your account is deleted", accountDeletedHint: "You’ve been signed out everywhere.",

  // Two-step verification
  twoStep: "Two-step verification", twoStepRequired: "Operators of this server need it before they can manage the server.",
  twoStepHint: "Protect your account with a code from an authenticator app each time you sign in.", turnOn: "Turn on", turnOff: "Turn off",
  onSince: "On since {date}.", codesLeft: { one: "{count} recovery code left.", other: "{count} recovery codes left." },
  noCodesLeft: "No recovery codes left: create new ones.", newCodes: "New recovery codes", codeFromApp: "Code from your app",
  codeOrRecovery: "Code from your app, or a recovery code", scanThis: "Scan this code with your authenticator app:",
  factorPicture: "QR code for your authenticator app", openOnDevice: "open it in an app on this device",
  openOrEnterKey: "Or {1}, or enter this key: {2}", twoStepOn: "Two-step verification is on, and your other devices are signed out.",
  createCodes: "Create new codes", oldCodesGone: "Your old recovery codes no longer work.",
  turnOffHint: "Your password alone will be enough to sign in.", twoStepOff: "Two-step verification is off.",
  copyByHand: "Select the codes and copy them.",
  saveCodes: "Save these recovery codes: each signs you in once if you lose your device. You won’t see them again.", savedCodes: "I saved them",
};
