// Contacts, profiles and settings for an app in a browser or in Node. The words are those of Docs/Protocol.md, sections
// 6, 7, 9, 14 and 15.

import type { Observable, Roost, Stop, Time } from "./roost.js";

/** Another user's relation to the user. */
export interface Contact {
  user: string;
  /** The other one's relation to the user: `friend`, or a word of the relay's operator. */
  kind: string;
  /** `sent`: the user has invited the other one; `received`: the other way round. */
  state: "sent" | "received" | "accepted";
  /** A note that only the user sees. */
  label?: string;
  since: Time;
}

/** A user's profile. Without `version` there is none, or none that may be shown. */
export interface Profile {
  user: string;
  version?: number;
  name?: string;
  username?: string;
  photo?: string;
  bio?: string;
  role?: string;
  tier?: string;
  deleted?: boolean;
}

export interface PeopleSnapshot {
  /** Whether all of it has come since the app was started. */
  isKnown: boolean;
  contacts: Contact[];
  /** Users blocked by the user. */
  blocked: string[];
  /** The user's own. */
  profile?: Profile;
  /** The user's privacy settings; absent until they are known. */
  privacy?: Privacy;
  /** Users with exceptions from the settings. */
  exceptions: { user: string; as: "always" | "never" }[];
  /** Conversations that make no sound, by their ids: for good, or until a time. */
  muted: Record<string, true | { until: Time }>;
}

/** A setting of the user's, which all its devices have. */
export interface Setting {
  key: string;
  /** Any JSON value; absent if the key was removed. */
  value?: unknown;
  /** Rises with each change of any setting. */
  version: number;
  time?: Time;
}

/** A member's receipt for one message. Hidden times are absent. */
export interface Receipt {
  user: string;
  deliveredAt?: Time;
  isRead: boolean;
  readAt?: Time;
}

/** A user's privacy settings, which also bound what the user sees of others (Docs/Protocol.md, section 9). */
export interface Privacy {
  presence: "shared" | "everyone" | "nobody";
  lastSeen: "exact" | "coarse" | "nobody";
  read: "shared" | "nobody";
}

/** A person who isn't a user yet, as the user has written them down. Other users never see it. */
export interface Prospect {
  /** Its id. */
  prospect: string;
  name: string;
  note?: string;
}

/** A pinned message, the user who pinned it, and the time. */
export interface Pin {
  sequence: number;
  by: string;
  time: Time;
  /** The message from the relay; absent if it can't be read. */
  message?: { from: string; time: Time; kind?: string; body?: unknown };
}

/** A link by which others become contacts, or join a group. */
export interface Invite {
  /** Its id. */
  invite: string;
  /** The group; absent if it makes contacts. */
  conversation?: string;
  /** The relation of new contacts; absent if it invites to a group. */
  kind?: string;
  /** How many may open it, and how many have. */
  uses: number;
  used: number;
  createdAt: Time;
  expires: Time;
  /** The end of the link's address. The relay keeps only a hash, so it is sent once. */
  code?: string;
}

/** The contacts, the profile and the settings of one user. Its methods need a session, and fail with a `RoostError`
 *  of the relay's code. As long as there is one, the user's devices share drafts: `Timeline.write` sets a draft once
 *  it has rested, and `Timeline.draft` is another device's draft, unless the user has typed here. Each of several
 *  tabs needs its own. */
export class People implements Observable<PeopleSnapshot> {
  /** Tests hand in their own clock. */
  constructor(roost: Roost, options?: { clock?: object });
  readonly snapshot: PeopleSnapshot;
  onChange(listener: (snapshot: PeopleSnapshot) => void): Stop;
  /** Closes the view. */
  close(): void;

  invite(user: string, options?: { kind?: string; label?: string }): Promise<void>;
  accept(user: string, options?: { label?: string }): Promise<void>;
  decline(user: string): Promise<void>;
  /** Ends a contact, takes an invitation back, or declines one. */
  remove(user: string): Promise<void>;
  /** Nothing passes between the user and these any more, both ways and everywhere. At most 100 at once. */
  block(users: string[]): Promise<void>;
  unblock(users: string[]): Promise<void>;
  /** Reports a user, or a message of a conversation, to the operators. */
  report(
    about: { user: string } | { conversation: string; sequence: number },
    reason: "spam" | "harassment" | "impersonation" | "illegal" | "other", text?: string): Promise<void>;

  /** Absent members stay as they are. */
  setPrivacy(members: Partial<Privacy>): Promise<void>;
  /** Shows at most 100 users everything, nothing, or the same as others (`none`). */
  except(users: string[], as: "always" | "never" | "none"): Promise<void>;

  /** At most 1,000. */
  prospects(): Promise<Prospect[]>;
  /** Writes a person down or, with an id, changes an entry. An absent note stays, an empty one goes. */
  setProspect(members: { prospect?: string; name: string; note?: string }): Promise<Prospect>;
  removeProspect(prospect: string): Promise<void>;
  /** Is called when one was written, changed or removed, here or on another device of the user. */
  onProspects(listener: () => void): Stop;

  /** Makes a link that makes contacts or, with `conversation`, members of a group that the user leads. `uses`:
   *  number of users who may open it, at most 1,000, otherwise 1. `after`: its lifetime in milliseconds, at most 30
   *  days, otherwise 7. */
  createInvite(options?: { conversation?: string; kind?: string; uses?: number; after?: number }): Promise<Invite & { code: string }>;
  /** The user's own that can still be opened. */
  invites(): Promise<Invite[]>;
  /** Ends one of the user's own, by its id. */
  revokeInvite(invite: string): Promise<void>;
  /** The inviter and the target. `Roost.openInvite` follows it. `not_found` if it can't be opened, or can't be
   *  opened any more. */
  showInvite(code: string): Promise<{ name?: string; group?: string }>;

  /** Users whose name or username begins with this, as far as the relay's operator lets them be found. `isPartial`: a
   *  longer prefix finds more. */
  find(prefix: string, options?: { limit?: number; after?: string }): Promise<
    { profiles: Profile[]; next?: string; isPartial: boolean }>;
  /** One for each user, in their order. */
  profiles(users: string[]): Promise<Profile[]>;
  /** Changes the user's own profile. Absent members stay; an empty text removes one, but for `name`. Returns the
   *  version. Fails with `conflict` if the profile hasn't the version `ifVersion`. */
  setProfile(
    members: { name?: string; username?: string; photo?: string; bio?: string }, options?: { ifVersion?: number }):
    Promise<number>;

  /** The user's settings: all, some, or those whose keys begin with a prefix. */
  settings(options?: { keys?: string[]; prefix?: string }): Promise<Setting[]>;
  /** Sets one, or removes it with `null`. Fails with `conflict` if the key hasn't the version `ifVersion`. Returns the
   *  version; nothing if there was no such key to remove. */
  set(key: string, value: unknown, options?: { ifVersion?: number }): Promise<number | undefined>;
  /** Is called with each setting that changes, here or on another device of the user. */
  onSetting(listener: (setting: Setting) => void): Stop;
  /** The conversation makes no sound, for good or until a time. */
  mute(conversation: string, until?: Time): Promise<void>;
  unmute(conversation: string): Promise<void>;
  isMuted(conversation: string): boolean;

  /** The members who have got and read a message, among the first 1,000, without the user. */
  receipts(conversation: string, sequence: number): Promise<Receipt[]>;
  /** How many unread messages mention the user, and the sequence of the first one. */
  mentions(conversation: string): Promise<{ count: number; first?: number }>;

  /** Marks others' messages as unread, from one on, on the user's own devices alone: other users don't see it.
   *  Reading the conversation again removes the mark, so close it first. At most 100 messages back, else
   *  `too_large`. */
  markUnread(conversation: string, sequence: number): Promise<void>;
  /** The pinned messages, at most 50, the one that was pinned last first. */
  pins(conversation: string): Promise<Pin[]>;
  /** Pins a message for all members. In a group, owner and admins may: else `forbidden`. A 51st is `too_large`. */
  pin(conversation: string, sequence: number): Promise<void>;
  unpin(conversation: string, sequence: number): Promise<void>;
  /** Calls the listener when any user pins or unpins a message. A message that is deleted or disappears is no longer
   *  pinned, and no other event reports that. */
  onPin(listener: (told: { conversation: string; pin: number; event: "pinned" | "unpinned" }) => void): Stop;
}
