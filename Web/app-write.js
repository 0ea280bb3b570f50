// The part of the chat page for writing: emoji, mentions, how long a text may be, and what fingers do. It is loaded with
// the first conversation that is opened, and gets from app.js what both use of the page.

import { Choices, matches, STYLE as CHOICES } from "./app-choices.js";
import { style } from "./app-dialogs.js";
import { GROUPS } from "./app-emoji.js";

/** Emoji that were used last, and people offered for a mention: as many as are seen at once. */
const RECENT = 16;
const OFFERED = 8;
/** The relay's bound for one message. */
const MENTIONS_MAX = 32;
/** From this part of the most characters on, those that are left are counted. */
const NEAR = 0.95;
const LONG_PRESS = 450;
/** Farther than this a finger scrolls, or answers. Pixels. */
const STEADY = 10;
const SWIPE = 56;

const STYLE = `
#emoji { position: absolute; right: 0.9rem; bottom: 4.4rem; z-index: 5; width: min(23rem, calc(100% - 1.2rem)); height: min(22rem, 60%);
  display: flex; flex-direction: column; gap: 0.5rem; padding: 0.6rem; background: var(--ground); border: 1px solid var(--line);
  border-radius: 1rem; box-shadow: 0 6px 24px var(--shadow); }
#emoji > .row { flex-wrap: nowrap; }
#emoji input { flex: 1; min-width: 0; }
#emoji select { width: 4.4rem; flex: none; padding-inline: 0.5rem; }
#emoji-list { overflow-y: auto; flex: 1; }
#emoji-list h3 { margin: 0.5rem 0.2rem 0.2rem; font-size: 0.8rem; color: var(--faint); }
#emoji-list div { display: grid; grid-template-columns: repeat(auto-fill, minmax(2.6rem, 1fr)); }
#emoji-list button { border: 0; background: none; padding: 0; min-height: 2.6rem; font-size: 1.4rem; line-height: 1; }
#emoji-list button:is(:hover, :focus-visible) { background: var(--hover); }
.offers { position: absolute; left: 0.9rem; bottom: calc(100% - 0.2rem); z-index: 5; min-width: min(16rem, 90%); max-width: calc(100% - 1.8rem);
  max-height: min(20rem, 45vh); overflow-y: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 0.8rem; box-shadow: 0 6px 24px var(--shadow); }
.counter { grid-column: 1 / -1; text-align: end; font-size: 0.8rem; color: var(--faint); }
.counter.over { color: var(--danger); font-weight: 600; }
@media (pointer: coarse) { .message { touch-action: pan-y; } .bubble { -webkit-touch-callout: none; user-select: none; -webkit-user-select: none; } }
`;

export function begin(page) {
  style(CHOICES + STYLE);
  return new Writing(page);
}

class Writing {
  constructor(page) {
    const { $ } = page;
    this.picker = new Picker(page);
    this.mentions = new Mentions(page);
    this.counter = new Counter(page, $("composer"), $("text"));
    this.mentions.attach($("composer"), $("text"));
    this.touch = new Touch(page);
  }

  /** Another conversation is open, or none. */
  follow() {
    this.picker.close();
    this.mentions.forget();
    this.counter.count();
  }
}

function kept(name, value) {
  try {
    if (value === undefined) return JSON.parse(localStorage.getItem(name) ?? "null");
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser may refuse to store anything, and what is there may be anything.
  }
  return null;
}

// Emoji --------------------------------------------------------------------------------------------------------------

const TONES = ["", "\u{1F3FB}", "\u{1F3FC}", "\u{1F3FD}", "\u{1F3FE}", "\u{1F3FF}"];

/** An emoji as it is written: in colour, and in that of the skin which was chosen. */
export function written(emoji, tone = "") {
  if (tone && /^\p{Emoji_Modifier_Base}$/u.test(emoji)) return emoji + tone;
  return /^\p{Emoji_Presentation}/u.test(emoji) ? emoji : `${emoji}\uFE0F`;
}

const listed = (all) => all.trim().split(/,\s*/).map((one) => {
  const at = one.indexOf(" ");
  return { emoji: one.slice(0, at), words: one.slice(at + 1) };
});

/** All emoji, by group, each with its words: those of another language, if they are given. */
export function table(translated = "") {
  const theirs = new Map(listed(translated).map(({ emoji, words }) => [emoji, words]));
  return Object.entries(GROUPS).map(([name, all]) => [name, listed(all).map((one) => ({ ...one, words: theirs.get(one.emoji) ?? one.words }))]);
}

/** The emoji that have words which begin like all those that are looked for; the best first. */
export function search(all, wanted) {
  const looked = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = ({ words }, one) => ` ${words}`.includes(` ${one}`);
  const found = all.filter((one) => looked.every((word) => begins(one, word)));
  const isWhole = ({ words }) => looked.every((word) => ` ${words} `.includes(` ${word} `));
  return [...found.filter(isWhole), ...found.filter((one) => !isWhole(one))];
}

class Picker {
  #page;
  #groups = table();
  #isSpoken = false;
  #choose;
  #from;

  constructor(page) {
    this.#page = page;
    const { $, button, element, icon, t } = page;
    this.field = element("input", { type: "search", "aria-label": t("searchEmoji"), placeholder: t("searchEmoji"), autocomplete: "off" });
    this.tone = element("select", { "aria-label": t("skinTone") }, ...TONES.map((tone) => element("option", { value: tone }, `✋${tone}`)));
    const close = button("", () => this.close(true), { class: "icon", "aria-label": t("close") });
    close.append(icon("close"));
    this.list = element("div", { id: "emoji-list" });
    this.empty = element("p", { class: "faint", role: "status" });
    this.box = element("div", { id: "emoji", role: "dialog", "aria-label": t("emoji"), hidden: "" },
      element("div", { class: "row" }, this.field, this.tone, close), this.list, this.empty);
    $("composer").before(this.box);
    $("emoji-button").addEventListener("click", () => (this.box.hidden ? this.open($("emoji-button"), (one) => this.#insert(one)) : this.close(true)));
    this.field.addEventListener("input", () => this.#draw());
    this.tone.addEventListener("change", () => {
      kept("roost.tone", this.tone.value);
      this.#draw();
    });
    this.box.addEventListener("keydown", (event) => this.#pressed(event));
    this.list.addEventListener("click", ({ target }) => { if (target.dataset.emoji) this.#chosen(target.dataset.emoji, target.textContent); });
    addEventListener("pointerdown", ({ target }) => {
      if (!this.box.hidden && !this.box.contains(target) && !this.#from?.contains(target) && target !== $("text")) this.close();
    });
  }

  /** Calls `choose` with what is picked. */
  open(from, choose, isOnce = false) {
    this.#from = from;
    this.#choose = (one) => {
      choose(one);
      if (isOnce) this.close();
    };
    this.box.hidden = false;
    this.field.value = "";
    const tone = kept("roost.tone");
    this.tone.value = TONES.includes(tone) ? tone : "";
    this.#draw();
    this.list.scrollTop = 0;
    this.field.focus();
    this.#speak();
  }

  /** The words of the user's language, once. Without them, emoji are found by the English ones. */
  async #speak() {
    if (this.#isSpoken) return;
    this.#isSpoken = true;
    try {
      this.#groups = table(await this.#page.language.emoji());
    } catch {
      this.#isSpoken = false;
      return;
    }
    if (!this.box.hidden) this.#draw();
  }

  close(isBack = false) {
    if (this.box.hidden) return;
    this.box.hidden = true;
    this.list.replaceChildren();
    if (isBack) this.#page.$("text").focus();
  }

  #insert(emoji) {
    const field = this.#page.$("text");
    field.setRangeText(emoji, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #chosen(emoji, shown) {
    const recent = [emoji, ...this.#recent.filter((one) => one !== emoji)].slice(0, RECENT);
    kept("roost.emoji", recent);
    this.#choose(shown);
  }

  get #recent() {
    const all = new Set(this.#groups.flatMap(([, group]) => group.map(({ emoji }) => emoji)));
    const found = kept("roost.emoji");
    return Array.isArray(found) ? found.filter((one) => all.has(one)) : [];
  }

  #draw() {
    const { element, t, text } = this.#page;
    const wanted = this.field.value.trim();
    const all = this.#groups.flatMap(([, group]) => group);
    const recent = this.#recent.map((emoji) => all.find((one) => one.emoji === emoji));
    const groups = wanted ? [["", search(all, wanted)]] : [...(recent.length ? [["recent", recent]] : []), ...this.#groups];
    this.list.replaceChildren(...groups.flatMap(([name, group]) => [
      ...(name ? [element("h3", {}, t(`emoji.${name}`))] : []),
      element("div", name ? { role: "group", "aria-label": t(`emoji.${name}`) } : {}, ...group.map(({ emoji, words }) => element("button", {
        type: "button", "data-emoji": emoji, "aria-label": words, title: words, tabindex: -1,
      }, written(emoji, this.tone.value)))),
    ]));
    this.#all[0]?.setAttribute("tabindex", "0");
    text(this.empty, wanted && !this.#all.length ? t("noEmoji") : "");
  }

  get #all() { return [...this.list.querySelectorAll("button")]; }

  #pressed(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      return this.close(true);
    }
    const all = this.#all;
    if (event.target === this.field) {
      if (event.key === "Enter" && all[0]) {
        event.preventDefault();
        all[0].click();
      } else if (event.key === "ArrowDown") {
        event.preventDefault();
        this.#go(all[0]);
      }
      return undefined;
    }
    const at = all.indexOf(event.target);
    if (at < 0) return undefined;
    const columns = all.findIndex((one, place) => place > 0 && one.offsetLeft <= all[0].offsetLeft) || 1;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined) return undefined;
    event.preventDefault();
    return at + step < 0 ? this.field.focus() : this.#go(all[Math.min(at + step, all.length - 1)]);
  }

  #go(one) {
    if (!one) return;
    for (const other of this.#all) other.tabIndex = other === one ? 0 : -1;
    one.focus();
  }
}

// Mentions -----------------------------------------------------------------------------------------------------------

const BEGUN = /(?:^|[\s([{"'«„“])@([\p{L}\p{N}._'-]{0,30}(?: [\p{L}\p{N}._'-]{0,30})?)$/u;

/** Whether a text has a name that is no part of a longer one. */
export function has(text, name) {
  const isLetter = (letter) => /[\p{L}\p{N}]/u.test(letter ?? "");
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + name.length])) return true;
  }
  return false;
}

/** Members of the group that is open, offered behind an @. */
class Mentions {
  #page;
  /** Users chosen here, by the text that stands for each. */
  #chosen = new Map();
  /** Members that a conversation doesn't list, once they are asked for. */
  #more = [];

  constructor(page) { this.#page = page; }

  forget() {
    this.#chosen.clear();
    this.#more = [];
  }

  get #conversation() {
    const { conversation } = this.#page.conversationView.snapshot ?? {};
    return conversation?.kind === "group" ? conversation : undefined;
  }

  get #members() {
    const { me } = this.#page;
    return [...new Set([...(this.#conversation?.members ?? []), ...this.#more])].filter((user) => user !== me);
  }

  /** The users that a text mentions: those who were chosen, and those with a unique name. */
  of(words) {
    const conversation = this.#conversation;
    if (!conversation || !words.includes("@")) return [];
    const { called, people } = this.#page;
    const found = new Set([...this.#chosen].filter(([name]) => has(words, name)).map(([, user]) => user));
    const byName = new Map();
    for (const user of this.#members) {
      for (const name of new Set([user, called(user), people[user]?.username].filter(Boolean))) {
        byName.set(`@${name}`, [...(byName.get(`@${name}`) ?? []), user]);
      }
    }
    // The longest first: what names Ben Friend doesn't name Ben.
    let left = words;
    for (const [name, users] of [...byName].sort(([one], [other]) => other.length - one.length)) {
      if (!has(left, name)) continue;
      if (users.length === 1 && !this.#chosen.has(name)) found.add(users[0]);
      left = left.replaceAll(name, " ");
    }
    if (conversation.role !== "member" && has(words, "@all")) found.add("@all");
    return [...found].filter((user) => user === "@all" || this.#members.includes(user)).slice(0, MENTIONS_MAX);
  }

  /** Offers members in a field. The list is the form's, which stands where it should. */
  attach(form, field) {
    const list = this.#page.element("div", { class: "offers", "aria-label": this.#page.t("peopleToMention"), id: `${field.id}-offers`, hidden: "" });
    form.style.position = "relative";
    form.append(list);
    const offer = { field, begun: "" };
    offer.choices = new Choices(this.#page, { field, list, choose: ({ key }) => this.#choose(offer, key) });
    const look = () => this.#look(offer);
    field.addEventListener("input", look);
    field.addEventListener("click", look);
    field.addEventListener("blur", () => offer.choices.hide());
    // Before the field itself, which sends.
    form.addEventListener("keydown", (event) => { if (event.target === field) this.#pressed(offer, event); }, { capture: true });
  }

  #look(offer) {
    const { field, choices } = offer;
    const found = this.#conversation && BEGUN.exec(field.value.slice(0, field.selectionStart));
    if (!found) return choices.hide();
    this.#ask();
    if (offer.begun !== found[1]) choices.unmark();
    offer.begun = found[1];
    const { called, language, people, t } = this.#page;
    const username = (user) => people[user]?.username;
    const items = this.#members.filter((user) => matches([called(user), username(user) ?? user], found[1]))
      .sort((one, other) => language.compare(called(one), called(other)))
      .map((user) => ({ key: user, name: called(user), line: username(user) && `@${username(user)}` }));
    if (this.#conversation.role !== "member" && "all".startsWith(found[1].toLowerCase())) {
      items.push({ key: "@all", name: "@all", line: t("everyoneHere"), sign: "@" });
    }
    return choices.show([{ title: "", items: items.slice(0, OFFERED) }]);
  }

  /** Asks once for the members that the conversation doesn't list. */
  async #ask() {
    const conversation = this.#conversation;
    if (this.#more.length || conversation.count <= conversation.members.length) return;
    this.#more = [...conversation.members];
    try {
      const members = await this.#page.roost.members(conversation.id);
      if (this.#conversation?.id === conversation.id) this.#more = members.map(({ user }) => user);
    } catch {
      this.#more = [];
    }
  }

  #pressed(offer, event) {
    if (offer.choices.isEmpty || offer.choices.pressed(event) || event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    offer.choices.hide();
  }

  #choose(offer, user) {
    const { field } = offer;
    const name = user === "@all" ? "@all" : `@${this.#page.called(user)}`;
    this.#chosen.set(name, user);
    const end = field.selectionStart;
    field.setRangeText(`${name} `, end - offer.begun.length - 1, end, "end");
    offer.choices.hide();
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

// How long ------------------------------------------------------------------------------------------------------------

/** Says how many characters are left before a text is too long, and how many are too many. */
export class Counter {
  #page;
  #field;

  constructor(page, form, field) {
    this.#page = page;
    this.#field = field;
    this.line = page.element("p", { class: "counter", role: "status", hidden: "" });
    form.append(this.line);
    field.addEventListener("input", () => this.count());
  }

  /** How many characters are too many; negative if there is room. Undefined far from the end. */
  over(words) {
    const most = this.#page.roost?.snapshot.textMost ?? 20_000;
    // The relay counts scalars, one of which may be two units of a string.
    return words.length < most * NEAR ? undefined : [...words].length - most;
  }

  count() {
    const over = this.over(this.#field.value);
    const isShown = over !== undefined && over > -1_000;
    this.line.hidden = !isShown;
    this.line.classList.toggle("over", over > 0);
    this.#page.text(this.line, !isShown ? "" : over > 0 ? this.#page.t("charactersOver", { count: over })
      : this.#page.t("charactersLeft", { count: -over }));
  }
}

// Fingers ------------------------------------------------------------------------------------------------------------

/** On a touch screen: a long press shows what can be done with a message, and a swipe answers it. */
class Touch {
  #page;
  #timer;
  /** The finger that is down on a message. */
  #down;
  #isPressed = false;

  constructor(page) {
    this.#page = page;
    const log = page.$("log");
    log.addEventListener("pointerdown", (event) => this.#began(event));
    log.addEventListener("pointermove", (event) => this.#moved(event));
    log.addEventListener("pointerup", (event) => this.#ended(event, true));
    log.addEventListener("pointercancel", (event) => this.#ended(event, false));
    // The click that ends a long press would hide again what it has shown.
    log.addEventListener("click", (event) => {
      if (!this.#isPressed) return;
      this.#isPressed = false;
      event.stopPropagation();
      event.preventDefault();
    }, { capture: true });
    // The sheet goes when something else is touched.
    addEventListener("pointerdown", ({ target, pointerType }) => {
      const { tools } = page;
      if (pointerType === "touch" && tools.row && !tools.bar.contains(target) && !target.closest(".message")) tools.hide();
    });
    log.addEventListener("contextmenu", (event) => { if (this.#down || this.#isPressed) event.preventDefault(); });
  }

  #began(event) {
    this.#isPressed = false;
    const row = event.target.closest(".message");
    if (event.pointerType !== "touch" || !event.isPrimary || !row || event.target.closest("#tools")) return;
    this.#down = { row, id: event.pointerId, x: event.clientX, y: event.clientY, by: 0 };
    this.#timer = setTimeout(() => {
      this.#isPressed = true;
      this.#let();
      navigator.vibrate?.(10);
      this.#page.tools.hide();
      this.#page.tools.show(row, true);
    }, LONG_PRESS);
  }

  #moved(event) {
    if (event.pointerId !== this.#down?.id) return;
    const [x, y] = [event.clientX - this.#down.x, event.clientY - this.#down.y];
    if (Math.hypot(x, y) > STEADY) clearTimeout(this.#timer);
    if (Math.abs(y) > 2 * STEADY && this.#down.by < STEADY) return this.#let();
    this.#down.by = Math.min(Math.max(x, 0), 1.4 * SWIPE);
    this.#down.row.style.translate = this.#down.by > STEADY ? `${this.#down.by}px` : "";
    return undefined;
  }

  #ended(event, isUp) {
    if (event.pointerId !== this.#down?.id) return;
    const { row, by } = this.#down;
    this.#let();
    const message = row.shown;
    if (isUp && by >= SWIPE && message?.sequence && !message.isDeleted && !this.#page.conversationView.closed) {
      this.#page.composer.begin({ kind: "reply", message });
    }
  }

  #let() {
    clearTimeout(this.#timer);
    if (this.#down) this.#down.row.style.translate = "";
    this.#down = undefined;
  }
}
