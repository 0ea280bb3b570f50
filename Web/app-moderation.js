// Membership and writing rights in a group, for its owner and admins: the part that app-people.js shows in the dialog
// of a conversation. Also the groups that wait to let the user in.

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
  /** The group and the number of those who wait, as the list was asked for. */
  #waiting = "";

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
    this.joining = field(page, "info-joining", t("whoJoinsByLink"), "select", {}, option("open", t("joinAtOnce")), option("ask", t("joinWithApproval")));
    this.waiting = element("section", { id: "waiting-part", "aria-labelledby": "waiting-title", hidden: "" },
      element("h3", { id: "waiting-title" }, t("waitingToJoin")), element("ul", { id: "waiting" }));
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
    this.joining.lastElementChild.addEventListener("change", ({ target }) => (
      change(() => this.#request("joining", { joining: target.value }))));
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
    this.joining.hidden = !isGroup;
    this.joining.lastElementChild.value = conversation?.joining ?? "open";
    this.joining.lastElementChild.disabled = !mayChange;
    this.showWaiting(mayChange ? conversation : undefined);
    this.bans.hidden = !mayChange;
    if (!mayChange) this.bans.open = false;
  }

  forgetWaiting() { this.#waiting = undefined; }

  /** Who waits to join, if anyone does, for the admins. The list is asked for once that number has changed. */
  async showWaiting(conversation) {
    const { roost, meet, attempt, t } = this.#page;
    const { id, waiting = 0 } = conversation ?? {};
    const shown = waiting ? `${id} ${waiting}` : "";
    this.waiting.hidden = !waiting;
    if (shown === this.#waiting) return;
    this.#waiting = shown;
    this.waiting.lastElementChild.replaceChildren();
    if (!waiting) return;
    const told = await attempt(() => roost.request("join.list", { conversation: id }));
    if (this.#waiting !== shown) return;
    // Without an answer it is asked again.
    if (!told) return void (this.#waiting = undefined);
    meet(told.joins.filter(({ name }) => name).map(({ user, name }) => ({ user, name, version: 0 })));
    const decide = (type, user) => this.#change(async () => {
      this.#waiting = undefined;
      await roost.request(type, { conversation: id, user });
      await roost.request("conversation.get", { conversation: id });
    });
    this.waiting.lastElementChild.replaceChildren(...told.joins.map(({ user, inviter }) => this.#row(user, t("byLinkOf", { name: this.#page.called(inviter) }),
      [[t("accept"), () => decide("join.accept", user), { class: "filled" }], [t("decline"), () => decide("join.refuse", user)]])));
    if (told.joins.length !== waiting) await attempt(() => roost.request("conversation.get", { conversation: id }));
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

/** A line above the messages that says how many want to join the open group, and above the list the groups that the user waits for. */
export class Joins {
  #page;
  #isLive = false;
  /** The names of groups that the user waits for, and of those that have let it in meanwhile. */
  #awaited = [];
  #joined = new Set();

  /** `review` opens the list of those who wait. */
  constructor(page, review) {
    this.#page = page;
    const { $, element, t } = page;
    this.words = element("span", { class: "grow" });
    this.line = element("button", { type: "button", id: "joins", hidden: "" }, this.words, element("span", { class: "strong" }, t("review")));
    this.line.addEventListener("click", review);
    $("scroll").before(this.line);
    this.list = element("ul", { id: "awaited", "aria-label": t("waitingForApproval"), hidden: "" });
    $("list").before(this.list);
  }

  /** Another user. */
  forget() {
    this.#isLive = false;
    this.#awaited = [];
    this.#show([]);
  }

  /** The open conversation has changed or is another one, or there is a session again. */
  follow() {
    const { conversationView, roost, t, text } = this.#page;
    const { waiting = 0, role } = conversationView.snapshot?.conversation ?? {};
    this.line.hidden = !waiting || role === "member";
    if (!this.line.hidden) text(this.words, t("wantToJoin", { count: waiting }));
    const isLive = roost?.snapshot.isUpToDate ?? false;
    // No event came for what has ended meanwhile.
    if (isLive && !this.#isLive && this.list.childElementCount) this.ask();
    this.#isLive = isLive;
  }

  /** The number of groups has changed. Without an answer, what is shown stays. */
  async ask() {
    const { roost } = this.#page;
    const told = await roost.request("join.list").catch(() => undefined);
    if (told && roost === this.#page.roost) this.#show(told.joins);
  }

  /** What happens to a conversation, or that the number of groups has changed. */
  told({ type, event, users, name, conversation }) {
    if (type === "joins" && !conversation) this.ask();
    if (event === "added" && users?.includes(this.#page.me)) this.#joined.add(name);
  }

  #show(joins) {
    const { $, element, patchAvatar, listView, t, tell } = this.#page;
    const names = joins.map(({ group }) => group);
    const [ended] = this.#awaited.filter((group) => !names.includes(group) && !this.#joined.has(group));
    if (ended !== undefined) tell(t("joinRequestEnded", { group: ended }));
    this.#awaited = names;
    this.#joined.clear();
    this.list.hidden = !joins.length;
    this.list.replaceChildren(...joins.map(({ group }) => {
      const avatar = element("span", { "aria-hidden": "true" });
      patchAvatar(avatar, group, { isGroup: true, seed: group });
      return element("li", {}, avatar, element("span", { class: "who" },
        element("span", { class: "strong", dir: "auto" }, group), element("span", { class: "faint" }, t("waitingForApproval"))));
    }));
    listView.isAwaiting = joins.length > 0;
    if (this.#page.roost) listView.show(listView.snapshot);
    else $("list-empty").hidden = true;
  }
}
