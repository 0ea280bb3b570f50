// The module of people on a socket whose other end is the test: what it asks for in each session, and how events and
// answers change what it shows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { People } from "../../Web/roost-people.js";
import { Roost } from "../../Web/roost.js";
import { ManualClock, settle, sockets } from "./stand_ins.mjs";

const contact = (user, state = "accepted", members = {}) => ({ user, kind: "friend", state, since: 5, ...members });
const answers = {
  "conversation.list": { conversations: [] }, watch: {}, presence: {}, "contact.list": { contacts: [contact("bob")] },
  privacy: { privacy: {}, exceptions: [{ user: "eve", as: "never" }, { user: "mallory", as: "blocked" }] },
  "user.get": { profiles: [{ user: "alice", version: 3, name: "Alice" }] },
  "state.get": { states: [{ key: "mute/c1", value: true, version: 7, time: 1 }] },
};

/** alice, up to date, and what she knows of people. */
async function opened(context, more = {}) {
  const net = sockets();
  net.FakeSocket.answers = { ...answers, ...more };
  const clock = new ManualClock();
  const roost = await Roost.open({
    url: "ws://r", token: () => "t", storage: "memory", WebSocket: net.FakeSocket, clock, random: () => 0 });
  const people = new People(roost);
  context.after(() => {
    people.close();
    roost.close();
  });
  assert.deepEqual(people.snapshot, {
    isKnown: false, contacts: [], blocked: [], profile: undefined, muted: {}, privacy: undefined, exceptions: [] });
  await roost.connect();
  await settle();
  await live(net);
  return { clock, net, people, roost };
}

async function live(net) {
  net.last.welcome();
  net.last.say({ type: "live", position: "p0" });
  for (let turns = 0; turns < 20; turns++) await settle();
}

test("pins come in pages, and whoever pins is told of it as others are", async (context) => {
  const { net, people } = await opened(context);
  const told = [];
  const stop = people.onPin(({ conversation, event, pin }) => told.push([conversation, event, pin]));
  const asked = people.pins("c1");
  await settle();
  net.last.answer("conversation.pins", { conversation: "c1", pins: [{ sequence: 4 }], next: 4 });
  await settle();
  assert.equal(net.last.last("conversation.pins").before, 4);
  net.last.answer("conversation.pins", { conversation: "c1", pins: [{ sequence: 2 }] });
  assert.deepEqual((await asked).map((one) => one.sequence), [4, 2]);
  Object.assign(net.FakeSocket.answers, { "conversation.pin": { position: "p1" }, "conversation.unpin": { duplicate: true } });
  await people.pin("c1", 3);
  await people.unpin("c1", 4);
  assert.deepEqual([sent(net, "conversation.pin")[0].sequence, sent(net, "conversation.unpin")[0].sequence], [3, 4]);
  const event = { type: "conversation", conversation: "c1", position: "p2", sequence: 5, by: "bob", time: 1 };
  net.last.say({ ...event, event: "pinned", pin: 1 });
  net.last.say({ ...event, event: "renamed", name: "x" });
  for (let turns = 0; turns < 5; turns++) await settle();
  assert.deepEqual(told, [["c1", "pinned", 3], ["c1", "unpinned", 4], ["c1", "pinned", 1]]);
  stop();
});

const users = (people, state) => people.snapshot.contacts.filter((one) => one.state === state).map((one) => one.user);
const sent = (net, type) => net.last.sent.filter((one) => one.type === type);

test("what it shows is asked for in each session", async (context) => {
  const { clock, net, people } = await opened(context);
  assert.deepEqual(people.snapshot, {
    isKnown: true, contacts: [contact("bob")], blocked: ["mallory"], profile: { user: "alice", version: 3, name: "Alice" },
    muted: { c1: true }, privacy: {}, exceptions: [{ user: "eve", as: "never" }],
  });
  // Without a session everything stays; in the next one, what has gone meanwhile goes.
  net.last.end();
  await settle();
  assert.deepEqual(users(people, "accepted"), ["bob"]);
  Object.assign(net.FakeSocket.answers, { "contact.list": { contacts: [] }, "state.get": { states: [] } });
  await clock.pass(500);
  await live(net);
  assert.equal(net.made.length, 2);
  assert.deepEqual([people.snapshot.contacts, people.snapshot.muted], [[], {}]);
});

test("contacts are changed by commands, and by events of both", async (context) => {
  const { net, people } = await opened(context, { "contact.invite": { contact: contact("carol", "sent") } });
  await people.invite("carol", { label: "from work" });
  assert.deepEqual(sent(net, "contact.invite")[0].label, "from work");
  assert.deepEqual(users(people, "sent"), ["carol"]);
  net.last.say({ type: "contact", ...contact("carol") });
  net.last.say({ type: "contact", ...contact("dave", "received") });
  await settle();
  assert.deepEqual([users(people, "accepted"), users(people, "received")], [["bob", "carol"], ["dave"]]);
  net.FakeSocket.answers["contact.accept"] = { contact: contact("dave") };
  await people.accept("dave");
  assert.deepEqual(users(people, "accepted"), ["bob", "carol", "dave"]);
  Object.assign(net.FakeSocket.answers, { "contact.remove": {}, "contact.decline": {} });
  await people.remove("bob");
  await people.decline("dave");
  assert.deepEqual(users(people, "accepted"), ["carol"]);
  net.last.say({ type: "contact", user: "carol", state: "none" });
  await settle();
  assert.deepEqual(people.snapshot.contacts, []);
});

test("an event between two pages of contacts isn't lost, in either page", async (context) => {
  const { net, people, clock } = await opened(context);
  delete net.FakeSocket.answers["contact.list"];
  net.last.end();
  await clock.pass(500);
  await live(net);
  net.last.answer("contact.list", { contacts: [contact("ann"), contact("bob")], next: "bob" });
  await settle();
  net.last.say({ type: "contact", user: "ann", state: "none" });
  net.last.say({ type: "contact", ...contact("zoe", "received") });
  await settle();
  assert.equal(net.last.last("contact.list").after, "bob");
  net.last.answer("contact.list", { contacts: [contact("carl")] });
  for (let turns = 0; turns < 5; turns++) await settle();
  assert.deepEqual(people.snapshot.contacts.map((one) => one.user).sort(), ["bob", "carl", "zoe"]);
});

test("blocks are asked for again when the relay says that privacy has changed", async (context) => {
  const { net, people } = await opened(context, { "contact.block": {}, "contact.unblock": {}, "contact.report": {} });
  net.FakeSocket.answers.privacy = { exceptions: [] };
  await people.unblock(["mallory"]);
  assert.deepEqual([sent(net, "contact.unblock")[0].users, people.snapshot.blocked], [["mallory"], []]);
  net.FakeSocket.answers.privacy = { exceptions: [{ user: "bob", as: "blocked" }] };
  net.last.say({ type: "privacy", presence: "shared" });
  for (let turns = 0; turns < 5; turns++) await settle();
  assert.deepEqual(people.snapshot.blocked, ["bob"]);
  await people.report({ user: "bob" }, "spam", "");
  await people.report({ conversation: "c1", sequence: 4 }, "other", "look");
  const [one, other] = sent(net, "contact.report");
  assert.deepEqual([one.user, one.reason, "text" in one, other.sequence, other.text], ["bob", "spam", false, 4, "look"]);
});

test("what others are told is the relay's, and asked for again after each change", async (context) => {
  const { net, people } = await opened(context, { except: {} });
  const privacy = { presence: "shared", lastSeen: "exact", read: "nobody" };
  net.FakeSocket.answers.privacy = { privacy, exceptions: [{ user: "bob", as: "always" }] };
  await people.setPrivacy({ read: "nobody" });
  assert.deepEqual(sent(net, "privacy").at(-2).read, "nobody");
  assert.deepEqual([people.snapshot.privacy, people.snapshot.exceptions], [privacy, [{ user: "bob", as: "always" }]]);
  await people.except(["bob"], "none");
  assert.deepEqual([sent(net, "except")[0].users, sent(net, "except")[0].as], [["bob"], "none"]);
  net.FakeSocket.answers.privacy = { privacy: { ...privacy, presence: "nobody" }, exceptions: [] };
  net.last.say({ type: "privacy", presence: "nobody" });
  for (let turns = 0; turns < 5; turns++) await settle();
  assert.equal(people.snapshot.privacy.presence, "nobody");
});

test("prospects come in pages, and whoever changes them is told as other devices are", async (context) => {
  const { net, people } = await opened(context, { "prospect.set": { prospect: "p1", name: "Zoë", note: "n" }, "prospect.remove": {} });
  let told = 0;
  people.onProspects(() => { told += 1; });
  const asked = people.prospects();
  await settle();
  net.last.answer("prospect.list", { prospects: [{ prospect: "p1", name: "Zoë" }], next: "p1" });
  await settle();
  assert.equal(net.last.last("prospect.list").after, "p1");
  net.last.answer("prospect.list", { prospects: [{ prospect: "p2", name: "Ann" }] });
  assert.deepEqual((await asked).map((one) => one.name), ["Zoë", "Ann"]);
  assert.deepEqual(await people.setProspect({ name: "Zoë", note: "n" }), { prospect: "p1", name: "Zoë", note: "n" });
  await people.removeProspect("p1");
  net.last.say({ type: "prospects", count: 1 });
  await settle();
  assert.deepEqual([told, sent(net, "prospect.remove")[0].prospect], [3, "p1"]);
});

test("a mute is a setting of the user's, here and on other devices, and ends by itself", async (context) => {
  const { net, people } = await opened(context, { "state.set": { version: 9, position: "p9", time: 1 } });
  const settings = [];
  people.onSetting((one) => settings.push(one.key));
  await people.mute("c2");
  assert.deepEqual(sent(net, "state.set").map(({ key, value }) => [key, value]), [["mute/c2", true]]);
  assert.deepEqual([people.isMuted("c1"), people.isMuted("c2"), people.isMuted("c3")], [true, true, false]);
  // The newest version counts, in whatever order they come.
  net.last.say({ type: "state", position: "p1", key: "mute/c2", version: 8 });
  net.last.say({ type: "state", position: "p2", key: "mute/c1", version: 10 });
  net.last.say({ type: "state", position: "p3", key: "draft/c1", value: "x", version: 11 });
  await settle();
  assert.deepEqual(people.snapshot.muted, { c2: true });
  assert.deepEqual(settings, ["mute/c2", "mute/c2", "mute/c1", "draft/c1"]);
  const until = Date.now() + 40;
  net.last.say({ type: "state", position: "p4", key: "mute/c1", value: { until }, version: 12 });
  await settle();
  assert.deepEqual(people.snapshot.muted.c1, { until });
  // Node doesn't wait for a mute.
  const awake = setInterval(() => {}, 1_000);
  await new Promise((resolve) => {
    people.onChange(({ muted }) => { if (!("c1" in muted)) resolve(); });
  });
  clearInterval(awake);
  assert.ok(Date.now() > until);
  // A device that has missed removals asks for all of them.
  net.FakeSocket.answers["state.get"] = { states: [{ key: "mute/c3", value: true, version: 1 }] };
  net.last.say({ type: "state", position: "p5", reset: true });
  for (let turns = 0; turns < 5; turns++) await settle();
  assert.deepEqual(people.snapshot.muted, { c3: true });
});

test("events of settings are acked as all others that are kept", async (context) => {
  const { clock, net } = await opened(context);
  net.last.say({ type: "state", position: "p7", key: "mute/c1", version: 10 });
  await settle();
  await clock.pass(100);
  assert.equal(net.last.last("ack").position, "p7");
  net.last.end();
  await clock.pass(500);
  net.last.welcome();
  assert.equal(net.last.last("hello").resume, "p7");
});

test("the own profile follows, and who is found is told", async (context) => {
  const { net, people } = await opened(context, { "profile.set": { version: 4 } });
  net.FakeSocket.answers["user.get"] = { profiles: [{ user: "alice", version: 4, name: "Alicia" }] };
  assert.equal(await people.setProfile({ name: "Alicia" }, { ifVersion: 3 }), 4);
  assert.deepEqual([sent(net, "profile.set")[0].ifVersion, people.snapshot.profile.name], [3, "Alicia"]);
  net.last.say({ type: "profile", user: "alice", version: 5, name: "Al" });
  net.last.say({ type: "profile", user: "alice", version: 4, name: "Alicia" });
  net.last.say({ type: "profile", user: "bob", version: 9, name: "Bob" });
  await settle();
  assert.deepEqual(people.snapshot.profile, { user: "alice", version: 5, name: "Al" });
  net.FakeSocket.answers["user.find"] = { profiles: [{ user: "bob", version: 1, name: "Bob" }], next: "n", partial: true };
  assert.deepEqual(await people.find("bo", { limit: 1 }),
    { profiles: [{ user: "bob", version: 1, name: "Bob" }], next: "n", isPartial: true });
  const many = Array.from({ length: 150 }, (_, place) => `u${place}`);
  await people.profiles(many);
  assert.deepEqual(sent(net, "user.get").slice(-2).map((one) => one.users.length), [100, 50]);
});

test("who has read a message when, page by page, and what mentions the user", async (context) => {
  const { net, people } = await opened(context);
  const asking = people.receipts("c1", 3);
  await settle();
  net.last.answer("receipts", { receipts: [{ user: "bob", deliveredAt: 4, read: true, readAt: 6 }], next: "n" });
  await settle();
  assert.equal(net.last.last("receipts").after, "n");
  net.last.answer("receipts", { receipts: [{ user: "carol", deliveredAt: 5 }] });
  assert.deepEqual(await asking, [
    { user: "bob", deliveredAt: 4, isRead: true, readAt: 6 },
    { user: "carol", deliveredAt: 5, isRead: false, readAt: undefined }]);
  net.FakeSocket.answers["conversation.get"] = { conversation: { mentions: 2, firstMention: 8 } };
  assert.deepEqual(await people.mentions("c1"), { count: 2, first: 8 });
});

test("a question waits as long as the relay asks for, and a refusal is told", async (context) => {
  const { net, people, clock } = await opened(context);
  delete net.FakeSocket.answers["contact.list"];
  net.last.end();
  await clock.pass(500);
  await live(net);
  net.last.refuse("contact.list", "rate_limited", { retry: true, retryAfter: 1 });
  while (sent(net, "contact.list").length < 2) await settle();
  net.last.answer("contact.list", { contacts: [contact("carl")] });
  for (let turns = 0; turns < 5; turns++) await settle();
  assert.deepEqual(users(people, "accepted"), ["carl"]);
  const asking = people.invite("zoe");
  await settle();
  net.last.refuse("contact.invite", "too_large");
  await assert.rejects(asking, { code: "too_large" });
});
