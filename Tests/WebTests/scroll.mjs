// A timeline of 700 messages that is scrolled, for an end-to-end test: `node scroll.mjs URL TOKEN`.

import { createRequire } from "node:module";

import { Roost } from "../../Web/roost.js";

const WebSocket = createRequire(import.meta.url)("/usr/share/nodejs/ws");
const [url, token] = process.argv.slice(2);

function until(observable, fits) {
  return new Promise((resolve) => {
    const stop = observable.onChange((snapshot) => {
      if (!fits(snapshot)) return;
      queueMicrotask(() => stop());
      resolve(snapshot);
    });
  });
}

const roost = await Roost.open({ url, token: () => token, WebSocket });
await roost.connect();
await until(roost, (snapshot) => snapshot.isUpToDate);
await until(roost.conversations, (snapshot) => snapshot.rows.length > 0);
const timeline = await roost.timeline("@bob");
const sequences = () => timeline.snapshot.items.filter((item) => item.type === "message").map((item) => item.sequence);
const ends = () => [sequences()[0], sequences().at(-1), sequences().length];
await until(timeline, () => sequences().at(-1) === 700 && sequences().length >= 50);
const seen = { first: ends() };
await timeline.loadOlder();
seen.older = ends();
const all = new Set(sequences());
for (let pages = 0; pages < 20 && timeline.snapshot.hasOlder; pages++) {
  await timeline.loadOlder();
  for (const sequence of sequences()) all.add(sequence);
  for (const gap of timeline.snapshot.items.filter((item) => item.type === "gap")) {
    for (let left = gap; left;) {
      await timeline.fill(left.from, left.to);
      left = timeline.snapshot.items.find((item) => item.type === "gap");
    }
    for (const sequence of sequences()) all.add(sequence);
  }
}
seen.top = ends();
seen.filled = [...all].sort((one, other) => one - other);
({ hasOlder: seen.hasOlder, hasNewer: seen.hasNewer } = timeline.snapshot);
await timeline.jump(350);
seen.jumped = ends();
for (let pages = 0; pages < 20 && timeline.snapshot.hasNewer; pages++) await timeline.loadNewer();
seen.end = ends();
seen.hasNewerAtEnd = timeline.snapshot.hasNewer;
seen.found = (await timeline.search("M-555")).map((item) => item.text);
console.log(JSON.stringify(seen));
await roost.disconnect();
