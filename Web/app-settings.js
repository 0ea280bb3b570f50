// The part of the chat page with the settings: who one is, what others see, what makes a sound, where one is signed in, and the
// account. It is a page with an address for each section (#/settings/privacy). app.js loads it when one is opened.

import { AccountSection, DeviceSection } from "./app-account.js";
import { field, style, symbol } from "./app-dialogs.js";

const STYLE = `
#settings { grid-row: 2; grid-column: 1 / -1; display: grid; grid-template-columns: minmax(16rem, 21rem) minmax(0, 1fr); min-height: 0; }
[data-view=settings] :is(#side, #pane) { display: none; }
#settings-nav { background: var(--side); border-right: 1px solid var(--line); overflow-y: auto; }
#settings-nav .bar { position: sticky; top: 0; background: var(--side); }
#settings h1, #settings-pane h2 { font-size: 1.15rem; outline: 0; }
#settings-nav ul { padding: 0.5rem; }
#settings-nav :is(a, li button) { display: flex; align-items: center; gap: 0.9rem; width: 100%; padding: 0.55rem 0.75rem; min-height: 3rem; border: 0;
  border-radius: 0.6rem; background: none; color: var(--text); text-decoration: none; text-align: left; }
#settings-nav :is(a, li button):hover { background: var(--hover); }
#settings-nav a[aria-current], #settings-nav a[aria-current]:hover { background: var(--own); box-shadow: inset 3px 0 var(--accent); font-weight: 600; }
#settings-nav svg { color: var(--faint); }
#settings-nav hr { margin: 0.4rem 0.75rem; }
#settings-pane { min-width: 0; overflow-y: auto; display: flex; flex-direction: column; }
#settings-pane .bar { position: sticky; top: 0; background: var(--ground); z-index: 1; padding-inline: 1.5rem; }
#settings-pane > section { width: 100%; max-width: 38rem; padding: 0.6rem 1.5rem 3rem; overflow-wrap: anywhere; }
#settings-pane h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
#settings-pane :is(input:not([type=radio]), textarea, select) { width: 100%; }
#settings-pane textarea { resize: vertical; }
#settings-pane .row.end { margin-top: 1rem; }
#settings-pane .field.row { flex-direction: row; }
#settings-pane .field .faint { margin-top: 0.1rem; }
#settings-pane li.row { flex-wrap: nowrap; gap: 0.8rem; padding: 0.5rem 0; min-height: 3.4rem; }
#settings-pane li.row button { flex: none; }
#settings-pane li .avatar { width: 2.25rem; height: 2.25rem; font-size: 0.95rem; }
#settings-pane li .who > * { white-space: normal; }
#settings-pane .fresh { color: var(--accent); font-weight: 600; }
#settings-self { display: flex; align-items: center; gap: 1rem; margin-top: 0.6rem; }
#settings-self .avatar { width: 4rem; height: 4rem; font-size: 1.6rem; }
#settings-self .who > * { white-space: normal; }
#settings .states { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.5rem; }
#settings .states label { border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.5rem 0.55rem; cursor: pointer; overflow-wrap: normal; }
#settings .states label:has(:checked) { border-color: var(--accent); background: var(--own); }
#settings .states label:focus-within { outline: 2px solid var(--accent); outline-offset: 1px; }
#settings .states input:focus-visible { outline: 0; }
#settings-up { display: none; }
@media (max-width: 44rem) {
  #settings { grid-template-columns: minmax(0, 1fr); }
  #settings[data-section=""] #settings-pane, #settings:not([data-section=""]) #settings-nav { display: none; }
  #settings-up { display: inline-flex; margin-left: -0.4rem; }
  #settings-pane > section { padding-inline: 1rem; }
  #settings-pane .bar { padding-inline: 0.75rem; }
}
`;

const SYMBOLS = {
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c0-3.800 3.300-6 7.500-6s7.500 2.200 7.500 6",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  bell: "M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 1.500h-15zM10 20.500h4",
  device: "M3.500 5.500h17v10.500h-17zM9 20h6M12 16v4",
  key: "M8 16a4 4 0 1 1 3.800-5.300H20v3.300h-2.500v2H14v-2h-2.200A4 4 0 0 1 8 16z",
  globe: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM3.500 12h17M12 3.500c2.500 2.300 3.700 5.200 3.700 8.500s-1.200 6.200-3.700 8.500c-2.500-2.300-3.700-5.200-3.700-8.500s1.200-6.200 3.700-8.500z",
  server: "M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.5M7.500 16h.5",
  keyboard: "M3 6.500h18v11H3zM7 10h.5M11 10h.5M15 10h.5M8 14h8",
};

/** Where one column has to do, as in app.css. */
const NARROW = matchMedia("(max-width: 44rem)");

let isStyled = false;

export function begin(page) {
  // Each user gets settings of its own.
  if (!isStyled) style(STYLE);
  isStyled = true;
  for (const [name, path] of Object.entries(SYMBOLS)) symbol(page, name, path);
  return new Settings(page);
}

/** The page: a list of sections, and the one that is open. Where there is no room for both, one of them at a time. */
class Settings {
  /** The part about people, while the page is shown and it is there. */
  part;
  #page;
  #stops = [];
  /** Where its user was before. */
  #before;
  /** The section in the address, the one in sight, and the one that was in sight last. */
  #wanted = "";
  #shown;
  #last;

  constructor(page) {
    this.#page = page;
    this.sections = [new ProfileSection(page), new PrivacySection(page), new NotificationSection(page), new LanguageSection(page),
      new DeviceSection(page), new AccountSection(page)];
    this.#make();
    this.main.addEventListener("keydown", (event) => this.#pressed(event));
    NARROW.addEventListener("change", () => { if (!this.main.hidden) this.#choose(this.#wanted); });
  }

  #make() {
    const { $, button, element, goSettings, icon, showDialog, t } = this.#page;
    const back = (id, label, act) => {
      const made = button("", act, { id, class: "icon", "aria-label": label, title: label });
      made.append(icon("back"));
      return made;
    };
    const links = this.sections.map(({ name, sign, title }) => {
      const made = element("a", { href: `#/settings/${name}`, "data-name": name });
      made.append(icon(sign), title);
      return element("li", {}, made);
    });
    const keys = button("", () => showDialog("keys-dialog"), { id: "keys-button", "aria-haspopup": "dialog" });
    keys.append(icon("keyboard"), t("shortcuts"));
    const manage = element("a", { href: "/admin", "data-name": "admin" });
    manage.append(icon("server"), t("manageServer"));
    this.manage = element("li", { hidden: "" }, manage);
    this.nav = element("nav", { id: "settings-nav", "aria-label": t("settings") },
      element("header", { class: "bar" }, back("settings-close", t("backToConversations"), () => this.leave()),
        element("h1", { id: "settings-title", tabindex: -1 }, t("settings"))),
      element("ul", {}, ...links, element("li", {}, keys), this.manage));
    this.title = element("h2", { id: "settings-name", tabindex: -1 });
    this.pane = element("div", { id: "settings-pane" },
      element("header", { class: "bar" }, back("settings-up", t("backToSettings"), () => goSettings()), this.title),
      ...this.sections.map((one) => one.element));
    this.main = element("main", { id: "settings", "aria-labelledby": "settings-title", "data-section": "", hidden: "" }, this.nav, this.pane);
    $("pane").after(this.main);
  }

  /** Shows a section; without a name the list of them, or the first one if there is room for both. `before` is the place to
   *  which one comes back. */
  async show(name, before) {
    const { $, loadPart, roost } = this.#page;
    const isOpen = !this.main.hidden;
    if (!isOpen) [this.#before, this.#last] = [before, undefined];
    document.body.dataset.view = "settings";
    this.main.hidden = false;
    this.#choose(name ?? "");
    this.#offer();
    // On a phone, what had the focus is in sight no longer.
    if (!isOpen) $("settings-title").focus();
    else if (NARROW.matches) (this.#shown ? this.title : this.nav.querySelector(`[data-name=${this.#last ?? "profile"}]`)).focus();
    const part = await loadPart().catch(() => undefined);
    if (!part || this.main.hidden || roost !== this.#page.roost || this.#stops.length) return;
    this.part = part;
    const again = () => { if (!this.main.hidden && roost === this.#page.roost) this.patch(); };
    this.#stops = [part.people.onChange(again), roost.onChange(again), roost.conversations.onChange(again)];
  }

  /** Offers operators the way to their page. The token's own words are enough to show a link: the relay and the
   *  services check it. */
  async #offer() {
    const { accounts, me } = this.#page;
    const words = await accounts?.token(me).catch(() => undefined);
    let scope = "";
    try {
      scope = JSON.parse(atob(words.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).scope;
    } catch { /* A token of another issuer, or none. */ }
    const isThere = scope.split(" ").includes("admin") && await fetch("/admin", { method: "HEAD" }).then(({ ok }) => ok, () => false);
    if (me === this.#page.me) this.manage.hidden = !isThere;
  }

  #choose(name) {
    const { attribute, text } = this.#page;
    this.#wanted = name;
    const found = this.sections.find((one) => one.name === name) ?? (NARROW.matches ? undefined : this.sections[0]);
    const isNew = found !== this.#shown;
    this.#shown = found;
    if (found) this.#last = found.name;
    this.main.dataset.section = found?.name ?? "";
    for (const one of this.sections) one.element.hidden = one !== found;
    for (const one of this.nav.querySelectorAll("a")) attribute(one, "aria-current", one.dataset.name === found?.name && "page");
    text(this.title, found?.title ?? "");
    if (!found || !isNew) return;
    this.pane.scrollTop = 0;
    this.#page.myAccount.know();
    found.open?.();
    this.patch();
  }

  /** Shows what has changed. */
  patch() {
    const { part } = this;
    this.#shown?.show?.({ roost: this.#page.roost.snapshot, people: part?.people.snapshot, part });
  }

  /** The account has changed. */
  reopen() { if (this.#shown?.name !== "profile") this.#shown?.open?.(); }

  #pressed(event) {
    if (event.key !== "Escape" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    event.stopPropagation();
    if (NARROW.matches && this.#shown) this.#page.goSettings();
    else this.leave();
  }

  /** Another page is shown. */
  hide() {
    if (this.main.hidden) return;
    for (const stop of this.#stops.splice(0)) stop();
    this.main.hidden = true;
    this.part = this.#shown = undefined;
  }

  /** Nothing of its user is left on the page. */
  close() {
    this.hide();
    this.main.remove();
  }

  leave() {
    const { $, go } = this.#page;
    go(this.#before);
    if (!this.#before) $("me").focus();
  }
}

/** The common part of sections with forms: a problem below the fields, and words when all is well. */
async function save(page, problem, does, words) {
  page.text(problem, "");
  try {
    await does();
  } catch (error) {
    page.text(problem, page.reason(error));
    return;
  }
  page.tell(words);
}

/** Fills a field with what is known now, unless something else is being typed. */
function follow(input, value) {
  if (input.dataset.known !== undefined && input.value !== input.dataset.known) return;
  input.value = input.dataset.known = value;
}

class ProfileSection {
  name = "profile";
  title;
  sign = "person";
  #page;
  #profile;

  constructor(page) {
    this.#page = page;
    const { element, t } = page;
    this.title = t("profile");
    const plain = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };
    this.avatar = element("span", { "aria-hidden": "true" });
    this.called = element("span", { class: "strong", dir: "auto" });
    this.address = element("span", { class: "faint", dir: "auto" });
    const username = field(page, "profile-username", t("username"), "input", { maxlength: 32, "aria-describedby": "profile-username-help", ...plain });
    username.append(element("span", { id: "profile-username-help", class: "faint" }, t("usernameHint")));
    this.problem = element("p", { class: "problem", role: "alert" });
    this.form = element("form", { id: "profile-form" },
      field(page, "profile-name", t("name"), "input", { maxlength: 64, autocomplete: "nickname", required: "", dir: "auto" }), username,
      field(page, "profile-bio", t("bio"), "textarea", { rows: 3, maxlength: 300, dir: "auto" }), this.problem,
      element("div", { class: "row end" }, element("button", { class: "filled" }, t("saveProfile"))));
    this.statusProblem = element("p", { class: "problem", role: "alert" });
    this.status = element("form", { id: "status-form" },
      element("fieldset", { class: "choice states" }, element("legend", { class: "hidden" }, t("status")),
        ...["auto", "away", "busy", "invisible"].map((value) => (
          element("label", {}, element("input", { type: "radio", name: "state", value }), t(`choice.${value}`))))),
      field(page, "status-text", t("statusMessage"), "input", { maxlength: 128, autocomplete: "off", placeholder: t("statusExample"), dir: "auto" }),
      this.statusProblem, element("div", { class: "row end" }, element("button", { class: "filled" }, t("saveStatus"))));
    this.element = element("section", { "aria-labelledby": "settings-name" },
      element("div", { id: "settings-self" }, this.avatar, element("span", { class: "who" }, this.called, this.address)), this.form,
      element("h3", {}, t("status")), this.status);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    this.status.addEventListener("submit", (event) => {
      event.preventDefault();
      const input = page.$("status-text");
      save(page, this.statusProblem, () => page.roost.setStatus(this.status.elements.state.value, input.value.trim()), t("statusSaved"));
    });
  }

  open() {
    const { $, roost } = this.#page;
    // Text typed before the profile is known stays.
    for (const id of ["profile-name", "profile-username", "profile-bio", "status-text"]) $(id).value = $(id).dataset.known = "";
    this.#page.text(this.problem, "");
    this.#page.text(this.statusProblem, "");
    this.status.elements.state.value = roost.snapshot.status.state;
  }

  show({ roost, people }) {
    const { $, called, me, patchAvatar, presenceOf, text } = this.#page;
    this.#profile = people?.profile;
    const { username } = this.#profile ?? {};
    patchAvatar(this.avatar, called(me), { seed: me, state: presenceOf(me)?.state });
    text(this.called, called(me));
    text(this.address, username ? `@${username}` : "");
    for (const name of ["name", "username", "bio"]) if (people) follow($(`profile-${name}`), this.#profile?.[name] ?? "");
    follow($("status-text"), roost.status.text ?? "");
  }

  #save() {
    const { $ } = this.#page;
    const names = ["name", "username", "bio"];
    const members = Object.fromEntries(names.map((name) => [name, $(`profile-${name}`).value.trim()]));
    // A missing member can't be removed.
    for (const name of ["username", "bio"]) if (members[name] === (this.#profile?.[name] ?? "")) delete members[name];
    const does = async () => {
      const { people } = await this.#page.loadPart();
      await people.setProfile(members);
      for (const name of names) $(`profile-${name}`).dataset.known = $(`profile-${name}`).value;
    };
    return save(this.#page, this.problem, does, this.#page.t("profileSaved"));
  }
}

/** What others see of the user. A choice takes effect at once. */
class PrivacySection {
  name = "privacy";
  title;
  sign = "lock";

  #page;
  #privacy;

  constructor(page) {
    this.#page = page;
    const { element, t } = page;
    this.title = t("privacy");
    this.problem = element("p", { class: "problem", role: "alert" });
    const choices = {
      presence: [t("seeOnline"), { shared: t("sharedPeople"), everyone: t("everyone"), nobody: t("noOne") }],
      lastSeen: [t("seeLastSeen"), { exact: t("showExactly"), coarse: t("showRoughly"), nobody: t("dontShow") }],
      read: [t("readReceipts"), { shared: t("peopleHere"), nobody: t("noOne") }],
    };
    this.fields = Object.entries(choices).map(([name, [words, values]]) => {
      const options = Object.entries(values).map(([value, label]) => element("option", { value }, label));
      const made = field(page, `privacy-${name}`, words, "select", { "data-name": name }, ...options);
      made.lastElementChild.addEventListener("change", ({ target }) => this.#attempt((people) => people.setPrivacy({ [name]: target.value })));
      return made;
    });
    this.list = element("ul", { id: "settings-blocked", "aria-labelledby": "settings-blocked-title" });
    this.empty = element("p", { class: "faint" }, t("noneBlocked"));
    this.element = element("section", { "aria-labelledby": "settings-name" }, ...this.fields,
      element("p", { class: "faint field" }, t("hideHint")), this.problem,
      element("h3", { id: "settings-blocked-title" }, t("blockedPeople")), this.list, this.empty);
  }

  #attempt(does) {
    const { attempt, loadPart, text } = this.#page;
    text(this.problem, "");
    return attempt(async () => does((await loadPart()).people), (words) => {
      text(this.problem, words);
      this.#choices();
    });
  }

  show({ people, part }) {
    this.#privacy = people?.privacy;
    this.#choices();
    this.empty.hidden = !people || people.blocked.length > 0;
    if (!people) return;
    this.#list(people.blocked, part);
    part.know(people.blocked).then(() => this.#list(part.people.snapshot.blocked, part));
  }

  #choices() {
    for (const { lastElementChild: select } of this.fields) {
      select.disabled = !this.#privacy;
      if (this.#privacy) select.value = this.#privacy[select.dataset.name];
    }
  }

  #list(blocked, part) {
    const { called, t } = this.#page;
    const row = (user) => part.row(user, "", [[t("unblock"), () => this.#attempt((people) => people.unblock([user]))]]);
    fillRows(this.list, blocked, called, row, this.fields[0].lastElementChild);
    this.list.hidden = !blocked.length;
  }
}

/** Rows that are drawn anew only if one of them, or its name, is another one. The focus goes to the row that takes the place. */
function fillRows(list, keys, nameOf, make, otherwise) {
  const signature = JSON.stringify(keys.map((key) => [key, nameOf(key)]));
  if (list.dataset.signature === signature) return;
  list.dataset.signature = signature;
  const at = [...list.children].findIndex((row) => row.contains(document.activeElement));
  list.replaceChildren(...keys.map(make));
  if (at >= 0) (list.children[Math.min(at, keys.length - 1)]?.querySelector("button") ?? otherwise).focus();
}

/** The present abilities of this page, and mutes. */
class NotificationSection {
  name = "notifications";
  title;
  sign = "bell";
  #page;
  /** Names of muted conversations that the list hasn't loaded. */
  #titles = new Map();
  #again;

  constructor(page) {
    this.#page = page;
    const { element, t } = page;
    this.title = t("notifications");
    this.problem = element("p", { class: "problem", role: "alert" });
    this.list = element("ul", { id: "settings-muted", "aria-labelledby": "settings-muted-title" });
    this.empty = element("p", { class: "faint" }, t("noneMuted"));
    const where = t("setAppBadge" in navigator ? "badgeHint" : "titleHint");
    this.element = element("section", { "aria-labelledby": "settings-name" }, element("p", { class: "field" }, where),
      element("h3", { id: "settings-muted-title" }, t("mutedConversations")),
      element("p", { class: "faint" }, t("mutedHint")), this.problem, this.list, this.empty);
  }

  show({ people, part }) {
    this.#again = () => { if (!this.element.hidden) this.show({ people: part?.people.snapshot, part }); };
    const { attempt, button, element, listView, patchAvatar, t, text } = this.#page;
    const muted = Object.keys(people?.muted ?? {}).filter((id) => part.people.isMuted(id));
    this.empty.hidden = !people || muted.length > 0;
    this.list.hidden = !muted.length;
    const nameOf = (id) => this.#titleOf(id);
    fillRows(this.list, muted, nameOf, (id) => {
      const row = listView.row(id);
      const avatar = element("span", { "aria-hidden": "true" });
      patchAvatar(avatar, nameOf(id), { isGroup: !row?.peer, seed: row?.peer ?? id });
      const unmute = () => attempt(() => part.people.unmute(id), (words) => text(this.problem, words));
      return element("li", { class: "row" }, avatar, element("span", { class: "grow", dir: "auto" }, nameOf(id)),
        button(t("unmute"), unmute, { "aria-label": t("actFor", { act: t("unmute"), name: nameOf(id) }) }));
    }, this.#page.$("settings-name"));
  }

  #titleOf(id) {
    const { called, listView, me, meet, roost, t } = this.#page;
    const row = listView.row(id);
    if (row) return listView.titleOf(row);
    if (!this.#titles.has(id)) {
      this.#titles.set(id, t("conversation"));
      roost.request("conversation.get", { conversation: id }).then(({ conversation, people = [] }) => {
        meet(people);
        const peer = conversation.members.find((user) => user !== me);
        this.#titles.set(id, conversation.kind === "group" ? conversation.name : called(peer));
        this.#again();
      }, () => {});
    }
    return this.#titles.get(id);
  }
}

/** The language of the page: the browser's, unless another one was chosen here. */
class LanguageSection {
  name = "language";
  title;
  sign = "globe";
  #page;

  constructor(page) {
    this.#page = page;
    const { LANGUAGES, chosenLanguage, element, nameOfLanguage, speak, t } = page;
    this.title = t("language");
    const made = field(page, "settings-language", t("language"), "select", {}, element("option", { value: "" }, t("asBrowser")),
      ...LANGUAGES.map((one) => element("option", { value: one, lang: one }, nameOfLanguage(one))));
    made.lastElementChild.value = chosenLanguage() ?? "";
    made.lastElementChild.addEventListener("change", ({ target }) => speak(target.value));
    this.element = element("section", { "aria-labelledby": "settings-name" }, made, element("p", { class: "faint" }, t("languageHint")));
  }
}
