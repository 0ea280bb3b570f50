// The part of the chat page about people: whom one knows, who is in a conversation and makes no sound there, who has read
// what, and what was pinned. app.js loads it after the messages, or when somebody asks for it, and hands in what it uses of the page.

import { Moderation } from "./app-moderation.js";
import { TalkPart } from "/app-talk.js?unpacked";
import { People } from "/roost-people.js?unpacked";

/** Most rows of one list on the screen; the button below it shows as many more. */
const ROWS = 50;
/** People whom a search shows. */
const FOUND = 20;
/** A search begins when nobody has typed for so long. Milliseconds. */
const PAUSE = 250;

/** After which times messages may disappear, as the other clients offer them. Milliseconds; 0 if they stay. */
const EXPIRIES = [0, 1, 7, 90].map((days) => days * 86_400_000);

const STYLE = `
.person { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; padding: 0.35rem 0; }
.person .avatar { width: 2rem; height: 2rem; font-size: 0.85rem; }
.person .avatar::after { border-color: var(--ground); }
.person .who { flex: 1 1 9rem; }
.acts { display: flex; flex-wrap: wrap; gap: 0.3rem; }
.person button { min-height: 2rem; padding: 0.1rem 0.6rem; font-size: 0.85rem; }
#info-problem, #people-dialog .problem { margin: 0.4rem 0; }
#people-dialog details { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 0.8rem; }
#people-dialog summary { cursor: pointer; font-weight: 600; }
#people-dialog textarea, #report-dialog textarea { resize: vertical; width: 100%; }
#people-dialog input, #report-dialog select { width: 100%; }
.muted .count { background: var(--faint); color: var(--ground); }
.muted .name::after { content: " · muted"; font-size: 0.8em; font-weight: 400; color: var(--faint); }
#pins { display: flex; align-items: center; border: 0; border-bottom: 1px solid var(--line); border-radius: 0; flex: none;
  gap: 0.6rem; padding: 0.3rem 0.9rem; text-align: left; }
#pins svg { color: var(--accent); }
#info-acts { margin: 0.6rem 0; }
@media (pointer: coarse) { .person button { min-height: 2.75rem; min-width: 2.75rem; } }
@media (max-width: 26rem) { .person .who { flex-basis: calc(100% - 2.7rem); } }
`;

const REASONS = {
  spam: "Spam", harassment: "Harassment", impersonation: "It pretends to be somebody else", illegal: "It is illegal",
  other: "Something else",
};

/** Begins the part. `use` hands in the chat whenever the page gets another one. */
export function begin(page) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
  return new PeoplePart(page);
}

/** What app.js holds of this part. */
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
    this.pins = new PinLine(page, this);
    const part = this;
    this.talk = new TalkPart(page, {
      dialog, field, fill, symbol,
      block: (user) => this.block(user), know: (users) => this.know(users),
      row: (...words) => this.row(...words),
      get contacts() { return part.people.snapshot.contacts; },
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
    people?.onProspects(() => this.panel.self?.prospects.ask());
    this.pins.forget();
    if (!roost) return;
    // Without a session nobody tells who pins.
    this.#stops.push(roost.onChange(() => this.pins.follow()), roost.onEvent((event) => {
      if (["edit", "delete"].includes(event.type)) this.pins.told(event);
      if (event.type !== "profile") return;
      this.#page.meet([event]);
      this.panel.show(people.snapshot);
    }));
  }

  /** The conversation that is open has changed, or is another one. */
  showHead() {
    this.info.showHead();
    this.pins.follow();
    this.talk.follow();
  }

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

  /** A row of a list: somebody, a line below the name, and buttons, each of which says whom it is about. */
  row(user, line, buttons, state, name = this.#page.called(user)) {
    const { element, patchAvatar, button } = this.#page;
    const avatar = element("span", { "aria-hidden": "true" });
    patchAvatar(avatar, name, { seed: user, state });
    const who = element("span", { class: "who" }, element("span", {}, name), element("span", { class: "faint" }, line));
    const made = buttons.map(([words, act, more]) => button(words, act, { "aria-label": `${words}: ${name}`, ...more }));
    return element("li", { class: "person" }, avatar, who, element("span", { class: "acts" }, ...made));
  }

  async block(user) {
    const { called, confirmed } = this.#page;
    const words = `Block ${called(user)}? Neither of you sees messages, typing, presence or the profile of the other any more.`;
    if (await confirmed(words, "Block")) await this.people.block([user]);
  }

  /** Who got a message of one's own and who has read it, and when. */
  async showReaders(message) {
    const { attempt, conversationView, $, text, element, showDialog, called, names } = this.#page;
    const { id } = conversationView.snapshot.conversation;
    const receipts = await attempt(() => this.people.receipts(id, message.sequence));
    if (!receipts) return;
    await this.know(receipts.map((one) => one.user));
    const readers = receipts.filter((one) => one.isRead);
    const at = (words, time) => (time ? `${words} ${when(time)}` : words);
    const by = () => `Read by ${names(readers.slice(0, 3).map((one) => called(one.user)), readers.length - 3)}`;
    text($("readers-text"), readers.length ? at(by(), readers.length === 1 && readers[0].readAt)
      : receipts.length ? "Nobody has read it yet." : "Nobody has it yet.");
    $("readers").replaceChildren(...receipts.map(({ user, isRead, readAt, deliveredAt }) => {
      const row = this.row(user, isRead ? at("read", readAt) : at("delivered", deliveredAt), []);
      row.title = [readAt && `Read ${new Date(readAt).toLocaleString()}`,
        deliveredAt && `Delivered ${new Date(deliveredAt).toLocaleString()}`].filter(Boolean).join("\n");
      return row;
    }));
    if (!receipts.length) $("readers").append(element("li", { class: "faint" }, "…"));
    showDialog("readers-dialog");
  }

  /** Asks what people are called: those of whom nobody has told that yet, or all. */
  async know(users, isAll = false) {
    const { people } = this.#page;
    const unknown = [...new Set(users)].filter((user) => isAll || people[user]?.version === undefined);
    if (!unknown.length) return;
    const told = await this.people.profiles(unknown.slice(0, 100)).catch(() => []);
    this.#page.meet(told.map((one) => ({ version: 0, ...one })));
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const date = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** A time to the minute, with its day unless that is today. */
function when(time) {
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return `${isToday ? "" : `on ${date.format(time)} `}at ${clock.format(time)}`;
}

// Dialogs ------------------------------------------------------------------------------------------------------------

/** A dialog with a title, a button that closes it, and what is in it. */
function dialog({ $, element, icon, equip }, name, title, ...children) {
  const close = element("button", { type: "button", class: "icon", "data-close": "", "aria-label": "Close" }, icon("close"));
  const head = element("header", { class: "row" }, element("h2", { id: `${name}-title`, class: "grow" }, title), close);
  const made = element("dialog", { id: `${name}-dialog`, "aria-labelledby": `${name}-title` }, head, ...children);
  $("confirm").before(made);
  equip(made);
  return made;
}

/** A label and its field. */
function field({ element }, id, words, kind = "input", attributes = {}, ...children) {
  return element("p", { class: "field" }, element("label", { for: id }, words), element(kind, { id, ...attributes }, ...children));
}

/** A symbol beside those of the page. */
function symbol({ $ }, id, path) {
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const made = make("symbol", { id, viewBox: "0 0 24 24" });
  made.append(make("path", { d: path }));
  $("reply").parentNode.append(made);
}

/** Gives a list other rows. The focus goes to the button that has taken the place of the one that had it. */
function fill(list, rows, otherwise) {
  const place = [...list.querySelectorAll("button")].indexOf(document.activeElement);
  list.replaceChildren(...rows);
  if (place < 0) return;
  const all = [...list.querySelectorAll("button")];
  (all[Math.min(place, all.length - 1)] ?? otherwise).focus();
}

function readersDialog(page) {
  const { element } = page;
  return dialog(page, "readers", "Who has read it",
    element("p", { id: "readers-text", class: "faint" }), element("ul", { id: "readers" }));
}

/** Tells the operators of somebody. */
class ReportDialog {
  #page;
  #part;
  #user;

  constructor(page, part) {
    this.#page = page;
    this.#part = part;
    const { element } = page;
    const options = Object.entries(REASONS).map(([value, words]) => element("option", { value }, words));
    this.form = element("form", {},
      element("p", { class: "faint" }, "Whoever runs this server is told, and nobody else."),
      field(page, "report-reason", "What is wrong", "select", {}, ...options),
      field(page, "report-text", "What happened", "textarea", { rows: 3, maxlength: 250 }),
      element("p", { id: "report-problem", class: "problem", role: "alert" }),
      element("div", { class: "row end" }, element("button", { type: "button", "data-close": "" }, "Cancel"),
        element("button", { class: "filled" }, "Report")));
    dialog(page, "report", "", this.form);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  open(user) {
    const { $, text, called, showDialog } = this.#page;
    this.#user = user;
    this.form.reset();
    text($("report-problem"), "");
    text($("report-title"), `Report ${called(user)}`);
    showDialog("report-dialog");
    $("report-reason").focus();
  }

  async #submit() {
    const { $, text, attempt, tell, called } = this.#page;
    const isDone = await attempt(async () => {
      await this.#part.people.report({ user: this.#user }, $("report-reason").value, $("report-text").value.trim());
      return true;
    }, (words) => text($("report-problem"), words));
    if (!isDone) return;
    $("report-dialog").close();
    tell(`Whoever runs this server is told of ${called(this.#user)}.`);
  }
}

// About a conversation -----------------------------------------------------------------------------------------------

/** Members and their roles, a mute, and what one does about the other one. */
class InfoDialog {
  #page;
  #part;
  #moderation;
  /** The id of the conversation that it shows; undefined before that is known. */
  #shown;

  constructor(page, part) {
    this.#page = page;
    this.#part = part;
    this.#moderation = new Moderation(page, field, (does) => this.change(does), (...row) => part.row(...row));
    this.#make();
    this.#listen();
  }

  #make() {
    const { element } = this.#page;
    const input = (id, attributes) => element("input", { id, class: "grow", autocomplete: "off", ...attributes });
    const label = (id, words) => element("label", { class: "hidden", for: id }, words);
    const add = "Add somebody by user name";
    dialog(this.#page, "info", "",
      element("p", { id: "info-text", class: "faint" }),
      element("div", { class: "row", id: "info-acts" },
        ...["mute", "block-peer", "report-peer"].map((id) => element("button", { type: "button", id }))),
      field(this.#page, "info-expiry", "Disappearing messages", "select"), this.#moderation.posting,
      element("form", { id: "rename-form", class: "row" }, label("rename", "Name of the group"),
        input("rename", { maxlength: 120 }), element("button", {}, "Rename")),
      element("h3", { id: "members-title" }, "Members"),
      element("ul", { id: "members" }), this.#moderation.bans,
      element("form", { id: "add-form", class: "row" }, label("add", add),
        input("add", { placeholder: add, autocapitalize: "none", spellcheck: "false" }), element("button", {}, "Add")),
      element("p", { id: "info-problem", class: "problem", role: "alert" }),
      element("div", { class: "row" }, element("button", { type: "button", id: "leave", class: "danger" })));
  }

  get #conversation() { return this.#page.conversationView.snapshot?.conversation; }

  get #peer() {
    const { place } = this.#page.conversationView;
    return place?.startsWith("@") ? place.slice(1) : undefined;
  }

  async open() {
    const { $, text, showDialog, conversationView } = this.#page;
    if (!conversationView.place) return;
    text($("info-problem"), "");
    $("members").replaceChildren();
    this.show();
    showDialog("info-dialog");
    if (conversationView.isGroup) await this.load();
  }

  show() {
    const { $, text, conversationView } = this.#page;
    const { isGroup } = conversationView;
    const conversation = this.#conversation;
    const mayChange = isGroup && conversation && conversation.role !== "member";
    this.#shown = conversation?.id;
    $("rename-form").hidden = $("add-form").hidden = !mayChange;
    this.#showExpiry(conversation, mayChange || (conversation && !isGroup));
    this.#moderation.show(conversation);
    $("members-title").hidden = !isGroup;
    $("rename").value = conversation?.name ?? "";
    $("leave").hidden = !conversation;
    text($("leave"), isGroup ? "Leave the group" : "Leave the conversation");
    this.showHead();
    this.showState();
  }

  /** How long messages stay. Whoever may not choose it sees it. */
  #showExpiry(conversation, mayChange) {
    const { $, duration, element, things } = this.#page;
    const select = $("info-expiry");
    select.parentNode.hidden = !conversation || Boolean(conversation.request);
    const now = conversation?.expiry ?? 0;
    const all = [...new Set([...EXPIRIES, now])].sort((one, other) => one - other);
    select.replaceChildren(...all.map((after) => (
      element("option", { value: after }, after ? `After ${duration(after, things)}` : "Off"))));
    select.value = now;
    select.disabled = !mayChange;
  }

  /** The new one counts for messages from now on. */
  async #setExpiry() {
    const { $, attempt, roost, text } = this.#page;
    const conversation = this.#conversation.id;
    text($("info-problem"), "");
    await attempt(async () => {
      await roost.request("conversation.expiry", { conversation, after: Number($("info-expiry").value) });
      await roost.request("conversation.get", { conversation });
    }, (words) => text($("info-problem"), words));
    this.show();
  }

  showHead() {
    const { $, text, things, conversationView, presenceLine, presenceOf } = this.#page;
    if (!conversationView.place) return;
    // The dialog was opened before the conversation was read.
    if ($("info-dialog").open && this.#conversation?.id !== this.#shown) {
      this.show();
      if (conversationView.isGroup) this.load();
      return;
    }
    text($("info-title"), conversationView.title);
    text($("info-text"), conversationView.isGroup ? things(this.#conversation?.count ?? 0, "member")
      : presenceLine(presenceOf(this.#peer)));
  }

  /** What is so already of mute and block. */
  showState() {
    const { $, text } = this.#page;
    const { people } = this.#part;
    if (!people) return;
    const id = this.#conversation?.id;
    $("mute").hidden = !id;
    text($("mute"), id && people.isMuted(id) ? "Unmute" : "Mute");
    $("block-peer").hidden = $("report-peer").hidden = !this.#peer;
    text($("block-peer"), people.snapshot.blocked.includes(this.#peer) ? "Unblock" : "Block");
    text($("report-peer"), "Report");
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
    $("members").replaceChildren(...members.map((member) => this.#row(member, conversation)));
    this.#moderation.load();
  }

  #row(member, conversation) {
    const { roost, me, called, confirmed, presenceLine } = this.#page;
    const { user, role } = member;
    const name = called(user);
    const isTimedOut = member.timeout?.until > Date.now();
    const line = [role === "member" ? "" : role, isTimedOut ? "timed out" : "", user === me ? "you" : presenceLine(member)].filter(Boolean).join(" · ");
    const acts = [];
    const act = (words, does) => acts.push([words, () => this.change(does)]);
    if (user !== me && conversation.role === "owner") {
      if (role === "member") act("Make admin", () => roost.setRole("admin", user, conversation.id));
      else {
        act("Make member", () => roost.setRole("member", user, conversation.id));
        act("Make owner", async () => {
          if (await confirmed(`Make ${name} the owner of this group, and yourself an admin?`, "Make owner")) {
            await roost.setRole("owner", user, conversation.id);
          }
        });
      }
    }
    if (user !== me && (conversation.role === "owner" || (conversation.role === "admin" && role === "member"))) {
      act("Remove", async () => {
        if (await confirmed(`Remove ${name} from this group?`, "Remove")) await roost.remove([user], conversation.id);
      });
      acts.push(...this.#moderation.acts(member));
    }
    return this.#part.row(user, line, acts, user === me ? undefined : member.state);
  }

  async change(does) {
    const { $, text, attempt, conversationView } = this.#page;
    text($("info-problem"), "");
    await attempt(does, (words) => text($("info-problem"), words));
    this.show();
    if (conversationView.isGroup) await this.load();
  }

  #listen() {
    const { $, NAME, text, attempt, confirmed, conversationView, namesIn, strangers, spelling, go } = this.#page;
    const on = (id, event, act) => $(id).addEventListener(event, (told) => {
      told.preventDefault();
      act();
    });
    on("info-expiry", "change", () => this.#setExpiry());
    on("mute", "click", () => this.change(() => {
      const { people } = this.#part;
      const { id } = this.#conversation;
      return people.isMuted(id) ? people.unmute(id) : people.mute(id);
    }));
    on("block-peer", "click", () => this.change(() => {
      const { people } = this.#part;
      return people.snapshot.blocked.includes(this.#peer) ? people.unblock([this.#peer]) : this.#part.block(this.#peer);
    }));
    on("report-peer", "click", () => this.#part.report.open(this.#peer));
    on("rename-form", "submit", () => {
      const name = $("rename").value.trim();
      if (name) this.change(() => this.#page.roost.rename(this.#conversation.id, name));
    });
    on("add-form", "submit", async () => {
      const users = namesIn($("add"));
      if (!users.length) return;
      const wrong = users.find((user) => !NAME.test(user));
      if (wrong) return text($("info-problem"), `“${wrong}” can't be a user name.`);
      const { meantAll, nobody, people } = this.#page;
      const found = await meantAll(users);
      if (found.nobodies.length) return text($("info-problem"), nobody(found.nobodies));
      const unknown = strangers(found.users).filter((user) => users.includes(user) && !people[user]?.version);
      if (unknown.length && !await confirmed(spelling(unknown), "Add")) return;
      await this.change(async () => {
        await this.#page.roost.add(found.users, this.#conversation.id);
        $("add").value = "";
      });
      $("add").focus();
    });
    on("leave", "click", async () => {
      const { id } = this.#conversation;
      const words = conversationView.isGroup ? `Leave “${conversationView.title}”? Its messages will be gone from here.`
        : `Leave the conversation with ${conversationView.title}? It comes back, without its messages, when one of you writes.`;
      if (!await confirmed(words, "Leave")) return;
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
    // What can be done with a message has changed, also with the one under the pointer.
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
    const { text, called, preview } = this.#page;
    const shown = this.#shown;
    this.line.hidden = !shown.length;
    if (!shown.length) return;
    this.#place %= shown.length;
    const message = shown[this.#place];
    text(this.title, shown.length > 1 ? `Pinned message ${this.#place + 1} of ${shown.length}` : "Pinned message");
    text(this.words, `${message.isOwn ? "" : `${called(message.from)}: `}${preview(message)}`);
  }

  /** Shows the message in its place, and the next one in the line. */
  #go() {
    const { sequence } = this.#shown[this.#place];
    this.#place += 1;
    this.show();
    this.#page.conversationView.jump(sequence);
  }

  /** What can be done with a message, for its menu. */
  actions({ sequence }, done) {
    const { attempt, conversationView } = this.#page;
    const { conversation } = conversationView.snapshot;
    if (!conversation || (conversationView.isGroup && conversation.role === "member")) return [];
    const { people } = this.#part;
    const act = this.#pins.some((one) => one.sequence === sequence) ? "unpin" : "pin";
    return [["pin", act === "pin" ? "Pin" : "Unpin", done(() => attempt(() => people[act](conversation.id, sequence)))]];
  }
}

// The panel ----------------------------------------------------------------------------------------------------------

/** The people whom one knows: invitations, contacts, blocks; finding others; and what one is called oneself. */
class Panel {
  #page;
  #part;
  #timer;
  #limit = ROWS;
  #isAsking = false;
  #isStale = false;
  #found = [];
  #loading;

  constructor(page, part) {
    this.#page = page;
    this.#part = part;
    this.#make();
    this.#listen();
  }

  #make() {
    const { element } = this.#page;
    const part = (id, title) => element("section", { id: `people-${id}`, "aria-labelledby": `people-${id}-title`, hidden: "" },
      element("h3", { id: `people-${id}-title` }, title), element("ul", {}));
    const plain = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };
    dialog(this.#page, "people", "People",
      element("search", {}, field(this.#page, "people-find", "Find somebody by name", "input", { type: "search", ...plain })),
      element("p", { id: "people-found-text", class: "faint", role: "status" }),
      element("ul", { id: "people-found" }),
      element("p", { id: "people-problem", class: "problem", role: "alert" }),
      part("received", "Invitations"), part("accepted", "Contacts"),
      element("button", { type: "button", id: "people-more", class: "quiet", hidden: "" }, "Show more"),
      part("sent", "You have invited"), part("blocked", "Blocked"),
      element("p", { id: "people-empty", class: "faint", hidden: "" }, "You have no contacts yet. Find somebody, and invite them."),
      element("details", { id: "people-me" }, element("summary", {}, "What others see of you"),
        element("form", { id: "profile-form" },
          field(this.#page, "profile-name", "Your name", "input", { maxlength: 64, autocomplete: "nickname", required: "" }),
          field(this.#page, "profile-username", "A name by which others find you", "input", { maxlength: 32, ...plain }),
          field(this.#page, "profile-bio", "About you", "textarea", { rows: 2, maxlength: 300 }),
          element("p", { id: "profile-problem", class: "problem", role: "alert" }),
          element("div", { class: "row end" }, element("button", { class: "filled" }, "Save")))));
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
    $("profile-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
  }

  open() {
    const { $, text, showDialog } = this.#page;
    $("people-find").value = "";
    this.#found = [];
    for (const id of ["people-found-text", "people-problem", "profile-problem"]) text($(id), "");
    this.#limit = ROWS;
    const { profile } = this.#part.people.snapshot;
    for (const name of ["name", "username", "bio"]) $(`profile-${name}`).value = profile?.[name] ?? "";
    showDialog("people-dialog");
    $("people-find").focus();
    for (const one of $("people-dialog").querySelectorAll("details")) one.open = false;
    this.#loadSelf();
    // The relay doesn't tell of all whom one knows what they are called by now.
    this.#isStale = true;
    this.show(this.#part.people.snapshot);
  }

  /** What only oneself sees and says is a file of its own, for those who open the panel. */
  async #loadSelf() {
    const { $, attempt, ofThisVersion } = this.#page;
    this.#loading ??= ofThisVersion(import("/app-self.js?unpacked"));
    const loaded = await attempt(() => this.#loading);
    // Without it, the next one who opens the panel tries again.
    if (!loaded) this.#loading = undefined;
    if (!loaded || this.self) return;
    this.self = new loaded.Self(this.#page, {
      field, fill, row: (...words) => this.#part.row(...words), attempt: (does) => this.#attempt(does) });
    $("people-me").before(...this.self.elements);
    this.show(this.#part.people.snapshot);
  }

  // -- Lists

  show({ isKnown, contacts, blocked, privacy }) {
    const { $ } = this.#page;
    const count = contacts.filter((one) => one.state === "received").length;
    $("people-button").setAttribute("aria-label", count ? `People, ${this.#page.things(count, "invitation")}` : "People");
    if (!$("people-dialog").open) return;
    this.self?.privacy.show(privacy);
    fill($("people-found"), this.#found.map((one) => this.#foundRow(one)), $("people-find"));
    const { called } = this.#page;
    const inOrder = (all) => all.sort((one, other) => called(one.user).localeCompare(called(other.user)));
    const of = (state) => inOrder(contacts.filter((one) => one.state === state));
    const accepted = of("accepted");
    const shown = [...of("received").slice(0, ROWS), ...accepted.slice(0, this.#limit), ...of("sent").slice(0, ROWS)];
    for (const state of ["received", "accepted", "sent"]) {
      this.#list(state, shown.filter((one) => one.state === state).map((one) => this.#contact(one)));
    }
    this.#list("blocked", blocked.slice(0, this.#limit).map((user) => this.#part.row(user, `@${user}`, [
      this.#act("Unblock", (people) => people.unblock([user]))])));
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
    const write = ["Write", () => this.#write(user)];
    const acts = {
      received: [this.#act("Accept", (people) => people.accept(user), { class: "filled" }),
        this.#act("Decline", (people) => people.decline(user)), this.#act("Block", () => this.#part.block(user))],
      accepted: [write, this.#act("Remove", (people) => this.#remove(people, user)),
        this.#act("Block", () => this.#part.block(user)), ["Report", () => this.#part.report.open(user)]],
      sent: [this.#act("Take back", (people) => people.remove(user))],
    }[state];
    const words = [`@${user}`, kind === "friend" ? "" : kind, label].filter(Boolean).join(" · ");
    return this.#part.row(user, words, acts);
  }

  async #remove(people, user) {
    const { confirmed, called } = this.#page;
    if (await confirmed(`Remove ${called(user)} from your contacts?`, "Remove")) await people.remove(user);
  }

  /** A button of a row, and what is done; what goes wrong is told above the lists. */
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

  /** What those in the lists are called, whom the list of conversations doesn't name. */
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
    const { $, text, attempt, things } = this.#page;
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
    text($("people-found-text"), !prefix ? "" : found.length ? things(found.length, "person").replace("persons", "people")
      : exact.length ? "Nobody is found by this name. You can invite somebody by the exact user name." : `Nobody is found by “${prefix}”.`);
    this.show(this.#part.people.snapshot);
  }

  /** Who has this very name, an id or a username, and isn't shown by searching. Never somebody of whom the server says that
   *  there is nobody. */
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
    const invite = this.#act("Invite", (people) => people.invite(user));
    return this.#part.row(user, `@${username ?? user}`, [["Write", () => this.#write(user)], ...(isKnown ? [] : [invite])]);
  }

  // -- Oneself

  async #save() {
    const { $, text, tell, reason } = this.#page;
    text($("profile-problem"), "");
    const members = Object.fromEntries(["name", "username", "bio"].map((name) => [name, $(`profile-${name}`).value.trim()]));
    const { profile } = this.#part.people.snapshot;
    // What isn't there can't be taken away.
    for (const name of ["username", "bio"]) if (members[name] === (profile?.[name] ?? "")) delete members[name];
    try {
      await this.#part.people.setProfile(members);
      tell("Saved. Others see it now.");
    } catch (error) {
      text($("profile-problem"), error.code === "username_taken" ? "Somebody else has this name." : reason(error));
    }
  }
}
