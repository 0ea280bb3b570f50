// The screen: rows made of stored and waiting messages, windows that move and stay bounded, and a whole app on a socket
// whose other end is the test.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Roost, internals } from "../../Web/roost.js";
import { ManualClock, Memory, message, settle, sockets } from "./stand_ins.mjs";

const { TimelineBuilder, Window, limits } = internals;
const row = (sequence, members = {}) => ({
  conversation: "c1", sequence, from: "bob", time: 1, kind: "text", body: `m${sequence}`, reactions: [], ...members,
});
const build = (members, messages, isAtEnd = true) => new TimelineBuilder({
  user: "alice", conversation: { id: "c1", first: 1, sequence: 9, count: 3 }, ...members,
}).items(messages, isAtEnd);
const outline = (items) => items.map((item) => (item.type === "gap" ? `${item.from}…${item.to}` : item.id));

test("what isn't there is a gap, and what waits follows the end", () => {
  const waiting = [{ id: 1, key: "w", action: "send", body: "waits" }];
  const all = build({ waiting }, [row(3), row(4), row(7)]);
  assert.deepEqual(outline(all), ["s:3", "s:4", "5…6", "s:7", "8…9", "k:w"]);
  assert.deepEqual(outline(build({ waiting }, [row(3)], false)), ["s:3"]);
  assert.deepEqual(outline(build({}, [])), ["1…9"]);
  assert.deepEqual(outline(build({ conversation: undefined, waiting }, [])), ["k:w"]);
});

test("a hidden message is drawn in a group, and left out of a direct conversation without a gap", () => {
  const hidden = row(4, { from: "", body: undefined, hidden: true });
  const shown = (kind) => outline(build(
    { conversation: { id: "c1", kind, first: 1, sequence: 5, count: 2 } }, [row(3), hidden, row(5)]));
  assert.deepEqual(shown("group"), ["s:3", "s:4", "s:5"]);
  assert.deepEqual(shown("direct"), ["s:3", "s:5"]);
});

test("an own message keeps its name from typed to stored", () => {
  const [typed] = build({ waiting: [{ id: 1, key: "w", action: "send", body: "x" }], conversation: undefined }, []);
  const [stored] = build({}, [row(9, { from: "alice", key: "w", body: "x" })]);
  assert.deepEqual([typed.id, typed.outboxItem, typed.state], ["k:w", 1, { state: "sending" }]);
  assert.deepEqual([stored.id, stored.outboxItem, stored.state], ["k:w", undefined, { state: "sent" }]);
});

test("states come from watermarks, and whoever has left still counts", () => {
  const own = [row(5, { from: "alice", key: "w" })];
  const state = (watermarks, count = 3) => (
    build({ watermarks, conversation: { id: "c1", first: 1, sequence: 5, count } }, own)[0].state);
  assert.deepEqual(state([{ delivered: 4, read: 4 }]), { state: "sent" });
  assert.deepEqual(state([{ delivered: 5, read: 0 }]), { state: "delivered", count: 1, others: 2 });
  const both = [{ delivered: 5, read: 5 }, { delivered: 5, read: 0 }];
  assert.deepEqual(state(both), { state: "read", count: 1, others: 2 });
  assert.deepEqual(state(both, 1), { state: "read", count: 1, others: 2 });
});

test("what the user did shows as done, and what was refused shows as refused", () => {
  const about = (act) => build({ waiting: [{ id: 4, target: 9, ...act }] }, [row(9, { from: "alice" })])[0];
  assert.deepEqual([about({ action: "edit", body: "new" }).text, about({ action: "edit", body: "new" }).isChanging],
    ["new", true]);
  assert.deepEqual(about({ action: "react", reaction: "+1", isOn: true }).reactions,
    [{ reaction: "+1", count: 1, mine: true }]);
  const gone = about({ action: "delete" });
  assert.deepEqual([gone.isDeleted, "body" in gone], [true, false]);
  const failed = about({ action: "edit", body: "long", code: "too_large", detail: "why" });
  assert.deepEqual([failed.text, failed.failedChange],
    ["m9", { reason: "tooLong", canRetry: false, detail: "why", outboxItem: 4 }]);
  const waiting = [{ id: 1, key: "w", action: "send" }];
  const [parked] = build({ conversation: undefined, parked: { code: "forbidden", detail: "no" }, waiting }, []);
  assert.deepEqual(parked.state, { state: "failed", reason: "notAllowed", canRetry: true, detail: "no" });
});

test("a window follows the end, grows by pages and is bounded", async () => {
  const rows = new Memory();
  for (let sequence = 1; sequence <= 1_000; sequence++) rows.put("messages", row(sequence));
  const window = new Window();
  const ends = async () => {
    const messages = await window.messages(rows, "c1");
    return [messages[0]?.sequence, messages.at(-1)?.sequence, messages.length];
  };
  assert.deepEqual(await ends(), [951, 1_000, 50]);
  rows.put("messages", row(1_001));
  assert.deepEqual(await ends(), [951, 1_001, 51]);
  for (let low = 851; low > 400; low -= 100) window.extendDown(low);
  assert.deepEqual([await ends(), window.isAtEnd], [[451, 950, 500], false]);
  window.extendUp(1_000, 1_001);
  assert.deepEqual([await ends(), window.isAtEnd], [[501, 1_000, 500], false]);
  window.extendUp(1_001, 1_001);
  assert.deepEqual([await ends(), window.isAtEnd], [[502, 1_001, 500], true]);
  window.jump(100, 1_001);
  assert.deepEqual(await ends(), [75, 125, 51]);
  window.toEnd();
  assert.deepEqual(await ends(), [952, 1_001, 50]);
});

/** An app with a session, and an open direct conversation with bob of three messages. */
async function opened(settings) {
  const net = sockets();
  const clock = new ManualClock();
  const conversation = {
    conversation: "c1", kind: "direct", role: "member", count: 2, members: ["alice", "bob"], sequence: 3, read: 0,
    unread: 3, time: 1,
  };
  net.FakeSocket.answers = {
    "conversation.list": { conversations: [conversation] },
    "conversation.members": { conversation: "c1", members: [{ user: "bob", delivered: 0, read: 0 }] },
    history: { conversation: "c1", messages: [1, 2, 3].map((sequence) => message(sequence)), more: false },
    "user.get": { profiles: [{ user: "alice" }, { user: "bob", version: 1, name: "Bob B." }] },
    watch: { users: [{ user: "bob", state: "online" }] },
    presence: {},
  };
  const roost = await Roost.open({
    url: "ws://r", token: () => "t", storage: "memory", device: "web", WebSocket: net.FakeSocket, clock,
    random: () => 0, ...settings,
  });
  await roost.connect();
  await settle();
  net.last.welcome();
  net.last.say({ type: "live", position: "p0" });
  await settle();
  const timeline = await roost.timeline("@bob");
  await settle();
  return { clock, net, roost, timeline };
}

test("an open timeline asks for what it shows, and who is shown is watched, again after a reconnect", async () => {
  const { clock, net, roost, timeline } = await opened();
  assert.deepEqual(outline(timeline.snapshot.items), ["s:1", "s:2", "s:3"]);
  assert.deepEqual(net.last.last("watch").users, ["bob"]);
  assert.equal(roost.presences.get("bob").state, "online");
  net.last.end();
  await clock.pass(500);
  net.last.welcome();
  await settle();
  assert.equal(net.made.length, 2);
  assert.equal(net.last.last("conversation.members").conversation, "c1");
  assert.deepEqual(net.last.last("watch").users, ["bob"]);
});

test("people are called as they are now, in the list and beside messages", async () => {
  const { net, roost, timeline } = await opened();
  const names = () => [roost.conversations.snapshot.rows[0].title, timeline.snapshot.people.bob.name];
  assert.deepEqual(net.last.sent.filter((one) => one.type === "user.get").map((one) => one.users), [["alice", "bob"]]);
  assert.deepEqual(names(), ["Bob B.", "Bob B."]);
  net.last.say({ type: "profile", user: "bob", version: 2, name: "Robert" });
  await settle();
  assert.deepEqual(names(), ["Robert", "Robert"]);
  // The newest counts, in whatever order they come.
  net.last.say({ type: "profile", user: "bob", version: 1, name: "Bob B." });
  await settle();
  assert.deepEqual(names(), ["Robert", "Robert"]);
  net.last.say({ type: "profile", user: "bob", version: 3, deleted: true });
  await settle();
  assert.deepEqual(names(), ["bob", undefined]);
  assert.equal(timeline.snapshot.people.bob.deleted, true);
  // Each is asked for once, also one without a profile.
  assert.equal(net.last.sent.filter((one) => one.type === "user.get").length, 1);
});

test("a window that begins in a gap goes on from what it shows", async () => {
  const { net, timeline } = await opened();
  net.last.say({ type: "gap", conversation: "c1", from: 1, to: 899, reset: true });
  for (let sequence = 900; sequence < 905; sequence++) net.last.say(message(sequence));
  net.FakeSocket.answers.history = {
    conversation: "c1", messages: [898, 899].map((sequence) => message(sequence)), more: true,
  };
  await settle();
  await timeline.loadOlder();
  assert.equal(net.last.last("history").before, 900);
  assert.deepEqual(outline(timeline.snapshot.items).slice(0, 3), ["s:898", "s:899", "s:900"]);
});

test("a reaction that comes while a page of history is under way is counted, and asked for again", async () => {
  const { net, roost, timeline } = await opened();
  delete net.FakeSocket.answers.history;
  const answer = (reactions) => net.last.answer("history", {
    conversation: "c1", more: false, messages: [1, 2, 3].map((sequence) => message(sequence, sequence === 3 ? { reactions } : {})) });
  const react = (from) => net.last.say({ type: "react", conversation: "c1", sequence: 3, from, position: "p9", time: 1, reaction: "+1" });
  const shown = () => timeline.snapshot.items.at(-1).reactions.map((one) => one.count);
  const turns = async () => { for (let turn = 0; turn < 10; turn++) await settle(); };
  const asked = () => net.last.sent.filter((one) => one.type === "history").length;
  const before = asked();
  react("bob");
  await turns();
  assert.equal(asked(), before + 1);
  react("carol");
  await turns();
  answer([{ reaction: "+1", count: 1 }]);
  await turns();
  assert.deepEqual([shown(), asked()], [[2], before + 2]);
  answer([{ reaction: "+1", count: 2 }]);
  await turns();
  assert.deepEqual([shown(), asked()], [[2], before + 2]);
  roost.close();
});

test("typing is told at most once in two seconds, and ends with sending", async () => {
  const { clock, net, timeline } = await opened();
  const told = () => net.last.sent.filter((one) => one.type === "typing").map((one) => one.active ?? true);
  await timeline.write("h");
  await timeline.write("he");
  await clock.pass(1_999);
  await timeline.write("hel");
  assert.deepEqual(told(), [true]);
  await clock.pass(1);
  await timeline.write("hell");
  assert.deepEqual(told(), [true, true]);
  await timeline.send("hello");
  await timeline.write("a");
  await timeline.write("");
  assert.deepEqual(told(), [true, true, true, false]);
  assert.equal(timeline.draft, "");
});

test("drafts are kept, and go with the text that was sent and no other", async () => {
  const { roost, timeline } = await opened();
  await timeline.write("begun");
  await settle();
  assert.equal(roost.conversations.snapshot.rows[0].draft, "begun");
  assert.equal((await roost.timeline("c1")).draft, "begun");
  const other = await roost.timeline("@bob");
  await other.send("a quick answer");
  await settle();
  assert.deepEqual([timeline.draft, other.draft, timeline.snapshot.draft], ["begun", "begun", "begun"]);
  await timeline.write("begun and done ");
  await other.send("begun and done");
  await settle();
  assert.deepEqual([timeline.draft, other.draft, roost.conversations.snapshot.rows[0].draft], ["", "", ""]);
  // The same once more, in a tab that has never known another one.
  await timeline.write("begun and done ");
  assert.equal((await roost.timeline("c1")).draft, "begun and done ");
});

test("seen counts only while the device is active, and at once on this device", async () => {
  const { net, roost, timeline } = await opened();
  roost.setActivity("background");
  await timeline.seen(2);
  assert.equal(net.last.last("read"), undefined);
  roost.setActivity("active");
  await timeline.seen(2);
  await settle();
  assert.equal(net.last.last("read").sequence, 2);
  assert.equal(roost.conversations.snapshot.rows[0].unread, 1);
  assert.deepEqual(net.last.sent.filter((one) => one.type === "presence").map((one) => one.state),
    ["background", "active"]);
});

test("who types is forgotten with the connection, and with that user's message", async () => {
  const { net, timeline } = await opened();
  const type = () => net.last.say({ type: "typing", conversation: "c1", user: "bob", active: true });
  type();
  await settle();
  assert.deepEqual(timeline.snapshot.typing, ["bob"]);
  net.last.say(message(4));
  await settle();
  assert.deepEqual(timeline.snapshot.typing, []);
  type();
  await settle();
  net.last.end();
  await settle();
  assert.deepEqual(timeline.snapshot.typing, []);
});

test("who types is forgotten by whoever comes or leaves, and by nobody else", async () => {
  const { net, roost } = await opened();
  const typing = async () => {
    await settle();
    await settle();
    return roost.conversations.snapshot.rows.find((row) => row.id === "g1")?.typing;
  };
  const told = { type: "conversation", conversation: "g1", sequence: 0, by: "bob", time: 9, position: "p9" };
  const comes = (user, time) => net.last.say({
    ...told, event: "added", users: [user], time, kind: "group", name: "Crew", count: 3, members: ["alice", "bob", "carol"] });
  const type = () => net.last.say({ type: "typing", conversation: "g1", user: "carol", active: true });
  comes("alice", 10);
  type();
  assert.deepEqual(await typing(), ["carol"]);
  comes("dave", 11);
  assert.deepEqual(await typing(), ["carol"]);
  comes("alice", 12);
  assert.deepEqual(await typing(), []);
  type();
  net.last.say({ ...told, event: "left", by: "dave" });
  assert.deepEqual(await typing(), ["carol"]);
  // A left conversation shows nothing, and nothing comes back.
  net.last.say({ ...told, event: "left", by: "alice" });
  assert.equal(await typing(), undefined);
  comes("alice", 13);
  assert.deepEqual(await typing(), []);
});

test("the badge is the relay's while it says so, and this device's sum otherwise", async () => {
  const { clock, net, roost } = await opened();
  assert.equal(roost.snapshot.badge, 3, "a relay that hasn't said it");
  net.last.say({ type: "badge", unread: 12 });
  await settle();
  assert.equal(roost.snapshot.badge, 12);
  // The relay sends nothing about this one, as in a muted conversation.
  net.last.say(message(4));
  await settle();
  assert.equal(roost.snapshot.badge, 12);
  net.last.say({ type: "badge", unread: "many" });
  await settle();
  assert.equal(roost.snapshot.badge, 12, "what can't be a number of messages isn't shown");
  net.last.say({ type: "badge", unread: 0 });
  await settle();
  assert.equal(roost.snapshot.badge, 0);
  net.last.end();
  await settle();
  assert.equal(roost.snapshot.badge, 4, "without a connection");
  await clock.pass(limits.reopenMost);
  net.last.welcome({ badge: 7 });
  await settle();
  assert.equal(roost.snapshot.badge, 7, "of the new session, before anything has come");
});

test("nothing is acked before the store has it", async () => {
  const { clock, net, roost } = await opened();
  await clock.pass(limits.ackTime);
  const acks = () => net.last.sent.filter((one) => one.type === "ack").map((one) => one.position);
  assert.deepEqual(acks(), ["p0"]);
  // So many are acked at once, so that an ack before its time would show.
  const last = 3 + limits.ackEvents;
  for (let sequence = 4; sequence <= last; sequence++) net.last.say(message(sequence));
  assert.deepEqual(acks(), ["p0"]);
  await settle();
  await clock.pass(limits.ackTime);
  assert.deepEqual(acks(), ["p0", `p${last}`]);
  assert.equal(roost.snapshot.badge, last);
  // An event without what it must have is as if it hadn't come.
  net.last.say({ type: "message", conversation: "c1", sequence: "500", position: "p5", from: "bob", time: 1 });
  await settle();
  assert.equal(roost.conversations.snapshot.rows[0].conversation.sequence, last);
});

test("the relay's wait is kept, and a refused message can be changed, retried or taken back", async () => {
  const { clock, net, roost, timeline } = await opened();
  await timeline.send("one");
  net.last.refuse("send", "rate_limited", { retry: true, retryAfter: 3_000 });
  await settle();
  await clock.pass(2_999);
  const sends = () => net.last.sent.filter((one) => one.type === "send").map((one) => one.body);
  assert.deepEqual(sends(), ["one"]);
  await clock.pass(1);
  assert.deepEqual(sends(), ["one", "one"]);
  net.last.refuse("send", "too_large");
  await settle();
  const last = () => timeline.snapshot.items.at(-1);
  assert.equal(last().state.reason, "tooLong");
  await timeline.replace(last().outboxItem, "1");
  await settle();
  assert.deepEqual(sends(), ["one", "one", "1"]);
  await assert.rejects(timeline.replace(last().outboxItem, "2"), { code: "no_such_item" });
  net.last.refuse("send", "bad_request");
  await settle();
  await timeline.discard(last().outboxItem);
  await settle();
  assert.deepEqual([last().id, roost.snapshot.pendingCount], ["s:3", 0]);
});

test("a slow group holds its messages until their time, and nothing else", async () => {
  const { clock, net, roost, timeline } = await opened();
  const sends = () => net.last.sent.filter((one) => one.type === "send").map((one) => one.body);
  const refuse = (retryAfter) => net.last.refuse("send", "rate_limited", { retry: true, retryAfter, conversation: "c1" });
  await timeline.send("one");
  await timeline.send("two");
  refuse(5_000);
  await settle();
  const elsewhere = await roost.timeline("c9");
  await elsewhere.send("there");
  await settle();
  assert.deepEqual(sends(), ["one", "there"]);
  await timeline.react("s:3", "+");
  await settle();
  assert.equal(net.last.last("react")?.sequence, 3);
  assert.deepEqual(timeline.snapshot.items.slice(-2).map((item) => item.state), [{ state: "sending" }, { state: "sending" }]);
  await clock.pass(4_999);
  assert.deepEqual(sends(), ["one", "there"]);
  await clock.pass(1);
  assert.deepEqual(sends(), ["one", "there", "one"]);
  refuse(5_000);
  await settle();
  // It gets the end of the wait.
  net.last.say({
    type: "conversation", event: "slow", conversation: "c1", after: 0, by: "bob", sequence: 3, time: 2, position: "p9",
  });
  await settle();
  assert.deepEqual(sends(), ["one", "there", "one", "one"]);
});

for (const isDeletion of [true, false]) {
  test(`a message whose answer was lost is ${isDeletion ? "deleted" : "edited"} after it`, async () => {
    const { clock, net, timeline } = await opened();
    const id = await timeline.send("helo");
    net.last.end();
    await settle();
    if (isDeletion) await timeline.delete(id);
    else await timeline.edit(id, "hello");
    assert.equal(timeline.snapshot.items.at(-1).text, isDeletion ? undefined : "hello");
    await clock.pass(500);
    net.last.welcome();
    await settle();
    assert.equal(net.last.last("send").body, "helo");
    net.last.answer("send", { conversation: "c1", sequence: 4, position: "p4", time: 1, duplicate: true });
    await settle();
    assert.equal(net.last.last(isDeletion ? "delete" : "edit").sequence, 4);
  });
}

test("a change of what waits is another text; of what is under way, an edit that follows it", async () => {
  const { net, timeline } = await opened();
  const first = await timeline.send("under way");
  const second = await timeline.send("waits");
  await timeline.edit(first, "under way!");
  await timeline.edit(second, "waits!");
  net.last.answer("send", { conversation: "c1", sequence: 4, position: "p4", time: 1 });
  await settle();
  assert.deepEqual([net.last.last("send").body, net.last.last("edit")], ["waits!", undefined]);
  net.last.answer("send", { conversation: "c1", sequence: 5, position: "p5", time: 1 });
  await settle();
  const { sequence, body } = net.last.last("edit");
  assert.deepEqual([sequence, body], [4, "under way!"]);
  net.last.answer("edit", { position: "p6", time: 2 });
  const third = await timeline.send("taken back");
  await settle();
  await timeline.delete(third);
  assert.deepEqual(net.last.last("delete"), undefined);
  net.last.answer("send", { conversation: "c1", sequence: 6, position: "p7", time: 3 });
  await settle();
  assert.equal(net.last.last("delete").sequence, 6);
});

// The same pairs are in Tests/RoostWireTests/ReactionFormTests.swift.
test("reactions that differ by U+FE0F are one", () => {
  for (const [sent, kept] of [
    ["\u2764", "\u2764\uFE0F"], ["\u2764\uFE0F", "\u2764\uFE0F"], ["\u{1F44D}\uFE0F", "\u{1F44D}"],
    ["\u261D\uFE0F\u{1F3FB}", "\u261D\u{1F3FB}"], ["1\u20E3", "1\uFE0F\u20E3"], ["1", "1"], ["+1", "+1"],
    ["\u2764\u200D\u{1F525}", "\u2764\uFE0F\u200D\u{1F525}"], ["\u2764\uFE0E", "\u2764\uFE0E"],
    ["\u{1F937}\u200D\u2642", "\u{1F937}\u200D\u2642\uFE0F"], ["ok\uFE0F", "ok"], ["\uFE0F", ""],
    ["\u{1F1E9}\u{1F1EA}", "\u{1F1E9}\u{1F1EA}"],
  ]) {
    assert.equal(internals.reactionForm(sent), kept, sent);
    assert.equal(internals.reactionForm(kept), kept, kept);
  }
});
