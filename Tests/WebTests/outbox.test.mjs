// The outbox: order, what waits for what, what a refusal means; and random acts, answers, lost answers and crashes
// against a relay that carries out each key once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { internals } from "../../Web/roost.js";
import { newStore, seeded } from "./stand_ins.mjs";

const { scopeOf } = internals;
let keys = 0;
const send = (store, to, body = "x", about) => store.add(to, { action: "send", body, key: `key-${++keys}` }, about);
const take = ({ outbox }) => outbox.takeNext();
const refuse = (store, item, code, retry = false) => (
  store.change((unit) => store.outbox.refused(unit, item.id, { code, detail: code, retry })));
const stored = (sequence, members = {}) => ({ conversation: "c1", sequence, position: "p", time: 1, ...members });

test("messages of a conversation go out one at a time, and conversations side by side", async () => {
  const store = await newStore();
  const [one, two, other] = [await send(store, "c1"), await send(store, "c1"), await send(store, "c2")];
  assert.equal(take(store).id, one.id);
  assert.equal(take(store).id, other.id);
  assert.equal(take(store), undefined);
  await store.accepted(one.id, stored(1));
  assert.equal(take(store).id, two.id);
});

test("reactions and read marks hold nothing up, and the newest read mark says all", async () => {
  const store = await newStore();
  const first = await send(store, "c1");
  assert.equal(take(store).id, first.id);
  await store.add("c1", { action: "react", reaction: "+1", isOn: true, key: "r" }, "s:1");
  assert.equal(take(store).action, "react");
  await store.add("c2", { action: "read", target: 1, key: "a" });
  await store.add("c2", { action: "read", target: 2, key: "b" });
  assert.equal(take(store).target, 2);
  assert.equal(store.outbox.items.filter((item) => item.action === "read").length, 1);
});

test("a child waits for its parent and goes with it", async () => {
  const store = await newStore();
  const parent = await send(store, "@bob");
  const reply = await send(store, "@bob", "reply", `k:${parent.key}`);
  const edit = await store.add("@bob", { action: "edit", body: "y", key: "e" }, `k:${parent.key}`);
  await store.add("@bob", { action: "react", reaction: "+1", isOn: true, key: "r-child" }, `k:${parent.key}`);
  assert.equal(take(store).id, parent.id);
  assert.equal(take(store), undefined);
  await store.accepted(parent.id, stored(7));
  const next = take(store);
  assert.deepEqual([next.id, next.target, next.parent, next.destination], [reply.id, 7, undefined, "c1"]);
  const reaction = take(store);
  assert.deepEqual([reaction.action, reaction.target], ["react", 7]);
  await store.accepted(reaction.id, { time: 1 });
  await store.accepted(reply.id, stored(8));
  assert.deepEqual([take(store).id, store.outbox.items[0].target], [edit.id, 7]);
  const again = await newStore();
  const gone = await send(again, "c1");
  await send(again, "c1", "reply", `k:${gone.key}`);
  await again.change((unit) => again.outbox.discard(unit, gone.id));
  assert.deepEqual(again.outbox.items, []);
});

test("a refusal of the item's own holds up the next message until its user chooses, or not", async () => {
  for (const goesOnAfterFailures of [false, true]) {
    const store = await newStore({ goesOnAfterFailures });
    const [bad, next] = [await send(store, "c1"), await send(store, "c1")];
    const edit = await store.add("c1", { action: "edit", body: "z", key: `e-${++keys}` }, "s:1");
    await refuse(store, take(store), "too_large");
    assert.equal(store.outbox.items[0].code, "too_large");
    assert.equal(take(store).id, goesOnAfterFailures ? next.id : edit.id);
    await store.change((unit) => store.outbox.replace(unit, bad.id, "shorter"));
    assert.equal(store.outbox.items[0].code, undefined);
    if (!goesOnAfterFailures) await store.accepted(edit.id, { time: 1 });
    if (goesOnAfterFailures) await store.accepted(next.id, stored(1));
    assert.deepEqual([take(store).body, bad.id], ["shorter", bad.id]);
  }
});

test("a refusal of the conversation parks all of it, and nothing else", async () => {
  const store = await newStore();
  await send(store, "c1");
  await store.add("c1", { action: "react", reaction: "+1", isOn: true, key: "park-r" }, "s:1");
  const other = await send(store, "c2");
  await refuse(store, take(store), "forbidden");
  assert.equal(take(store).id, other.id);
  assert.equal(take(store), undefined);
  assert.equal(store.outbox.items.length, 3);
  await store.change((unit) => store.outbox.resume(unit, "c1"));
  assert.equal(take(store).action, "send");
});

test("what may pass keeps its place for ever, or for so many tries", async () => {
  const forever = await newStore();
  const item = await send(forever, "c1");
  for (let tries = 0; tries < 9; tries++) {
    assert.equal(take(forever).id, item.id);
    assert.equal(await refuse(forever, item, "busy", true), undefined);
  }
  assert.equal(forever.outbox.items[0].code, undefined);
  const three = await newStore({ retries: [2_000, 4_000, 8_000] });
  const tried = await send(three, "c1");
  const waits = [];
  for (let tries = 0; tries < 4; tries++) waits.push(await refuse(three, take(three), "unavailable", true));
  assert.deepEqual(waits, [2_000, 4_000, 8_000, undefined]);
  assert.equal(three.outbox.items[0].code, "unavailable");
  three.outbox.missed(tried.id);
  await three.change((unit) => three.outbox.retry(unit, tried.id));
  assert.equal(take(three).tries, 0);
});

test("a refused reaction is dropped, and a refused edit steps aside", async () => {
  const store = await newStore();
  await store.add("c1", { action: "react", reaction: "+1", isOn: true, key: "d-r" }, "s:1");
  await store.add("c1", { action: "edit", body: "typed", key: "d-e" }, "s:1");
  for (let item; (item = take(store));) await refuse(store, item, "gone");
  assert.deepEqual(store.outbox.items.map((item) => [item.action, item.code, item.body]), [["edit", "gone", "typed"]]);
});

test("codes have the scope that the protocol gives them", () => {
  const scopes = (code) => ["send", "edit"].map((action) => scopeOf({ code }, { action }));
  for (const code of ["not_ready", "unauthorized", "token_expired"]) {
    assert.deepEqual(scopes(code), ["passing", "passing"], code);
  }
  for (const code of ["bad_json", "bad_request", "unknown_type", "too_large", "conflict", "bad_position", "new_code"]) {
    assert.deepEqual(scopes(code), ["item", "item"], code);
  }
  for (const code of ["forbidden", "no_relationship", "not_found", "gone"]) assert.deepEqual(scopes(code), ["conversation", "item"], code);
  assert.equal(scopeOf({ code: "new_code", retry: true }, { action: "send" }), "passing");
});

test("an edit names a version, and the next one the version after it", async () => {
  const store = await newStore();
  const edit = (body, ifVersion, about = "s:1") => store.add("c1", { action: "edit", body, ifVersion, key: body }, about);
  const versions = () => store.outbox.items.map((item) => item.ifVersion);
  const first = await edit("a");
  await edit("b", 1);
  await edit("c");
  await edit("d", 1, "s:2");
  take(store);
  await store.accepted(first.id, { time: 1, version: 2 });
  assert.deepEqual(versions(), [2, undefined, 1]);
  const second = take(store);
  await refuse(store, second, "conflict");
  assert.deepEqual([store.outbox.items[0].code, ...versions()], ["conflict", 2, undefined, 1]);
  await store.change((unit) => store.outbox.replace(unit, second.id, "e"));
  // The user has seen what it replaces.
  assert.deepEqual([store.outbox.items[0].code, ...versions()], [undefined, undefined, undefined, 1]);
  const other = take(store);
  // Another device was faster: the edit that waits must find out.
  await edit("f", 1);
  await store.accepted(other.id, { time: 1, version: 3 });
  assert.deepEqual(versions(), [undefined, 1, 1]);
});

test("more than the bound isn't taken, and what is there stays", async () => {
  const store = await newStore();
  await send(store, "c1", "y".repeat(16_000_000));
  await assert.rejects(send(store, "c1", "y".repeat(800_000)), { code: "full" });
  assert.equal(store.outbox.items.length, 1);
});

test("what is typed while the conversation becomes known keeps its place", async () => {
  const store = await newStore();
  const first = await send(store, "@bob");
  const second = await send(store, "@bob");
  assert.equal(take(store).id, first.id);
  const made = { type: "conversation", event: "created", conversation: "c1", sequence: 0, position: "p0", by: "alice" };
  await store.take([{ ...made, time: 5, kind: "direct", count: 2, members: ["alice", "bob"] }], "p0");
  const third = await send(store, "@bob");
  assert.equal(take(store), undefined, "it would overtake");
  await store.accepted(first.id, stored(1));
  assert.equal(take(store).id, second.id);
  await store.accepted(second.id, stored(2));
  assert.equal(take(store).id, third.id);
});

const begin = (store) => store.begin({ user: "alice", epoch: "e1" }, true);

test("what may have reached the relay isn't changed in place, also after a restart", async () => {
  const store = await newStore();
  await begin(store);
  const item = await send(store, "c1");
  assert.ok(store.outbox.mayChange(item), "nobody has tried it");
  take(store);
  store.outbox.missed(item.id);
  assert.ok(!store.outbox.mayChange(item));
  await assert.rejects(store.change((unit) => store.outbox.replace(unit, item.id, "y")), { code: "no_such_item" });
  await assert.rejects(store.change((unit) => store.outbox.discard(unit, item.id)), { code: "no_such_item" });
  const again = await newStore({ vault: store.vault });
  assert.ok(!again.outbox.mayChange(again.outbox.items[0]));
  // A refusal says that it isn't stored.
  await refuse(again, take(again), "too_large");
  assert.ok(again.outbox.mayChange(again.outbox.items[0]));
});

test("what no session has seen may change, and what a conversation has refused", async () => {
  const offline = await newStore();
  const item = await send(offline, "c1");
  const store = await newStore({ vault: offline.vault });
  assert.ok(store.outbox.mayChange(item));
  await begin(store);
  assert.ok(store.outbox.mayChange(item), "it wasn't tried");
  assert.ok(!(await newStore({ vault: store.vault })).outbox.mayChange(item), "and that isn't known later");
  await refuse(store, take(store), "forbidden");
  await begin(store);
  const parked = await newStore({ vault: store.vault });
  assert.ok(parked.outbox.mayChange(item));
  await parked.change((unit) => parked.outbox.discard(unit, item.id));
  assert.deepEqual(parked.outbox.items, []);
});

test("another tab, which doesn't know of the session, says that it may be sent", async () => {
  const store = await newStore();
  store.outbox.isWriter = false;
  assert.equal((await send(store, "c1")).mayBeSent, 1);
  assert.ok(!store.outbox.mayChange(store.outbox.items[0]));
});

/** The relay's messages: by key once, and in order. */
class Relay {
  sequences = new Map();
  messages = new Map();

  carryOut(item) {
    if (item.action !== "send") return { time: 1 };
    const there = this.messages.get(item.destination) ?? [];
    this.messages.set(item.destination, there);
    const duplicate = this.sequences.has(item.key);
    if (!duplicate) {
      there.push(item.key);
      this.sequences.set(item.key, there.length);
    }
    return stored(this.sequences.get(item.key), { conversation: item.destination, duplicate });
  }
}

class Run {
  relay = new Relay();
  underWay = [];
  made = new Map();
  discarded = new Set();
  count = 0;

  constructor(seed) { this.random = seeded(seed); }

  async open() { this.store = await newStore({ vault: this.store?.vault }); }

  async act() {
    const to = `c${1 + this.random.below(3)}`;
    const waiting = this.store.outbox.items.filter((item) => item.action === "send" && item.destination === to);
    const about = waiting.length ? `k:${this.random.pick(waiting).key}` : "s:1";
    const key = `k${++this.count}`;
    const act = this.random.pick([
      { action: "send" }, { action: "send" }, { action: "send", isReply: true }, { action: "edit" },
      { action: "react", reaction: "+1", isOn: true }, { action: "delete" },
    ]);
    const { isReply, ...rest } = act;
    await this.store.add(to, { ...rest, body: key, key }, act.action !== "send" || isReply ? about : undefined);
    if (act.action === "send") this.made.set(to, [...(this.made.get(to) ?? []), key]);
  }

  // The relay answers, or its answer is lost, or it never got the item.
  async answer() {
    if (!this.underWay.length) return;
    const [item] = this.underWay.splice(this.random.below(this.underWay.length), 1);
    switch (this.random.below(10)) {
      case 0: this.store.outbox.missed(item.id); break;
      case 1:
        this.relay.carryOut(item);
        this.store.outbox.missed(item.id);
        break;
      case 2: await refuse(this.store, item, "busy", true); break;
      case 3: await refuse(this.store, item, "too_large"); break;
      default: await this.store.accepted(item.id, this.relay.carryOut(item));
    }
  }

  async choose() {
    const failed = this.store.outbox.items.filter((item) => item.code);
    if (!failed.length) return;
    const { id } = this.random.pick(failed);
    const { outbox } = this.store;
    if (this.random.below(2)) return void (await this.store.change((unit) => outbox.retry(unit, id)));
    const gone = await this.store.change((unit) => outbox.discard(unit, id)).catch(() => []);
    for (const item of gone ?? []) this.discarded.add(item.key);
  }

  // The app ends without a word. Some of what was under way had reached the relay.
  async crash() {
    for (const item of this.underWay) if (this.random.below(2)) this.relay.carryOut(item);
    this.underWay = [];
    const before = this.store.outbox.items;
    await this.open();
    assert.deepEqual(this.store.outbox.items, before);
  }

  async step() {
    const chance = this.random.below(20);
    if (chance < 7) return this.act();
    if (chance < 12) {
      const item = take(this.store);
      if (item) this.underWay.push(item);
      return undefined;
    }
    if (chance < 17) return this.answer();
    return chance < 19 ? this.choose() : this.crash();
  }

  // The user lets everything go out.
  async drain() {
    for (const item of this.underWay) await this.store.accepted(item.id, this.relay.carryOut(item));
    const { outbox } = this.store;
    for (const { id, code } of outbox.items) if (code) await this.store.change((unit) => outbox.retry(unit, id));
    for (let item; (item = take(this.store));) await this.store.accepted(item.id, this.relay.carryOut(item));
  }
}

for (let seed = 0; seed < 30; seed++) {
  test(`nothing is lost, doubled or out of order (seed ${seed})`, async () => {
    const run = new Run(seed);
    await run.open();
    for (let step = 0; step < 300; step++) await run.step();
    await run.drain();
    assert.deepEqual(run.store.outbox.items, []);
    for (const [to, made] of run.made) {
      const there = run.relay.messages.get(to) ?? [];
      // A crash may have brought the relay one that was then refused and taken back; never one twice.
      const kept = (list) => list.filter((key) => !run.discarded.has(key));
      assert.deepEqual(kept(there), kept(made));
      assert.equal(new Set(there).size, there.length);
    }
  });
}
