// Clocks that are set, and a relay that says odd things: no wait becomes endless or empty, nothing typed is lost, and
// neither the session nor the process ends.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Roost, internals } from "../../Web/roost.js";
import { ManualClock, message, newStore, settle, sockets } from "./stand_ins.mjs";

const { Memory, Session, Vault, limits, systemClock } = internals;

const DAY = 86_400_000;
const JUMPS = { "a month back": -30 * DAY, "to the year 2300": 100_000 * DAY };
const told = {
  conversation: "c1", kind: "direct", role: "member", count: 2, members: ["alice", "bob"], sequence: 0, read: 0,
  unread: 0, time: 1,
};
const answers = {
  "conversation.list": { conversations: [told] }, "conversation.get": { conversation: told },
  "conversation.members": { members: [] }, watch: {}, presence: {}, "user.get": { profiles: [] },
  history: { messages: [], more: false },
};

async function turns(count = 20) { for (let turn = 0; turn < count; turn++) await settle(); }

/** alice, up to date, and what went wrong in the console meanwhile. */
async function opened(context, { answers: more, user = "bob", welcome, ...settings } = {}) {
  const problems = [];
  context.mock.method(console, "error", (problem) => problems.push(problem));
  const [clock, net] = [new ManualClock(), sockets()];
  const one = { ...told, members: ["alice", user] };
  Object.assign(net.FakeSocket.answers = { ...answers }, {
    "conversation.list": { conversations: [one] }, "conversation.get": { conversation: one }, ...more });
  const roost = await Roost.open({
    url: "ws://r", token: () => "t", storage: "memory", clock, random: () => 1, WebSocket: net.FakeSocket, ...settings });
  context.after(() => roost.close());
  const timeline = await roost.timeline(`@${user}`);
  await roost.connect();
  await settle();
  net.last.welcome({ time: clock.now(), ...welcome });
  net.last.say({ type: "live", position: "p0" });
  await turns();
  return { clock, net, problems, roost, timeline };
}

const texts = ({ snapshot }) => snapshot.items.map((item) => (item.type === "gap" ? `${item.from}-${item.to}` : item.text));

// -- Clocks

for (const [name, jump] of Object.entries(JUMPS)) {
  test(`a clock that is set ${name} neither hides a dead network nor makes it busy`, async (context) => {
    const { clock, net, roost, timeline } = await opened(context);
    const socket = net.last;
    clock.jump(jump);
    const said = socket.sent.length;
    await clock.pass(limits.quietTime);
    const types = socket.sent.slice(said).map((one) => one.type).filter((type) => type !== "ack");
    assert.deepEqual(types, ["ping"], "one sign of life is asked for");
    assert.ok(clock.next > 1_000, "and the next timer isn't at once");
    socket.answersPings = false;
    await clock.pass(1);
    await timeline.send("into nothing");
    await turns();
    assert.equal(socket.last("send").body, "into nothing");
    await clock.pass(limits.replyTime);
    assert.equal(roost.snapshot.connection.state, "waiting");
    assert.equal(roost.snapshot.connection.until - clock.now(), 500);
    await clock.pass(500);
    net.last.welcome({ time: 1_000_000 });
    await turns();
    assert.equal(net.last.last("send").body, "into nothing");
  });

  test(`what is typed while the clock is set ${name} and back goes out in its order`, async (context) => {
    const { clock, net, roost, timeline } = await opened(context);
    net.last.end(4000);
    const typed = [];
    for (const each of [0, jump, jump, -jump, -jump, 0]) {
      clock.jump(each);
      typed.push(`t${typed.length}`);
      await timeline.send(typed.at(-1));
    }
    assert.deepEqual(texts(timeline), typed);
    const items = timeline.snapshot.items.map((item) => item.outboxItem);
    assert.ok(items.every(Number.isSafeInteger) && items.every((item, place) => !place || item > items[place - 1]));
    await clock.pass(500);
    net.last.welcome();
    for (const text of typed) {
      await turns();
      assert.equal(net.last.last("send").body, text);
      net.last.answer("send", { conversation: "c1", sequence: typed.indexOf(text) + 1, time: 1 });
    }
    await turns();
    assert.equal(roost.snapshot.pendingCount, 0);
  });

  test(`a token is renewed by the relay's clock after this one is set ${name}`, async (context) => {
    const { clock, net } = await opened(context, { welcome: { expires: 1_000_000 + 600_000 } });
    clock.jump(jump);
    await clock.pass(540_000);
    net.last.answer("refresh", { expires: 1_000_000 + 2 * 600_000 });
    await clock.pass(590_000);
    assert.equal(net.last.sent.filter((one) => one.type === "refresh").length, 1);
    await clock.pass(10_000);
    assert.equal(net.last.sent.filter((one) => one.type === "refresh").length, 2);
  });
}

test("messages don't disappear early when the clock is set during a session", async (context) => {
  const { clock, net, timeline } = await opened(context);
  net.last.say(message(1, { expires: clock.now() + 600_000 }));
  await turns();
  clock.jump(DAY);
  await clock.pass(599_999);
  assert.deepEqual(texts(timeline), ["m1"]);
  await clock.pass(1);
  await turns();
  assert.equal(timeline.snapshot.items[0].isDeleted, true);
});

test("no timer is longer than browsers can hold, or it would fire at once", (context) => {
  const waits = [];
  context.mock.method(globalThis, "setTimeout", (_, wait) => waits.push(wait));
  for (const wait of [5, 2 ** 31, 1e300, Infinity, NaN, undefined]) systemClock.set(wait, () => {});
  assert.deepEqual(waits, [5, ...Array(5).fill(2 ** 31 - 1)]);
});

test("numbers of the outbox grow, stay whole and never take a row's place", async () => {
  const vault = new Vault(null);
  const store = await newStore({ vault });
  const add = (key) => store.add("c1", { action: "send", body: key, key });
  const { id } = await add("a");
  await store.accepted(id, { conversation: "c1", sequence: 1, time: 1 });
  assert.ok((await add("b")).id > id, "an answer to the first one may still come");
  await vault.write((rows) => rows.put("outbox", {
    id: Number.MAX_SAFE_INTEGER, key: "far", user: "alice", destination: "c1", action: "send", tries: 0, length: 1 }));
  for (const key of ["c", "d"]) await assert.rejects(add(key), { code: "full" });
  await store.reload();
  assert.deepEqual(store.outbox.items.map((item) => item.key), ["b", "far"]);
});

test("an item that is written back takes no place that another tab's has by then", async () => {
  const rows = new Memory();
  let isBroken = false;
  const use = (act) => async (body) => {
    if (isBroken) throw new internals.DiskError();
    return rows[act](body);
  };
  const clock = new ManualClock();
  const vault = new Vault(async () => {
    if (isBroken) throw new internals.DiskError();
    return { read: use("read"), write: use("write"), close: () => {} };
  }, clock);
  await vault.reopen();
  const store = await newStore({ vault });
  isBroken = true;
  const item = await store.add("c1", { action: "send", body: "here", key: "here" });
  await store.add("c1", { action: "edit", body: "child", key: "child" }, "k:here");
  const sent = await store.add("c1", { action: "send", body: "sent", key: "sent" });
  await store.accepted(sent.id, { conversation: "c1", sequence: 1, time: 1 });
  isBroken = false;
  await rows.write((one) => {
    for (const [id, key] of [[item.id, "there"], [sent.id, "there too"]]) one.put("outbox", { ...item, id, key, body: key });
  });
  await clock.pass(limits.reopenMost);
  await store.reload();
  const kept = store.outbox.items.map(({ key, parent }) => [key, parent]);
  const { id } = store.outbox.items.find(({ key }) => key === "here");
  assert.deepEqual(kept.sort(), [["child", id], ["here", undefined], ["there too", undefined], ["there", undefined]]);
});

// -- Waits that the relay asks for

const BAD_WAITS = ["soon", null, -1e12, 0, {}, [], true, undefined];

test("a wait that is none is a wait of the client's own, and a huge one has an end", async () => {
  for (const asked of [...BAD_WAITS, 1, 1e300]) {
    const [clock, net, states] = [new ManualClock(), sockets(), []];
    const owner = { place: async () => ({ device: "web" }), welcomed() {}, told() {}, changed: (state) => states.push(state) };
    const session = new Session({ url: "ws://r", token: () => "t", WebSocket: net.FakeSocket }, owner, clock, () => 1);
    session.connect();
    await settle();
    net.last.open();
    net.last.refuse("hello", "busy", { retry: true, retryAfter: asked });
    const wait = () => states.at(-1).until - clock.now();
    assert.equal(wait(), asked === 1e300 ? 300_000 : 500, `retryAfter: ${JSON.stringify(asked)}`);
    await clock.pass(wait());
    net.last.welcome();
    net.last.say({ type: "drain", after: asked });
    net.last.end(4000);
    assert.ok(wait() >= 500 && wait() <= 300_000, `drain: ${JSON.stringify(asked)}`);
  }
});

test("a message that is refused with a wait that is none isn't tried in a hot loop", async (context) => {
  for (const retryAfter of BAD_WAITS) {
    const { clock, net, timeline } = await opened(context);
    await timeline.send("x");
    for (let tries = 0; tries < 3; tries++) {
      await turns();
      net.last.refuse("send", "busy", { retry: true, retryAfter });
      const tried = () => net.last.sent.filter((one) => one.type === "send").length;
      const before = tried();
      await turns();
      await clock.pass(499);
      assert.equal(tried(), before, `no try before 500 ms: ${JSON.stringify(retryAfter)}`);
      await clock.pass(500 * 2 ** tries);
    }
  }
});

test("an answer that lacks everything, and a welcome with odd members, end nothing", async (context) => {
  const { net, problems, roost, timeline } = await opened(context, {
    welcome: { limits: null, status: null, badge: "many", expires: "soon" } });
  assert.equal(roost.snapshot.connection.state, "connected");
  const asked = roost.request("devices").catch((error) => error);
  await turns();
  net.last.say({ type: "error", re: net.last.last("devices").id });
  assert.equal((await asked).code, "undefined");
  await timeline.send("x");
  await turns();
  net.last.say({ type: "error", re: net.last.last("send").id, code: "constructor", reason: {}, retry: false });
  await turns();
  assert.equal(timeline.snapshot.items[0].state.reason, "notAccepted");
  assert.deepEqual(problems, []);
});

// -- Events

const event = { conversation: "c1", position: "px", sequence: 1, time: 1 };
const ODD = [
  { type: "constructor" }, { type: "toString", conversation: "c1" }, { type: "__proto__" }, { type: {} }, { type: 5 }, {},
  { ...event, type: "gap", from: 5, to: 2 }, { ...event, type: "gap", from: 1, to: 1.5 },
  { ...event, type: "conversation", event: "added", users: "all" },
  { ...event, type: "conversation", event: "added", users: [null] },
  { ...event, type: "conversation", event: "created", kind: "group", members: "all" },
  { ...event, type: "conversation", event: "constructor" },
  { ...event, type: "message", from: "bob", mentions: 5 }, { ...event, type: "message", from: "bob", thread: "x" },
  { ...event, type: "receipt", user: "bob", read: "all" }, { ...event, type: "receipt", user: "bob", read: 1e400 },
  { type: "presence", users: "all" }, { type: "typing", conversation: "c1", user: {} }, { type: "badge", unread: "many" },
  { type: "status", status: null }, { type: "drain", after: "soon" }, { type: "profile", user: "bob", version: "new" },
];

test("odd events end neither the session nor the process, and what follows shows", async (context) => {
  const { net, problems, roost, timeline } = await opened(context);
  for (const one of ODD) {
    net.last.say(one);
    await turns(3);
  }
  net.last.say(message(1, { reactions: "many" }));
  net.last.say(message(2, { reactions: [null] }));
  await turns();
  assert.deepEqual([texts(timeline), roost.snapshot.connection.state, net.made.length], [["m1", "m2"], "connected", 1]);
  assert.deepEqual(problems, []);
});

test("an event that fails twice is left out, its conversation is asked for, and what comes with it is kept", async (context) => {
  const { clock, net, problems, roost, timeline } = await opened(context);
  net.last.say(message(1));
  await turns();
  // A key that no store takes, as IndexedDB refuses it.
  const { find } = Memory.prototype;
  context.mock.method(Memory.prototype, "find", function (table, range) {
    if (Array.isArray(range?.from) && range.from[1] === 3) throw new RangeError("no key");
    return find.call(this, table, range);
  });
  Object.assign(net.FakeSocket.answers, {
    "conversation.get": { conversation: { ...told, sequence: 4 } },
    history: { messages: [1, 2, 4].map((sequence) => message(sequence)), more: false },
  });
  for (const sequence of [2, 3, 4]) net.last.say(message(sequence));
  await turns(60);
  assert.deepEqual([roost.snapshot.connection.state, net.made.length], ["connected", 1]);
  assert.equal(problems.length, 2, "it is said, and not for ever");
  assert.deepEqual(texts(timeline), ["m1", "m2", "3-3", "m4"]);
  await clock.pass(limits.ackTime);
  assert.equal(net.last.last("ack").position, "p4");
});

for (const user of ["constructor", "toString", "hasOwnProperty", "valueOf", "__proto__", "undefined"]) {
  test(`a user may be called ${user}`, async (context) => {
    const { net, roost, timeline } = await opened(context, { user, answers: {
      "user.get": { profiles: [{ user, version: 1, name: "Somebody" }] } } });
    net.last.say(message(1, { from: user }));
    net.last.say({ type: "typing", conversation: "c1", user, active: true });
    net.last.say({ type: "presence", users: [{ user, state: "online" }] });
    await turns(40);
    const [row] = roost.conversations.snapshot.rows;
    assert.deepEqual([row.title, row.typing, row.last.from], ["Somebody", [user], user]);
    assert.equal(roost.conversations.snapshot.people[user].name, "Somebody");
    assert.equal(timeline.snapshot.people[user].name, "Somebody");
    assert.equal(roost.presences.get(user).state, "online");
  });
}

test("an app may ask for what is called like a member of an object", async (context) => {
  const { net, roost } = await opened(context);
  net.FakeSocket.answers.constructor = { x: 1 };
  assert.equal((await roost.request("constructor")).x, 1);
});
