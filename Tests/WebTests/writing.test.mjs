// The emoji of the picker, mentions in a text, the words for changes, and the text shown around a hit.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Language } from "../../Web/app-language.js";
import { barrier, lineWords, pause } from "../../Web/app-lines.js";
import { around } from "../../Web/app-text.js";
import { has, search, table, written } from "../../Web/app-write.js";
import { internals } from "../../Web/roost.js";
import germanEmoji from "../../Web/words-de-emoji.js";
import german from "../../Web/words-de.js";
import english from "../../Web/words-en.js";

const language = new Language("en", ["en-GB"], english);
const { endOf } = language;

test("each emoji of the picker is one, is there once, and is written as the relay keeps it", () => {
  const all = table().flatMap(([, group]) => group);
  assert.equal(new Set(all.map(({ emoji }) => emoji)).size, all.length);
  assert.ok(all.length > 400);
  for (const { emoji, words } of all) {
    assert.match(emoji, /^\p{Emoji}$/u);
    assert.match(words, /^[a-z]+( [a-z]+)*$/, emoji);
    assert.equal(internals.reactionForm(written(emoji)), written(emoji), emoji);
  }
});

test("emoji are found by how their words begin, whole words first", () => {
  const all = table().flatMap(([, group]) => group);
  const found = (words) => search(all, words).map(({ emoji }) => emoji);
  assert.ok(found("thumb").includes("👍") && found("THUMBS up").includes("👍"));
  assert.equal(found("tada")[0], "🎉");
  assert.deepEqual(found("umb").includes("👍"), false, "not in the middle of a word");
  assert.deepEqual(found("no such emoji"), []);
  assert.ok(found("car").indexOf("🚗") < found("car").indexOf("🥕"));
});

test("emoji have German words, too", () => {
  const [english, all] = [table(), table(germanEmoji)].map((one) => one.flatMap(([, group]) => group));
  assert.deepEqual(all.map(({ emoji }) => emoji), english.map(({ emoji }) => emoji));
  assert.equal(germanEmoji.split(",").length, all.length, "none twice, and none for what there isn't");
  for (const [at, { emoji, words }] of all.entries()) {
    assert.match(words, /^[a-zäöüß]+( [a-zäöüß]+)*$/, emoji);
    assert.ok(germanEmoji.includes(` ${emoji} ${words}`), emoji);
    assert.equal(written(emoji), written(english[at].emoji));
  }
  assert.equal(search(all, "geschenk")[0].emoji, "🎁");
  assert.equal(search(all, "DAUMEN HOCH")[0].emoji, "👍");
});

test("a colour of skin is for hands and people", () => {
  assert.equal(written("👍", "\u{1F3FD}"), "👍🏽");
  assert.equal(written("☝", "\u{1F3FD}"), "☝🏽");
  assert.equal(written("☝"), "☝\uFE0F");
  assert.equal(written("🍕", "\u{1F3FD}"), "🍕");
});

test("a name in a text is no part of a longer word", () => {
  assert.ok(has("Hello @Ben!", "@Ben") && has("@Ben", "@Ben") && has("@Benjamin and @Ben", "@Ben"));
  assert.ok(!has("@Benjamin", "@Ben") && !has("mail@Ben", "@Ben"));
});

test("what has happened is said from where one stands", () => {
  const say = (line, spoken = language) => lineWords({ by: "ann", ...line }, { me: "me", called: (user) => user, language: spoken });
  for (const [line, words] of [
    [{ event: "created", name: "Crew" }, "ann created the group “Crew”"], [{ event: "created", by: "me" }, "You created the group"],
    [{ event: "added", users: ["me"] }, "ann added you"], [{ event: "added", users: ["b"], count: 3 }, "ann added b and 2 others"],
    [{ event: "added", users: ["ann"] }, "ann joined"],
    [{ event: "added", users: ["ann"], inviter: "me" }, "ann joined by your link"],
    [{ event: "added", by: "me", users: ["me"], inviter: "ann" }, "You joined by ann’s link"], [{ event: "removed", users: ["b"] }, "ann removed b"],
    [{ event: "left" }, "ann left"], [{ event: "left", owner: "me" }, "ann left. You are the owner now"],
    [{ event: "left", owner: "b" }, "ann left. b is the owner now"], [{ event: "renamed", name: "x" }, "ann renamed the group to “x”"],
    [{ event: "role", user: "me", role: "admin" }, "ann made you an admin"],
    [{ event: "role", user: "b", role: "member" }, "ann made b a regular member"],
    [{ event: "role", user: "b", role: "owner" }, "ann made b the owner"],
    [{ event: "expiry", after: 86_400_000 }, "ann set messages to disappear after 24 hours"],
    [{ event: "expiry", after: 0 }, "ann turned off disappearing messages"], [{ event: "pinned", pin: 3 }, "ann pinned a message"],
    [{ event: "described" }, "ann changed the photo or description"],
    [{ event: "removed", users: ["b"], banned: true, reason: "spam" }, "ann banned b: Spam"],
    [{ event: "banned", user: "b", reason: "other" }, "ann banned b"], [{ event: "unbanned", user: "me" }, "ann lifted the ban on you"],
    [{ event: "timeout", user: "me", until: 9e14, reason: "spam" }, `ann gave you a timeout until ${endOf(9e14)}: Spam`],
    [{ event: "timeout", user: "b" }, "ann ended the timeout for b"],
    [{ event: "deleted", user: "me", reason: "spam" }, "ann removed your message: Spam"],
    [{ event: "deleted", user: "b" }, "ann removed a message from b"],
    [{ event: "posting", posting: "admins" }, "ann let only admins send messages"],
    [{ event: "posting", posting: "all" }, "ann let everyone send messages"],
    [{ event: "slow", after: 30_000 }, "ann turned on slow mode: 30 seconds between messages"],
    [{ event: "slow", after: 0 }, "ann turned off slow mode"],
  ]) assert.equal(say(line), words);
  const spoken = new Language("de", ["de-DE"], german);
  for (const [line, words] of [
    [{ event: "created", by: "me" }, "Du hast die Gruppe erstellt"], [{ event: "added", users: ["me"] }, "ann hat dich hinzugefügt"],
    [{ event: "added", users: ["b", "me"], count: 3 }, "ann hat b, dich und 1 weitere Person hinzugefügt"],
    [{ event: "left", owner: "me" }, "ann hat die Gruppe verlassen. Die Gruppe gehört jetzt dir"],
    [{ event: "role", user: "me", role: "owner" }, "ann hat dir die Gruppe übergeben"],
    [{ event: "timeout", user: "me", until: 9e14, reason: "spam" }, `ann hat dir eine Auszeit bis ${spoken.endOf(9e14)} gegeben: Spam`],
    [{ event: "expiry", after: 604_800_000 }, "ann hat verschwindende Nachrichten eingestellt: 1 Woche"],
  ]) assert.equal(say(line, spoken), words);
});

test("the page says how long a member of a slow group waits", () => {
  const at = (now, role = "member", slow = 30_000) => pause(
    { conversation: { role, slow }, items: [{ isOwn: true, sequence: 4, time: 1_000 }, { sequence: 5, time: 9_000 }] }, language, now);
  assert.deepEqual([1_000, 60_000, 90_000, 300_000, 3_600_000, 21_600_000].map((time) => language.duration(time)),
    ["1 second", "1 minute", "90 seconds", "5 minutes", "1 hour", "6 hours"]);
  assert.deepEqual(at(19_500), { words: "Slow mode: your next message goes out in 12 seconds.", next: 501 });
  assert.deepEqual(at(31_000), { words: "Slow mode: wait 30 seconds between messages." });
  for (const nothing of [at(1_000, "admin"), at(1_000, "owner"), at(1_000, "member", 0), pause(undefined, language)]) {
    assert.equal(nothing, undefined);
  }
});

test("the page says why one can't write, and when that ends", () => {
  const until = Date.now() + 60_000;
  assert.equal(barrier({ role: "member" }, language), undefined);
  assert.equal(barrier(undefined, language), undefined);
  // Members may still react to what admins write.
  const listens = { words: "Only admins can send messages here.", mayReact: true };
  assert.deepEqual(barrier({ role: "member", posting: "admins" }, language), listens);
  for (const role of ["owner", "admin"]) assert.equal(barrier({ role, posting: "admins" }, language), undefined);
  const closed = barrier({ role: "admin", timeout: { until, reason: "harassment" } }, language);
  assert.deepEqual(closed, { until, words: `You can’t send messages here until ${endOf(until)}: Harassment.` });
  assert.equal(barrier({ role: "owner", timeout: { until } }, language), undefined);
  assert.equal(barrier({ role: "member", timeout: { until: Date.now() - 1 } }, language), undefined);
});

test("what was looked for is shown with what is around it", () => {
  assert.deepEqual(around("See the Old\nharbour", "old"), ["See the ", "Old", " harbour"]);
  assert.deepEqual(around("We meet at the **old** harbour", "harbour"), ["… at the old ", "harbour", ""]);
  assert.deepEqual(around("**bold**", "**"), ["", "**", "bold**"]);
  assert.deepEqual(around("nothing", "x"), ["nothing", "", ""]);
  const [before, hit] = around(`${"😀".repeat(30)}!x`, "x");
  assert.deepEqual([hit, before.isWellFormed()], ["x", true]);
  assert.equal(around("a\u202Ex", "x").join(""), "ax");
});
