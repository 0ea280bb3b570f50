// After which time the messages of a conversation disappear: the choice in the dialogs about a person and about a group.

import { field } from "./app-dialogs.js";

/** The choices, the same as in the other clients. Milliseconds; 0 if messages stay. */
const EXPIRIES = [0, 1, 7, 90].map((days) => days * 86_400_000);

export class Expiry {
  #page;
  #problem;
  #conversation;

  /** `problem` shows what went wrong. */
  constructor(page, id, problem) {
    this.#page = page;
    this.#problem = problem;
    this.element = field(page, id, page.t("disappearing"), "select");
    this.select = this.element.lastElementChild;
    this.select.addEventListener("change", () => this.#set());
  }

  /** Shows the choice; users who may not change it see it, too. A request has none. */
  show(conversation, mayChange) {
    const { element, language, t } = this.#page;
    this.element.hidden = !conversation || Boolean(conversation.request);
    this.#conversation = conversation?.id;
    const now = conversation?.expiry ?? 0;
    this.select.disabled = !mayChange;
    const all = [...new Set([...EXPIRIES, now])].sort((one, other) => one - other);
    const signature = `${conversation?.id} ${now}`;
    // The options aren't replaced while a user is choosing.
    if (this.select.dataset.signature === signature) return;
    this.select.dataset.signature = signature;
    this.select.replaceChildren(...all.map((after) => (
      element("option", { value: after }, after ? t("after", { length: language.duration(after) }) : t("off")))));
    this.select.value = now;
  }

  /** The new one counts for messages from now on. */
  #set() {
    const { attempt, roost } = this.#page;
    const conversation = this.#conversation;
    this.#problem("");
    return attempt(async () => {
      await roost.request("conversation.expiry", { conversation, after: Number(this.select.value) });
      await roost.request("conversation.get", { conversation });
    }, (words) => {
      delete this.select.dataset.signature;
      this.#problem(words);
    });
  }
}
