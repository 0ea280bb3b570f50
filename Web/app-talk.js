// The part of the chat page about what is said beside the timeline: requests of strangers, threads, and messages that are
// sent on. app-people.js loads it, and hands in what both use of the page.

import { style } from "./app-dialogs.js";
import { Talk } from "/roost-talk.js?unpacked";

/** Most threads whose begun texts a browser keeps. */
const DRAFTS = 32;
/** Pause after which typed text is kept. Milliseconds. */
const REST = 300;

/** Where a thread has a column of its own beside the conversation. */
const WIDE = matchMedia("(min-width: 75rem)");

const STYLE = `
#requests { display: flex; align-items: center; gap: 0.6rem; flex: none; margin: 0.4rem 0.6rem; text-align: left; }
#requests svg, .forwarded svg { width: 1em; height: 1em; }
#requests .grow { flex: 1; }
#request { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; padding: 0.6rem 0.9rem;
  border-top: 1px solid var(--line); }
#request p { flex: 1 1 14rem; margin: 0; }
.forwarded { display: flex; align-items: center; gap: 0.3rem; margin: 0 0 0.15rem; font-size: 0.85em; font-style: italic; opacity: 0.85; }
#thread-log { overflow: auto; max-height: 55vh; padding: 0.2rem 0; }
#thread-log .message.named { padding-left: 2.6rem; }
/* Beside the conversation, where there is room. */
#thread-dialog[open]:not(:modal) { display: flex; flex-direction: column; grid-row: 2; grid-column: 3; position: static; margin: 0; width: 24rem;
  height: 100%; max-height: none; border: 0; border-left: 1px solid var(--line); border-radius: 0; box-shadow: none; padding: 0.8rem; }
#thread-dialog:not(:modal) #thread-log { flex: 1; max-height: none; }
#thread-log .message { padding-inline: 0; }
#thread-log .thread { display: none; }
#thread-dialog:modal { display: flex; flex-direction: column; min-height: min(26rem, calc(100dvh - 6rem)); }
#thread-dialog:modal #thread-log { flex: 1; }
#thread-form .offers { left: 0; max-height: 13rem; }
#thread-form { display: flex; align-items: end; gap: 0.5rem; margin-top: 0.6rem; }
#thread-form textarea { flex: 1; resize: none; }
#thread-form button { border-radius: 50%; width: 2.75rem; height: 2.75rem; }
`;

const SYMBOLS = {
  thread: "M5 5h14v9H11l-4 4v-4H5zM8.5 8h7M8.5 11h5",
  forward: "M14 6l5.5 5.500L14 17M19 11.500h-8.500c-3.500 0-6 2-6 6.500",
  ask: "M4 6h16v12H4zM4 7l8 6.500L20 7",
};

/** The part as app.js uses it. `tools` makes dialogs and rows in the style of those of people. */
export class TalkPart {
  talk;
  #page;
  #tools;

  constructor(page, tools) {
    this.#page = page;
    this.#tools = tools;
    style(STYLE);
    for (const [name, path] of Object.entries(SYMBOLS)) tools.symbol(page, name, path);
    this.requests = new Requests(page, this, tools);
    this.thread = new ThreadDialog(page, this, tools);
  }

  use(roost) {
    this.talk?.close();
    this.thread.forget();
    this.talk = roost && new Talk(roost);
    const { talk } = this;
    talk?.onChange((snapshot) => { if (this.talk === talk) this.requests.show(snapshot); });
  }

  /** The conversation that is open has changed, or is another one. */
  follow() {
    this.requests.showBar();
    this.thread.follow();
  }

  know(users) { return this.#tools.know(users); }

  /** Shows this part's members of a message's row: the author of a forwarded one, and the way to the thread. */
  patch(row, message, root) {
    const { button, content, called, element, icon, t, text, me } = this.#page;
    const { origin, thread, replies, isDeleted } = message;
    const isForwarded = origin && !isDeleted;
    let label = row.querySelector(".forwarded");
    if (isForwarded && !label) {
      label = element("p", { class: "forwarded" }, icon("forward"), element("span", {}));
      row.querySelector(".words").before(label);
    }
    if (label) label.hidden = !isForwarded;
    if (isForwarded) {
      const tell = () => text(label.lastElementChild, t("forwardedFrom", { name: origin.from === me ? t("youDative") : called(origin.from) }));
      tell();
      this.know([origin.from]).then(tell);
    }
    let way = row.querySelector(".thread");
    const about = root && content(root);
    const words = thread ? (about ? t("threadOf", { text: about.length > 60 ? `${about.slice(0, 60)}…` : about }) : t("inThread"))
      : replies ? (replies.count >= 1_000 ? t("manyReplies", { count: 1_000 }) : t("replies", replies)) : "";
    if (words && !way) {
      way = button("", () => this.thread.open(row.shown.thread ?? row.shown.sequence), { class: "quote thread", tabindex: -1 });
      row.querySelector(".words").after(way);
    }
    if (!way) return;
    way.hidden = !words;
    text(way, words);
  }

  /** The acts for a message, for its menu. */
  actions(message, done) {
    const { conversationView, t } = this.#page;
    const { id, request } = conversationView.snapshot.conversation ?? {};
    if (!id || (request && request !== "sent")) return [];
    const forward = ["forward", t("forward"), done(() => this.#forward(message, id))];
    return [["thread", t("thread"), done(() => this.thread.open(message.thread ?? message.sequence))],
      ...(message.body === undefined ? [] : [forward])];
  }

  /** Forwards a message to a user, or to a group. */
  #forward(message, conversation) {
    const { content, pick, t, tell } = this.#page;
    const done = async ({ key, name, isGroup }) => {
      await this.talk.forward(message, conversation, isGroup ? key : `@${key}`);
      tell(t("forwardedTo", { name }));
      return true;
    };
    return pick({ title: t("forwardTo"), about: t("quoted", { text: content(message) }), places: true, done });
  }
}

// Requests of strangers -----------------------------------------------------------------------------------------------

/** The list of what strangers ask, apart from the conversations, and a bar in each such conversation. */
class Requests {
  #page;
  #part;
  #tools;

  constructor(page, part, tools) {
    this.#page = page;
    this.#part = part;
    this.#tools = tools;
    const { $, element, icon, t } = page;
    this.button = element("button", { type: "button", id: "requests", "aria-haspopup": "dialog", hidden: "" }, icon("ask"),
      element("span", { class: "grow" }, t("requests")), element("span", { class: "count" }));
    this.button.addEventListener("click", () => this.open());
    $("list").before(this.button);
    tools.dialog(page, "requests", t("requests"),
      element("p", { class: "faint" }, t("requestsHint")),
      element("p", { id: "requests-problem", class: "problem", role: "alert" }),
      element("ul", { id: "requests-list" }),
      element("p", { id: "requests-empty", class: "faint" }));
    this.words = element("p", {});
    this.acts = element("span", { class: "acts" });
    this.bar = element("section", { id: "request", "aria-label": t("request"), hidden: "" }, this.words, this.acts);
    $("trouble").before(this.bar);
  }

  open() {
    const { text, $, showDialog } = this.#page;
    text($("requests-problem"), "");
    showDialog("requests-dialog");
    this.show(this.#part.talk.snapshot);
  }

  show({ requests, hasMore }) {
    const { $, attribute, meet, t, text } = this.#page;
    meet(requests.map((one) => one.person).filter((one) => one.version !== undefined));
    const count = `${requests.length}${hasMore ? "+" : ""}`;
    this.button.hidden = !requests.length;
    text(this.button.lastElementChild, count);
    attribute(this.button, "aria-label", t("requestCount", { count: requests.length }));
    this.showBar();
    if (!$("requests-dialog").open) return;
    text($("requests-empty"), !requests.length ? t("noRequests") : hasMore ? t("moreRequests") : "");
    const close = $("requests-dialog").querySelector("[data-close]");
    this.#tools.fill($("requests-list"), requests.map((one) => this.#row(one)), close);
  }

  #row({ conversation, user, message }) {
    const { $, attempt, go, preview, t, text } = this.#page;
    const act = (does) => () => attempt(does, (problem) => text($("requests-problem"), problem));
    return this.#tools.row(user, preview(message) || `@${user}`, [
      [t("read"), () => {
        $("requests-dialog").close();
        go(`@${user}`);
      }],
      [t("accept"), act(() => this.#part.talk.accept(conversation)), { class: "filled" }],
      [t("ignore"), act(() => this.#part.talk.drop(conversation))],
    ]);
  }

  /** In a conversation that is a request, what it is and what one can do. */
  showBar() {
    const { conversationView, t, text, called } = this.#page;
    const { conversation } = conversationView.snapshot ?? {};
    const request = conversation?.request;
    // The sender of a waiting request reads that in place of the field.
    this.bar.hidden = !request || request === "sent";
    const name = conversationView.title;
    const signature = `${conversation?.id} ${request} ${name}`;
    if (this.bar.hidden || this.bar.dataset.signature === signature) return;
    this.bar.dataset.signature = signature;
    const user = conversationView.place.slice(1);
    text(this.words, t(`request.${request}`, { name: called(user) }));
    this.acts.replaceChildren(...this.#acts(conversation.id, request, user));
  }

  #acts(id, request, user) {
    const { attempt, button, go, t } = this.#page;
    const leave = async (does) => { if (await attempt(async () => { await does(); return true; })) go(undefined); };
    const accept = button(t("accept"), () => attempt(() => this.#part.talk.accept(id)), { class: "filled" });
    const drop = button(t("ignore"), () => leave(() => this.#part.talk.drop(id)));
    const block = button(t("block"), () => attempt(() => this.#tools.block(user)));
    return request === "dropped" ? [accept, block] : [accept, drop, block];
  }
}

// Threads -------------------------------------------------------------------------------------------------------------

/** The messages of one thread, as they come, and a field to write there. */
class ThreadDialog {
  #page;
  #part;
  #tools;
  #thread;
  #conversation;
  #isAtEnd = true;
  #isMoving = false;
  #isOffering = false;
  /** The name of what is begun here, by conversation and root, and whose it is. */
  #draft;
  #user;
  #timer;

  constructor(page, part, tools) {
    this.#page = page;
    this.#part = part;
    this.#tools = tools;
    const { element, icon, messageRows, Rows, t } = page;
    this.log = element("div", {
      id: "thread-log", role: "log", "aria-live": "polite", "aria-label": t("threadMessages"), tabindex: 0 });
    this.older = element("button", { type: "button", id: "thread-older", class: "quiet", hidden: "" }, t("showEarlier"));
    this.field = element("textarea", { id: "thread-text", rows: 2, dir: "auto", enterkeyhint: "send", placeholder: t("writeInThread") });
    this.empty = element("p", { id: "thread-empty", class: "faint" });
    this.problem = element("p", { class: "problem", role: "alert" });
    this.closed = element("p", { id: "thread-closed", class: "faint" });
    this.form = element("form", { id: "thread-form", autocomplete: "off" },
      element("label", { class: "hidden", for: "thread-text" }, t("messageInThread")), this.field,
      element("button", { class: "icon filled", "aria-label": t("sendInThread") }, icon("send")));
    this.dialog = tools.dialog(page, "thread", t("thread"), this.older, this.log, this.empty, this.problem, this.closed, this.form);
    this.rows = new Rows(this.log, {
      key: (one) => one.id,
      make: (one) => messageRows.make(one),
      patch: (row, message) => messageRows.patch(row, {
        message, isFirst: true, quoted: message.replyTo ? page.conversationView.quotedMessage(message.replyTo) : undefined,
      }),
    });
    this.#listen();
  }

  #listen() {
    const { attempt, text } = this.#page;
    this.older.addEventListener("click", () => attempt(() => this.#thread.loadOlder(), (words) => text(this.problem, words)));
    // A quoted message is shown in its place, among the others.
    this.log.addEventListener("click", ({ target }) => {
      if (target.closest(".quote") && this.dialog.matches(":modal")) this.dialog.close();
    });
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.dialog.matches(":modal")) return;
      event.preventDefault();
      event.stopPropagation();
      this.dialog.close();
    });
    WIDE.addEventListener("change", () => { if (this.dialog.open) this.#place(); });
    this.log.addEventListener("scroll", () => {
      this.#isAtEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40;
    }, { passive: true });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#keep(), REST);
    });
    addEventListener("pagehide", () => this.#keep());
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches) return;
      event.preventDefault();
      this.#send();
    });
    this.dialog.addEventListener("close", () => {
      if (this.#isMoving) this.#isMoving = false;
      else this.forget();
    });
  }

  async open(root) {
    const { attempt, conversationView, text } = this.#page;
    this.forget();
    const { id } = conversationView.snapshot.conversation;
    const thread = await attempt(() => this.#part.talk.thread(id, root));
    if (!thread || conversationView.snapshot?.conversation?.id !== id) return thread?.close();
    this.#thread = thread;
    this.#conversation = id;
    this.#isAtEnd = true;
    const { known, me } = this.#page;
    [this.#user, this.#draft] = [me, `${id} ${root}`];
    this.field.value = known.of(me).threads?.[this.#draft] ?? "";
    text(this.problem, "");
    this.#place();
    thread.onChange((snapshot) => { if (this.#thread === thread) this.show(snapshot); });
    this.field.focus();
    // People are offered here as below the conversation.
    if (!this.#isOffering) attempt(async () => {
      const { mentions } = await this.#page.loadWriting();
      if (!this.#isOffering) mentions.attach(this.form, this.field);
      this.#isOffering = true;
    }, () => {});
    return undefined;
  }

  /** Beside the conversation if there is room, otherwise over it. */
  #place() {
    const { $, showDialog, tools } = this.#page;
    if (this.dialog.open && this.dialog.matches(":modal") === !WIDE.matches) return;
    const { thread, draft } = { thread: this.#thread, draft: this.field.value };
    // Closing it for the other form isn't the end of the thread.
    this.#isMoving = this.dialog.open;
    if (this.dialog.open) this.dialog.close();
    (WIDE.matches ? $("chat") : document.body).append(this.dialog);
    if (WIDE.matches) {
      tools.hide();
      this.dialog.show();
    } else showDialog("thread-dialog");
    this.field.value = draft;
    this.#thread = thread;
    this.showClosed(this.#page.conversationView.closed);
  }

  show({ root, items, isKnown, hasOlder }) {
    const { t, text } = this.#page;
    this.rows.show([...(root ? [root] : []), ...items]);
    for (const row of this.log.children) row.removeAttribute("tabindex");
    this.older.hidden = !hasOlder;
    text(this.empty, items.length ? "" : isKnown ? t("emptyThread") : "…");
    if (this.#isAtEnd) this.log.scrollTop = this.log.scrollHeight;
    this.#part.know([root, ...items].map((one) => one?.from).filter(Boolean));
  }

  /** Where the user can't write in the conversation, the field isn't there either. The way out stands below the conversation. */
  showClosed({ words } = {}) {
    this.form.hidden = words !== undefined;
    this.closed.hidden = words === undefined;
    this.#page.text(this.closed, (this.dialog.open && words) || "");
  }

  /** Another conversation is open, or none. */
  follow() {
    if (this.#thread && this.#page.conversationView.snapshot?.conversation?.id !== this.#conversation) this.dialog.close();
  }

  forget() {
    this.#keep();
    this.#thread?.close();
    this.#thread = undefined;
    this.rows.show([]);
  }

  /** Keeps what is begun, the last DRAFTS of a user, until it is sent. After a sign-out nothing is kept. */
  #keep() {
    clearTimeout(this.#timer);
    const { known, me } = this.#page;
    if (!this.#thread || me !== this.#user) return;
    const { [this.#draft]: _, ...threads } = known.of(me).threads ?? {};
    if (this.field.value.trim()) threads[this.#draft] = this.field.value;
    known.note(me, { threads: Object.fromEntries(Object.entries(threads).slice(-DRAFTS)) });
  }

  async #send() {
    const { attempt, text } = this.#page;
    const words = this.field.value;
    if (words.trim() === "" || !this.#thread) return;
    this.field.value = "";
    this.#keep();
    this.#isAtEnd = true;
    text(this.problem, "");
    const mentions = this.#page.mentionsIn(words);
    await attempt(() => this.#thread.send(words, mentions.length ? { mentions } : {}), (problem) => {
      // The typed text must not be lost with the error.
      if (this.field.value === "") this.field.value = words;
      this.#keep();
      text(this.problem, problem);
    });
  }
}
