// roost.d.ts is what apps are promised: the module has these names and no others.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import * as module from "../../Web/roost.js";
import { sockets } from "./stand_ins.mjs";

const promised = readFileSync(new URL("../../Web/roost.d.ts", import.meta.url), "utf8").replace(/\/\*[^]*?\*\//g, "");

/** The members of a class or an interface, without those that it has of `Observable`. */
function membersOf(name) {
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
    ["tooLong", "notAllowed", "notFound", "unreachable", "notAccepted", "offline", "signedOut", "takenOver"].sort());
  const { code, retry } = new module.RoostError("busy", "later", { retry: true });
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
  const source = readFileSync(new URL("../../Web/roost.js", import.meta.url), "utf8");
  assert.ok(!/^import |\bimport\(/m.test(source));
});

test("packed, as the relay serves it, it has at most 20 KiB", (context) => {
  const entry = 'export { Roost, RoostError, sentences } from "./roost.js";';
  const settings = ["--bundle", "--format=esm", "--minify", "--target=es2022"];
  const { error, status, stdout, stderr } = spawnSync(
    "esbuild", settings, { input: entry, cwd: new URL("../../Web/", import.meta.url) });
  if (error?.code === "ENOENT") return context.skip("there is no esbuild");
  assert.equal(status, 0, String(error ?? stderr));
  const length = gzipSync(stdout, { level: 9 }).length;
  assert.ok(length <= 20 * 1_024, `${length} bytes`);
});
