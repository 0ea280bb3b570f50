// A session whose first token lives for seconds, for an end-to-end test: `node renew.mjs URL SHORT LONG`. It prints how
// often a token was asked for and what states the connection had until a command was answered with the second one.

import { createRequire } from "node:module";

import { Roost } from "../../Web/roost.js";

const WebSocket = createRequire(import.meta.url)("/usr/share/nodejs/ws");
const [url, ...tokens] = process.argv.slice(2);
const states = [];
let asked = 0;
let renewed;
const isRenewed = new Promise((resolve) => { renewed = resolve; });
const roost = await Roost.open({
  url, WebSocket, token: () => {
    asked += 1;
    if (asked === 2) renewed();
    return tokens[Math.min(asked, 2) - 1];
  },
});
roost.onChange(({ connection: { state } }) => {
  if (state !== "offline" && state !== states.at(-1)) states.push(state);
});
await roost.connect();
await isRenewed;
// Once the first token has expired, only the second one gets an answer.
const { exp } = JSON.parse(Buffer.from(tokens[0].split(".")[1], "base64url"));
await new Promise((resolve) => setTimeout(resolve, exp * 1_000 - Date.now() + 1));
await roost.request("devices");
console.log(JSON.stringify({ asked, states }));
await roost.disconnect();
