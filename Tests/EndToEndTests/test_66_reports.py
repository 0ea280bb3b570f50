"""Users report each other and messages; operators list and close that, over restarts too, and no log has the text."""

import json

from test_38_admin_command import roost


async def test_operators_look_after_reports(start):
    relay = start(log__level="debug")
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await bob.send(group, "rude")
    await alice.event("message")
    for text in ("secret-words \u001b[31m", "\u202esecret-words"):
        assert await alice.refusal("contact.report", user="bob", reason="harassment", text=text) == "bad_request"
    # Characters that a report may have are still nothing for a terminal.
    await alice.call("contact.report", user="bob", reason="harassment", text="secret-words\u2067\n1  \u200fbob")
    await alice.call("contact.report", conversation=group, sequence=1, reason="spam")
    # Unknown names can be reported like others, so that the answer doesn't reveal which users exist; operators don't
    # see the report.
    await alice.call("contact.report", user="nobody", reason="spam")
    lines = (await roost(relay, "admin", "report", "list")).splitlines()
    assert lines[0] == "2 open" and lines[1].startswith("1  ") and lines[1].endswith("alice reports bob: harassment")
    assert lines[2] == "    secret-words\ufffd\u23ce1  \ufffdbob"
    assert lines[3].endswith(f"alice reports bob, message 1 of Crew ({group}): spam") and len(lines) == 4
    assert await roost(relay, "admin", "report", "close", "1", "--note", "warned", "--as", "olga") == "closed\n"
    assert "closed before" in await roost(relay, "admin", "report", "close", "1", code=1)
    relay.kill()
    relay.start()
    lines = (await roost(relay, "admin", "report", "list")).splitlines()
    assert lines[0] == "1 open" and len(lines) == 2
    lines = (await roost(relay, "admin", "report", "list", "--all")).splitlines()
    assert len(lines) == 5 and lines[3].startswith("    closed by @olga ") and lines[3].endswith(": warned")
    page = json.loads(await roost(relay, "admin", "report", "list", "--all", "--json"))["reports"]
    assert [one["state"] for one in page["list"]] == ["closed", "open"] and page["open"] == 1
    assert relay.metric("roost_reports_open") == 1
    log = relay.log()
    assert "secret-words" not in log and "operator.closed_report" in log


async def test_all_pages_are_printed(start):
    relay = start(limits__connections_per_address=300)
    await relay.device("mallory")
    for number in range(8):
        device = await relay.device(f"user{number}")
        for _ in range(15):
            await device.call("contact.report", user="mallory", reason="spam")
        assert await device.refusal("contact.report", user="x", reason="no-reason") == "bad_request"
    assert len((await roost(relay, "admin", "report", "list")).splitlines()) == 121
