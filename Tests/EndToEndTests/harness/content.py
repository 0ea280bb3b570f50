"""Content for the tests of the store's commands: every kind of event, and load that goes on beside them."""

import asyncio
import contextlib
import itertools

from .device import Closed
from .waiting import PATIENCE


class Chatter:
    """Some people who write to each other as fast as they are acked, in a group of their own."""

    def __init__(self, relay, users=4, window=16):
        self.relay, self.users, self.window = relay, users, window
        self.sent = 0
        self.is_stopped = False
        self.news = asyncio.Condition()
        self.tasks = []
        self.group = None

    async def __aenter__(self):
        devices = [await self.relay.device(f"chatter-{number}") for number in range(self.users)]
        self.group = await devices[0].group("Chatter", *[f"chatter-{number}" for number in range(1, self.users)])
        self.tasks = [asyncio.create_task(self.write(device)) for device in devices for _ in range(self.window)]
        return self

    async def write(self, device):
        with contextlib.suppress(Closed):
            for number in itertools.count():
                if self.is_stopped:
                    return
                await device.send(self.group, f"{number} " + "x" * 100)
                async with self.news:
                    self.sent += 1
                    self.news.notify_all()

    async def reaches(self, count):
        """Waits until so many messages are acked."""
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: self.sent >= count), PATIENCE)

    async def __aexit__(self, *error):
        self.is_stopped = True
        await asyncio.gather(*self.tasks)


async def one_of_everything(relay, alice="alice", bob="bob", carol="carol"):
    """Three users, a group and a direct conversation with every kind of event. Gives the group's id and the messages
    that stand in it: (sequence, sender, body or None)."""
    one, two, three = [await relay.device(user) for user in (alice, bob, carol)]
    group = await one.group("Crew", bob)
    await one.send(group, "first", key="k-1")
    await two.send(group, {"url": "https://example.org/ü.png"}, kind="image", key="k-1")
    # A line break between values stays in the body.
    answer = one.expect(9000)
    await one.write('{"type":"send","id":9000,"to":"%s","key":"k-2","kind":"x","body":[1,\n 2]}' % group)
    assert (await answer)["sequence"] == 3
    await one.send(group, "to be edited", key="k-3")
    await one.send(group, "to be deleted", key="k-4", replyTo=1)
    await one.call("edit", conversation=group, sequence=4, body="edited", mentions=[bob, "@all"])
    await one.call("delete", conversation=group, sequence=5)
    await two.call("react", conversation=group, sequence=1, reaction="👍")
    await two.call("react", conversation=group, sequence=1, reaction="❤️")
    await two.call("react", conversation=group, sequence=1, reaction="❤️", remove=True)
    await one.call("react", conversation=group, sequence=1, reaction="👍")
    await one.call("conversation.add", conversation=group, users=[carol])
    await one.call("conversation.role", conversation=group, user=bob, role="admin")
    await one.call("conversation.rename", conversation=group, name="The Crew")
    await three.event("conversation", event="added")
    await three.send(group, "late", key="k-1")
    await two.call("read", conversation=group, sequence=3)
    await three.call("conversation.leave", conversation=group)
    answer = await two.send(f"@{alice}", "just us", key="k-2")
    await one.call("ack", position=(await one.event("message", conversation=answer["conversation"]))["position"])
    for device in (one, two, three):
        await device.bye()
    messages = [
        (1, alice, "first"), (2, bob, {"url": "https://example.org/ü.png"}), (3, alice, [1, 2]),
        (4, alice, "edited"), (5, alice, None), (6, carol, "late")]
    return group, messages
