"""The words of `roost chat`: in German, in the language that is asked for, and all of them from the catalogue."""

import re

from harness.relay import REPOSITORY
from harness.terminal import Terminal
from test_20_chat import Chat
from test_72_requests import GATE

ESCAPE, UP = "\x1b", "\x1b[A"


async def test_a_terminal_speaks_german(start):
    relay = start()
    anna = await Terminal.open(relay, "--as", "anna", "--with", "ben", columns=110, LC_ALL="de_DE.UTF-8")
    await anna.shows("Mit ben hast du noch nie gechattet\\.")
    anna.say("Hallo")
    await anna.shows("Enter: trotzdem senden\\. Esc: nicht senden\\.")
    anna.type("\r")
    await anna.shows("Hallo +✓ gesendet")
    await anna.shows("─ Heute ─")
    await anna.shows("● verbunden")
    ben = await Chat.open(relay, "--as", "ben", "--with", "anna", "--language", "de")
    await ben.shows("Verbunden als ben")
    await anna.shows("✓✓ gelesen")
    await ben.type("/nichts")
    await ben.shows("Es gibt keinen Befehl /nichts\\. /help zeigt alle")
    await ben.type("/role anna")
    await ben.shows("So geht es: /role NAME ROLLE")
    # The server's refusals have sentences, without its own English.
    await ben.type("/username x")
    await ben.shows("Das ist nicht gültig\\. Prüfe es und versuche es noch einmal\n")
    anna.say("/group Chor: ben")
    await anna.shows("2 von 2 online")
    await anna.shows("Du hast die Gruppe erstellt")
    anna.say("/help")
    await anna.shows("Esc schließen")
    await anna.shows("Bild auf, Bild ab +blättern")
    anna.type(ESCAPE)
    await anna.shows("Tab Liste")
    anna.type("\x04")
    assert await anna.end() == 0 and await ben.end() == 0


async def test_the_language_is_that_of_the_environment_or_asked_for(start):
    relay = start()
    for words, variables, said in (
            ([], {"LC_ALL": "", "LANG": "de_AT.UTF-8"}, "Verbunden als"),
            ([], {"LC_ALL": "", "LANG": "C"}, "Connected as"), ([], {"LC_ALL": "fr_FR.UTF-8"}, "Connected as"),
            (["--language", "en"], {"LC_ALL": "de_DE"}, "Connected as")):
        chat = await Chat.open(relay, "--as", "alice", "--with", "bob", *words, **variables)
        await chat.shows(said)
        assert await chat.end() == 0


# All words come from the catalogue ----------------------------------------------------------------------------------

SOURCES = REPOSITORY / "Sources" / "RoostChat"

# Words that are the same in all languages: commands, settings as one types them, names of files, of the environment and
# of members of the protocol.
SAME = re.compile(r"""
    (/[a-z-]+\ ?)+ | on | off | all | @all | presence | lastSeen | read | text
    | sub | device | wss: | https?:// | /\#invite=
    | Roost | terminal- | \.db | \.lock | \.local/state | roost | XDG_STATE_HOME | HOME | [a-z2-9]{31}
    | TERM | NO_COLOR | dumb | linux | vt | /dev/null | standard\ input | UTC | \x1b.*
    """, re.VERBOSE)
WORD = re.compile(r"[^\W\d_]{2}")


def literals(source):
    """The texts of Swift's string literals, each with its line; what is filled in isn't text, but may have literals."""
    found, at, line = [], 0, 1

    def text(end):
        nonlocal at, line
        words = ""
        while not source.startswith(end, at):
            if source.startswith("\\(", at):
                at += 2
                code(")")
                at += 1
                words += "\0"
            elif source[at] == "\\":
                words += {"u": ""}.get(source[at + 1], "")
                at = source.index("}", at) + 1 if source[at + 1] == "u" else at + 2
            else:
                line += source[at] == "\n"
                words += source[at]
                at += 1
        at += len(end)
        return words

    def code(end):
        nonlocal at, line
        depth = 0
        while at < len(source):
            if source.startswith("//", at):
                at = source.index("\n", at)
            elif source.startswith('"""', at) or source[at] == '"':
                mark = '"""' if source.startswith('"""', at) else '"'
                at += len(mark)
                place = line
                found.append((place, text(mark)))
            elif end and depth == 0 and source[at] == end:
                return
            else:
                depth += {"(": 1, ")": -1}.get(source[at], 0)
                line += source[at] == "\n"
                at += 1

    code(None)
    return found


def texts(source):
    """Those that a person may read."""
    return [(line, words) for line, words in literals(source)
            if any(WORD.search(part) and not SAME.fullmatch(part.strip(" ·")) for part in words.split("\0"))]


def test_there_is_no_text_beside_the_catalogue():
    files = [path for path in sorted(SOURCES.rglob("*.swift")) if path.parent.name != "Catalogue"]
    assert len(files) > 30
    found = [f"{path.name}:{line}: {words}" for path in files for line, words in texts(path.read_text())]
    assert found == []


def test_a_text_beside_the_catalogue_is_found():
    for planted in (
            'say("gone")', 'Span(" · \\(count) unsent", .faint)', 'return .line(isOn ? "muted" : words(.unmuted))',
            '"\\(name.map { "by \\($0)" } ?? "")"', 'let text = """\n    Hello\n    """', 'ChatFailure("no name")',
            'Span("new")', '// none\nsay("Grüße")'):
        assert texts(planted) != [], planted
    for harmless in ('say("· " + words(.none))', '// say("gone")\n', '"\\(words(.one)): \\(text)"', '["on": true]',
                     '"/open /with"', 'environment["HOME"]'):
        assert texts(harmless) == [], harmless


def leaks(rows):
    """Returns the words on a screen that are in no brackets. Names have no letters there; a text may end where its room
    ends.
    """
    found = []
    for row in rows:
        left = re.sub(r"https?://\S+|Roost|/[a-z-]+", "", row)
        while left != (left := re.sub(r"⟦[^⟦⟧]*(⟧|…|$)", "", left)):
            pass
        if WORD.search(left):
            found.append(row.strip())
    return found


async def test_every_word_of_a_terminal_is_of_the_catalogue(start):
    """A journey in a language of brackets, `⟦sent⟧`, with names and messages that have no letters."""
    relay = start()
    other = await relay.device("22")
    await other.send("@11", "1")
    chat = await Terminal.open(relay, "--as", "11", rows=110, columns=300, LC_ALL="en_XA.UTF-8")

    async def clean(*patterns):
        for pattern in patterns:
            await chat.shows(pattern)
        assert leaks(chat.rows) == []

    await clean("⟦connected⟧", "⟦1 unread⟧", "⟦Choose a conversation")
    chat.type("\r")
    await clean("22 +1", "⟦Today⟧", "⟦Write a message")
    chat.say("2")
    await clean("2 +✓+ ⟦")
    for keys, shown in ((UP, "⟦r reply"), ("r", "⟦Enter reply"), (ESCAPE, "⟦Tab list"), (UP + "e", "⟦Enter save"),
                        (ESCAPE, "⟦Tab list"), (UP + "p", "⟦pinned⟧"), (UP + "o", "⟦thread in"), (ESCAPE, "⟦Tab list"),
                        (UP + "i", "⟦Message 2, read by"), (ESCAPE, "⟦Tab list")):
        chat.type(keys)
        await clean(shown)
    # An answer stays until the next key.
    for line, shown in (
            ("/help", "⟦quit; also"), ("/list", "⟦↑↓ Enter open"), ("/contacts", "⟦You have no contacts"),
            ("/invite 22", "⟦You invited"), ("/contacts", "⟦invited⟧"), ("/links", "⟦You have no links"),
            ("/link", "⟦to chat with you"), ("/links", "⟦Your links"), ("/revoke-link 1", "⟦You have no link"),
            ("/follow 1", "⟦This link"), ("/devices", "⟦Your devices"), ("/privacy", "⟦presence shared"),
            ("/name 33", "⟦Others now see"), ("/username 5", "⟦That isn’t valid"), ("/find 9", "⟦No one found"),
            ("/requests", "⟦You have no message req"), ("/accept", "⟦This isn’t"),
            ("/drop 22", "⟦There’s no message req"), ("/mute", "⟦Muted"), ("/unmute", "⟦No longer"),
            ("/expire 7d", "⟦From now on"), ("/expire", "⟦messages disappear"), ("/slow", "⟦slow mode is off"),
            ("/ban 22", "⟦This isn’t a group"), ("/pins", "⟦#2"), ("/unpin", "⟦Unpinned"), ("/search 1", "⟦Found"),
            ("/search 7", "⟦Nothing found"), ("/jump 99", "⟦"), ("/retry", "⟦Nothing was refused"),
            ("/discard", "⟦Nothing was refused"), ("/react 👍", "⟦You reacted"), ("/edit 3", "⟦Edited"),
            ("/forward 22", "⟦Forwarded"), ("/forward 44", "⟦You haven’t talked"), ("/report other", "⟦Report sent"),
            ("/report 22 spam", "⟦Report sent"), ("/status busy 1", "⟦busy⟧"), ("/away", "⟦You appear"),
            ("/back", "⟦Welcome"), ("/thread", "⟦thread in"), ("/close", "⟦Tab list"), ("/block 22", "⟦You blocked"),
            ("0", "✗"), ("/discard", "⟦Discarded"), ("/unblock 22", "⟦You unblocked"), ("/delete", "⟦Deleted"),
            ("/123", "⟦There’s no command"), ("/role", "⟦Usage"), ("/group 8: 22", "⟦2 of 2 online"),
            ("/who", "⟦Members"), ("/role 22 admin", "⟦22 is now"), ("/timeout 22 10m spam", "⟦You gave"),
            ("/timeout 22 off", "⟦22 can write"), ("/announce on", "⟦Only the owner"), ("/slow 5m", "⟦slow mode: "),
            ("/rename 9", "⟦Renamed"), ("/ban 22 spam", "⟦You banned"), ("/bans", "⟦22, by"),
            ("/unban 22", "⟦22 can be added"), ("/ban 1 1", "⟦No one here"), ("/leave", "⟦You left"),
            ("/open 55", "⟦You haven’t")):
        # Closes what is open, or erases what is left of a mistake.
        chat.say("\x15" + line)
        await clean(shown)
    # A planted leak is found.
    assert leaks(["│ ⟦You⟧ gone", "⟦ok⟧ 12:00"]) == ["│ ⟦You⟧ gone"]
    relay.kill()
    await clean("⟦not connected")
    chat.type("\x03")
    assert await chat.end() == 130


async def test_every_word_of_a_pipe_is_of_the_catalogue(start):
    relay = start(**GATE)
    first = await relay.device("22")
    await first.call("send", to="@11", key="1", body="1")
    chat = await Chat.open(relay, "--as", "11", "--with", "33", LC_ALL="en_XA.UTF-8")
    said = ""
    for line, shown in (
            (None, "⟦Connected as 11"), (None, "⟦You haven’t talked to 33"), (None, "⟦Message request from"),
            ("/help", "⟦quit; also[^\n]*"), ("/accept 22", "⟦22 can now"),
            ("/list", "⟦Your conversations|⟦You have no conv"),
            ("/open 22", "⟦To open another"), ("/end", "⟦That works only"), ("/history", "⟦There’s nothing earlier"),
            ("/group 8: 22", "⟦Created"), ("/status busy", "⟦You appear busy"),
            ("/privacy", "(?s)⟦presence.*⟦read shared[^\n]*"),
            ("/who", "⟦There’s no conv"), ("1", "11: 1 ✓"), ("/edit 2", "✗ ⟦.*Not changed"),
            ("/username 5", "⟦That isn’t valid")):
        if line:
            await chat.type(line)
        found = await chat.shows(shown + "[^\n]*\n")
        said += found.string[:found.end()]
    code = await chat.end()
    await chat.read_all()
    said += chat.text
    assert code == 1 and "⟦1 message not accepted⟧" in said
    assert leaks(re.sub("roost: |terminal-[a-z0-9]+|c[a-z0-9]{10,}", "", said).splitlines()) == []
