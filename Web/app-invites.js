// The part of the chat page that makes invitations: links that make contacts, or members of a group. app.js loads it
// when a user wants one.

import { picture } from "./qr.js";

const DAY = 86_400_000;
const USES = [1, 10, 100];
/** Days. */
const LIVES = [1, 7, 30];

const STYLE = `
#invite-dialog select, #invite-link { width: 100%; }
#invite-made { display: grid; justify-items: center; gap: 0.8rem; margin-top: 1rem; }
#invite-made .row { width: 100%; }
#invite-code svg { display: block; width: 12rem; height: 12rem; background: #fff; border-radius: 0.6rem; fill: #000; stroke: none; }
#invite-list li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; padding: 0.35rem 0; }
#invite-list .who { flex: 1 1 8rem; min-width: 0; }
#invite-list .who > * { white-space: normal; }
`;

/** Begins the part. */
export function begin(page) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
  return new InviteDialog(page);
}

class InviteDialog {
  #page;

  constructor(page) {
    this.#page = page;
    const { $, element, icon, equip, button, language, t } = page;
    const options = (values, words) => values.map((value) => element("option", { value }, words(value)));
    const field = (id, words, ...children) => element("p", { class: "field" }, element("label", { for: id }, words),
      element("select", { id }, ...children));
    const close = element("button", { type: "button", class: "icon", "data-close": "", "aria-label": t("close") }, icon("close"));
    const dialog = element("dialog", { id: "invite-dialog", "aria-labelledby": "invite-title" },
      element("header", { class: "row" }, element("h2", { id: "invite-title", class: "grow" }, t("invitePeople")), close),
      element("form", { id: "invite-form" },
        field("invite-to", t("inviteTo")), field("invite-uses", t("inviteUses"), ...options(USES, (count) => t("upToPeople", { count }))),
        field("invite-life", t("inviteLife"), ...options(LIVES, (days) => language.duration(days * DAY))),
        element("p", { id: "invite-problem", class: "problem", role: "alert" }),
        element("div", { class: "row end" }, element("button", { class: "filled" }, t("createLink")))),
      element("div", { id: "invite-made", hidden: "" }, element("div", { id: "invite-code" }),
        element("p", { id: "invite-long", class: "faint", hidden: "" }, t("linkTooLong")),
        element("div", { class: "row" }, element("input", { id: "invite-link", class: "grow", readonly: "", "aria-label": t("inviteLink") }),
          button(t("copy"), () => this.#copy(), { id: "invite-copy", class: "filled" })),
        button(t("anotherLink"), () => this.#fold(false), { id: "invite-more", class: "quiet" })),
      element("section", { id: "invite-own", hidden: "" }, element("h3", {}, t("yourLinks")), element("ul", { id: "invite-list" })));
    $("confirm").before(dialog);
    equip(dialog);
    $("invite-life").value = "7";
    $("invite-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
    $("invite-link").addEventListener("focus", ({ target }) => target.select());
  }

  /** Links that this browser has made, by the invitations' ids: the relay, which has only a hash of each, doesn't say them again. */
  get #links() {
    const { known, me } = this.#page;
    return known.of(me).links ?? {};
  }

  set #links(links) {
    const { known, me } = this.#page;
    known.note(me, { links });
  }

  /** Shows the dialog; the open group is chosen, if one may invite to it. */
  open() {
    const { $, element, t, text, listView, conversationView, showDialog } = this.#page;
    const groups = listView.snapshot.rows.filter(({ conversation }) => conversation?.kind === "group" && conversation.role !== "member");
    $("invite-to").replaceChildren(element("option", { value: "" }, t("chatWithMe")),
      ...groups.map((row) => element("option", { value: row.id }, row.title)));
    $("invite-to").value = groups.some((row) => row.id === conversationView.place) ? conversationView.place : "";
    this.#fold(false);
    text($("invite-problem"), "");
    showDialog("invite-dialog");
    this.#list();
  }

  async #ask(type, members) {
    const { $, t, text, reason, roost } = this.#page;
    try {
      text($("invite-problem"), "");
      return await roost.request(type, members);
    } catch (error) {
      text($("invite-problem"), error?.code === "too_large" ? t("tooManyLinks")
        : error?.code === "rate_limited" ? t("linksTooFast") : reason(error));
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
    this.#links = { ...this.#links, [invite]: `${location.origin}${location.pathname}#invite=${code}` };
    this.#show(invite);
    await this.#list();
  }

  #show(invite) {
    const { $, t } = this.#page;
    const link = this.#links[invite];
    const code = picture(link, t("linkPicture"));
    $("invite-code").replaceChildren(...(code ? [code] : []));
    $("invite-long").hidden = code !== undefined;
    $("invite-link").value = link;
    this.#fold(true);
    $("invite-dialog").scrollTop = 0;
  }

  /** Either the form or what it has made: together they would hide the list of links. */
  #fold(isMade) {
    const { $ } = this.#page;
    const hadFocus = $("invite-dialog").contains(document.activeElement);
    $("invite-form").hidden = isMade;
    $("invite-made").hidden = !isMade;
    if (hadFocus) $(isMade ? "invite-copy" : "invite-to").focus();
  }

  async #copy() {
    const { $, t, tell } = this.#page;
    try {
      await navigator.clipboard.writeText($("invite-link").value);
      tell(t("linkCopied"));
    } catch {
      // Without a secure connection the browser doesn't allow pages to write there.
      $("invite-link").select();
      tell(t("copyLinkByHand"));
    }
  }

  async #list() {
    const { $ } = this.#page;
    const told = await this.#ask("invite.list");
    if (!told) return;
    const ids = new Set(told.invites.map(({ invite }) => invite));
    this.#links = Object.fromEntries(Object.entries(this.#links).filter(([invite]) => ids.has(invite)));
    $("invite-own").hidden = told.invites.length === 0;
    $("invite-list").replaceChildren(...told.invites.map((one) => this.#row(one)).reverse());
  }

  #row({ invite, conversation, uses, used, expires }) {
    const { element, button, language, listView, t } = this.#page;
    const to = conversation ? listView.row(conversation)?.title ?? t("group") : t("chatWithMe");
    const link = this.#links[invite];
    return element("li", {},
      element("span", { class: "who" }, element("span", { class: "strong" }, to),
        element("span", { class: "faint" }, t("linkUsed", { used, uses, until: language.shortDay(expires) })),
        ...(link ? [] : [element("span", { class: "faint" }, t("linkElsewhere"))])),
      ...(link ? [button(t("show"), () => this.#show(invite))] : []),
      button(t("revoke"), async () => {
        if (await this.#ask("invite.revoke", { invite })) {
          if (link === this.#page.$("invite-link").value) this.#fold(false);
          await this.#list();
        }
      }, { "aria-label": t("revokeLink", { name: to }) }));
  }
}
