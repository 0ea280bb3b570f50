// Membership and writing rights in a group, for its owner and admins: the part that app-people.js shows in the dialog
// of a conversation.

import { REASONS, reasonWords } from "./app-lines.js";

/** For how long members can be timed out, as the page offers it. Milliseconds. */
const TIMES = [600_000, 3_600_000, 86_400_000, 604_800_000];
/** How long members of a slow group can be made to wait, as the page offers it. Milliseconds. */
const WAITS = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000];
/** Most banned users that the dialog asks for. */
const BANS = 1_000;

/** The part as the dialog uses it. */
export class Moderation {
  #page;
  #change;
  #row;
  #chosen;

  /** `change` does something and shows what is so then; `row` makes the line of a person. */
  constructor(page, field, change, row) {
    this.#page = page;
    this.#change = change;
    this.#row = row;
    const { element, $, language, t } = page;
    const option = (value, words) => element("option", { value }, words);
    this.posting = field(page, "info-posting", t("whoCanSend"), "select", {},
      option("all", t("everyone")), option("admins", t("onlyAdmins")));
    this.slow = field(page, "info-slow", t("slowModeWait"), "select");
    this.bans = element("details", { id: "bans-part" }, element("summary", {}, t("banned")), element("ul", { id: "bans" }));
    this.dialog = element("dialog", { id: "moderate-dialog", "aria-labelledby": "moderate-title" },
      element("h2", { id: "moderate-title" }),
      element("form", { id: "moderate-form" },
        field(page, "moderate-time", t("howLong"), "select", {}, ...TIMES.map((one) => option(one, language.duration(one)))),
        field(page, "moderate-reason", t("reasonForAll"), "select", {},
          option("", t("noReason")), ...REASONS.map((one) => option(one, t(`reason.${one}`)))),
        element("div", { class: "row end" }, element("button", { type: "button", "data-close": "" }, t("cancel")),
          element("button", { id: "moderate-submit", class: "danger" }))));
    $("confirm").before(this.dialog);
    page.equip(this.dialog);
    this.posting.lastElementChild.addEventListener("change", ({ target }) => (
      change(() => this.#request("posting", { posting: target.value }))));
    this.slow.lastElementChild.addEventListener("change", ({ target }) => (
      change(() => this.#request("slow", { after: Number(target.value) }))));
    this.bans.addEventListener("toggle", () => this.load());
    this.dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.dialog.close();
      const { does, user } = this.#chosen;
      const reason = $("moderate-reason").value || undefined;
      if (does === "delete") return this.#page.attempt(() => this.#remove(user, reason));
      const after = does === "timeout" ? Number($("moderate-time").value) : undefined;
      this.#change(() => this.#request(does, { user, reason, after }));
    });
  }

  get #conversation() { return this.#page.conversationView.snapshot?.conversation; }

  async #request(does, members) {
    const { roost } = this.#page;
    const conversation = this.#conversation.id;
    await roost.request(`conversation.${does}`, { conversation, ...members });
    await roost.request("conversation.get", { conversation });
  }

  show(conversation) {
    const isGroup = conversation?.kind === "group";
    const mayChange = isGroup && conversation.role !== "member";
    this.posting.hidden = !isGroup;
    this.posting.lastElementChild.value = conversation?.posting ?? "all";
    this.posting.lastElementChild.disabled = !mayChange;
    this.#showSlow(conversation?.slow ?? 0);
    this.slow.hidden = !isGroup;
    this.slow.lastElementChild.disabled = !mayChange;
    this.bans.hidden = !mayChange;
    if (!mayChange) this.bans.open = false;
  }

  #showSlow(slow) {
    const { element, language, t } = this.#page;
    const select = this.slow.lastElementChild;
    const waits = [...new Set([...WAITS, ...(slow ? [slow] : [])])].sort((one, other) => one - other);
    select.replaceChildren(element("option", { value: 0 }, t("off")),
      ...waits.map((wait) => element("option", { value: wait }, language.duration(wait))));
    select.value = slow;
  }

  /** The acts that the owner or an admin has for a member of a lower role. */
  acts({ user, timeout }) {
    const { t } = this.#page;
    const ask = (does) => this.#ask(does, user);
    return [
      timeout?.until > Date.now()
        ? [t("endTimeout"), () => this.#change(() => this.#request("timeout", { user, after: 0 }))]
        : [t("timeOut"), () => ask("timeout")],
      [t("ban"), () => ask("ban")],
    ];
  }

  /** Deletes another member's message: the admin may give a reason. */
  remove(message) { this.#ask("delete", message); }

  #remove({ sequence }, reason) {
    const conversation = this.#conversation.id;
    return this.#page.roost.request("delete", { conversation, sequence, ...(reason && { reason }) });
  }

  #ask(does, user) {
    const { $, t, text, called, showDialog } = this.#page;
    this.#chosen = { does, user };
    const isTimeout = does === "timeout";
    const name = called(does === "delete" ? user.from : user);
    const words = {
      timeout: [t("timeOut"), t("timeOutAsk", { name })], ban: [t("ban"), t("banAsk", { name })], delete: [t("delete"), t("removeAsk", { name })],
    };
    text($("moderate-title"), words[does][1]);
    text($("moderate-submit"), words[does][0]);
    $("moderate-time").parentNode.hidden = !isTimeout;
    $("moderate-reason").value = "";
    showDialog("moderate-dialog");
  }

  /** Loads the banned users, if the list is open. */
  async load() {
    if (!this.bans.open) return;
    const { roost, $, attempt, called, element, t } = this.#page;
    const { id } = this.#conversation;
    const bans = [];
    let after;
    const isRead = await attempt(async () => {
      do {
        const page = await roost.request("conversation.bans", { conversation: id, limit: 100, ...(after && { after }) });
        bans.push(...page.bans);
        after = page.next;
      } while (after && bans.length < BANS);
      return true;
    });
    if (!isRead || this.#conversation?.id !== id) return;
    const rows = bans.map(({ user, by, reason }) => this.#row(user, [t("bannedBy", { name: called(by) }), reason && reasonWords(reason, t)].filter(Boolean).join(" · "),
      [[t("unban"), () => this.#change(() => this.#request("unban", { user }))]]));
    $("bans").replaceChildren(...(rows.length ? rows : [element("li", { class: "faint" }, t("noneBanned"))]));
  }
}
