// The list of conversations reads what changed, and shows what a list that reads everything shows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { internals } from "../../Web/roost.js";
import { message, newStore, seeded } from "./stand_ins.mjs";

const { ListView, Notices } = internals;

const names = Array.from({ length: 130 }, (_, number) => `c${number}`);
const peerOf = (name) => `u${name.slice(1)}`;
const told = (name, time, members = {}) => ({
  conversation: name, kind: "direct", role: "member", count: 2, members: ["alice", peerOf(name)], sequence: 0, read: 0,
  unread: 0, time, ...members,
});

/** One thing that happens, and the conversations that it changes. */
function something(store, notices, dice, time) {
  const name = dice.pick(names);
  const change = (body) => store.change(async (unit) => [await body(unit), name][1]);
  const ways = [
    () => change(async ({ cache }) => {
      const sequence = ((await cache.conversation(name))?.sequence ?? 0) + 1;
      await cache.take(message(sequence, { conversation: name, from: dice.pick(["alice", peerOf(name)]), time }));
    }),
    () => change(({ cache }) => cache.forget(name)),
    () => change(({ cache }) => cache.takeConversation(told(name, dice.below(time)))),
    () => change(({ cache }) => cache.takeConversation(told(name, time, { request: dice.pick(["sent", "received"]) }))),
    async () => (await store.add(`@${peerOf(name)}`, { action: "send", body: "x", key: `k${time}` })).destination,
    async () => (await store.keepDraft(`@${peerOf(name)}`, `draft ${time}`))[1],
    async () => {
      notices.takeTyping({ conversation: name, user: peerOf(name), active: dice.below(2) === 1 });
      return name;
    },
  ];
  return dice.pick(ways)();
}

async function read(view, pages) {
  await view.refresh.ask();
  for (let page = 1; page < pages; page++) await view.loadMore();
  return view.shown.value;
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`it shows what a fresh one shows, whatever happens (seed ${seed})`, async () => {
    const [dice, store, notices] = [seeded(seed), await newStore(), new Notices()];
    await store.change(async ({ cache }) => {
      for (const name of names.slice(seed * 10)) await cache.takeConversation(told(name, dice.below(900)));
    });
    const view = new ListView(store, notices);
    const pages = 1 + (seed % 3);
    await read(view, pages);
    for (let step = 0; step < 150; step++) {
      const changed = new Set();
      for (let count = dice.below(3); count >= 0; count--) {
        changed.add(await something(store, notices, dice, 1_000 + step * 10 + count));
      }
      view.shows(changed);
      await view.refresh.ask();
      const fresh = await read(new ListView(store, notices), pages);
      assert.deepEqual(view.shown.value.rows, fresh.rows, `step ${step}: ${[...changed]}`);
      assert.equal(view.shown.value.hasMore, fresh.hasMore);
    }
  });
}

test("rows that didn't change are the same objects", async () => {
  const store = await newStore();
  await store.change(async ({ cache }) => {
    for (const name of names) await cache.takeConversation(told(name, 5));
  });
  const view = new ListView(store, new Notices());
  const before = await read(view, 3);
  await store.take([message(1, { conversation: "c7", time: 9 })], "p1");
  view.shows(new Set(["c7"]));
  const after = await read(view, 1);
  assert.equal(after.rows[0].id, "c7");
  assert.deepEqual([after.rows.length, after.rows.filter((row) => !before.rows.includes(row)).length], [130, 1]);
});
