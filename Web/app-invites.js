// The part of the chat page that makes invitations: links by which others become contacts, or join a group. app.js loads
// it when somebody wants one.

import { encode } from "./qr.js";

const DAY = 86_400_000;
const SVG = "http://www.w3.org/2000/svg";
const USES = { 1: "One person", 10: "Up to 10 people", 100: "Up to 100 people" };
const LIVES = { 1: "1 day", 7: "7 days", 30: "30 days" };

const STYLE = `
#invite-dialog select, #invite-link { width: 100%; }
#invite-made { display: grid; justify-items: center; gap: 0.8rem; margin-top: 1rem; }
#invite-made .row { width: 100%; }
#invite-code svg { display: block; width: 12rem; height: 12rem; background: #fff; border-radius: 0.6rem; fill: #000; stroke: none; }
#invite-list li { display: flex; align-items: center; gap: 0.6rem; padding: 0.35rem 0; }
#invite-list .who { flex: 1; min-width: 0; }
`;

/** A code that a phone reads, as a picture; undefined if the link is too long. */
function picture(link) {
  const rows = encode(link);
  if (!rows) return undefined;
  const svg = document.createElementNS(SVG, "svg");
  // Four squares of white around it, without which it isn't read.
  svg.setAttribute("viewBox", `-4 -4 ${rows.length + 8} ${rows.length + 8}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "QR code of the link");
  svg.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join(""));
  svg.append(path);
  return svg;
}

/** Begins the part. */
export function begin(page) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
  return new InviteDialog(page);
}

class InviteDialog {
  #page;
  /** Links that this tab has made, by the invitations' ids: the relay doesn't say them again. */
  #links = new Map();

  constructor(page) {
    this.#page = page;
    const { $, element, icon, equip, button } = page;
    const options = (values) => Object.entries(values).map(([value, words]) => element("option", { value }, words));
    const field = (id, words, ...children) => element("p", { class: "field" }, element("label", { for: id }, words),
      element("select", { id }, ...children));
    const close = element("button", { type: "button", class: "icon", "data-close": "", "aria-label": "Close" }, icon("close"));
    const dialog = element("dialog", { id: "invite-dialog", "aria-labelledby": "invite-title" },
      element("header", { class: "row" }, element("h2", { id: "invite-title", class: "grow" }, "Invite people"), close),
      element("form", { id: "invite-form" },
        field("invite-to", "To"), field("invite-uses", "Who can use it", ...options(USES)),
        field("invite-life", "Good for", ...options(LIVES)),
        element("p", { id: "invite-problem", class: "problem", role: "alert" }),
        element("div", { class: "row end" }, element("button", { class: "filled" }, "Create link"))),
      element("div", { id: "invite-made", hidden: "" }, element("div", { id: "invite-code" }),
        element("p", { id: "invite-long", class: "faint", hidden: "" }, "This link is too long for a QR code."),
        element("div", { class: "row" }, element("input", { id: "invite-link", class: "grow", readonly: "", "aria-label": "Invitation link" }),
          button("Copy", () => this.#copy(), { class: "filled" }))),
      element("section", { id: "invite-own", hidden: "" }, element("h3", {}, "Your links"), element("ul", { id: "invite-list" })));
    $("confirm").before(dialog);
    equip(dialog);
    $("invite-life").value = "7";
    $("invite-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
    $("invite-link").addEventListener("focus", ({ target }) => target.select());
  }

  /** Shows the dialog; the open group is chosen, if one may invite to it. */
  open() {
    const { $, element, text, listView, conversationView, showDialog } = this.#page;
    const groups = listView.snapshot.rows.filter(({ conversation }) => conversation?.kind === "group" && conversation.role !== "member");
    $("invite-to").replaceChildren(element("option", { value: "" }, "Chat with me"),
      ...groups.map((row) => element("option", { value: row.id }, row.title)));
    $("invite-to").value = groups.some((row) => row.id === conversationView.place) ? conversationView.place : "";
    $("invite-made").hidden = true;
    text($("invite-problem"), "");
    showDialog("invite-dialog");
    this.#list();
  }

  async #ask(type, members) {
    const { $, text, reason, roost } = this.#page;
    try {
      text($("invite-problem"), "");
      return await roost.request(type, members);
    } catch (error) {
      text($("invite-problem"), { __proto__: null, too_large: "You have too many links. Revoke one first.",
        rate_limited: "You have made many links. Try again later." }[error?.code] ?? reason(error));
      return undefined;
    }
  }

  async #create() {
    const { $ } = this.#page;
    const to = $("invite-to").value;
    const told = await this.#ask("invite.create", {
      ...(to ? { conversation: to } : {}), uses: Number($("invite-uses").value), after: Number($("invite-life").value) * DAY,
    });
    if (!told) return;
    const { invite, code } = told.invite;
    this.#links.set(invite, `${location.origin}${location.pathname}#invite=${code}`);
    this.#show(invite);
    await this.#list();
  }

  #show(invite) {
    const { $ } = this.#page;
    const link = this.#links.get(invite);
    const code = picture(link);
    $("invite-code").replaceChildren(...(code ? [code] : []));
    $("invite-long").hidden = code !== undefined;
    $("invite-link").value = link;
    $("invite-made").hidden = false;
    $("invite-made").scrollIntoView({ block: "nearest" });
  }

  async #copy() {
    const { $, tell } = this.#page;
    try {
      await navigator.clipboard.writeText($("invite-link").value);
      tell("Link copied");
    } catch {
      // Without a secure connection the browser lets nobody write there.
      $("invite-link").select();
      tell("Press Ctrl+C to copy the link");
    }
  }

  async #list() {
    const { $ } = this.#page;
    const told = await this.#ask("invite.list");
    if (!told) return;
    $("invite-own").hidden = told.invites.length === 0;
    $("invite-list").replaceChildren(...told.invites.map((one) => this.#row(one)).reverse());
  }

  #row({ invite, conversation, uses, used, expires }) {
    const { element, button, listView } = this.#page;
    const to = conversation ? listView.row(conversation)?.title ?? "A group" : "Chat with me";
    const until = new Date(expires).toLocaleDateString(undefined, { day: "numeric", month: "short" });
    return element("li", {},
      element("span", { class: "who" }, element("span", { class: "strong" }, to),
        element("span", { class: "faint" }, `Used ${used} of ${uses} · until ${until}`)),
      ...(this.#links.has(invite) ? [button("Show", () => this.#show(invite))] : []),
      button("Revoke", async () => {
        if (await this.#ask("invite.revoke", { invite })) {
          if (this.#links.get(invite) === this.#page.$("invite-link").value) this.#page.$("invite-made").hidden = true;
          await this.#list();
        }
      }, { "aria-label": `Revoke the link: ${to}` }));
  }
}
