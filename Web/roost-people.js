// The user's people, beside roost.js: contacts and prospects, profiles, privacy, settings that follow the user (drafts
// among them), receipts, and pins. An app loads it when it shows any of that, so that its first load stays as small as
// it is.
//
//     import { People } from "/roost-people.js";
//     const people = new People(roost);
//     people.onChange(({ contacts, muted }) => draw(contacts, muted));
//     await people.invite("bob", { label: "from work" });
//
// roost-people.d.ts says what each name means, and Docs/Decisions/0052-people-module.md why it is a module of its own.
// It keeps nothing on the disk: what it shows is asked for in each session, and changed by events after that. So it is
// as empty as the connection is before the first session, and stays as it was while there is none.

// Every bound with its reason.

/** Contacts and settings of one page: the relay's bound for both. */
const PAGE = 1_000;
/** Users whose profile is asked for at once: the relay's bound. */
const PROFILES = 100;
/** Members whose receipts are asked for: who has more readers shows how many there are. */
const RECEIPTS = 1_000;
/** Tries of a question that the relay asks to come back with later, and the wait if it names none. Milliseconds. */
const PATIENCE = 10;
const WAIT = 1_000;
/** Timers of browsers hold 31 bits. */
const TIMER_MOST = 2_000_000_000;

/** Keys of settings that mean the same to all clients (Docs/Protocol.md, section 6). */
const MUTE = "mute/";
const DRAFT = "draft/";
const KEPT = [MUTE, DRAFT];
/** How long what is typed rests before other devices get it: the relay stores each setting. Milliseconds. */
const REST = 2_000;
/** Most bytes of a draft as JSON: the relay's bound for a setting. A longer one stays on its device. */
const DRAFT_MOST = 4_096;

const systemClock = {
  set(wait, body) {
    const timer = setTimeout(body, wait);
    // Node would wait for it.
    timer.unref?.();
    return timer;
  },
  clear: (timer) => clearTimeout(timer),
};

/** The contacts, profile and settings of one user, on top of a `Roost`. */
export class People {
  #roost;
  #listeners = new Set();
  #settingListeners = new Set();
  #pinListeners = new Set();
  #prospectListeners = new Set();
  #stops;
  /** Sends this tab's changes to other tabs of the same session: the relay sends them only to other devices. */
  #channel;
  #user;
  #isAsked = false;
  /** Counts sessions, so that late answers of an earlier one are recognized. */
  #session = 0;
  #contacts = new Map();
  /** The contacts of the pages that have come, until all have. */
  #fresh = null;
  #blocked = [];
  #exceptions = [];
  #privacy;
  #profile;
  /** Mutes and drafts, by the keys of their settings; one without a value was removed. */
  #states = new Map();
  #freshStates = null;
  #isKnown = false;
  #timer;
  #drafts;

  constructor(roost, { clock = systemClock } = {}) {
    this.#roost = roost;
    this.#drafts = new Drafts(roost, clock, {
      get: (key) => this.#states.get(key),
      set: async (key, value, ifVersion) => (
        this.#tellSet(key, value, await this.#ask(this.#session, "state.set", { key, value, ifVersion }))),
    });
    this.#stops = [roost.onEvent((event) => this.#take(event)), roost.onChange((now) => this.#follow(now))];
  }

  close() {
    for (const stop of this.#stops) stop();
    this.#session += 1;
    clearTimeout(this.#timer);
    this.#drafts.forget();
    this.#channel?.close();
  }

  // -- What is known

  get snapshot() {
    const muted = {};
    for (const [key, state] of this.#states) if (key.startsWith(MUTE) && isOn(state)) muted[key.slice(MUTE.length)] = state.value;
    return {
      isKnown: this.#isKnown, contacts: [...this.#contacts.values()], blocked: this.#blocked, profile: this.#profile, muted,
      privacy: this.#privacy, exceptions: this.#exceptions,
    };
  }

  onChange(listener) { return listening(this.#listeners, listener, () => this.snapshot); }

  /** Whether a conversation makes no sound now. */
  isMuted(conversation) { return isOn(this.#states.get(MUTE + conversation)); }

  // -- Contacts

  async invite(user, { kind, label } = {}) { await this.#change("contact.invite", { user, kind, label }); }

  async accept(user, { label } = {}) { await this.#change("contact.accept", { user, label }); }

  async decline(user) { await this.#change("contact.decline", { user }); }

  async remove(user) { await this.#change("contact.remove", { user }); }

  async #change(type, members) {
    const { contact } = await this.#roost.request(type, members);
    this.#takeContact(contact ?? { user: members.user, state: "none" });
    this.#tell();
  }

  block(users) { return this.#changePrivacy("contact.block", { users }); }

  unblock(users) { return this.#changePrivacy("contact.unblock", { users }); }

  async report(about, reason, text) {
    await this.#roost.request("contact.report", { ...about, reason, text: text || undefined });
  }

  // -- Privacy

  setPrivacy(members) { return this.#changePrivacy("privacy", members); }

  except(users, as) { return this.#changePrivacy("except", { users, as }); }

  async #changePrivacy(type, members) {
    await this.#roost.request(type, members);
    await this.#askPrivacy(this.#session);
    this.#share({ type: "privacy" });
  }

  // -- Prospects

  prospects() { return this.#pages("prospect.list", "prospects"); }

  async setProspect(members) {
    const { prospect, name, note } = await this.#roost.request("prospect.set", members);
    this.#tellProspects();
    return { prospect, name, note };
  }

  async removeProspect(prospect) {
    await this.#roost.request("prospect.remove", { prospect });
    this.#tellProspects();
  }

  onProspects(listener) { return listening(this.#prospectListeners, listener); }

  // Handled like the relay's event to other devices.
  #tellProspects() {
    this.#take({ type: "prospects" });
    this.#share({ type: "prospects" });
  }

  // -- Invitations

  async createInvite({ conversation, kind, uses, after } = {}) {
    return (await this.#roost.request("invite.create", { conversation, kind, uses, after })).invite;
  }

  async invites() { return (await this.#roost.request("invite.list")).invites; }

  async revokeInvite(invite) { await this.#roost.request("invite.revoke", { invite }); }

  async showInvite(code) { return (await this.#roost.request("invite.show", { code })).invitation; }

  // -- Profiles

  async find(prefix, { limit, after } = {}) {
    const { profiles, next, partial } = await this.#roost.request("user.find", { prefix, limit, after });
    return { profiles, next, isPartial: Boolean(partial) };
  }

  async profiles(users) {
    const found = [];
    for (let place = 0; place < users.length; place += PROFILES) {
      const ok = await this.#roost.request("user.get", { users: users.slice(place, place + PROFILES) });
      found.push(...ok.profiles);
    }
    return found;
  }

  async setProfile(members, { ifVersion } = {}) {
    const { version } = await this.#roost.request("profile.set", { ...members, ifVersion });
    if (version > (this.#profile?.version ?? 0)) await this.#askProfile(this.#session);
    return version;
  }

  // -- Settings

  settings({ keys, prefix } = {}) { return this.#pages("state.get", "states", { keys, prefix }); }

  /** All pages of a list. */
  async #pages(type, name, members, next = "after") {
    const all = [];
    let ok;
    do {
      ok = await this.#roost.request(type, { ...members, [next]: ok?.next });
      all.push(...ok[name]);
    } while (ok.next !== undefined);
    return all;
  }

  async set(key, value, { ifVersion } = {}) {
    return this.#tellSet(key, value, await this.#roost.request("state.set", { key, value, ifVersion }));
  }

  #tellSet(key, value, { version }) {
    // Without a version there was no such key to remove.
    if (version === undefined) return undefined;
    const told = { type: "state", key, value: value ?? undefined, version };
    this.#take(told);
    this.#share(told);
    return version;
  }

  onSetting(listener) { return listening(this.#settingListeners, listener); }

  async mute(conversation, until) { await this.set(MUTE + conversation, until === undefined ? true : { until }); }

  async unmute(conversation) { await this.set(MUTE + conversation, null); }

  // -- Messages

  async receipts(conversation, sequence) {
    const receipts = [];
    let after;
    for (let looked = 0; looked < RECEIPTS; looked += 100) {
      const ok = await this.#roost.request("receipts", { conversation, sequence, limit: 100, after });
      receipts.push(...ok.receipts.map(({ user, deliveredAt, read, readAt }) => (
        { user, deliveredAt, isRead: Boolean(read), readAt })));
      after = ok.next;
      if (after === undefined) break;
    }
    return receipts;
  }

  async mentions(conversation) {
    const { mentions, firstMention } = (await this.#roost.request("conversation.get", { conversation })).conversation;
    return { count: mentions ?? 0, first: firstMention };
  }

  async markUnread(conversation, sequence) { await this.#roost.request("unread", { conversation, sequence }); }

  pins(conversation) { return this.#pages("conversation.pins", "pins", { conversation }, "before"); }

  pin(conversation, sequence) { return this.#setPin("pin", conversation, sequence); }

  unpin(conversation, sequence) { return this.#setPin("unpin", conversation, sequence); }

  async #setPin(act, conversation, sequence) {
    await this.#roost.request(`conversation.${act}`, { conversation, sequence });
    // Handled like the relay's event to other devices.
    const told = { type: "conversation", event: `${act}ned`, conversation, pin: sequence };
    this.#take(told);
    this.#share(told);
  }

  onPin(listener) { return listening(this.#pinListeners, listener); }

  // -- Events from the relay

  #follow({ user, isUpToDate }) {
    if (user !== this.#user) this.#begin(user);
    if (isUpToDate && !this.#isAsked) this.#askAll(++this.#session);
    this.#isAsked = isUpToDate;
  }

  /** Begins with another user, without any data yet. */
  #begin(user) {
    this.#user = user;
    this.#session += 1;
    this.#contacts = new Map();
    this.#fresh = null;
    this.#states = new Map();
    this.#freshStates = null;
    this.#drafts.forget();
    this.#blocked = this.#exceptions = [];
    this.#privacy = this.#profile = undefined;
    this.#isKnown = false;
    this.#channel?.close();
    this.#channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(`roost.people.${user}`) : undefined;
    // Node would wait for it.
    this.#channel?.unref?.();
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#take(data);
    this.#tell();
  }

  #share(event) { this.#channel?.postMessage(event); }

  #take(event) {
    switch (event.type) {
      case "contact":
        this.#takeContact(event);
        break;
      case "state":
        if (event.reset) return this.#again(this.#askSettings(this.#session));
        this.#takeState(event);
        for (const listener of [...this.#settingListeners]) listener(event);
        break;
      case "draft":
        this.#drafts.typed(event);
        return undefined;
      case "privacy": return this.#again(this.#askPrivacy(this.#session));
      case "prospects":
        for (const listener of [...this.#prospectListeners]) listener();
        return undefined;
      case "conversation":
        if (event.pin) for (const listener of [...this.#pinListeners]) listener(event);
        return undefined;
      case "profile":
        if (event.user !== this.#user || event.version <= (this.#profile?.version ?? 0)) return undefined;
        this.#profile = profileOf(event);
        break;
      default: return undefined;
    }
    return this.#tell();
  }

  #takeContact({ user, kind, state, label, since }) {
    for (const contacts of [this.#contacts, this.#fresh]) {
      if (state === "none") contacts?.delete(user);
      else contacts?.set(user, { user, kind, state, label, since });
    }
  }

  #takeState(event) {
    const { key, value, position } = event;
    const before = this.#states.get(key);
    for (const states of [this.#states, this.#freshStates]) if (states) keep(states, event);
    // A key that this device has set, in whichever tab, has no position.
    if (position === undefined) this.#drafts.wasSet(key);
    else if (this.#states.get(key) !== before) this.#again(this.#drafts.take(key, value));
  }

  // -- Asking

  #askAll(session) {
    const all = [this.#askContacts(session), this.#askPrivacy(session), this.#askProfile(session), this.#askSettings(session)];
    this.#again(Promise.all(all).then(() => {
      if (session !== this.#session) return;
      this.#isKnown = true;
      this.#tell();
    }));
  }

  /** Lets a request that fails with the connection be repeated in the next session. */
  #again(asking) { asking.catch((error) => { if (error.code === undefined) throw error; }); }

  async #askContacts(session) {
    const fresh = new Map();
    this.#fresh = fresh;
    let after;
    do {
      const ok = await this.#ask(session, "contact.list", { limit: PAGE, after });
      if (this.#fresh !== fresh) return;
      for (const one of ok.contacts) fresh.set(one.user, one);
      after = ok.next;
    } while (after !== undefined);
    this.#contacts = fresh;
    this.#fresh = null;
    this.#tell();
  }

  async #askPrivacy(session) {
    const { privacy, exceptions = [] } = await this.#ask(session, "privacy");
    this.#privacy = privacy;
    this.#blocked = exceptions.filter((one) => one.as === "blocked").map((one) => one.user);
    this.#exceptions = exceptions.filter((one) => one.as !== "blocked");
    this.#tell();
  }

  async #askProfile(session) {
    const user = this.#user;
    const [profile] = (await this.#ask(session, "user.get", { users: [user] })).profiles;
    if (user !== this.#user || (profile?.version ?? 0) < (this.#profile?.version ?? 0)) return;
    this.#profile = profile;
    this.#tell();
  }

  async #askSettings(session) {
    const fresh = new Map();
    this.#freshStates = fresh;
    this.#drafts.pause();
    for (const prefix of KEPT) {
      let after;
      do {
        const ok = await this.#ask(session, "state.get", { prefix, after });
        if (this.#freshStates !== fresh) return;
        for (const one of ok.states) keep(fresh, one);
        after = ok.next;
      } while (after !== undefined);
    }
    this.#states = fresh;
    this.#freshStates = null;
    this.#tell();
    await this.#drafts.begin(fresh);
  }

  /** Asks again for as long as the relay asks to come back later. */
  async #ask(session, type, members = {}) {
    for (let tries = 1; ; tries++) {
      try {
        const ok = await this.#roost.request(type, members);
        if (session !== this.#session) throw new Stale();
        return ok;
      } catch (error) {
        const isOver = session !== this.#session || !this.#roost.snapshot.isUpToDate;
        if (!error.retry || isOver || tries >= PATIENCE) throw error;
        await new Promise((resolve) => { setTimeout(resolve, error.retryAfter ?? WAIT); });
      }
    }
  }

  // -- Telling

  #tell() {
    this.#awaitEnd();
    const now = this.snapshot;
    for (const listener of [...this.#listeners]) listener(now);
  }

  /** A mute ends by itself. */
  #awaitEnd() {
    clearTimeout(this.#timer);
    const now = Date.now();
    const ends = [...this.#states.values()].map(({ value }) => value?.until).filter((until) => until > now);
    if (!ends.length) return;
    this.#timer = setTimeout(() => this.#tell(), Math.min(Math.min(...ends) - now + 1, TIMER_MOST));
    this.#timer.unref?.();
  }
}

/** The user's drafts, on all devices of the user (Docs/Clients.md). Each tab knows the settings; the one that has
 *  the session sets them to the typed text, and takes from them the text typed elsewhere. */
class Drafts {
  #roost;
  #clock;
  #settings;
  /** Texts typed or sent here that aren't set yet, by conversation: the timer if one hasn't rested, and the sent
   *  text with the version that the setting had then. */
  #marks = new Map();
  #underWay = new Set();
  #isKnown = false;
  // Nothing was set since the app was started.
  #isNew = true;

  constructor(roost, clock, settings) {
    this.#roost = roost;
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Stops because another user begins, or the app has closed the view. */
  forget() {
    for (const { timer } of this.#marks.values()) this.#clock.clear(timer);
    this.#marks = new Map();
    this.#underWay = new Set();
    this.#isKnown = false;
    this.#isNew = true;
  }

  /** The settings aren't known for now. */
  pause() { this.#isKnown = false; }

  /** All settings are known. A text typed before the start that isn't set elsewhere since is set now. */
  async begin(settings) {
    const marks = this.#marks;
    const isStart = this.#isNew && this.#roost.snapshot.isWriter;
    const drafts = await this.#roost.drafts();
    for (const key of new Set([...[...drafts.keys()].map((id) => DRAFT + id), ...settings.keys()])) {
      // Nothing is kept for a user who has signed out meanwhile.
      if (marks !== this.#marks || !this.#roost.snapshot.isUpToDate) return;
      const id = draftIn(key);
      const { text = "", shared = "" } = drafts.get(id) ?? {};
      const there = textOf(settings.get(key)?.value);
      if (there !== shared) await this.take(key, there);
      else if (isStart && text !== there && !marks.has(id)) marks.set(id, {});
    }
    if (marks !== this.#marks) return;
    this.#isKnown = true;
    if (isStart) this.#isNew = false;
    for (const [id, { timer }] of marks) if (!timer) this.#settle(id);
  }

  /** Something was typed here or, with `sent`, what was typed was sent here or elsewhere. */
  typed({ conversation, sent, isElsewhere }) {
    this.#clock.clear(this.#marks.get(conversation)?.timer);
    const mark = { sent, version: this.#settings.get(DRAFT + conversation)?.version };
    this.#marks.set(conversation, mark);
    if (sent !== undefined && !isElsewhere) return this.#settle(conversation);
    // The device that has sent it most often ends the setting, too.
    mark.timer = this.#clock.set(REST, () => {
      mark.timer = undefined;
      this.#settle(conversation);
    });
    return undefined;
  }

  /** This device has set a key. A text that rests here was set by the tab that has the session. */
  wasSet(key) {
    const id = draftIn(key);
    if (!this.#marks.get(id)?.timer && !this.#underWay.has(id)) this.#marks.delete(id);
  }

  /** Takes a setting from the relay, which counts unless the user has typed here. */
  async take(key, value) {
    const id = draftIn(key);
    if (id === undefined || this.#marks.has(id) || !this.#roost.snapshot.isWriter) return;
    await this.#roost.shareDraft(id, textOf(value));
  }

  // Sets what rests: one command at a time for a conversation, from the tab that has the session.
  #settle(id) {
    const { isWriter, isUpToDate } = this.#roost.snapshot;
    const [marks, underWay, mark] = [this.#marks, this.#underWay, this.#marks.get(id)];
    if (!this.#isKnown || !isWriter || !isUpToDate || underWay.has(id)) return;
    underWay.add(id);
    marks.delete(id);
    this.#set(id, mark, () => marks === this.#marks && this.#roost.snapshot.isUpToDate).then(() => {
      underWay.delete(id);
      if (marks.has(id) && !marks.get(id).timer) this.#settle(id);
    }, (error) => {
      underWay.delete(id);
      // A key left by a lost session or a busy relay is for the next one; a refused one, for the next change.
      if ((error.retry || error instanceof Stale) && !marks.has(id)) marks.set(id, mark);
      if (error.code === undefined) throw error;
    });
  }

  async #set(id, { sent, version }, isCurrent) {
    const key = DRAFT + id;
    const text = (await this.#roost.drafts()).get(id)?.text ?? "";
    const state = this.#settings.get(key);
    const there = textOf(state?.value);
    if (!isCurrent()) throw new Stale();
    if (text === there) return this.#roost.shareDraft(id, text, true);
    // A draft begun on another device since isn't the sent one.
    const isItsOwn = sent === undefined || text || state.version === version || there.trim() === sent.trim();
    if (!isItsOwn) return this.take(key, there);
    if (new TextEncoder().encode(JSON.stringify(text)).length > DRAFT_MOST) return;
    const set = await this.#settings.set(key, text || undefined, state?.value === undefined ? 0 : state.version);
    await this.#roost.shareDraft(id, text, true);
    const now = this.#settings.get(key);
    if (this.#marks.get(id)?.sent !== undefined) this.#marks.get(id).version = set;
    // Another device has set it after this one, and its event came before this answer.
    if (now?.version > set) await this.take(key, now.value);
  }
}

const draftIn = (key) => (key?.startsWith(DRAFT) ? key.slice(DRAFT.length) : undefined);
const textOf = (value) => (typeof value === "string" ? value : "");

/** Keeps a setting, if it is newer. A removed one stays with its version, so that a page that was asked for before
 *  doesn't bring it back. */
function keep(states, { key, value, version }) {
  if (!KEPT.some((prefix) => key?.startsWith(prefix))) return;
  if (version > (states.get(key)?.version ?? 0)) states.set(key, { value, version });
}

/** Thrown for an answer to a user who has signed out. */
class Stale extends Error {
  code = "stale";
}

const isOn = (state) => state?.value === true || state?.value?.until > Date.now();
const profileOf = ({ type: _, ...profile }) => profile;

function listening(listeners, body, present) {
  const listener = (value) => body(value);
  listeners.add(listener);
  if (present) listener(present());
  return () => listeners.delete(listener);
}
