// Two tabs of one browser without locks, which refresh at once: `node tabs.mjs URL ROUNDS`. They share what outlives
// the page. It prints how often both had a token that is good, and whether both are signed in at the end.
import { Accounts } from "../../Web/accounts.js";

const [, , url, rounds] = process.argv;
const kept = new Map();
const storage = {
  get: (user) => kept.get(user), set: (user, text) => kept.set(user, text), remove: (user) => kept.delete(user),
};
Object.defineProperty(globalThis, "navigator", { value: {} });
const tabs = [1, 2].map(() => new Accounts(url, "web", storage));
const user = await tabs[0].signUp({ email: "ann@example.org", password: "correct horse", displayName: "Ann" });
let good = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  // The access token ends sooner than tabs like, so that each renews it each time.
  const tokens = await Promise.all(tabs.map((tab) => tab.token(user)));
  const answers = await Promise.all(tokens.map((token) => fetch(`${url}/v1/account`, {
    headers: { Authorization: `Bearer ${token}` },
  })));
  if (answers.every((answer) => answer.ok)) good += 1;
}
console.log(JSON.stringify({ good, signedIn: tabs.map((tab) => tab.has(user)) }));
