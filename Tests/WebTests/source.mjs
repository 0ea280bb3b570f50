// Reads the page's sources as tests of its texts need them: tokens, the keys that `t` is called with, and literals that people
// would read. It knows as much of JavaScript as these files use.

const SPACE = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const WORD = /[\p{L}_$#][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;
const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/y;
const SIGN = /\.\.\.|\?\?=|=>|===|!==|\?\.|\?\?|\|\||&&|[<>=!+\-*/%&|^]=|[\s\S]/y;
/** Behind these a slash begins a pattern. */
const OPENS = /^(?:[({[,;:=?&|!+\-*<>~^%}]|=>|===|!==|\?\?|&&|\|\||return|typeof|case|in|of)$/;

/** The tokens of a source: `{ type, value, line }`. A template is a sign for each hole, and one token for each piece of text. */
export function tokensOf(source) {
  const tokens = [];
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at += found[0].length;
    return found?.[0];
  };
  const push = (type, value, from) => tokens.push({ type, value, line: source.slice(0, from).split("\n").length });
  const template = () => {
    push("sign", "`(", at);
    let piece = "";
    let from = at;
    while (source[at] !== "`") {
      if (source.startsWith("${", at)) {
        push("template", piece, from);
        push("sign", "${", at);
        at += 2;
        read("}");
        push("sign", "}", at);
        piece = "";
        from = at;
      } else {
        if (source[at] === "\\") piece += source[at++];
        piece += source[at++];
        if (at > source.length) throw new Error("a template has no end");
      }
    }
    at += 1;
    push("template", piece, from);
    push("sign", "`)", at);
  };
  /** Reads to the end, or to the bracket that closes a hole of a template. */
  function read(end) {
    let depth = 0;
    while (at < source.length) {
      if (take(SPACE)) continue;
      const from = at;
      let found;
      if (source[at] === "`") {
        at += 1;
        template();
      } else if ((found = take(STRING))) push("string", Function(`return ${found}`)(), from);
      else if ((found = take(WORD))) push("word", found, from);
      else if ((found = take(NUMBER))) push("number", found, from);
      else if (source[at] === "/" && (!tokens.length || OPENS.test(tokens.at(-1).value)) && (found = take(REGEX))) push("regex", found, from);
      else {
        found = take(SIGN);
        if (found === end && depth === 0) return;
        depth += found === "{" ? 1 : found === "}" ? -1 : 0;
        push("sign", found, from);
      }
    }
  }
  read();
  return tokens;
}

const OPENING = ["(", "[", "{", "${", "`("];
const CLOSING = [")", "]", "}", "`)"];

/** The parts of a call or an object that begins behind `start`, each as its tokens with their depth. */
function partsOf(tokens, start) {
  const parts = [[]];
  let depth = 0;
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at];
    const isSign = token.type === "sign";
    if (isSign && CLOSING.includes(token.value)) {
      if (depth === 0) return parts;
      depth -= 1;
    }
    if (isSign && token.value === "," && depth === 0) parts.push([]);
    else parts.at(-1).push({ ...token, depth, before: tokens[at - 1], behind: tokens[at + 1] });
    if (isSign && OPENING.includes(token.value)) depth += 1;
  }
  return parts;
}

/** The keys of the catalogue that a source asks for: `{ keys, families, unclear }`. */
export function keysOf(source) {
  const tokens = tokensOf(source);
  const [keys, families, unclear] = [[], [], []];
  tokens.forEach((token, at) => {
    const isCall = token.type === "word" && token.value === "t" && tokens[at + 1]?.value === "(" && tokens[at - 1]?.value !== "function";
    if (isCall) {
      const [first] = partsOf(tokens, at + 2);
      let found = 0;
      for (const part of first) {
        // A key is the whole argument, or one of the two that a condition chooses from.
        const isChosen = part === first[0] || ["?", ":"].includes(part.before?.value) || part.before?.value === "`(";
        const isCompared = ["===", "!==", "in"].includes(part.behind?.value);
        if (part.type === "string" && part.depth === 0 && isChosen && !isCompared) {
          keys.push(part.value);
          found += 1;
        } else if (part.type === "template" && part.depth === 1 && part.before?.value === "`(" && /^\w+\.$/.test(part.value)) {
          families.push(part.value);
          found += 1;
        }
      }
      if (!found) unclear.push(`line ${token.line}: t(${first.map(({ value }) => value).join(" ")})`);
    }
    if (token.type === "string" && token.value === "data-t" && tokens[at + 1]?.value === ":") keys.push(tokens[at + 2].value);
  });
  return { keys, families, unclear };
}

/** The keys that a page of HTML asks for. */
export function keysOfPage(html) {
  return [...html.matchAll(/data-t="([^"]*)"/g)].flatMap(([, value]) => value.split(" ").map((one) => one.split(":").at(-1)));
}

// Literals ------------------------------------------------------------------------------------------------------------

/** Attributes and properties that people read or hear. */
const SPOKEN = ["aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "title", "placeholder", "alt", "textContent", "innerText",
  "ariaLabel", "label", "ariaDescription"];
/** Functions that show a text, and which of their arguments they show. */
const SHOWS = { text: [1], tell: [0], button: [0], confirmed: [0, 1], showStart: [0, 1], leave: [0, 1], field: [2], dialog: [2], alert: [0], prompt: [0],
  confirm: [0], createTextNode: [0], setCustomValidity: [0], Notification: [0], append: [0, 1, 2, 3], prepend: [0, 1], replaceChildren: [0, 1, 2] };
const LETTERS = /\p{L}{2}/u;
const isWords = (words) => LETTERS.test(words.replace(/\$\{.*?\}|\\[nu]\w*/g, ""));
/** A sentence, or a word with a capital: nothing else in these files looks like that, but for what `isTechnical` says. */
const looksLikeWords = (words) => /\p{L}[\p{L}’']*[.,:;!?…]* +[“"(]?\p{L}/u.test(words) || /^[“"(]?\p{Lu}\p{Ll}+/u.test(words.trim());

/** Names of the platform, and what only programs read. */
function isTechnical(words, { isStyle }) {
  return isStyle
    // Selectors, paths of pictures, tags of languages, keys of the keyboard, and permissions.
    || /^[#.[:(]|^[a-z]+[#.[ >:,].*[#.[\]]|^:is\(/.test(words.trim()) && !/[.!?…]$/.test(words.trim())
    || /^ ?[MLHVCSAZz]?[-\d. ,a-zA-Z]*\d[-\d. ,a-zA-Z]*$/.test(words) && /\d/.test(words) && !/\p{L}{3}/u.test(words)
    || /^(Arrow(Up|Down|Left|Right)|Enter|Escape|Backspace|Delete|Home|End|Tab|Key[A-Z])$/.test(words);
}

/** Whether a literal is what an error says, which is for developers: people read a text that is chosen by its code. */
function isReason(tokens, at) {
  let depth = 0;
  for (let place = at - 1; place >= 0 && tokens[place].value !== ";"; place -= 1) {
    const { type, value } = tokens[place];
    if (type !== "sign") continue;
    if (CLOSING.includes(value)) depth += 1;
    else if (OPENING.includes(value) && depth > 0) depth -= 1;
    else if (OPENING.includes(value) && value === "(") return /Error$/.test(tokens[place - 1]?.value) && tokens[place - 2]?.value === "new";
  }
  return false;
}

/** The texts in a source that people would read although they aren't in the catalogue: `line 3: "Sign in"`.
 * `allowed` are literals that are the same in all languages. */
export function literalsOf(source, allowed = []) {
  const tokens = tokensOf(source);
  const found = new Map();
  const say = (token) => {
    if (!allowed.some((one) => (one instanceof RegExp ? one.test(token.value) : one === token.value))) {
      found.set(`${token.line} ${token.value}`, `line ${token.line}: ${JSON.stringify(token.value)}`);
    }
  };
  const isLiteral = ({ type }) => type === "string" || type === "template";
  /** Literals that a value can be: not those that are compared, or are arguments of a call in it. */
  const values = (part) => {
    for (const token of part) {
      const inTemplate = token.type === "template" && token.depth === 1 && ["`(", "}"].includes(token.before?.value);
      const isCompared = ["===", "!=="].includes(token.before?.value) || ["===", "!==", "in"].includes(token.behind?.value);
      if (isLiteral(token) && (token.depth === 0 || inTemplate) && !isCompared && isWords(token.value)) say(token);
    }
  };
  tokens.forEach((token, at) => {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    if (isLiteral(token)) {
      // The rules of a part.
      const isStyle = tokens[at - 3]?.value === "STYLE" && before?.value === "`(";
      if (isStyle) for (const [, words] of token.value.matchAll(/content:\s*"([^"]*)"/g)) if (isWords(words)) say({ ...token, value: words });
      const isKey = before?.value === "(" && tokens[at - 2]?.value === "t";
      const isClass = before?.value === ":" && ["class", "className", "rel"].includes(tokens[at - 2]?.value);
      if (!isKey && !isClass && !isReason(tokens, at) && looksLikeWords(token.value) && !isTechnical(token.value, { isStyle })) say(token);
    }
    const name = isLiteral(token) || token.type === "word" ? token.value : "";
    // Properties of objects, and assignments.
    if (SPOKEN.includes(name) && next?.value === ":" && ["{", ","].includes(before?.value)) values(partsOf(tokens, at + 2)[0]);
    if (SPOKEN.includes(name) && next?.value === "=" && before?.value === ".") {
      const end = tokens.findIndex((one, place) => place > at && one.value === ";");
      values(partsOf(tokens.slice(0, end < 0 ? undefined : end), at + 2)[0]);
    }
    // Calls. A method of that name shows a text, too.
    if (token.type !== "word" || next?.value !== "(") return;
    const parts = partsOf(tokens, at + 2);
    const shown = name === "element" ? parts.slice(2)
      : name === "attribute" && SPOKEN.includes(parts[1]?.[0]?.value) ? [parts[2]]
        : name === "setAttribute" && SPOKEN.includes(parts[0]?.[0]?.value) ? [parts[1]]
          : (Object.hasOwn(SHOWS, name) ? SHOWS[name] : []).map((place) => parts[place]);
    for (const part of shown) if (part) values(part);
  });
  return [...found.values()];
}

/** The texts in an HTML page that people would read although they aren't in the catalogue. */
export function literalsOfPage(html) {
  // Typed and pressed keys are the same in all languages; without scripts there is no catalogue.
  const rest = html.replace(/<!--[\s\S]*?-->|<code[\s\S]*?<\/code>|<kbd>(?:Enter|Esc|Alt|Tab|.)<\/kbd>|<noscript>[\s\S]*?<\/noscript>|<title>Roost<\/title>/gu, "");
  const texts = [...rest.matchAll(/>([^<]+)</g)].map(([, words]) => words.trim()).filter(isWords);
  const attributes = [...rest.matchAll(/\s([\w-]+)="([^"]*)"/g)].filter(([, name, words]) => SPOKEN.includes(name) && isWords(words));
  return [...texts, ...attributes.map(([, name, words]) => `${name}="${words}"`)];
}
