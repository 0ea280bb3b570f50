// Roost for an app in a browser or in Node. The names are those of RoostKit, for Swift, and mean the same.

/** A user's name, a conversation's id, or `@name` for the direct conversation with a user. */
export type Destination = string;

/** Milliseconds since 1970, by the relay's clock. */
export type Time = number;

/** Everything that an app may set. */
export interface Settings {
  /** The relay's address, `wss://…/v1/socket`. */
  url: string;
  /** Returns a valid token: for every connection, and before the old one expires. An error with the code `signed_out` ends
   *  the session, as if the relay had refused the token; after any other it is asked again. */
  token(): string | Promise<string>;
  /** The name of the device, if the store has none yet; otherwise a random one. 1–64 bytes of printable ASCII. */
  device?: string;
  /** The user of the device, if it is known before the relay says it: another user's data is then not shown. It
   *  opens a store of another user for this one. Without it, a store stays its user's until that one signs out, and
   *  a session of another user fails with `wrongUser`. */
  user?: string;
  /** The name of the store, `roost` if it isn't given. Tabs with the same name share it, and one session. Where several
   *  users use one browser at a time, each needs a name. */
  name?: string;
  /** `memory` keeps nothing; `disk` (IndexedDB) is the default where there is one. */
  storage?: "disk" | "memory";
  /** The class of sockets, where there is no global one: `ws`'s WebSocket in older Nodes. */
  WebSocket?: new (url: string, protocols: string[]) => unknown;
  /** The treatment of items that can't be sent for now: they wait for ever, or are tried again after these waits
   *  (ms) and then fail until the user tries again. */
  retries?: "forever" | number[];
  /** Whether the next message of a conversation is sent although the relay has refused one before it. */
  goesOnAfterFailures?: boolean;
}

/** Whether there is a session. */
export type Connection =
  | { state: "offline" }
  | { state: "connecting" }
  | { state: "connected" }
  /** The last try failed; the next one comes at this time of this machine's clock (ms since 1970). */
  | { state: "waiting"; until: number }
  /** There will be none until the app does something: for another token, `connect` anew. `wrongUser`: the token is another
   *  user's than the store, or another tab has let another user into it. Nothing was sent, and nothing that waits is lost. */
  | { state: "failed"; reason: "signedOut" | "takenOver" | "wrongUser" | "other"; detail: string };

/** Why the relay refused something. `detail` is one line for the developer. */
export interface Failure {
  reason: "tooLong" | "notAllowed" | "noRelationship" | "youBlocked" | "notFound" | "unreachable" | "changedElsewhere" | "notAccepted";
  canRetry: boolean;
  detail: string;
}

/** How far an own message has got. It only goes forward, but for `failed`. */
export type MessageState =
  | { state: "sending" }
  | { state: "sent" }
  | { state: "delivered"; count: number; others: number }
  | { state: "read"; count: number; others: number }
  | ({ state: "failed" } & Failure);

export interface Reaction { reaction: string; count: number; mine: boolean }

/** A message as its reader sees it, with what the user did to it and the relay doesn't know yet. */
export interface Message {
  type: "message";
  /** Stays the same from typed to stored. */
  id: string;
  /** Its number; absent until the relay has stored it. */
  sequence?: number;
  from: string;
  isOwn: boolean;
  time?: Time;
  /** `text`, or a kind of the app's. */
  kind: string;
  /** This user has blocked the author, and is shown nothing of it. In a direct conversation it is left out. */
  hidden?: true;
  /** The content; absent if the message was deleted, hidden, or lost by the relay. */
  body?: unknown;
  /** The body, if the kind is `text`. */
  text?: string;
  /** The sequence of the message that it replies to. */
  replyTo?: number;
  /** The sequence of the message with which the thread began that it belongs to. */
  thread?: number;
  /** How many messages the thread has that began with it, up to 1,000, and which is the last one. After a gap it is right
   *  again with the thread's next message. */
  replies?: { count: number; last: number; time: Time };
  /** The author of the forwarded original. It can't be edited. */
  origin?: { from: string };
  editedAt?: Time;
  /** When it disappears; absent if it stays. */
  expires?: Time;
  /** One more than the number of its edits that the relay has stored; absent if there is none, which counts as 1. An edit
   *  with this `ifVersion` isn't stored if another device edited the message meanwhile: it shows as a `failedChange` with
   *  `changedElsewhere`. */
  version?: number;
  /** Mentioned members, or `@all`. */
  mentions?: string[];
  /** Also when its time has come, if messages of the conversation disappear. */
  isDeleted: boolean;
  reactions: Reaction[];
  /** Absent for others' messages. */
  state?: MessageState;
  /** Whether an edit, a deletion or a reaction of the user's waits for the relay. */
  isChanging: boolean;
  /** A change that the relay refused, with its number in the outbox. */
  failedChange?: Failure & { outboxItem: number };
  /** The number of its waiting item in the outbox; absent once the relay has stored the message. */
  outboxItem?: number;
}

/** Messages that this device doesn't have. Show it, and `Timeline.fill` gets them. */
export interface Gap { type: "gap"; id: string; from: number; to: number }

export type TimelineItem = Message | Gap;

/** A change to a conversation beside its messages. This device keeps the newest 32 that it has got. */
export interface Line {
  event: "created" | "added" | "removed" | "left" | "renamed" | "described" | "role" | "expiry" | "pinned"
    | "banned" | "unbanned" | "timeout" | "posting" | "slow" | "joining" | "deleted";
  /** Distinguishes it from all others. */
  position: string;
  /** Its place: behind the message with this sequence. */
  sequence: number;
  time: Time;
  by: string;
  /** The first five who were added or removed, and how many there are. */
  users?: string[];
  count?: number;
  /** The group's new name, or its name when this device got the event. */
  name?: string;
  /** The maker of the invitation by which a user joined who wasn't added by another. */
  inviter?: string;
  /** The user with a new role, and the role. */
  user?: string;
  role?: Role;
  /** After how many milliseconds messages disappear from then on, or a member may write again; 0 if they stay, or at once. */
  after?: number;
  /** The message that was pinned. */
  pin?: number;
  /** Whether those who were removed can't come back. */
  banned?: boolean;
  /** The reason for a ban, a time-out, or an admin's deletion of a message of `user`. */
  reason?: ModerationReason;
  /** When the time-out of `user` ends; absent if it was lifted. */
  until?: Time;
  /** The members who may write from then on. */
  posting?: "all" | "admins";
  /** The rule for users who follow links from then on. */
  joining?: "open" | "ask";
  /** The new owner after the owner left. */
  owner?: string;
}

export type Role = "owner" | "admin" | "member";

export type ModerationReason = "spam" | "harassment" | "impersonation" | "illegal" | "other";

export interface Conversation {
  id: string;
  kind: "direct" | "group";
  name?: string;
  role: Role;
  /** Of members. */
  count: number;
  /** The first 50. */
  members: string[];
  /** Of the last message; 0 if there is none. */
  sequence: number;
  /** The user's own watermark. */
  read: number;
  unread: number;
  /** Absent in a request that waits for the user. */
  time?: Time;
  /** A stranger's first message that waits: the user's own, or another's, which isn't listed. Absent in others. */
  request?: "sent" | "received" | "dropped";
  /** By whose link the user, or the other one, came into it. */
  inviter?: string;
  /** How long messages stay that are sent from now on, in milliseconds; absent if they don't disappear. */
  expiry?: number;
  /** `admins` if only the owner and the admins may write. */
  posting?: "all" | "admins";
  /** How many milliseconds are between two messages of a member who is neither owner nor admin; absent if none need be. */
  slow?: number;
  /** `ask` if the admins let in who follows a link. */
  joining?: "open" | "ask";
  /** Number of waiting users, for the owner and the admins; absent if there are none. */
  waiting?: number;
  /** Until when the user can't write, and why. It may be over; it doesn't hold for an owner. */
  timeout?: { until: Time; reason?: ModerationReason };
}

export interface ConversationRow {
  /** Where to write to: the conversation's id, or `@name` while nothing written there has reached the relay. */
  id: Destination;
  conversation?: Conversation;
  /** The name of the group; or what the other user is called, the user if nothing else is known. */
  title: string;
  /** The other user of a direct conversation. */
  peer?: string;
  /** The last message, also one that waits. */
  last?: Message;
  unread: number;
  /** How many messages, edits and deletions wait, or were refused. */
  pending: number;
  /** The users who type. */
  typing: string[];
  draft: string;
}

/** A user's profile (Docs/Protocol.md, section 14). Messages carry no names: show the present one. */
export interface Person {
  user: string;
  /** Rises with each change; 0 if the user has no profile. Absent if this device doesn't know it. */
  version?: number;
  name?: string;
  /** The identifier of the photo. */
  photo?: string;
  /** Whether the person has left for good. */
  deleted?: boolean;
}

export interface ConversationListSnapshot {
  rows: ConversationRow[];
  /** The people in the rows, by user: peers, authors of last messages, and users who type. */
  people: Record<string, Person>;
  hasMore: boolean;
}

export interface TimelineSnapshot {
  /** Absent if nothing is known of it yet, as before the first message to a user. */
  conversation?: Conversation;
  /** Oldest first. */
  items: TimelineItem[];
  /** The changes between them, oldest first. */
  lines: Line[];
  /** Their authors, and the first 50 members, by user. */
  people: Record<string, Person>;
  typing: string[];
  /** Whether several more type. */
  othersType: boolean;
  /** Number of online members of a group; absent in direct conversations and until it is known. */
  online?: { online: number; of: number };
  hasOlder: boolean;
  /** Whether it was scrolled away from the newest. */
  hasNewer: boolean;
  /** The user's draft, from any tab; empty if there is none. */
  draft: string;
  /** The relay's refusal of the whole conversation; `resume` tries again. */
  failure?: Failure;
}

export interface Presence {
  user: string;
  state: "online" | "away" | "busy" | "offline";
  text?: string;
  lastSeen?: Time;
  /** In place of `lastSeen`, if the user shows it only roughly. */
  seen?: "recently" | "week" | "month" | "long";
}

export interface RoostSnapshot {
  connection: Connection;
  /** Whether everything that this device missed has come. */
  isUpToDate: boolean;
  /** Absent before the first session. */
  user?: string;
  device: string;
  /** Unread messages by the relay's count, the same on every device and in every tab: without muted conversations, and
   *  without requests. Without a connection, those that this device knows of, in all conversations. */
  badge: number;
  /** How many messages, edits and deletions wait for the relay, or were refused. */
  pendingCount: number;
  /** The user's own status. */
  status: { state: "auto" | "away" | "busy" | "invisible"; text?: string; until?: Time };
  /** Most Unicode scalars (not units of a string) of a text. */
  textMost: number;
  /** Whether what the user does survives the tab: false in memory, and while the browser's store doesn't work. */
  isStored: boolean;
  /** Why it doesn't; absent in memory. `failed`: the browser's storage doesn't work, or is full, and is tried again.
   *  `newer`: a newer version of the app has changed the form of the store. `unusable`: its form can't be changed into this
   *  version's. In both, nothing there is changed; what waits there, as far as this version understands it, and what was
   *  begun to write are shown, and sent from memory. Loading the newer version is what helps. */
  storeProblem?: "newer" | "unusable" | "failed";
  /** Whether this tab has the session; the others use it through this one. */
  isWriter: boolean;
}

/** Stops listening. */
export type Stop = () => void;

/** Something that changes. A listener is called with each new snapshot, and once at once. */
export interface Observable<Snapshot> {
  readonly snapshot: Snapshot;
  onChange(listener: (snapshot: Snapshot) => void): Stop;
}

export interface Member {
  user: string;
  role: Role;
  delivered: number;
  deliveredAt?: Time;
  read?: number;
  readAt?: Time;
}

/** The chat of one user on one device. */
export class Roost implements Observable<RoostSnapshot> {
  /** Opens the store and shows what is in it. Nothing is sent before `connect`. */
  static open(settings: Settings): Promise<Roost>;
  readonly snapshot: RoostSnapshot;
  onChange(listener: (snapshot: RoostSnapshot) => void): Stop;
  readonly conversations: ConversationList;
  /** The presence of the users that the app shows, by user; `onPresence` reports changes. */
  readonly presences: ReadonlyMap<string, Presence>;
  onPresence(listener: (presences: ReadonlyMap<string, Presence>) => void): Stop;

  /** Keeps a session up from now on. Called again, it tries at once. */
  connect(): Promise<void>;
  /** The network has changed, or the app is in use again: tries at once what would be tried later. */
  wake(): void;
  /** Ends the session for good, and makes the user offline at once. Waiting items stay in the outbox. */
  disconnect(): Promise<void>;
  /** Ends the session and deletes everything that the user has on this device, what waits included. */
  signOut(): Promise<void>;
  /** Lets go of the store and the session without a goodbye, as a tab that closes does. */
  close(): void;
  /** Sets the use of the device. "Read" counts only while it is active. */
  setActivity(activity: "active" | "idle" | "background"): void;
  setStatus(state?: "auto" | "away" | "busy" | "invisible", text?: string): Promise<void>;

  timeline(destination: Destination): Promise<Timeline>;
  /** Creates a group, and returns its id. This and the rest need a session. */
  createGroup(name: string, members: string[]): Promise<string>;
  /** Follows an invitation, and returns the id of the conversation: the user is a contact of its maker, or a member of the
   *  group. Undefined if an admin of the group has to accept the user; then it comes to the list after that. `not_found` if it can't be opened, or can't be opened any more. */
  openInvite(code: string): Promise<string | undefined>;
  rename(conversation: string, name: string): Promise<void>;
  add(users: string[], conversation: string): Promise<void>;
  remove(users: string[], conversation: string): Promise<void>;
  setRole(role: Role, user: string, conversation: string): Promise<void>;
  leave(conversation: string): Promise<void>;
  members(conversation: string): Promise<Member[]>;
  /** The user's drafts on this device, in conversations that the relay has sent, by their ids. `shared` is the draft
   *  on all devices when this one was begun, and stays with an empty text until that has ended. */
  drafts(): Promise<Map<string, { text: string; shared?: string }>>;
  /** The user's devices have this draft, or none if it is empty. It is shown unless something else was typed here since;
   *  with `isOwn` it is what was typed here. For `People` of roost-people.js, with which an app shares drafts. */
  shareDraft(conversation: string, text: string, isOwn?: boolean): Promise<void>;
  /** Messages in which a text occurs, newest first, of those on this device: at most 100, from the newest 500 conversations.
   *  `peer` is the other user of a direct conversation. */
  search(text: string): Promise<{ conversation: string; peer?: string; message: Message }[]>;
  /** Asks for the presence of these users, besides those of listed and open conversations. At most 1,000 are
   *  watched; a later call replaces an earlier one. A user that this one may not watch has no presence. */
  follow(users: Iterable<string>): void;
  /** Sends any command, for those without a method of this class, and returns its `ok`. Conversations and people in
   *  the answer are kept, but no pages of `history`. */
  request(type: string, members?: object): Promise<Record<string, unknown>>;
  /** Is called with each event of the relay, as Docs/Protocol.md has it, but for messages and typing: for what this class
   *  has no word for. Two come from here. `{ type: "draft", conversation, sent?, isElsewhere? }` says that the user has typed
   *  or, with the text as `sent`, that a send has ended the draft, here or elsewhere. `{ type: "rewound", conversation? }` says that the relay's files are older than
   *  they were, under the same epoch, as an operator's mistake makes them. It no longer has its newest messages, of which
   *  some were shown; all is read anew, and what waits is sent. */
  onEvent(listener: (event: Record<string, unknown>) => void): Stop;
}

export interface ConversationList extends Observable<ConversationListSnapshot> {
  /** Adds up to 50 rows. */
  loadMore(): Promise<void>;
}

export interface SendOptions {
  /** The identity of a row. */
  replyTo?: string;
  mentions?: string[];
  /** The stored first message of the thread that it belongs to. A message written in a thread leaves the draft. */
  thread?: number;
  /** A stored message that is sent on, and who wrote it. Body and kind are then only for showing it: `Talk.forward` of
   *  roost-talk.js says both. */
  forward?: { conversation: string; sequence: number };
  origin?: { from: string };
}

/** A conversation on the screen: a window of its messages, and the user's actions in it. An action is stored when a
 *  method's promise resolves, and shows at once. The relay gets it as soon as it can. */
export interface Timeline extends Observable<TimelineSnapshot> {
  readonly destination: Destination;
  /** The user's draft in this conversation, from any tab, and from any device if the app uses roost-people.js.
   *  Sending that text ends it, from any tab or device; sending another one doesn't. */
  readonly draft: string;
  /** Sends a text. Returns the row's identity, from now on and for ever. */
  send(text: string, options?: SendOptions): Promise<string>;
  /** Sends a message of another kind with any JSON value as its body. */
  sendBody(kind: string, body: unknown, options?: SendOptions): Promise<string>;
  /** An edit replaces the mentions, too: without them, the message has none. */
  edit(id: string, text: string, options?: { mentions?: string[]; ifVersion?: number }): Promise<void>;
  delete(id: string): Promise<void>;
  /** Reactions that differ by U+FE0F are one. */
  react(id: string, reaction: string, isOn?: boolean): Promise<void>;

  /** Tries again what the relay refused: a message or a change, by its `outboxItem`. */
  retry(item: number): Promise<void>;
  /** Gives a refused message or edit another text, and tries it again. */
  replace(item: number, text: string): Promise<void>;
  /** Takes back what waits, with everything that waits for it. */
  discard(item: number): Promise<void>;
  /** Tries a whole conversation again that the relay refused. */
  resume(): Promise<void>;

  /** Shows up to 100 older messages: those of this device at once, others from the relay. */
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /** Gets messages of a gap that is on the screen. */
  fill(from: number, to: number): Promise<void>;
  jump(sequence: number): Promise<void>;
  jumpToEnd(): Promise<void>;
  /** The messages in which a text occurs, newest first, of those on this device. */
  search(text: string): Promise<Message[]>;

  /** The user has seen the conversation up to this message. Counts only while the device is active. */
  seen(sequence: number): Promise<void>;
  /** Replaces the user's draft, and shows others that the user types. */
  write(draft: string): Promise<void>;
  /** Closes the timeline. */
  close(): void;
}

/** A command that failed. `code` is the relay's, or `not_connected`; `wrong_user` if the store is another user's by now. */
export class RoostError extends Error {
  readonly code: string;
  readonly retry: boolean;
}

/** The parts, for their own tests. Nothing of it is promised. */
export const internals: Record<string, unknown>;

/** Texts for people. An app may replace any of them. */
export const sentences: Record<Failure["reason"] | "offline" | "signedOut" | "takenOver" | "wrongUser", string>;
