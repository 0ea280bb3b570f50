"""Users do everything at once, in a random order: join, leave, write, change, drop and come back. The relay keeps
running, refuses only with a reason, and shows the same state before and after a restart."""

import asyncio
import itertools
import random

from harness.device import Closed

USERS = [f"user-{number}" for number in range(8)]
# Errors that a valid command may get, because others change things at the same time.
FAIR = {"not_found", "forbidden", "conflict", "gone", "bad_request", "busy"}


class Person:
    """One user with a device that comes and goes, and a random generator that decides what it does."""

    def __init__(self, relay, user, groups, seed):
        self.relay, self.user, self.groups = relay, user, groups
        self.generator = random.Random(seed)
        self.keys = itertools.count()
        self.device = None
        self.position = None

    async def live(self, steps):
        for _ in range(steps):
            if self.device is None or self.device.reader.done():
                await self.come()
            try:
                await self.act()
            except Closed:
                # Its own next connection took over, or it closed the connection itself.
                assert self.device.close_code in (1000, 1006, 4501)

    async def come(self):
        name = self.generator.choice(["phone", "tablet"])
        background = self.generator.random() < 0.2
        self.device = await self.relay.device(self.user, name, background=background)

    async def act(self):
        generator, device = self.generator, self.device
        chance = generator.random()
        if chance < 0.02:
            return await device.drop()
        if chance < 0.03:
            return await device.bye()
        if chance < 0.04:
            return await self.come()
        if chance < 0.10 and device.events:
            last = device.events[-1].get("position")
            return await device.tell("ack", position=last) if last else None
        commands = [await self.begin(*self.command()) for _ in range(generator.randint(1, 6))]
        for (type, answer) in commands:
            answer = await asyncio.wait_for(answer, 20)
            if answer["type"] == "error":
                assert answer["code"] in FAIR, (type, dict(answer))
            elif type == "conversation.create":
                self.groups.append(answer["conversation"]["conversation"])
        return None

    async def begin(self, type, members):
        return type, await self.device.begin(type, **members)

    def command(self):
        generator = self.generator
        group = generator.choice(self.groups[:5] + self.groups[-2:])
        other = generator.choice(USERS)
        target = {"conversation": group, "sequence": generator.randint(1, 12)}
        key = f"{self.user}-{next(self.keys)}"
        if generator.random() < 0.05:
            key = f"{self.user}-0"
        to = group if generator.random() < 0.8 or other == self.user else f"@{other}"
        forms = [
            (30, "send", {"to": to, "key": key, "body": key}),
            (5, "send", {"to": to, "key": key, "kind": "blob", "body": {"x": "y" * generator.randint(1, 9_000)}}),
            (6, "edit", {**target, "body": key}), (3, "delete", target), (8, "react", {**target, "reaction": other}),
            (3, "react", {**target, "reaction": other, "remove": True}), (6, "read", target),
            (5, "typing", {"to": group}), (2, "typing", {"to": group, "active": False}),
            (5, "signal", {"to": group, "body": key}), (3, "history", {"conversation": group, "limit": 5}),
            (2, "conversation.members", {"conversation": group, "sequence": 1}), (2, "conversation.list", {"limit": 3}),
            (1, "conversation.create", {"kind": "group", "name": key, "members": [other], "key": key}),
            (8, "conversation.add", {"conversation": group, "users": generator.sample(USERS, 3)}),
            (3, "conversation.remove", {"conversation": group, "users": [other]}),
            (3, "conversation.role", {
                "conversation": group, "user": other, "role": generator.choice(["member", "admin", "owner"])}),
            (1, "conversation.leave", {"conversation": group if to == group else to}),
            (1, "conversation.rename", {"conversation": group, "name": key}),
            (3, "presence", {"state": generator.choice(["active", "idle", "background"])}),
            (2, "watch", {"users": [other]}), (1, "unwatch", {"users": [other]})]
        _, type, members = generator.choices(forms, weights=[form[0] for form in forms])[0]
        return type, members


async def view(relay):
    """Everything that every user sees: conversations with their objects, members and whole history."""
    found = {}
    for user in USERS:
        device = await relay.device(user, "reader", background=True)
        conversations = (await device.call("conversation.list", limit=100))["conversations"]
        for one in conversations:
            number = one["conversation"]
            members = (await device.call("conversation.members", conversation=number))["members"]
            messages, after = [], 0
            while True:
                page = await device.call("history", conversation=number, after=after, limit=100)
                messages += page["messages"]
                if not page["more"]:
                    break
                after = messages[-1]["sequence"]
            found[user, number] = (one, members, messages)
        # Waits until the relay has nothing left to store.
        await device.bye()
    return found


def check(found):
    """Checks what must be true of everything that users see."""
    by_conversation = {}
    for (user, number), (one, members, messages) in found.items():
        by_conversation.setdefault(number, {})[user] = (one, members, messages)
        sequences = [message["sequence"] for message in messages]
        # The history that a user sees has no hole and ends with the last message.
        assert sequences == list(range(one["sequence"] - len(sequences) + 1, one["sequence"] + 1))
        assert one["unread"] <= len(sequences)
    for number, views in by_conversation.items():
        one, members, _ = next(iter(views.values()))
        assert {member["user"] for member in members} == set(views), "whoever is a member sees it, and nobody else"
        if one["kind"] == "group":
            assert [member["role"] for member in members].count("owner") == 1
        for other, others, messages in views.values():
            assert (other["sequence"], others) == (one["sequence"], members)
            everything = {message["sequence"]: message["position"] for _, _, all in views.values() for message in all}
            assert all(everything[message["sequence"]] == message["position"] for message in messages)


async def test_everything_at_once(start):
    # The view at the end asks for everything at once.
    relay = start(
        limits__backlog_max=20, limits__page_messages=5, presence__grace_seconds=1,
        limits__commands_per_second=100_000)
    first = await relay.device(USERS[0])
    groups = [await first.group(f"Group {number}", *USERS) for number in range(5)]
    await first.bye()
    people = [Person(relay, user, groups, seed) for seed, user in enumerate(USERS)]
    for kind in ("stop", "kill", "stop"):
        await asyncio.gather(*(person.live(60) for person in people))
        for person in people:
            await person.device.drop()
        before = await view(relay)
        check(before)
        assert len(before) > 5
        if kind == "kill":
            relay.kill()
        else:
            assert await asyncio.to_thread(relay.stop) == 0, relay.log()[-2000:]
        relay.start()
        after = await view(relay)
        if kind == "kill":
            # Watermarks are stored a moment after they are sent. Everything else is equal.
            before, after = without_watermarks(before), without_watermarks(after)
        assert after == before


def without_watermarks(found):
    return {
        key: (
            {name: value for name, value in one.items() if name not in ("read", "unread")},
            [(member["user"], member["role"]) for member in members], messages)
        for key, (one, members, messages) in found.items()}
