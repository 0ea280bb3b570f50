// The part of the chat page for picking people: for a new conversation, a new group, new members, and, with groups, for
// forwarding a message. app.js loads it when a user needs one of these. It offers users known to this device, and those
// found by the relay: never a name that doesn't exist, according to the relay.

import { Choices, matches, STYLE as CHOICES } from "./app-choices.js";
import { dialog, field, style } from "./app-dialogs.js";

/** People shown as recent while nothing is looked for, and most rows of one section. */
const RECENT = 8;
const ROWS = 50;
/** Most people that a search by the relay shows. */
const FOUND = 20;
/** Milliseconds without a key before the relay is asked. */
const PAUSE = 200;

const STYLE = `
#pick-dialog[open] { display: flex; flex-direction: column; height: min(40rem, calc(100dvh - 3rem)); max-height: none; padding: 1.2rem 0 0; }
#pick-dialog > :not(#pick-list) { margin-inline: 1.2rem; }
#pick-form { display: flex; flex-direction: column; gap: 0.6rem; margin-top: 0.4rem; }
#pick-form .field { margin: 0; }
#pick-about { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#pick-box { display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: center; background: var(--other); border: 1px solid var(--edge);
  border-radius: 0.6rem; padding: 0.3rem 0.4rem; max-height: 8.5rem; overflow-y: auto; }
#pick-box:focus-within { outline: 2px solid var(--accent); outline-offset: -1px; }
#pick-box input { border: 0; background: none; flex: 1 1 8rem; min-width: 0; min-height: 2rem; padding: 0.2rem 0.4rem; outline: 0; }
#pick-chosen { display: contents; }
#pick-chosen li { max-width: 100%; }
#pick-chosen button { display: flex; align-items: center; gap: 0.3rem; min-height: 2rem; padding: 0.1rem 0.3rem 0.1rem 0.7rem; border-radius: 1rem;
  background: var(--own); border-color: transparent; font-size: 0.9rem; max-width: 100%; }
#pick-chosen span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#pick-chosen svg { width: 1rem; height: 1rem; }
#pick-group { display: flex; align-items: center; gap: 0.7rem; border: 0; background: none; text-align: left; min-height: 3rem; padding: 0.35rem 0.6rem;
  margin: 0.5rem 0.6rem -0.2rem !important; font-weight: 600; }
#pick-group:hover { background: var(--hover); }
#pick-group span { width: 2.25rem; height: 2.25rem; border-radius: 50%; display: grid; place-items: center; background: var(--accent); color: var(--on-accent); }
#pick-list { flex: 1; min-height: 0; overflow-y: auto; padding: 0.3rem 0.6rem 1rem; }
#pick-status:not(:empty) { margin-block: 0.7rem; }
#pick-problem { margin-block: 0.4rem; }
#pick-end { border-top: 1px solid var(--line); margin-inline: 0 !important; padding: 0.8rem 1.2rem calc(0.8rem + env(safe-area-inset-bottom)); }
dialog #pick-end.row { margin-top: auto; }
@media (max-width: 44rem) {
  #pick-dialog[open] { width: 100vw; max-width: none; height: 100dvh; margin: 0; border: 0; border-radius: 0; }
}
@media (pointer: coarse) { #pick-box :is(button, input) { min-height: 2.75rem; } }
`;

export function begin(page) {
  style(CHOICES + STYLE);
  return new Picker(page);
}

class Picker {
  #page;
  #part;
  #timer;
  /** The wish, as `open` has it. */
  #wish = {};
  /** The chosen ones, by their keys, if several can be chosen. */
  #chosen = new Map();
  /** The relay's results, the words of that search, and whether one is under way. */
  #found = { words: "", profiles: [], state: "" };

  constructor(page) {
    this.#page = page;
    const { $, element, icon, t } = page;
    const plus = element("span", { "aria-hidden": "true" }, icon("people"));
    this.dialog = dialog(page, "pick", "",
      element("p", { id: "pick-about", class: "faint", dir: "auto" }),
      element("form", { id: "pick-form" },
        field(page, "pick-name", t("groupName"), "input", { maxlength: 120, autocomplete: "off", dir: "auto" }),
        element("p", { class: "field" }, element("label", { for: "pick-find", id: "pick-label" }),
          element("span", { id: "pick-box" }, element("ul", { id: "pick-chosen", "aria-label": t("chosenPeople") }),
            element("input", { id: "pick-find", role: "combobox", "aria-expanded": "false", autocomplete: "off", autocapitalize: "none",
              spellcheck: "false", dir: "auto", maxlength: 64 })))),
      element("button", { type: "button", id: "pick-group" }, plus, t("newGroup")),
      element("p", { id: "pick-problem", class: "problem", role: "alert" }),
      element("p", { id: "pick-status", class: "faint", role: "status" }),
      element("div", { id: "pick-list", "aria-label": t("people") }),
      element("div", { id: "pick-end", class: "row end" }, element("button", { type: "button", "data-close": "" }, t("cancel")),
        element("button", { form: "pick-form", id: "pick-submit", class: "filled" })));
    this.choices = new Choices(page, { field: $("pick-find"), list: $("pick-list"), choose: (item) => this.#choose(item) });
    this.#listen();
  }

  #listen() {
    const { $ } = this.#page;
    $("pick-find").addEventListener("input", () => this.#typed());
    $("pick-find").addEventListener("keydown", (event) => {
      if (this.choices.pressed(event)) return;
      // Nothing is marked: what is typed is looked for, and nothing else happens.
      if (event.key === "Enter" && event.target.value.trim()) event.preventDefault();
      else if (event.key === "Backspace" && !event.target.value && this.#chosen.size) this.#drop([...this.#chosen.keys()].at(-1));
    });
    $("pick-box").addEventListener("click", ({ target }) => { if (target.id === "pick-box") $("pick-find").focus(); });
    $("pick-group").addEventListener("click", () => this.#wish.group());
    $("pick-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.dialog.addEventListener("close", () => {
      clearTimeout(this.#timer);
      this.choices.hide();
    });
  }

  /** Asks for people, and passes the choice to `done`, which returns whether that has ended it. A wish has a
   *  `title`; `about`, a line below it; `places`, if groups can be chosen, too; `isMany` with `act`, the text of the
   *  button; `isNamed`, if that makes a group; `without`, users who aren't offered; and `group`, the way to a group. */
  async open(wish) {
    const { $, attribute, loadPart, showDialog, t, text } = this.#page;
    this.#part = await loadPart();
    this.#wish = wish;
    this.#chosen.clear();
    this.#found = { words: "", profiles: [], state: "" };
    text($("pick-title"), wish.title);
    text($("pick-about"), wish.about ?? "");
    $("pick-about").hidden = !wish.about;
    $("pick-name").parentNode.hidden = !wish.isNamed;
    $("pick-name").value = $("pick-find").value = "";
    text($("pick-label"), wish.isMany ? t("members") : "");
    $("pick-label").hidden = !wish.isMany;
    const words = t(wish.places ? "searchPeopleAndGroups" : "searchPeople");
    attribute($("pick-find"), "placeholder", words);
    attribute($("pick-find"), "aria-label", wish.isMany ? undefined : words);
    $("pick-group").hidden = !wish.group;
    $("pick-end").hidden = !wish.isMany;
    text($("pick-submit"), wish.act ?? "");
    this.choices.isMany = wish.isMany === true;
    this.choices.unmark();
    this.#problem("");
    showDialog("pick-dialog");
    $("pick-list").scrollTop = 0;
    this.#show();
    (wish.isNamed ? $("pick-name") : $("pick-find")).focus();
    // Names of users that no list contains.
    await this.#part.know([...this.#part.people.snapshot.contacts.map(({ user }) => user), ...this.#neighbours]);
    if (this.#wish === wish) this.#show();
  }

  /** Members of the groups in the list. */
  get #neighbours() {
    const { rows } = this.#page.listView.snapshot;
    return [...new Set(rows.flatMap(({ conversation }) => (conversation?.kind === "group" ? conversation.members : [])))];
  }

  #problem(words) { this.#page.text(this.#page.$("pick-problem"), words); }

  get #wanted() { return this.#page.$("pick-find").value.trim().replace(/^@/, ""); }

  #typed() {
    const { $ } = this.#page;
    const wanted = this.#wanted;
    this.#problem("");
    clearTimeout(this.#timer);
    this.choices.unmark();
    const isLive = this.#page.roost.snapshot.connection.state === "connected";
    if (wanted !== this.#found.words) this.#found = { words: wanted, profiles: [], state: wanted && (isLive ? "asks" : "away") };
    if (this.#found.state === "asks") this.#timer = setTimeout(() => this.#find(wanted), PAUSE);
    $("pick-list").scrollTop = 0;
    this.#show();
  }

  /** Searches at the relay and, if no result has exactly that name, asks whether it is an id or a username. */
  async #find(words) {
    const { meet, me } = this.#page;
    const told = await this.#part.people.find(words, { limit: FOUND }).catch(() => undefined);
    const profiles = (told?.profiles ?? []).filter(({ user }) => user !== me);
    meet(profiles);
    const isNamed = ({ user, username = "" }) => user === words || username.toLowerCase() === words.toLowerCase();
    if (!profiles.some(isNamed)) profiles.push(...await this.#exactly(words));
    if (this.#found.words !== words) return;
    this.#found = { words, profiles, state: told ? "told" : "failed" };
    this.#show();
  }

  /** The user with exactly this name that a search doesn't show. A relay with users from elsewhere can't be sure. */
  async #exactly(name) {
    const { NAME, me, meet, people, roost } = this.#page;
    if (!NAME.test(name) || name === me) return [];
    if (people[name]?.version) return [{ user: name }];
    try {
      const [profile] = (await roost.request("user.get", { users: [name] })).profiles;
      if (profile.version) {
        meet([profile]);
        return profile.user === me ? [] : [profile];
      }
      const [{ user }] = (await roost.request("watch", { users: [name] })).users;
      return user === me ? [] : [{ user, isUnsure: user === name }];
    } catch ({ code }) {
      // A hidden user exists all the same, and strangers can receive requests. Otherwise the name doesn't exist.
      return ["forbidden", "no_relationship"].includes(code) ? [{ user: name, isUnsure: true }] : [];
    }
  }

  // -- What is offered

  /** One item for each, in the first section that has it. */
  #sections() {
    const { listView, me, called, language, t } = this.#page;
    const { contacts, blocked } = this.#part.people.snapshot;
    const wanted = this.#wanted;
    const taken = new Set([me, ...(this.#wish.without ?? []), ...(this.#wish.isMany || this.#wish.places ? blocked : [])]);
    const section = (title, items, most = ROWS) => {
      const shown = items.filter(({ key, names }) => !taken.has(key) && (!wanted || matches(names, wanted))).slice(0, most);
      for (const { key } of shown) taken.add(key);
      return { title, items: shown };
    };
    const byName = (users) => users.sort((one, other) => language.compare(called(one), called(other)));
    const rows = listView.snapshot.rows.filter(({ conversation }) => !conversation?.request);
    const recent = rows.filter(({ peer }) => peer || this.#wish.places).map((row) => (row.peer ? this.#person(row.peer) : this.#group(row)));
    const people = (users) => users.filter((user) => !this.#page.people[user]?.deleted).map((user) => this.#person(user));
    return [
      section(t(wanted ? "conversations" : "recent"), recent.filter(({ key }) => !this.#page.people[key]?.deleted), wanted || this.#wish.places ? ROWS : RECENT),
      section(t("contacts"), people(byName(contacts.filter(({ state }) => state === "accepted").map(({ user }) => user)))),
      section(t("fromYourGroups"), people(byName(this.#neighbours))),
      // The relay has matched these, by what may not be shown.
      { title: t("morePeople"), items: this.#found.profiles.filter(({ user }) => !taken.has(user)).map((one) => this.#person(one.user, one.isUnsure)) },
    ];
  }

  #person(user, isUnsure = false) {
    const { address, called, presenceOf, t } = this.#page;
    const name = called(user);
    const shown = address(user);
    return {
      key: user, name: isUnsure ? `@${user}` : name, names: [name, shown.slice(1)].filter(Boolean), sign: isUnsure ? "@" : undefined,
      line: isUnsure ? t("checkSpelling") : shown === `@${name}` ? "" : shown,
      state: presenceOf(user)?.state, isUnsure, isChosen: this.#chosen.has(user),
    };
  }

  #group(row) {
    const { listView, t } = this.#page;
    const name = listView.titleOf(row);
    return { key: row.id, name, names: [name], isGroup: true, line: row.conversation ? t("memberCount", row.conversation) : t("group") };
  }

  #show() {
    const { $, element, icon, t } = this.#page;
    if (!this.dialog.open) return;
    const sections = this.#sections();
    const count = sections.reduce((sum, { items }) => sum + items.length, 0);
    // Without a search, Enter must not choose a user by accident.
    this.choices.show(sections, { isMarked: this.#wanted !== "" });
    this.#page.text($("pick-status"), this.#status(count));
    $("pick-chosen").replaceChildren(...[...this.#chosen].map(([key, { name }]) => {
      const made = element("button", { type: "button", "aria-label": t("actFor", { act: t("remove"), name }) }, element("span", { dir: "auto" }, name), icon("close"));
      made.addEventListener("click", () => this.#drop(key));
      return element("li", {}, made);
    }));
    $("pick-chosen").hidden = !this.#chosen.size;
    $("pick-submit").disabled = !this.#chosen.size;
    this.#page.attribute($("pick-box"), "title", this.#chosen.size ? t("chosenCount", { count: this.#chosen.size }) : undefined);
  }

  #status(count) {
    const { t } = this.#page;
    const { state, words } = this.#found;
    if (count) return "";
    if (!this.#wanted) return t("searchHint");
    if (state === "asks") return t("searching");
    return state === "away" || state === "failed" ? t("cantSearch") : t("noneFound", { words });
  }

  // -- What is chosen

  #choose(item) {
    const { $ } = this.#page;
    if (!this.#wish.isMany) return this.#finish(item);
    if (this.#chosen.delete(item.key)) return this.#show();
    this.#chosen.set(item.key, item);
    $("pick-find").value = "";
    this.#typed();
    $("pick-find").focus();
    $("pick-box").scrollTop = $("pick-box").scrollHeight;
    return undefined;
  }

  #drop(key) {
    this.#chosen.delete(key);
    this.#show();
    this.#page.$("pick-find").focus();
  }

  #submit() {
    const { $ } = this.#page;
    if (!this.#wish.isMany) return undefined;
    const name = $("pick-name").value.trim();
    if (this.#wish.isNamed && !name) {
      this.#problem(this.#page.t("nameTheGroup"));
      return $("pick-name").focus();
    }
    if (!this.#chosen.size) return $("pick-find").focus();
    return this.#finish([...this.#chosen.keys()], name);
  }

  async #finish(chosen, name) {
    const { $, attempt } = this.#page;
    const { done } = this.#wish;
    $("pick-submit").disabled = true;
    const isDone = await attempt(() => done(chosen, name), (words) => this.#problem(words));
    $("pick-submit").disabled = !this.#chosen.size;
    if (isDone) this.dialog.close();
  }
}
