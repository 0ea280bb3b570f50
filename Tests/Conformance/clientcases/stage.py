"""Carries out the steps of one case."""

import asyncio
import contextlib
import json
import pathlib
import shutil
import time

from harness.device import Closed, Device, Refused
from harness.waiting import BEAT, PATIENCE

from .app import App
from .match import Names, fits
from .proxy import Proxy, Rule
from .watch import Watch

# The app's own device, and another one of its user's.
DEVICE, DESK = "phone", "desk"
TIMELINE = "@bob"


class Failed(AssertionError):
    """A case failed at a step."""


class Stage:
    """One run of a case: the app, the proxy, the relay, and the devices of other users."""

    def __init__(self, case, number, words, relay, folder):
        self.case = case
        self.words = words
        self.relay = relay
        self.folder = pathlib.Path(folder)
        self.names = Names(number)
        self.names.kept.update(case.values)
        self.watch = Watch(case)
        self.app = None
        self.devices = {}
        self.opened = []
        self.claims = {"seconds": 3_600}
        self.options = {}
        self.mark = 0
        self.nevers = []
        self.news = asyncio.Condition()
        self.proxy = Proxy(relay, self.names.resolve, self.watch, lambda: self.app.kill())
        self.proxy.news = self.news
        self.store = self.folder / "store"
        self.store.mkdir()

    async def run(self):
        step = None
        try:
            async with self.proxy:
                await self.start({})
                for step in self.case.steps:
                    await self.carry_out(step)
                    self.watch.raise_if_broken()
                step = "the end"
                await self.end()
        except (AssertionError, Refused, Closed, KeyError, TimeoutError) as failure:
            where = json.dumps(step, ensure_ascii=False)
            raise Failed(f"{self.case.title}: {where}: {failure!r}\n{self.scene()}") from failure
        finally:
            if self.app and not self.app.has_ended:
                self.app.kill()
                await self.app.ended()
            for device in self.devices.values():
                await device.drop()

    def scene(self):
        """Describes the state when a step failed."""
        lines = [str(self.watch.broken)]
        if self.app:
            lines += [str(self.app.session), *map(str, self.app.timelines.values()), str(self.app.rows)[:500]]
        for one in self.proxy.passed[-25:]:
            lines.append(f"{one.link} {one.direction} {json.dumps(one.frame, ensure_ascii=False)[:300]}")
        with contextlib.suppress(OSError):
            lines.append((self.folder / "app.log").read_text()[-1_000:])
        return "\n".join(lines)

    async def carry_out(self, step):
        step = dict(step)
        verb = next(iter(step))
        if verb in ("bob", "carol", "dave", "mallory", "desk"):
            return await self.act(verb, step.pop(verb), step)
        return await getattr(self, f"do_{verb}")(step.pop(verb), self.resolve(step))

    def resolve(self, value):
        return self.names.resolve(value)

    async def until(self, holds, what):
        """Waits until a condition holds. Everything that can change it wakes this up."""
        async def wait():
            async with self.news:
                await self.news.wait_for(lambda: self.watch.broken or holds())
        try:
            await asyncio.wait_for(wait(), PATIENCE)
        except TimeoutError:
            raise Failed(f"waited in vain for {what}") from None
        self.watch.raise_if_broken()

    # The app

    def token(self):
        claims = dict(self.claims)
        if claims.pop("garbage", False):
            return "no.token.atall"
        if claims.pop("none", False):
            return ""
        return self.relay.token(self.resolve(claims.pop("user", "alice")), **claims)

    async def start(self, options):
        with open(self.folder / "app.log", "ab") as errors:
            self.app = await App.start(self.words, self.told, errors)
        self.options = {**self.options, **options}
        answer = await self.call(
            "start", url=self.proxy.url, store=str(self.store), device=DEVICE, token=self.token(), **self.options)
        missing = set(self.case.needs) - set(answer["has"])
        assert not missing, f"the driver has no {missing}"
        for destination in self.opened:
            await self.call("open", **{"in": destination})

    async def told(self, app):
        self.watch.shown(app)
        async with self.news:
            self.news.notify_all()

    async def call(self, do, **members):
        app = self.app
        number = app.say(do, members)
        await self.until(lambda: number in app.done or app.has_ended, f"the end of {do}")
        assert number in app.done, f"the app ended at {do}"
        return app.done[number]

    async def do_app(self, do, members):
        """A command of the app's. `as` keeps the id that it returns; `fails` says that it must fail."""
        kept, fails, waits = members.pop("as", None), members.pop("fails", False), members.pop("wait", True)
        match do:
            case "start":
                return await self.start(members)
            case "kill":
                self.app.kill()
                return await self.app.ended()
            case "killed":
                return await self.until(lambda: self.app.has_ended, "the app's end")
            case "quit":
                assert await self.app.quit() == 0, "the app ends with a failure"
                return None
            case "save":
                return shutil.copytree(self.store, self.folder / "saved")
            case "restore":
                shutil.rmtree(self.store)
                return shutil.copytree(self.folder / "saved", self.store)
        if do not in ("connect", "disconnect", "wake", "activity", "signOut", "group", "leave", "token",
                      "invite", "revokeInvites", "invited", "join"):
            members.setdefault("in", self.resolve(TIMELINE))
        if "row" in members:
            members["id"] = self.app.timelines[members["in"]]["items"][members.pop("row")]["id"]
        if do == "open" and members["in"] not in self.opened:
            self.opened.append(members["in"])
        if not waits:
            return self.app.say(do, members)
        answer = await self.call(do, **members)
        assert ("failed" in answer) == fails, answer
        if kept:
            self.names.kept[kept] = answer["id"]
        return None

    async def do_backend(self, claims, more):
        """Sets the token that the app gets from now on, or `later` from its next start on."""
        self.claims = claims
        if not more.get("later"):
            await self.call("token", token=self.token())

    # The app's screen

    async def do_shows(self, items, more):
        """Waits until a conversation shows these rows, and whatever else is named."""
        destination = more.pop("in", self.resolve(TIMELINE))
        pattern = {"items": self.resolve(items), **more}
        await self.until(lambda: fits(pattern, self.app.timelines.get(destination)), f"{destination} to show {pattern}")

    async def do_session(self, pattern, _):
        await self.until(lambda: fits(self.resolve(pattern), self.app.session), f"the session to be {pattern}")

    async def do_live(self, _, __):
        """Waits until there is a session and everything that was missed has come, and nothing waits."""
        await self.do_session({"state": "connected", "upToDate": True, "pending": 0}, {})

    async def do_presence(self, pattern, _):
        await self.until(lambda: fits(self.resolve(pattern), self.app.presence), f"the presence to be {pattern}")

    async def do_names(self, pattern, _):
        await self.until(lambda: fits(self.resolve(pattern), self.app.names), f"the names to be {pattern}")

    async def do_list(self, pattern, _):
        await self.until(lambda: fits(self.resolve(pattern), self.app.rows), f"the list to be {pattern}")

    async def do_tokens(self, count, _):
        """Waits until the app has asked so often for a token."""
        await self.until(lambda: self.app.tokens >= count, f"{count} tokens asked for")

    async def do_rewound(self, count, _):
        """Waits until the app has reported so many rewinds of the relay's files."""
        await self.until(lambda: self.app.rewinds >= count, "the app to be told of older files")
        assert self.app.rewinds == count, f"told {self.app.rewinds} times"

    async def do_keep(self, name, more):
        """Keeps a member of a row, such as the number of what was refused."""
        timeline = self.app.timelines[more.get("in", self.resolve(TIMELINE))]
        self.names.kept[name] = timeline["items"][more["row"]][more["member"]]

    async def do_agrees(self, destination, _):
        """Waits until a conversation shows what the relay has."""
        destination = self.resolve(destination)
        deadline = time.monotonic() + PATIENCE
        while difference := await self.difference(destination):
            shown, there = difference
            assert time.monotonic() < deadline, f"{destination} shows {shown}, and the relay has {there}"
            await asyncio.sleep(BEAT)

    async def difference(self, destination):
        """Returns the shown and the expected state, if they differ."""
        shown = [self.plain(item) for item in self.app.timelines.get(destination, {}).get("items", [])
                 if "sequence" in item and not item.get("changing")]
        desk = await self.device("desk")
        try:
            page = await desk.call("history", conversation=destination, limit=100)
        except Refused:
            page = {"messages": [], "gaps": []}
        # Nothing is shown of messages hidden by a block in a conversation of two.
        there = [self.plain({
            "text": one.get("body", ""), "deleted": "deletedAt" in one, **one}) for one in page["messages"]
            if not (one.get("hidden") and destination.startswith("@"))]
        if shown and not page.get("gaps"):
            there = there[-len(shown):]
        return (shown, there) if shown != there and not page.get("gaps") else None

    @staticmethod
    def plain(item):
        """Returns the members that a row and a message must have in common."""
        text = "" if item.get("deleted") else item.get("body", item.get("text"))
        reactions = sorted((one["reaction"], one["count"], one["mine"]) for one in item.get("reactions") or [])
        return item["sequence"], text, item.get("replyTo"), reactions

    async def do_kept(self, destination, _):
        """The app was killed. Everything that it acked is there at its next start, without the relay."""
        destination = self.resolve(destination)
        acked = {one.frame["position"] for one in self.proxy.seen("up", {"type": "ack"})}
        resumed = self.proxy.seen("up", {"type": "hello", "resume": {"$absent": False}})
        acked |= {one.frame["resume"] for one in resumed}
        came, must = [], []
        for one in self.proxy.seen("down", {"re": {"$absent": True}}):
            if one.frame["type"] == "message":
                came.append(one.frame["sequence"])
            # An ack is for everything that came before, too.
            if one.frame.get("position") in acked:
                must = list(came)
        assert must, f"nothing was acked: {acked}"
        await self.start({})
        await self.until(lambda: destination in self.app.timelines, "what the app shows at first")
        there = {item.get("sequence") for item in self.app.timelines[destination]["items"]}
        lost = set(range(1, max(must) + 1)) - there
        assert not lost, f"acked, and not stored: {sorted(lost)}"

    async def do_forgotten(self, text, _):
        """No file of the app has this text."""
        found = [path.name for path in self.store.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
        assert not found, f"{text!r} is still in {found}"

    # Other users

    async def do_many(self, count, more):
        """Many messages of one user, `many 1` and so on. With `until`, only as long as the app lives."""
        device = await self.device(more["from"].split(".")[0])
        for number in range(1, count + 1):
            if "until" in more and self.app.has_ended:
                break
            await device.send(more["to"], f"many {number}")

    async def device(self, who):
        if who not in self.devices or self.devices[who].close_code:
            user = "alice" if who == "desk" else who
            device = await Device.connect(self.relay.port)
            self.devices[who] = device
            # They belong to this stage alone.
            Device.all.remove(device)
            await device.hello(self.relay.token(self.resolve(user)), device=DESK)
        return self.devices[who]

    async def act(self, who, do, members):
        """A command of another user's, or of the app's user on another device (`desk`)."""
        kept = members.pop("as", None)
        members = self.resolve(members)
        device = await self.device(who)
        match do:
            case "comes": answer = None
            case "goes": answer = await device.bye()
            case "drops": answer = await device.drop()
            case "gets":
                def wanted(frame):
                    return fits(members["event"], dict(frame))
                answer = await device.awaited(wanted, members["event"])
            case "never gets":
                await device.barrier()
                found = [frame for frame in device.frames if fits(members["event"], dict(frame))]
                assert not found, f"{who} got {found}"
                return
            case "finds": answer = await self.find(device, members)
            case _:
                if do in ("send", "conversation.create") and members.get("kind") != "direct":
                    members.setdefault("key", f"step-{next(Device.keys)}")
                answer = await device.call(do, **members)
        if kept:
            whole = answer.get("conversation") if do == "conversation.create" else None
            self.names.kept[kept] = whole["conversation"] if whole else dict(answer)

    @staticmethod
    async def find(device, members):
        """Waits until a conversation has these texts at the relay."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                page = await device.call("history", conversation=members["in"], limit=100)
                found = [one.get("body") for one in page["messages"]]
            except Refused as refused:
                found, page = refused.code, None
            if found == members["texts"]:
                return page
            assert time.monotonic() < deadline, f"the relay has {found}, and not {members['texts']}"
            await asyncio.sleep(BEAT)

    # The proxy

    async def do_rule(self, members, _):
        # Values that are kept later are filled in when the rule takes a frame.
        chosen = {name: self.case.values[one[1:]] for name, one in members.items()
                  if isinstance(one, str) and one[1:] in self.case.values}
        self.proxy.rules.append(Rule({**members, **chosen}))

    async def do_proxy(self, do, members):
        match do:
            case "cut": self.proxy.link.cut()
            case "close": await self.proxy.link.close(members["code"])
            case "refuse": self.proxy.refusals += [members.get("status", 503)] * members.get("times", 1)
            case "forget": self.proxy.rules.clear()
            case "release": await self.proxy.release(members["name"])
            case "say":
                for frame in members["frames"]:
                    await self.proxy.give("down", frame, self.proxy.link)
            case _: raise Failed(f"no such thing: {do}")

    async def do_mark(self, _, __):
        """Sets a mark: requests from here on must come after it."""
        self.mark = len(self.proxy.passed)

    async def do_said(self, pattern, more):
        """Waits until the app has said something, so often; at `most` so often so far."""
        count = more.get("times", 1)
        await self.until(
            lambda: len(self.proxy.seen("up", self.resolve(pattern), self.mark)) >= count, f"{pattern} to be said")
        found = self.proxy.seen("up", self.resolve(pattern), self.mark)
        assert not more.get("exactly") or len(found) == count, f"said {len(found)} times: {pattern}"
        assert len(found) <= more.get("most", len(found)), f"said {len(found)} times: {pattern}"
        if "as" in more:
            self.names.kept[more["as"]] = found[-1].frame

    async def do_given(self, pattern, more):
        """Waits until the app was given something."""
        await self.until(
            lambda: len(self.proxy.seen("down", self.resolve(pattern), self.mark)) >= more.get("times", 1),
            f"{pattern} to be given")

    async def do_never(self, pattern, _):
        """From here on to the end the app doesn't say that."""
        self.nevers.append((self.resolve(pattern), len(self.proxy.passed)))

    async def do_tries(self, count, more):
        """Waits until the app has tried to connect so often."""
        await self.until(lambda: len(self.proxy.attempts) >= count, f"{count} tries to connect")
        assert not more.get("exactly") or len(self.proxy.attempts) == count, f"{len(self.proxy.attempts)} tries"

    async def do_quiet(self, milliseconds, _):
        """Nothing can be awaited where nothing may happen; so for a while nothing does."""
        await asyncio.sleep(milliseconds / 1_000)

    async def do_least(self, milliseconds, more):
        """Between two things that were seen lay at least so many milliseconds."""
        begin = self.proxy.seen("down", more["after"])[-1].at
        if more["before"] == "try":
            ends = [at for at in self.proxy.attempts if at > begin]
        else:
            ends = [one.at for one in self.proxy.seen("up", more["before"]) if one.at > begin]
        assert ends and (ends[0] - begin) * 1_000 >= milliseconds, f"after {(ends[0] - begin) * 1_000} ms"

    async def do_order(self, patterns, more):
        """The app has said these, in this order, among what `among` fits."""
        found = [one.frame for one in self.proxy.seen("up", more["among"])]
        assert fits(self.resolve(patterns), found), f"said in this order: {found}"

    # The relay

    async def do_relay(self, do, _):
        assert self.case.relay is not None, "only a relay of its own"
        match do:
            case "kill": await asyncio.to_thread(self.relay.kill)
            case "start": await asyncio.to_thread(self.relay.start)
            case "save" | "put back":
                await asyncio.to_thread(self.relay.kill)
                here, there = self.relay.folder, self.folder / "saved relay"
                if do == "put back":
                    here, there = there, here
                    for file in there.glob("roost.db*"):
                        file.unlink()
                there.mkdir(exist_ok=True)
                for file in here.glob("roost.db*"):
                    shutil.copy(file, there)
                await asyncio.to_thread(self.relay.start)
            case "new log":
                await asyncio.to_thread(self.relay.kill)
                for file in self.relay.folder.glob("roost.db*"):
                    file.unlink()
                await asyncio.to_thread(self.relay.start)
        for device in self.devices.values():
            await device.drop()

    # The end

    async def end(self):
        """Lets the app end, and looks at what must hold then."""
        if not self.app.has_ended:
            if not self.case.lies and self.app.session.get("state") == "connected":
                await self.do_live(None, None)
                for destination in self.opened:
                    await self.do_agrees(destination, None)
            assert await self.app.quit() == 0, "the app ends with a failure"
        for pattern, since in self.nevers:
            found = self.proxy.seen("up", pattern, since)
            assert not found, f"said {found[0].frame}"
        self.watch.raise_if_broken()
