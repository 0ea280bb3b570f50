// The part of the chat page about what only oneself sees and says: what others are told of one, and whom one has written down.
// app-people.js loads it when somebody opens the panel of people, and hands in what both use of the page.

/** What the panel holds of this part. */
export class Self {
  constructor(page, tools) {
    this.privacy = new Privacy(page, tools);
    this.prospects = new Prospects(page, tools);
    this.elements = [this.prospects.element, this.privacy.element];
  }
}

/** What others are told of oneself. A choice counts at once. */
class Privacy {
  static choices = {
    presence: ["Whether you are there", { shared: "Those you share a conversation with", everyone: "Everybody", nobody: "Nobody" }],
    lastSeen: ["When you were there last", { exact: "The time", coarse: "Roughly", nobody: "Not at all" }],
    read: ["What you have read", { shared: "Those in the conversation", nobody: "Nobody" }],
  };

  constructor(page, { field, attempt }) {
    const { element } = page;
    this.fields = Object.entries(Privacy.choices).map(([name, [words, values]]) => {
      const options = Object.entries(values).map(([value, label]) => element("option", { value }, label));
      const made = field(page, `privacy-${name}`, words, "select", { "data-name": name }, ...options);
      made.lastElementChild.addEventListener("change", ({ target }) => attempt((people) => people.setPrivacy({ [name]: target.value })));
      return made;
    });
    this.element = element("details", {}, element("summary", {}, "What others are told"), ...this.fields,
      element("p", { class: "faint" }, "What you tell nobody, nobody tells you."));
  }

  show(privacy) {
    for (const { lastElementChild: select } of this.fields) if (privacy) select.value = privacy[select.dataset.name];
  }
}

/** People who aren't users yet, as one has written them down. */
class Prospects {
  #page;
  #tools;
  /** The one that is being changed. */
  #prospect;

  constructor(page, tools) {
    this.#page = page;
    this.#tools = tools;
    const { element } = page;
    const { field } = tools;
    this.list = element("ul", {});
    this.submit = element("button", { class: "filled" }, "Write down");
    this.form = element("form", {}, field(page, "prospect-name", "Name", "input", { maxlength: 64, required: "", autocomplete: "off" }),
      field(page, "prospect-note", "Note", "textarea", { rows: 2, maxlength: 128 }), element("div", { class: "row end" }, this.submit));
    this.element = element("details", { id: "prospects" }, element("summary", {}, "Prospects"),
      element("p", { class: "faint" }, "People who aren't here yet. Only you see them."), this.list, this.form);
    this.element.addEventListener("toggle", () => this.ask());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
  }

  /** Asks for them, if they are shown. */
  async ask() {
    if (!this.element.open) return;
    const told = await this.#tools.attempt((people) => people.prospects());
    if (told) this.#tools.fill(this.list, told.map((one) => this.#row(one)), this.form.querySelector("input"));
  }

  #row({ prospect, name, note = "" }) {
    const change = () => this.#edit({ prospect, name, note });
    const remove = () => this.#tools.attempt(async (people) => {
      if (await this.#page.confirmed(`Cross out ${name}?`, "Cross out")) await people.removeProspect(prospect);
    });
    return this.#tools.row(prospect, note, [["Change", change], ["Cross out", remove]], undefined, name);
  }

  #edit({ prospect, name = "", note = "" }) {
    const { $, text } = this.#page;
    this.#prospect = prospect;
    $("prospect-name").value = name;
    $("prospect-note").value = note;
    text(this.submit, prospect ? "Change" : "Write down");
    $("prospect-name").focus();
  }

  async #save() {
    const { $ } = this.#page;
    const members = { prospect: this.#prospect, name: $("prospect-name").value.trim(), note: $("prospect-note").value.trim() };
    // What isn't there can't be taken away.
    if (!members.prospect && !members.note) delete members.note;
    if (await this.#tools.attempt((people) => people.setProspect(members))) this.#edit({});
  }
}
