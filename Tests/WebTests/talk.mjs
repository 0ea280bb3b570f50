// Two users who talk, each through a client of its own, for an end-to-end test: `node talk.mjs URL TOKEN TOKEN COUNT`.
// It says `half` when half of the messages were typed, goes on once it reads a line, and at the end prints what each of
// them sees. Sockets are those of the package node-ws.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

import { Roost } from "../../Web/roost.js";

// Debian's Node looks there by itself, others don't.
const WebSocket = createRequire(import.meta.url)("/usr/share/nodejs/ws");
const [url, ...rest] = process.argv.slice(2);
const count = Number(rest[2]);
const ranks = { failed: 0, sending: 0, sent: 1, delivered: 2, read: 3 };
const fallen = [];

async function begin(token, peer) {
  const roost = await Roost.open({ url, token: () => token, WebSocket });
  await roost.connect();
  const timeline = await roost.timeline(`@${peer}`);
  const best = new Map();
  timeline.onChange(({ items }) => {
    for (const { id, state } of items) {
      if (!state) continue;
      if (ranks[state.state] < (best.get(id) ?? 0)) fallen.push(`${id} is ${state.state}`);
      best.set(id, ranks[state.state]);
    }
  });
  return { roost, timeline };
}

/** Resolves once a snapshot fits. */
function until(observable, fits) {
  return new Promise((resolve) => {
    const stop = observable.onChange((snapshot) => {
      if (!fits(snapshot)) return;
      queueMicrotask(() => stop());
      resolve(snapshot);
    });
  });
}

const input = createInterface({ input: process.stdin });
const next = () => new Promise((resolve) => input.once("line", resolve));
const people = { alice: await begin(rest[0], "bob"), bob: await begin(rest[1], "alice") };
const talk = async (from, to) => {
  for (let number = from; number < to; number++) {
    for (const name in people) await people[name].timeline.send(`${name} ${number}`);
  }
};
await talk(0, count / 2);
console.log("half");
await talk(count / 2, count);
console.log("typed");
await next();
const seen = {};
for (const name in people) {
  const { roost, timeline } = people[name];
  await until(roost, (snapshot) => snapshot.isUpToDate && snapshot.pendingCount === 0);
  const { items } = await until(timeline, (snapshot) => (
    snapshot.items.filter((item) => item.sequence !== undefined).length >= count * 2));
  seen[name] = items.map((item) => item.text ?? item.id);
}
console.log(JSON.stringify({ ...seen, fallen }));
for (const name in people) await people[name].roost.disconnect();
input.close();
