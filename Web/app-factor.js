// The part of the chat page about two-step verification: a section of what concerns one's account. app.js loads it when
// that is shown. The second step of a sign-in is in the form of app.js.

import { picture } from "./qr.js";

const STYLE = `
#factor form, #factor .row { margin-top: 0.6rem; }
#factor-picture svg { display: block; width: 11rem; height: 11rem; background: #fff; border-radius: 0.6rem; fill: #000; stroke: none; margin: 0.6rem 0; }
#factor code { overflow-wrap: anywhere; user-select: all; }
#factor-codes { columns: 2; font-family: ui-monospace, "DejaVu Sans Mono", monospace; list-style: none; padding: 0.7rem 1rem; margin: 0.6rem 0;
  background: var(--side); border-radius: 0.6rem; }
`;

/** Begins the part. */
export function begin(page) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
  return new Section(page);
}

/** The section. It shows one step at a time, each with what there is to do. */
class Section {
  #page;
  /** The user whose account is shown, and whether it has a password. */
  #user;
  #hasPassword = false;
  /** Whether a step is under way, or codes are shown that can't be read again. */
  #isBusy = false;

  constructor(page) {
    this.#page = page;
    const { element, t } = page;
    this.body = element("div", {});
    this.problem = element("p", { class: "problem", role: "alert" });
    this.element = element("section", { id: "factor", "aria-labelledby": "factor-title" },
      element("h3", { id: "factor-title" }, t("twoStep")), this.body, this.problem);
  }

  /** Shows the state, in this place. A step that its user has begun there stays. */
  async show(place, user) {
    if (this.#isBusy && this.#user === user && place.contains(this.element)) return;
    if (!place.contains(this.element)) place.replaceChildren(this.element);
    this.#user = user;
    this.#fill();
    await this.#state();
  }

  #fill(...children) {
    this.#page.text(this.problem, "");
    this.body.replaceChildren(...children);
  }

  /** Does something, and says why if it fails. */
  async #attempt(act) {
    const { text, accountReason } = this.#page;
    const user = this.#user;
    text(this.problem, "");
    try {
      return await act(this.#page.accounts, user);
    } catch (error) {
      if (user === this.#user) text(this.problem, accountReason(error));
      return undefined;
    }
  }

  async #state() {
    const user = this.#user;
    const found = await this.#attempt((accounts) => Promise.all([accounts.factor(user), accounts.account(user)]));
    if (!found || user !== this.#user) return;
    const [told, { hasPassword }] = found;
    this.#hasPassword = hasPassword;
    this.#isBusy = false;
    const { element, button, language, t } = this.#page;
    if (told.since === undefined) {
      this.#fill(
        element("p", {}, t(told.required ? "twoStepRequired" : "twoStepHint")),
        element("div", { class: "row" }, button(t("turnOn"), () => this.#begin())));
      return;
    }
    const left = told.recoveryCodes ? t("codesLeft", { count: told.recoveryCodes }) : t("noCodesLeft");
    this.#fill(element("p", {}, `${t("onSince", { date: language.date(told.since) })} ${left}`),
      element("div", { class: "row" }, button(t("newCodes"), () => this.#renew()),
        ...(told.required ? [] : [button(t("turnOff"), () => this.#turnOff(), { class: "danger" })])));
  }

  /** A form with these fields, and a button to go back. */
  #form(words, fields, submit, act, { isDanger = false } = {}) {
    const { element, button, t } = this.#page;
    const form = element("form", {}, ...words, ...fields, element("div", { class: "row" },
      button(t("cancel"), () => this.#state()), element("button", { class: isDanger ? "danger" : "filled" }, submit)));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const done = form.querySelector("button:not([type])");
      done.disabled = true;
      await act();
      done.disabled = false;
    });
    this.#isBusy = true;
    this.#fill(form);
    form.querySelector("input")?.focus();
  }

  #field(id, words, attributes) {
    const { element } = this.#page;
    return element("p", { class: "field" }, element("label", { for: id }, words), element("input", { id, ...attributes }));
  }

  #passwordField() {
    return this.#hasPassword ? [this.#field("factor-password", this.#page.t("yourPassword"), { type: "password", autocomplete: "current-password" })] : [];
  }

  #codeField(words = this.#page.t("codeFromApp")) {
    return this.#field("factor-code", words, { autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false", maxlength: 64 });
  }

  get #password() { return this.#hasPassword ? this.#page.$("factor-password").value : undefined; }
  get #code() { return this.#page.$("factor-code").value; }

  #begin() {
    if (!this.#hasPassword) return this.#offer();
    return this.#form([], this.#passwordField(), this.#page.t("continue"), () => this.#offer());
  }

  async #offer() {
    const password = this.body.querySelector("#factor-password") ? this.#password : undefined;
    const offer = await this.#attempt((accounts, user) => accounts.offerFactor(user, password));
    if (!offer) return;
    const { element, t } = this.#page;
    const manual = element("p", { "data-t": "openOrEnterKey" }, element("a", { href: offer.address, "data-t": "openOnDevice" }),
      element("code", { id: "factor-secret" }, offer.secret.match(/.{1,4}/g).join(" ")));
    this.#form([
      element("p", {}, t("scanThis")),
      element("div", { id: "factor-picture" }, picture(offer.address, t("factorPicture")) ?? ""), manual,
    ], [this.#codeField()], t("turnOn"), async () => {
      const codes = await this.#attempt((accounts, user) => accounts.turnOnFactor(user, this.#code));
      if (codes) this.#showCodes(codes, t("twoStepOn"));
    });
    this.#page.language.fill(this.body);
  }

  #renew() {
    const { t } = this.#page;
    return this.#form([], [...this.#passwordField(), this.#codeField()], t("createCodes"), async () => {
      const codes = await this.#attempt((accounts, user) => accounts.renewRecoveryCodes(user, this.#password, this.#code));
      if (codes) this.#showCodes(codes, t("oldCodesGone"));
    });
  }

  #turnOff() {
    const { element, t } = this.#page;
    return this.#form([element("p", {}, t("turnOffHint"))],
      [...this.#passwordField(), this.#codeField(t("codeOrRecovery"))], t("turnOff"), async () => {
        const isOff = await this.#attempt(async (accounts, user) => {
          await accounts.turnOffFactor(user, this.#password, this.#code);
          return true;
        });
        if (!isOff) return;
        await this.#state();
        this.#page.tell(t("twoStepOff"));
      }, { isDanger: true });
  }

  #showCodes(codes, words) {
    this.#isBusy = true;
    const { element, button, t, tell } = this.#page;
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(codes.join("\n"));
        tell(t("copied"));
      } catch {
        tell(t("copyByHand"));
      }
    };
    const title = element("p", { tabindex: "-1" }, `${words} ${t("saveCodes")}`);
    this.#fill(title, element("ul", { id: "factor-codes" }, ...codes.map((code) => element("li", {}, code))),
      element("div", { class: "row" }, button(t("copy"), copy), button(t("savedCodes"), () => this.#state(), { class: "filled" })));
    title.focus();
  }
}
