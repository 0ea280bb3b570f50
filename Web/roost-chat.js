// `<roost-chat>`: one conversation to put into any page. It shows messages with their authors, waiting and refused
// ones, users who type, and a field to write in. The data is roost.js's: the outbox and the store are those of the app.
// See Docs/Clients.md.

import { Roost, sentences } from "./roost.js";

// The look, with what a page may change by custom properties. No style leaves the element or comes into it otherwise.
const STYLE = `
  :host { display: flex; flex-direction: column; min-height: 12rem; height: 24rem; overflow: hidden;
    font: var(--roost-font, 15px/1.4 system-ui, sans-serif); color: var(--roost-text, CanvasText);
    background: var(--roost-background, Canvas); border: 1px solid var(--roost-line, color-mix(in srgb, currentColor 15%, transparent));
    border-radius: var(--roost-radius, 12px); color-scheme: light dark; }
  :host([hidden]) { display: none; }
  #log { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 12px;
    display: flex; flex-direction: column; gap: 4px; }
  #log > :first-child { margin-top: auto; }
  .row { max-width: 80%; padding: 6px 12px; border-radius: 14px; align-self: flex-start; overflow-wrap: anywhere; white-space: pre-wrap;
    background: var(--roost-bubble, color-mix(in srgb, currentColor 8%, transparent)); }
  .own { align-self: flex-end; background: var(--roost-accent, #b4532a); color: var(--roost-on-accent, #fff); }
  .note { align-self: center; background: none; opacity: .7; font-size: .85em; }
  .author { display: block; font-weight: 600; font-size: .85em; }
  .about { display: block; font-size: .75em; opacity: .75; text-align: end; }
  p { margin: 0; padding: 0 12px 4px; min-height: 1.4em; font-size: .85em; opacity: .75; }
  p.problem { opacity: 1; }
  form { display: flex; gap: 8px; padding: 8px 12px 12px; border-top: 1px solid var(--roost-line, color-mix(in srgb, currentColor 15%, transparent)); }
  textarea { flex: 1; min-width: 0; resize: none; field-sizing: content; min-height: 44px; max-height: 8em; box-sizing: border-box; padding: 10px 14px;
    font: inherit; color: inherit; background: transparent; border: 1px solid var(--roost-line, color-mix(in srgb, currentColor 30%, transparent));
    border-radius: 22px; }
  button { font: inherit; min-height: 44px; min-width: 44px; padding: 0 16px; border: 0; border-radius: 22px; cursor: pointer;
    background: var(--roost-accent, #b4532a); color: var(--roost-on-accent, #fff); }
  button.quiet { align-self: center; background: none; color: inherit; text-decoration: underline; }
  button:disabled { opacity: .5; cursor: default; }
  :focus-visible { outline: 2px solid var(--roost-accent, #b4532a); outline-offset: 2px; }
`;

const WORDS = {
  en: {
    field: "Message", send: "Send", older: "Show earlier messages", retry: "Try again", deleted: "Message deleted",
    hidden: "Hidden message", other: "This message can’t be shown here", sending: "Sending", sent: "Sent", delivered: "Delivered",
    read: "Read", edited: "edited", typing: (names) => `${names} ${names.includes(",") ? "are" : "is"} typing`,
    connecting: "Connecting…", noConnection: "Can’t connect.", failed: sentences,
  },
  de: {
    field: "Nachricht", send: "Senden", older: "Frühere Nachrichten anzeigen", retry: "Erneut versuchen", deleted: "Nachricht gelöscht",
    hidden: "Ausgeblendete Nachricht", other: "Diese Nachricht kann hier nicht angezeigt werden", sending: "Wird gesendet", sent: "Gesendet",
    delivered: "Zugestellt", read: "Gelesen", edited: "bearbeitet",
    typing: (names) => `${names} ${names.includes(",") ? "schreiben" : "schreibt"} …`,
    connecting: "Verbinden …", noConnection: "Keine Verbindung möglich.",
    failed: {
      tooLong: "Diese Nachricht ist zu lang.", notAllowed: "Du kannst in diesem Chat nicht schreiben.",
      noRelationship: "Ihr könnt euch schreiben, sobald deine Einladung angenommen ist.", youBlocked: "Du hast diese Person blockiert.",
      notFound: "Diesen Chat gibt es nicht mehr.", unreachable: "Die Nachricht konnte nicht gesendet werden.",
      changedElsewhere: "Du hast diese Nachricht auf einem anderen Gerät bearbeitet.", notAccepted: "Diese Nachricht kann nicht gesendet werden.",
      offline: "Keine Internetverbindung. Sie wird gesendet, sobald du wieder online bist.", signedOut: "Melde dich erneut an.",
      takenOver: "Dein Konto ist in einem anderen Fenster geöffnet.", wrongUser: "Auf diesem Gerät ist ein anderes Konto angemeldet.",
    },
  },
};

const baseOf = (tag) => tag.toLowerCase().split("-")[0];

/** An element with text. Nothing here is ever markup. */
const make = (name, className, text) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

/** Attributes: `relay`, the address `wss://…/v1/socket`, `to`, a conversation's id or `@name`, and `lang`, `en` or `de`. Properties: `token`,
 *  which returns a token, or `roost`, an open Roost that the app has. */
export class RoostChat extends HTMLElement {
  static observedAttributes = ["relay", "to", "lang"];

  #words;
  #clock;
  #day;
  #token;
  #given;
  #own;
  #timeline;
  #stops = [];
  /** Counts what was begun, so that what comes late is left. */
  #turn = 0;
  #parts;
  #begins;
  // The rows that are shown, by what they show, and those of the next drawing.
  #rows = new Map();
  #shown = new Map();
  #isOnScreen = false;
  #onScreen = new IntersectionObserver(([{ isIntersecting }]) => {
    this.#isOnScreen = isIntersecting;
    if (isIntersecting && this.#timeline) this.#see(this.#timeline.snapshot);
  });

  /** The words, which an app may replace by its own, such as those of another language. */
  get words() { return { ...WORDS[this.#language], ...this.#words }; }
  set words(words) { this.#words = words; this.#speak(); }
  get token() { return this.#token; }
  set token(token) { this.#token = token; this.#begin(); }
  /** The Roost in use: the one that was given, or the element's own once it is open. */
  get roost() { return this.#given ?? this.#own; }
  set roost(roost) { this.#given = roost; this.#begin(); }

  connectedCallback() {
    this.#parts ??= this.#build();
    this.#speak();
    this.#onScreen.observe(this);
    this.#begin();
  }

  disconnectedCallback() {
    this.#onScreen.disconnect();
    this.#begin();
  }

  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (name === "lang") this.#speak();
    this.#begin();
  }

  // Several attributes and properties may change at once: it begins when all have.
  #begin() {
    this.#begins ??= Promise.resolve().then(() => { this.#begins = undefined; this.#open().catch((error) => this.#fail(error)); });
  }

  #end() {
    this.#turn++;
    for (const stop of this.#stops.splice(0)) stop();
    this.#timeline?.close();
    this.#timeline = undefined;
  }

  async #open() {
    this.#end();
    const [turn, to, relay] = [this.#turn, this.getAttribute("to"), this.getAttribute("relay")];
    const isWanted = this.isConnected && to && (this.#given || (relay && this.#token));
    if (this.#own && (!isWanted || this.#given || this.#own.url !== relay || this.#own.by !== this.#token)) {
      this.#own.roost?.close();
      this.#own = undefined;
    }
    if (!isWanted) return;
    let roost = this.#given;
    if (!roost) {
      this.#own ??= { url: relay, by: this.#token };
      const own = this.#own;
      own.opening ??= Roost.open({ url: relay, token: this.#token, name: this.getAttribute("store") ?? "roost" });
      roost = own.roost = await own.opening;
      if (this.#own !== own) return roost.close();
      // A failure shows by the connection's state.
      roost.connect().catch(() => {});
    }
    const timeline = await roost.timeline(to);
    if (turn !== this.#turn) return timeline.close();
    this.#timeline = timeline;
    this.#parts.field.value = timeline.draft;
    this.#stops.push(
      timeline.onChange((snapshot) => this.#draw(snapshot, roost.snapshot)),
      roost.onChange((snapshot) => this.#draw(timeline.snapshot, snapshot)),
    );
  }

  #fail(error) {
    this.dispatchEvent(new CustomEvent("roosterror", { detail: error, bubbles: true }));
  }

  // The language

  /** That of the element or what it is in, by its attribute `lang`, or else the browser's, if its words are here. */
  get #language() {
    const wanted = [this.closest("[lang]")?.lang, ...navigator.languages].filter(Boolean).map(baseOf);
    return wanted.find((one) => one in WORDS) ?? "en";
  }

  /** Gives what is there the words of the language. */
  #speak() {
    const { words } = this;
    // Where one lives says how times are written.
    const locale = navigator.languages.find((one) => baseOf(one) === this.#language) ?? this.#language;
    this.#clock = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
    this.#day = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
    if (!this.#parts) return;
    const { field, send, older } = this.#parts;
    field.setAttribute("aria-label", words.field);
    field.placeholder = words.field;
    send.textContent = words.send;
    older.textContent = words.older;
    this.#rows.clear();
  }

  // The parts

  #build() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open", delegatesFocus: true });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const parts = {
      log: make("div"), state: make("p"), form: make("form"), field: make("textarea"), send: make("button"), older: make("button", "quiet"),
    };
    parts.log.id = "log";
    parts.log.tabIndex = 0;
    for (const [name, value] of [["role", "log"], ["aria-live", "polite"], ["part", "log"]]) parts.log.setAttribute(name, value);
    parts.state.setAttribute("role", "status");
    parts.field.rows = 1;
    parts.field.dir = "auto";
    parts.older.type = "button";
    parts.older.onclick = () => this.#do((timeline) => timeline.loadOlder());
    parts.form.append(parts.field, parts.send);
    parts.form.onsubmit = (event) => { event.preventDefault(); this.#send(); };
    parts.field.oninput = () => this.#do((timeline) => timeline.write(parts.field.value));
    parts.field.onkeydown = (event) => {
      // While an input method composes, Enter is its own.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#send();
    };
    root.append(parts.log, parts.state, parts.form);
    return parts;
  }

  #do(what) {
    const timeline = this.#timeline;
    if (timeline) Promise.resolve(what(timeline)).catch((error) => this.#fail(error));
  }

  #send() {
    const { field } = this.#parts;
    const text = field.value;
    if (!this.#timeline || !text.trim()) return;
    this.#do(async (timeline) => {
      const id = await timeline.send(text);
      if (field.value === text) field.value = "";
      this.dispatchEvent(new CustomEvent("roostsend", { detail: { id, text }, bubbles: true }));
    });
  }

  // Display

  #draw(snapshot, { connection, user, textMost }) {
    const { log, state, field, send } = this.#parts;
    // In code units, of which a text has at least as many as characters.
    field.maxLength = textMost;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    const rows = snapshot.hasOlder ? [this.#parts.older] : [];
    const isGroup = snapshot.conversation?.kind === "group";
    let [lastDay, lastAuthor] = [];
    for (const item of snapshot.items) {
      if (item.type !== "message" || (item.hidden && !isGroup)) continue;
      const today = item.time && this.#day.format(item.time);
      if (today && today !== lastDay) rows.push(this.#kept(`day ${today}`, today, () => make("div", "row note", today)));
      const isFirst = item.from !== lastAuthor || today !== lastDay;
      [lastDay, lastAuthor] = [today ?? lastDay, item.from];
      const author = isGroup && isFirst && !item.isOwn ? nameOf(snapshot, item.from) : undefined;
      rows.push(this.#kept(item.id, JSON.stringify([item, author]), () => this.#row(item, author)));
    }
    this.#put(rows);
    if (isAtEnd) {
      log.scrollTop = log.scrollHeight;
      this.#see(snapshot);
    }
    const { words } = this;
    const problem = snapshot.failure ? words.failed[snapshot.failure.reason]
      : connection.state === "failed" ? words.failed[connection.reason] ?? words.noConnection : undefined;
    const names = snapshot.typing.map((one) => nameOf(snapshot, one));
    state.className = problem ? "problem" : "";
    state.textContent = problem ?? (names.length ? words.typing(names.join(", "))
      : connection.state === "connected" ? "" : words.connecting);
    send.disabled = field.disabled = Boolean(snapshot.failure) || !user;
    if (this.#timeline && field !== this.shadowRoot.activeElement) field.value = snapshot.draft;
  }

  // A row that is the same stays the same element, so that what has the focus or is being clicked isn't replaced.
  #kept(id, look, draw) {
    const before = this.#rows.get(id);
    const row = before?.look === look ? before : { look, element: draw() };
    this.#shown.set(id, row);
    return row.element;
  }

  #put(elements) {
    [this.#rows, this.#shown] = [this.#shown, new Map()];
    const { log } = this.#parts;
    let at = log.firstChild;
    for (const element of elements) {
      if (element === at) at = at.nextSibling;
      else log.insertBefore(element, at);
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  // Only what is on the screen has been read.
  #see(snapshot) {
    const last = snapshot.items.findLast((item) => item.sequence);
    if (last && this.#isOnScreen && document.visibilityState === "visible") this.#do((timeline) => timeline.seen(last.sequence));
  }

  #row(item, author) {
    const row = make("div", item.isOwn ? "row own" : "row");
    row.part = item.isOwn ? "message own" : "message";
    row.dataset.id = item.id;
    if (author) row.append(make("span", "author", author));
    const isGone = item.isDeleted || item.hidden;
    const { words } = this;
    const said = item.isDeleted ? words.deleted : item.hidden ? words.hidden : item.text ?? words.other;
    const text = make("span", isGone ? "gone" : "", said);
    text.dir = "auto";
    const about = [item.time && this.#clock.format(item.time), item.editedAt && !isGone && words.edited];
    if (item.isOwn && item.state && item.state.state !== "failed") about.push(words[item.state.state]);
    row.append(text, make("span", "about", about.filter(Boolean).join(" · ")));
    if (item.state?.state === "failed") {
      row.append(make("span", "about", words.failed[item.state.reason]));
      if (item.outboxItem !== undefined) {
        const again = make("button", "quiet", words.retry);
        again.onclick = () => this.#do((timeline) => timeline.retry(item.outboxItem));
        row.append(again);
      }
    }
    return row;
  }
}

const nameOf = (snapshot, user) => snapshot.people[user]?.name ?? user;

if (!customElements.get("roost-chat")) customElements.define("roost-chat", RoostChat);
