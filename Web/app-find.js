// The part of the chat page that searches all conversations: by their names, and in the messages on this device. app.js
// loads it when a user types in the field above the list, and hands in the parts of the page that both use.

import { plainly } from "./app-choices.js";

/** Conversations shown above the messages, so that these are in sight, too. */
const TITLES = 5;
/** Milliseconds without a key before a search begins. */
const PAUSE = 150;

const STYLE = `
#all-found { padding: 0.35rem; overflow-y: auto; }
#all-found h3 { margin: 0.6rem 0.6rem 0.2rem; font-size: 0.8rem; color: var(--faint); }
#all-found p { padding: 0.6rem; }
`;

export function begin(page) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
  return new Find(page);
}

class Find {
  #page;
  #timer;

  constructor(page) {
    this.#page = page;
    const { $, Roving } = page;
    new Roving($("all-found"), ".conversation");
    $("side-search").addEventListener("keydown", (event) => this.#pressed(event));
    $("all-found").addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Something else is looked for. */
  changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), PAUSE);
  }

  close() {
    const { $ } = this.#page;
    clearTimeout(this.#timer);
    $("all-text").value = "";
    this.#show([]);
  }

  #show(rows) {
    const { $ } = this.#page;
    const isOpen = $("all-text").value.trim() !== "";
    $("all-found").hidden = !isOpen;
    $("list").hidden = isOpen;
    $("all-found").replaceChildren(...rows);
    $("all-found").querySelector(".conversation")?.setAttribute("tabindex", "0");
  }

  async #search() {
    const { $, attempt, countOf, element, listView, roost, t } = this.#page;
    const wanted = $("all-text").value.trim();
    if (!wanted) return this.close();
    const found = await attempt(() => roost.search(wanted)) ?? [];
    if ($("all-text").value.trim() !== wanted || roost !== this.#page.roost) return undefined;
    const looked = plainly(wanted);
    const titles = listView.snapshot.rows.map((row) => ({ place: listView.placeOf(row), title: listView.titleOf(row), row }))
      .filter(({ title }) => plainly(title).includes(looked)).slice(0, TITLES);
    const head = (words) => element("h3", {}, words);
    const none = element("p", { class: "faint" }, t("nothingOnDevice"));
    this.#show([
      ...(titles.length ? [head(t("conversations"))] : []),
      ...titles.map(({ place, title, row }) => this.#row(place, title, row.last?.time, [this.#page.preview(row.last)])),
      ...(found.length ? [head(countOf(found))] : []), ...found.map((one) => this.#hit(one, wanted)),
      ...(titles.length || found.length ? [] : [none]),
    ]);
    return undefined;
  }

  #hit({ conversation, peer, message }, wanted) {
    const { around, called, element, listView, t } = this.#page;
    const place = peer ? `@${peer}` : conversation;
    const row = listView.row(conversation) ?? listView.row(place);
    const [before, hit, behind] = around(message.text ?? "", wanted);
    const begins = message.isOwn ? t("youSay", { text: before }) : peer ? before : t("says", { name: called(message.from), text: before });
    const words = [begins, element("mark", {}, hit), behind];
    return this.#row(place, row ? listView.titleOf(row) : peer ? called(peer) : t("group"), message.time, words, message.sequence);
  }

  #row(place, title, time, words, sequence) {
    const { button, conversationView, element, go, language, patchAvatar, t, tell } = this.#page;
    const open = async () => {
      go(place);
      if (sequence === undefined) return;
      await conversationView.opening;
      if (conversationView.place !== place) return;
      await conversationView.jump(sequence) ?? tell(t("messageNotHere"));
    };
    const made = button("", open, { class: "conversation", tabindex: -1 });
    const avatar = element("span", { "aria-hidden": "true" });
    patchAvatar(avatar, title, { isGroup: !place.startsWith("@"), seed: place.replace(/^@/, "") });
    made.append(avatar, element("span", { class: "body" },
      element("span", { class: "line" }, element("span", { class: "name strong", dir: "auto" }, title),
        element("time", { class: "faint" }, time ? language.shortTime(time) : "")),
      element("span", { class: "line" }, element("span", { class: "preview faint", dir: "auto" }, ...words))));
    return element("div", {}, made);
  }

  #pressed(event) {
    const { $ } = this.#page;
    const first = $("all-found").querySelector(".conversation");
    if (event.key === "Escape" && $("all-text").value) {
      this.close();
      $("all-text").focus();
    } else if (event.target === $("all-text") && event.key === "ArrowDown" && first) first.focus();
    else if (event.target === $("all-text") && event.key === "Enter" && first) first.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
