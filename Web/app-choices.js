// Rows to choose from while one types, as the combobox of the WAI-ARIA Authoring Practices has them: the focus stays in the
// field, arrows move the mark, and Enter chooses the marked row. Mentions use it below a message, the picker in its dialog.

export const STYLE = `
.choices { padding: 0.3rem; }
.choices h3 { margin: 0.7rem 0.6rem 0.2rem; font-size: 0.8rem; color: var(--faint); }
.choices [role=option] { display: flex; align-items: center; gap: 0.7rem; padding: 0.35rem 0.6rem; min-height: 3rem; border-radius: 0.6rem;
  cursor: pointer; }
.choices [role=option]:hover { background: var(--hover); }
.choices .at, .choices .at:hover { background: var(--own); box-shadow: inset 3px 0 var(--accent); }
.choices .avatar { width: 2.25rem; height: 2.25rem; font-size: 0.95rem; }
.choices .avatar::after { border-color: var(--ground); }
.choices .blank { background: none; border: 1px dashed var(--edge); color: var(--faint); }
.choices .tick { color: var(--accent); opacity: 0; }
.choices [aria-selected=true] .tick { opacity: 1; }
`;

/** Letters that Unicode doesn't take apart, as people without them on their keyboards write them, and as the relay compares them. */
const PLAIN = { "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t" };

/** A text as it is compared: without accents and capitals. */
export const plainly = (words) => (
  words.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{ASCII}]/gu, (letter) => PLAIN[letter] ?? letter));

/** Whether one of the names has what is looked for at the beginning of a word. */
export function matches(names, wanted) {
  const looked = plainly(wanted);
  return names.some((name) => ` ${plainly(name).replace(/[\s\p{P}]+/gu, " ")}`.includes(` ${looked}`) || plainly(name).startsWith(looked));
}

/** The rows of one field. An item has a `key`, a `name` and, if there are any, a `line` below it, what `patchAvatar` draws it by,
 *  `isUnsure`, which isn't marked by itself, and where several are chosen, `isChosen`. */
export class Choices {
  #page;
  #choose;
  #isMany;
  /** In a text, Tab takes what is offered; in a field of its own it goes on. */
  #takesTab;
  #items = [];
  #at;

  constructor(page, { field, list, choose, isMany = false }) {
    Object.assign(this, { field, list });
    this.#page = page;
    this.#choose = choose;
    this.#isMany = isMany;
    this.#takesTab = field.localName === "textarea";
    const { attribute, element, Rows } = page;
    list.classList.add("choices");
    attribute(list, "role", "listbox");
    attribute(field, "aria-controls", list.id);
    attribute(field, "aria-autocomplete", "list");
    this.sections = new Rows(list, {
      key: ({ title }) => title,
      make: ({ title }) => {
        const made = element("div", title ? { role: "group", "aria-label": title } : { role: "presentation" });
        if (title) made.append(element("h3", { "aria-hidden": "true" }, title));
        const rows = element("div", { role: "presentation" });
        made.append(rows);
        made.rows = new Rows(rows, { key: ({ key }) => key, make: (item) => this.#make(item), patch: (row, item) => this.#patch(row, item) });
        return made;
      },
      patch: (made, { items }) => made.rows.show(items),
    });
    // The focus stays in the field.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", ({ target }) => {
      const row = target.closest("[role=option]");
      if (row) this.#choose(row.item);
    });
  }

  set isMany(isMany) {
    this.#isMany = isMany;
    this.#page.attribute(this.list, "aria-multiselectable", isMany);
  }

  get isEmpty() { return this.#items.length === 0; }

  /** Shows `sections`: a title, or none, and items. `isMarked`: the first sure one is marked if none is. */
  show(sections, { isMarked = true } = {}) {
    const shown = sections.filter(({ items }) => items.length);
    this.#items = shown.flatMap(({ items }) => items);
    if (!this.#items.some(({ key }) => key === this.#at)) {
      this.#at = isMarked ? this.#items.find(({ isUnsure }) => !isUnsure)?.key : undefined;
    }
    this.list.hidden = this.isEmpty;
    this.sections.show(shown);
    this.#mark();
  }

  hide() { this.show([]); }

  /** The mark goes back to where it is at the beginning. */
  unmark() { this.#at = undefined; }

  /** Whether a key was for the rows. */
  pressed(event) {
    if (this.isEmpty || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return false;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const at = this.#items.findIndex(({ key }) => key === this.#at);
    if (step) {
      const count = this.#items.length;
      this.#at = this.#items[at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count].key;
      this.#mark();
    } else if (at >= 0 && (event.key === "Enter" || (event.key === "Tab" && this.#takesTab))) this.#choose(this.#items[at]);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #make({ key }) {
    const { element, icon } = this.#page;
    const id = `${this.list.id}-${encodeURIComponent(key)}`;
    const tick = element("span", { class: "tick", hidden: "" });
    tick.append(icon("sent"));
    return element("div", { role: "option", id }, element("span", { "aria-hidden": "true" }),
      element("span", { class: "who" }, element("span", { dir: "auto" }), element("span", { class: "faint", dir: "auto" })), tick);
  }

  #patch(row, item) {
    const { patchAvatar, text } = this.#page;
    const [avatar, who, tick] = row.children;
    row.item = item;
    patchAvatar(avatar, item.sign ?? item.name, { seed: item.seed ?? item.key, isGroup: item.isGroup, state: item.state });
    avatar.classList.toggle("blank", item.isUnsure === true);
    text(who.firstElementChild, item.name);
    text(who.lastElementChild, item.line ?? "");
    who.lastElementChild.hidden = !item.line;
    tick.hidden = !this.#isMany;
  }

  #mark() {
    const { attribute, field, list } = { ...this.#page, field: this.field, list: this.list };
    let marked;
    for (const row of list.querySelectorAll("[role=option]")) {
      const isMarked = row.item.key === this.#at;
      if (isMarked) marked = row;
      row.classList.toggle("at", isMarked);
      attribute(row, "aria-selected", String(this.#isMany ? row.item.isChosen === true : isMarked));
    }
    attribute(field, "aria-activedescendant", marked?.id);
    if (field.getAttribute("role") === "combobox") attribute(field, "aria-expanded", String(!this.isEmpty));
    marked?.scrollIntoView({ block: "nearest" });
  }
}
