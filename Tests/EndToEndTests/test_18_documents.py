"""Every example of Docs/Protocol.md works: replayed in order against a running relay, each is answered as the page
says. Docs/MessageJourney.md names files that are there, and Docs/ThreatModel.md tests that are there."""

import json
import re

import jsonschema
import yaml

from harness.device import Device
from harness.relay import REPOSITORY

PAGE = REPOSITORY / "Docs" / "Protocol.md"
JOURNEY = REPOSITORY / "Docs" / "MessageJourney.md"
THREATS = REPOSITORY / "Docs" / "ThreatModel.md"
MACHINES = yaml.safe_load((REPOSITORY / "Docs" / "asyncapi.yaml").read_text())
JOURNEY_FILES_MAX = 30  # The path may get shorter, not longer.
# The one report of the page is about a user, so there is no message to remove.
ANSWERS = {"hello": "welcome", "ping": "pong", "admin.report.remove": "error"}
MAY_BE_SILENT = {"signal", "typing", "ack", "read", "bye"}


def examples():
    """Returns (line, text) of every command in a fenced block marked as json."""
    inside, found = False, []
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```json"
        elif inside and line.strip():
            found.append((number, line))
    return found


# Where a stranger's message waits: for one pair of a hundred, of which none is on the page.
GATE = {"gate__mode": "percent 1", "gate__strangers": "request", "gate__shared_groups": "off"}
# Users that the gate keeps from alice.
STRANGERS = {"yann": "yann40", "zoe": "zoe76"}


class Replay:
    """alice sends the examples of the page, and olga those for operators; bob, carol, dave and eve are connected."""

    def __init__(self, relay):
        self.relay = relay
        self.alice: Device | None = None
        self.operator: Device | None = None
        self.group = None
        self.position = None
        self.fed = None
        # Of the invitation that was made last.
        self.code = None
        # The last user to say hello.
        self.speaker = None

    async def filled(self, text):
        """Returns the example with its placeholders replaced."""
        text = re.sub(r"\{token:(\w+)\}", lambda found: self.relay.token(found[1]), text)
        text = re.sub(
            r"\{(operator|service):(\w+)\}",
            lambda found: self.relay.token(found[2], scope=found[1].replace("operator", "admin")), text)
        if "{group}" in text and self.group is None:
            # On the page alice leaves the group in one section, and the next section needs a group again.
            self.group = await self.alice.group("Crew", "bob", "carol")
        text = text.replace("{group}", self.group or "").replace("{position}", self.position or "")
        text = text.replace("{fed}", self.fed or "").replace("{code}", self.code or "")
        for placeholder, stranger in re.findall(r"(\{request:?(\w*)\})", text):
            text = text.replace(placeholder, await self.request(stranger or "yann"))
        for placeholder, user in re.findall(r"(\{joiner:(\w+)\})", text):
            text = text.replace(placeholder, await self.joiner(user))
        assert not re.search(r"\{\w+(:\w+)?\}", text), f"an unknown placeholder: {text}"
        return text

    async def request(self, user):
        """A stranger's first message to alice, which waits."""
        stranger = await self.relay.device(STRANGERS[user])
        sent = await stranger.call("send", to="@alice", key="first", body="May I ask you something?")
        await stranger.bye()
        return sent["conversation"]

    async def joiner(self, user):
        """A user who has opened a link to alice's group and waits."""
        await self.alice.call("conversation.joining", conversation=self.group, joining="ask")
        made = await self.alice.call("invite.create", conversation=self.group, uses=1)
        device = await self.relay.device(user, "desk")
        assert (await device.call("invite.open", code=made["invite"]["code"]))["waiting"]
        await device.bye()
        return user

    async def say(self, text):
        command = json.loads(await self.filled(text))
        if command["type"] == "admin.drain":
            # It would end the replay. Others try it.
            return
        if "{service:" in text:
            self.speaker = await self.relay.connect()
        elif command.get("operator"):
            self.speaker = self.operator = await self.relay.connect()
        elif command["type"] == "hello":
            self.speaker = self.alice = await self.relay.connect()
        speaker = self.speaker
        if "id" not in command:
            assert command["type"] in MAY_BE_SILENT
            await speaker.tell(**command)
            await speaker.barrier()
            return
        # The harness numbers its own ids from 1, and those of the page may be equal.
        answer = speaker.expect(command["id"])
        await speaker.write(json.dumps(command))
        self.learn(command, await answer)

    def learn(self, command, answer):
        assert answer["type"] == ANSWERS.get(command["type"], "ok"), f"{command} is answered {dict(answer)}"
        if answer["type"] == "ok":
            told = MACHINES["components"]["messages"]["command." + command["type"]].get("x-ok", [])
            assert set(answer) <= {"type", "re", *told}, f"{command} is answered {dict(answer)}, and x-ok is {told}"
        if command["type"] == "conversation.create" and command["kind"] == "group":
            self.group = answer["conversation"]["conversation"]
        if command["type"] == "conversation.leave" or command["type"] == "admin.erase" and "conversation" in command:
            self.group = None
        # An operator asks where a message is, and a setting is none.
        if command["type"] != "state.set":
            self.position = answer.get("position", self.position)
        self.code = answer.get("invite", {}).get("code", self.code)
        self.fed = answer.get("feed", {}).get("position", self.fed)


async def test_every_example_of_the_protocol_is_answered(start):
    relay = start(**GATE)
    others = [await relay.device(user) for user in ("bob", "carol", "dave")]
    # An operator ends her session.
    await relay.device("eve")
    await relay.device("mallory")
    replay = Replay(relay)
    found = examples()
    assert len(found) >= 35, "the page has lost its examples, or this test its eyes"
    for line, text in found:
        try:
            await replay.say(text)
        except AssertionError as error:
            raise AssertionError(f"{PAGE.name}:{line}: {error}") from error
    # If a command without an id had been refused, an error would have arrived.
    for device in (replay.alice, *others):
        await device.barrier()
        assert not device.seen("error")
    assert others[0].seen("message") and others[0].seen("conversation") and others[0].seen("signal")


def check_frame(frame):
    """Holds what the relay sent to asyncapi.yaml."""
    schema = {
        "$ref": f"#/components/messages/event.{frame['type']}/payload", "components": MACHINES["components"]}
    errors = [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(dict(frame))]
    assert not errors, f"{frame.raw}: {errors}"


async def test_every_frame_is_as_asyncapi_says(start):
    """Also those that the examples don't lead to: marks of a member who has neither acked nor read, and retries."""
    relay = start(**GATE)
    others = [await relay.device(user) for user in ("bob", "carol", "dave")]
    # An operator ends her session.
    await relay.device("eve")
    await relay.device("mallory")
    bob = others[0]
    replay = Replay(relay)
    for _, text in examples():
        await replay.say(text)
    alice = replay.alice
    crew = await alice.group("New crew", "bob")
    await alice.send(crew, "one")
    await bob.call("ack", position=bob.seen("message")[-1]["position"])
    receipt = await alice.event("receipt", user="bob", conversation=crew)
    assert "deliveredAt" in receipt and receipt["read"] == 0 and "readAt" not in receipt
    members = {one["user"]: one for one in (await alice.call("conversation.members", conversation=crew))["members"]}
    assert "deliveredAt" in members["bob"] and "readAt" not in members["bob"]
    for _ in range(2):
        await alice.call("conversation.add", conversation=crew, users=["carol"], key="new-carol")
        await alice.call("send", to=crew, key="twice", body="once")
        await alice.call("conversation.leave", conversation=crew, key="bye-crew")
    await others[1].event("conversation", event="left", conversation=crew)
    await replay.operator.call("admin.statistics")
    await replay.operator.event("statistics")
    for device in (alice, replay.operator, *others):
        await device.barrier()
        for frame in device.frames:
            check_frame(frame)


def test_every_command_has_an_example():
    """Except `bye`, which would end the replay."""
    said = {json.loads(re.sub(r'"\{\w+(:\w+)?\}"', '""', text))["type"] for _, text in examples()}
    assert said == {
        "hello", "refresh", "ping", "conversation.create", "conversation.get", "conversation.list",
        "conversation.rename", "conversation.describe",
        "conversation.add", "conversation.role", "conversation.remove", "conversation.members", "conversation.leave",
        "send", "edit", "react", "delete", "history", "signal", "ack", "read", "unread", "typing", "presence", "status",
        "privacy", "except", "profile.set", "user.get", "user.find",
        "admin.profile", "admin.introduce", "admin.invite",
        "invite.create", "invite.list", "invite.revoke", "invite.show", "invite.open", "state.set",
        "state.get", "receipts", "contact.block", "contact.unblock", "contact.report", "conversation.expiry",
        "conversation.pin", "conversation.unpin", "conversation.pins", "conversation.ban", "conversation.unban",
        "conversation.bans", "conversation.timeout", "conversation.posting", "conversation.slow",
        "conversation.joining", "join.list", "join.accept", "join.refuse",
        "admin.reports", "admin.report.show", "admin.report.remove", "admin.report.close",
        "devices", "watch", "unwatch", "admin.people", "admin.user", "admin.find", "admin.message",
        "admin.presence", "admin.erase",
        "admin.disconnect", "admin.revoke", "admin.statistics", "admin.drain", "feed", "feed.ack",
        "request.accept", "request.drop",
        "feed.forget", "contact.invite", "contact.accept", "contact.decline", "contact.remove", "contact.list",
        "prospect.set", "prospect.remove", "prospect.list"}


async def test_events_have_every_member_that_the_page_shows(start):
    """Events in running text have the members that really come, in the same order."""
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await alice.send(group, "one")
    await alice.call("signal", to=group, kind="cursor", body=1)
    await alice.call("typing", to=group)
    await bob.event("typing")
    await bob.call("read", conversation=group, sequence=1)
    await alice.event("receipt", user="bob")
    shown = {}
    for text in re.findall(r'`(\{"type":"[^`]*\})`', PAGE.read_text()):
        # The first of several forms is the one that comes here.
        shown.setdefault(re.match(r'\{"type":"(\w+)"', text)[1], re.findall(r'[{,]"(\w+)":', text))
    for type, device in {
            "message": bob, "signal": bob, "typing": bob, "receipt": alice, "conversation": bob}.items():
        came = list(device.seen(type)[0])
        missing = [member for member in shown[type] if member not in came]
        assert not missing, f"{type}: the page shows {missing}, which doesn't come"
        assert [member for member in came if member in shown[type]] == shown[type] or type == "conversation"


def test_the_journey_names_files_that_are_there():
    text = JOURNEY.read_text()
    sources = [path.name for path in (REPOSITORY / "Sources").rglob("*.swift")]
    missing = [name for name in re.findall(r"`([\w+]+\.swift)`", text) if name not in sources]
    assert not missing, f"{JOURNEY.name} names {missing}"
    rows = re.findall(r"^\| (\d+) \| `([\w+.]+)` \|", text, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    assert len({name for _, name in rows}) == len(rows) <= JOURNEY_FILES_MAX


def names_by_file():
    """The names of all tests, by the name of their file without its ending; two folders may have files of one name."""
    found = {}
    for path in (REPOSITORY / "Tests").rglob("*"):
        form = {".swift": r"@Test\b.*?\bfunc (\w+)", ".py": r"^(?:async )?def (test_\w+)"}.get(path.suffix)
        if form is not None:
            names = re.findall(form, path.read_text(), re.MULTILINE | re.DOTALL)
            found.setdefault(path.stem, set()).update(names)
    return found


def test_every_answer_to_a_threat_names_tests_that_are_there():
    tests = names_by_file()
    rows = re.findall(r"^\| (?!threat|---)([^|]+) \| ([^|]+) \| ([^|]+) \|$", THREATS.read_text(), re.MULTILINE)
    assert len(rows) >= 60, "the page has lost its rows, or this test its eyes"
    for threat, _, named in rows:
        names = re.findall(r"`(\w+)::(\w+)`", named)
        assert names and len(names) == named.count("`") / 2, f"{threat}: {named}"
        missing = [f"{file}::{name}" for file, name in names if name not in tests.get(file, ())]
        assert not missing, f"{threat}: there is no {missing}"


def test_packages_are_pinned():
    """Those that are built by their commit, and those that test by their version."""
    manifest = (REPOSITORY / "Package.swift").read_text()
    wanted = {url.rsplit("/", 1)[1].lower() for url in re.findall(r'\.package\(\s*url: "([^"]+)"', manifest)}
    pins = json.loads((REPOSITORY / "Package.resolved").read_text())["pins"]
    assert wanted and wanted <= {pin["identity"] for pin in pins}
    assert all(re.fullmatch(r"[0-9a-f]{40}", pin["state"]["revision"]) for pin in pins)
    lines = (REPOSITORY / "Scripts" / "requirements.txt").read_text().splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert packages and all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in packages)
