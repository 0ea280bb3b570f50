// Requests, threads and forwards: what the first module keeps of them and sends, and what the module of talk shows, on a
// socket whose other end is the test.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Talk } from "../../Web/roost-talk.js";
import { Roost, internals } from "../../Web/roost.js";
import { ManualClock, message, newStore, settle, sockets } from "./stand_ins.mjs";

const { Vault, scopeOf } = internals;
const direct = { kind: "direct", role: "member", count: 2, sequence: 1, read: 0, unread: 1, time: 5 };
const about = (user, members = {}) => ({ conversation: `c-${user}`, ...direct, members: ["alice", user], ...members });
const request = (user, members = {}) => (
  about(user, { request: "received", message: message(1, { from: user, type: undefined }), ...members }));
const created = (user) => ({
  type: "conversation", event: "created", conversation: `c-${user}`, by: user, kind: "direct", count: 2, request: true,
  members: ["alice", user], sequence: 0, position: "p1", time: 4, unread: 0, read: 0,
});
const turns = async (count = 10) => { for (let turn = 0; turn < count; turn++) await settle(); };

/** alice, up to date, with a conversation with bob, and what is said beside it. */
async function opened(context, more = {}) {
  const net = sockets();
  net.FakeSocket.answers = {
    "conversation.members": { members: [] }, watch: {}, presence: {}, "user.get": { profiles: [] }, ...more,
  };
  // There are two lists, and conversations as they are asked for by their ids.
  const lists = { all: [about("bob", { conversation: "c1" })], requests: [request("zoe")], known: {} };
  const { send } = net.FakeSocket.prototype;
  net.FakeSocket.prototype.send = function answering(text) {
    send.call(this, text);
    const { type, id, requests, conversation } = JSON.parse(text);
    const known = lists.known[conversation] ?? lists.requests.find((one) => one.conversation === conversation);
    if (type === "conversation.get") queueMicrotask(() => this.say({ type: "ok", re: id, conversation: known }));
    if (type !== "conversation.list" || (requests && lists.isMute)) return;
    const conversations = requests ? lists.requests : lists.all;
    queueMicrotask(() => this.say({ type: "ok", re: id, conversations, people: [{ user: "zoe", version: 2, name: "Zoe" }] }));
  };
  const clock = new ManualClock();
  const roost = await Roost.open({
    url: "ws://r", token: () => "t", storage: "memory", WebSocket: net.FakeSocket, clock, random: () => 0 });
  const talk = new Talk(roost);
  context.after(() => {
    talk.close();
    roost.close();
  });
  assert.deepEqual(talk.snapshot, { isKnown: false, requests: [], hasMore: false });
  await roost.connect();
  await settle();
  await live(net);
  return { clock, lists, net, roost, talk };
}

async function live(net) {
  net.last.welcome();
  net.last.say({ type: "live", position: "p0" });
  await turns(20);
}

const sent = (net, type) => net.last.sent.filter((one) => one.type === type);
const users = (talk) => talk.snapshot.requests.map((one) => one.user);
const listed = (roost) => roost.conversations.snapshot.rows.map((row) => row.id);

test("requests are listed apart, and count nowhere", async (context) => {
  const { clock, lists, net, roost, talk } = await opened(context);
  const [one] = talk.snapshot.requests;
  assert.deepEqual([one.user, one.person.name, one.message.text, one.unread], ["zoe", "Zoe", "m1", 1]);
  assert.deepEqual([listed(roost), roost.snapshot.badge], [["c1"], 1]);
  // One that comes is asked for, and may be read.
  lists.requests.push(request("eve"));
  net.last.say(created("eve"));
  net.last.say(message(1, { conversation: "c-eve", from: "eve" }));
  await turns();
  assert.deepEqual([users(talk), listed(roost), roost.snapshot.badge], [["zoe", "eve"], ["c1"], 1]);
  const timeline = await roost.timeline("@eve");
  assert.deepEqual([timeline.snapshot.items[0].text, timeline.snapshot.conversation.request], ["m1", "received"]);
  // A request answered elsewhere has gone by the next session.
  lists.requests.shift();
  net.last.end();
  await clock.pass(500);
  await live(net);
  assert.deepEqual(users(talk), ["eve"]);
});

test("what is accepted is listed, and what is dropped has gone", async (context) => {
  const { lists, net, roost, talk } = await opened(context);
  Object.assign(net.FakeSocket.answers, { "request.accept": {}, "request.drop": {} });
  lists.known = { "c-zoe": about("zoe"), "c-eve": request("eve", { request: "dropped" }) };
  await talk.accept("c-zoe");
  await turns();
  assert.deepEqual([sent(net, "request.accept")[0].conversation, users(talk), listed(roost)], ["c-zoe", [], ["c1", "c-zoe"]]);
  assert.deepEqual([roost.conversations.snapshot.rows[1].unread, roost.snapshot.badge], [1, 2]);
  await talk.drop("c-eve");
  await turns();
  assert.deepEqual([sent(net, "request.drop")[0].conversation, listed(roost)], ["c-eve", ["c1", "c-zoe"]]);
});

test("what other devices do is followed", async (context) => {
  const { lists, net, roost, talk } = await opened(context);
  lists.requests.push(request("eve"));
  net.last.say(created("eve"));
  await turns();
  lists.known = { "c-zoe": about("zoe", { time: 9 }) };
  net.last.say({
    type: "conversation", event: "accepted", conversation: "c-zoe", by: "alice", position: "p2", sequence: 1, time: 9 });
  await turns();
  assert.deepEqual([users(talk), listed(roost)], [["eve"], ["c-zoe", "c1"]]);
  lists.requests = [];
  net.last.say({ type: "state", key: "@requests", value: "c-eve", version: 3, position: "p3" });
  await turns();
  assert.deepEqual(users(talk), []);
});

test("a list of requests isn't that of the conversations", async () => {
  const { FakeSocket } = sockets();
  const made = [];
  class Relay extends FakeSocket {
    constructor(...words) {
      super(...words);
      made.push(this);
    }

    send(text) {
      super.send(text);
      const { type, id, requests, before } = JSON.parse(text);
      const answer = type !== "conversation.list" ? undefined : requests ? { conversations: [] }
        : before ? undefined : { conversations: [about("bob")], next: "more" };
      if (answer) queueMicrotask(() => this.say({ type: "ok", re: id, ...answer }));
    }
  }
  const clock = new ManualClock();
  const again = await Roost.open({ url: "ws://r", token: () => "t", storage: "memory", WebSocket: Relay, clock, random: () => 0 });
  const lists = () => made.at(-1).sent.filter((one) => one.type === "conversation.list" && !one.requests);
  await again.connect();
  await settle();
  made[0].welcome();
  made[0].say({ type: "live", position: "p0" });
  await turns();
  await again.request("conversation.list", { requests: true });
  // The second page didn't come, so that the next session asks from the beginning.
  made[0].end();
  await clock.pass(500);
  made[1].welcome();
  await turns();
  assert.equal(lists().length, 2);
  again.close();
});

test("whoever answers a request accepts it", async (context) => {
  const { lists, net, roost, talk } = await opened(context, { history: { messages: [], more: false } });
  lists.known = { "c-zoe": about("zoe", { sequence: 2, unread: 0, read: 2, time: 9 }) };
  const timeline = await roost.timeline("@zoe");
  await timeline.send("Hello");
  await turns();
  net.last.answer("send", { conversation: "c-zoe", sequence: 2, position: "p2", time: 10 });
  await turns();
  assert.deepEqual([users(talk), listed(roost)], [[], ["c-zoe", "c1"]]);
});

test("a question waits as long as the relay asks for", async (context) => {
  const { lists, net, talk } = await opened(context);
  lists.requests.push(request("eve"));
  lists.isMute = true;
  net.last.say(created("eve"));
  await turns();
  net.last.refuse("conversation.list", "rate_limited", { retry: true, retryAfter: 1 });
  lists.isMute = false;
  while (users(talk).length < 2) await settle();
  assert.deepEqual(users(talk), ["zoe", "eve"]);
});

// Threads

const inThread = (sequence, members) => message(sequence, { thread: 1, ...members });

test("a thread is asked for, follows its messages, and is written to", async (context) => {
  const { net, roost, talk } = await opened(context);
  const thread = await talk.thread("c1", 1);
  await turns();
  const pages = () => sent(net, "history").filter((one) => one.thread === 1);
  assert.deepEqual([pages().length, pages()[0].limit, thread.snapshot.isKnown], [1, 100, false]);
  const asked = sent(net, "history");
  const root = asked.find((one) => one.limit === 1);
  net.last.say({ type: "ok", re: root.id, messages: [message(1)], more: false });
  net.last.say({ type: "ok", re: pages()[0].id, messages: [inThread(4), inThread(6)], more: true });
  await turns();
  assert.deepEqual([thread.snapshot.root.text, thread.snapshot.items.map((one) => one.text)], ["m1", ["m4", "m6"]]);
  assert.deepEqual([thread.snapshot.isKnown, thread.snapshot.hasOlder], [true, true]);
  // Those of the conversation that are in another thread or in none don't show; what comes and waits does.
  net.last.say(message(7));
  net.last.say(inThread(8));
  await thread.send("mine", { replyTo: "s:8" });
  await turns();
  assert.deepEqual(thread.snapshot.items.map((one) => one.text), ["m4", "m6", "m8", "mine"]);
  const { to, body, thread: of, replyTo } = net.last.last("send");
  assert.deepEqual([to, body, of, replyTo], ["c1", "mine", 1, 8]);
  net.last.answer("send", { conversation: "c1", sequence: 9, position: "p9", time: 10 });
  await turns();
  assert.equal(thread.snapshot.items.at(-1).sequence, 9);
  // Older ones come when they are asked for.
  const older = thread.loadOlder();
  await turns();
  assert.equal(pages().at(-1).before, 4);
  net.last.say({ type: "ok", re: pages().at(-1).id, messages: [inThread(2)], more: false });
  await older;
  assert.deepEqual([thread.snapshot.items[0].text, thread.snapshot.hasOlder], ["m2", false]);
  // A deleted message goes; left-out ones are asked for.
  net.last.say({ type: "delete", conversation: "c1", sequence: 8, time: 11, position: "p10" });
  await turns();
  assert.deepEqual(thread.snapshot.items.map((one) => one.sequence), [2, 4, 6, 9]);
  const before = pages().length;
  net.last.say({ type: "edit", conversation: "c1", sequence: 4, body: "new", time: 11, position: "p11" });
  await turns();
  assert.equal(pages().length, before + 1, "the timeline doesn't have that one");
  net.last.say({ type: "ok", re: pages().at(-1).id, messages: [inThread(4, { body: "new" }), inThread(9)], more: true });
  await turns();
  assert.deepEqual(thread.snapshot.items.map((one) => one.text), ["new", "mine"]);
  thread.close();
  assert.equal(roost.conversations.snapshot.rows[0].id, "c1");
});

test("the first message of a thread is asked for again with each that comes or goes", async () => {
  const store = await newStore();
  const rows = () => store.read(({ rows: all }) => all.find("messages", { from: ["c1", 0], to: ["c1", []] }));
  await store.take([message(1), message(2)], "p2");
  await store.take([inThread(3)], "p3");
  assert.deepEqual((await rows()).map((row) => [row.thread, row.stale]), [[undefined, 1], [undefined, undefined], [1, undefined]]);
  const replies = { count: 1, last: 3, time: 1_003 };
  await store.change(({ cache }) => cache.takeHistory({ conversation: "c1", messages: [message(1, { replies })], more: true }));
  assert.deepEqual([(await rows())[0].replies, (await rows())[0].stale], [replies, undefined]);
  await store.take([{ type: "delete", conversation: "c1", sequence: 3, time: 9, position: "p4" }], "p4");
  assert.deepEqual((await rows()).map((row) => row.stale), [1, undefined, undefined]);
});

// Forwarding

test("what is sent on waits in the outbox, also over a start, and the relay says what it is", async () => {
  const vault = new Vault(null);
  const store = await newStore({ vault });
  const act = { action: "send", body: "secret", forward: { conversation: "c1", sequence: 4 }, origin: { from: "bob" } };
  const { id } = await store.add("c2", { ...act, key: "k1" });
  await assert.rejects(store.change((unit) => store.outbox.replace(unit, id, "other")), { code: "no_such_item" });
  const again = await newStore({ vault });
  const item = again.outbox.takeNext();
  assert.deepEqual([item.forward, item.origin, item.body], [act.forward, act.origin, "secret"]);
  await again.accepted(item.id, { conversation: "c2", sequence: 7, time: 3 });
  const [row] = await again.read(({ rows }) => rows.find("messages"));
  // Without what the relay has sent on, it may have changed before.
  assert.deepEqual([row.body, row.origin, row.stale], ["secret", { from: "bob" }, 1]);
});

test("the ok of what is sent on says what it is", async () => {
  const store = await newStore({ vault: new Vault(null) });
  const act = { action: "send", kind: "image", body: "old", forward: { conversation: "c1", sequence: 4 }, origin: { from: "bob" } };
  const { id } = await store.add("c2", { ...act, key: "k1" });
  store.outbox.takeNext();
  await store.accepted(id, { conversation: "c2", sequence: 7, time: 3, body: "new", origin: { from: "carol" }, expires: 9 });
  const [row] = await store.read(({ rows }) => rows.find("messages"));
  assert.deepEqual(
    [row.body, row.kind, row.origin, row.expires, row.stale], ["new", "text", { from: "carol" }, 9, undefined]);
});

test("a forward names a message, and no content", async (context) => {
  const { net, roost, talk } = await opened(context);
  const timeline = await roost.timeline("c1");
  await timeline.write("half a thought");
  const [source] = [{ kind: "image", body: { url: "x" }, sequence: 4, from: "bob" }];
  const id = await talk.forward(source, "c9", "c1");
  const { key, to, forward, ...rest } = net.last.last("send");
  assert.deepEqual([`k:${key}`, to, forward], [id, "c1", { conversation: "c9", sequence: 4 }]);
  assert.deepEqual(["body" in rest, "kind" in rest, "origin" in rest], [false, false, false]);
  await turns();
  const waits = timeline.snapshot.items.at(-1);
  assert.deepEqual([waits.kind, waits.body, waits.origin], ["image", { url: "x" }, { from: "bob" }]);
  // A message forwarded again names its author, and a draft here isn't lost.
  net.last.answer("send", { conversation: "c1", sequence: 5, position: "p5", time: 9 });
  await turns();
  await talk.forward({ ...source, kind: "text", body: "x", from: "carol", origin: { from: "bob" } }, "c9", "c1");
  await turns();
  assert.deepEqual(timeline.snapshot.items.at(-1).origin, { from: "bob" });
  await timeline.send("in a thread", { thread: 1 });
  assert.equal(timeline.draft, "half a thought");
  assert.equal((await roost.timeline("c1")).draft, "half a thought");
});

test("of what names a message or members, those may be what is gone", () => {
  for (const more of [{ thread: 1 }, { forward: { conversation: "c1", sequence: 1 } }]) {
    const scopes = ["not_found", "gone", "forbidden", "no_relationship"].map((code) => scopeOf({ code }, { action: "send", ...more }));
    assert.deepEqual(scopes, ["item", "item", "conversation", "conversation"]);
  }
  const mentioning = (mentions) => (
    ["not_found", "gone", "forbidden"].map((code) => scopeOf({ code }, { action: "send", mentions })));
  assert.deepEqual(mentioning(["bob"]), ["item", "item", "conversation"]);
  assert.deepEqual(mentioning(["@all"]), ["item", "item", "item"]);
});

test("in another log, forwards mean nothing, and a thread's text is kept", async () => {
  const store = await newStore();
  const welcome = { user: "alice", epoch: "e1" };
  await store.begin(welcome, true);
  await store.add("c1", { action: "send", body: "on", forward: { conversation: "c1", sequence: 4 }, key: "a" });
  await store.add("c1", { action: "send", body: "in", thread: 4, key: "b" });
  await store.add("c1", { action: "send", body: "plain", key: "c" });
  await store.begin({ ...welcome, epoch: "e2" }, true);
  assert.deepEqual(store.outbox.items.map(({ body, code, thread }) => [body, code, thread]),
    [["in", "not_found", undefined], ["plain", undefined, undefined]]);
});
