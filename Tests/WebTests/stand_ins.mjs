// For the tests: a clock that moves only when a test moves it, chance by a seed, and sockets whose other end is the
// test.

import assert from "node:assert/strict";
import { internals } from "../../Web/roost.js";

const { Memory, Outbox, Store, Vault } = internals;

/** Time stands still but for `pass`. */
export class ManualClock {
  #now = 1_000_000;
  #set = 0;
  #timers = new Map();
  #last = 0;

  now = () => this.#now + this.#set;

  ticks = () => this.#now;

  /** Sets the wall clock, as a user may. No wait is shorter or longer for it. */
  jump(milliseconds) { this.#set += milliseconds; }

  set = (wait, body) => {
    this.#timers.set(++this.#last, { at: this.#now + wait, body });
    return this.#last;
  };

  clear = (timer) => { this.#timers.delete(timer); };

  /** The next timer's wait. */
  get next() { return Math.min(...[...this.#timers.values()].map((timer) => timer.at)) - this.#now; }

  async pass(milliseconds) {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.#now = due[1].at;
      due[1].body();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Whatever can go on without time or network has gone on. */
export function settle() { return new Promise((resolve) => setImmediate(resolve)); }

/** Mulberry32. */
export function seeded(seed) {
  let state = seed + 1;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    below: (count) => Math.floor(next() * count),
    pick: (list) => list[Math.floor(next() * list.length)],
  };
}

/** A store in memory. With `vault`, the same rows as before: the app was started again. */
export async function newStore({ vault = new Vault(null), user = "alice", ...settings } = {}) {
  const store = new Store(vault, new Outbox(settings));
  await store.load("web");
  if (user) await store.signIn(user);
  return store;
}

/** A class of sockets whose other end is the test. */
export function sockets() {
  const made = [];
  class FakeSocket {
    /** Automatic answers: the members of the `ok`, by type. */
    static answers = {};
    sent = [];
    isClosed = false;
    readyState = 0;
    answersPings = true;

    constructor(url, protocols) {
      Object.assign(this, { url, protocols });
      made.push(this);
    }

    // Browsers write an error into the console when they are asked to send on a socket that is closing.
    send(text) {
      assert.equal(this.readyState, 1, "it is open");
      const told = JSON.parse(text);
      this.sent.push(told);
      const members = FakeSocket.answers[told.type];
      if (members) queueMicrotask(() => this.say({ type: "ok", re: told.id, ...members }));
      if (told.type === "ping" && this.answersPings) queueMicrotask(() => this.say({ type: "pong", re: told.id }));
    }

    close(code) { Object.assign(this, { isClosed: true, code, readyState: 2 }); }

    // The relay's side.

    open() {
      this.readyState = 1;
      this.onopen();
    }

    say(told) { this.onmessage({ data: JSON.stringify(told) }); }

    /** A close frame has come, and `onclose` hasn't been called yet. */
    closing() { this.readyState = 2; }

    end(code = 1006, reason = "") {
      this.readyState = 3;
      this.onclose({ code, reason });
    }

    last(type) { return this.sent.filter((one) => one.type === type).pop(); }

    answer(type, members = {}) { this.say({ type: "ok", re: this.last(type).id, ...members }); }

    refuse(type, code, members = {}) {
      this.say({ type: "error", re: this.last(type).id, code, reason: code, retry: false, ...members });
    }

    welcome(members = {}) {
      this.open();
      this.say({
        type: "welcome", re: this.last("hello").id, user: "alice", device: "web", position: "0", head: "0",
        epoch: "e1", time: 1_000_000, limits: { frameBytes: 65_536 }, ...members,
      });
    }
  }
  return { FakeSocket, made, get last() { return made[made.length - 1]; } };
}

/** A message as the relay sends it. */
export function message(sequence, members = {}) {
  return {
    type: "message", conversation: "c1", sequence, position: `p${sequence}`, from: "bob", time: 1_000 + sequence,
    body: `m${sequence}`, ...members,
  };
}

export { Memory };
