"""The faults that the proxy can plant, one class for each. `planted` counts them."""

import asyncio
import json
import random
import time


class Nothing:
    """Passes everything on, as the control. Faults override some of its methods."""

    # The proxy that it works in, set when that starts.
    proxy = None

    def __init__(self, seed=1):
        self.seed = seed
        self.planted = 0
        self.draws = {}

    async def beside(self, proxy):
        """Runs as long as the proxy does."""
        self.proxy = proxy

    def took(self, connection, event, payload):
        """The relay sends this to the client."""
        if event["type"] == "message":
            self.took_message(connection, event, payload)
        else:
            connection.send(payload)

    def took_message(self, connection, event, payload):
        connection.send(payload)

    def said(self, connection, command):
        """The client sends this to the relay, unchanged."""

    def ended(self, connection):
        """The connection has ended."""

    def draw(self, connection):
        """Random numbers that depend only on the seed and the connection, not on the order of connections."""
        return self.draws.setdefault(connection, random.Random(f"{self.seed} {connection.number}"))


class OneIn(Nothing):
    """Does something to one message in `n`."""

    def __init__(self, n, seed=1):
        super().__init__(seed)
        self.n = n

    def took_message(self, connection, event, payload):
        if self.draw(connection).randrange(self.n) == 0:
            self.plant(connection, event, payload)
        else:
            connection.send(payload)


class Drop(OneIn):
    """The client never gets it."""

    def plant(self, connection, event, payload):
        self.planted += 1


class Duplicate(OneIn):
    """The client gets it twice."""

    def plant(self, connection, event, payload):
        connection.send(payload)
        connection.send(payload)
        self.planted += 1


class Leak(OneIn):
    """Another user, who isn't a member, gets it too."""

    def plant(self, connection, event, payload):
        connection.send(payload)
        members = self.proxy.members[event["conversation"]]
        others = [
            other for other in self.proxy.connections
            if other.is_open and other.user and other.user not in members]
        if others:
            self.draw(connection).choice(others).send(payload)
            self.planted += 1


class Alter(OneIn):
    """Changes one byte of the text's padding. The JSON stays valid and as long as it was."""

    # The padding begins behind the stamp of LoadTests/Harness/Crowd/Stamp.swift.
    STAMP_BYTES = 63

    def plant(self, connection, event, payload):
        body = event["body"]
        at = self.draw(connection).randrange(self.STAMP_BYTES, len(body))
        changed = body[:at] + ("#" if body[at] != "#" else "*") + body[at + 1:]
        before, after = json.dumps(body).encode(), json.dumps(changed).encode()
        assert payload.count(before) == 1, "the relay passes bodies on byte for byte"
        connection.send(payload.replace(before, after))
        self.planted += 1


class Swap(OneIn):
    """Swaps two consecutive messages of one conversation to one client."""

    # If no other message follows, the held one goes on alone and nothing was swapped.
    HELD_SECONDS = 0.3

    def __init__(self, n, seed=1):
        super().__init__(n, seed)
        self.held = {}

    def took_message(self, connection, event, payload):
        if connection not in self.held:
            return super().took_message(connection, event, payload)
        if self.held[connection][0] != event["conversation"]:
            self.release(connection)
            return connection.send(payload)
        connection.send(payload)
        self.release(connection)
        self.planted += 1

    def plant(self, connection, event, payload):
        late = asyncio.get_running_loop().call_later(self.HELD_SECONDS, self.release, connection)
        self.held[connection] = (event["conversation"], payload, late)

    def release(self, connection):
        _, payload, late = self.held.pop(connection)
        late.cancel()
        connection.send(payload)

    def ended(self, connection):
        if connection in self.held:
            self.held.pop(connection)[2].cancel()


class Falsify(Nothing):
    """Unread counts in a list of conversations are wrong by one."""

    def took(self, connection, event, payload):
        if "conversations" in event:
            for conversation in event["conversations"]:
                less = conversation["unread"] > 0 and self.draw(connection).random() < 0.5
                conversation["unread"] += -1 if less else 1
                self.planted += 1
            payload = json.dumps(event).encode()
        connection.send(payload)


class FalsifyReceipts(Nothing):
    """One unread count in three receipts is far too high. A smaller lie could be true of messages under way."""

    def took(self, connection, event, payload):
        if event["type"] == "receipt" and "unread" in event and self.draw(connection).randrange(3) == 0:
            event["unread"] += 1_000_000
            self.planted += 1
            payload = json.dumps(event).encode()
        connection.send(payload)


class KeepBehind(OneIn):
    """Doesn't tell one session in `n` that it is live."""

    def took(self, connection, event, payload):
        if event["type"] == "live" and self.draw(connection).randrange(self.n) == 0:
            self.planted += 1
        else:
            connection.send(payload)


class SendBack(Nothing):
    """One message in `n` comes back to its sender as an event, right after its `ok`."""

    def __init__(self, n, seed=1):
        super().__init__(seed)
        self.n = n
        # By connection and id: what was sent.
        self.sent = {}

    def said(self, connection, command):
        if command["type"] == "send" and self.draw(connection).randrange(self.n) == 0:
            self.sent[(connection, command["id"])] = command

    def took(self, connection, event, payload):
        connection.send(payload)
        command = self.sent.pop((connection, event.get("re")), None)
        if command is None or event["type"] != "ok" or event.get("duplicate"):
            return
        copied = {name: event[name] for name in ("conversation", "sequence", "position", "time")}
        connection.send(json.dumps(
            {"type": "message", **copied, "from": connection.user, "body": command["body"]}).encode())
        self.planted += 1


class NeverRecover(Nothing):
    """After the first session has ended, everything that the relay sends comes later by `seconds`, for ever."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds

    def took(self, connection, event, payload):
        if self.planted:
            asyncio.get_running_loop().call_later(self.seconds, connection.send, payload)
        else:
            connection.send(payload)

    def ended(self, connection):
        # A request for a page is no session.
        self.planted += connection.user is not None


class Stall(Nothing):
    """Passes nothing in either direction for `span` seconds of every `period`."""

    def __init__(self, period, span):
        super().__init__()
        self.period = period
        self.span = span
        # For every message, the time from when it was due to when it was passed on, in milliseconds.
        self.latencies = []

    def took_message(self, connection, event, payload):
        connection.send(payload)
        # The digits of the stamp in LoadTests/Harness/Crowd/Stamp.swift. Both clocks are CLOCK_MONOTONIC.
        self.latencies.append((time.monotonic_ns() - int(event["body"][26:42], 16)) / 1e6)

    async def beside(self, proxy):
        await super().beside(proxy)
        while True:
            await asyncio.sleep(self.period - self.span)
            proxy.flowing.clear()
            await asyncio.sleep(self.span)
            proxy.flowing.set()
            self.planted += 1


class Lies(Nothing):
    """Shows a user in an outdated state, and records for how long each client believed it. roost-load judges such
    states by time, so the number it must count follows from how long they lasted."""

    # Uncertainty of the moment from which a lie is a fault: roost-load checks every 250 ms, and machines are loaded.
    MARGIN = 0.5

    def __init__(self, seed=1):
        super().__init__(seed)
        # By client and subject: when the time begins after which a lie is a fault.
        self.told = {}
        self.lengths = []

    def begin(self, connection, about, since):
        self.told.setdefault((connection, about), since)

    def finish(self, connection, about):
        since = self.told.pop((connection, about), None)
        if since is not None:
            self.planted += 1
            self.lengths.append(time.monotonic() - since)

    def ended(self, connection):
        for other, about in list(self.told):
            if other is connection:
                self.finish(connection, about)

    def bounds(self, seconds):
        """Returns the number that lasted longer than this for certain, and perhaps."""
        sure = sum(length > seconds + self.MARGIN for length in self.lengths)
        return sure, sum(length > seconds - self.MARGIN for length in self.lengths)


class HidePresence(Lies):
    """Leaves users in one state out of `presence`: without `offline` there are ghosts, without `online` users are
    absent."""

    def __init__(self, state, seed=1):
        super().__init__(seed)
        self.state = state
        # By client and user: whether the client shows the user as present.
        self.shown = {}

    def took(self, connection, event, payload):
        if event["type"] == "presence":
            users = [user for user in event["users"] if user["state"] != self.state]
            for user in event["users"]:
                self.compare(connection, user, user["state"] != self.state)
            if not users:
                return
            if len(users) < len(event["users"]):
                payload = json.dumps({**event, "users": users}).encode()
        elif "users" in event:
            # The answer to `watch` is true.
            for user in event["users"]:
                self.compare(connection, user, True)
        connection.send(payload)

    def compare(self, connection, user, is_passed):
        key, is_there = (connection, user["user"]), user["state"] != "offline"
        if is_passed:
            self.shown[key] = is_there
        if self.shown.get(key, False) == is_there:
            self.finish(connection, user["user"])
        else:
            self.begin(connection, user["user"], time.monotonic())


class KeepTyping(Lies):
    """Leaves out that a user stopped typing. The lie begins at the user's last real `typing`."""

    def __init__(self, seed=1):
        super().__init__(seed)
        # By user and conversation: when the user last sent `typing`.
        self.typed = {}

    def said(self, connection, command):
        if command["type"] != "typing":
            return
        about = (connection.user, command["to"])
        # If the user types again, the state is true again. Until now it may have been wrong for too long.
        for other, what in [key for key in self.told if key[1] == about]:
            self.finish(other, what)
            self.begin(other, what, time.monotonic())
        self.typed[about] = time.monotonic()

    def took(self, connection, event, payload):
        if event["type"] != "typing":
            return connection.send(payload)
        about = (event["user"], event["conversation"])
        if event["active"]:
            self.finish(connection, about)
            connection.send(payload)
        else:
            self.begin(connection, about, self.typed[about])


class Listen(Nothing):
    """Notes what everybody writes, and leaves the rest to another fault."""

    def __init__(self, other=None):
        super().__init__()
        self.other = other or Nothing()
        self.bodies = []

    async def beside(self, proxy):
        self.proxy = proxy
        await self.other.beside(proxy)

    def said(self, connection, command):
        if command["type"] == "send":
            self.bodies.append((command["key"], command["body"]))

    def took(self, connection, event, payload):
        self.other.took(connection, event, payload)

    def texts(self):
        """Place, number and length of each message once, in order. The run and the moments differ between runs."""
        return sorted({(key.split("-", 1)[1], len(body)) for key, body in self.bodies})
