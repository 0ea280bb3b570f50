#!/usr/bin/env python3
"""Breaks Web/roost.js in one place at a time and runs the case that must notice.

    .build-venv/bin/python Tests/Conformance/mutations.py NODE

It fails if a case passes all the same. Where the text of a mutation isn't in the file any more, the mutation has to be
written anew."""

import asyncio
import pathlib
import shutil
import sys
import tempfile

import clientcases  # noqa: F401
import harness.waiting

# A broken client keeps a case waiting to the end.
harness.waiting.PATIENCE = 8.0

from clientcases.case import load  # noqa: E402
from clientcases.run import run_all  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
MODULE = FOLDER.parents[1] / "Web/roost.js"
AT_ONCE = 3

# For each fault: its name, the text, the replacement, and the case that notices.
MUTATIONS = [
    ("an edit names no version", "case \"edit\": return { ...about, body, mentions, ifVersion };",
     "case \"edit\": return { ...about, body, mentions };", "a-stale-edit"),
    ("the next edit keeps the old version", "one.ifVersion === version - 1)", "false)", "a-stale-edit"),
    ("what was sent on shows as it was", "messageRow({ ...item, ...ok, kind,",
     "messageRow({ ...item, ...ok, kind, body: item.body,", "ok-tells-content-and-end"),
    ("the end of an own message isn't kept", "messageRow({ ...item, ...ok, kind,",
     "messageRow({ ...item, ...ok, kind, expires: undefined,", "ok-tells-content-and-end"),
    ("a draft takes the place of what was typed", "isOwn || (draft && draft !== shared) ?", "isOwn ?",
     "a-draft-that-was-typed-stays"),
    ("a send from elsewhere ends no draft", "isOwn || kind !== \"text\"", "true", "a-draft-ends-with-its-send"),
    ("a repeated message counts again", "if (await this.#has(row)) return;",
     "if (row.from !== this.#user) { const one = await this.#known(row.conversation); await this.put({ ...one, "
     "unread: one.unread + 1 }); }", "a-message-comes-again"),
    ("a repeated created begins anew", "one?.time >= time && one.first === sequence + 1) return;",
     "one?.time > time + 1e9) return;", "created-comes-again"),
    ("added keeps what was before", "    await this.forget(id);\n    const isCreated",
     "    if (one) return;\n    const isCreated", "added-alone-begins-anew"),
    ("a gap keeps what is in it", "await this.#forgetMessages(conversation, reset ? 0 : from, to);", "",
     "what-is-in-a-gap-is-out-of-date"),
    ("a reset asks nothing", "    one.stale = 1;\n    await this.put(one);", "    await this.put(one);", "a-reset"),
    ("watermarks fall", "row[name] = Math.max(before[name], mark[name]);", "row[name] = mark[name];",
     "receipts-lead-forward"),
    ("a reaction that comes again counts again", "withCount(all, reaction, removed ? -1 : 1), true);",
     "withCount(all, reaction, removed ? -1 : 1), false);", "a-reaction-comes-again"),
    ("an unknown message is edited into being", "const message = await this.message(conversation, sequence);",
     "const message = (await this.message(conversation, sequence)) ?? { conversation, sequence, from: \"x\", "
     "time: editedAt, kind: \"text\", reactions: [] };", "changes-of-unknown-messages"),
    ("another log is taken for the old one",
     "identity.epoch !== undefined && identity.epoch !== welcome.epoch;", "false;", "another-epoch"),
    ("resume is said again after bad_position", "counts.\n        this.#resume = undefined;\n", "counts.\n",
     "resume-is-refused"),
    ("an ok is acked while catching up", "!ok.duplicate && this.#isLive && connection",
     "!ok.duplicate && connection", "ok-comes-while-catching-up"),
    ("nothing is acked", "this.transmit(\"ack\", { position: this.#unacked });", "{}", "acks-what-it-processed"),
    ("each try has a key of its own", "case \"send\": return { to: destination, key,",
     "case \"send\": return { to: destination, key: randomName(),", "ok-is-lost"),
    ("messages overtake", "else if (!line.has(destination) && !(", "else if (!(", "order-survives-busy"),
    ("a reaction keeps the form of the keyboard", "reaction: reactionForm(reaction), isOn", "reaction, isOn",
     "reactions-have-one-form"),
    ("reactions wait in the line of messages", "const line = isVisible(item) ? visible : invisible;",
     "const line = visible;", "reactions-hold-nothing-up"),
    ("a child doesn't wait", "if (this.parked.has(destination) || item.parent !== undefined) continue;",
     "if (this.parked.has(destination)) continue;", "a-reply-waits-for-its-message"),
    ("a refused conversation isn't parked", "? \"conversation\" : \"item\";", "? \"item\" : \"item\";",
     "a-conversation-is-refused"),
    ("retryAfter isn't kept", "=== \"passing\") this.#pause(wait ?? failure.retryAfter);",
     "=== \"passing\") this.#pause(wait ?? 0);", "waits-as-it-is-told[busy]"),
    ("drain isn't kept",
     "if (told.type === \"drain\") this.#askedWait = waitOf(told.after);", "", "drain-names-the-wait"),
    ("it comes back after everything",
     "return ![1003, 1007, 1009].includes(code) && !(code >= 4500);",
     "return true;", "signed-out[4500]|stays-away-after[1003]|taken-over"),
    ("it comes back after 4000 only",
     "return ![1003, 1007, 1009].includes(code) && !(code >= 4500);",
     "return code === 4000;", "comes-back-after[4002]|cut-comes-back"),
    ("no refresh", "this.#planRefresh(welcome.expires);", "",
     "token-is-refreshed-in-time"),
    ("token_expired renews nothing", "if (code === \"token_expired\") this.#session.renew();", "",
     "token-expired-answer"),
    ("typing outlives the connection", "const ended = [...this.endTyping(), ...this.online.keys()];",
     "const ended = [...this.online.keys()];", "typing-ends-with-the-connection"),
    ("presence isn't watched again", "    this.#watching.begin();\n", "", "presence-is-watched-again"),
    ("read in the background", "if (this.#engine.people.activity === \"active\") await", "await",
     "nobody-reads-in-the-background"),
    ("text that isn't JSON ends the connection", "try { told = JSON.parse(text); } catch { return; }",
     "try { told = JSON.parse(text); } catch { return this.#lose(); }", "garbage"),
    ("a message's ok alone doesn't settle it from history", "    if (from !== this.identity.user || !key) return;",
     "    return;", "own-message-comes-before-ok"),
    ("a welcome is taken as it is",
     "if (!failure && !isWelcome(welcome)) return this.#lose();", "", "garbage-instead-of-welcome"),
    ("the token of another user is used", "!this.#isWrong(userOf(token))) this.#dial(token);",
     "true) this.#dial(token);", "another-users-token"),
    ("no token is said as one",
     "if (typeof token !== \"string\" || !token) throw new RoostError(\"no_token\");", "",
     "no-token"),
    ("the newest message isn't asked for", "      await this.#verify();\n", "", "older-files-elsewhere"),
    ("another message under a sequence is the same", "(one, other) => !one.hidden && !other.hidden && (",
     "(one, other) => false && (", "older-files-with-other-messages"),
    ("a wait that is none is taken",
     "(typeof asked === \"number\" && asked > 0 ? Math.min(asked, ASKED_WAIT_MOST) : 0);", "asked ?? 0;",
     "a-wait-that-is-none[soon]"),
    ("odd events are taken", "return texts.every(isText) &&", "return true || texts.every(isText) &&", "odd-events"),
    ("an ok that says nothing counts", "if (!failure && !isAnswer(item, ok)) {", "if (false) {",
     "an-answer-lacks-members"),
]


async def notices(mutation, node, room):
    """Whether all of the cases fail that must."""
    name, old, new, titles = mutation
    async with room:
        text = MODULE.read_text()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "Web").mkdir()
            (folder / "Web/roost.js").write_text(text.replace(old, new, 1))
            shutil.copy(MODULE.with_name("roost-talk.js"), folder / "Web")
            (folder / "Tests/Conformance").mkdir(parents=True)
            (folder / "Tests/WebTests").mkdir()
            shutil.copy(FOLDER.parent / "WebTests/file_disk.mjs", folder / "Tests/WebTests")
            driver = shutil.copy(FOLDER / "driver.mjs", folder / "Tests/Conformance")
            cases = [case for case in load() if case.title in titles.split("|")]
            assert len(cases) == len(titles.split("|")), titles
            outcomes = await run_all(cases, [node, str(driver)])
    assert not any(one.missing for one in outcomes), f"{name}: {titles} isn't for this client"
    passed = [one.case.title for one in outcomes if not one.failure]
    verdict = "SURVIVES" if passed else "noticed "
    print(f"{verdict}  {name}: {', '.join(passed) or titles.replace('|', ', ')}", flush=True)
    return not passed


async def main(node):
    text = MODULE.read_text()
    stale = [name for name, old, _, _ in MUTATIONS if old not in text]
    assert not stale, f"texts that aren't in the file any more: {stale}"
    room = asyncio.Semaphore(AT_ONCE)
    return all(await asyncio.gather(*(notices(one, node, room) for one in MUTATIONS)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(0 if asyncio.run(main(sys.argv[1])) else 1)
