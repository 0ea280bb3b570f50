// The part of the chat page about people who aren't users yet, as the user has written them down. app-people.js loads
// it when a user opens the panel of people, and hands in the parts of the page that both use.

import { field } from "./app-dialogs.js";

export class Prospects {
  #page;
  #tools;
  /** The one that is being changed. */
  #prospect;

  constructor(page, tools) {
    this.#page = page;
    this.#tools = tools;
    const { element, t } = page;
    this.list = element("ul", {});
    this.submit = element("button", { class: "filled" }, t("save"));
    this.form = element("form", {}, field(page, "prospect-name", t("name"), "input", { maxlength: 64, required: "", autocomplete: "off" }),
      field(page, "prospect-note", t("note"), "textarea", { rows: 2, maxlength: 128 }), element("div", { class: "row end" }, this.submit));
    this.element = element("details", { id: "prospects", hidden: "" }, element("summary", {}, t("notes")),
      element("p", { class: "faint" }, t("notesHint")), this.list, this.form);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
  }

  /** Asks for them. They are shown to users who have written one down, or have a role that the operator has given. */
  async ask() {
    const told = await this.#tools.attempt((people) => people.prospects());
    if (!told) return;
    this.element.hidden = !told.length && !this.#tools.role;
    this.#tools.fill(this.list, told.map((one) => this.#row(one)), this.form.querySelector("input"));
  }

  #row({ prospect, name, note = "" }) {
    const { button, confirmed, element, patchAvatar, t } = this.#page;
    const avatar = element("span", { "aria-hidden": "true" });
    patchAvatar(avatar, name, { seed: prospect });
    const remove = () => this.#tools.attempt(async (people) => {
      if (await confirmed(t("deleteNoteAsk", { name }), t("delete"))) await people.removeProspect(prospect);
    });
    return element("li", { class: "person" }, element("span", { class: "open" }, avatar,
      element("span", { class: "who" }, element("span", { dir: "auto" }, name), element("span", { class: "faint", dir: "auto" }, note))),
    element("span", { class: "acts" },
      button(t("edit"), () => this.#edit({ prospect, name, note }), { "aria-label": t("actFor", { act: t("edit"), name }) }),
      button(t("delete"), remove, { "aria-label": t("actFor", { act: t("delete"), name }) })));
  }

  #edit({ prospect, name = "", note = "" }) {
    const { $ } = this.#page;
    this.#prospect = prospect;
    $("prospect-name").value = name;
    $("prospect-note").value = note;
    $("prospect-name").focus();
  }

  async #save() {
    const { $ } = this.#page;
    const members = { prospect: this.#prospect, name: $("prospect-name").value.trim(), note: $("prospect-note").value.trim() };
    // A missing note can't be removed.
    if (!members.prospect && !members.note) delete members.note;
    if (await this.#tools.attempt((people) => people.setProspect(members))) this.#edit({});
  }
}
