// Messages that disappear: at their time by the relay's clock, from what is shown and from the rows, with a session and
// without, and at the start after time away.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";

import { Roost } from "../../Web/roost.js";
import { fileDisk } from "./file_disk.mjs";
import { ManualClock, message, newStore, settle, sockets } from "./stand_ins.mjs";

const DAY = 86_400_000;
const group = { conversation: "c1", kind: "group", name: "Crew", role: "owner", count: 2, members: ["alice", "bob"] };
const told = { ...group, sequence: 0, read: 0, unread: 0, time: 1, expiry: DAY };

/** alice at a relay whose clock is a second ahead of hers, with a conversation in which messages disappear. */
async function opened(settings = {}) {
  const clock = settings.clock ?? new ManualClock();
  const net = sockets();
  net.FakeSocket.answers = {
    "conversation.list": { conversations: [told] }, "conversation.members": { members: [] }, watch: {}, presence: {},
    "user.get": { profiles: [] }, history: { messages: [], more: false },
  };
  const roost = await Roost.open(
    { url: "ws://r", token: () => "t", storage: "memory", clock, random: () => 0, WebSocket: net.FakeSocket, ...settings });
  await roost.connect();
  await settle();
  net.last.welcome({ time: clock.now() + 1_000 });
  await settle();
  net.last.say({ type: "live", position: "p0" });
  await settle();
  return { clock, net, roost, timeline: await roost.timeline("c1") };
}

const texts = (timeline) => timeline.snapshot.items.map((item) => (item.isDeleted ? "gone" : item.text));

test("a message goes at its time by the relay's clock, and nothing else does", async () => {
  const { clock, net, roost, timeline } = await opened();
  const expires = clock.now() + 1_000 + 600_000;
  net.last.say(message(1, { expires }));
  net.last.say(message(2));
  net.last.say(message(3, { expires: expires + 5_000 }));
  await settle();
  await clock.pass(599_999);
  assert.deepEqual(texts(timeline), ["m1", "m2", "m3"]);
  await clock.pass(1);
  await settle();
  assert.deepEqual(texts(timeline), ["gone", "m2", "m3"]);
  assert.equal("body" in timeline.snapshot.items[0], false);
  await clock.pass(5_000);
  await settle();
  assert.deepEqual(texts(timeline), ["gone", "m2", "gone"]);
  assert.deepEqual([roost.conversations.snapshot.rows[0].last.isDeleted, await timeline.search("m3")], [true, []]);
  roost.close();
});

test("it goes without a session, too", async () => {
  const { clock, net, timeline } = await opened();
  net.last.say(message(1, { expires: clock.now() + 61_000 }));
  await settle();
  net.last.end();
  await clock.pass(61_000);
  await settle();
  assert.deepEqual(texts(timeline), ["gone"]);
});

test("an own message disappears when its ok says, whatever the conversation says by then", async () => {
  const { clock, net, timeline } = await opened();
  await timeline.send("mine");
  await settle();
  const time = clock.now() + 1_000;
  net.last.answer("send", { conversation: "c1", sequence: 1, position: "p1", time, expires: time + DAY });
  const change = { type: "conversation", conversation: "c1", sequence: 1, by: "bob", time: 5 };
  net.last.say({ ...change, event: "expiry", position: "p2", after: 0 });
  await settle();
  assert.equal(timeline.snapshot.conversation.expiry, undefined);
  await timeline.send("stays");
  await settle();
  net.last.answer("send", { conversation: "c1", sequence: 2, position: "p3", time: clock.now() + 1_000 });
  await settle();
  await clock.pass(DAY);
  await settle();
  assert.deepEqual(texts(timeline), ["gone", "stays"]);
});

test("an own message is gone whose ok says to a retry that it was deleted since", async () => {
  const { clock, net, timeline } = await opened();
  await timeline.send("mine");
  await settle();
  const time = clock.now() + 1_000;
  net.last.answer("send", { conversation: "c1", sequence: 1, position: "p1", time, duplicate: true, deletedAt: time + 1 });
  await settle();
  assert.deepEqual(texts(timeline), ["gone"]);
});

test("many at once go in several transactions", async () => {
  const { clock, net, timeline } = await opened();
  for (let sequence = 1; sequence <= 200; sequence++) net.last.say(message(sequence, { expires: clock.now() + 2_000 }));
  await settle();
  await clock.pass(2_000);
  await settle();
  await timeline.loadOlder();
  await settle();
  assert.deepEqual(new Set(texts(timeline)), new Set(["gone"]));
  assert.equal(timeline.snapshot.items.length, 150);
});

test("after time away it is gone before anything is shown, from the file as well", async (context) => {
  const folder = mkdtempSync(`${tmpdir()}/roost-`);
  context.after(() => rmSync(folder, { recursive: true }));
  const clock = new ManualClock();
  const disk = fileDisk(folder);
  const first = await opened({ clock, storage: "disk", disk });
  first.net.last.say(message(1, { body: "wintergreen", mentions: ["alice"], expires: clock.now() + 1_000 + 60_000 }));
  first.net.last.say(message(2, { body: "peppermint" }));
  await settle();
  first.roost.close();
  const file = () => readFileSync(`${folder}/roost.json`, "utf8");
  assert.ok(file().includes("wintergreen"));
  await clock.pass(60_000);
  // Offline: this device knows how far its clock is behind.
  const roost = await Roost.open({ url: "ws://r", token: () => "t", clock, disk, WebSocket: first.net.FakeSocket });
  const shown = [];
  const timeline = await roost.timeline("c1");
  timeline.onChange(() => shown.push(texts(timeline)));
  assert.deepEqual(shown, [["gone", "peppermint"]]);
  assert.ok(!file().includes("wintergreen") && file().includes("peppermint"));
  assert.ok(!file().includes("mentions"));
  roost.close();
});

test("an edit keeps the time, and a tombstone has none", async () => {
  const store = await newStore();
  const row = async () => (await store.read(({ rows }) => rows.find("messages")))[0];
  await store.take([message(1, { expires: 9_000 })], "p1");
  await store.take([{ type: "edit", conversation: "c1", sequence: 1, time: 5, position: "p2", body: "new" }], "p2");
  assert.deepEqual([(await row()).expires, (await row()).body], [9_000, "new"]);
  assert.deepEqual(await store.expire(8_999), [[], 9_000]);
  assert.deepEqual(await store.expire(9_000), [["c1"], undefined]);
  assert.deepEqual([(await row()).deletedAt, (await row()).expires, (await row()).body], [9_000, undefined, undefined]);
  await store.take([message(2, { deletedAt: 3, expires: 3 })], "p3");
  assert.deepEqual(await store.expire(9_000), [[], undefined]);
});
