"""kill -9 under load, again and again: acked messages are there, nothing is there twice, sequences have no holes, and
receivers get everything in order."""

import asyncio
import itertools
import random

import pytest

from harness.device import Closed
from harness.relay import Relay
from harness.waiting import PATIENCE

SENDERS = 4
WINDOW = 32  # Commands of one sender under way at once.


class Sender:
    """Sends numbered messages as fast as they are answered. After a crash, unanswered ones are sent again with the same
    key."""

    def __init__(self, user, group):
        self.user, self.group = user, group
        self.unanswered = {}
        # The relay's promises: key -> (sequence, position).
        self.ledger = {}
        self.numbers = itertools.count(1)

    async def run(self, relay, is_over):
        """Sends until the connection ends or there are enough, then waits for messages under way."""
        device = await relay.device(self.user)
        try:
            window = asyncio.Semaphore(WINDOW)
            waiting = [asyncio.create_task(self.send(device, key, window)) for key in list(self.unanswered)]
            while not is_over() and not device.reader.done():
                await window.acquire()
                window.release()
                waiting.append(asyncio.create_task(self.send(device, f"{self.user}-{next(self.numbers)}", window)))
                waiting = [task for task in waiting if not task.done() or task.result()]
                await asyncio.sleep(0)
            await asyncio.gather(*waiting)
        except Closed:
            pass

    async def send(self, device, key, window):
        self.unanswered[key] = True
        async with window:
            try:
                answer = await device.ask("send", to=self.group, key=key, body=f"body of {key}")
            except Closed:
                return
        assert answer["type"] == "ok", answer
        promise = (answer["sequence"], answer["position"])
        assert self.ledger.setdefault(key, promise) == promise
        self.unanswered.pop(key, None)


class Receiver:
    """Keeps what an app would keep: its messages, and the position up to which it has them."""

    def __init__(self, user):
        self.user = user
        self.messages = {}
        self.position = None

    async def run(self, relay, group, generator, upto=None):
        hello = {"resume": self.position} if self.position and generator.random() < 0.5 else {}
        device = await relay.device(self.user, **hello)
        place = 0
        try:
            while upto is None or len(self.messages) < upto():
                async with device.news:
                    while place == len(device.frames):
                        if device.reader.done():
                            return
                        await asyncio.wait_for(device.news.wait(), PATIENCE)
                for frame in device.frames[place:]:
                    place += 1
                    if frame["type"] == "message" and frame["conversation"] == group:
                        self.take(frame)
                # Sometimes an ack comes first, sometimes the crash.
                if self.position and generator.random() < 0.3:
                    await device.tell("ack", position=self.position)
        except Exception as error:
            if "close" not in type(error).__name__.lower():
                raise

    def take(self, frame):
        known = self.messages.setdefault(frame["sequence"], frame["body"])
        assert known == frame["body"], f"another message came as {frame['sequence']}"
        # No hole: all earlier messages have arrived.
        assert frame["sequence"] == 1 or frame["sequence"] - 1 in self.messages
        self.position = frame["position"]


async def history(device, group):
    found, after = [], 0
    while True:
        page = await device.call("history", conversation=group, after=after, limit=100)
        found += page["messages"]
        if not page["more"]:
            return found
        after = found[-1]["sequence"]


async def crash(relay, senders, receivers, group, generator):
    """One round: load, and kill -9 in the middle of it after some answers."""
    enough = sum(len(sender.ledger) for sender in senders) + generator.randint(100, 600)
    under_way = [asyncio.create_task(sender.run(relay, lambda: False)) for sender in senders]
    under_way += [asyncio.create_task(receiver.run(relay, group, generator)) for receiver in receivers]
    while sum(len(sender.ledger) for sender in senders) < enough:
        done, _ = await asyncio.wait(under_way, timeout=0.002, return_when=asyncio.FIRST_COMPLETED)
        assert not done, [task.exception() for task in done]
    relay.kill()
    await asyncio.gather(*under_way)
    relay.start()


@pytest.mark.parametrize("durability, rounds, seed", [("full", 5, 1), ("normal", 3, 2)])
async def test_nothing_acked_is_lost_and_nothing_comes_twice(start, durability, rounds, seed):
    relay: Relay = start(store__durability=durability, limits__backlog_max=1_000_000)
    generator = random.Random(seed)
    users = [f"sender-{number}" for number in range(SENDERS)]
    first = await relay.device(users[0])
    group = await first.group("Crew", *users[1:], "near", "far")
    await first.bye()
    senders = [Sender(user, group) for user in users]
    receivers = [Receiver("near"), Receiver("far")]
    for _ in range(rounds):
        await crash(relay, senders, receivers, group, generator)

    # Now without a crash: every unanswered message gets an answer with its old key.
    for sender in senders:
        await sender.run(relay, lambda: True)
        assert not sender.unanswered
    promised = {key: promise for sender in senders for key, promise in sender.ledger.items()}
    reader = await relay.device(users[0], "reader")
    stored = await history(reader, group)
    assert [message["sequence"] for message in stored] == list(range(1, len(stored) + 1))
    # Only the author gets the key, but every body names it.
    assert {message["body"].removeprefix("body of "): (message["sequence"], message["position"])
            for message in stored} == promised
    assert len(stored) == len(promised)
    own = [message for message in stored if message["from"] == users[0]]
    assert own and all(message["body"] == f"body of {message['key']}" for message in own)
    assert len(promised) > rounds * 100

    await asyncio.gather(*(
        receiver.run(relay, group, generator, upto=lambda: len(stored)) for receiver in receivers))
    for receiver in receivers:
        assert receiver.messages == {message["sequence"]: message["body"] for message in stored}
    assert relay.stop() == 0


async def test_memory_promises_nothing_and_says_so(start):
    relay = start(store__durability="memory")
    alice = await relay.device("alice")
    assert alice.welcome["durability"] == "memory"
    await alice.send("@bob", "soon forgotten")
    relay.kill()
    assert not relay.store.exists()
    relay.start()
    assert (await (await relay.device("alice")).call("conversation.list"))["conversations"] == []


async def test_after_a_crash_each_change_is_whole_or_absent(start):
    relay = start()
    generator = random.Random(3)
    for number in range(4):
        alice = await relay.device("alice")
        group = await alice.group(f"Group {number}", "bob", key=f"group-{number}")
        bob = await relay.device("bob", "new" + str(number))
        answers = []
        for step in range(40):
            answers.append(await alice.begin("send", to=group, key=f"{number}-{step}", body=str(step)))
            answers.append(await alice.begin("edit", conversation=group, sequence=1, body=f"edit {step}"))
            answers.append(await alice.begin("react", conversation=group, sequence=1, reaction=str(step % 15)))
        await answers[generator.randrange(60)]
        relay.kill()
        done = [answer.result() for answer in answers if answer.done() and not answer.exception()]
        await alice.closed()
        await bob.closed()
        relay.start()
        alice = await relay.device("alice")
        again = await alice.call(
            "conversation.create", kind="group", name=f"Group {number}", members=["bob"], key=f"group-{number}")
        assert again["duplicate"] is True and again["conversation"]["conversation"] == group
        found = await history(alice, group)
        assert len(found) >= sum("sequence" in answer for answer in done)
        assert [message["body"] for message in found[1:]] == [str(step) for step in range(1, len(found))]
        for reaction in found[0].get("reactions", []):
            assert reaction["count"] == 1 and reaction["mine"]
        await alice.bye()


# Each command of alice's, with what bob does before it, and how alice or an operator finds it again.
PROMISES = {
    "status": ({"state": "busy", "text": "later"}, None, lambda found: found["status"] == {
        "state": "busy", "text": "later"}),
    "privacy": ({"read": "nobody"}, None, lambda found: found["privacy"]["privacy"]["read"] == "nobody"),
    "except": ({"users": ["carol"], "as": "never"}, None, lambda found: {
        "user": "carol", "as": "never"} in found["privacy"]["exceptions"]),
    "contact.block": ({"users": ["mallory"]}, None, lambda found: {
        "user": "mallory", "as": "blocked"} in found["privacy"]["exceptions"]),
    "contact.invite": ({"user": "dora"}, None, lambda found: found["contacts"]["dora"] == "sent"),
    "contact.accept": ({"user": "bob"}, "contact.invite", lambda found: found["contacts"]["bob"] == "accepted"),
    "prospect.set": ({"name": "Zoe"}, None, lambda found: found["prospects"] == ["Zoe"]),
    "profile.set": ({"name": "Alice"}, None, lambda found: found["name"] == "Alice"),
    "state.set": ({"key": "theme", "value": "dark"}, None, lambda found: found["theme"] == "dark"),
    "contact.report": ({"user": "mallory", "reason": "spam"}, None, lambda found: found["reports"] == 1),
    "conversation.create": ({"kind": "group", "name": "Crew", "members": []}, None, lambda found: found["groups"] == 1),
}


async def what_is_there(relay, user):
    device, operator = await relay.device(user), await relay.operator()
    page = (await operator.call("admin.reports", limit=100))["reports"]
    reports = [report for report in page["list"] if report["reporter"] == user]
    found = {
        "status": device.welcome["status"], "privacy": await device.call("privacy"), "reports": len(reports),
        "contacts": {one["user"]: one["state"] for one in (await device.call("contact.list"))["contacts"]},
        "prospects": [one["name"] for one in (await device.call("prospect.list"))["prospects"]],
        "name": (await device.call("user.get", users=[user]))["profiles"][0].get("name"),
        "theme": {one["key"]: one["value"] for one in (await device.call("state.get"))["states"]}.get("theme"),
        "groups": len((await device.call("conversation.list"))["conversations"]),
    }
    await device.bye()
    await operator.bye()
    return found


@pytest.mark.parametrize("rounds, seed", [(20, 3)])
async def test_nothing_that_got_ok_is_lost(start, rounds, seed):
    """kill -9 right after an `ok`: whatever was answered is there, not only messages."""
    relay: Relay = start(store__durability="full")
    generator = random.Random(seed)
    confirmed = 0
    for number in range(rounds):
        user = f"alice-{number}"
        alice, bob = await relay.device(user), await relay.device("bob")
        for other in ["carol", "dora", "mallory"]:
            await (await relay.device(other)).bye()
        for _, before, _ in PROMISES.values():
            if before:
                await bob.call(before, user=user)
        names = generator.sample(list(PROMISES), len(PROMISES))
        enough = generator.randint(1, len(names))
        # All at once, or one after another: the kill comes right behind an answer.
        answers = {}
        if number % 2:
            for name in names:
                answers[name] = await alice.begin(name, **PROMISES[name][0])
            while sum(answer.done() for answer in answers.values()) < enough:
                await asyncio.wait(
                    [one for one in answers.values() if not one.done()], return_when=asyncio.FIRST_COMPLETED)
        else:
            for name in names[:enough]:
                answers[name] = await alice.begin(name, **PROMISES[name][0])
                await answers[name]
        relay.kill()
        promised = [name for name, answer in answers.items() if answer.done() and not answer.exception()]
        assert all(answers[name].result()["type"] == "ok" for name in promised)
        confirmed += len(promised)
        relay.start()
        found = await what_is_there(relay, user)
        lost = [name for name in promised if not PROMISES[name][2](found)]
        assert not lost, f"round {number}: {lost} got ok and are lost: {found}"
    assert confirmed > rounds * 2
