// The display of texts: a part of Markdown, addresses and mentions; and that no text takes long.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parse, plain } from "../../Web/app-text.js";

/** A tree as one line: `<strong bold>`. */
function shown(parts) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (part.items) {
      return `<list ${part.items.map(({ value, children }) => `<${value ?? "•"} ${shown(children)}>`).join("")}>`;
    }
    const href = part.href && part.href !== part.children[0] ? `=${part.href}` : "";
    return `<${part.type}${href} ${part.text ?? shown(part.children)}>`;
  }).join("");
}

function check(cases, names) {
  for (const [text, expected] of cases) assert.equal(shown(parse(text, names)), expected ?? text, JSON.stringify(text));
}

test("marks", () => check([
  ["plain"], ["**bold** and *italic* and _italic_", "<strong bold> and <em italic> and <em italic>"],
  ["__bold__ ~~gone~~", "__bold__ <del gone>"], ["***both***", "<strong <em both>>"],
  ["**a *b* c**", "<strong a <em b> c>"], ["*a **b** c*", "<em a <strong b> c>"], ["**a _b_ ~~c~~**", "<strong a <em b> <del c>>"],
  ["*a **b***", "<em a <strong b>>"],
  // Not closed, or not marks.
  ["**open"], ["a * b * c"], ["2*3*4 snake_case_name __init__.py ~5 ~ 6~"], ["**a *b**", "<strong a *b>"], ["****"], ["*****x*****"],
  ["¯\\_(ツ)_/¯"], ["** not bold **"], ["*a"], ["a*"], ["**a\nb**", "<strong a\nb>"], ["<b>x</b> &amp;"],
  // Where words aren't written apart.
  ["这是**粗体**字*斜*体", "这是<strong 粗体>字<em 斜>体"], ["foo**bar**baz", "foo<strong bar>baz"],
]));

test("code", () => check([
  ["`a*b*c`", "<code a*b*c>"], ["``a`b``", "<code a`b>"], ["`` ` ``", "<code `>"], ["`open"], ["``"], ["` `"], ["`a``b`", "<code a``b>"],
  ["```js\nlet a = **1**;\n\n  b\n```", "<pre let a = **1**;\n\n  b>"], ["see:\n```\nx\n```\nand", "see:<pre x>and"],
  ["```\nopen"], ["```\nopen\n```js", "```\nopen\n```js"], ["```one line```", "<code one line>"],
  ["```\n<script>alert(1)</script>\n```", "<pre <script>alert(1)</script>>"],
]));

test("quotes and lists", () => check([
  ["> a\n> **b**\nc", "<quote a\n<strong b>>c"], [">> a\n> b", "<quote <quote a>b>"], [">"], ["a > b"],
  [">>>>> deep", "<quote <quote <quote >> deep>>>"],
  ["- a\n- b\n\nc", "<list <• a><• b>>c"], ["* a\n* *b*", "<list <• a><• <em b>>>"],
  ["3. a\n4. b", "<list <3 a><4 b>>"], ["1) a", "<list <1 a>>"], ["- a\n  - b\n  - c\n- d", "<list <• a<list <• b><• c>>><• d>>"],
  ["- a\n  b", "<list <• a\nb>>"], ["-a"], ["-"], ["1.5 l"], ["first\n\n- a", "first<list <• a>>"],
]));

test("links", () => check([
  ["https://en.wikipedia.org/wiki/Roost_(disambiguation)", "<link https://en.wikipedia.org/wiki/Roost_(disambiguation)>"],
  ["(see https://example.org/a_(b)).", "(see <link https://example.org/a_(b)>)."],
  ["https://example.org/a, b", "<link https://example.org/a>, b"], ["**https://example.org/a_b**", "<strong <link https://example.org/a_b>>"],
  ["www.example.org.", "<link=https://www.example.org www.example.org>."], ["awww.nice"], ["www."], ["https://"], ["http://."],
  ["ann@example.org, b", "<link=mailto:ann@example.org ann@example.org>, b"], ["ann@local"], ["@ann"], ["a@b.c@d.e"],
  ["[the site](https://example.org/a_(b))", "<link=https://example.org/a_(b) the site>"],
  // Nothing but the web and mail, and no words that look like another address.
  ["[x](javascript:alert(1))"], ["javascript:alert(1)"], ["data:text/html,x"], ["[x](//example.org)"],
  ["[https://bank.example](https://evil.example)", "[<link https://bank.example>](<link https://evil.example>)"],
  ["[bank.example](https://evil.example/)", "[bank.example](<link https://evil.example/>)"],
  ["https://a.example/\u202Egpj.exe", "<link https://a.example/>\u202Egpj.exe"],
  ["HTTPS://EXAMPLE.ORG/A", "<link HTTPS://EXAMPLE.ORG/A>"], ["http://[::1]:8080/x", "<link http://[::1]:8080/x>"],
]));

test("mentions", () => check([
  ["@Ben Friend, @all: look", "<mention @Ben Friend>, <mention @all>: look"], ["@Benjamin"], ["**@Ben**", "<strong <mention @Ben>>"],
  ["`@Ben`", "<code @Ben>"], ["ben@ben.example", "<link=mailto:ben@ben.example ben@ben.example>"],
], ["@Ben", "@Ben Friend", "@all"]));

test("one line of a text", () => {
  assert.equal(plain("**Hello** `x`\n- a\n- b\n> c"), "Hello x a · b c");
  assert.equal(plain("a\u202Eb"), "ab");
  assert.ok(plain("x".repeat(100_000)).length <= 300);
});

// A mebibyte: a parser that reads a text again for each of its characters isn't done with it in an hour.
test("no text takes long, and none has more parts than are shown", { timeout: 60_000 }, () => {
  const many = (text) => text.repeat(Math.ceil(1_048_576 / text.length)).slice(0, 1_048_576);
  const hostile = [
    "*", "**a ", "*a", "_", "_a ", "~~", "~~a", "`", "`a", "``a`", "[", "[a", "[a](", "[a](http://x", "[a](http://x(", "](", "(", ")",
    ">", "> ", "> > ", ">\n", "> a\n", "- ", "- a\n", "  - a\n", "1. a\n - b\n", "```\n", "```a\n", "```\na\n", "\n", " ", "\n ", "a@", "a@a.",
    "a.", "@", "@a", "http://", "https://a(", "www.", "www.a)", "***a** ", "*a **b _c __d ~~e ", "a", "é", "😀", "\u202E", "**a*b_c~~`[",
  ];
  for (const one of hostile) {
    const parts = parse(many(one), ["@a", "@b"]);
    const count = (all) => all.reduce((sum, part) => (typeof part === "string" ? sum
      : sum + 1 + count(part.children ?? []) + count((part.items ?? []).map((item) => ({ ...item, type: "item" })))), 0);
    assert.ok(count(parts) <= 3_000, one);
    assert.ok(depth(parts) <= 16, one);
  }
});

function depth(parts) {
  return Math.max(0, ...parts.map((part) => (typeof part === "string" ? 0
    : 1 + depth(part.children ?? part.items?.map((item) => ({ children: item.children })) ?? []))));
}
