"""The README's first steps: two terminals chat, the relay is killed and comes back, and nothing is lost or duplicated.
The same in a pipe, and by hand with raw frames."""

import asyncio
import codecs
import contextlib
import itertools
import json
import pathlib
import re
import signal
import sqlite3

from harness.relay import BINARY
from harness.terminal import Terminal, chat_environment

PATIENCE = 30
MARKS = itertools.count()


class Chat:
    """`roost chat` on pipes, as a script would use it."""

    @classmethod
    async def open(cls, relay, *words, url=None, **variables):
        self = cls()
        self.text = ""
        # A piece may end within a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.process = await asyncio.create_subprocess_exec(
            str(BINARY), "chat", "--url", url or f"ws://127.0.0.1:{relay.port}/v1/socket", *words, cwd=relay.folder,
            env=chat_environment(relay, **variables), stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        return self

    async def type(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        await self.process.stdin.drain()

    async def shows(self, pattern):
        """Waits until its output since the last match contains the pattern."""
        async with asyncio.timeout(PATIENCE):
            while not (found := re.search(pattern, self.text)):
                piece = await self.process.stdout.read(4096)
                assert piece, f"ended without {pattern!r}: {self.text[-500:]!r}"
                self.text += self.decoder.decode(piece)
        self.text = self.text[found.end():]
        return found

    async def asks(self, line, pattern):
        """Types a command until its answer has the pattern. For changes whose event a pipe doesn't show."""
        said = ""
        for _ in range(300):
            # An unknown command answers in its turn, so the text before it is the answer.
            mark = f"/mark-{next(MARKS)}"
            await self.type(line)
            await self.type(mark)
            said = (await self.shows(f"(?s).*There’s no command {mark}\\.[^\n]*\n")).group()
            if re.search(pattern, said):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"{line} never told {pattern}: {said}")

    async def read_all(self):
        self.text += (await self.process.stdout.read()).decode()

    async def end(self):
        """Sends Ctrl-D and returns the exit code."""
        self.process.stdin.close()
        return await asyncio.wait_for(self.process.wait(), PATIENCE)


async def test_two_terminals_are_a_chat_and_a_killed_relay_loses_nothing(start):
    relay = start()
    alice = await Chat.open(relay, "--as", "alice", "--with", "bob")
    bob = await Chat.open(relay, "--as", "bob", "--with", "alice")
    await alice.shows("Connected as alice")
    await bob.shows("Connected as bob")
    await alice.type("Are you there?")
    await bob.shows("alice.*: Are you there\\?")
    await alice.shows("read by bob")
    await bob.type("Always")
    await alice.shows("bob.*: Always")

    port = relay.port
    relay.kill()
    await alice.shows("Not connected")
    await bob.shows("Not connected")
    await alice.type("typed while it was gone")
    relay.start(listen__port=port)
    found = await bob.shows("(?s)Connected as bob.*alice[^\n]*: typed while it was gone")
    assert found.group().count(": typed while it was gone") == 1
    await bob.type("got it")
    await alice.shows("bob.*: got it")
    assert "typed while it was gone" not in bob.text
    assert await alice.end() == 0
    assert await bob.end() == 0


async def test_presence_and_privacy_in_a_terminal(start):
    relay = start()
    alice = await Chat.open(relay, "--as", "alice", "--device", "laptop", "--with", "bob")
    await alice.shows("haven’t talked to bob")
    await alice.type("hi")
    bob = await Chat.open(relay, "--as", "bob", "--with", "alice")
    await alice.shows("bob is online")
    await bob.type("/status busy In a meeting")
    await bob.shows("You appear busy: In a meeting")
    await alice.shows("bob is busy: In a meeting")
    await bob.type("/privacy presence nobody")
    await bob.shows("(?s)presence nobody: no one sees.*lastSeen exact: .*read shared: ")
    await alice.shows("bob was seen recently")
    await bob.type("/privacy presence shared")
    await alice.shows("bob is busy: In a meeting")
    await alice.type("/block bob")
    await alice.shows("You blocked bob")
    await alice.type("/privacy")
    await alice.shows("(?s)presence shared.*bob: blocked")
    await bob.shows("alice is offline")
    await alice.type("/unblock bob")
    await bob.shows("alice is online")
    await alice.type("/devices")
    await alice.shows("laptop is active since")
    await alice.type("/privacy presence friends")
    await alice.shows("/privacy presence everyone, shared or nobody")
    for chat in (alice, bob):
        assert await chat.end() == 0


async def test_a_group_in_a_terminal_shows_how_many_are_there(start):
    relay = start()
    bob = await relay.device("bob")
    group = await bob.group("Crew", "alice", "carol")
    alice = await Chat.open(relay, "--as", "alice", "--with", group)
    await alice.shows("2 of 3 online")
    carol = await relay.device("carol")
    await alice.shows("3 of 3 online")
    await carol.bye()
    await bob.bye()
    await alice.shows("1 of 3 online")
    assert await alice.end() == 0


async def test_a_pipe_sends_waits_and_ends(start):
    relay = start()
    chat = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await chat.type("hi")
    await chat.type("/edit ho")
    assert await chat.end() == 0
    bob = await relay.device("bob")
    assert (await bob.event("message"))["body"] == "ho"
    await bob.bye()
    # The next one is the same device, and shows what there is.
    chat = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await chat.shows("alice: ho \\(edited\\) ✓")
    await chat.type("/devices")
    await chat.shows("terminal-[a-z0-9]{4} is active")
    assert await chat.end() == 0
    assert "terminal-" not in chat.text


async def test_what_a_pipe_could_not_send_is_kept(start):
    relay = start()
    port = relay.port
    relay.stop()
    chat = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await chat.shows("Not connected: .*\\. Trying again")
    assert await chat.end() == 0
    chat = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await chat.type("hi")
    await chat.shows("No connection: nothing was sent")
    assert await chat.process.wait() == 1
    relay.start(listen__port=port)
    chat = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await chat.type("one")
    await chat.shows("one ✓")
    relay.stop()
    await chat.type("two")
    await chat.shows("Not connected")
    assert await chat.end() == 1
    await chat.read_all()
    assert "1 message not sent yet: kept in " in chat.text
    relay.start(listen__port=port)
    chat = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await chat.shows("two ✓")
    assert await chat.end() == 0


async def test_what_cannot_work_is_told_at_once(start):
    relay = start(auth__audience="chat")

    async def said(*words, url=None, code=1, **variables):
        chat = await Chat.open(relay, *words, url=url, **variables)
        assert await asyncio.wait_for(chat.process.wait(), PATIENCE) == code
        await chat.read_all()
        return chat.text

    alice = ["--with", "bob", "--token"]
    expired = relay.token("alice", seconds=-60, aud="chat")
    assert "expired" in await said(*alice, expired)
    text = await said(*alice, relay.token("alice")[:-4] + "AAAA")
    assert "The server refused you: " in text and "4500" in text and "signature" in text
    assert "aud" in (text := await said(*alice, relay.token("alice"))) and "4500" in text
    text = await said("--as", "alice", *alice, relay.token("bob", aud="chat"))
    assert "The server refused you: the token belongs to another user" in text
    url = f"ws://127.0.0.1:{relay.port}/chat"
    text = await said(*alice, relay.token("alice", aud="chat"), url=url)
    assert "Can’t connect: HTTP status 404: there’s no Roost server at this path; its path is /v1/socket" in text
    assert text.count("404") == 1
    text = await said("--as", "alice", "--with", "bob", url="http://127.0.0.1", code=2)
    assert "begins with ws://" in text
    assert "--as" in await said("--as", "al ice", "--with", "bob", code=2)
    assert "--wiht" in await said("--as", "alice", "--wiht", "bob", code=2)
    assert "in a terminal" in await said("--token", relay.token("alice", aud="chat"))


async def test_raw_frames_by_hand(start):
    relay = start()
    alice = await Chat.open(relay, "--as", "alice", "--device", "laptop", "--raw")
    await alice.shows('"type":"welcome"')
    for command in (
        {"type": "send", "id": 1, "to": "@bob", "key": "by-hand-1", "body": "Are you there?"},
        {"type": "history", "id": 2, "conversation": "@bob", "limit": 5},
        {"type": "conversation.list", "id": 3},
    ):
        await alice.type(json.dumps(command))
        await alice.shows('"type":"ok","re":%d' % command["id"])
    bob = await relay.device("bob")
    message = await bob.event("message")
    assert message["body"] == "Are you there?"
    assert await alice.end() == 0


async def test_raw_frames_from_a_pipe_are_answered_before_the_end(start):
    relay = start()
    lines = [
        {"type": "send", "id": 1, "to": "@bob", "key": "by-hand-1", "body": "Are you there?"},
        {"type": "typing", "to": "@bob"}, {"type": "conversation.list", "id": "three"},
    ]
    alice = await Chat.open(relay, "--as", "alice", "--raw")
    said, _ = await asyncio.wait_for(
        alice.process.communicate("".join(json.dumps(line) + "\n" for line in lines).encode()), PATIENCE)
    frames = [json.loads(line) for line in said.splitlines() if line.startswith(b"{")]
    assert alice.process.returncode == 0
    assert {frame["re"] for frame in frames if frame["type"] == "ok"} == {1, "three"}, said


# On a terminal


async def test_two_terminals_talk_and_show_how_far_each_message_has_got(start):
    relay = start()
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await alice.shows("You haven’t talked to bob")
    await alice.talk("Are you there?")
    await alice.shows("Are you there\\? +✓ sent")
    bob = await Terminal.open(relay, "--as", "bob")
    await bob.shows("(?s)alice.*Are you there\\? +1")
    await alice.shows("✓✓ delivered")
    bob.type("\r")
    await bob.shows("alice +Are you there")
    await alice.shows("✓✓ read")
    await alice.shows("bob  ● online")
    bob.type("Al")
    await alice.shows("bob is typing")
    # It ends by itself, and the others see that.
    await alice.shows_no("typing")
    bob.say("ways")
    await alice.shows("bob +Always")
    # A reply, a reaction, an edit, a deletion.
    alice.type("\x1b[A")
    await alice.shows("r reply")
    alice.say("rGood")
    await bob.shows("(?s)╭ bob: Always.*Good")
    bob.say("/react 👍")
    await alice.shows("👍 1")
    bob.say("/edit Always, I am")
    await alice.shows("Always, I am \\(edited\\)")
    bob.say("/delete")
    await alice.shows("\\(deleted\\)")
    for terminal in (alice, bob):
        terminal.type("\x04")
        assert await terminal.end() == 0 and terminal.is_sane()


async def test_a_killed_relay_loses_nothing_on_a_terminal(start):
    relay = start()
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await alice.talk("before")
    await alice.shows("✓ sent")
    port = relay.port
    relay.kill()
    await alice.shows("not connected, next try in \\d+ s")
    alice.say("while it was gone")
    await alice.shows("(?s)while it was gone +… sending.*1 unsent")
    relay.start(listen__port=port)
    await alice.shows("(?s)while it was gone +✓ sent.*● connected")
    bob = await relay.device("bob")
    assert [(await bob.event("message"))["body"] for _ in range(2)] == ["before", "while it was gone"]
    alice.type("\x03")
    assert await alice.end() == 130 and alice.is_sane()


async def test_a_killed_chat_loses_nothing_that_was_typed(start):
    relay = start()
    port = relay.port
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await alice.talk("before")
    await alice.shows("✓ sent")
    relay.stop()
    await alice.shows("not connected")
    alice.say("sent into the void")
    await alice.shows("void +… sending")
    alice.type("half a thou")
    await alice.shows("half a thou")
    # The draft is on disk when the list shows that it isn't being written any more. No event reports that, so: another
    # look.
    alice.type("\x0e\x10ght")
    await alice.shows("> half a thought")
    await until_draft(relay, "half a thought")
    await alice.kill()
    relay.start(listen__port=port)
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await alice.shows("(?s)void +✓ sent.*> half a thought")
    bob = await relay.device("bob")
    assert [(await bob.event("message"))["body"] for _ in range(2)] == ["before", "sent into the void"]
    alice.type("\x03")
    assert await alice.end() == 130


async def until_draft(relay, text):
    """Waits until a device's file has this draft."""
    path, = (relay.folder / "state").rglob("*.db")
    async with asyncio.timeout(PATIENCE):
        while True:
            with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
                if (text,) in file.execute("SELECT text FROM draft").fetchall():
                    return
            await asyncio.sleep(0.05)


async def test_groups_have_names_and_others_messages_are_told(start):
    relay = start()
    alice = await Terminal.open(relay, "--as", "alice")
    bob = await Terminal.open(relay, "--as", "bob", columns=100)
    await alice.shows("(?s)No conversations yet.*● connected")
    alice.say("/group Crew of two: bob")
    await alice.shows("# Crew of two  2 of 2 online")
    await bob.shows("# Crew of two")
    alice.say("hello all")
    await bob.shows("alice: hello all")
    bob.type("\r")
    await alice.shows("✓✓ read by 1 of 1")
    carol = await relay.device("carol")
    alice.say("/add carol")
    await alice.shows("Added carol")
    await carol.event("conversation")
    await bob.shows("3 of 3 online")
    alice.say("/rename The Crew")
    await bob.shows("# The Crew  3 of 3 online")
    alice.say("/who")
    await alice.shows("(?s)alice \\(owner\\) online.*carol \\(member\\)")
    alice.say("/remove carol")
    await bob.shows("2 of 2 online")
    bob.say("/leave")
    await bob.shows("No conversations yet")
    await alice.shows("1 of 1 online")
    for terminal in (alice, bob):
        terminal.type("\x04")
        assert await terminal.end() == 0 and terminal.is_sane()
    # By its name, also in a pipe.
    chat = await Chat.open(relay, "--as", "alice", "--with", "The Crew")
    await chat.shows("alice: hello all")
    assert await chat.end() == 0
    # A device that has no list yet asks the relay for the name.
    chat = await Chat.open(relay, "--as", "alice", "--with", "The Crew", XDG_STATE_HOME=str(relay.folder / "new"))
    await chat.shows("alice: hello all")
    assert await chat.end() == 0
    chat = await Chat.open(relay, "--as", "alice", "--with", "No Crew")
    await chat.shows("You’re in no group called No Crew")
    assert await chat.process.wait() == 1


async def test_two_terminals_of_one_user_both_work(start):
    relay = start()
    one = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await one.talk("from one")
    await one.shows("✓ sent")
    other = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await other.shows("alice +from one")
    other.say("from the other")
    await one.shows("from the other")
    assert len(list((relay.folder / "state").rglob("terminal-*.db"))) == 2
    other.type("\x04")
    assert await other.end() == 0
    # The name that is free is taken again; one that is in use is refused.
    name, = {line.split(" is active")[0].split()[-1] for line in [await devices(relay)]}
    assert name.startswith("terminal-")
    again = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await again.shows("from the other")
    assert len(list((relay.folder / "state").rglob("terminal-*.db"))) == 2
    refused = await Chat.open(relay, "--as", "alice", "--with", "bob", "--device", name)
    assert await refused.process.wait() == 1
    await refused.read_all()
    assert f"uses the device {name}" in refused.text and "--device" in refused.text
    # From another machine: the relay throws out the first one, which says what to do.
    thief = await relay.device("alice", device=name)
    gone = one
    await gone.until(lambda: b"4501" in gone.output, "4501")
    assert await gone.end() == 1 and gone.is_sane()
    assert "Another chat took over the device".encode() in gone.output and b"--device" in gone.output
    await thief.bye()
    again.type("\x04")
    assert await again.end() == 0


async def devices(relay):
    """The line of the one active device of alice's."""
    alice = await relay.device("alice", device="watcher")
    answer = await alice.ask("devices")
    await alice.bye()
    active = [one["device"] for one in answer["devices"] if one["state"] == "active" and one["device"] != "watcher"]
    return f"{active[0]} is active"


async def test_a_mistyped_name_makes_no_conversation(start):
    relay = start()
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bbo")
    await alice.shows("You haven’t talked to bbo")
    alice.say("hi bob")
    await alice.shows("Enter: send it anyway. Esc: don’t send")
    alice.type("\x1b")
    await alice.shows_no("send it anyway")
    alice.type("\x15")
    alice.say("/open bob")
    await alice.shows("You haven’t talked to bob")
    await alice.talk("hi")
    await alice.shows("✓ sent")
    alice.type("\x04")
    assert await alice.end() == 0
    assert relay.rows("SELECT count(*) FROM user WHERE name = 'bbo'") == [(0,)]


async def test_another_size_is_another_picture(start):
    relay = start()
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await alice.talk("Grüße, 日本 👩‍👩‍👧 and a text that is long enough for more than one line of a narrow window")
    await alice.shows("✓ sent")
    assert "│" in alice.rows[5]
    alice.resize(20, 50)
    await alice.shows("(?s)^bob  ○ offline\n─+\n")
    assert "│" not in alice.text
    await alice.shows("Grüße, 日本")
    alice.resize(50, 200)
    await alice.shows("(?s)^ Roost alice +│ bob")
    await alice.shows("more than one line of a narrow window +✓ sent")
    alice.type("\x04")
    assert await alice.end() == 0 and alice.is_sane()


async def test_signals_give_the_terminal_back(start):
    relay = start()
    for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
        await alice.shows("haven’t talked")
        assert await alice.end(number) == code and alice.is_sane()
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await alice.shows("haven’t talked")
    assert await alice.end(signal.SIGSEGV) == -signal.SIGSEGV and alice.is_sane()
    # Ctrl-Z, and back.
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob")
    await alice.shows("haven’t talked")
    alice.type("\x1a")
    await alice.until(lambda: b"\x1b[?1049l" in alice.output, "suspended")
    await until_stopped(alice.process.pid)
    assert alice.is_sane()
    alice.screen.reset()
    alice.process.send_signal(signal.SIGCONT)
    await alice.shows("haven’t talked")
    alice.type("\x04")
    assert await alice.end() == 0 and alice.is_sane()


async def until_stopped(pid):
    async with asyncio.timeout(PATIENCE):
        while pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            await asyncio.sleep(0.02)


async def test_colours_and_screens_are_left_out_where_they_are_not_wanted(start):
    relay = start()
    colour = re.compile(rb"\x1b\[[0-9;]*;3[0-9]m")
    for variables, is_coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        alice = await Terminal.open(relay, "--as", "alice", "--with", "bob", **variables)
        await alice.shows("haven’t talked")
        await alice.shows("● connected")
        alice.type("\x04")
        assert await alice.end() == 0
        assert bool(colour.search(alice.output)) == is_coloured, alice.output
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob", TERM="dumb")
    await alice.shows("Connected as alice")
    alice.say("hi")
    await alice.shows("alice: hi ✓")
    alice.type("\x04")
    assert await alice.end() == 0 and b"\x1b" not in alice.output


async def test_a_terminal_says_why_it_cannot_work(start):
    relay = start()
    url = f"ws://127.0.0.1:{relay.port}/elsewhere"
    alice = await Terminal.open(relay, "--as", "alice", "--with", "bob", url=url)
    assert await alice.end() == 1 and alice.is_sane()
    last = alice.output.rpartition(b"\x1b[?1049l")[2].decode()
    assert "roost: Can’t connect: HTTP status 404: there’s no Roost server at this path" in last
    alice = await Terminal.open(relay, "--with", "bob", "--token", relay.token("alice")[:-4] + "AAAA")
    assert await alice.end() == 1 and alice.is_sane()
    assert b"signature" in alice.output.rpartition(b"\x1b[?1049l")[2]
