// Accounts on the operators' page: who there is, what operators may change, and what they did. It asks
// the services (services.js).

import { $, button, confirmed, element, row, things, when } from "./dom.js";
import { closeReports, openReports } from "./reports.js";
import { ask, claims, hasServices, openServices, tried } from "./services.js";

const PAGE = 50;

/** Shows what the relay knows of a user. */
let onUser = () => {};
/** Returns the name of a user. */
let nameOf = async (user) => user;

/** Shows the section as far as it can be used: there may be no services, or no token for them. */
export async function openAccounts(giveToken, lookUp, giveName) {
  onUser = lookUp;
  nameOf = giveName;
  closeAccounts();
  const problem = await openServices(giveToken);
  explain(problem);
  $("accounts-content").hidden = Boolean(problem);
  if (!problem) await openReports();
}

export function closeAccounts() {
  for (const id of ["accounts-content", "account", "accounts-table", "more-accounts", "audit-table", "more-audit", "letters-table"]) {
    $(id).hidden = true;
  }
  closeReports();
  $("letters-state").textContent = "";
  for (const id of ["accounts-table", "audit-table", "letters-table"]) $(id).tBodies[0].replaceChildren();
  explain("");
}

const explain = (words) => { $("accounts-state").textContent = words; };

/** Ends a user's sign-ins. Returns why not, or nothing. */
export async function endSignIns(user) {
  if (!hasServices()) return "";
  try {
    await ask("DELETE", `/v1/admin/users/${encodeURIComponent(user)}/sessions`);
  } catch (error) {
    // A user with tokens of another issuer has no account.
    if (error.code !== "user_not_found") return error.message;
  }
  return "";
}

// Finding --------------------------------------------------------------------------------------------------------------

let prefix = "", nextAccount;

async function find(after) {
  const table = $("accounts-table");
  if (!after) table.tBodies[0].replaceChildren();
  const before = table.tBodies[0].rows.length;
  // A page may be empty although there are more accounts.
  do {
    const page = await tried("POST", "/v1/admin/users/find", { prefix, limit: PAGE, ...(after ? { after } : {}) });
    if (!page) return;
    for (const account of page.accounts) {
      table.tBodies[0].append(row(table, [
        button(account.displayName || "(no name)", () => show(account.user)), account.email ?? "", account.user,
        account.role ?? "", account.tier ?? "", state(account),
      ]));
    }
    after = page.next;
  } while (after && table.tBodies[0].rows.length < before + PAGE);
  nextAccount = after;
  const found = table.tBodies[0].rows.length;
  table.hidden = found === 0;
  $("more-accounts").hidden = !nextAccount;
  $("accounts-count").textContent = found ? `${things(found, "account")}${nextAccount ? ", and more" : ""}` : "Nobody";
}

const state = (account) => [
  ...(account.operator ? ["operator"] : []), ...(account.suspended ? ["suspended"] : []),
  ...(account.email && !account.verified ? ["address not confirmed"] : []),
].join(", ");

$("find-accounts").addEventListener("submit", (event) => {
  event.preventDefault();
  prefix = $("prefix").value.trim();
  find();
});
$("more-accounts").addEventListener("click", () => find(nextAccount));

// One account ----------------------------------------------------------------------------------------------------------

let shown = null;
const path = (rest = "") => `/v1/admin/users/${encodeURIComponent(shown.user)}${rest}`;

/** Shows an account that something else has named. */
export const showAccount = (user) => show(user);

async function show(user, moves = true) {
  const before = shown;
  shown = { user };
  const told = await tried("GET", path());
  if (!told) {
    shown = before;
    return;
  }
  const { account, sessions, identities, links } = told;
  shown = account;
  $("account-title").textContent = account.displayName || "(no name)";
  const facts = [
    account.user, account.email ? `address ${account.email}` : "no address", state(account),
    account.hasPassword ? "" : "no password", account.hasFactor ? "two-step verification" : "", ...identities.map(({ issuer }) => `signs in by ${issuer}`),
    ...links.map(({ purpose, expires }) => `has a link to ${purpose} until ${when(expires)}`),
    `language ${account.language}`, `since ${when(account.created)}`,
  ];
  $("account-facts").textContent = facts.filter(Boolean).join(", ");
  $("account-role").value = account.role ?? "";
  $("account-tier").value = account.tier ?? "";
  $("reset-factor").hidden = !account.hasFactor;
  $("link-account").hidden = !(await isCommandLine());
  $("account-link").textContent = "";
  $("suspend-account").textContent = account.suspended ? "Let sign in again" : "Suspend";
  $("appoint-account").textContent = account.operator ? "No longer an operator" : "Make an operator";
  const table = $("account-sessions");
  table.tBodies[0].replaceChildren(...sessions.map((one) => row(table, [
    one.device, when(one.created), when(one.used),
    button("Sign out", () => end(one), { "aria-label": `Sign out ${one.device}` }),
  ])));
  table.hidden = sessions.length === 0;
  $("account").hidden = false;
  if (moves) $("account-title").focus();
}

/** Changes something, after a question if there is one, and shows the account anew. */
async function act(question, method, rest, body) {
  if (question && !(await confirmed(question))) return;
  if (await tried(method, path(rest), body)) await show(shown.user, false);
}

const name = () => `${shown.displayName || "(no name)"} (${shown.email ?? shown.user})`;

async function end(session) {
  if (!(await confirmed(`Sign ${name()} out on ${session.device}?`))) return;
  if (await tried("DELETE", `/v1/admin/sessions/${session.session}`)) await show(shown.user, false);
}

$("set-role").addEventListener("submit", (event) => {
  event.preventDefault();
  act("", "PATCH", "", { role: $("account-role").value.trim() });
});
$("set-tier").addEventListener("submit", (event) => {
  event.preventDefault();
  act("", "PATCH", "", { tier: $("account-tier").value.trim() });
});
$("suspend-account").addEventListener("click", () => (shown.suspended
  ? act("", "POST", "/resume", {})
  : act(`Sign ${name()} out everywhere, and let them in no more?`, "POST", "/suspend", {})));
$("appoint-account").addEventListener("click", () => act(
  shown.operator
    ? `Make ${name()} no longer an operator? All their sessions end.`
    : `Let ${name()} do everything that is on this page?`,
  "PATCH", "", { operator: !shown.operator }));
$("end-account").addEventListener("click", () => act(`Sign ${name()} out everywhere?`, "DELETE", "/sessions"));
$("reset-factor").addEventListener("click", () => act(
  `Turn off two-step verification for ${name()}? Make sure that it is they who ask.`, "DELETE", "/factor"));
$("link-account").addEventListener("click", async () => {
  if (!(await confirmed(`Create a link that signs in as ${name()}? Whoever has it can read their messages.`))) return;
  const made = await tried("POST", path("/link"), {});
  if (!made) return;
  $("account-link").replaceChildren(`Good once, until ${when(made.expires)}: `, element("code", {}, made.link));
});
$("delete-account").addEventListener("click", async () => {
  if (!(await confirmed(`Delete the account of ${name()} for ever? Nothing brings it back.`))) return;
  if (!(await tried("DELETE", path()))) return;
  $("account").hidden = true;
  await find();
  $("prefix").focus();
});
$("relay-account").addEventListener("click", () => onUser(shown.user));

// Operators' acts
// ------------------------------------------------------------------------------------------------------

const PURPOSES = { reset: "a new password", verify: "confirming the address" };

async function listLetters() {
  const table = $("letters-table");
  const found = await tried("GET", "/v1/admin/letters");
  if (!found) return;
  table.tBodies[0].replaceChildren(...found.letters.map(({ email, displayName, purpose, link, expires }) => row(table, [
    email, displayName, PURPOSES[purpose] ?? purpose, when(expires), element("code", {}, link),
  ])));
  table.hidden = found.letters.length === 0;
  $("letters-state").textContent = found.letters.length ? "" : "No letter waits.";
}

$("list-letters").addEventListener("click", listLetters);

const ACTS = {
  show: "looked at", find: "searched", role: "gave the role", tier: "gave the tier", appoint: "made an operator",
  dismiss: "made no longer an operator", suspend: "suspended", resume: "let in again", revoke: "signed out",
  delete: "deleted", letters: "looked at the letters that wait", link: "created a sign-in link for",
  factor: "turned off two-step verification of", name: "named", read: "read a reported message", remove: "removed a reported message",
  warn: "warned", close: "dismissed a report about", invite: "made an invitation of", uninvite: "revoked an invitation of",
};

/** Whether the token was made by the command line, which alone may make a link to sign in. The services check it. */
const isCommandLine = async () => (await claims()).sub?.startsWith("@") ?? false;

let nextEntry;

async function listAudit(before) {
  const table = $("audit-table");
  if (!before) table.tBodies[0].replaceChildren();
  const page = await tried("GET", `/v1/admin/audit?limit=${PAGE}${before ? `&before=${before}` : ""}`);
  if (!page) return;
  const users = [...new Set(page.entries.flatMap(({ by, user }) => [by, user ?? []].flat()))];
  const names = new Map(await Promise.all(users.map(async (one) => [one, await nameOf(one)])));
  const named = (one) => (one ? element("span", { title: one, dir: "auto" }, names.get(one)) : "");
  for (const { time, by, act, user, detail } of page.entries) {
    const words = detail ? `${ACTS[act] ?? act}${detail.startsWith("report ") ? ` (${detail})` : ` ${detail}`}` : act === "tier" ? "took the tier away" : ACTS[act] ?? act;
    table.tBodies[0].append(row(table, [when(time), named(by), words, named(user)]));
  }
  nextEntry = page.next;
  table.hidden = table.tBodies[0].rows.length === 0;
  $("more-audit").hidden = !nextEntry;
}

$("list-audit").addEventListener("click", () => listAudit());
$("more-audit").addEventListener("click", () => listAudit(nextEntry));
