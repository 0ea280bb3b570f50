"""An app on Web/roost.js in a real browser: a small web server, tabs that share a profile, and what they show."""

import asyncio
import functools
import http.server
import json
import threading

from .chromium import chromium
from .relay import REPOSITORY
from .waiting import PATIENCE, until

PAGE = b"""<!doctype html><meta charset="utf-8"><title>app</title><script type="module">
import { Roost } from "/roost.js";
const ranks = { failed: 0, sending: 0, sent: 1, delivered: 2, read: 3 };
const app = window.app = { Roost, back: [], best: new Map(), typed: [] };
app.start = async (settings) => {
  const { token, ...rest } = settings;
  app.roost = await Roost.open({ ...rest, token: () => token });
  return app.roost.snapshot;
};
app.open = async (destination) => {
  app.timeline = await app.roost.timeline(destination);
  app.timeline.onChange(({ items }) => {
    const ids = new Set();
    for (const item of items) {
      if (item.type !== "message") continue;
      if (ids.has(item.id)) app.back.push(`twice: ${item.id}`);
      ids.add(item.id);
      if (!item.state) continue;
      const rank = ranks[item.state.state];
      if (rank < (app.best.get(item.id) ?? 0)) app.back.push(`${item.id} fell to ${item.state.state}`);
      app.best.set(item.id, rank);
    }
    // A row that was shown stays, as long as the window follows the end.
    for (const id of app.shown ?? []) if (!ids.has(id) && !app.mayGo) app.back.push(`${id} has gone`);
    app.shown = ids;
  });
};
// All at once; a test exposes `noted`.
app.type = (texts) => {
  let left = texts.length;
  const look = () => { if (!left && app.roost.snapshot.isUpToDate && !app.roost.snapshot.pendingCount) app.done?.(); };
  const stored = (text) => {
    noted(text);
    left -= 1;
    app.stored?.();
    look();
  };
  for (const text of texts) app.timeline.send(text).then(() => stored(text));
  app.roost.onChange(look);
};
app.texts = () => app.timeline.snapshot.items.map((item) => item.text ?? item.id);
</script>
"""


# Calls `end` once, after so many texts and so many transactions, or when all is done.
COUNTING = """
    let [texts, transactions] = x;
    app.done = () => { app.done = app.stored = app.begun = null; end(); };
    app.stored = () => { if (texts) texts -= 1; };
    app.begun = () => { if (!texts && transactions-- === 0) app.done(); };
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (...rest) {
        app.begun?.();
        return transaction.apply(this, rest);
    };"""


class Site:
    """Serves the module and a page that uses it. Any other path is the page, too."""

    def __init__(self):
        handler = functools.partial(Handler)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_module = self.path == "/roost.js"
        body = (REPOSITORY / "Web" / "roost.js").read_bytes() if is_module else PAGE
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_module else "text/html")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Tab:
    """One tab. Everything that it says in the console is a problem, but for what a lost connection makes it say."""

    def __init__(self, page, problems):
        self.page = page
        page.on("pageerror", lambda error: problems.append(str(error)))

    async def run(self, code, argument=None):
        """Runs an expression or the body of an async function; `argument` is its `x`."""
        body = code if "return " in code or ";" in code else f"return ({code})"
        return await self.page.evaluate(f"async (x) => {{ {body} }}", argument)

    async def until(self, code, argument=None):
        """Waits until an expression is true."""
        async def look():
            return await self.run(code, argument)
        try:
            return await until(look, code)
        except AssertionError:
            texts = await self.run("return app.timeline && app.timeline.snapshot.items")
            raise AssertionError(f"waited in vain for {code}: {json.dumps(texts)[-3000:]} "
                                 f"{await self.run('return app.roost && app.roost.snapshot')}") from None

    async def start(self, relay, who, *, to=None, connects=True, **settings):
        settings = {"url": f"ws://127.0.0.1:{relay.port}/v1/socket", "token": relay.token(who), **settings}
        await self.page.wait_for_function("window.app !== undefined")
        await self.run("return app.start(x)", settings)
        if to:
            await self.run("return app.open(x)", to)
        if connects:
            await self.run("return app.roost.connect()")

    async def send(self, *texts):
        for text in texts:
            await self.run("return app.timeline.send(x)", text)

    async def settled(self):
        await self.until("app.roost.snapshot.isUpToDate && app.roost.snapshot.pendingCount === 0")

    async def texts(self):
        return await self.run("app.texts()")

    async def shows(self, texts):
        """Waits until the timeline has these texts: it is drawn a moment after the session has all of them."""
        await self.until("JSON.stringify(app.texts()) === JSON.stringify(x)", texts)

    async def reload(self):
        await self.page.reload()

    async def crash(self):
        """Ends the tab's process without a word."""
        session = await self.page.context.new_cdp_session(self.page)
        crashed = asyncio.ensure_future(self.page.wait_for_event("crash"))
        # It is never answered, or not before the page is closed.
        asking = asyncio.ensure_future(session.send("Page.crash"))
        asking.add_done_callback(lambda task: task.cancelled() or task.exception())
        await crashed

    async def live(self, life, texts, transactions, crashes=True):
        """Does `life`, a coroutine, and kills the tab in the middle of it, or only closes it: when it has stored so
        many texts of its own and begun so many transactions after that, or when it has nothing left to do. All of this
        are events of the tab, which come on a slow machine, too."""
        ending = asyncio.Event()
        await self.page.expose_function("end", lambda: ending.set())
        await self.page.wait_for_function("window.app !== undefined")
        await self.run(COUNTING, [texts, transactions])
        living, killing = asyncio.ensure_future(life), asyncio.ensure_future(ending.wait())
        await asyncio.wait([living, killing], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if living.done():
            living.result()
        assert ending.is_set(), "it neither came that far nor was done"
        if crashes:
            await self.crash()
        await self.page.close()
        await asyncio.wait([living])
        # A call that the closed page no longer answers isn't a fault, but a failed assertion may be one.
        if isinstance(living.exception(), AssertionError):
            living.result()

    async def type(self, texts):
        """Sends texts, and calls `noted` of the page with each when it is stored."""
        await self.run("app.type(x)", texts)

    async def check(self):
        assert await self.run("app.back") == []


class Browser:
    """Headless Chromium with one profile, so that its tabs share a store."""

    def __init__(self, site):
        self.site = site
        self.problems = []
        self.running = chromium()

    async def __aenter__(self):
        self.context = await (await self.running.__aenter__()).new_context()
        return self

    async def __aexit__(self, *why):
        await self.running.__aexit__(*why)

    async def tab(self, path="/"):
        page = await self.context.new_page()
        tab = Tab(page, self.problems)
        await page.goto(self.site.origin + path)
        return tab


async def said(device, peer):
    """All texts of a direct conversation, as the relay has them."""
    bodies, after = [], 0
    while True:
        page = await device.call("history", conversation=f"@{peer}", after=after, limit=100)
        bodies += [message.get("body") for message in page["messages"]]
        if not page["more"]:
            return bodies
        after = page["messages"][-1]["sequence"]


async def connected_devices(device):
    """The user's devices that are connected, but for the one that asks."""
    found = (await device.call("devices"))["devices"]
    return [one["device"] for one in found if one["state"] != "offline" and one["device"] != "probe"]
