"""People in `roost chat`: names in place of ids, contacts, reports, and who has read a message."""

from test_20_chat import Chat


async def test_names_contacts_and_reports_in_a_terminal(start):
    relay = start()
    alice = await Chat.open(relay, "--as", "alice", "--with", "bob")
    await alice.shows("haven’t talked to bob")
    await alice.type("hi")
    bob = await Chat.open(relay, "--as", "bob", "--with", "alice")
    await bob.shows("alice.*: hi")
    await alice.type("/name Alice Ardent")
    await alice.shows("Others now see you as Alice Ardent")
    await alice.type("/username alice.a")
    await alice.shows("Others can now find you as @alice.a")
    await bob.type("/find ard")
    await bob.shows("Alice Ardent \\(alice\\), @alice.a")
    # Names come beside the messages.
    await bob.asks("/list", "@Alice Ardent \\(alice\\), 0 unread")
    await alice.type("now with a name")
    await bob.shows("Alice Ardent: now with a name")
    await alice.shows("(?s)now with a name.*read by bob")
    await alice.type("/who-read")
    await alice.shows("  bob ")
    await bob.asks("/list", "@Alice Ardent \\(alice\\), 0 unread")

    await alice.type("/invite bob")
    await alice.shows("You invited bob")
    await bob.type("/contacts")
    await bob.shows("Alice Ardent \\(alice\\), contact, invites you: /accept alice")
    await bob.type("/accept alice")
    await bob.shows("Alice Ardent \\(alice\\) is now a contact")
    await alice.type("/contacts")
    await alice.shows("bob, contact")
    await bob.type("/mute")
    await bob.shows("Muted on all your devices")
    await bob.asks("/list", "@Alice Ardent[^\\n]*muted")
    await bob.type("/report alice spam Too many puns")
    await bob.shows("Report sent")
    await bob.type("/report alice rude")
    await bob.shows("Usage: /report NAME REASON TEXT")
    for chat in (alice, bob):
        assert await chat.end() == 0


async def test_links_in_a_terminal(start):
    relay = start()
    alice = await Chat.open(relay, "--as", "alice", "--with", "zoe")
    await alice.type("/links")
    await alice.shows("You have no links")
    await alice.type("/link")
    link = (await alice.shows(rf"(http://127\.0\.0\.1:{relay.port}/#invite=\w+)  to chat with you"))[1]
    await alice.type("/links")
    await alice.shows(r"i\w{13}  chat with you, used 0 of 1, until")
    bob = await Chat.open(relay, "--as", "bob", "--with", "zoe")
    await bob.type("/revoke-link nothing")
    await bob.shows("You have no link nothing")
    await bob.type(f"/follow {link}")
    opened = (await bob.shows(r"start a chat with --with (\w+)"))[1]
    assert await bob.end() == 0
    bob = await Chat.open(relay, "--as", "bob", "--with", opened)
    await bob.type("hello by link")
    other = await Chat.open(relay, "--as", "alice", "--with", "bob", "--device", "other")
    await other.shows("hello by link")
    await alice.type("/contacts")
    await alice.shows("bob, contact")
    carol = await Chat.open(relay, "--as", "carol", "--with", "zoe")
    await carol.type(f"/follow {link}")
    await carol.shows("used up, revoked, or has expired")
    for chat in (alice, bob, carol, other):
        assert await chat.end() == 0
