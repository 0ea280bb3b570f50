// The catalogues of the page's texts: they are complete, equal in form, and there is no text beside them.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { Language, languageFor, LANGUAGES } from "../../Web/app-language.js";
import { sentences } from "../../Web/roost.js";
import { keysOf, keysOfPage, literalsOf, literalsOfPage, tokensOf } from "./source.mjs";

const WEB = new URL("../../Web/", import.meta.url);
const read = (name, base = WEB) => readFileSync(new URL(name, base), "utf8");
const catalogue = async (name, part) => (await import(new URL(`words-${name}${part}.js`, WEB))).default;

const CATALOGUES = {};
for (const name of LANGUAGES) CATALOGUES[name] = { first: await catalogue(name, ""), more: await catalogue(name, "-more") };
const ENGLISH = CATALOGUES.en;

/** The files bundled with app.js: they are there before the texts of the other parts are. */
const FIRST = ["app.js", "accounts.js", "app-language.js", "app-lines.js", "app-text.js"];
const SOURCES = readdirSync(WEB).filter((name) => /^(app(-[a-z]+)?|accounts|qr)\.js$/.test(name));
const sources = (names) => names.map((name) => [name, read(name)]);
const LATER = SOURCES.filter((name) => !FIRST.includes(name));

// Words that are the same in all languages: names of programs and protocols, classes, and typed ones.
const NAMES = ["Chrome", "Edge", "Firefox", "Safari", "Android", "Linux", "Windows"];
const ALLOWED = {
  "accounts.js": ["Content-Type", "Bearer ", "Retry-After"],
  "app.js": [...NAMES, "Edg/", "Firefox/", "Chrome/", "Safari/", "Mac OS X", "Roost", "roost link --user ", "avatar hue-", "author strong ink-",
    "up link", "input, textarea", /^<(svg|rect|path|circle) /],
  "app-account.js": NAMES, "app-settings.js": ["input, textarea, select"],
  "app-language.js": ["PluralRules", "NumberFormat", "ListFormat", "Collator", "DateTimeFormat", "RelativeTimeFormat"],
  // The words by which emoji are found.
  "app-emoji.js": [/^\n {4}\p{Extended_Pictographic}/u],
};

/** The forms of a text by their names; one that has no forms is its own. */
const formsOf = (text) => (typeof text === "string" ? { "": text } : text);
const placesOf = (text) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();
const isPlural = (text) => typeof text === "object" && !("you" in text);

test("every language has the same texts, once", () => {
  for (const [name, { first, more }] of Object.entries(CATALOGUES)) {
    for (const part of ["first", "more"]) {
      assert.deepEqual(Object.keys(CATALOGUES[name][part]).sort(), Object.keys(ENGLISH[part]).sort(), name);
    }
    assert.deepEqual(Object.keys(first).filter((key) => key in more), [], name);
    for (const part of ["", "-more"]) {
      const keys = tokensOf(read(`words-${name}${part}.js`)).map(({ value }, at, all) => all[at + 1]?.value === ":" && value).filter(Boolean);
      const topmost = keys.filter((key) => key in first || key in more);
      assert.deepEqual(topmost.filter((key, at) => topmost.indexOf(key) !== at && !["other", "you"].includes(key)), [], "a key twice");
    }
  }
});

test("the forms of a text are those of its language, and have the same places", () => {
  for (const [name, parts] of Object.entries(CATALOGUES)) {
    const categories = new Intl.PluralRules(name).resolvedOptions().pluralCategories.sort();
    for (const part of ["first", "more"]) {
      for (const [key, text] of Object.entries(parts[part])) {
        const [forms, english] = [formsOf(text), formsOf(ENGLISH[part][key])];
        assert.equal(typeof text, typeof ENGLISH[part][key], key);
        if (isPlural(text)) {
          assert.deepEqual(Object.keys(forms).sort(), categories, key);
          for (const form of Object.values(forms)) assert.ok(placesOf(form).includes("count"), `${name}: ${key}`);
        } else assert.deepEqual(Object.keys(forms).sort(), Object.keys(english).sort(), key);
        const places = (all) => [...new Set(Object.values(all).flatMap(placesOf))].sort();
        assert.deepEqual(places(forms), places(english), `${name}: ${key}`);
        if (!isPlural(text)) for (const [form, words] of Object.entries(forms)) assert.deepEqual(placesOf(words), placesOf(english[form]), key);
        for (const words of Object.values(forms)) {
          assert.ok(words.trim() !== "" && !/[{}]/.test(words.replace(/\{\w+\}/g, "")) && !/\.\.\.|'/.test(words), `${name}: ${key}: ${words}`);
        }
      }
    }
  }
});

test("the page asks for texts that there are, when they are there, and for each of them", () => {
  const asked = (names) => sources(names).map(([name, source]) => ({ name, ...keysOf(source) }));
  // `fill` hands on what the elements of the page name.
  const ours = asked(FIRST).map((one) => (one.name === "app-language.js" ? { ...one, unclear: [] } : one));
  const theirs = asked(LATER);
  assert.deepEqual([...ours, ...theirs].filter(({ unclear }) => unclear.length), [], "keys that nobody can look up");
  const firstKeys = new Set([...ours.flatMap(({ keys }) => keys), ...keysOfPage(read("index.html"))]);
  const laterKeys = new Set(theirs.flatMap(({ keys }) => keys));
  assert.deepEqual([...firstKeys].filter((key) => !(key in ENGLISH.first)), []);
  assert.deepEqual([...laterKeys].filter((key) => !(key in ENGLISH.first || key in ENGLISH.more)), []);
  const families = new Set([...ours, ...theirs].flatMap((one) => one.families));
  const all = [...Object.keys(ENGLISH.first), ...Object.keys(ENGLISH.more)];
  for (const family of families) assert.ok(all.some((key) => key.startsWith(family)), family);
  const isOfFamily = (key) => families.has(key.replace(/\..*/, "."));
  assert.deepEqual(all.filter((key) => !firstKeys.has(key) && !laterKeys.has(key) && !isOfFamily(key)), [], "texts that nothing shows");
  // The first load is small: what only later parts show comes with them.
  const firstFamilies = new Set(ours.flatMap((one) => one.families));
  const isLate = (key) => firstFamilies.has(key.replace(/\..*/, "."));
  assert.deepEqual(Object.keys(ENGLISH.more).filter(isLate), [], "texts that may come too late");
  const isEarly = (key) => firstKeys.has(key) || firstFamilies.has(key.replace(/\..*/, "."));
  assert.deepEqual(Object.keys(ENGLISH.first).filter((key) => !isEarly(key)), []);
});

/** The texts that the page makes of words of the relay and the services, and which of these never get to a user of the page. */
test("every refusal has a sentence", () => {
  const words = (name, pattern) => [...read(name, new URL("../../Sources/", import.meta.url)).matchAll(pattern)].map(([, one]) => one);
  const relay = words("RoostWire/ErrorCode.swift", /case \.\w+: "(\w+)"/g);
  const services = words("RoostServices/ServiceFault.swift", /case (\w+(?: = "\w+")?)$/gm).map((one) => /"(\w+)"/.exec(one)?.[1] ?? one);
  assert.ok(relay.length >= 18 && services.length >= 30 && relay.includes("not_found") && services.includes("bad_link"));
  const client = [...read("roost.js").matchAll(/(?:passing|new RoostError)\("(\w+)"/g)].map(([, one]) => one);
  assert.ok(client.includes("timed_out") && client.includes("wrong_user"));
  // Those are mistakes of an app, and never of its user.
  const ofPrograms = ["full", "key_is_taken", "no_sockets", "no_such_item", "no_token", "bad_json", "unknown_type",
    "not_ready", "bad_position", "method_not_allowed", "timeout", "expectation_failed", "internal", "user_not_found"];
  const byItself = ["factor_required", "rate_limited", "invalid"];
  const has = (key) => key in ENGLISH.first;
  const missing = (codes, families) => codes.filter((code) => !ofPrograms.includes(code) && !families.some((one) => has(`${one}.${code}`)));
  assert.deepEqual(missing([...relay, ...client, "outdated"], ["refused"]), []);
  assert.deepEqual(missing(services.filter((code) => !byItself.includes(code)), ["account", "refused"]), []);
  assert.deepEqual(missing(Object.keys(sentences), ["unsent"]), []);
  const unsent = Object.keys(ENGLISH.first).filter((key) => key.startsWith("unsent.")).map((key) => key.slice(7));
  assert.deepEqual(unsent.sort(), Object.keys(sentences).sort());
});

test("there is no text beside the catalogues", () => {
  const [, keep] = /const PARTS = \[([^;]*)\];/.exec(read("sw.js"));
  for (const name of readdirSync(WEB).filter((one) => one.startsWith("words-"))) assert.ok(keep.includes(`"/${name}"`), name);
  for (const [name, source] of sources(SOURCES)) assert.deepEqual(literalsOf(source, ALLOWED[name]), [], name);
  assert.deepEqual(literalsOfPage(read("index.html")), []);
  for (const [, words] of read("app.css").matchAll(/content:\s*"([^"]*)"/g)) assert.doesNotMatch(words, /\p{L}/u);
  // Every language says what it can't do without scripts.
  const [, without] = /<noscript>(.*?)<\/noscript>/.exec(read("index.html"));
  assert.deepEqual([...without.matchAll(/lang="(\w+)"/g)].map(([, one]) => one), LANGUAGES);
});

test("a text beside the catalogues is found, wherever it is planted", () => {
  const planted = [
    "tell(\"gone\");", "text($(\"x\"), isOn ? \"on\" : t(\"off\"));", "element(\"p\", {}, `${count} left`);", "button(\"copy\", act);",
    "node.textContent = `${name} is away`;", "document.title = \"hello\";", "attribute(node, \"aria-label\", name || \"nobody\");",
    "element(\"input\", { placeholder: \"search\" });", "element(\"a\", { \"aria-label\": isOn ? \"on\" : \"off\" });", "const words = \"Sign in\";",
    "return \"Unmute\";", "const say = (name) => `Remove ${name}`;", "node.append(\"later\");", "throw tell(`wait for ${one}`);",
    "const REASONS = { spam: \"It is spam\" };", "node.title = \"away\";", "await confirmed(\"sure\", \"yes\");", "alert(\"no\");",
    "const STYLE = `.muted::after { content: \"muted\"; }`;", "showStart(\"Hello\", \"there\");", "return isOld ? \"two days ago\" : day;",
    "node.setAttribute(\"title\", \"close\");", "const lines = [`${a} joined by ${b}'s link`];",
  ];
  for (const one of planted) assert.notDeepEqual(literalsOf(one), [], one);
  const harmless = [
    "tell(t(\"gone\"));", "node.classList.add(\"own\");", "if (state === \"sent\") text(node, t(state === \"read\" ? \"a\" : \"b\"));",
    "element(\"span\", { class: \"faint strong\" }, name);", "throw new Error(\"the relay doesn't serve it\");", "$(\"list\").querySelector(\".a .b\");",
  ];
  for (const one of harmless) assert.deepEqual(literalsOf(one), [], one);
  for (const one of ["<p>Hello</p>", "<input placeholder=\"Search\">", "<button aria-label=\"Close\"></button>", "<p data-t=\"a\">so <b>on</b></p>"]) {
    assert.notDeepEqual(literalsOfPage(one), [], one);
  }
  assert.deepEqual(keysOf("t(\"a\", { b: t(isOn ? \"c\" : \"d\") }); t(`e.${one}`); t(name);"),
    { keys: ["a", "c", "d"], families: ["e."], unclear: ["line 1: t(name)"] });
});

// How texts are made --------------------------------------------------------------------------------------------------

const made = (name, preferred = []) => new Language(name, preferred, { ...CATALOGUES[name].first, ...CATALOGUES[name].more }, undefined);

test("the language is the chosen one, or else the browser's", () => {
  assert.equal(languageFor("de", ["en-GB"]), "de");
  assert.equal(languageFor(undefined, ["fr-CH", "de-CH", "en"]), "de");
  assert.equal(languageFor(undefined, ["DE-at"]), "de");
  assert.equal(languageFor("xx", ["fr"]), "en");
  assert.equal(languageFor(undefined, []), "en");
  assert.equal(made("de", ["en", "de-AT"]).locale, "de-AT");
  assert.equal(made("en", ["de-AT"]).locale, "en");
});

test("numbers choose the form, and are written as in the language", () => {
  const [english, german] = [made("en"), made("de")];
  assert.equal(english.t("messages", { count: 1 }), "1 message");
  assert.equal(english.t("messages", { count: 0 }), "0 messages");
  assert.equal(english.t("messages", { count: 12_345 }), "12,345 messages");
  assert.equal(german.t("messages", { count: 12_345 }), "12.345 Nachrichten");
  assert.equal(german.t("messages", { count: 1 }), "1 Nachricht");
  // Names are no patterns.
  assert.equal(english.t("youBlocked", { name: "$& {name}" }), "You blocked $& {name}.");
  assert.equal(english.t("line.left", { as: "you", name: "Ann" }), "You left");
});

test("names are listed as in the language", () => {
  assert.equal(made("en", ["en-GB"]).names(["Ann", "Ben"], 2), "Ann, Ben and 2 others");
  assert.equal(made("de").names(["Ann", "Ben"], 1), "Ann, Ben und 1 weitere Person");
  assert.equal(made("en").names([]), "");
});

test("times are written as in the language", (context) => {
  const now = new Date(2026, 6, 15, 14, 30).getTime();
  context.mock.timers.enable({ apis: ["Date"], now });
  const [english, german] = [made("en", ["en-GB"]), made("de", ["de-DE"])];
  const MINUTE = 60_000;
  const DAY = 1_440 * MINUTE;
  const both = (act) => [act(english), act(german)];
  assert.deepEqual(both((one) => one.ago(now - 1_000)), ["just now", "gerade eben"]);
  assert.deepEqual(both((one) => one.ago(now - 5 * MINUTE)), ["5 minutes ago", "vor 5 Minuten"]);
  assert.deepEqual(both((one) => one.ago(now - DAY)), ["yesterday at 14:30", "gestern um 14:30"]);
  assert.deepEqual(both((one) => one.ago(now - 10 * DAY)), ["on 5 Jul", "am 5. Juli"]);
  assert.deepEqual(both((one) => one.day(now)), ["Today", "Heute"]);
  assert.deepEqual(both((one) => one.day(now - DAY)), ["Yesterday", "Gestern"]);
  assert.deepEqual(both((one) => one.day(now - 3 * DAY)), ["Sunday 12 July", "Sonntag, 12. Juli"]);
  assert.deepEqual(both((one) => one.shortTime(now - MINUTE)), ["14:29", "14:29"]);
  assert.deepEqual(both((one) => one.endOf(now + 2 * DAY)), ["17 Jul 2026, 14:30", "17.07.2026, 14:30"]);
  assert.deepEqual(both((one) => one.duration(DAY)), ["24 hours", "24 Stunden"]);
  assert.deepEqual(both((one) => one.duration(7 * DAY)), ["1 week", "1 Woche"]);
  assert.deepEqual(both((one) => one.duration(90 * DAY)), ["90 days", "90 Tage"]);
  assert.deepEqual(both((one) => one.duration(10 * MINUTE)), ["10 minutes", "10 Minuten"]);
});
