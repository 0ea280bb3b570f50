// The part of the chat page about one person: a card with the name, the status, the groups in common, and buttons.
// app.js loads it when a user opens a card, and hands in the parts of the page that both use.

import { dialog, style } from "./app-dialogs.js";
import { Expiry } from "./app-expiry.js";

/** Groups in common that are shown. */
const GROUPS = 50;

const STYLE = `
#card-dialog header { align-items: flex-start; flex-wrap: nowrap; gap: 0.9rem; }
#card-dialog header .avatar { width: 4rem; height: 4rem; font-size: 1.6rem; }
#card-dialog header .avatar::after { width: 1rem; height: 1rem; border-color: var(--ground); right: 0.1rem; bottom: 0.1rem; }
#card-dialog header .who { align-self: center; }
#card-dialog header .who > * { white-space: normal; overflow: visible; text-align: left; }
#card-dialog h2 { margin: 0; font-size: 1.2rem; }
#card-dialog button[data-close] { margin: -0.5rem -0.5rem 0 0; }
#card-bio { margin-top: 0.9rem; white-space: pre-line; }
#card-acts { margin-top: 1rem; }
#card-acts button { flex: 1 1 auto; white-space: nowrap; }
#card-groups ul { margin: 0 -0.6rem; }
#card-groups button { display: flex; align-items: center; gap: 0.7rem; width: 100%; border: 0; background: none; text-align: left; padding: 0.3rem 0.6rem; min-height: 2.75rem; }
#card-groups button:hover { background: var(--hover); }
#card-groups .avatar { width: 2rem; height: 2rem; font-size: 0.85rem; }
#card-groups .grow { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#card-more { display: flex; flex-direction: column; border-top: 1px solid var(--line); margin: 1.1rem -0.6rem -0.5rem; padding-top: 0.5rem; }
#card-more button { border: 0; background: none; text-align: left; padding-inline: 0.6rem; }
#card-more button:hover { background: var(--hover); }
`;

export function begin(page) {
  style(STYLE);
  return new Card(page);
}

class Card {
  #page;
  #part;
  #user;
  #stops = [];

  constructor(page) {
    this.#page = page;
    const { $, button, element, t } = page;
    const problem = element("p", { id: "card-problem", class: "problem", role: "alert" });
    this.expiry = new Expiry(page, "card-expiry", (words) => page.text(problem, words));
    this.dialog = dialog(page, "card", "",
      element("p", { id: "card-bio", dir: "auto" }), element("div", { id: "card-acts", class: "row" }), problem, this.expiry.element,
      element("section", { id: "card-groups", "aria-labelledby": "card-groups-title" },
        element("h3", { id: "card-groups-title" }, t("groupsInCommon")), element("ul", {})),
      element("div", { id: "card-more" }));
    this.avatar = element("span", { "aria-hidden": "true" });
    this.username = element("p", { class: "faint", dir: "auto" });
    this.presence = element("p", { class: "faint", dir: "auto" });
    const who = element("div", { class: "who" });
    $("card-title").before(this.avatar, who);
    who.append($("card-title"), this.username, this.presence);
    // Adds an act, and its button's place.
    const act = (id, parent, does, attributes = {}) => {
      const made = button("", () => this.#attempt(does), { id: `card-${id}`, ...attributes });
      $(parent).append(made);
      return made;
    };
    this.buttons = {
      write: act("write", "card-acts", () => this.#write(`@${this.#user}`), { class: "filled" }),
      accept: act("accept", "card-acts", () => this.#people.accept(this.#user)),
      mute: act("mute", "card-acts", () => this.#mute()),
      invite: act("invite", "card-acts", () => this.#people.invite(this.#user)),
      remove: act("remove", "card-more", () => this.#remove()),
      leave: act("leave", "card-more", () => this.#leave(), { class: "danger" }),
      block: act("block", "card-more", () => this.#block(), { class: "danger" }),
      report: act("report", "card-more", () => this.#part.report.open(this.#user), { class: "danger" }),
    };
    this.dialog.addEventListener("close", () => { for (const stop of this.#stops.splice(0)) stop(); });
  }

  get #people() { return this.#part.people; }

  /** The direct conversation with the person, if there is one. */
  get #conversation() {
    const { conversationView, listView } = this.#page;
    return (conversationView.peer === this.#user && conversationView.snapshot?.conversation) || listView.row(`@${this.#user}`)?.conversation;
  }

  async open(user) {
    const { $, loadPart, meet, roost, showDialog } = this.#page;
    this.#part = await loadPart();
    for (const stop of this.#stops.splice(0)) stop();
    this.#user = user;
    $("card-problem").textContent = "";
    $("card-bio").textContent = "";
    showDialog("card-dialog");
    this.dialog.scrollTop = 0;
    this.buttons.write.focus();
    const people = this.#people;
    // The card follows changes as long as it is open.
    roost.follow([user]);
    const again = () => { if (this.#user === user) this.show(); };
    this.#stops.push(people.onChange(again), roost.onPresence(again), roost.conversations.onChange(again), () => roost.follow([]));
    const [profile] = await people.profiles([user]).catch(() => []);
    if (profile) meet([profile]);
    again();
  }

  show() {
    const { $, address, attribute, called, patchAvatar, people, presenceLine, presenceOf, t, text } = this.#page;
    const user = this.#user;
    const { bio, deleted } = people[user] ?? {};
    const isBlocked = this.#part.isBlocked(user);
    const presence = isBlocked || deleted ? undefined : presenceOf(user);
    patchAvatar(this.avatar, called(user), { seed: user, state: presence?.state });
    text($("card-title"), called(user));
    text(this.username, deleted ? "" : address(user));
    text(this.presence, isBlocked ? t("blocked") : presenceLine(presence));
    text($("card-bio"), bio ?? "");
    for (const one of [this.username, this.presence, $("card-bio")]) one.hidden = !one.textContent;
    this.#showActs(deleted, isBlocked);
    const conversation = this.#conversation;
    this.expiry.show(conversation, true);
    attribute(this.dialog, "data-user", user);
    this.#showGroups();
  }

  #showActs(isDeleted, isBlocked) {
    const { t, text } = this.#page;
    const contact = this.#people.snapshot.contacts.find((one) => one.user === this.#user);
    const conversation = this.#conversation;
    const isMuted = conversation && this.#part.isMuted(conversation.id);
    const words = {
      write: (!isDeleted || conversation) && t("write"), accept: contact?.state === "received" && t("acceptInvitation"), mute: conversation && t(isMuted ? "unmute" : "mute"),
      invite: !contact && !isDeleted && !isBlocked && t("addToContacts"),
      remove: contact && { accepted: t("removeFromContacts"), sent: t("cancelInvitation"), received: t("declineInvitation") }[contact.state],
      leave: conversation && t("leaveConversation"), block: t(isBlocked ? "unblock" : "block"), report: !isDeleted && t("report"),
    };
    for (const [name, button] of Object.entries(this.buttons)) {
      button.hidden = !words[name];
      text(button, words[name] || "");
    }
  }

  /** Groups of the list in which the person is named as a member. */
  #showGroups() {
    const { $, button, element, listView, patchAvatar } = this.#page;
    const rows = listView.snapshot.rows.filter(({ conversation }) => (
      conversation?.kind === "group" && conversation.members.includes(this.#user))).slice(0, GROUPS);
    $("card-groups").hidden = !rows.length;
    const list = $("card-groups").querySelector("ul");
    const signature = JSON.stringify(rows.map((row) => [row.id, row.title]));
    if (list.dataset.signature === signature) return;
    list.dataset.signature = signature;
    list.replaceChildren(...rows.map((row) => {
      const avatar = element("span", { "aria-hidden": "true" });
      patchAvatar(avatar, row.title, { isGroup: true, seed: row.id });
      const made = button("", () => this.#write(row.id));
      made.append(avatar, element("span", { class: "grow", dir: "auto" }, row.title));
      return element("li", {}, made);
    }));
  }

  async #attempt(does) {
    const { $, attempt, text } = this.#page;
    text($("card-problem"), "");
    await attempt(does, (words) => text($("card-problem"), words));
    if (this.dialog.open) this.show();
  }

  /** Opens a conversation. The card above it has led there, and closes. */
  #write(place) {
    for (const one of document.querySelectorAll("dialog:modal")) one.close();
    this.#page.go(place);
  }

  #mute() {
    const { id } = this.#conversation;
    return this.#people.isMuted(id) ? this.#people.unmute(id) : this.#people.mute(id);
  }

  #block() { return this.#part.isBlocked(this.#user) ? this.#people.unblock([this.#user]) : this.#part.block(this.#user); }

  async #remove() {
    const { called, confirmed, t } = this.#page;
    const user = this.#user;
    const { state } = this.#people.snapshot.contacts.find((one) => one.user === user);
    if (state === "received") return this.#people.decline(user);
    if (state === "accepted" && !await confirmed(t("removeContactAsk", { name: called(user) }), t("remove"))) return undefined;
    return this.#people.remove(user);
  }

  async #leave() {
    const { called, confirmed, conversationView, go, roost, t } = this.#page;
    const { id } = this.#conversation;
    const isOpen = conversationView.snapshot?.conversation?.id === id;
    if (!await confirmed(t("leaveConversationAsk", { name: called(this.#user) }), t("leave"))) return;
    await roost.leave(id);
    this.dialog.close();
    if (isOpen) go(undefined);
  }
}
