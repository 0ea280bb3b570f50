// Conversations beside timelines, beside roost.js: requests of strangers, threads, and forwarded messages. An app loads
// it when it shows any of that, so that its first load stays as small as it is.
//
//     import { Talk } from "/roost-talk.js";
//     const talk = new Talk(roost);
//     talk.onChange(({ requests }) => draw(requests));
//     const thread = await talk.thread("@bob", 7);
//     await talk.forward(message, conversation, "@carol");
//
// roost-talk.d.ts says what each name means, and Docs/Decisions/0054-talk-module.md why it is a module of its own.
// A user's actions wait in the outbox of roost.js, as all messages do. The data shown is asked for in each session.

// Every bound with its reason.

/** Requests that are shown, and messages of a page of a thread: the relay's bound of a page. */
const PAGE = 100;
/** Tries of a question that the relay asks to come back with later, and the wait if it names none. Milliseconds. */
const PATIENCE = 10;
const WAIT = 1_000;

/** Asks as long as the relay asks to come back later, and the answer is still wanted. */
async function ask(roost, isWanted, type, members) {
  for (let tries = 1; ; tries++) {
    try {
      return await roost.request(type, members);
    } catch (error) {
      if (!error.retry || !isWanted() || !roost.snapshot.isUpToDate || tries >= PATIENCE) throw error;
      await new Promise((resolve) => { setTimeout(resolve, error.retryAfter ?? WAIT); });
    }
  }
}

/** A value and who wants to know of it. */
class Shown {
  #listeners = new Set();

  constructor(value) { this.value = value; }

  onChange(body) {
    const listener = (value) => body(value);
    this.#listeners.add(listener);
    listener(this.value);
    return () => this.#listeners.delete(listener);
  }

  show(change) {
    this.value = { ...this.value, ...change };
    for (const listener of [...this.#listeners]) listener(this.value);
  }
}

/** The requests, threads and forwards of one user, on top of a `Roost`. */
export class Talk {
  #roost;
  #shown = new Shown({ isKnown: false, requests: [], hasMore: false });
  #stops;
  /** Reports removed requests to other tabs of the same session: the relay reports them only to other devices. */
  #channel;
  #user;
  #isAsked = false;
  /** Counts questions, so that a late answer is recognized. */
  #question = 0;

  constructor(roost) {
    this.#roost = roost;
    this.#stops = [
      roost.onEvent((event) => this.#take(event)), roost.onChange((now) => this.#follow(now)),
      // An answered request is in the list of conversations, wherever the answer was written.
      roost.conversations.onChange(({ rows }) => this.#leaveOut(new Set(rows.map((row) => row.id)))),
    ];
  }

  close() {
    for (const stop of this.#stops) stop();
    this.#question += 1;
    this.#channel?.close();
  }

  get snapshot() { return this.#shown.value; }

  onChange(listener) { return this.#shown.onChange(listener); }

  // -- Requests

  accept(conversation) { return this.#answer("accept", conversation); }

  drop(conversation) { return this.#answer("drop", conversation); }

  async #answer(act, conversation) {
    await this.#roost.request(`request.${act}`, { conversation });
    this.#leaveOut(new Set([conversation]));
    this.#channel?.postMessage(conversation);
    // The list, and the unread count, change with the present conversation.
    await this.#roost.request("conversation.get", { conversation });
  }

  #leaveOut(gone) {
    const { requests } = this.snapshot;
    const left = requests.filter((one) => !gone.has(one.conversation));
    if (left.length < requests.length) this.#shown.show({ requests: left });
  }

  #follow({ user, isUpToDate }) {
    if (user !== this.#user) this.#begin(user);
    if (isUpToDate && !this.#isAsked) this.#ask();
    this.#isAsked = isUpToDate;
  }

  /** Begins with another user, without any data yet. */
  #begin(user) {
    this.#user = user;
    this.#question += 1;
    this.#channel?.close();
    this.#channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(`roost.talk.${user}`) : undefined;
    // Node would wait for it.
    this.#channel?.unref?.();
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#leaveOut(new Set([data]));
    this.#shown.show({ isKnown: false, requests: [], hasMore: false });
  }

  #take({ type, event, request, key }) {
    // When several were dropped elsewhere, only the last event comes.
    if ((type === "conversation" && event === "created" && request) || (type === "state" && key === "@requests")) this.#ask();
  }

  /** Asks for the requests. If that fails with the connection, it is repeated in the next session. */
  async #ask() {
    const question = ++this.#question;
    const isWanted = () => question === this.#question;
    try {
      const ok = await ask(this.#roost, isWanted, "conversation.list", { requests: true, limit: PAGE });
      if (!isWanted()) return;
      const people = new Map((ok.people ?? []).map((one) => [one.user, one]));
      this.#shown.show({
        isKnown: true, hasMore: ok.next !== undefined,
        requests: ok.conversations.map((one) => this.#requestOf(one, people)),
      });
    } catch (error) {
      if (error.code === undefined) throw error;
    }
  }

  #requestOf({ conversation, members, message, time, unread }, people) {
    const user = members.find((one) => one !== this.#user) ?? message?.from ?? "";
    return {
      conversation, user, person: people.get(user) ?? { user }, time, unread,
      message: message && messageOf(message, this.#user),
    };
  }

  // -- Threads

  async thread(destination, root) {
    return new Thread(this.#roost, await this.#roost.timeline(destination), root);
  }

  // -- Forwarding

  async forward({ kind, body, sequence, origin, from }, conversation, to) {
    const timeline = await this.#roost.timeline(to);
    try {
      return await timeline.sendBody(kind, body, { forward: { conversation, sequence }, origin: origin ?? { from } });
    } finally {
      timeline.close();
    }
  }
}

/** A message of the relay's as a timeline shows it. */
function messageOf({ from = "", sequence, time, kind = "text", body, deletedAt, reactions = [], ...rest }, user) {
  const message = {
    type: "message", id: `s:${sequence}`, sequence, from, isOwn: from === user, time, kind, isDeleted: deletedAt !== undefined,
    reactions, isChanging: false,
  };
  for (const name of ["replyTo", "thread", "origin", "replies", "editedAt", "version", "mentions"]) {
    if (rest[name] !== undefined) message[name] = rest[name];
  }
  if (message.isDeleted || body === undefined) return message;
  return { ...message, body, ...(kind === "text" && { text: body }) };
}

/** The messages of one thread: pages from the relay, and later changes from the conversation's newest messages. */
class Thread {
  #roost;
  #timeline;
  #root;
  #shown = new Shown({ items: [], isKnown: false, hasOlder: false });
  #stops;
  /** Messages from the relay, by sequence; the first message of the thread, too. */
  #told = new Map();
  #isAsked = false;
  #isClosed = false;
  #question = 0;

  constructor(roost, timeline, root) {
    this.#roost = roost;
    this.#timeline = timeline;
    this.#root = root;
    this.#stops = [
      timeline.onChange(() => this.#draw()), roost.onChange(() => this.#follow()), roost.onEvent((event) => this.#take(event)),
    ];
  }

  get snapshot() { return this.#shown.value; }

  onChange(listener) { return this.#shown.onChange(listener); }

  /** Sends a text in the thread. */
  send(text, options) { return this.#timeline.send(text, { ...options, thread: this.#root }); }

  /** Shows up to 100 older messages. */
  async loadOlder() {
    if (!this.snapshot.hasOlder) return;
    const [first] = this.snapshot.items;
    await this.#page({ before: first?.sequence });
  }

  close() {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#timeline.close();
  }

  get #conversation() { return this.#timeline.snapshot.conversation?.id; }

  /** Those messages of the thread that the timeline has: edited, deleted and sent as the user sees them there. */
  get #near() {
    return this.#timeline.snapshot.items.filter((one) => (
      one.type === "message" && (one.thread === this.#root || one.sequence === this.#root)));
  }

  // Messages may have been left out since the last session.
  #follow() {
    const { isUpToDate } = this.#roost.snapshot;
    if (isUpToDate && !this.#isAsked && this.#conversation) this.#askAll();
    this.#isAsked = isUpToDate && this.#conversation !== undefined;
  }

  /** Applies an event about a message that isn't in the timeline any more: nothing else shows its changes. */
  #take({ type, conversation, sequence }) {
    if (conversation !== this.#conversation) return;
    const isNear = this.#near.some((one) => one.sequence === sequence);
    const isChange = ["edit", "delete", "react"].includes(type) && this.#told.has(sequence) && !isNear;
    if (isChange || type === "gap") this.#askAll();
  }

  #askAll() {
    this.#page({}).catch((error) => { if (error.code === undefined) throw error; });
    const first = { conversation: this.#conversation, after: this.#root - 1, limit: 1 };
    ask(this.#roost, () => !this.#isClosed, "history", first).then(({ messages }) => {
      if (messages[0]?.sequence === this.#root) this.#learn(messages);
    }, () => {});
  }

  async #page(range) {
    const question = ++this.#question;
    const isWanted = () => question === this.#question && !this.#isClosed;
    const asked = { conversation: this.#conversation, thread: this.#root, limit: PAGE, ...range };
    const { messages, more } = await ask(this.#roost, isWanted, "history", asked);
    if (!isWanted()) return;
    // Messages that have gone since don't come again.
    if (!range.before) for (const [sequence] of this.#told) if (sequence !== this.#root) this.#told.delete(sequence);
    this.#shown.value = { ...this.snapshot, isKnown: true, hasOlder: more };
    this.#learn(messages);
  }

  #learn(messages) {
    const { user } = this.#roost.snapshot;
    for (const one of messages) this.#told.set(one.sequence, messageOf(one, user));
    this.#draw();
  }

  #draw() {
    // The conversation may have become known just now.
    if (!this.#isAsked) this.#follow();
    const all = new Map(this.#told);
    for (const one of this.#near) all.set(one.sequence ?? one.id, one);
    const root = all.get(this.#root);
    all.delete(this.#root);
    const shown = [...all.values()].filter((one) => !one.isDeleted);
    const place = (one) => one.sequence ?? Infinity;
    const items = shown.sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)));
    this.#shown.show({ root, items });
  }
}
