// A relay whose files are older than they were, under the same epoch: its data is read anew, the app is notified, and
// nothing that waits is lost. A case that only looks like it changes nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Roost } from "../../Web/roost.js";
import { ManualClock, message, newStore, settle, sockets } from "./stand_ins.mjs";

const told = {
  conversation: "c1", kind: "direct", role: "member", count: 2, members: ["alice", "bob"], sequence: 0, read: 0,
  unread: 0, time: 1,
};
const welcome = (members = {}) => ({ user: "alice", epoch: "e1", time: 1_000_000, ...members });
const history = (...messages) => ({ messages, more: false });

async function withMessages() {
  const store = await newStore();
  store.seen = [];
  store.onRewound = (conversation) => store.seen.push(conversation);
  await store.begin(welcome({ new: true }), false);
  await store.change(({ cache }) => cache.takeConversation(told));
  await store.take([message(1), message(2, { from: "alice", key: "k2" })], "p2");
  await store.add("c1", { action: "send", body: "waits", key: "w" });
  await store.begin(welcome(), true);
  return store;
}

const all = (store) => store.read(({ rows }) => rows.find("messages"));

async function assertForgotten(store, conversation) {
  assert.deepEqual([store.seen, await all(store), store.identity.position], [[conversation], [], undefined]);
  assert.deepEqual(store.outbox.items.map((item) => [item.body, item.destination]), [["waits", "@bob"]]);
}

test("another message in the place of a known one says that the files are older", async () => {
  const ways = {
    "an event": (store) => store.take([message(2), message(3)], "p3"),
    "another time": (store) => store.take([message(1, { time: 5 })], "p3"),
    "another key": (store) => store.take([message(2, { from: "alice", key: "k3" })], "p3"),
    "a page of history": (store) => store.change(({ cache }) => (
      cache.takeHistory({ conversation: "c1", ...history(message(2, { from: "carol" })) }))),
    "a conversation": (store) => store.change((unit) => (
      unit.takeConversation({ ...told, sequence: 2, message: message(2, { from: "carol" }) }))),
  };
  for (const [way, carryOut] of Object.entries(ways)) {
    const store = await withMessages();
    await carryOut(store);
    await assertForgotten(store, "c1").catch((error) => assert.fail(`${way}: ${error.message}`));
  }
});

test("an answer with the place of another message does, too, and its own message was stored", async () => {
  const store = await withMessages();
  const item = await store.add("c1", { action: "send", body: "mine", key: "m" });
  await store.accepted(item.id, { conversation: "c1", sequence: 1, time: 9 }, "p9");
  await assertForgotten(store, "c1");
});

test("what comes again, is hidden, deleted or lost, is the same message", async () => {
  const store = await withMessages();
  await store.take([
    message(1), { ...message(1), hidden: true, from: undefined, time: 77 }, message(2, { from: "alice", time: 1_002 }),
    { ...message(2, { from: "alice" }), body: undefined, deletedAt: 5 },
  ], "p3");
  const { identity } = store;
  await store.change(({ cache }) => cache.takeHistory({ conversation: "c1", messages: [], gaps: [{ from: 1, to: 2 }] }));
  await store.change(({ cache }) => cache.takeHistory({ conversation: "c1", ...history(message(1)) }));
  assert.deepEqual([store.seen, identity.position], [[], "p3"]);
});

test("a position that the log never gave says so, if the epoch is the same", async () => {
  for (const [more, isResumed, seen] of [[{}, false, [undefined]], [{}, true, []], [{ epoch: "e2" }, false, []]]) {
    const store = await withMessages();
    await store.begin(welcome(more), isResumed);
    assert.deepEqual(store.seen, seen, JSON.stringify([more, isResumed]));
  }
});

test("the position of an ok is stored with what it did", async () => {
  const store = await withMessages();
  const [{ id }] = store.outbox.items;
  await store.accepted(id, { conversation: "c1", sequence: 3, time: 9 }, "p9");
  const { position, newest } = store.identity;
  assert.deepEqual([position, newest], ["p9", { conversation: "c1", sequence: 3, from: "alice", time: 9, key: "w" }]);
});

// -- With a session

async function turns(count = 30) { for (let turn = 0; turn < count; turn++) await settle(); }

/** alice on her second connection, with her message 2 as the newest, and what the relay answers from now on. */
async function resumed(context, answers) {
  const [clock, net, events] = [new ManualClock(), sockets(), []];
  net.FakeSocket.answers = {
    "conversation.list": { conversations: [{ ...told, sequence: 1 }] }, "conversation.get": { conversation: told },
    "conversation.members": { members: [] }, watch: {}, presence: {}, "user.get": { profiles: [] },
    history: history(message(1)),
  };
  const roost = await Roost.open({
    url: "ws://r", token: () => "t", storage: "memory", clock, random: () => 1, WebSocket: net.FakeSocket });
  context.after(() => roost.close());
  const timeline = await roost.timeline("@bob");
  roost.onEvent((event) => { if (event.type === "rewound") events.push(event.conversation); });
  const live = async () => {
    await settle();
    net.last.welcome();
    net.last.say({ type: "live", position: "p1" });
    await turns();
  };
  await roost.connect();
  await live();
  await timeline.send("mine");
  await turns();
  net.last.answer("send", { conversation: "c1", sequence: 2, time: 9, position: "p2" });
  await turns();
  net.last.end();
  Object.assign(net.FakeSocket.answers, answers);
  await timeline.send("waits");
  await clock.pass(500);
  return { clock, events, live, net, roost, timeline };
}

const texts = ({ snapshot }) => snapshot.items.map((item) => (item.type === "gap" ? "gap" : item.body));

test("the next session resumes from the last ok, and asks for the newest message", async (context) => {
  const { events, live, net, timeline } = await resumed(context, {
    history: history(message(2, { from: "alice", time: 9, body: "mine" })) });
  await live();
  assert.equal(net.last.last("hello").resume, "p2");
  const asked = net.last.sent.filter((one) => one.type === "history" && one.limit === 1);
  assert.deepEqual(asked.map((one) => one.before), [3]);
  assert.deepEqual([events, texts(timeline), net.made.length], [[], ["m1", "mine", "waits"], 2]);
});

for (const [name, answers, shown] of [
  ["is another one", { history: history(message(2)) }, ["m1", "m2", "waits"]],
  ["isn't there", { history: history(message(1)), "conversation.get": { conversation: { ...told, sequence: 1 } } }, ["m1", "waits"]],
]) {
  test(`a newest message that ${name} makes the client read all anew, and say so once`, async (context) => {
    const { clock, events, live, net, timeline } = await resumed(context, answers);
    await live();
    assert.deepEqual(events, ["c1"]);
    const sequence = shown.length - 1;
    Object.assign(net.FakeSocket.answers, {
      "conversation.list": { conversations: [{ ...told, sequence }] },
      history: history(...[message(1), message(2)].slice(0, sequence)),
    });
    await clock.pass(1_000);
    await live();
    assert.equal(net.last.last("hello").resume, undefined);
    assert.deepEqual([events, texts(timeline), net.last.last("send").body], [["c1"], shown, "waits"]);
  });
}

test("a message that retention took is no sign of older files", async (context) => {
  const { events, live, net } = await resumed(context, {
    history: history(), "conversation.get": { conversation: { ...told, sequence: 2 } } });
  await live();
  assert.deepEqual([events, net.made.length], [[], 2]);
});

test("what comes behind on the same connection doesn't count any more", async (context) => {
  const { clock, events, live, net } = await resumed(context, {
    history: history(message(2, { from: "alice", time: 9 })) });
  await live();
  net.last.say(message(2));
  net.last.say(message(3));
  net.last.say({ type: "live", position: "p9" });
  await turns();
  await clock.pass(1_000);
  await settle();
  net.last.open();
  assert.deepEqual([events, net.last.last("hello").resume], [["c1"], undefined]);
});

test("a relay that contradicts itself is read anew once, and not again in that session", async (context) => {
  const { clock, events, live, net, roost, timeline } = await resumed(context, {
    history: history(message(2, { from: "alice", time: 9, body: "mine" })) });
  const contradict = async () => {
    await live();
    net.last.say(message(5, { time: 5 }));
    net.last.say(message(5, { time: 900 }));
    await turns();
  };
  await contradict();
  assert.equal(roost.snapshot.connection.state, "waiting");
  await clock.pass(1_000);
  await contradict();
  assert.deepEqual([events, roost.snapshot.connection.state, texts(timeline).includes("m5")], [["c1"], "connected", true]);
});
