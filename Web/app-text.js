// The display of a text: a part of Markdown (bold, italic, strike, code, blocks of code, quotes, lists, links),
// addresses, and mentions. `parse` makes a tree of it and `draw` elements of that, so nothing a text has is ever
// markup. Both take time in proportion to the text, whatever it is: no mark is looked for twice, and nesting has a
// bound.

/** Quotes and lists inside each other; what is deeper is text. Three levels are as many as a phone shows. */
const DEPTH_MAX = 3;
/** Most parts with a form of their own in one text. The rest is text: more elements would only slow down scrolling. */
const PARTS_MAX = 1_000;
/** How much of a text is read for one line of a list. Characters. */
const LINE_MAX = 300;
const BLOCKS = ["pre", "quote", "list"];

// No address has these: with marks of direction in it, it would look like another one.
const ADDRESS_PART = String.raw`[^\s<>"\u200E\u200F\u202A-\u202E\u2066-\u2069]`;
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** Whatever may begin something: an address, a mail address, a mention, or marks. */
const BEGINS = new RegExp([
  String.raw`(?<![\p{L}\p{N}])(?:https?:\/\/|www\.)${ADDRESS_PART}{1,2000}`,
  String.raw`(?<![\p{L}\p{N}@._%+-])[a-z0-9_][a-z0-9._%+-]{0,63}@${LABEL}(?:\.${LABEL}){1,8}(?![\p{L}\p{N}@])`,
  "@", "`+", String.raw`\*+`, "_+", "~+", String.raw`\[`,
].join("|"), "giu");
/** `[words](address)`. Brackets in the address count if they are in pairs. */
const LINK = /\[([^[\]\n]{1,200})\]\((https?:\/\/(?:[^\s()<>"]|\([^\s()<>"]{0,200}\)){1,1000})\)/iy;
const LOOKS_LIKE_ADDRESS = /:\/\/|www\.|[\p{L}\p{N}]\.[\p{L}]{2,}|@/iu;
const FENCE = /^```[\w+#.-]{0,20}[ \t]{0,8}$/;
const FENCE_END = /^```[ \t]{0,8}$/;
const ITEM = /^( {0,8})(?:([-*+•])|(\d{1,9})[.)]) +(?=\S)/;
const QUOTE = /^ {0,3}> ?/;

// Letters of scripts that write words apart. Where they don't, marks may stand inside a sentence without a space.
const WORD = /[\p{L}\p{N}]/u;
const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const isWord = (letter) => WORD.test(letter) && !JOINED.test(letter);
const isSpace = (letter) => letter === "" || /\s/u.test(letter);
const MARKS = { "*": "em", _: "em", "**": "strong", "~~": "del" };

/**
 * The parts of a text: strings, and objects with a `type`: `strong`, `em`, `del`, `mention` and `link` (with `href`) have
 * `children`, `code` and `pre` have `text`, `quote` has `children`, `list` has `items`, each with `children` and, if it is
 * numbered, its `value`.
 *
 * @param {string} text
 * @param {string[]} names What mentions may look like in it, such as `@Ben`.
 */
export function parse(text, names = []) {
  const reading = { left: PARTS_MAX, names: names.filter(Boolean).sort((one, other) => other.length - one.length) };
  return blocks(text.split("\n"), 0, reading);
}

/** A text without its marks, on one line, as lists show it. */
export const plain = (text) => lineOf(parse(text.slice(0, LINE_MAX)));

function lineOf(tree) {
  const words = (parts) => parts.map((part) => {
    if (typeof part === "string") return part;
    const inside = part.items ? part.items.map(({ children }) => words(children)).join(" · ") : part.text ?? words(part.children);
    return BLOCKS.includes(part.type) ? ` ${inside} ` : inside;
  }).join("");
  // Marks of direction end with the line that they are in, and others' words follow on this one.
  return words(tree).replace(/[\u202A-\u202E\u2066-\u2069]/g, "").replace(/\s+/g, " ").trim();
}

/** A text around what was looked for, on one line: before it, it, and behind it. */
export function around(text, wanted) {
  const find = (line) => line.toLowerCase().indexOf(wanted.toLowerCase());
  const shown = lineOf(parse(text));
  // The searched words may be marks.
  const line = find(shown) < 0 ? lineOf([text]) : shown;
  const at = find(line);
  if (at < 0) return [line.slice(0, LINE_MAX), "", ""];
  // No emoji is cut in two.
  const low = (place) => (/[\uDC00-\uDFFF]/.test(line[place] ?? "") ? place + 1 : place);
  const [from, end] = [low(Math.max(0, at - 12)), at + wanted.length];
  return [(from ? "…" : "") + line.slice(from, at), line.slice(at, end), line.slice(end, low(end + LINE_MAX))];
}

// Lines --------------------------------------------------------------------------------------------------------------

function blocks(lines, depth, reading) {
  const parts = [];
  let words = [];
  const close = () => {
    // A block has a line of its own anyway.
    const begin = parts.length ? Math.max(words.findIndex((line) => line.trim() !== ""), 0) : 0;
    const text = words.slice(begin).join("\n");
    if (text.trim() !== "" || !parts.length) parts.push(...inline(text, reading));
    words = [];
  };
  // For each line the next one that ends a block of code.
  const ends = [];
  for (let at = lines.length - 1, end; at >= 0; at -= 1) {
    ends[at] = end;
    if (FENCE_END.test(lines[at])) end = at;
  }
  for (let at = 0; at < lines.length;) {
    const block = reading.left > 0 && (fenced(lines, at, ends[at]) || (depth < DEPTH_MAX
      && (quoted(lines, at, depth, reading) || listed(lines, at, depth, reading))));
    if (block) {
      while (words.length && words.at(-1).trim() === "") words.pop();
      close();
      parts.push(block.part);
      reading.left -= 1;
      at = block.end;
    } else {
      words.push(lines[at]);
      at += 1;
    }
  }
  close();
  return parts;
}

function fenced(lines, at, end) {
  if (end === undefined || !FENCE.test(lines[at])) return undefined;
  return { part: { type: "pre", text: lines.slice(at + 1, end).join("\n") }, end: end + 1 };
}

function quoted(lines, at, depth, reading) {
  // An arrow isn't a quote of nothing.
  if (!/^ {0,3}> ?\S/.test(lines[at])) return undefined;
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { part: { type: "quote", children: blocks(inside, depth + 1, reading) }, end };
}

/** Items of one depth, and what is further to the right inside them. */
function listed(lines, at, depth, reading) {
  const first = ITEM.exec(lines[at]);
  if (!first) return undefined;
  const [indent, isNumbered] = [first[1].length, first[3] !== undefined];
  const items = [];
  let end = at;
  while (end < lines.length && reading.left > 0) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[1].length !== indent || (item[3] !== undefined) !== isNumbered) break;
    const inside = [lines[end].slice(item[0].length)];
    end += 1;
    while (end < lines.length && lines[end].trim() !== "" && indented(lines[end]) > indent) {
      inside.push(lines[end].slice(indent + 2));
      end += 1;
    }
    reading.left -= 1;
    items.push({ children: blocks(inside, depth + 1, reading), ...(isNumbered ? { value: Number(item[3]) } : {}) });
  }
  return items.length ? { part: { type: "list", isNumbered, items }, end } : undefined;
}

const indented = (line) => /^ {0,40}/.exec(line)[0].length;

// Words --------------------------------------------------------------------------------------------------------------

/** The parts of a paragraph. A form is never open twice, so at most four are inside each other. */
function inline(text, reading) {
  const open = [{ parts: [] }];
  const ticks = ticksOf(text);
  let from = 0;
  const say = (to) => { if (to > from) push(open.at(-1).parts, text.slice(from, to)); };
  BEGINS.lastIndex = 0;
  for (let found = BEGINS.exec(text); found && reading.left > 0; found = BEGINS.exec(text)) {
    const [at, mark] = [found.index, found[0]];
    const part = special(text, at, mark, ticks, reading.names);
    if (part) {
      say(at);
      open.at(-1).parts.push(part.part);
      reading.left -= 1;
      from = BEGINS.lastIndex = at + part.length;
    } else if (/^[*_~]/.test(mark)) {
      const taken = delimiter(text, at, mark, open);
      BEGINS.lastIndex = at + mark.length;
      if (taken) {
        say(at);
        from = at + mark.length;
        reading.left -= taken(open);
      }
    } else BEGINS.lastIndex = at + Math.max(1, mark === "@" || mark === "[" ? 1 : mark.length);
  }
  say(text.length);
  while (open.length > 1) giveUp(open);
  return open[0].parts;
}

function push(parts, words) {
  if (typeof parts.at(-1) === "string") parts[parts.length - 1] += words;
  else parts.push(words);
}

/** Something that is whole where it begins: code, a link, an address or a mention. */
function special(text, at, mark, ticks, names) {
  if (mark[0] === "`") return code(text, at, mark.length, ticks);
  if (mark === "[") {
    LINK.lastIndex = at;
    const found = LINK.exec(text);
    // The link must lead to the address that is shown.
    if (!found || LOOKS_LIKE_ADDRESS.test(found[1])) return undefined;
    return { part: { type: "link", href: found[2], children: [found[1]] }, length: found[0].length };
  }
  if (mark === "@" || /^[*_~]/.test(mark)) {
    const name = mark === "@" && names.find((one) => text.startsWith(one, at) && !isWord(text[at + one.length] ?? ""));
    return name ? { part: { type: "mention", children: [name] }, length: name.length } : undefined;
  }
  const isWeb = /^(https?:|www\.)/i.test(mark);
  if (!isWeb) return { part: { type: "link", href: `mailto:${mark}`, children: [mark] }, length: mark.length };
  // Where it stands in brackets before another one, that one isn't a part of it.
  const address = trimmed(mark.split("](", 1)[0]);
  if (/^(https?:\/\/|www\.)$/i.test(address) || !/[\p{L}\p{N}[]/u.test(address.replace(/^(https?:\/\/|www\.)/i, ""))) return undefined;
  const href = /^www/i.test(address) ? `https://${address}` : address;
  return { part: { type: "link", href, children: [address] }, length: address.length };
}

/** An address without what belongs to the sentence around it: a bracket counts if the address has its other one. */
function trimmed(address) {
  let end = address.length;
  const count = { __proto__: null };
  for (const letter of address) count[letter] = (count[letter] ?? 0) + 1;
  const other = { ")": "(", "]": "[", "}": "{" };
  for (; end > 0; end -= 1) {
    const last = address[end - 1];
    if (other[last] ? (count[last] ?? 0) <= (count[other[last]] ?? 0) : !/[.,;:!?'"*_~`’”»…([{]/.test(last)) break;
    count[last] -= 1;
  }
  return address.slice(0, end);
}

/** Where runs of one, two and three backticks are, and how far each list is used up. */
function ticksOf(text) {
  const all = [undefined, [], [], []];
  for (const { 0: run, index } of text.matchAll(/`+/g)) all[run.length]?.push(index);
  return { all, at: [0, 0, 0, 0] };
}

function code(text, at, length, { all, at: next }) {
  const runs = all[length];
  if (!runs) return undefined;
  while (runs[next[length]] <= at) next[length] += 1;
  const end = runs[next[length]];
  if (end === undefined) return undefined;
  const words = text.slice(at + length, end);
  if (words.trim() === "" || words.includes("\n")) return undefined;
  return { part: { type: "code", text: words.replace(/^ (?=`)|(?<=`) $/g, "") }, length: end + length - at };
}

/** The effect of marks at this place: close, or open; undefined if they are text. The result has the number of
 *  parts. */
function delimiter(text, at, run, open) {
  const before = text[at - 1] ?? "";
  const after = text[at + run.length] ?? "";
  // A backslash before a mark keeps it as text; the backslash stays, as in ¯\_(ツ)_/¯.
  if (run.length > 3 || before === "\\" || (run[0] === "~" && run.length !== 2)) return undefined;
  // In __init__.py two of them are a name.
  if (run[0] === "_" && run.length > 1) return undefined;
  const marks = { 1: [run], 2: [run], 3: [run.slice(0, 2), run[0]] }[run.length];
  // Two may stand inside a word, one may not: 2*3*4 and snake_case are what they are.
  const isInside = run.length === 1;
  const isClosing = !isSpace(before) && !(isInside && isWord(after));
  const isOpening = !isSpace(after) && !(isInside && isWord(before));
  const isOpen = (mark) => open.some((one) => one.mark === mark);
  if (isClosing && marks.every(isOpen)) {
    const inner = marks.find((mark) => open.at(-1).mark === mark) ?? marks[0];
    return () => [inner, ...marks.filter((mark) => mark !== inner)].reduce((made, mark) => made + shut(open, mark), 0);
  }
  if (!isOpening || marks.some(isOpen)) return undefined;
  return () => {
    for (const mark of marks) open.push({ mark, parts: [] });
    return 0;
  };
}

function shut(open, mark) {
  while (open.at(-1).mark !== mark) giveUp(open);
  const { parts } = open.pop();
  open.at(-1).parts.push({ type: MARKS[mark], children: parts });
  return 1;
}

/** Turns marks that nothing closes into text. */
function giveUp(open) {
  const { mark, parts } = open.pop();
  push(open.at(-1).parts, mark);
  for (const part of parts) {
    if (typeof part === "string") push(open.at(-1).parts, part);
    else open.at(-1).parts.push(part);
  }
}

// Elements -----------------------------------------------------------------------------------------------------------

const ELEMENTS = { strong: "strong", em: "em", del: "del", quote: "blockquote", mention: "span", link: "a" };
const WEB = new Set(["http:", "https:", "mailto:"]);

function leadsToWeb(href) {
  try {
    return WEB.has(new URL(href).protocol);
  } catch {
    return false;
  }
}

/** Elements for parts. Only what is in this function becomes one, and only addresses of the web and of mail lead anywhere. */
export function draw(parts) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (part.type === "list") return drawList(part);
    if (part.text !== undefined) {
      const made = document.createElement("code");
      made.append(part.text);
      if (part.type === "code") return made;
      const block = document.createElement("pre");
      block.dir = "auto";
      block.append(made);
      return block;
    }
    const made = document.createElement(ELEMENTS[part.type]);
    made.append(...draw(part.children));
    if (part.type === "quote") made.dir = "auto";
    if (part.type === "mention") made.className = "mention";
    if (part.type === "link" && leadsToWeb(part.href)) {
      Object.assign(made, { href: part.href, target: "_blank", rel: "noopener noreferrer", tabIndex: -1 });
      // Where the words aren't the address, it must be seen before one goes there.
      if (part.children[0] !== part.href) made.title = part.href;
    }
    return made;
  });
}

function drawList({ isNumbered, items }) {
  const list = document.createElement(isNumbered ? "ol" : "ul");
  list.dir = "auto";
  list.append(...items.map(({ value, children }) => {
    const item = document.createElement("li");
    if (isNumbered) item.value = value;
    item.append(...draw(children));
    return item;
  }));
  return list;
}

/** Whether something has lines of its own. */
export const hasBlocks = (parts) => parts.some(({ type }) => BLOCKS.includes(type));
