// The relay's data: events applied again change nothing, gaps are missing messages, and an emptied cache leaves the
// outbox alone. And the vault: memory takes over from a disk that breaks, and gives back what it was handed.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { internals } from "../../Web/roost.js";
import { ManualClock, Memory, message, newStore, settle } from "./stand_ins.mjs";

const { DiskError, Vault, limits } = internals;
const conversation = (store, id = "c1") => store.read(({ cache }) => cache.conversation(id));
const all = (store, id = "c1") => (
  store.read(({ rows }) => rows.find("messages", { from: [id, 0], to: [id, []] })));
const told = { conversation: "c1", kind: "direct", role: "member", count: 2, members: ["alice", "bob"], read: 0 };
const welcome = (members) => ({ user: "alice", epoch: "e1", ...members });

const drafts = (store) => store.read(async ({ rows, identity }) => {
  const { user = "" } = identity;
  return (await rows.find("drafts", { from: [user], to: [user, []] })).map((draft) => draft.text);
});

async function withConversation(members = {}) {
  const store = await newStore();
  await store.change(({ cache }) => cache.takeConversation({ ...told, sequence: 0, unread: 0, time: 1, ...members }));
  return store;
}

test("an event done again changes nothing", async () => {
  const store = await withConversation();
  const events = [
    message(1), message(2, { from: "alice", key: "k" }), message(3),
    { type: "edit", conversation: "c1", sequence: 1, body: "new", time: 9, position: "p4", from: "bob" },
    { type: "react", conversation: "c1", sequence: 1, from: "alice", reaction: "+1", time: 9, position: "p5" },
    { type: "delete", conversation: "c1", sequence: 3, time: 9, position: "p6", from: "bob" },
    { type: "receipt", conversation: "c1", user: "bob", delivered: 2, deliveredAt: 8, read: 1, readAt: 9 },
  ];
  assert.deepEqual([...(await store.take(events, "p6"))], ["c1"]);
  const before = [await conversation(store), await all(store)];
  await store.take(events, "p6");
  assert.deepEqual([await conversation(store), await all(store)], before);
  await store.take(events.slice(0, 1), "p6");
  assert.deepEqual(await all(store), before[1], "a message that comes again isn't the old one");
  const [one, , three] = before[1];
  assert.deepEqual([one.body, one.editedAt, one.reactions], ["new", 9, [{ reaction: "+1", count: 1, mine: true }]]);
  assert.deepEqual(["body" in three, three.deletedAt], [false, 9]);
  assert.deepEqual([before[0].sequence, before[0].read, before[0].unread, store.identity.position], [3, 2, 0, "p6"]);
});

test("answers that read nothing leave the rest", async () => {
  const store = await withConversation();
  await store.take([message(1), message(2, { from: "alice", key: "k", read: false }), message(3, { read: false })], "p3");
  const { unread, read } = await conversation(store);
  assert.deepEqual([unread, read], [2, 0]);
  const marks = await store.read(({ cache }) => cache.watermarks("c1"));
  assert.deepEqual(marks.map((mark) => mark.read), [1]);
});

test("somebody else's reaction is counted and asked anew", async () => {
  const store = await withConversation();
  const about = { conversation: "c1", sequence: 1, from: "bob", position: "p2", time: 1 };
  const react = { type: "react", ...about, reaction: "+1" };
  await store.take([message(1), react], "p2");
  const [row] = await all(store);
  assert.deepEqual([row.reactions, row.stale], [[{ reaction: "+1", count: 1, mine: false }], 1]);
  await store.change(async ({ cache }) => {
    await cache.takeHistory({ conversation: "c1", messages: [], more: true });
    await cache.settle("c1", 1, 1);
  });
  assert.equal((await all(store))[0].stale, undefined);
});

test("what other devices have of a draft is forgotten with all that the relay told, and the draft isn't", async () => {
  const store = await withConversation();
  await store.shareDraft("c1", "begun");
  await store.shareDraft("g1", "a group's");
  await store.keepDraft("g1", "");
  assert.deepEqual(await store.drafts(), new Map([["c1", { text: "begun", shared: "begun" }]]));
  await store.begin(welcome(), false, 0);
  await store.begin(welcome({ epoch: "e2" }), false, 0);
  const rows = await store.read(({ rows }) => rows.find("drafts"));
  assert.deepEqual(rows, [{ user: "alice", destination: "@bob", text: "begun" }]);
});

const reaction = (sequence, members = {}) => (
  { type: "react", conversation: "c1", sequence, from: "bob", position: "p9", time: 1, reaction: "+1", ...members });

for (const [name, from, mine] of [["somebody else's", "bob", false], ["the user's own", "alice", true]]) {
  test(`${name} reaction that comes while a question is under way is counted, and asked again`, async () => {
    const store = await withConversation();
    await store.take([message(1), message(2)], "p2");
    const asked = store.doubts.count;
    await store.take([reaction(1, { from })], "p3");
    const answer = (asked) => store.change(async ({ cache }) => {
      await cache.takeHistory({ conversation: "c1", messages: [message(1), message(2)], more: true }, undefined, asked);
      await cache.settle("c1", 1, 2, asked);
    });
    await answer(asked);
    const [first, second] = await all(store);
    assert.deepEqual([first.reactions, first.stale, second.stale], [[{ reaction: "+1", count: 1, mine }], 1, undefined]);
    // One that was asked for since is the newest word.
    await answer(store.doubts.count);
    assert.deepEqual([(await all(store))[0].reactions, (await all(store))[0].stale], [[], undefined]);
  });
}

test("an answer that is behind an edit, or lacks a reaction to what it brings, is asked for again", async () => {
  const store = await withConversation();
  const asked = store.doubts.count;
  const edit = { ...message(1), type: "edit", position: "p4", body: "new", version: 2 };
  await store.take([message(1), edit, reaction(2)], "p4");
  await store.change(async ({ cache }) => {
    await cache.takeHistory({ conversation: "c1", messages: [message(1), message(2)], more: true }, undefined, asked);
    await cache.settle("c1", 1, 2, asked);
  });
  assert.deepEqual((await all(store)).map((row) => [row.body, row.stale]), [["new", 1], ["m2", 1]]);
});

test("of what changed lately so much is known, and all else counts as in doubt", async () => {
  const store = await withConversation();
  const { doubts } = store;
  for (let count = 0; count < limits.doubts; count++) doubts.note(count, "c1");
  assert.deepEqual([doubts.has(0, 0, "c1"), doubts.has(1, 0, "c1"), doubts.has(0, -1, "c1")], [true, false, false]);
  doubts.note("one more", "c1");
  assert.deepEqual([doubts.has(0, -1, "c1"), doubts.has(1, -1, "c1"), doubts.has(1, 1, "c1")], [true, false, true]);
  // The same one again takes no room.
  for (let count = 0; count < limits.doubts; count++) doubts.note("one more", "c1");
  assert.deepEqual([doubts.has(1, -1, "c1"), doubts.has(doubts.count - 1, "one more", "c1")], [false, true]);
});

test("a hidden message has a place and no author, and what becomes of it changes nothing", async () => {
  const store = await withConversation();
  const hidden = { conversation: "c1", time: 5, hidden: true };
  await store.take([
    message(1), { ...hidden, type: "message", sequence: 2, position: "p2" },
    { ...hidden, type: "edit", sequence: 1, position: "p3" }, { ...hidden, type: "react", sequence: 1, position: "p4" },
    { ...hidden, type: "delete", sequence: 1, position: "p5" },
    { ...hidden, type: "message", conversation: "c9", sequence: 1, position: "p6" },
  ], "p6");
  const [one, two] = await all(store);
  assert.deepEqual([one.body, one.editedAt, one.deletedAt, one.reactions], [message(1).body, undefined, undefined, []]);
  assert.deepEqual([two.from, "body" in two, two.hidden], ["", false, true]);
  const marks = await store.read(({ cache }) => cache.watermarks("c1"));
  assert.deepEqual(marks.map((mark) => mark.user), ["bob"]);
  assert.deepEqual((await conversation(store, "c9")).members, ["alice"]);
});

test("a hidden message is unread in a group, and neither unread nor news in a direct conversation", async () => {
  const hidden = (sequence) => ({
    type: "message", conversation: "c1", sequence, time: 9e9, hidden: true, position: `p${sequence}` });
  for (const [kind, unread, left] of [["group", 4, 3], ["direct", 2, 1]]) {
    const store = await withConversation({ kind });
    await store.take([message(1), message(2), hidden(3), hidden(4)], "p4");
    const one = await conversation(store);
    assert.deepEqual([kind, one.sequence, one.unread, one.time === 9e9], [kind, 4, unread, kind === "group"]);
    await store.change(({ cache }) => cache.read("c1", 1));
    assert.deepEqual([kind, (await conversation(store)).unread], [kind, left]);
    await store.change(({ cache }) => cache.read("c1", 2));
    assert.deepEqual([kind, (await conversation(store)).unread], [kind, left - 1]);
  }
});

test("a gap forgets what is out of date, and a reset what is before it", async () => {
  const store = await withConversation();
  await store.take([1, 2, 3, 4].map((sequence) => message(sequence)), "p4");
  await store.take([{ type: "gap", conversation: "c1", from: 3, to: 9 }], undefined);
  assert.deepEqual((await all(store)).map((row) => row.sequence), [1, 2]);
  assert.deepEqual([(await conversation(store)).sequence, (await conversation(store)).stale], [9, 1]);
  await store.take([{ type: "gap", conversation: "c1", from: 2, to: 12, reset: true }], undefined);
  assert.deepEqual(await all(store), []);
  assert.equal((await conversation(store)).first, 2);
  await store.take([message(1, { conversation: "new" })], "p13");
  assert.equal((await conversation(store, "new")).stale, 1, "one that isn't known is asked for");
});

test("what the relay has lost is kept as lost, and the beginning is where history ends", async () => {
  const store = await withConversation({ sequence: 5, unread: 5 });
  const page = { conversation: "c1", messages: [message(5)], gaps: [{ from: 3, to: 4 }], more: false };
  await store.change(({ cache }) => cache.takeHistory(page, 6));
  assert.deepEqual((await all(store)).map((row) => [row.sequence, row.from]), [[3, ""], [4, ""], [5, "bob"]]);
  assert.equal((await conversation(store)).first, 3);
});

test("a page that is behind events takes nothing back", async () => {
  const store = await withConversation();
  const gone = { type: "delete", conversation: "c1", sequence: 1, position: "p3", from: "bob", time: 50 };
  const edit = { ...message(2), type: "edit", position: "p4", body: "new", version: 2 };
  await store.take([message(1), message(2), gone, edit], "p4");
  await store.change(({ cache }) => cache.takeHistory({ conversation: "c1", messages: [message(1), message(2)], more: true }));
  const [first, second] = await all(store);
  assert.deepEqual([first.deletedAt, first.body], [50, undefined]);
  assert.deepEqual([second.body, second.version, second.stale], ["new", 2, 1], "what else changed is asked for again");
  const page = { conversation: "c1", messages: [message(2, { body: "newer", version: 3 })], more: true };
  await store.change(({ cache }) => cache.takeHistory(page));
  assert.deepEqual([(await all(store))[1].body, (await all(store))[1].stale], ["newer", undefined]);
});

test("being added begins the conversation anew, and leaving forgets it", async () => {
  const store = await withConversation();
  await store.take([message(1)], "p1");
  const added = {
    type: "conversation", event: "added", conversation: "c1", sequence: 4, position: "p5", by: "bob", time: 50,
    users: ["alice"], kind: "group", name: "Crew", count: 3, members: ["alice", "bob", "carol"], read: 0, unread: 0,
  };
  await store.take([added, message(5, { time: 60 })], "p6");
  await store.take([added], "p5");
  assert.deepEqual((await all(store)).map((row) => row.sequence), [5], "a repetition takes nothing away");
  const left = { type: "conversation", event: "left", conversation: "c1", sequence: 5, position: "p7", time: 70 };
  await store.take([{ ...left, by: "carol" }], "p7");
  assert.deepEqual((await conversation(store)).members, ["alice", "bob"]);
  await store.take([{ ...left, by: "alice" }], "p8");
  assert.equal(await conversation(store), undefined);
});

test("watermarks only rise, also of those who have left", async () => {
  const store = await withConversation();
  const receipt = (delivered, read) => ({ type: "receipt", conversation: "c1", user: "bob", delivered, read });
  for (const [delivered, read] of [[3, 1], [2, 0], [4, 4]]) await store.take([receipt(delivered, read)], undefined);
  await store.take([receipt(1, 1)], undefined);
  const marks = await store.read(({ cache }) => cache.watermarks("c1"));
  assert.deepEqual(marks.map(({ delivered, read }) => [delivered, read]), [[4, 4]]);
});

test("whoever changes the tables raises their form and keeps a store of it", () => {
  const folder = new URL("../EndToEndTests/stores/", import.meta.url);
  const stores = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")));
  const newest = stores.sort((one, other) => one.version - other.version).at(-1);
  assert.equal(newest.version, internals.form * 10);
  const tables = Object.entries(newest.tables).map(([name, { primary, indexes }]) => [name, { primary, ...indexes }]);
  assert.deepEqual(Object.fromEntries(tables), internals.schema);
  assert.equal(newest.tables.identity.rows[0].form, internals.form);
});

test("a draft that was begun before the conversation was known is the one of it", async () => {
  const store = await newStore();
  await store.keepDraft("@bob", "early");
  await store.change(({ cache }) => cache.takeConversation({ ...told, sequence: 0, unread: 0, time: 1 }));
  await store.keepDraft("c1", "later");
  assert.deepEqual(await drafts(store), ["later"]);
  await store.add("c1", { action: "send", body: "something else", key: "k" }, undefined, true);
  assert.deepEqual(await drafts(store), ["later"]);
  await store.add("@bob", { action: "send", body: "later", key: "l" }, undefined, true);
  assert.deepEqual(await drafts(store), []);
});

test("another log leaves what was begun to be written, under the name of its reader", async () => {
  const store = await withConversation();
  await store.begin(welcome(), true);
  await store.keepDraft("c1", "half a thought");
  await store.begin(welcome({ epoch: "e2" }), true);
  const [draft] = await store.read(({ rows }) => rows.find("drafts"));
  assert.deepEqual(draft, { user: "alice", destination: "@bob", text: "half a thought" });
});

test("another log empties the cache and not the outbox", async () => {
  const store = await withConversation();
  await store.begin(welcome(), true);
  await store.take([message(1)], "p1");
  const add = (act, about) => store.add("c1", act, about);
  await add({ action: "send", body: "waits", key: "w" });
  await add({ action: "edit", body: "typed", key: "e" }, "s:1");
  await add({ action: "react", reaction: "+1", isOn: true, key: "r" }, "s:1");
  assert.equal(await store.begin(welcome(), true), false);
  assert.equal(await store.begin(welcome({ epoch: "e2" }), true), true);
  assert.deepEqual([await all(store), await conversation(store), store.identity.position], [[], undefined, undefined]);
  const waits = store.outbox.items.map(({ action, destination, body, code }) => [action, destination, body, code]);
  // An edit has lost its message, and its text shows as a message that wasn't sent.
  assert.deepEqual(waits, [["send", "@bob", "waits", undefined], ["send", "@bob", "typed", "not_found"]]);
});

test("a relay that doesn't know the device empties the cache; one that resumes doesn't", async () => {
  const store = await withConversation();
  await store.begin(welcome({ new: true }), false);
  await store.change(({ cache }) => cache.takeConversation({ ...told, sequence: 0, unread: 0, time: 1 }));
  await store.take([message(1)], "p1");
  assert.equal(await store.begin(welcome({ new: true }), true), false);
  assert.equal((await all(store)).length, 1);
  assert.equal(await store.begin(welcome({ new: true }), false), true);
  assert.deepEqual([await all(store), await conversation(store)], [[], undefined]);
});

test("another user sees nothing of what waits, and takes nothing away", async () => {
  const store = await withConversation();
  await store.add("c1", { action: "send", body: "alice's", key: "a" });
  await store.keepDraft("@bob", "alice's");
  await store.signIn("carol");
  assert.deepEqual([store.outbox.items, store.identity.user], [[], "carol"]);
  await store.keepDraft("@bob", "carol's");
  await store.add("@bob", { action: "send", body: "carol's", key: "c" });
  await store.signIn("alice");
  assert.deepEqual(await drafts(store), ["alice's"]);
  assert.deepEqual(store.outbox.items.map((item) => [item.body, item.destination]), [["alice's", "@bob"]]);
  await store.signOut();
  await store.signIn("carol");
  assert.deepEqual(store.outbox.items.map((item) => item.body), ["carol's"]);
  assert.deepEqual(await drafts(store), ["carol's"]);
});

test("a session of another user's begins nothing, and takes nothing away", async () => {
  const store = await withConversation();
  await store.take([message(1)], "p1");
  await store.add("c1", { action: "send", body: "alice's", key: "a" });
  await assert.rejects(store.begin(welcome({ user: "carol" }), false), { code: "wrong_user" });
  assert.deepEqual([store.identity.user, store.identity.position], ["alice", "p1"]);
  assert.deepEqual([(await all(store)).length, store.outbox.items.length], [1, 1]);
});

test("what is typed in a tab isn't written as the user's whom another tab has let in", async () => {
  const vault = new internals.Vault(null);
  const alices = await newStore({ vault });
  const seen = [];
  alices.onWrongUser = ({ code }) => seen.push(code);
  const carols = await newStore({ vault, user: "carol" });
  const act = { action: "send", body: "x", key: "a" };
  for (const tried of [
    () => alices.add("@bob", act), () => alices.keepDraft("@bob", "x"), () => alices.take([message(1)], "p1"),
    () => alices.read(() => 0), () => alices.reload(),
  ]) await assert.rejects(tried(), { code: "wrong_user" });
  assert.deepEqual([seen.length, alices.identity.user], [5, "alice"], "each says so");
  await carols.reload();
  assert.deepEqual([carols.outbox.items, await drafts(carols), await all(carols)], [[], [], []]);
});

test("what is typed after a sign-out elsewhere waits for its own user", async () => {
  const vault = new internals.Vault(null);
  const alices = await newStore({ vault });
  await (await newStore({ vault })).signOut();
  await alices.add("@bob", { action: "send", body: "alice's", key: "a" });
  const carols = await newStore({ vault, user: "carol" });
  assert.deepEqual(carols.outbox.items, []);
  await carols.signIn("alice");
  assert.deepEqual(carols.outbox.items.map((item) => item.body), ["alice's"]);
});

test("what was written before anybody was known is the first user's", async () => {
  const store = await newStore({ user: null });
  await store.add("@bob", { action: "send", body: "early", key: "e" });
  await store.keepDraft("@carol", "early");
  await store.signIn("alice");
  assert.deepEqual([store.outbox.items.length, await drafts(store)], [1, ["early"]]);
  await store.signIn("bob");
  assert.deepEqual([store.outbox.items.length, await drafts(store)], [0, []]);
});

test("a message whose answer was lost is settled by its event", async () => {
  const store = await withConversation();
  const item = await store.add("c1", { action: "send", body: "x", key: "mine" });
  store.outbox.takeNext();
  await store.take([message(1, { from: "alice", key: "mine", body: "x" })], "p1");
  assert.deepEqual(store.outbox.items, []);
  await store.accepted(item.id, { conversation: "c1", sequence: 1, position: "p1", time: 1, duplicate: true });
  assert.deepEqual((await all(store)).map((row) => [row.sequence, row.key]), [[1, "mine"]]);
});

test("a change that fails leaves nothing behind", async () => {
  const store = await withConversation();
  await assert.rejects(store.change(async ({ rows, identity }) => {
    identity.position = "lost";
    await rows.put("drafts", { user: "alice", destination: "c1", text: "lost" });
    throw new Error("half way");
  }), /half way/);
  assert.equal(store.identity.position, undefined);
  assert.deepEqual(await drafts(store), []);
});

/** A disk that several may have open, and that breaks and is mended when the test says so. */
class FakeDisk {
  rows = new Memory();
  isBroken = false;

  open = async () => {
    if (this.isBroken) throw new DiskError("broken");
    return {
      isShared: true,
      read: (body) => this.#use("read", body), write: (body) => this.#use("write", body), close: () => {},
    };
  };

  #use(act, body) {
    if (this.isBroken) return Promise.reject(new DiskError("broken"));
    return this.rows[act](body);
  }

  find(table) { return this.rows.read((rows) => rows.find(table)); }
}

async function onDisk(disk) {
  const clock = new ManualClock();
  const vault = new Vault(disk.open, clock);
  const seen = [];
  await vault.reopen();
  vault.onChange = (isOther) => seen.push([vault.isStored, isOther]);
  return { clock, vault, seen, store: await newStore({ vault }) };
}

const send = (store, key) => store.add("c1", { action: "send", body: key, key });

test("memory takes over from a broken disk, and the disk gets what it missed", async () => {
  const disk = new FakeDisk();
  const { clock, vault, seen, store } = await onDisk(disk);
  await send(store, "one");
  disk.isBroken = true;
  await send(store, "two");
  await store.take([message(1)], "p1");
  assert.deepEqual(store.outbox.items.map((item) => item.key), ["one", "two"]);
  assert.equal(vault.isStored, false);
  await clock.pass(limits.reopenMost);
  disk.isBroken = false;
  await clock.pass(limits.reopenMost);
  assert.deepEqual(seen, [[false, false], [true, false]]);
  assert.deepEqual((await disk.find("outbox")).map((item) => item.key), ["one", "two"]);
  assert.equal((await disk.find("messages")).length, 1);
  assert.deepEqual((await disk.find("identity"))[0].position, "p1");
});

test("a disk that comes back empty gets all that memory has", async () => {
  const disk = new FakeDisk();
  const { clock, store } = await onDisk(disk);
  await send(store, "one");
  await store.take([message(1)], "p1");
  disk.isBroken = true;
  await send(store, "two");
  disk.rows = new Memory();
  disk.isBroken = false;
  await clock.pass(limits.reopenMost);
  assert.deepEqual((await disk.find("outbox")).map((item) => item.key), ["one", "two"]);
  const [identity] = await disk.find("identity");
  assert.deepEqual([identity.device, identity.user, identity.isListed], ["web", "alice", false]);
});

test("a disk that was never there gets what was typed, and says who the device is", async () => {
  const disk = new FakeDisk();
  const other = await onDisk(disk);
  await other.store.change(({ identity }) => { identity.device = "there"; });
  disk.isBroken = true;
  const { clock, seen, store } = await onDisk(disk);
  await send(store, "typed");
  await store.take([message(1)], "p1");
  disk.isBroken = false;
  await clock.pass(limits.reopenMost);
  assert.deepEqual(seen, [[true, true]]);
  await store.reload();
  assert.equal(store.identity.device, "there");
  assert.deepEqual(store.outbox.items.map((item) => item.key), ["typed"]);
  assert.equal((await disk.find("messages")).length, 0);
});

test("a disk that is another one meanwhile gets what was typed, and nothing else", async () => {
  const [disk, another] = [new FakeDisk(), new FakeDisk()];
  await onDisk(another);
  const { clock, seen, store } = await onDisk(disk);
  disk.isBroken = true;
  await send(store, "typed");
  await store.take([message(1)], "p1");
  disk.rows = another.rows;
  disk.isBroken = false;
  await clock.pass(limits.reopenMost);
  assert.deepEqual(seen, [[false, false], [true, true]]);
  assert.deepEqual([(await disk.find("outbox")).length, (await disk.find("messages")).length], [1, 0]);
});

test("a journal that has become too long gives up what the relay has", async () => {
  const disk = new FakeDisk();
  const { clock, seen, store } = await onDisk(disk);
  disk.isBroken = true;
  await send(store, "typed");
  for (let first = 1; first <= limits.journal; first += 5_000) {
    await store.take(Array.from({ length: 5_000 }, (_, index) => message(first + index)), "p1");
  }
  disk.isBroken = false;
  await clock.pass(limits.reopenMost);
  assert.deepEqual(seen, [[false, false], [true, true]]);
  const [identity] = await disk.find("identity");
  // The relay sends again what came after the position that the disk has.
  assert.deepEqual([(await disk.find("outbox")).length, identity.position], [1, undefined]);
});

test("what another tab has changed is noticed, and counts before what this one does", async () => {
  const disk = new FakeDisk();
  const [one, other] = [await onDisk(disk), await onDisk(disk)];
  await one.store.reload();
  await send(other.store, "silently");
  assert.deepEqual([await one.store.isBehind(), one.store.outbox.items.length], [true, 0]);
  await send(one.store, "then");
  assert.deepEqual(one.store.outbox.items.map((item) => item.key), ["silently", "then"]);
  assert.deepEqual([one.store.outbox.takeNext().key, await one.store.isBehind()], ["silently", false]);
  await other.store.changeWaiting("discard", [other.store.outbox.items[0].id]);
  await one.store.begin(welcome(), true);
  assert.deepEqual(one.store.outbox.items.map((item) => item.key), ["then"], "a session begins with what is there");
});

test("a tab that gets its disk back tells the others that they are behind", async () => {
  const disk = new FakeDisk();
  const [one, other] = [await onDisk(disk), await onDisk(disk)];
  await send(one.store, "before");
  await other.store.reload();
  disk.isBroken = true;
  await one.store.keepDraft("c1", "without a disk");
  disk.isBroken = false;
  await send(other.store, "meanwhile");
  await one.clock.pass(limits.reopenMost);
  assert.deepEqual([one.vault.isStored, await one.store.isBehind(), await other.store.isBehind()], [true, true, true]);
  await one.store.reload();
  assert.deepEqual(one.store.outbox.items.map((item) => item.key), ["before", "meanwhile"]);
});

test("one tab has the lease until it lets it run out, whatever is done to the clock", async () => {
  const disk = new FakeDisk();
  const { clock, vault } = await onDisk(disk);
  assert.equal(await vault.lease("a", "hold"), true);
  assert.equal(await vault.lease("b", "hold"), false);
  await clock.pass(limits.lease - 1);
  assert.equal(await vault.lease("b", "hold"), false);
  assert.equal(await vault.lease("a", "hold"), true, "it is renewed");
  await clock.pass(limits.lease);
  assert.deepEqual([await vault.lease("b", "hold"), await vault.lease("a", "hold")], [true, false]);
  assert.equal(await vault.lease("a", "seize"), true);
  await vault.lease("b", "release");
  assert.equal(await vault.lease("b", "hold"), false, "only its tab ends it");
  await vault.lease("a", "release");
  assert.equal(await vault.lease("b", "hold"), true);
  // The clock was ahead by a day when it was taken.
  await disk.rows.write((rows) => rows.put("lease", { id: 1, owner: "b", until: clock.now() + 86_400_000 }));
  assert.equal(await vault.lease("a", "hold"), true);
  disk.isBroken = true;
  assert.equal(await vault.lease("a", "hold"), undefined, "only the disk decides");
});

test("an error of what was done isn't one of the disk", async () => {
  const disk = new FakeDisk();
  const { vault, store } = await onDisk(disk);
  await assert.rejects(store.add("c1", { action: "edit", body: "x", key: "x" }, "k:unknown"), { code: "no_such_item" });
  assert.equal(vault.isStored, true);
  await settle();
});

test("what an admin deletes has a line, and what its author deletes has none", async () => {
  const store = await newStore();
  const take = (one) => store.change(({ cache }) => cache.take({ conversation: "g", by: "bob", time: 5, position: "p-9", ...one }));
  const lines = () => store.read(async ({ cache }) => (await cache.conversation("g"))?.lines.slice(1));
  await take({ type: "conversation", event: "created", kind: "group", count: 2, members: ["bob", "alice"], sequence: 0, position: "p-0" });
  for (const [sequence, from] of [[1, "bob"], [2, "alice"], [3, "alice"]]) {
    await take({ type: "message", sequence, from, body: "x", position: `p-${sequence}` });
  }
  await take({ type: "delete", sequence: 1, from: "bob" });
  assert.deepEqual(await lines(), []);
  await take({ type: "delete", sequence: 2, from: "bob", reason: "spam", position: "p-6" });
  await take({ type: "delete", sequence: 2, from: "bob", reason: "spam", position: "p-6" });
  await take({ type: "delete", sequence: 3, hidden: true, position: "p-7" });
  assert.deepEqual((await lines()).map((one) => [one.event, one.by, one.user, one.reason, one.sequence]), [["deleted", "bob", "alice", "spam", 2]]);
});

test("a page of history brings what has happened, once each", async () => {
  const store = await newStore();
  const event = (number, members) => ({
    type: "conversation", conversation: "g", event: "renamed", name: `n${number}`, by: "bob", sequence: number, time: number,
    position: `p-${number}`, ...members,
  });
  await store.change(({ cache }) => cache.takeConversation({
    conversation: "g", kind: "group", role: "member", count: 8, members: ["bob"], sequence: 3, read: 0, unread: 0, time: 5 }));
  const lines = () => store.read(async ({ cache }) => (await cache.conversation("g")).lines?.map((one) => one.position));
  const page = { conversation: "g", messages: [], events: [event(0, { event: "created" }), event(2)], more: true };
  await store.change(({ cache }) => cache.takeHistory(page));
  await store.change(({ cache }) => cache.take(event(1)));
  await store.change(({ cache }) => cache.takeHistory(page));
  assert.deepEqual(await lines(), ["p-0", "p-1", "p-2"]);
  await store.change(({ cache }) => cache.takeHistory({ conversation: "other", messages: [], events: [event(4)] }));
  assert.deepEqual(await lines(), ["p-0", "p-1", "p-2"]);
});

test("who may write in a group is kept, and has lines", async () => {
  const store = await newStore();
  const event = (number, event, members) => ({
    type: "conversation", conversation: "g", event, by: "bob", sequence: 0, time: number, position: `p-${number}`, ...members,
  });
  const take = (one) => store.change(({ cache }) => cache.take(one));
  const now = () => store.read(({ cache }) => cache.conversation("g"));
  await take(event(1, "created", { kind: "group", count: 2, members: ["bob", "alice"] }));
  await take(event(2, "posting", { posting: "admins" }));
  await take(event(3, "timeout", { user: "alice", until: 900, reason: "spam" }));
  await take(event(4, "timeout", { user: "bob", until: 800 }));
  const { posting, timeout, lines } = await now();
  assert.deepEqual([posting, timeout], ["admins", { until: 900, reason: "spam" }]);
  assert.deepEqual(lines.slice(1).map((one) => [one.event, one.posting, one.user, one.until, one.reason]), [
    ["posting", "admins", undefined, undefined, undefined], ["timeout", undefined, "alice", 900, "spam"],
    ["timeout", undefined, "bob", 800, undefined]]);
  await take(event(5, "timeout", { user: "alice" }));
  await take(event(6, "posting", { posting: "all" }));
  await take(event(7, "removed", { users: ["bob"], banned: true, reason: "other" }));
  const later = await now();
  assert.deepEqual([later.posting, later.timeout, later.members, later.lines.at(-1).banned], ["all", undefined, ["alice"], true]);
  await store.change(({ cache }) => cache.takeConversation({
    conversation: "g", kind: "group", role: "member", count: 1, members: ["alice"], sequence: 0, read: 0, unread: 0, time: 8,
    posting: "admins", slow: 5_000, timeout: { until: 5 } }));
  assert.equal((await now()).slow, 5_000);
  await take(event(9, "slow", { after: 30_000 }));
  assert.deepEqual([(await now()).slow, (await now()).lines.at(-1).after], [30_000, 30_000]);
  await take(event(10, "slow", { after: 0 }));
  assert.equal((await now()).slow, undefined);
  assert.deepEqual([(await now()).posting, (await now()).timeout], ["admins", { until: 5 }]);
});

test("what has happened to a conversation is kept, once each and in order, up to a bound", async () => {
  const store = await newStore();
  const event = (number, members) => ({
    type: "conversation", conversation: "g", event: "renamed", name: `n${number}`, by: "bob", sequence: number, time: number,
    position: `p-${number}`, ...members,
  });
  const take = (one) => store.change(({ cache }) => cache.take(one));
  const lines = () => store.read(async ({ cache }) => (await cache.conversation("g"))?.lines);
  await take(event(0, { event: "created", kind: "group", count: 2, members: ["bob", "alice"] }));
  await take(event(2, { event: "added", users: ["u1", "u2", "u3", "u4", "u5", "u6"] }));
  await take(event(1));
  await take(event(1));
  // An unpin isn't unread.
  await take(event(3, { event: "unpinned", pin: 1 }));
  assert.deepEqual((await lines()).map((one) => [one.event, one.sequence, one.name, one.users?.length, one.count]), [
    ["created", 0, "n0", undefined, undefined], ["renamed", 1, "n1", undefined, undefined], ["added", 2, "n2", 5, 6]]);
  // A later conversation object of the relay leaves them.
  await store.change(({ cache }) => cache.takeConversation({
    conversation: "g", kind: "group", role: "member", count: 8, members: ["bob"], sequence: 3, read: 0, unread: 0, time: 5 }));
  assert.equal((await lines()).length, 3);
  for (let number = 4; number < 50; number++) await take(event(number));
  assert.deepEqual([(await lines()).length, (await lines())[0].sequence], [32, 18]);
  // A user who has left has none of it.
  await take(event(60, { event: "removed", users: ["alice"] }));
  assert.equal(await lines(), undefined);
});
