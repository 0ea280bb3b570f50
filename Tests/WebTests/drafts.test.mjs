// Drafts on all devices of a user: what is typed becomes a setting once it rests, what another device sets becomes the
// draft unless something was typed here, and only the send that used a draft ends it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { People } from "../../Web/roost-people.js";
import { Roost } from "../../Web/roost.js";
import { ManualClock, message, settle, sockets } from "./stand_ins.mjs";

const KEY = "draft/c1";
const turns = async (count = 12) => { for (let turn = 0; turn < count; turn++) await settle(); };

/** An app of alice's with a conversation with bob, which shares drafts. The relay's settings are `states`. */
class Stage {
  net = sockets();
  clock = new ManualClock();
  states = [];
  #position = 100;

  static async open(context, { states = [], draft = "", missed } = {}) {
    const stage = new Stage();
    const { net, clock } = stage;
    const conversation = {
      conversation: "c1", kind: "direct", role: "member", count: 2, members: ["alice", "bob"], sequence: 1, read: 1,
      unread: 0, time: 1,
    };
    net.FakeSocket.answers = {
      "conversation.list": { conversations: [conversation] }, "conversation.members": { members: [] }, watch: {},
      history: { conversation: "c1", messages: [message(1)], more: false }, "contact.list": { contacts: [] },
      privacy: {}, presence: {},
      "user.get": { profiles: [{ user: "alice" }, { user: "bob" }] },
    };
    if (states) stage.has(...states);
    stage.roost = await Roost.open({
      url: "ws://r", token: () => "t", storage: "memory", WebSocket: net.FakeSocket, clock, random: () => 0 });
    if (missed) stage.people = new People(stage.roost, { clock });
    await stage.roost.connect();
    await settle();
    net.last.welcome();
    if (missed) net.last.say({ type: "state", position: "p-1", key: KEY, value: missed[0], version: missed[1] });
    net.last.say({ type: "live", position: "p0" });
    await turns();
    stage.timeline = await stage.roost.timeline("@bob");
    if (draft) await stage.timeline.write(draft);
    stage.people ??= new People(stage.roost, { clock });
    await turns();
    context.after(() => {
      stage.people.close();
      stage.roost.close();
    });
    return stage;
  }

  /** Sets the relay's draft from now on. */
  has(value, version) {
    const states = value === undefined ? [] : [{ key: KEY, value, version, time: 1 }];
    this.net.FakeSocket.answers["state.get"] = { states };
  }

  async types(text) {
    await this.timeline.write(text);
    await turns();
  }

  async rests(time = 2_000) {
    await this.clock.pass(time);
    await turns();
  }

  /** Another device has set it; without a value, has ended it. */
  async tells(value, version) {
    this.net.last.say({ type: "state", position: `p${++this.#position}`, key: KEY, value, version, device: "phone" });
    await turns();
  }

  async answers(version) {
    this.net.last.answer("state.set", { version, position: `p${++this.#position}`, time: 1 });
    await turns();
  }

  /** The settings set in this session. */
  get set() {
    return this.net.last.sent.filter((one) => one.type === "state.set").map(({ key, value, ifVersion }) => {
      assert.equal(key, KEY);
      return [value, ifVersion];
    });
  }

  /** The draft that shows everywhere. */
  get draft() {
    const all = [this.timeline.draft, this.timeline.snapshot.draft, this.roost.conversations.snapshot.rows[0].draft];
    assert.deepEqual(all, Array(3).fill(all[0]));
    return all[0];
  }

  /** The app is closed, and started later, when the relay has this. */
  async restarts(...state) {
    this.people.close();
    this.has(...state);
    if (this.net.last.readyState === 1) this.net.last.end();
    this.people = new People(this.roost, { clock: this.clock });
    await this.reconnects();
    await this.rests();
  }

  async reconnects() {
    if (this.net.last.readyState === 1) this.net.last.end();
    await this.clock.pass(500);
    this.net.last.welcome();
    this.net.last.say({ type: "live", position: `p${++this.#position}` });
    await turns();
  }
}

test("what was typed and rests is set, under the version that is known, one command at a time", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("Are");
  await stage.rests(1_999);
  await stage.types("Are you");
  await stage.rests(1_999);
  assert.deepEqual(stage.set, []);
  await stage.rests(1);
  assert.deepEqual(stage.set, [["Are you", 0]]);
  // The answer isn't there yet.
  await stage.types("Are you there");
  await stage.rests();
  assert.equal(stage.set.length, 1);
  await stage.answers(5);
  assert.deepEqual(stage.set.slice(1), [["Are you there", 5]]);
  await stage.answers(6);
  await stage.types("Are you");
  await stage.types("Are you there");
  await stage.rests();
  assert.equal(stage.set.length, 2, "the setting has it already");
  await stage.types("");
  await stage.rests();
  assert.deepEqual(stage.set.slice(2), [[undefined, 6]]);
  await stage.answers(7);
  await stage.types("New");
  await stage.rests();
  assert.deepEqual(stage.set.slice(3), [["New", 0]]);
});

test("what another device has begun is the draft, in every row, and goes on from there", async (context) => {
  const stage = await Stage.open(context, { states: ["Hel", 3] });
  assert.equal(stage.draft, "Hel");
  const second = await stage.roost.timeline("c1");
  await stage.tells("Hello", 4);
  assert.deepEqual([stage.draft, second.draft], ["Hello", "Hello"]);
  await stage.tells("older", 2);
  assert.equal(stage.draft, "Hello");
  await stage.rests();
  assert.deepEqual(stage.set, [], "nobody typed here");
  await stage.types("Hello there");
  await stage.rests();
  assert.deepEqual(stage.set, [["Hello there", 4]]);
  await stage.answers(5);
  await stage.tells(undefined, 6);
  assert.equal(stage.draft, "");
  // Not a text, so that it is none of this client's.
  await stage.tells({ text: "x" }, 7);
  assert.equal(stage.draft, "");
});

test("what was missed before the first session is known when more comes", async (context) => {
  // The relay hasn't answered yet what it has.
  const stage = await Stage.open(context, { missed: ["Hel", 3], states: null });
  await stage.tells("Hello", 4);
  assert.equal(stage.draft, "Hello");
});

test("what was typed here stays when another device has set something else", async (context) => {
  const stage = await Stage.open(context, { states: ["a", 3] });
  await stage.types("a b");
  await stage.tells("a c", 4);
  assert.equal(stage.draft, "a b");
  await stage.rests();
  assert.deepEqual(stage.set, [["a b", 4]]);
  await stage.answers(5);
  // The other one sets at the same time, and comes first.
  await stage.types("a b d");
  await stage.rests();
  stage.net.last.refuse("state.set", "conflict");
  await stage.tells("a c e", 6);
  await stage.rests();
  assert.deepEqual([stage.draft, stage.set.length], ["a b d", 2]);
  await stage.types("a b d f");
  await stage.rests();
  assert.deepEqual(stage.set.slice(2), [["a b d f", 6]]);
});

test("another device that sets after this one counts, though its event comes before the answer", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("one");
  await stage.rests();
  await stage.tells("one two", 6);
  assert.equal(stage.draft, "one");
  await stage.answers(5);
  assert.equal(stage.draft, "one two");
  await stage.rests();
  assert.equal(stage.set.length, 1);
});

test("a field isn't overwritten by what it has set itself", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("one");
  await stage.rests();
  assert.deepEqual(stage.set, [["one", 0]]);
  await stage.types("");
  // It was stored, and the answer is lost.
  stage.has("one", 5);
  await stage.reconnects();
  assert.equal(stage.draft, "");
  await stage.rests();
  assert.deepEqual(stage.set, [[undefined, 5]]);
});

test("sending ends the setting at once, and leaves another text", async (context) => {
  const stage = await Stage.open(context, { states: ["Hi", 3] });
  await stage.timeline.send("a quick answer");
  await stage.rests();
  assert.deepEqual([stage.set, stage.draft], [[], "Hi"]);
  await stage.types("Hi bob");
  await stage.timeline.send("Hi bob");
  await turns();
  assert.deepEqual([stage.set, stage.draft], [[[undefined, 3]], ""]);
  await stage.answers(4);
  // A draft that never rested was never set.
  await stage.types("Bye");
  await stage.timeline.send("Bye");
  await stage.rests();
  assert.equal(stage.set.length, 1);
});

test("sending while the setting is under way ends it, too", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("Hi");
  await stage.rests();
  await stage.timeline.send("Hi");
  await turns();
  assert.deepEqual(stage.set, [["Hi", 0]]);
  await stage.answers(4);
  assert.deepEqual([stage.set, stage.draft], [[["Hi", 0], [undefined, 4]], ""]);
  await stage.answers(5);
  // Also if the setting has only its beginning by then.
  await stage.types("Hello");
  await stage.rests();
  await stage.types("Hello bob");
  await stage.timeline.send("Hello bob");
  await turns();
  await stage.answers(6);
  assert.deepEqual([stage.set.slice(2), stage.draft], [[["Hello", 0], [undefined, 6]], ""]);
});

test("a message from another device ends the draft that it was, and its setting if that is left", async (context) => {
  const stage = await Stage.open(context, { states: ["Hi bob", 3] });
  const sent = (sequence, members) => stage.net.last.say(
    message(sequence, { from: "alice", key: `k${sequence}`, body: "Hi bob ", ...members }));
  const others = [{ thread: 1 }, { from: "bob" }, { kind: "image" }, { origin: { from: "bob" } }, { body: "Hi" }];
  others.forEach((members, place) => sent(place + 2, members));
  await turns();
  assert.equal(stage.draft, "Hi bob");
  sent(7);
  await turns();
  assert.equal(stage.draft, "");
  await stage.rests(1_999);
  assert.deepEqual(stage.set, []);
  await stage.rests(1);
  assert.deepEqual(stage.set, [[undefined, 3]]);
  await stage.answers(4);
  // The event again, from before an ack, isn't a send of what was typed since.
  await stage.types("Hi bob");
  sent(7);
  await turns();
  assert.equal(stage.draft, "Hi bob");
});

test("what another device begins after it has sent stays, however late this one hears of it", async (context) => {
  const stage = await Stage.open(context, { states: ["Hi", 3] });
  stage.net.last.say(message(2, { from: "alice", key: "k2", body: "Hi" }));
  await turns();
  await stage.tells("And", 5);
  await stage.rests();
  assert.deepEqual([stage.set, stage.draft], [[], "And"]);
  // The same, with a send of this device's that was made without a session.
  stage.net.last.end();
  await stage.types("And so");
  await stage.timeline.send("And so");
  stage.has("Else", 9);
  await stage.clock.pass(500);
  stage.net.last.welcome();
  stage.net.last.say({ type: "live", position: "p90" });
  await turns();
  assert.deepEqual([stage.set, stage.draft], [[], "Else"]);
});

test("the own message that comes again as an event leaves what was typed since", async (context) => {
  const stage = await Stage.open(context);
  await stage.timeline.send("ok");
  await turns();
  const { key } = stage.net.last.last("send");
  await stage.types("ok");
  stage.net.last.say(message(2, { from: "alice", key, body: "ok" }));
  await turns();
  assert.equal(stage.draft, "ok");
});

test("after a restart a draft without a setting is set, and one that differs waits for the user", async (context) => {
  const alone = await Stage.open(context, { draft: "kept" });
  assert.deepEqual([alone.draft, alone.set], ["kept", [["kept", 0]]]);
  const same = await Stage.open(context, { draft: "kept", states: ["kept", 3] });
  const other = await Stage.open(context, { draft: "kept", states: ["else", 3] });
  await same.rests();
  await other.rests();
  assert.deepEqual([same.set, other.set, other.draft], [[], [], "kept"]);
  await other.types("kept on");
  await other.rests();
  assert.deepEqual(other.set, [["kept on", 3]]);
});

test("what all devices had before a restart is known after it", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("Hi");
  await stage.rests();
  await stage.answers(3);
  await stage.restarts("Hi bob", 4);
  assert.deepEqual([stage.set, stage.draft], [[], "Hi bob"], "another device went on");
  await stage.restarts();
  assert.deepEqual([stage.set, stage.draft], [[], ""], "another device has sent it");
  await stage.tells("And", 6);
  stage.net.last.end();
  await stage.types("And so");
  await stage.timeline.send("And so");
  await stage.restarts("And", 6);
  assert.deepEqual([stage.set, stage.draft], [[[undefined, 6]], ""], "this one has sent it");
  await stage.answers(7);
  assert.deepEqual(await stage.roost.drafts(), new Map());
});

test("what was typed on while the setting was under way is set after a restart", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("Hi");
  await stage.rests();
  await stage.types("Hi bob");
  await stage.answers(3);
  await stage.restarts("Hi", 3);
  assert.deepEqual([stage.set, stage.draft], [[["Hi bob", 3]], "Hi bob"]);
});

test("a draft of its own stays on this device over any number of restarts, until the user goes on", async (context) => {
  const stage = await Stage.open(context, { states: ["a", 3] });
  stage.net.last.end();
  await stage.types("a b");
  for (let start = 0; start < 2; start++) {
    await stage.restarts("a c", 4);
    assert.deepEqual([stage.set, stage.draft], [[], "a b"]);
  }
  await stage.restarts("a", 5);
  assert.deepEqual([stage.set, stage.draft], [[["a b", 5]], "a b"], "it was begun from that");
});

test("what was typed without a session is set in the next one, and what ended meanwhile ends", async (context) => {
  const stage = await Stage.open(context, { states: ["a", 3] });
  stage.net.last.end();
  await stage.types("a b");
  await stage.rests(2_000);
  assert.deepEqual(stage.net.last.sent.filter((one) => one.type === "state.set"), []);
  await stage.clock.pass(500);
  stage.net.last.welcome();
  stage.net.last.say({ type: "live", position: "p91" });
  await turns();
  assert.deepEqual(stage.set, [["a b", 3]]);
  await stage.answers(4);
  stage.has();
  await stage.reconnects();
  assert.equal(stage.draft, "");
  // The same while there is a session, of a device that missed removals.
  await stage.tells("c", 8);
  assert.equal(stage.draft, "c");
  stage.net.last.say({ type: "state", position: "p95", reset: true });
  await turns();
  assert.deepEqual([stage.draft, stage.set], ["", []]);
});

test("a lost answer is asked for again in the next session, a busy relay later, a refusal isn't", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("a");
  await stage.rests();
  await stage.reconnects();
  assert.deepEqual(stage.set, [["a", 0]]);
  stage.net.last.refuse("state.set", "rate_limited", { retry: true, retryAfter: 1 });
  while (stage.set.length < 2) await settle();
  stage.net.last.refuse("state.set", "too_large");
  await stage.rests();
  assert.equal(stage.set.length, 2);
  await stage.types("ab");
  await stage.rests();
  assert.deepEqual(stage.set[2], ["ab", 0]);
});

test("nothing is set before the settings are known, and after that only what was typed", async (context) => {
  const stage = await Stage.open(context, { states: ["a", 3] });
  await stage.types("b");
  delete stage.net.FakeSocket.answers["state.get"];
  await stage.reconnects();
  await stage.rests();
  assert.deepEqual(stage.set, []);
  for (let prefixes = 0; prefixes < 2; prefixes++) {
    stage.net.last.answer("state.get", { states: [{ key: KEY, value: "c", version: 4, time: 1 }] });
    await turns();
  }
  assert.deepEqual([stage.set, stage.draft], [[["b", 4]], "b"]);
  stage.net.last.refuse("state.set", "conflict");
  await stage.tells(undefined, 5);
  stage.has();
  await stage.reconnects();
  await stage.rests();
  assert.deepEqual([stage.set, stage.draft], [[], "b"]);
});

test("a draft of more than 4,096 bytes stays on its device", async (context) => {
  const stage = await Stage.open(context);
  await stage.types(`${"ü".repeat(2_047)}x`);
  await stage.rests();
  assert.deepEqual(stage.set, []);
  const most = "ü".repeat(2_047);
  await stage.types(most);
  await stage.rests();
  assert.deepEqual([stage.set, new TextEncoder().encode(JSON.stringify(most)).length], [[[most, 0]], 4_096]);
});

test("a draft never goes to another user's settings", async (context) => {
  const stage = await Stage.open(context);
  await stage.types("alice's");
  const out = stage.roost.signOut();
  await turns();
  stage.net.last.end(1_000);
  await out;
  stage.has("carol's", 2);
  await stage.roost.connect();
  await turns();
  stage.net.last.welcome({ user: "carol" });
  stage.net.last.say({ type: "live", position: "p1" });
  await turns();
  await stage.rests();
  assert.deepEqual([stage.roost.snapshot.user, stage.set], ["carol", []]);
  assert.equal((await stage.roost.timeline("c1")).draft, "carol's");
});
