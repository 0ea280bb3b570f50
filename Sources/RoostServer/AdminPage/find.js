// Finding on the operators' page: people, groups, invitations and messages by what one knows of them. The relay looks at
// names and ids, the services at addresses. Text of others is only ever set as text.

import { $, button, complain, element, things, when } from "./dom.js";
import { hasServices, tried } from "./services.js";

/** Pages of groups that are asked for before the operator is asked whether to go on. */
const PAGES = 20;

/** Asks the relay. Nothing if it refuses. */
let ask = async () => null;
/** Shows a user, and a message. */
let onUser = () => {}, onMessage = () => {};

export function openFind(relay, user, message) {
  ask = relay;
  onUser = user;
  onMessage = message;
}

export function closeFind() {
  $("find-words").value = "";
  clear();
}

function clear() {
  $("find-state").textContent = "";
  $("find-more").hidden = true;
  for (const id of ["found-people", "found-groups", "found-links"]) {
    $(id).hidden = true;
    $(id).querySelector("ul").replaceChildren();
  }
}

/** The target of a chat page link, or the words themselves. */
function meant(words) {
  const at = words.includes("://") ? words.indexOf("#") : -1;
  if (at < 0) return words;
  const fragment = words.slice(at + 1);
  if (fragment.startsWith("invite=")) return fragment.slice(7);
  try {
    return decodeURIComponent(fragment.replace(/^\//, ""));
  } catch {
    return fragment;
  }
}

// Only the last search shows something.
let search = 0, words = "", next;
let found = new Map();

async function find() {
  const mine = ++search;
  complain(null);
  clear();
  words = meant($("find-words").value.trim()).replace(/^@/, "");
  found = new Map();
  if (!words) return;
  $("find-state").textContent = "Searching …";
  // A position of the log: what stands there.
  if (/^[0-9a-z]{1,13}-\d+$/.test(words)) {
    if (await onMessage({ position: words })) {
      $("find-state").textContent = "A message. See “Where is a message?”";
      return;
    }
    complain(null);
  }
  await Promise.all([groups(mine), accounts(mine)]);
  if (mine === search) tell();
}

function tell() {
  const number = document.querySelectorAll("#found-people li, #found-groups li, #found-links li").length;
  $("find-state").textContent = number ? things(number, "result") + (next ? ", and maybe more" : "")
    : `Nothing found by “${words}”.`;
}

/** Lists the users found by the relay, with their groups and links. */
async function groups(mine, after) {
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await ask("admin.find", { prefix: words, limit: 50, ...(after ? { after } : {}) });
    if (!answer || mine !== search) return;
    const { people, groups: some, links, names } = answer.found;
    const called = new Map(names.map((one) => [one.user, one]));
    for (const one of people) person(one.user, one);
    for (const one of some) row("found-groups", ...group(one, called));
    for (const { user, invite } of links) row("found-links", ...link(user, invite, called));
    next = answer.found.next;
    $("find-more").hidden = !next;
    after = next;
    if (!next) return;
  }
}

/** Those whose account has such an address or name. */
async function accounts(mine) {
  if (!hasServices()) return;
  const page = await tried("POST", "/v1/admin/users/find", { prefix: words, limit: 20 });
  if (mine !== search) return;
  for (const { user, displayName, email, suspended } of page?.accounts ?? []) {
    person(user, { name: displayName, email, suspended });
  }
}

function row(id, ...parts) {
  $(id).hidden = false;
  const made = element("li", {}, ...parts);
  $(id).querySelector("ul").append(made);
  return made;
}

/** Shows a user, with the facts from both the relay and the services. */
function person(user, some) {
  const known = { ...found.get(user)?.known };
  for (const [key, value] of Object.entries(some)) if (value) known[key] = value;
  const title = known.deleted ? "Deleted account" : known.name || (known.username ? `@${known.username}` : user);
  const facts = [known.username && `@${known.username}`, known.email, known.suspended && "suspended", user];
  const parts = [button(title, () => onUser(user)), element("span", { class: "faint" }, facts.filter(Boolean).join(" · "))];
  const made = found.get(user)?.row;
  if (made) made.replaceChildren(...parts);
  found.set(user, { known, row: made ?? row("found-people", ...parts) });
}

const name = (called, user) => called.get(user)?.name || user;

function group({ conversation, name: title, count, members, sequence, position }, called) {
  const people = members.map((one) => name(called, one));
  if (count > people.length) people.push(`${count - people.length} more`);
  const shown = element("div", { class: "hit" },
    element("strong", {}, title ?? `Chat of ${people.join(" and ")}`),
    element("span", { class: "faint" }, [...(title === undefined ? [] : [people.join(", ")]), things(sequence, "message"),
      conversation].join(" · ")));
  return [shown, button("Last message", () => onMessage({ position }), { "aria-label": `Last message of ${title ?? people.join(" and ")}` })];
}

function link(user, invite, called) {
  const what = invite.conversation ? "to join a group" : "to chat";
  return [
    element("div", { class: "hit" }, element("strong", {}, `Invitation of ${name(called, user)} ${what}`),
      element("span", { class: "faint" }, `used ${invite.used} of ${invite.uses} · until ${when(invite.expires)}`)),
    button(`Show ${name(called, user)}`, () => onUser(user)),
  ];
}

$("find-anything").addEventListener("submit", (event) => {
  event.preventDefault();
  find();
});
$("find-more").addEventListener("click", async () => {
  await groups(search, next);
  tell();
});
