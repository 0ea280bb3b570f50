// A user's invitations on the operators' page: those that can still be opened, a new one, and their end.

import { $, button, complain, confirmed, element, things, when } from "./dom.js";
import { hasServices, tried } from "./services.js";

const DAY = 86_400_000;
/** Milliseconds of a pause after which the relay is asked. */
const PAUSE = 200;
/** Groups that are offered. */
const OFFERED = 20;

/** Asks the relay. Nothing if it refuses. */
let ask = async () => null;

export function openInvites(relay) { ask = relay; }

let user = "", called = "";
const path = (rest = "") => `/v1/admin/users/${encodeURIComponent(user)}/invites${rest}`;

/** Shows those of a user. Where there are no services, nothing. */
export async function showInvites(of, name) {
  user = of;
  called = name;
  $("invites").hidden = true;
  $("invite-link").replaceChildren();
  $("invite-group").value = "";
  if (!hasServices()) return;
  const page = await tried("GET", path());
  if (!page || user !== of) return;
  const ids = [...new Set(page.invites.flatMap(({ conversation }) => conversation ?? []))];
  const groups = new Map(await Promise.all(ids.map(async (id) => {
    const found = [...(await groupsOf(id)).values()].find((one) => one.conversation === id);
    return [id, found ? `“${found.name}”` : id];
  })));
  if (user !== of) return;
  $("invites-list").replaceChildren(...page.invites.map((one) => line(one, groups)));
  $("invites-none").hidden = page.invites.length > 0;
  $("invites").hidden = false;
}

function line(invite, groups) {
  const what = invite.conversation ? `To join the group ${groups.get(invite.conversation)}` : `To chat with ${called}`;
  const revoke = async () => {
    if (!(await confirmed("Revoke this invitation? Its link stops working at once."))) return;
    if (await tried("POST", path("/revoke"), { invite: invite.invite })) await showInvites(user, called);
  };
  return element("li", {},
    element("div", { class: "hit" }, element("strong", {}, what), element("span", { class: "faint" },
      `used ${invite.used} of ${invite.uses} · until ${when(invite.expires)} · ${invite.invite}`)),
    button("Revoke", revoke, { class: "danger", "aria-label": `Revoke the invitation ${invite.invite}` }));
}

/** Groups whose name or id begins so, by what is offered for each: the name or, of several with that name, the id behind it, too. */
async function groupsOf(prefix) {
  const answer = prefix && await ask("admin.find", { prefix, limit: 50 });
  const groups = (answer?.found.groups ?? []).filter(({ name }) => name !== undefined).slice(0, OFFERED);
  const isShared = (name) => groups.filter((one) => one.name === name).length > 1;
  return new Map(groups.map((one) => [isShared(one.name) ? `${one.name} · ${one.conversation}` : one.name, one]));
}

let timer;
$("invite-group").addEventListener("input", ({ target }) => {
  clearTimeout(timer);
  const typed = target.value.trim();
  timer = setTimeout(async () => {
    // What is offered has been chosen.
    if (typed.includes(" · ")) return;
    const groups = await groupsOf(typed);
    if (target.value.trim() !== typed) return;
    $("invite-groups").replaceChildren(...[...groups].map(([value, { count }]) => element("option", { value }, things(count, "member"))));
  }, PAUSE);
});

/** The id of the group that is meant; nothing, and why, if that isn't one. */
async function groupMeant(typed) {
  const [name, id] = typed.split(" · ");
  if (id) return id;
  const groups = [...(await groupsOf(name)).values()];
  const exact = groups.filter((one) => one.conversation === name || one.name.toLowerCase() === name.toLowerCase());
  const found = exact.length ? exact : groups;
  if (found.length === 1) return found[0].conversation;
  complain({ code: "Group", message: found.length ? `Several groups are called “${name}”. Choose one of the list.`
    : `No group is called “${name}”.` });
  return undefined;
}

$("make-invite").addEventListener("submit", async (event) => {
  event.preventDefault();
  complain(null);
  const typed = $("invite-group").value.trim();
  const group = typed && await groupMeant(typed);
  if (group === undefined) return;
  const made = await tried("POST", path(), {
    uses: Number($("invite-uses").value), after: Number($("invite-days").value) * DAY,
    ...(group ? { conversation: group } : {}),
  });
  if (!made) return;
  await showInvites(user, called);
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(made.link);
    copy.textContent = "Copied";
  });
  $("invite-link").replaceChildren(
    element("span", {}, "The new link. It isn’t shown again: "), element("code", {}, made.link), " ", copy);
});
