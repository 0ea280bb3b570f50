// A user's invitations on the operators' page: those that can still be opened, a new one, and their end.

import { $, button, confirmed, element, when } from "./dom.js";
import { hasServices, tried } from "./services.js";

const DAY = 86_400_000;

let user = "", called = "";
const path = (rest = "") => `/v1/admin/users/${encodeURIComponent(user)}/invites${rest}`;

/** Shows those of a user. Where there are no services, nothing. */
export async function showInvites(of, name) {
  user = of;
  called = name;
  $("invites").hidden = true;
  $("invite-link").replaceChildren();
  if (!hasServices()) return;
  const page = await tried("GET", path());
  if (!page || user !== of) return;
  $("invites-list").replaceChildren(...page.invites.map(line));
  $("invites-none").hidden = page.invites.length > 0;
  $("invites").hidden = false;
}

function line(invite) {
  const what = invite.conversation ? `To join the group ${invite.conversation}` : `To chat with ${called}`;
  const revoke = async () => {
    if (!(await confirmed("Revoke this invitation? Its link stops working at once."))) return;
    if (await tried("POST", path("/revoke"), { invite: invite.invite })) await showInvites(user, called);
  };
  return element("li", {},
    element("div", { class: "hit" }, element("strong", {}, what), element("span", { class: "faint" },
      `used ${invite.used} of ${invite.uses} · until ${when(invite.expires)} · ${invite.invite}`)),
    button("Revoke", revoke, { class: "danger", "aria-label": `Revoke the invitation ${invite.invite}` }));
}

$("make-invite").addEventListener("submit", async (event) => {
  event.preventDefault();
  const group = $("invite-group").value.trim();
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
