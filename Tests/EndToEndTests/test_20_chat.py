"""The README's first steps: two terminals chat, the relay is killed and comes back, and nothing is lost or duplicated.
Then the same by hand with raw frames."""

import asyncio
import json
import re

from harness.relay import BINARY, environment

PATIENCE = 30


class Chat:
    """`roost chat` on pipes, as a script would use it."""

    @classmethod
    async def open(cls, relay, *words):
        self = cls()
        self.text = ""
        self.process = await asyncio.create_subprocess_exec(
            str(BINARY), "chat", "--url", f"ws://127.0.0.1:{relay.port}/v1/socket", *words, cwd=relay.folder,
            env={**environment(), "ROOST_AUTH_KEY_FILE": str(relay.key_file)}, stdin=asyncio.subprocess.PIPE,
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
                self.text += piece.decode()
        self.text = self.text[found.end():]
        return found

    async def end(self):
        """Sends Ctrl-D and returns the exit code."""
        self.process.stdin.close()
        return await asyncio.wait_for(self.process.wait(), PATIENCE)


async def test_two_terminals_are_a_chat_and_a_killed_relay_loses_nothing(start):
    relay = start()
    alice = await Chat.open(relay, "--as", "alice", "--with", "bob")
    bob = await Chat.open(relay, "--as", "bob", "--with", "alice")
    await alice.shows("connected as alice")
    await bob.shows("connected as bob")
    await alice.type("Are you there?")
    await bob.shows("alice.*: Are you there\\?")
    await alice.shows("read by bob")
    await bob.type("Always")
    await alice.shows("bob.*: Always")

    port = relay.port
    relay.kill()
    await alice.shows("not connected")
    await bob.shows("not connected")
    await alice.type("typed while it was gone")
    relay.start(listen__port=port)
    found = await bob.shows("(?s)connected as bob.*alice[^\n]*: typed while it was gone")
    assert found.group().count(": typed while it was gone") == 1
    await bob.type("got it")
    await alice.shows("bob.*: got it")
    assert "typed while it was gone" not in bob.text
    assert await alice.end() == 0
    assert await bob.end() == 0


async def test_presence_and_privacy_in_a_terminal(start):
    relay = start()
    alice = await Chat.open(relay, "--as", "alice", "--device", "laptop", "--with", "bob")
    await alice.shows("connected as alice")
    bob = await Chat.open(relay, "--as", "bob", "--with", "alice")
    await alice.shows("bob is online")
    await bob.type("/status busy In a meeting")
    await bob.shows("you are shown as busy: In a meeting")
    await alice.shows("bob is busy: In a meeting")
    await bob.type("/privacy presence nobody")
    await bob.shows("others are told: presence nobody, lastSeen exact, read shared")
    await alice.shows("bob was seen recently")
    await bob.type("/privacy presence shared")
    await alice.shows("bob is busy: In a meeting")
    await alice.type("/block bob")
    await alice.shows("bob is blocked")
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
