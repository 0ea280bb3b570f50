// The sections of the settings about where one is signed in, and about the account. A part of app-settings.js.

import { field } from "./app-dialogs.js";

const DAY = 86_400_000;

// Names of programs are the same in all languages.
const BROWSERS = { chrome: "Chrome", edge: "Edge", firefox: "Firefox", safari: "Safari" };
const SYSTEMS = { android: "Android", ios: "iOS", linux: "Linux", mac: "macOS", windows: "Windows" };

/** A device's name for people. A browser has named itself, as app.js does; other apps' names are shown as they are. */
export function deviceName(device, t) {
  const [, browser, system] = /^(chrome|edge|firefox|safari|web)-(?:(android|ios|linux|mac|windows)-)?[0-9a-f]{16}$/.exec(device) ?? [];
  if (!browser) return device;
  const name = BROWSERS[browser] ?? t("browser");
  return system ? t("browserOn", { browser: name, system: SYSTEMS[system] }) : name;
}

/** Where one is signed in, what is new there, and the way out of each. */
export class DeviceSection {
  name = "devices";
  title;
  sign = "device";
  #page;

  constructor(page) {
    this.#page = page;
    const { button, element, t } = page;
    this.title = t("devices");
    this.problem = element("p", { class: "problem", role: "alert" });
    this.list = element("ul", { id: "me-sessions", "aria-label": t("devices") });
    this.here = element("p", { class: "field" });
    this.everywhere = button(t("signOutEverywhere"), () => this.#everywhere(), { id: "out-everywhere", class: "danger" });
    this.about = element("p", { class: "faint field" }, t("strangeDevice"));
    this.element = element("section", { "aria-labelledby": "settings-name" }, this.here, this.about, this.list, this.problem,
      element("p", { class: "field row" }, this.everywhere));
  }

  async open() {
    const { accounts, attempt, me, myAccount, roost, t, text } = this.#page;
    const { isMine } = myAccount;
    this.everywhere.hidden = this.about.hidden = !isMine;
    this.here.hidden = isMine;
    text(this.here, t("deviceByLink", { device: roost.snapshot.device }));
    this.list.replaceChildren();
    text(this.problem, "");
    if (!isMine) return;
    const found = await attempt(() => accounts.sessions(me), (words) => text(this.problem, words)) ?? [];
    if (me !== this.#page.me) return;
    this.list.replaceChildren(...found.sort((one, other) => Boolean(other.current) - Boolean(one.current)).map((one) => this.#row(one)));
  }

  #row({ session, device, created, used, current }) {
    const { accounts, attempt, button, element, language, me, t, text } = this.#page;
    const name = deviceName(device, t);
    // A recent sign-in may be an intruder's: that is what a user looks for here.
    const isNew = !current && Date.now() - created < DAY;
    const since = t("signedInOn", { time: language.moment(created) });
    const who = element("span", { class: "who" }, element("span", {}, name));
    if (current) who.append(element("span", { class: "faint" }, t("thisDevice")));
    if (isNew) who.append(element("span", { class: "fresh" }, t("newDevice")));
    who.append(element("span", { class: "faint" }, current ? since : `${since} · ${t("lastActive", { when: language.ago(used) })}`));
    const end = button(t("signOut"), async () => {
      const isDone = await attempt(async () => {
        await accounts.end(me, session);
        return true;
      }, (words) => text(this.problem, words));
      if (isDone) await this.open();
    }, { "aria-label": t("actFor", { act: t("signOut"), name }) });
    return element("li", { class: "row" }, who, ...(current ? [] : [end]));
  }

  async #everywhere() {
    const { accounts, attempt, confirmed, leave, me, myAccount, t, text } = this.#page;
    if (!await confirmed(myAccount.loss + t("signOutEverywhereAsk"), t("signOutEverywhere"))) return;
    const isDone = await attempt(async () => {
      await accounts.signOut(me, { everywhere: true });
      return true;
    }, (words) => text(this.problem, words));
    if (isDone) await leave(t("signedOutEverywhere"), t("messagesRemoved"));
  }
}

/** How one signs in, other accounts of this browser, and the ways out. */
export class AccountSection {
  name = "account";
  title;
  sign = "key";
  #page;

  constructor(page) {
    this.#page = page;
    const { element, t } = page;
    this.title = t("account");
    const part = (id, title, ...children) => element("section", { id, "aria-labelledby": `${id}-title` },
      element("h3", { id: `${id}-title` }, title), ...children);
    this.id = element("p", { id: "me-id", class: "faint field" });
    this.link = element("p", { class: "field" });
    this.element = element("section", { "aria-labelledby": "settings-name" }, this.link,
      part("me-account", t("emailAndPassword"), ...this.#signIn()),
      part("me-others", t("accountsHere"), element("ul", { id: "me-accounts" }),
        element("button", { type: "button", id: "add-account" }, t("addAccount"))),
      part("me-out", t("signOut"),
        element("p", { class: "faint" }, t("signOutHint")),
        element("p", { class: "field row" }, element("button", { type: "button", id: "sign-out", class: "danger" }, t("signOut")))),
      part("me-erase", t("deleteAccount"), ...this.#erasure()), this.id);
  }

  #signIn() {
    const { element, t } = this.#page;
    const problem = (id) => element("p", { id, class: "problem", role: "alert" });
    const end = (words) => element("div", { class: "row end" }, element("button", { class: "filled" }, words));
    const secret = (id, words, autocomplete) => field(this.#page, id, words, "input", { type: "password", autocomplete, required: "" });
    return [
      element("p", { id: "me-email" }),
      element("p", { id: "me-unconfirmed", class: "row field", hidden: "" }, element("span", { class: "grow" }, t("emailUnconfirmed")),
        element("button", { type: "button", id: "confirm-again" }, t("sendAgain"))),
      element("form", { id: "password-form", hidden: "" },
        element("p", {}, t("addPasswordHint")),
        field(this.#page, "password-email", t("email"), "input",
          { type: "email", maxlength: 254, autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: "" }),
        secret("password-new", t("password"), "new-password"), problem("password-problem"), end(t("save"))),
      element("details", { id: "change", class: "field" }, element("summary", {}, t("changePassword")),
        element("form", { id: "change-form" }, element("p", { class: "faint field" }, t("changePasswordHint")),
          secret("change-old", t("currentPassword"), "current-password"), secret("change-new", t("newPassword"), "new-password"),
          problem("change-problem"), end(t("changePassword")))),
      element("div", { id: "me-factor" }),
    ];
  }

  #erasure() {
    const { element, t } = this.#page;
    return [
      element("p", { class: "faint" }, t("deleteAccountHint")),
      element("p", { class: "field row" }, element("button", { type: "button", id: "erase", class: "danger" }, t("deleteMyAccount"))),
      element("form", { id: "erase-form", hidden: "" },
        element("input", { id: "erase-user", type: "text", autocomplete: "username", readonly: "", hidden: "" }),
        element("p", { class: "field", id: "erase-field" }, element("label", { for: "erase-password" }, t("yourPassword")),
          element("input", { id: "erase-password", type: "password", autocomplete: "current-password" })),
        element("p", { id: "erase-problem", class: "problem", role: "alert" }),
        element("div", { class: "row end" }, element("button", { type: "button", id: "erase-not" }, t("cancel")),
          element("button", { class: "danger" }, t("deleteForGood")))),
    ];
  }

  open() {
    this.#listen();
    const { $, me, myAccount, t, text } = this.#page;
    const { email, hasAddress, hasPassword, isConfirmed, isMine } = myAccount;
    $("me-account").hidden = $("me-erase").hidden = !isMine;
    text($("me-email"), email ?? "");
    $("me-email").hidden = !email;
    $("password-form").hidden = hasAddress;
    $("change").hidden = !hasPassword;
    $("change").open = false;
    $("change-form").reset();
    this.#askErasure(false);
    $("me-unconfirmed").hidden = isConfirmed || !hasAddress;
    text(this.id, t("accountID", { id: me }));
    text(this.link, t("signedInByLink", { name: me }));
    this.id.hidden = !isMine;
    this.link.hidden = isMine;
    this.#showOthers();
    if (isMine) this.#page.showFactor($("me-factor"));
  }

  #isListening = false;

  /** Once its elements are on the page. */
  #listen() {
    if (this.#isListening) return;
    this.#isListening = true;
    const { $ } = this.#page;
    const on = (id, event, act) => $(id).addEventListener(event, (told) => {
      told.preventDefault();
      act();
    });
    on("password-form", "submit", () => this.#addPassword());
    on("change-form", "submit", () => this.#changePassword());
    on("confirm-again", "click", () => this.#confirmAgain());
    on("add-account", "click", () => this.#page.addAccount());
    on("sign-out", "click", () => this.#page.signOut());
    on("erase", "click", () => this.#askErasure(true));
    on("erase-not", "click", () => this.#askErasure(false));
    on("erase-form", "submit", () => this.#erase());
  }

  /** The other accounts of this browser. */
  #showOthers() {
    const { $, accounts, button, element, known, me, patchAvatar, switchTo, t } = this.#page;
    const users = known.users.filter((one) => one !== me);
    $("me-accounts").replaceChildren(...users.map((user) => {
      const name = known.name(user);
      const avatar = element("span", { "aria-hidden": "true" });
      patchAvatar(avatar, name, { seed: user });
      const act = button(t("switch"), () => switchTo(user), { "aria-label": t("switchTo", { name }) });
      return element("li", { class: "row" }, avatar, element("span", { class: "grow", dir: "auto" }, name), act);
    }));
    $("add-account").hidden = !accounts;
    $("me-others").hidden = !accounts && !users.length;
  }

  /** Submits a form; a refusal is shown below its fields. */
  async #run(problem, does) {
    const { $, accountReason, t, text } = this.#page;
    text($(problem), "");
    try {
      await does();
      return true;
    } catch (error) {
      text($(problem), error.code === "invalid_credentials" ? t("wrongPassword") : accountReason(error));
      return false;
    }
  }

  async #addPassword() {
    const { $, accounts, me, myAccount, t, tell } = this.#page;
    const email = $("password-email").value.trim();
    if (!await this.#run("password-problem", () => accounts.addPassword(me, email, $("password-new").value))) return;
    $("password-new").value = "";
    Object.assign(myAccount, { email, hasAddress: true, hasPassword: true, isConfirmed: false });
    myAccount.warn(false);
    this.open();
    tell(t("passwordAdded"));
  }

  async #changePassword() {
    const { $, accounts, me, t, tell } = this.#page;
    if (!await this.#run("change-problem", () => accounts.changePassword(me, $("change-old").value, $("change-new").value))) return;
    this.open();
    tell(t("passwordChanged"));
  }

  #confirmAgain() {
    const { $, accounts, attempt, me, t, tell } = this.#page;
    return attempt(async () => {
      await accounts.sendConfirmation(me);
      $("me-unconfirmed").hidden = true;
      tell(t("confirmationSent"));
    });
  }

  #askErasure(isAsked) {
    const { $, me, myAccount, text } = this.#page;
    $("erase-form").hidden = !isAsked;
    $("erase").hidden = isAsked;
    $("erase-field").hidden = !myAccount.hasPassword;
    $("erase-password").value = "";
    text($("erase-problem"), "");
    // So that what keeps passwords knows whose it is.
    $("erase-user").value = me;
    if (isAsked) (myAccount.hasPassword ? $("erase-password") : $("erase-not")).focus();
  }

  async #erase() {
    const { $, accounts, leave, me, myAccount, t } = this.#page;
    const password = myAccount.hasPassword ? $("erase-password").value : undefined;
    if (!await this.#run("erase-problem", () => accounts.erase(me, password))) return;
    await leave(t("accountDeleted"), t("accountDeletedHint"));
  }
}
