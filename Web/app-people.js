// The part of the chat page about people: contacts, members of a conversation and its mute, read receipts, and pinned
// messages. app.js loads it after the messages, or when a user asks for it, and hands in the parts of the page that it
// uses.

import { dialog, field, style, symbol } from "./app-dialogs.js";
import { Expiry } from "./app-expiry.js";
import { REASONS } from "./app-lines.js";
import { Joins, Moderation } from "./app-moderation.js";
import { TalkPart } from "/app-talk.js?unpacked";
import { People } from "/roost-people.js?unpacked";

/** Most rows of one list on the screen; the button below it shows as many more. */
const ROWS = 50;
/** Most people that a search shows. */
const FOUND = 20;
/** Milliseconds without a key before a search begins. */
const PAUSE = 250;

const STYLE = `
.person { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; padding: 0.35rem 0; }
.person .avatar { width: 2.25rem; height: 2.25rem; font-size: 0.95rem; }
.person .avatar::after { border-color: var(--ground); }
.person .open { flex: 1 1 11rem; min-width: 0; display: flex; align-items: center; gap: 0.6rem; text-align: left; }
.acts { display: flex; flex-wrap: wrap; gap: 0.3rem; }
.person button { min-height: 2rem; padding: 0.1rem 0.6rem; font-size: 0.85rem; }
.person button.open { border: 0; background: none; padding: 0.15rem 0.3rem; margin: 0 -0.3rem; font-size: 1rem; }
.person button.open:hover { background: var(--hover); }
#info-problem, #people-dialog .problem { margin: 0.4rem 0; }
#people-dialog details { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 0.8rem; }
#people-dialog summary { cursor: pointer; font-weight: 600; }
#people-dialog textarea, #report-dialog textarea { resize: vertical; width: 100%; }
#people-dialog input, #report-dialog select { width: 100%; }
.muted .count { background: var(--faint); color: var(--ground); }
/* Beside the time, where a long name doesn't cut it off. */
.conversation time::before { content: attr(data-muted); }
#people-button { position: relative; }
#people-button .count { position: absolute; top: -0.1rem; right: -0.1rem; }
#pins, #joins { display: flex; align-items: center; border: 0; border-bottom: 1px solid var(--line); border-radius: 0; flex: none;
  gap: 0.6rem; padding: 0.3rem 0.9rem; text-align: left; }
#pins svg { color: var(--accent); }
#joins { background: var(--mark); justify-content: space-between; }
#joins .strong { color: var(--accent); }
#awaited { padding: 0.35rem 0.35rem 0; }
#awaited li { display: flex; align-items: center; gap: 0.7rem; padding: 0.55rem 0.6rem; }
#info-acts { margin: 0.6rem 0; }
@media (pointer: coarse) { .person button { min-height: 2.75rem; min-width: 2.75rem; } }
`;

/** Begins the part. `use` hands in the chat whenever the page gets another one. */
export function begin(page) {
  style(STYLE);
  return new PeoplePart(page);
}

/** The part as app.js uses it. */
class PeoplePart {
  people;
  #page;
  #stops = [];

  constructor(page) {
    this.#page = page;
    this.report = new ReportDialog(page, this);
    this.info = new InfoDialog(page, this);
    this.panel = new Panel(page, this);
    this.readers = readersDialog(page);
    this.joins = new Joins(page, () => this.info.open());
    this.pins = new PinLine(page, this);
    this.talk = new TalkPart(page, {
      dialog, field, fill, symbol,
      block: (user) => this.block(user), know: (users) => this.know(users),
      row: (...words) => this.row(...words),
    });
  }

  use(roost) {
    this.people?.close();
    for (const stop of this.#stops.splice(0)) stop();
    this.people = roost && new People(roost);
    this.talk.use(roost);
    const { people } = this;
    people?.onChange((snapshot) => { if (this.people === people) this.#show(snapshot); });
    people?.onPin((told) => this.pins.told(told));
    people?.onProspects(() => this.panel.prospects?.ask());
    this.pins.forget();
    this.joins.forget();
    if (!roost) return;
    // The first event came before this part was here.
    this.joins.ask();
    // Without a session no pins come.
    this.#stops.push(roost.onChange(() => this.#follow()), roost.onEvent((event) => {
      this.joins.told(event);
      if (["edit", "delete"].includes(event.type)) this.pins.told(event);
      if (event.type !== "profile") return;
      this.#page.meet([event]);
      this.panel.show(people.snapshot);
    }));
  }

  #follow() {
    this.pins.follow();
    this.joins.follow();
  }

  /** The conversation that is open has changed, or is another one. */
  showHead() {
    this.info.showHead();
    this.#follow();
    this.talk.follow();
  }

  /** An admin deletes what another member has written. */
  remove(message) { this.info.remove(message); }

  isBlocked(user) { return this.people?.snapshot.blocked.includes(user) ?? false; }

  isMuted(conversation) { return this.people?.isMuted(conversation) ?? false; }

  #show(snapshot) {
    const page = this.#page;
    if (!page.roost) return;
    if (snapshot.profile) page.meet([snapshot.profile]);
    page.showSession(page.roost.snapshot);
    page.listView.show(page.listView.snapshot);
    this.panel.show(snapshot);
    this.info.showState();
    this.pins.follow();
  }

  // -- What several of its dialogs do

  /** A row of a list: a user with a button to the card, a line below the name, and buttons whose labels name the
   *  user. */
  row(user, line, buttons, state) {
    const { called, card, element, patchAvatar, button } = this.#page;
    const name = called(user);
    const avatar = element("span", { "aria-hidden": "true" });
    patchAvatar(avatar, name, { seed: user, state });
    const who = button("", () => card(user), { class: "open", "aria-haspopup": "dialog" });
    who.append(avatar, element("span", { class: "who" }, element("span", { dir: "auto" }, name), element("span", { class: "faint", dir: "auto" }, line)));
    const made = buttons.map(([words, act, more]) => button(words, act, { "aria-label": this.#page.t("actFor", { act: words, name }), ...more }));
    return element("li", { class: "person" }, who, element("span", { class: "acts" }, ...made));
  }

  async block(user) {
    const { called, confirmed, t } = this.#page;
    if (await confirmed(t("blockAsk", { name: called(user) }), t("block"))) await this.people.block([user]);
  }

  /** Shows the members who got the user's own message and read it, with times. */
  async showReaders(message) {
    const { attempt, conversationView, $, t, text, element, language, showDialog, called } = this.#page;
    const { id } = conversationView.snapshot.conversation;
    const receipts = await attempt(() => this.people.receipts(id, message.sequence));
    if (!receipts) return;
    await this.know(receipts.map((one) => one.user));
    const readers = receipts.filter((one) => one.isRead);
    const names = language.names(readers.slice(0, 3).map((one) => called(one.user)), readers.length - 3);
    const at = readers.length === 1 && readers[0].readAt;
    text($("readers-text"), at ? t("readByAt", { names, time: language.endOf(at) }) : readers.length ? t("readByNames", { names })
      : t(receipts.length ? "noneRead" : "noneGot"));
    $("readers").replaceChildren(...receipts.map(({ user, isRead, readAt, deliveredAt }) => {
      const time = isRead ? readAt : deliveredAt;
      const state = isRead ? "read" : "delivered";
      const row = this.row(user, time ? t(`receiptAt.${state}`, { time: language.endOf(time) }) : t(`state.${state}`), []);
      row.title = [readAt && t("receiptAt.read", { time: language.moment(readAt) }),
        deliveredAt && t("receiptAt.delivered", { time: language.moment(deliveredAt) })].filter(Boolean).join("\n");
      return row;
    }));
    if (!receipts.length) $("readers").append(element("li", { class: "faint" }, "…"));
    showDialog("readers-dialog");
  }

  /** Asks for profiles: those that aren't known yet, or all. */
  async know(users, isAll = false) {
    const { people } = this.#page;
    const unknown = [...new Set(users)].filter((user) => isAll || people[user]?.version === undefined);
    if (!unknown.length) return;
    const told = await this.people.profiles(unknown.slice(0, 100)).catch(() => []);
    this.#page.meet(told.map((one) => ({ version: 0, ...one })));
  }
}

// Dialogs ------------------------------------------------------------------------------------------------------------

/** Gives a list other rows. The focus goes to the button that has taken the place of the one that had it. */
function fill(list, rows, otherwise) {
  const place = [...list.querySelectorAll("button")].indexOf(document.activeElement);
  list.replaceChildren(...rows);
  if (place < 0) return;
  const all = [...list.querySelectorAll("button")];
  (all[Math.min(place, all.length - 1)] ?? otherwise).focus();
}

function readersDialog(page) {
  const { element, t } = page;
  return dialog(page, "readers", t("whoRead"),
    element("p", { id: "readers-text", class: "faint" }), element("ul", { id: "readers" }));
}

/** Reports a user or a message to the operators. */
class ReportDialog {
  #page;
  #part;
  #user;

  constructor(page, part) {
    this.#page = page;
    this.#part = part;
    const { element, t } = page;
    const options = REASONS.map((value) => element("option", { value }, t(`reason.${value}`)));
    this.form = element("form", {},
      element("p", { class: "faint" }, t("reportHint")),
      field(page, "report-reason", t("reportReason"), "select", {}, ...options),
      field(page, "report-text", t("reportDetails"), "textarea", { rows: 3, maxlength: 250 }),
      element("p", { id: "report-problem", class: "problem", role: "alert" }),
      element("div", { class: "row end" }, element("button", { type: "button", "data-close": "" }, t("cancel")),
        element("button", { class: "filled" }, t("report"))));
    dialog(page, "report", "", this.form);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  open(user) {
    const { $, t, text, called, showDialog } = this.#page;
    this.#user = user;
    this.form.reset();
    text($("report-problem"), "");
    text($("report-title"), t("reportName", { name: called(user) }));
    showDialog("report-dialog");
    $("report-reason").focus();
  }

  async #submit() {
    const { $, t, text, attempt, tell } = this.#page;
    const isDone = await attempt(async () => {
      await this.#part.people.report({ user: this.#user }, $("report-reason").value, $("report-text").value.trim());
      return true;
    }, (words) => text($("report-problem"), words));
    if (!isDone) return;
    $("report-dialog").close();
    tell(t("reportSent"));
  }
}

// About a group ------------------------------------------------------------------------------------------------------

/** A group's members and their roles, its name, and a mute. The card of the other user shows the same for a direct
 *  conversation. */
class InfoDialog {
  #page;
  #part;
  #moderation;
  #expiry;
  /** The id of the conversation that it shows; undefined before that is known. */
  #shown;
  /** The members of a group, as far as they were read. */
  #members = [];

  constructor(page, part) {
    this.#page = page;
    this.#part = part;
    this.#moderation = new Moderation(page, field, (does) => this.change(does), (...row) => part.row(...row));
    this.#expiry = new Expiry(page, "info-expiry", (words) => page.text(page.$("info-problem"), words));
    this.#make();
    this.#listen();
  }

  #make() {
    const { element, t } = this.#page;
    const input = (id, attributes) => element("input", { id, class: "grow", autocomplete: "off", ...attributes });
    const label = (id, words) => element("label", { class: "hidden", for: id }, words);
    dialog(this.#page, "info", "",
      element("p", { id: "info-text", class: "faint" }),
      element("div", { class: "row", id: "info-acts" },
        element("button", { type: "button", id: "mute" })),
      this.#moderation.waiting, this.#expiry.element, this.#moderation.posting, this.#moderation.slow, this.#moderation.joining,
      element("form", { id: "rename-form", class: "row" }, label("rename", t("renameGroup")),
        input("rename", { maxlength: 120 }), element("button", {}, t("rename"))),
      element("h3", {}, t("members")),
      element("ul", { id: "members" }), this.#moderation.bans,
      element("button", { type: "button", id: "add", "aria-haspopup": "dialog" }, t("addPeople")),
      element("p", { id: "info-problem", class: "problem", role: "alert" }),
      element("div", { class: "row" }, element("button", { type: "button", id: "leave", class: "danger" }, t("leaveGroup"))));
  }

  get #conversation() { return this.#page.conversationView.snapshot?.conversation; }

  async open() {
    const { $, text, showDialog } = this.#page;
    text($("info-problem"), "");
    $("members").replaceChildren();
    this.#members = this.#conversation?.members ?? [];
    this.#moderation.forgetWaiting();
    this.show();
    showDialog("info-dialog");
    this.showHead();
    await this.load();
  }

  show() {
    const { $ } = this.#page;
    const conversation = this.#conversation;
    const mayChange = conversation !== undefined && conversation.role !== "member";
    this.#shown = conversation?.id;
    if (!$("info-dialog").open) this.#page.text($("info-title"), this.#page.conversationView.title);
    $("rename-form").hidden = $("add").hidden = !mayChange;
    this.#expiry.show(conversation, mayChange);
    this.#moderation.show(conversation);
    $("rename").value = conversation?.name ?? "";
    $("leave").hidden = !conversation;
    this.showHead();
    this.showState();
  }

  showHead() {
    const { $, t, text, conversationView } = this.#page;
    if (!$("info-dialog").open) return;
    // The dialog was opened before the conversation was read, or another one is open by now.
    if (!conversationView.isGroup) return $("info-dialog").close();
    if (this.#conversation?.id !== this.#shown) {
      this.show();
      return this.load();
    }
    text($("info-title"), conversationView.title);
    this.#moderation.showWaiting(this.#conversation?.role === "member" ? undefined : this.#conversation);
    return text($("info-text"), t("memberCount", { count: this.#conversation?.count ?? 0 }));
  }

  /** Whether it makes a sound. */
  showState() {
    const { $, t, text } = this.#page;
    const { people } = this.#part;
    if (!people) return;
    const id = this.#conversation?.id;
    $("mute").hidden = !id;
    text($("mute"), t(id && people.isMuted(id) ? "unmute" : "mute"));
  }

  /** All members with their roles, and how they are shown now. */
  async load() {
    const { roost, attempt, text, $ } = this.#page;
    const conversation = this.#conversation;
    if (!conversation) return;
    const members = [];
    let after;
    const isRead = await attempt(async () => {
      do {
        const asked = await roost.request("conversation.members",
          { conversation: conversation.id, presence: true, limit: 100, ...(after && { after }) });
        members.push(...asked.members);
        after = asked.next;
      } while (after && members.length < 1_000);
      return true;
    }, (words) => text($("info-problem"), words));
    if (!isRead) return;
    this.#members = members.map(({ user }) => user);
    $("members").replaceChildren(...members.map((member) => this.#row(member, conversation)));
    this.#moderation.load();
  }

  #row(member, conversation) {
    const { roost, me, called, confirmed, presenceLine, t } = this.#page;
    const { user, role } = member;
    const name = called(user);
    const isTimedOut = member.timeout?.until > Date.now();
    const line = [role === "member" ? "" : t(`role.${role}`), isTimedOut ? t("timedOut") : "", user === me ? t("you") : presenceLine(member)].filter(Boolean).join(" · ");
    const acts = [];
    const act = (words, does) => acts.push([words, () => this.change(does)]);
    if (user !== me && conversation.role === "owner") {
      if (role === "member") act(t("makeAdmin"), () => roost.setRole("admin", user, conversation.id));
      else {
        act(t("makeMember"), () => roost.setRole("member", user, conversation.id));
        act(t("makeOwner"), async () => {
          if (await confirmed(t("makeOwnerAsk", { name }), t("makeOwner"))) {
            await roost.setRole("owner", user, conversation.id);
          }
        });
      }
    }
    if (user !== me && (conversation.role === "owner" || (conversation.role === "admin" && role === "member"))) {
      act(t("remove"), async () => {
        if (await confirmed(t("removeMemberAsk", { name }), t("remove"))) await roost.remove([user], conversation.id);
      });
      acts.push(...this.#moderation.acts(member));
    }
    return this.#part.row(user, line, acts, user === me ? undefined : member.state);
  }

  /** Picks people who aren't members yet, and adds them. */
  #add() {
    const { id } = this.#conversation;
    const done = async (users) => {
      await this.#page.roost.add(users, id);
      this.show();
      this.load();
      return true;
    };
    const { conversationView, t } = this.#page;
    this.#page.pick({ title: t("addPeople"), about: conversationView.title, isMany: true, act: t("add"), without: this.#members, done });
  }

  remove(message) { this.#moderation.remove(message); }

  async change(does) {
    const { $, text, attempt } = this.#page;
    text($("info-problem"), "");
    await attempt(does, (words) => text($("info-problem"), words));
    this.show();
    await this.load();
  }

  #listen() {
    const { $, t, text, attempt, confirmed, conversationView, go } = this.#page;
    const on = (id, event, act) => $(id).addEventListener(event, (told) => {
      told.preventDefault();
      act();
    });
    on("mute", "click", () => this.change(() => {
      const { people } = this.#part;
      const { id } = this.#conversation;
      return people.isMuted(id) ? people.unmute(id) : people.mute(id);
    }));
    on("rename-form", "submit", () => {
      const name = $("rename").value.trim();
      if (name) this.change(() => this.#page.roost.rename(this.#conversation.id, name));
    });
    on("add", "click", () => this.#add());
    on("leave", "click", async () => {
      const { id } = this.#conversation;
      if (!await confirmed(t("leaveGroupAsk", { group: conversationView.title }), t("leave"))) return;
      const isDone = await attempt(async () => { await this.#page.roost.leave(id); return true; },
        (problem) => text($("info-problem"), problem));
      if (!isDone) return;
      $("info-dialog").close();
      go(undefined);
    });
  }
}

// Pinned messages ----------------------------------------------------------------------------------------------------

/** A line above the messages: one pinned message after another, and the way to each. */
class PinLine {
  #page;
  #part;
  /** The conversation whose pins are known or asked for, and in which session. */
  #id;
  #isLive = false;
  #pins = [];
  #place = 0;

  constructor(page, part) {
    this.#page = page;
    this.#part = part;
    const { $, element, icon } = page;
    symbol(page, "pin", "M9 4h6M10 4v6l-3 4h10l-3-4V4M12 14v6");
    this.title = element("span", { class: "strong" });
    this.words = element("span", { class: "faint" });
    this.line = element("button", { type: "button", id: "pins", hidden: "" }, icon("pin"),
      element("span", { class: "who" }, this.title, this.words));
    this.line.addEventListener("click", () => this.#go());
    $("scroll").before(this.line);
  }

  /** Another user, of whose conversations nothing is known. */
  forget() {
    this.#id = undefined;
    this.#pins = [];
    this.show();
  }

  /** The open conversation is another one, has changed, or there is a session again. */
  follow() {
    const { conversationView, roost } = this.#page;
    const id = conversationView.snapshot?.conversation?.id;
    const isLive = roost?.snapshot.isUpToDate ?? false;
    const isNew = id !== this.#id;
    if (isNew) [this.#id, this.#pins, this.#place] = [id, [], 0];
    const isAsked = id && isLive && (isNew || !this.#isLive);
    this.#isLive = isLive;
    if (isAsked) this.#ask();
    this.show();
  }

  /** A message was pinned, unpinned, edited or deleted. */
  told({ conversation, pin, sequence }) {
    if (conversation === this.#id && (pin || this.#pins.some((one) => one.sequence === sequence))) this.#ask();
  }

  async #ask() {
    const id = this.#id;
    // Without a connection, what is shown stays until there is one.
    const pins = await this.#part.people.pins(id).catch(() => undefined);
    if (!pins || id !== this.#id) return;
    this.#pins = pins;
    this.#place = 0;
    this.show();
    // The acts for a message have changed, also for the one under the pointer.
    this.#page.tools.follow();
    this.#part.know(pins.flatMap(({ message }) => message?.from ?? [])).then(() => this.show());
  }

  /** Those that are still there, each as the timeline shows it, if it does. */
  get #shown() {
    const items = this.#page.conversationView.snapshot?.items ?? [];
    const all = this.#pins.map(({ sequence, message }) => (
      items.find((item) => item.sequence === sequence) ?? (message && { sequence, text: message.body, ...message })));
    return all.filter((one) => one && !one.isDeleted && !(one.expires <= Date.now()));
  }

  show() {
    const { t, text, called, content } = this.#page;
    const shown = this.#shown;
    this.line.hidden = !shown.length;
    if (!shown.length) return;
    this.#place %= shown.length;
    const message = shown[this.#place];
    text(this.title, shown.length > 1 ? t("pinnedOf", { at: this.#place + 1, count: shown.length }) : t("pinned"));
    text(this.words, t("says", { name: message.isOwn ? t("youTitle") : called(message.from), text: content(message) }));
  }

  /** Shows the message in its place, and the next one in the line. */
  #go() {
    const { sequence } = this.#shown[this.#place];
    this.#place += 1;
    this.show();
    this.#page.conversationView.jump(sequence);
  }

  /** The acts for a message, for its menu. */
  actions({ sequence }, done) {
    const { attempt, conversationView, t } = this.#page;
    const { conversation } = conversationView.snapshot;
    if (!conversation || (conversationView.isGroup && conversation.role === "member")) return [];
    const { people } = this.#part;
    const act = this.#pins.some((one) => one.sequence === sequence) ? "unpin" : "pin";
    return [["pin", t(act === "unpin" ? "unpin" : "pin"), done(() => attempt(() => people[act](conversation.id, sequence)))]];
  }
}

// The panel ----------------------------------------------------------------------------------------------------------

/** The user's people: invitations and contacts; and finding others. */
class Panel {
  #page;
  #part;
  #timer;
  #limit = ROWS;
  #isAsking = false;
  #isStale = false;
  #found = [];
  #loading;
  /** How many invitations wait, on the button that opens the panel. */
  #badge;

  constructor(page, part) {
    this.#page = page;
    this.#part = part;
    this.#make();
    this.#listen();
  }

  #make() {
    const { $, element, t } = this.#page;
    this.#badge = element("span", { class: "count", "aria-hidden": "true" });
    $("people-button").append(this.#badge);
    const part = (id, title) => element("section", { id: `people-${id}`, "aria-labelledby": `people-${id}-title`, hidden: "" },
      element("h3", { id: `people-${id}-title` }, title), element("ul", {}));
    const plain = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };
    dialog(this.#page, "people", t("people"),
      element("search", {}, field(this.#page, "people-find", t("findPeople"), "input", { type: "search", ...plain })),
      element("p", { id: "people-found-text", class: "faint", role: "status" }),
      element("ul", { id: "people-found" }),
      element("p", { id: "people-problem", class: "problem", role: "alert" }),
      part("received", t("invitations")), part("accepted", t("contacts")),
      element("button", { type: "button", id: "people-more", class: "quiet", hidden: "" }, t("showMore")),
      part("sent", t("invitedByYou")),
      element("p", { id: "people-empty", class: "faint", hidden: "" }, t("noContacts")));
  }

  #listen() {
    const { $ } = this.#page;
    $("people-find").addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#find(), PAUSE);
    });
    $("people-more").addEventListener("click", () => {
      this.#limit += ROWS;
      this.show(this.#part.people.snapshot);
    });
  }

  open() {
    const { $, text, showDialog } = this.#page;
    $("people-find").value = "";
    this.#found = [];
    for (const id of ["people-found-text", "people-problem"]) text($(id), "");
    this.#limit = ROWS;
    showDialog("people-dialog");
    $("people-find").focus();
    this.#loadProspects();
    // The relay doesn't send later changes of all contacts' profiles.
    this.#isStale = true;
    this.show(this.#part.people.snapshot);
  }

  /** Prospects are a file of their own, for users who open the panel. */
  async #loadProspects() {
    const { $, attempt, ofThisVersion } = this.#page;
    this.#loading ??= ofThisVersion(import("/app-prospects.js?unpacked"));
    // Without it, the next one who opens the panel tries again.
    const loaded = await attempt(() => this.#loading) ?? (this.#loading = undefined);
    if (!loaded) return;
    const part = this.#part;
    if (!this.prospects) {
      this.prospects = new loaded.Prospects(this.#page, {
        fill, attempt: (does) => this.#attempt(does), get role() { return part.people.snapshot.profile?.role; } });
      $("people-dialog").append(this.prospects.element);
    }
    this.prospects.element.open = false;
    // Without a connection there is nothing more to show, and nothing to say.
    if (this.#page.roost.snapshot.isUpToDate) this.prospects.ask();
  }

  // -- Lists

  show({ isKnown, contacts }) {
    const { $ } = this.#page;
    const count = contacts.filter((one) => one.state === "received").length;
    $("people-button").setAttribute("aria-label", this.#page.t(count ? "peopleWaiting" : "people", { count }));
    this.#page.text(this.#badge, count ? String(count) : "");
    if (!$("people-dialog").open) return;
    fill($("people-found"), this.#found.map((one) => this.#foundRow(one)), $("people-find"));
    const { called, language } = this.#page;
    const inOrder = (all) => all.sort((one, other) => language.compare(called(one.user), called(other.user)));
    const of = (state) => inOrder(contacts.filter((one) => one.state === state));
    const accepted = of("accepted");
    const shown = [...of("received").slice(0, ROWS), ...accepted.slice(0, this.#limit), ...of("sent").slice(0, ROWS)];
    for (const state of ["received", "accepted", "sent"]) {
      this.#list(state, shown.filter((one) => one.state === state).map((one) => this.#contact(one)));
    }
    $("people-more").hidden = accepted.length <= this.#limit;
    $("people-empty").hidden = !isKnown || contacts.length > 0;
    this.#askNames(shown.map((one) => one.user));
  }

  #list(name, rows) {
    const { $ } = this.#page;
    const section = $(`people-${name}`);
    section.hidden = !rows.length;
    fill(section.querySelector("ul"), rows, $("people-find"));
  }

  #contact({ user, kind, state, label }) {
    const { t } = this.#page;
    const write = [t("write"), () => this.#write(user)];
    const acts = {
      received: [this.#act(t("accept"), (people) => people.accept(user), { class: "filled" }),
        this.#act(t("decline"), (people) => people.decline(user))],
      accepted: [write],
      sent: [this.#act(t("cancelInvitation"), (people) => people.remove(user))],
    }[state];
    const words = [this.#page.address(user), kind === "friend" ? "" : kind, label].filter(Boolean).join(" · ");
    return this.#part.row(user, words, acts);
  }

  /** A button of a row, and its action; a failure is shown above the lists. */
  #act(words, does, attributes) { return [words, () => this.#attempt(does), attributes]; }

  #attempt(does) {
    const { $, text, attempt } = this.#page;
    text($("people-problem"), "");
    return attempt(() => does(this.#part.people), (problem) => text($("people-problem"), problem));
  }

  #write(user) {
    const { $, go } = this.#page;
    $("people-dialog").close();
    go(`@${user}`);
  }

  /** Asks for the names of users in the lists that the list of conversations doesn't contain. */
  async #askNames(users) {
    if (this.#isAsking || !users.length) return;
    const { people } = this.#page;
    const isUnknown = (user) => people[user]?.version === undefined;
    const isStale = this.#isStale;
    if (!isStale && !users.some(isUnknown)) return;
    this.#isAsking = true;
    this.#isStale = false;
    await this.#part.know(users, isStale);
    this.#isAsking = false;
    if (isStale || !users.every(isUnknown)) this.show(this.#part.people.snapshot);
  }

  // -- Finding

  async #find() {
    const { $, t, text, attempt } = this.#page;
    const prefix = $("people-find").value.trim();
    const told = prefix && await attempt(() => this.#part.people.find(prefix, { limit: FOUND }),
      (words) => text($("people-problem"), words));
    // Something else was typed meanwhile.
    if ($("people-find").value.trim() !== prefix) return;
    const found = told ? told.profiles : [];
    this.#page.meet(found);
    const exact = found.length || !told ? [] : await this.#exactly(prefix);
    if ($("people-find").value.trim() !== prefix) return;
    this.#found = [...found, ...exact];
    text($("people-found-text"), !prefix ? "" : found.length ? t("peopleFound", { count: found.length })
      : exact.length ? t("exactUsername") : t("noneFound", { words: prefix }));
    this.show(this.#part.people.snapshot);
  }

  /** The user with exactly this id or username that a search doesn't show. Never a name that the server calls
   *  unknown. */
  async #exactly(typed) {
    const { NAME, me, meant } = this.#page;
    const name = typed.replace(/^@/, "");
    if (name === me || !NAME.test(name)) return [];
    const user = await meant(name);
    return user === undefined || user === me ? [] : [{ user, username: name }];
  }

  #foundRow({ user, username }) {
    const { contacts } = this.#part.people.snapshot;
    const isKnown = contacts.some((one) => one.user === user);
    const { t } = this.#page;
    const invite = this.#act(t("inviteToContacts"), (people) => people.invite(user));
    return this.#part.row(user, username ? `@${username}` : this.#page.address(user), [[t("write"), () => this.#write(user)], ...(isKnown ? [] : [invite])]);
  }
}
