// roost.d.ts is what apps are promised: the module has these names and no others.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { People } from "../../Web/roost-people.js";
import { Talk } from "../../Web/roost-talk.js";
import * as module from "../../Web/roost.js";
import { sockets } from "./stand_ins.mjs";

const read = (name) => readFileSync(new URL(`../../Web/${name}`, import.meta.url), "utf8");
const declared = (name) => read(name).replace(/\/\*[^]*?\*\//g, "");
const promised = declared("roost.d.ts");

/** The members of a class or an interface, without those that it has of `Observable`. */
function membersOf(name, promised = declared("roost.d.ts")) {
  const head = new RegExp(`export (?:declare )?(?:class|interface) ${name}\\b[^{]*\\{`).exec(promised);
  const body = promised.slice(head.index + head[0].length).split(/^\}/m)[0];
  return [...body.matchAll(/^  (?:static )?(?:readonly )?(\w+)[?]?[(:]/gm)].map((found) => found[1]);
}

function namesOf(object, ...without) {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => name !== "constructor");
  return own.filter((name) => !without.includes(name)).sort();
}

test("the module exports what is promised", () => {
  const values = [...promised.matchAll(/^export (?:class|const|function) (\w+)/gm)].map((found) => found[1]);
  assert.deepEqual(Object.keys(module).sort(), values.sort());
});

test("the classes have the members that are promised", async () => {
  const { FakeSocket } = sockets();
  const roost = await module.Roost.open({ url: "ws://r", token: () => "t", storage: "memory", WebSocket: FakeSocket });
  const timeline = await roost.timeline("@bob");
  assert.deepEqual([...namesOf(roost), "open"].sort(), membersOf("Roost").sort());
  assert.equal(typeof module.Roost.open, "function");
  const observable = membersOf("Observable");
  assert.deepEqual(namesOf(timeline, ...observable), membersOf("Timeline").sort());
  assert.deepEqual(namesOf(roost.conversations, ...observable), membersOf("ConversationList").sort());
  for (const one of [timeline, roost.conversations, roost]) for (const name of observable) assert.ok(name in one);
  assert.deepEqual(Object.keys(module.sentences).sort(),
    ["tooLong", "notAllowed", "noRelationship", "youBlocked", "notFound", "unreachable", "changedElsewhere",
      "notAccepted", "offline", "signedOut", "takenOver", "wrongUser"].sort());
  const { code, retry } = new module.RoostError("busy", { retry: true });
  assert.deepEqual([code, retry], ["busy", true]);
  roost.close();
});

test("snapshots have the members that are promised", async () => {
  const { FakeSocket } = sockets();
  const roost = await module.Roost.open({ url: "ws://r", token: () => "t", storage: "memory", WebSocket: FakeSocket });
  const timeline = await roost.timeline("@bob");
  await timeline.send("x");
  const check = (value, name) => {
    const members = membersOf(name);
    for (const one of Object.keys(value)) {
      if (value[one] !== undefined) assert.ok(members.includes(one), `${name} has no ${one}`);
    }
  };
  check(roost.snapshot, "RoostSnapshot");
  check(timeline.snapshot, "TimelineSnapshot");
  check(timeline.snapshot.items[0], "Message");
  check(roost.conversations.snapshot.rows[0], "ConversationRow");
  roost.close();
});

test("it needs nothing", () => {
  for (const name of ["roost.js", "roost-people.js", "roost-talk.js"]) assert.ok(!/^import |\bimport\(/m.test(read(name)));
});

test("the module of people has the members that are promised", async () => {
  const types = declared("roost-people.d.ts");
  const { FakeSocket } = sockets();
  const roost = await module.Roost.open({ url: "ws://r", token: () => "t", storage: "memory", WebSocket: FakeSocket });
  const people = new People(roost);
  const observable = membersOf("Observable");
  assert.deepEqual(namesOf(people), membersOf("People", types).filter((name) => name !== "constructor").sort());
  for (const name of observable) assert.ok(name in people);
  for (const name of Object.keys(people.snapshot)) assert.ok(membersOf("PeopleSnapshot", types).includes(name), name);
  people.close();
  roost.close();
});

test("the module of talk has the members that are promised", async () => {
  const types = declared("roost-talk.d.ts");
  const { FakeSocket } = sockets();
  const roost = await module.Roost.open({ url: "ws://r", token: () => "t", storage: "memory", WebSocket: FakeSocket });
  const talk = new Talk(roost);
  const thread = await talk.thread("@bob", 1);
  for (const [one, name] of [[talk, "Talk"], [thread, "Thread"]]) {
    assert.deepEqual(namesOf(one), membersOf(name, types).filter((member) => member !== "constructor").sort());
    for (const member of membersOf("Observable")) assert.ok(member in one);
    for (const member of Object.keys(one.snapshot)) assert.ok(membersOf(`${name}Snapshot`, types).includes(member), member);
  }
  thread.close();
  talk.close();
  roost.close();
});

test("names that are sent short are nobody else's", () => {
  const names = read("short-names.txt").trim().split("\n");
  const source = read("roost.js");
  const strings = new Set([...source.matchAll(/["'`]([\w.]+)["'`]/g)].map((found) => found[1]));
  const others = new Set(promised.replace(/\/\/.*/g, "").match(/\w+/g));
  assert.deepEqual(names, [...new Set(names)].sort());
  for (const name of names) {
    assert.ok(new RegExp(`\\b${name}\\b`).test(source), `${name} isn't used`);
    assert.ok(!strings.has(name) && !others.has(name), `${name} is somebody else's`);
    assert.ok(!(name in Array.prototype || name in Map.prototype || name in Promise.prototype || name in globalThis), name);
  }
});

// 25.7 KiB are measured. Names of all who are shown, and trying by itself what was refused, cost 0.5: no ids on the screen,
// and no state that outlives its reason. Comparing store, token and session costs 0.6: a text must not go out in another one's name. Rows
// as the truth, and the lease, cost 0.7: none must stay. Standing clocks that are set, odd waits and odd events costs 0.5:
// none may end a session, or lose a text. Stores of other builds cost 1.3: none must hide what was typed (decision 72).
// Noticing files that were put back costs 0.6: lost messages must not show as read (decision 73).
// Answers that are behind reactions cost 0.2: one that came while a question was under way stayed uncounted.
// Drafts that other devices take or end cost 0.5: one must not go by anything but the send that used it.
// A list that reads what changed costs 0.4: among 5,000 conversations an own message took a second of the main thread.
// Names that become ids cost 0.1: what was written to a username must not stand beside the conversation (decision 76).
// Slow mode costs 0.2: a message that has to wait must neither fail nor keep others from going out (decision 81).
// Users who wait to join a group cost 0.12: their number must not outlive its reason (decision 82).
test("packed, as the relay serves it, it has at most 27.42 KiB", (context) => {
  const entry = 'export { Roost, RoostError, sentences } from "./roost.js";';
  const short = `--mangle-props=^(${read("short-names.txt").trim().split("\n").join("|")})$`;
  const settings = ["--bundle", "--format=esm", "--minify", "--target=es2022", short];
  const { error, status, stdout, stderr } = spawnSync(
    "esbuild", settings, { input: entry, cwd: new URL("../../Web/", import.meta.url) });
  if (error?.code === "ENOENT") return context.skip("there is no esbuild");
  assert.equal(status, 0, String(error ?? stderr));
  const length = gzipSync(stdout, { level: 9 }).length;
  assert.ok(length <= 27.42 * 1_024, `${length} bytes`);
});
