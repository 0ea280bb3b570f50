"""Conversations beside their messages, in `roost chat`: mentions, pins, threads, forwarded and disappearing messages,
unread counts, requests of strangers, reports of a message. In a pipe and on a terminal.
"""

import re

from harness.terminal import Terminal
from test_20_chat import Chat
from test_38_admin_command import roost
from test_72_requests import GATE

ESCAPE = "\x1b"
UP = "\x1b[A"


async def leave(*terminals):
    for terminal in terminals:
        terminal.type("\x04")
        assert await terminal.end() == 0 and terminal.is_sane()


async def end(*chats):
    for chat in chats:
        assert await chat.end() == 0


async def pair(relay, *messages):
    """Two pipes that talk, after alice has said this."""
    alice = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await alice.shows("haven’t talked to bob")
    for message in messages:
        await alice.type(message)
        await alice.shows(f"{re.escape(message)} ✓")
    bob = await Chat.open(relay, "--as", "bob", "--with", "alice")
    await bob.shows(f"alice: {re.escape(messages[-1])}")
    return alice, bob


# Mentions


async def test_mentions_are_data_and_shown_to_those_whom_they_mean(start):
    relay = start()
    carol = await relay.device("carol")
    group = await carol.group("Crew", "alice", "bob")
    bob = await Chat.open(relay, "--as", "bob", "--with", "carol")
    await bob.asks("/list", "#Crew, 0 unread")
    alice = await Chat.open(relay, "--as", "alice", "--with", group)
    await alice.shows("3 of 3 online")
    await alice.type("@bob, lunch? And @nobody")
    assert (await carol.event("message"))["mentions"] == ["bob"]
    await bob.shows("alice wrote in Crew: @bob, lunch\\? And @nobody \\(for you\\)")
    await bob.asks("/list", "#Crew, 1 unread, 1 for you")

    # A display name works, too.
    await bob.type("/name Bob Builder")
    await bob.shows("Others now see you as Bob Builder")
    await alice.asks("/who", "Bob Builder \\(bob\\)")
    await alice.type("well, @bob builder?")
    assert (await carol.event("message"))["mentions"] == ["bob"]
    # Only the owner means all.
    await alice.type("@all or none")
    assert "mentions" not in await carol.event("message")
    await alice.type("/edit @carol, then")
    assert (await carol.event("edit"))["mentions"] == ["carol"]

    screen = await Terminal.open(relay, "--as", "bob")
    await screen.shows("(?s)Crew.*@2 3")
    screen.type("\r")
    await screen.shows("@bob, lunch\\? And @nobody +for you")
    await screen.shows_no("then +for you")
    screen.say("@alice: yes")
    await alice.shows("Bob Builder: @alice: yes \\(for you\\)")
    assert (await carol.event("message"))["mentions"] == ["alice"]
    await leave(screen)
    await end(alice, bob)


# Pins


async def test_messages_are_pinned_and_listed(start):
    relay = start()
    alice, bob = await pair(relay, "first", "second")
    await alice.type("/pins")
    await alice.shows("There are no pinned messages")
    await alice.type("/pin #1")
    await alice.shows("Pinned: first")
    await alice.asks("/pins", "#1 alice: first, pinned by alice")
    await bob.asks("/pins", "#1 alice: first, pinned by alice")
    await bob.type("/pin #9")
    await bob.shows("That message isn’t here")
    await bob.type("/unpin")
    await bob.shows("Unpinned: first")
    await alice.asks("/pins", "There are no pinned messages")

    screen = await Terminal.open(relay, "--as", "bob", "--with", "alice")
    await screen.shows("alice +first")
    screen.type(UP + UP + "p")
    await screen.shows("1 pinned")
    await screen.shows("(?s)first.* pinned\n")
    screen.say("/pins")
    await screen.shows("#1 alice: first, pinned by bob")
    # Enter shows the message.
    screen.type("\r")
    await screen.shows("r reply")
    screen.type("p")
    await screen.shows_no("1 pinned")
    await leave(screen)
    await end(alice, bob)


# Threads


async def test_threads_are_read_and_answered(start):
    relay = start()
    alice, bob = await pair(relay, "Who comes?", "On Friday")
    await bob.type("/thread #1")
    await bob.shows("— thread: .*alice: Who comes\\?.* —")
    await bob.shows("writing in this thread until /close")
    await bob.type("I do")
    await alice.shows("bob: ↳1 I do")
    await bob.type("/close")
    await bob.shows("Back in the conversation")
    await bob.type("/close")
    await bob.shows("No thread is open")
    await bob.type("else")
    await alice.shows("bob: else")

    screen = await Terminal.open(relay, "--as", "alice", "--with", "bob", rows=30)
    await screen.shows("1 reply in its thread")
    await screen.shows("╭ in the thread of alice: Who comes\\?")
    screen.say("half a draft" + "\x15/thread #1")
    await screen.shows("thread in bob")
    await screen.shows("I do")
    await screen.shows_no("On Friday|in the thread of")
    screen.say("me too")
    await bob.shows("alice: ↳1 me too")
    await screen.shows("2 replies in its thread")
    screen.type(ESCAPE)
    await screen.shows("(?s)On Friday.*else")
    await screen.shows_no("thread in bob")
    # Another device opens it by a key, and asks the relay for what it lacks.
    other = await Terminal.open(relay, "--as", "bob", "--with", "alice", rows=30)
    await other.shows("(?s)│[^\n]*else.*│[^\n]*me too")
    other.type(UP + "o")
    await other.shows("(?s)thread in alice.*Who comes.*I do.*me too")
    # In a pipe the thread is printed whole.
    await bob.type("/thread")
    await bob.shows("(?s)— thread: .*Who comes.*bob: ↳1 I do.*alice: ↳1 me too.*until /close")
    await leave(screen, other)
    await end(alice, bob)


# Forwarding


async def test_messages_are_sent_on_with_who_wrote_them(start):
    relay = start()
    alice, bob = await pair(relay, "hi")
    await bob.type("a joke")
    await alice.shows("bob: a joke")
    await alice.type("/forward carol")
    await alice.shows("You haven’t talked to carol before. To forward it anyway: /forward @carol")
    await alice.type("/forward #2 @carol")
    await alice.shows("Forwarded to @carol")
    carol = await Chat.open(relay, "--as", "carol", "--with", "alice")
    await carol.shows("alice: \\(from bob\\) a joke")
    # The end of the input waits for the ack of what was sent on, too.
    await alice.type("/group Crew: bob")
    await alice.shows("Created. ")
    await alice.type("/forward #2 Crew")
    await alice.shows("Forwarded to Crew")
    await end(alice)
    await bob.shows("alice wrote in Crew: a joke")

    screen = await Terminal.open(relay, "--as", "carol", "--with", "alice")
    await screen.shows("(?s)╭ forwarded from bob.*a joke")
    screen.type(UP + "f")
    await screen.shows("> /forward")
    screen.say("@bob")
    await screen.shows("Forwarded to @bob")
    await bob.shows("carol wrote: a joke")
    await leave(screen)
    await end(bob, carol)


async def test_a_forward_that_is_refused_is_told(start):
    relay = start(gate__mode="on", gate__shared_groups="off")
    dora, zoe = await relay.device("dora"), await relay.device("zoe")
    await dora.call("contact.invite", user="alice")
    alice = await Chat.open(relay, "--as", "alice", "--with", "dora")
    await alice.shows("haven’t talked")
    await alice.type("/accept dora")
    await alice.shows("dora is now a contact")
    await alice.type("hi")
    await alice.shows("hi ✓")
    await alice.type("/forward @zoe")
    await alice.shows("✗ you can write to each other once your invitation is accepted.*: hi")
    assert await alice.end() == 1
    await alice.read_all()
    assert "1 message not accepted" in alice.text
    assert not any(frame["type"] == "message" for frame in zoe.frames)


# Disappearing messages


async def test_messages_may_disappear_after_some_time(start):
    relay = start()
    alice, bob = await pair(relay, "hi")
    await alice.type("/expire")
    await alice.shows("messages don’t disappear")
    await alice.type("/expire 1h")
    await alice.shows("/expire off, 24h, 7d or 90d")
    await alice.type("/expire 7d")
    await alice.shows("From now on, messages disappear after 1 week")
    await bob.shows("From now on, messages disappear after 1 week")
    await bob.type("soon gone")
    await alice.shows("soon gone")
    await bob.type("/info")
    await bob.shows("It disappears \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d")
    screen = await Terminal.open(relay, "--as", "bob", "--with", "alice", columns=120)
    await screen.shows("alice .*messages disappear after 1 week")
    await alice.type("/expire off")
    await bob.shows("From now on, messages don’t disappear")
    # The line about it stays; the head says how it is now.
    await screen.shows_no("messages disappear")
    await leave(screen)
    await end(alice, bob)


# How much is unread


async def test_the_title_of_the_window_tells_how_much_is_unread(start):
    relay = start()
    bob = await relay.device("bob")
    alice = await Terminal.open(relay, "--as", "alice")
    await alice.until(lambda: alice.screen.title == "Roost alice", "no title")
    for number in range(2):
        await bob.send("@alice", f"message {number}")
    await alice.until(lambda: alice.screen.title == "(2) Roost alice", "not told")
    await alice.shows("● connected · 2 unread")
    await alice.shows("message 1 +2│")
    alice.type("\r")
    await alice.shows("message 1")
    await alice.until(lambda: alice.screen.title == "Roost alice", "not read")
    await alice.shows_no("unread")
    await leave(alice)
    # The former title is brought back.
    assert alice.output.index(b"\x1b[22;2t") < alice.output.index(b"\x1b]2;Roost alice\x07")
    assert alice.output.rindex(b"\x1b[23;2t") > alice.output.rindex(b"\x1b]2;")


# Requests


async def test_strangers_are_listed_apart_and_answered(start):
    relay = start(**GATE)
    bob = await Chat.open(relay, "--as", "bob", "--with", "carol")
    await bob.shows("haven’t talked to carol")
    await bob.type("/requests")
    await bob.shows("You have no message requests")
    mallory, zoe = await relay.device("mallory"), await relay.device("zoe")
    await mallory.call("send", to="@bob", key="k1", body="hello")
    await bob.shows("Message request from mallory: hello – /accept mallory · /drop mallory")
    await zoe.call("send", to="@bob", key="k1", body="buy now")
    await bob.shows("Message request from zoe: buy now – /accept zoe · /drop zoe")
    await bob.type("/requests")
    await bob.shows("(?s)zoe: buy now.*mallory: hello")
    await bob.type("/drop zoe")
    await bob.shows("You ignored the request from zoe")
    await bob.type("/accept mallory")
    await bob.shows("mallory can now write to you")
    await bob.asks("/requests", "You have no message requests")
    await mallory.call("send", to="@bob", key="k2", body="thanks")
    await bob.shows("mallory wrote: thanks")
    assert await zoe.refusal("send", to="@bob", key="k2", body="again") == "no_relationship"
    await bob.type("/drop nobody")
    await bob.shows("There’s no message request from nobody")
    await bob.type("/drop")
    await bob.shows("This isn’t a message request")

    eve = await relay.device("eve")
    await eve.call("send", to="@bob", key="k1", body="hi there")
    screen = await Terminal.open(relay, "--as", "bob", columns=120)
    await screen.shows("1 message request: /requests")
    screen.say("/requests")
    await screen.shows("  eve:")
    screen.type("\r")
    await screen.shows("eve.*wants to write to you: /accept or /drop")
    screen.say("/accept")
    await screen.shows("eve can now write to you")
    await screen.shows_no("message request:|wants to write")
    await eve.event("conversation", event="accepted")

    # One that is dropped is there no longer.
    fay = await relay.device("fay")
    await fay.call("send", to="@bob", key="k1", body="me too")
    # A key takes away what the last command said.
    screen.type("\x0c")
    await screen.shows("1 message request: /requests")
    screen.say("/requests")
    await screen.shows("  fay:")
    screen.type("\r")
    await screen.shows("fay.*wants to write to you: /accept or /drop")
    screen.say("/drop")
    await screen.shows("You ignored the request from fay")
    await screen.shows_no("wants to write")
    await leave(screen)
    await end(bob)


# Reports and receipts of one message


async def test_one_message_is_reported_and_tells_who_has_read_it(start):
    relay = start()
    alice, bob = await pair(relay, "first", "second")
    await alice.asks("/info #1", "Message 1, read by\n  bob [-\\d ]*\\d\\d:\\d\\d")
    await bob.type("/report spam Buy now")
    await bob.shows("Report sent: second")
    await bob.type("/report #1 other")
    await bob.shows("Report sent: first")
    screen = await Terminal.open(relay, "--as", "bob", "--with", "alice")
    await screen.shows("│.*second")
    screen.type(UP + "!")
    await screen.shows("> /report")
    screen.say("illegal")
    await screen.shows("Report sent: second")
    lines = (await roost(relay, "admin", "report", "list")).splitlines()
    told = [line.partition("  ")[2] for line in lines if " reports " in line]
    assert [re.sub(" of [^:]+", "", line).rpartition("bob reports ")[2] for line in told] == [
        "alice, message 2: spam", "alice, message 1: other", "alice, message 2: illegal"]
    await leave(screen)
    await end(alice, bob)
