"""Measures what an own message costs the main thread of a page whose list has many conversations.

The page is Web/roost.js in headless Chromium, with its IndexedDB. A socket inside the page answers as a relay does, so
that nothing else is measured. The figures are Chromium's own (TaskDuration): all that the main thread did until the
message was sent and nothing more happened."""

import asyncio

from failure import BenchFailure
from findings import Line
from services_lines import Runs, end_to_end

CONVERSATIONS, MESSAGES = 5_000, 20
# The page is at rest when it has done less than this in a while: milliseconds, and seconds.
REST, WHILE = 2, 0.3
RELAY = """
const time = 1_700_000_000_000;
const row = (number) => ({
  conversation: `c${number}`, kind: "direct", role: "member", count: 2, members: ["alice", `u${number}`], sequence: 1,
  read: 0, unread: 1, time: time - number,
  message: {
    conversation: `c${number}`, sequence: 1, from: `u${number}`, time: time - number, body: `hello ${number}` },
});
let sequence = 1;
const answers = {
  hello: () => ({
    type: "welcome", user: "alice", device: "web", position: "p0", head: "p0", epoch: "e", time, new: true,
    badge: COUNT, limits: { frameBytes: 65_536 } }),
  ping: () => ({ type: "pong" }),
  "conversation.list": ({ before = 0, requests }) => {
    if (requests) return { conversations: [] };
    const end = Math.min(before + 100, COUNT);
    const conversations = Array.from({ length: end - before }, (_, index) => row(before + index));
    return { conversations, ...end < COUNT && { next: end } };
  },
  "conversation.members": () => ({ members: [] }),
  "user.get": ({ users }) => ({ profiles: users.map((user) => ({ user, version: 1, name: `Name of ${user}` })) }),
  history: ({ conversation }) => ({ messages: [row(+conversation.slice(1)).message], more: false }),
  send: ({ to }) => ({ conversation: to, sequence: ++sequence, time: time + sequence, position: `p${sequence}` }),
};
app.Relay = class {
  readyState = 0;
  constructor() {
    setTimeout(() => { this.readyState = 1; this.onopen(); });
  }
  send(text) {
    const { id, type, ...members } = JSON.parse(text);
    if (type === "ack" || type === "typing") return;
    setTimeout(() => {
      this.say({ type: "ok", re: id, ...answers[type]?.(members) });
      if (type === "hello") this.say({ type: "live", position: "p0" });
    });
  }
  say(told) { this.onmessage({ data: JSON.stringify(told) }); }
  close() {}
};
app.roost = await app.Roost.open({ url: "ws://relay", token: () => "t", user: "alice", WebSocket: app.Relay });
app.rows = 0;
app.roost.conversations.onChange(({ rows }) => { app.rows = rows.length; });
await app.open("c0");
await app.roost.connect();
await new Promise((resolve) => app.roost.onChange((now) => now.isUpToDate && resolve()));
"""

SEND = """
const sent = (id) => app.timeline.snapshot.items.some((one) => one.id === id && one.state?.state === "sent");
const id = await app.timeline.send(`message ${x}`);
await new Promise((resolve) => {
  const stop = app.timeline.onChange(() => { if (sent(id)) resolve(); });
});
return app.roost.snapshot.pendingCount;
"""


class Meter:
    """The work of the main thread of a tab."""

    def __init__(self, tab, session):
        self.tab, self.session = tab, session

    async def work(self):
        """All of it so far, in milliseconds."""
        found = (await self.session.send("Performance.getMetrics"))["metrics"]
        return 1_000 * next(one["value"] for one in found if one["name"] == "TaskDuration")

    async def cost(self, code, argument=None):
        """The work of an action, with what follows it."""
        begin = await self.work()
        await self.tab.run(code, argument)
        return await self.rest() - begin

    async def rest(self):
        """Waits until nothing more happens, and returns all that was done."""
        before = await self.work()
        while True:
            await asyncio.sleep(WHILE)
            now = await self.work()
            if now - before < REST:
                return now
            before = now


async def visit(web, count, runs):
    site = web.Site()
    async with web.Browser(site) as browser:
        tab = await browser.tab()
        await tab.page.wait_for_function("window.app !== undefined")
        session = await tab.page.context.new_cdp_session(tab.page)
        await session.send("Performance.enable")
        meter = Meter(tab, session)

        async def messages(words):
            costs = sorted([await meter.cost(SEND, number) for number in range(MESSAGES)])
            runs.note(f"an own message, {words}", "ms", costs[len(costs) // 2])
            runs.note(f"an own message, {words}: most", "ms", costs[-1])

        begin = await meter.work()
        await tab.run(RELAY.replace("COUNT", str(count)))
        await tab.until(f"app.roost.snapshot.badge === {count} && app.rows > 0")
        runs.note("getting the conversations", "ms", await meter.rest() - begin)
        await messages("first rows")
        more = "while (app.roost.conversations.snapshot.hasMore) await app.roost.conversations.loadMore();"
        runs.note("scrolling through the list", "ms", await meter.cost(more))
        await messages("all rows")
        if browser.problems:
            raise BenchFailure(f"the page has an error: {browser.problems[0]}")
    site.close()


def measure(bench):
    runs, web = Runs(), end_to_end(bench, "web")
    for _ in range(bench.runs):
        asyncio.run(visit(web, 200 if bench.quick else CONVERSATIONS, runs))
    return runs.findings(durability=None)


LINES = [Line("page", "an own message on a page with 5,000 conversations", "The work of the main thread of a page with "
              "roost.js in headless Chromium. A socket inside the page answers as a relay does.", measure, ("setup",))]
