// The service worker of the chat page. It keeps the page's files, so that the page opens without the relay, and does
// nothing else: whatever isn't one of these files goes to the network as if there were no worker.
//
// While the relay is built, VERSION becomes a hash of all files, here and in the addresses by which the page names its
// parts. So the parts of a page are always of one version, whether they come from the relay or were kept: the relay has
// no parts of another version. A new worker has a cache of its own and takes over at once. An older cache stays until no
// open page is of its version: each page holds a lock with the cache's name, which ends with the page, whatever ends it.
//
// The kill switch: if the relay answers at `/` and has no `/sw.js` (`listen.page: off`, or another program at this
// address), the worker removes what it has kept, and itself.

const VERSION = "unpacked";
const CACHE = `roost-page-${VERSION}`;
const PARTS = [
  "/app.css", "/app.js", "/app-card.js", "/app-factor.js", "/app-find.js", "/app-invites.js", "/app-people.js", "/app-pick.js", "/app-prospects.js", "/app-settings.js",
  "/app-talk.js", "/app-write.js", "/roost.js",
  "/roost-people.js", "/roost-talk.js",
  // All languages: without a connection one can choose another one, too.
  "/words-en.js", "/words-en-more.js", "/words-de.js", "/words-de-more.js", "/words-de-emoji.js",
];
const FILES = [...PARTS.map((path) => `${path}?${VERSION}`), "/manifest.webmanifest", "/icon.svg", "/icon.png"];
// Longest that opening the page waits for the relay while there is a copy.
const PATIENCE = 1_000;

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    const get = async (path, headers) => {
      const answer = await fetch(path, { cache: "no-cache", headers });
      if (!answer.ok) throw new Error(`the relay doesn't serve ${path}`);
      return answer;
    };
    await Promise.all(FILES.map(async (path) => cache.put(path, await get(path))));
    // Last, and only if the relay is still of this version. At `/` only who takes HTML gets the page.
    const page = await get("/", { Accept: "text/html" });
    if (!(await page.clone().text()).includes(`?${VERSION}"`)) throw new Error("the relay is of another version");
    await cache.put("/", page);
  })());
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    await clean();
    await clients.claim();
  })());
});

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname, search } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate" && pathname === "/") event.respondWith(open(event));
  else if (FILES.includes(pathname + search)) event.respondWith(copyOf(pathname + search, event.request));
  else if (PARTS.includes(pathname) && /^\?[0-9a-f]{32}$/.test(search)) event.respondWith(older(event.request));
});

/** The page as the relay has it or, if the relay can't be asked soon enough, as it was kept. */
async function open(event) {
  const fetched = fetch(event.request);
  event.waitUntil(fetched.then(removeIfGone, () => {}));
  event.waitUntil(clean());
  const kept = await (await caches.open(CACHE)).match("/");
  if (!kept) return fetched;
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(resolve, PATIENCE, kept); });
  try {
    const answer = await Promise.race([fetched, late]);
    // Another program's page, or a login's, is shown; what a busy relay or proxy says isn't.
    const isAnother = answer.type === "opaqueredirect" || answer.status === 404 || answer.status === 410;
    return answer.ok || isAnother ? answer : kept;
  } catch {
    return kept;
  } finally {
    clearTimeout(timer);
  }
}

async function copyOf(path, request) {
  return (await (await caches.open(CACHE)).match(path)) ?? fetch(request);
}

/** A part of another version, for a page that was opened before this one came. */
async function older(request) {
  for (const name of await caches.keys()) {
    const kept = name.startsWith("roost-page-") && await (await caches.open(name)).match(request);
    if (kept) return kept;
  }
  return fetch(request);
}

/** Removes what no open page needs any more. One that has just been opened may not hold its lock yet. */
async function clean() {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const pages = (await clients.matchAll({ type: "window", includeUncontrolled: true }))
    .filter(({ url }) => new URL(url).pathname === "/");
  const needed = [CACHE, ...held.map((lock) => lock.name)];
  // Browsers name the clients of locks otherwise than those of workers, so that they can only be counted.
  if (held.filter(({ name }) => name.startsWith("roost-page-")).length < pages.length) return;
  for (const name of await caches.keys()) if (!needed.includes(name)) await remove(name);
}

async function remove(cache) {
  if (cache.startsWith("roost-page-")) await caches.delete(cache);
}

async function removeIfGone() {
  if ((await fetch("/sw.js", { cache: "no-store" })).status !== 404) return;
  for (const name of await caches.keys()) await remove(name);
  await registration.unregister();
}
