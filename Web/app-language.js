// The language of the page: the catalogue of its texts, and lists, numbers and times as its speakers write them. Every text
// that people read is in words-<language>.js and, for the parts that are loaded later, in words-<language>-more.js.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KEPT = "roost.language";

/** The catalogues: what is shown first, what comes with later parts, and the words for emoji, if they aren't those of app-emoji.js. The
 *  first one is used where a browser prefers none of them. */
const CATALOGUES = {
  en: [() => import("/words-en.js?unpacked"), () => import("/words-en-more.js?unpacked")],
  de: [() => import("/words-de.js?unpacked"), () => import("/words-de-more.js?unpacked"),
    () => import("/words-de-emoji.js?unpacked")],
};
export const LANGUAGES = Object.keys(CATALOGUES);

const baseOf = (tag) => tag.toLowerCase().split("-")[0];

/** The language of this browser's user: the chosen one, or the first of the preferred ones that there is. */
export function languageFor(chosen, preferred) {
  return [chosen ?? "", ...preferred].map(baseOf).find((one) => LANGUAGES.includes(one)) ?? LANGUAGES[0];
}

/** The language chosen in this browser; undefined if it is the browser's own choice. */
export function chosenLanguage() {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a choice in this browser, or forgets it. The page shows it when it is loaded again. */
export function chooseLanguage(name) {
  try {
    if (name) localStorage.setItem(KEPT, name);
    else localStorage.removeItem(KEPT);
  } catch {
    // A browser may refuse to store anything.
  }
}

/** A language by the name that its speakers have for it. */
export const nameOfLanguage = (name) => new Intl.DisplayNames(name, { type: "language" }).of(name);

/** The language of this browser's user, with the texts that are shown first. */
export async function loadLanguage() {
  const name = languageFor(chosenLanguage(), navigator.languages);
  const [first, ...later] = CATALOGUES[name];
  return new Language(name, navigator.languages, (await first()).default, ...later);
}

/** The day of a time, as a number. */
export const dayOf = (time) => new Date(time).setHours(0, 0, 0, 0);
const daysAgo = (time) => Math.round((dayOf(Date.now()) - dayOf(time)) / DAY);

export class Language {
  #texts;
  #loadMore;
  #loadEmoji;
  #more;
  #formats = new Map();

  constructor(name, preferred, texts, loadMore, loadEmoji) {
    this.name = name;
    // Where one lives says how times are written.
    this.locale = preferred.find((one) => baseOf(one) === name) ?? name;
    this.#texts = { __proto__: null, ...texts };
    this.#loadMore = loadMore;
    this.#loadEmoji = loadEmoji;
  }

  // As functions of their own, they are handed to what shows something.
  t = (key, values) => this.#text(key, values);
  has = (key) => key in this.#texts;

  /** The texts of the parts that are loaded later, once. */
  more() {
    this.#more ??= this.#loadMore().then(({ default: texts }) => { Object.assign(this.#texts, texts); }).catch((error) => {
      this.#more = undefined;
      throw error;
    });
    return this.#more;
  }

  /** The words for emoji; undefined if they are those of the picker itself. */
  async emoji() { return (await this.#loadEmoji?.())?.default; }

  /** A text of the catalogue. `values` are what stands in its braces; of the forms of a text, `count` chooses by the plural rules of
   *  the language, and `as` by name. */
  #text(key, values = {}) {
    let found = this.#texts[key];
    if (found === undefined) {
      reportError(new Error(`no text ${key}`));
      return key;
    }
    if (typeof found === "object") found = found[values.as ?? this.#format("PluralRules").select(values.count)];
    return found.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? this.number(values[name]) : values[name] ?? ""));
  }

  /** Gives the elements of the page their texts: `data-t` names one for what is in an element, and one for each of its attributes, as
   *  in `close title:close`. The numbers in braces are the elements that stand in the text. */
  fill(root) {
    for (const node of root.querySelectorAll("[data-t]")) {
      for (const part of node.dataset.t.split(" ")) {
        const [name, key] = part.includes(":") ? part.split(":") : [undefined, part];
        if (name) {
          node.setAttribute(name, this.t(key));
          continue;
        }
        const inside = [...node.children];
        const marks = Object.fromEntries(inside.map((_, at) => [at + 1, `{${at + 1}}`]));
        node.replaceChildren(...this.t(key, marks).split(/\{(\d)\}/).map((one, at) => (at % 2 ? inside[one - 1] : one)));
      }
    }
  }

  #format(kind, options) {
    const key = kind + JSON.stringify(options);
    if (!this.#formats.has(key)) this.#formats.set(key, new Intl[kind](this.locale, options));
    return this.#formats.get(key);
  }

  number = (value) => this.#format("NumberFormat").format(value);

  /** Some names, and how many more. */
  names = (all, more = 0) => {
    return this.#format("ListFormat").format(more > 0 ? [...all, this.t("others", { count: more })] : all);
  };

  compare = (one, other) => this.#format("Collator").compare(one, other);

  // Times

  clock = (time) => this.#format("DateTimeFormat", { hour: "2-digit", minute: "2-digit" }).format(time);

  shortDay = (time) => this.#format("DateTimeFormat", { day: "numeric", month: "short" }).format(time);

  date = (time) => this.#format("DateTimeFormat", { dateStyle: "medium" }).format(new Date(time));

  moment = (time) => this.#format("DateTimeFormat", { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));

  #relative(value, unit) { return this.#format("RelativeTimeFormat", { numeric: "auto" }).format(value, unit); }

  /** A day as a title. */
  day = (time) => {
    if (daysAgo(time) > 1 || daysAgo(time) < 0) {
      return this.#format("DateTimeFormat", { weekday: "long", day: "numeric", month: "long" }).format(time);
    }
    const words = this.#relative(-daysAgo(time), "day");
    return words[0].toLocaleUpperCase(this.locale) + words.slice(1);
  };

  /** The time, or the day if that is another one. */
  shortTime = (time) => daysAgo(time) === 0 ? this.clock(time) : this.shortDay(time);

  /** The time, with the day unless that is today. */
  endOf = (time) => daysAgo(time) === 0 ? this.clock(time) : this.moment(time);

  ago = (time) => {
    const minutes = Math.floor((Date.now() - time) / MINUTE);
    if (minutes < 1) return this.t("justNow");
    if (minutes < 60) return this.#relative(-minutes, "minute");
    if (daysAgo(time) < 2) return this.t("dayAtTime", { day: this.#relative(-daysAgo(time), "day"), time: this.clock(time) });
    return this.t("onDay", { day: this.shortDay(time) });
  };

  /** How long something lasts. */
  duration = (length) => {
    const days = Math.round(length / DAY);
    const isShort = length < MINUTE || (length < 2 * MINUTE && length % MINUTE);
    const [value, unit] = isShort ? [Math.ceil(length / 1_000), "second"] : length < HOUR ? [Math.round(length / MINUTE), "minute"] : length < DAY ? [Math.round(length / HOUR), "hour"]
      : days === 1 ? [24, "hour"] : days % 7 === 0 && days < 30 ? [days / 7, "week"] : [days, "day"];
    return this.#format("NumberFormat", { style: "unit", unit, unitDisplay: "long" }).format(value);
  };
}
