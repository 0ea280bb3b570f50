// Roost for browsers and Node: the client for a web app's chat. One file, no dependencies, no build step.
//
//     const roost = await Roost.open({ url: "wss://chat.example.org/v1/socket", token: () => fetchToken() });
//     await roost.connect();
//     const timeline = await roost.timeline("@bob");
//     timeline.onChange(({ items }) => draw(items));
//     await timeline.send("Are you there?");
//
// roost.d.ts says what each name means, Docs/Protocol.md what goes over the wire, and
// Docs/Decisions/0032-javascript-client.md why it is built as it is. From the bottom up:
//
//   Memory, Disk, Vault   rows in transactions: in memory, in IndexedDB, and in IndexedDB for as long as it works
//   Cache, Outbox, Store  the relay's data, the user's actions, and both in one transaction where that matters
//   Session               one connection after another: hello, replies, acks, tokens, waits
//   Tabs                  which tab has the session, and how the others reach it
//   Engine                keeps store, session and tabs together
//   Timeline, Roost       what an app sees

// Every bound with its reason.

/** Most items of an outbox. A user who is offline for a week doesn't reach it; a loop that sends does. */
const OUTBOX_ITEMS = 10_000;
/** Most characters of items, which are in memory too. */
const OUTBOX_LENGTH = 16_777_216;
/** Most items under way at once: more wouldn't be faster, and one lost connection would repeat them all. */
const UNDER_WAY = 16;
/** Names as which conversations were written to: only what is open by such a name needs them. */
const PLACES_KEPT = 100;
/** Most messages kept of one conversation. Scrolling further asks the relay. */
const MESSAGES_KEPT = 50_000;
/** Most messages in memory, where there is no disk: some 10 MB of usual texts. Beyond it, the older half goes. */
const MESSAGES_IN_MEMORY = 20_000;
/** Most changes that wait for the disk to work again. Beyond, the relay is asked for them. */
const JOURNAL_CHANGES = 20_000;
/** Most commands of the app's that wait for a reply: more than a person needs. */
const REQUESTS_WAITING = 64;
/** Most questions of a tab that the writer hasn't answered. */
const CALLS_WAITING = 256;
/** Most events that wait for the store. Beyond, the connection is given up until they are stored. */
const EVENTS_WAITING = 2_048;
/** Most events of one transaction: a page of the relay's while it catches a device up. */
const EVENTS_AT_ONCE = 256;
/** Most users watched: the relay's bound (Docs/Protocol.md, section 9). */
const USERS_WATCHED = 1_000;
/** Most conversations of which members are counted: the relay's bound, too. */
const CONVERSATIONS_COUNTED = 64;
/** Users shown by name as typing in one conversation (section 8). */
const USERS_TYPING = 20;
/** Most members of a conversation in which members get each other's receipts (section 7). */
const RECEIPT_MEMBERS = 256;
/** Rows of the list's first page, and of each further one. */
const LIST_PAGE = 50;
/** Messages of a timeline's first window, of a further page, and of the whole window: some screens either way. */
const WINDOW = 50;
const PAGE = 100;
const WINDOW_MOST = 500;
/** Users whose profile is asked for at once: the relay's bound (section 14). */
const USERS_ASKED = 100;
/** Hits that a search shows; and, of all conversations, how many of the newest it looks at, with how many messages in all:
 *  a second's work on a phone. */
const FOUND = 100;
const CONVERSATIONS_SEARCHED = 500;
const MESSAGES_SEARCHED = 20_000;
/** Lines kept of what has happened to a conversation, which is read whole, and users named in one. */
const LINES = 32;
const LINE_USERS = 5;
/** Most tries of a request that the relay answers by asking to come back later. */
const PATIENCE = 10;
/** Milliseconds: from connecting to `welcome`: ten for the socket, and ten of the relay's for `hello`. */
const WELCOME_TIME = 20_000;
/** From a command to its reply. Storing takes milliseconds, so that the network is gone after ten seconds. */
const REPLY_TIME = 10_000;
/** Milliseconds of silence after which a sign of life is asked for. A page can't see the relay's pings. */
const QUIET_TIME = 45_000;
/** Over which acks are collected, and how many events are acked at once. */
const ACK_TIME = 100;
const ACK_EVENTS = 100;
/** The first and the longest range of a wait before the next try (section 10), and the longest the relay may ask. */
const BACKOFF_FIRST = 500;
const BACKOFF_MOST = 20_000;
const ASKED_WAIT_MOST = 300_000;
/** The longest wait of a timer: browsers hold 31 bits, and a longer one fires at once. */
const TIMER_MOST = 2_147_483_647;
/** Before its end, a token is renewed; earlier if it lives for less than five minutes. */
const REFRESH_MARGIN = 60_000;
/** How long `disconnect` waits for the relay to close the connection. */
const GOODBYE_TIME = 3_000;
/** The relay forgets after three seconds who types. */
const TYPING_TIME = 2_000;
/** How long IndexedDB may take to open, and for one transaction: some browsers let it hang for ever. */
const OPEN_TIME = 5_000;
const TRANSACTION_TIME = 15_000;
/** The first and the longest wait before IndexedDB is tried again. */
const REOPEN_FIRST = 1_000;
const REOPEN_MOST = 30_000;
/** How often a tab looks whether another one has changed what is kept, and keeps its lease. A look reads one row. */
const TICK_TIME = 3_000;
/** Lifetime of a lease: three ticks, so that a busy tab keeps it. */
const LEASE_TIME = 10_000;
/** How long a timer is trusted to know when a message disappears: clocks are set, and devices sleep. */
const LOOK_TIME = 60_000;
/** By how much numbers of outbox items grow at most: tabs that can't see each other's rows hardly take the same one. */
const ITEM_STEP = 1_048_576;
/** Of how many messages it is known when their reactions changed: more than change while a question is under way. */
const DOUBTS = 1_024;
/** Most messages that disappear in one transaction. They are looked for with each change of what is shown. */
const EXPIRED_AT_ONCE = 64;

/** A command that failed. Where nothing more is known, the code says why. */
export class RoostError extends Error {
  constructor(code, { message = code.replaceAll("_", " "), retry = false, retryAfter, conversation } = {}) {
    super(message);
    Object.assign(this, { name: "RoostError", code, retry, retryAfter, conversation });
  }
}

const passing = (code) => new RoostError(code, { retry: true });
const lost = () => passing("connection_lost");
const tooMany = () => passing("too_many_requests");
const notConnected = () => passing("not_connected");
const wrongUser = (user, mine) => new RoostError("wrong_user", { message: `signed in as ${user} and not as ${mine}` });

/** Texts for people. */
export const sentences = {
  tooLong: "This message is too long.",
  notAllowed: "You can't write to this conversation.",
  noRelationship: "You can write to each other once your invitation is accepted.",
  youBlocked: "You have blocked this person.",
  notFound: "This conversation is no longer there.",
  unreachable: "Failed to send message. Tap to retry.",
  changedElsewhere: "Another device of yours has edited this message.",
  notAccepted: "This message can't be sent.",
  offline: "No internet connection. Message will send when you're back online.",
  signedOut: "Please sign in again.",
  takenOver: "This account is in use in another window of this device.",
  wrongUser: "Another account is signed in on this device.",
};

/** The wait that the relay asks for, as far as it makes sense. */
const waitOf = (asked, most = ASKED_WAIT_MOST) => (typeof asked === "number" && asked > 0 ? Math.min(asked, most) : 0);

const systemClock = {
  now: () => Date.now(),
  // The clock for all waits: the user may set the other one, by years.
  ticks: () => performance.now(),
  set: (wait, body) => setTimeout(body, wait < TIMER_MOST ? wait : TIMER_MOST),
  clear: (timer) => clearTimeout(timer),
};

/** 128 random bits, as the relay takes them for keys. */
function randomName() {
  // Node 18 has no global `crypto`; 128 bits of several draws are as good against chance.
  const bytes = new Uint8Array(16).map(() => Math.random() * 256);
  globalThis.crypto?.getRandomValues(bytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reports a mistake, here or in a listener of the app's. It must not end the work under way. A store of another
 *  user's isn't a mistake, and the state of the connection shows it. */
function report(error) {
  if (error?.code === "wrong_user") return;
  (globalThis.reportError ?? console.error)(error);
}

/** Whether two JSON-like values are equal, so that listeners aren't called without a change. */
function same(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (one instanceof Map && other instanceof Map) return same([...one], [...other]);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (Array.isArray(one)) return one.length === other.length && one.every((each, place) => same(each, other[place]));
  return Object.keys({ ...one, ...other }).every((name) => same(one[name], other[name]));
}

/** A value and who wants to know of it. */
class Changing {
  #listeners = new Set();

  constructor(value) { this.value = value; }

  onChange(body) {
    const listener = { body };
    this.#listeners.add(listener);
    this.#tell(listener, this.value);
    return () => this.#listeners.delete(listener);
  }

  show(value) {
    if (same(value, this.value)) return;
    this.value = value;
    this.tell(value);
  }

  tell(value) { for (const listener of [...this.#listeners]) this.#tell(listener, value); }

  #tell(listener, value) {
    try { listener.body(value); } catch (error) { report(error); }
  }
}

/** Does one thing after another. */
class Turn {
  #last = Promise.resolve();

  take(body) {
    const result = this.#last.then(body);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Does something in the background whenever it is asked for, never twice at a time; once for all who ask meanwhile. */
class Repeating {
  #body;
  #last = Promise.resolve();
  #next = null;

  constructor(body) { this.#body = body; }

  /** Resolves when it was done from the beginning after this call. */
  ask() {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      return this.#body();
    });
    const next = this.#next;
    this.#last = next.catch(() => {});
    return next;
  }
}

// ---- Rows in transactions -------------------------------------------------------------------------------------------

/** Counts the forms that tables and rows have had. A change to one of them needs a higher number, a step in
 *  `Store.load` from the form before, and a store of that form for the tests (Tests/EndToEndTests/stores). Form 1 is
 *  all that was made before forms had numbers. A database's version is ten times this; each mending of a broken form
 *  adds one. */
const FORM = 2;
const VERSIONS = 10;

/** All tables: the path of the primary key, and those of indexes. A row without a part of an index's key isn't in that
 *  index. */
const schema = {
  identity: { primary: "id" },
  conversations: { primary: "id", time: ["time", "id"], peer: "peer", unread: "unread", stale: "stale" },
  messages: { primary: ["conversation", "sequence"], key: ["conversation", "key"], expires: "expires" },
  watermarks: { primary: ["conversation", "user"] },
  people: { primary: "user" },
  drafts: { primary: ["user", "destination"] },
  outbox: { primary: "id", destination: "destination", key: "key", parent: "parent" },
  parked: { primary: ["user", "destination"] },
  lease: { primary: "id" },
};
/** The tables of what the user did; the others can be read from the relay again. */
const ownTables = new Set(["outbox", "parked", "drafts"]);
/** The members of an item of the outbox, and its actions. One that has others is of a newer build. */
const itemMembers = ("id user destination action key kind body target parent reaction isOn mentions thread forward origin "
  + "ifVersion tries length mayBeSent code detail retry").split(" ");
const itemActions = ["send", "edit", "delete", "react", "read"];

function keyOf(path, row) {
  if (!Array.isArray(path)) return row[path] ?? undefined;
  const parts = path.map((name) => row[name]);
  return parts.some((part) => part === undefined || part === null) ? undefined : parts;
}

/** The order of keys: that of IndexedDB. */
function compare(one, other) {
  const rank = (key) => (Array.isArray(key) ? 3 : typeof key === "string" ? 2 : 1);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  if (!Array.isArray(one)) return (one > other) - (one < other);
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    const order = compare(one[index], other[index]);
    if (order) return order;
  }
  return one.length - other.length;
}

/** Where the rows are whose keys are in a range, its ends included: the first place, and the one behind the last. */
function placesOf(rows, path, { from, to }) {
  return [[from, 0], [to, 1]].map(([key, most]) => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(keyOf(path, rows[middle]), key) < most) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

/** The range of one key. */
const only = (key) => ({ from: key, to: key });

/** Rows in memory, in the order of their keys. Rows are values: they are never changed in place. Users take turns. */
class Memory {
  #tables = Object.fromEntries(Object.keys(schema).map((table) => [table, []]));

  async read(body) { return body(this); }

  /** Writes in a transaction. A failure leaves nothing. */
  async write(body) {
    const before = this.#tables;
    this.#tables = Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, [...rows]]));
    try {
      return await body(this);
    } catch (error) {
      this.#tables = before;
      throw error;
    }
  }

  /** Rows of a range of the table, or of an index, which is sorted anew each time; the last first with `newest`. */
  find(table, { index, limit, newest, ...range } = {}) {
    const path = schema[table][index ?? "primary"];
    let rows = this.#tables[table];
    if (index) {
      rows = rows.filter((row) => keyOf(path, row) !== undefined)
        .sort((one, other) => compare(keyOf(path, one), keyOf(path, other)));
    }
    const found = rows.slice(...(range.from === undefined ? [] : placesOf(rows, path, range)));
    return (newest ? found.reverse() : found).slice(0, limit);
  }

  put(table, row) {
    const rows = this.#tables[table];
    const path = schema[table].primary;
    const [place, end] = placesOf(rows, path, only(keyOf(path, row)));
    rows.splice(place, end - place, row);
    if (table !== "messages" || rows.length <= MESSAGES_IN_MEMORY) return;
    this.#remove(table, [...rows].sort((one, other) => one.time - other.time).slice(0, rows.length >> 1));
  }

  clear(table, range) { this.#remove(table, this.find(table, range)); }

  #remove(table, rows) {
    const gone = new Set(rows);
    this.#tables[table] = this.#tables[table].filter((row) => !gone.has(row));
  }
}

/** The disk has failed, not the operation on it. The vault continues without it, so the app isn't asked. */
class DiskError extends Error {}

/** The disk works, and its tables have a form that this build can't use. */
class FormError extends DiskError {
  constructor(problem, database) {
    super();
    Object.assign(this, { problem, database });
  }
}

/** Opens a database, and changes its form if it has an older version than this; without one, as it is. */
function openDatabase(name, version) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    let failure;
    const late = setTimeout(() => {
      request.onsuccess = () => request.result.close();
      reject(new DiskError());
    }, OPEN_TIME);
    request.onupgradeneeded = () => {
      const { result, transaction } = request;
      bringIntoForm(result, transaction).catch((error) => {
        failure = error;
        try { transaction.abort(); } catch { /* It has ended already. */ }
      });
    };
    request.onerror = () => {
      clearTimeout(late);
      reject(failure ?? request.error);
    };
    request.onsuccess = () => {
      clearTimeout(late);
      resolve(request.result);
    };
  });
}

/** A table as `schema` has it. */
function formOf(table) {
  return { primary: table.keyPath, ...Object.fromEntries([...table.indexNames].map((name) => [name, table.index(name).keyPath])) };
}

function isInForm(database) {
  const names = Object.keys(schema);
  if (!names.every((name) => database.objectStoreNames.contains(name))) return false;
  const transaction = database.transaction(names);
  return names.every((name) => same(formOf(transaction.objectStore(name)), schema[name]));
}

const rowsOf = async (database, transaction, table) => (
  database.objectStoreNames.contains(table) ? answer(transaction.objectStore(table).getAll()) : []);

/** Gives a database the tables of `schema`, whichever build made it and however far that came. The user's actions
 *  are kept. All of the relay's data begins anew if a table of it does. */
async function bringIntoForm(database, transaction) {
  const [identity] = await rowsOf(database, transaction, "identity");
  for (const name in schema) {
    const { primary, ...indexes } = schema[name];
    let table = database.objectStoreNames.contains(name) && transaction.objectStore(name);
    let rows = [];
    if (table && !same(table.keyPath, primary)) {
      if (ownTables.has(name)) rows = await answer(table.getAll());
      database.deleteObjectStore(name);
      table = null;
    }
    if (!table) {
      table = database.createObjectStore(name, { keyPath: primary });
      if (identity && !ownTables.has(name) && name !== "lease") identity.form = 1;
    }
    for (const index of table.indexNames) if (!same(table.index(index).keyPath, indexes[index])) table.deleteIndex(index);
    for (const index in indexes) if (!table.indexNames.contains(index)) table.createIndex(index, indexes[index]);
    for (const row of rows) table.put(name === "outbox" ? row : { user: identity?.user ?? "", ...row });
  }
  if (!identity) return;
  transaction.objectStore("identity").put(identity);
  if (identity.form > 1) return;
  // The first builds didn't note whether a try had been made.
  for (const row of await rowsOf(database, transaction, "outbox")) {
    transaction.objectStore("outbox").put({ mayBeSent: 1, ...row });
  }
}

/** Saves the user's actions from a store that this build can't use, as far as it understands them, and the device's
 *  name. An item for a direct conversation gets its other user as destination, as no conversation is known then. No
 *  item overtakes one of the same destination that stays there. */
async function rescue(database) {
  const names = [...ownTables, "identity", "conversations"];
  const there = names.filter((name) => database.objectStoreNames.contains(name));
  const transaction = there.length && database.transaction(there);
  const [outbox, parked, drafts, identity, conversations] = await Promise.all(
    names.map((name) => rowsOf(database, transaction, name)));
  const { device, user = "", mark, lastItem } = identity[0] ?? {};
  const peers = new Map(conversations.map(({ id, peer }) => [id, peer && `@${peer}`]));
  const found = [{ table: "identity", row: { id: 1, device, user: user || undefined, mark, lastItem, form: FORM } }];
  const keep = (table, row) => found.push({ table, row: { ...row, destination: peers.get(row.destination) ?? row.destination } });
  const left = new Set();
  for (const row of outbox) {
    const isKnown = itemActions.includes(row.action) && Object.keys(row).every((name) => itemMembers.includes(name));
    if (!isKnown) left.add(row.destination);
    if (!left.has(row.destination)) keep("outbox", { mayBeSent: 1, ...row });
  }
  for (const row of parked) keep("parked", { user, ...row });
  for (const row of drafts) keep("drafts", { user, ...row });
  return found.filter(({ table, row }) => keyOf(schema[table].primary, row) !== undefined);
}

/** Rows in IndexedDB. It closes itself when it breaks, or when it is to be deleted or renewed elsewhere. */
class Disk {
  /** Other tabs may have it open. */
  isShared = true;
  #database;

  static async open(name, onLost) {
    const database = await Disk.#inForm(name, FORM * VERSIONS);
    if (database.version >= (FORM + 1) * VERSIONS) throw new FormError("newer", database);
    if (isInForm(database)) return new Disk(database, onLost);
    // It was left half way, by whatever. A version above is one that no build has made yet.
    database.close();
    const mended = await Disk.#inForm(name, database.version + 1);
    if (!isInForm(mended)) throw new FormError("unusable", mended);
    return new Disk(mended, onLost);
  }

  // A newer or mended one is opened as it is, and so is one that can't be brought into the form.
  static async #inForm(name, version) {
    try {
      return await openDatabase(name, version);
    } catch (error) {
      if (error?.name === "VersionError") return openDatabase(name);
      if (error instanceof DiskError || /Quota|Unknown|Abort/.test(error?.name)) throw error;
      throw new FormError("unusable", await openDatabase(name));
    }
  }

  constructor(database, onLost) {
    this.#database = database;
    database.onversionchange = database.onclose = () => {
      this.close();
      onLost(this);
    };
  }

  close() { this.#database.close(); }

  read(body) { return this.#run("readonly", body); }

  write(body) { return this.#run("readwrite", body); }

  async #run(mode, body) {
    let transaction;
    let late;
    try {
      transaction = this.#database.transaction(Object.keys(schema), mode, { durability: "strict" });
      const done = new Promise((resolve, reject) => {
        const fail = () => reject(new DiskError());
        transaction.oncomplete = resolve;
        transaction.onabort = fail;
        late = setTimeout(fail, TRANSACTION_TIME);
      });
      const [result] = await Promise.all([body(new DiskTransaction(transaction)), done]);
      return result;
    } catch (error) {
      try { transaction.abort(); } catch { /* It has ended already, or never begun. */ }
      const isDisk = error instanceof DOMException && !error.name.startsWith("Data");
      throw isDisk ? new DiskError() : error;
    } finally {
      clearTimeout(late);
    }
  }
}

function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

const keyRange = ({ from, to }) => (from === undefined ? null : IDBKeyRange.bound(from, to));

/** One transaction of IndexedDB. Its user must not await anything else meanwhile, or it ends. */
class DiskTransaction {
  #transaction;

  constructor(transaction) { this.#transaction = transaction; }

  async find(table, { index, limit, newest, ...range } = {}) {
    const store = this.#transaction.objectStore(table);
    const source = index ? store.index(index) : store;
    if (!newest) return answer(source.getAll(keyRange(range), limit));
    let keys = keyRange(range);
    if (limit) {
      // The last key first, since a cursor takes a turn for each row.
      const request = source.openKeyCursor(keys, "prev");
      let cursor = await answer(request);
      if (cursor && limit > 1) {
        cursor.advance(limit - 1);
        cursor = await answer(request);
      }
      if (cursor) keys = keys ? IDBKeyRange.bound(cursor.key, range.to) : IDBKeyRange.lowerBound(cursor.key);
    }
    return (await answer(source.getAll(keys))).reverse().slice(0, limit);
  }

  put(table, row) { return answer(this.#transaction.objectStore(table).put(row)); }

  clear(table, range) {
    const store = this.#transaction.objectStore(table);
    const keys = keyRange(range);
    return answer(keys ? store.delete(keys) : store.clear());
  }
}

/** A transaction as it is used. It knows whether what waits was changed, and notes what was read and written, in order: each note is a row that is there, or a
 *  range in which nothing is. */
class Rows {
  isRevised = false;
  #transaction;
  #notes;

  constructor(transaction, notes) {
    this.#transaction = transaction;
    this.#notes = notes;
  }

  async get(table, key) { return key === undefined ? undefined : (await this.find(table, only(key)))[0]; }

  /** The rows with this key of an index. */
  by(table, index, key) { return this.find(table, { index, ...only(key) }); }

  async find(table, range = {}) {
    const rows = await this.#transaction.find(table, range);
    // If no limit has cut it off, this is all there is.
    if (!range.limit || rows.length < range.limit) this.#notes.push({ table, range });
    for (const row of rows) this.#notes.push({ table, row });
    return rows;
  }

  put(table, row) { return this.#write({ table, row }); }

  delete(table, key) { return this.clear(table, only(key)); }

  clear(table, range = {}) { return this.#write({ table, range }); }

  #write(change) {
    this.#notes.push({ ...change, isWrite: true });
    this.isRevised ||= change.table === "outbox" || change.table === "parked";
    return apply(change, this.#transaction);
  }
}

function apply({ table, row, range }, transaction) {
  return row ? transaction.put(table, row) : transaction.clear(table, range);
}

/** A change of an item as it is written back: if another tab has given its number to another item since, it gets one of its
 *  own. `moved` has the numbers that are no longer the same. */
async function placed({ table, row, range }, transaction, moved) {
  const { id = range.from, parent, key } = row ?? {};
  const [there] = row && !moved.has(id) ? await transaction.find(table, only(id)) : [];
  if (there && there.key !== key) {
    const [last] = await transaction.find(table, { newest: true, limit: 1 });
    moved.set(id, last.id + 1 + Math.floor(Math.random() * ITEM_STEP));
  }
  const now = moved.get(id) ?? id;
  return row ? { table, row: { ...row, id: now, parent: moved.get(parent) ?? parent } } : { table, range: only(now) };
}

/** Rows on a disk for as long as that works, and in memory otherwise: what this tab has read and written is there, too.
 *  When the disk works again, it gets what was written meanwhile. */
class Vault {
  #open;
  #clock;
  #disk = null;
  #memory = new Memory();
  #turn = new Turn();
  // The rows that wait for the disk, and whether the disk misses nothing else.
  #journal = [];
  #isWhole = false;
  // Names the disk, as another one may take its place. It is kept in the row of the identity.
  #mark;
  #timer;
  #wait = REOPEN_FIRST;
  #triedAt = -Infinity;
  #isOpening = false;
  #isClosed = false;
  /** Called when it is stored or not any more; and with true if the disk has something else than memory had. */
  onChange = () => {};

  /** `open` opens a disk; without it, everything stays in memory. */
  constructor(open, clock = systemClock) {
    this.#open = open;
    this.#clock = clock;
  }

  get isStored() { return this.#disk !== null; }

  /** Why it isn't: `newer`, `unusable` (both by its form) or `failed`. */
  problem;

  /** Whether memory has what the user did in a disk that this build can't use. */
  isRescued = false;

  get isShared() { return Boolean(this.#disk?.isShared); }

  /** For tabs without locks: whether this one has the lease, on which only the disk may decide; undefined if it can't.
   *  `how` is `hold`, which takes one that has run out, `seize`, or `release`. */
  lease(owner, how) {
    return this.#turn.take(async () => {
      const disk = this.#disk;
      try {
        return await disk?.write(async (transaction) => {
          const now = this.#clock.now();
          const [row] = await transaction.find("lease");
          // All tabs have one clock. One that was set back must not make a lease longer.
          const isFree = !row || row.owner === owner || row.until <= now || row.until > now + LEASE_TIME;
          if (how !== "seize" && !isFree) return false;
          await transaction.put("lease", { id: 1, owner, until: how === "release" ? 0 : now + LEASE_TIME });
          return true;
        });
      } catch {
        this.#lose(disk);
        return undefined;
      }
    });
  }

  read(body) { return this.#run("read", body); }

  /** Does it all, or nothing. `body` may run twice: first on disk, and then in memory if that fails. */
  write(body) { return this.#run("write", body); }

  #run(act, body) {
    return this.#turn.take(async () => {
      let notes;
      const noting = (transaction) => {
        notes = [];
        return body(new Rows(transaction, notes));
      };
      const disk = this.#disk;
      if (disk) {
        try {
          const result = await disk[act](noting);
          for (const note of notes) apply(note, this.#memory);
          return result;
        } catch (error) {
          if (!(error instanceof DiskError)) throw error;
          this.#lose(disk);
        }
      }
      const result = await this.#memory[act](noting);
      this.#remember(notes.filter((note) => note.isWrite));
      return result;
    });
  }

  #remember(changes) {
    if (!this.#open) return;
    this.#journal.push(...changes);
    if (this.#clock.ticks() - this.#triedAt >= REOPEN_FIRST) this.#plan(0);
    if (!this.#isWhole || this.#journal.length > JOURNAL_CHANGES) {
      this.#isWhole = false;
      this.#journal = this.#journal.filter((change) => ownTables.has(change.table));
    }
  }

  #lose(disk) {
    if (disk !== this.#disk) return;
    disk.close();
    this.#disk = null;
    this.problem = "failed";
    this.#isWhole = true;
    this.onChange(false);
    if (!this.#isClosed) this.#plan(0);
  }

  #plan(wait) {
    this.#clock.clear(this.#timer);
    this.#timer = this.#clock.set(wait, () => this.reopen());
  }

  /** Tries to open the disk, if there is one and it isn't open. */
  async reopen() {
    if (!this.#open || this.#disk || this.#isClosed || this.#isOpening) return;
    this.#clock.clear(this.#timer);
    this.#isOpening = true;
    this.#triedAt = this.#clock.ticks();
    let disk;
    try {
      disk = await this.#open((gone) => this.#lose(gone));
      // In turn, so that nothing is written meanwhile.
      const isOther = await this.#turn.take(() => this.#writeBack(disk));
      this.#wait = REOPEN_FIRST;
      this.problem = undefined;
      this.onChange(isOther);
    } catch (error) {
      disk?.close();
      await this.#failed(error);
      this.#plan(this.#wait);
      this.#wait = Math.min(this.#wait * 2, REOPEN_MOST);
    } finally {
      this.#isOpening = false;
    }
  }

  async #failed({ problem = "failed", database }) {
    if (database) {
      // Changes nothing there. The typed texts show and go out, and the next load is the same device.
      if (!this.isRescued) await this.#turn.take(() => this.#rescue(database)).catch(report);
      database.close();
    }
    const isNew = this.problem !== problem;
    this.problem = problem;
    if (isNew) this.onChange(false);
  }

  async #rescue(database) {
    for (const { table, row } of await rescue(database)) {
      if (!this.#memory.find(table, only(keyOf(schema[table].primary, row))).length) this.#memory.put(table, row);
      if (table === "identity") this.#mark ??= row.mark;
    }
    this.isRescued = true;
  }

  // Returns whether memory had less than the disk, or something else.
  async #writeBack(disk) {
    let mark;
    const moved = new Map();
    const isWhole = await disk.write(async (transaction) => {
      const [identity] = await transaction.find("identity");
      const isEmptied = !identity && this.#mark;
      mark = identity?.mark ?? this.#mark ?? randomName();
      await transaction.put("identity", { ...identity, id: 1, mark });
      const [own] = this.#memory.find("identity");
      const isSame = isEmptied || (this.#isWhole && mark === this.#mark && own?.user === identity?.user);
      for (const change of isEmptied ? this.#everything() : this.#journal) {
        if (!isSame && !ownTables.has(change.table)) continue;
        await apply(change.table === "outbox" ? await placed(change, transaction, moved) : change, transaction);
      }
      // Each tab, this one too, reads again what waits.
      const [last] = await transaction.find("identity");
      await transaction.put("identity", { ...last, revision: Math.random() });
      return isSame && !moved.size;
    });
    this.#mark = mark;
    this.#journal = [];
    if (!isWhole) this.#memory = new Memory();
    if (this.#isClosed) disk.close();
    else this.#disk = disk;
    return !isWhole;
  }

  // For a disk that has lost everything: what memory has, of which the list of conversations may be a part only.
  #everything() {
    return Object.keys(schema).flatMap((table) => this.#memory.find(table).map((row) => (
      { table, row: table === "identity" ? { ...row, isListed: false } : row })));
  }

  close() {
    this.#isClosed = true;
    this.#clock.clear(this.#timer);
    this.#turn.take(() => this.#disk?.close());
  }
}

// ---- The relay's data ----------------------------------------------------------------------------------------------

/** A message's row, of a message on the wire. One that a block hides has a place, and no author. */
function messageRow(told) {
  const { conversation, sequence, from = "", time, kind = "text", reactions = [] } = told;
  const row = { conversation, sequence, from, time, kind, reactions: isListOf(reactions, "reaction") ? reactions : [] };
  const own = told.deletedAt ? ["deletedAt"] : ["body", "mentions", "expires"];
  for (const name of ["key", "replyTo", "editedAt", "version", "thread", "origin", "replies", "hidden", ...own]) {
    if (told[name] !== undefined) row[name] = told[name];
  }
  return row;
}

/** Whether two copies of a message, as far as they say, are of two messages. A log gives a sequence once. Of one that is
 *  hidden, times may be those of its changes. */
const differs = (one, other) => !one.hidden && !other.hidden && (
  ["from", "time", "key"].some((name) => one[name] && other[name] && one[name] !== other[name]));

/** Whether it is the place of a message that was withheld from this user in a direct conversation, who had blocked its
 *  author: it is neither shown nor counted. */
const isLeftOut = (message, conversation) => Boolean(message?.hidden) && conversation?.kind === "direct";

/** A reaction as the relay keeps it: with U+FE0F behind emoji that may be text, and nowhere else. */
function reactionForm(reaction) {
  const letters = [...reaction.replaceAll("\uFE0F", "")];
  return letters.map((letter, place) => {
    const next = letters[place + 1] ?? "";
    // A digit is a picture only as a key; U+FE0E asks for text; a colour of skin makes it a picture already.
    const isPicture = letter < "\x80" ? next === "\u20E3" : !/\p{Emoji_Presentation}/u.test(letter);
    return isPicture && /\p{Emoji}/u.test(letter) && !/^(\uFE0E|\p{Emoji_Modifier})/u.test(next) ? `${letter}\uFE0F` : letter;
  }).join("");
}

/** Reactions after the user reacted, or took it back. Doing it again changes nothing. */
function withMine(reactions, reaction, isOn) {
  const found = reactions.find((one) => one.reaction === reaction);
  if (Boolean(found?.mine) === isOn) return reactions;
  return withCount(reactions, reaction, isOn ? 1 : -1)
    .map((one) => (one.reaction === reaction ? { ...one, mine: isOn } : one));
}

/** The reactions after one was added or taken back. */
function withCount(reactions, reaction, number) {
  if (!reactions.some((one) => one.reaction === reaction)) {
    return number > 0 ? [...reactions, { reaction, count: number, mine: false }] : reactions;
  }
  return reactions
    .map((one) => (one.reaction === reaction ? { ...one, count: one.count + number } : one))
    .filter((one) => one.count > 0);
}

/** Messages with recent reactions, of which an answer that the relay made before may not know. */
class Doubts {
  /** How many there were. */
  count = 0;
  // The last one of each message, the oldest first; of a question from before the end of these, all is in doubt.
  #last = new Map();
  #end = 0;

  note(...message) {
    const name = message.join(" ");
    this.#last.delete(name);
    this.#last.set(name, ++this.count);
    if (this.#last.size <= DOUBTS) return;
    const [[oldest, end]] = this.#last;
    this.#last.delete(oldest);
    this.#end = end;
  }

  /** Whether there was one of a message since there were so many. */
  has(since, ...message) { return since < this.#end || this.#last.get(message.join(" ")) > since; }
}

/** The changes to a conversation, beside its messages, that show as a line. */
const LINED = [
  "created", "added", "removed", "left", "renamed", "described", "role", "expiry", "pinned", "banned", "unbanned", "timeout", "posting", "slow", "joining", "deleted",
];

const LINE_PARTS = ["name", "user", "role", "after", "pin", "owner", "banned", "reason", "until", "posting", "joining", "inviter"];

/** A conversation with a line for what has happened to it. An event that is repeated has its position. */
function withLine(one, { event, position, sequence, time, by, users, ...more }) {
  if (!LINED.includes(event) || one.lines?.some((line) => line.position === position)) return one;
  const line = { event, position, sequence, time, by, users: users?.slice(0, LINE_USERS), count: users?.length };
  for (const key of LINE_PARTS) line[key] = more[key];
  for (const key in line) if (line[key] === undefined) delete line[key];
  const lines = [...(one.lines ?? []), line].sort((first, second) => first.sequence - second.sequence || first.time - second.time);
  return { ...one, lines: lines.slice(-LINES) };
}

/** The relay's data on this device, changed by events as Docs/Protocol.md, section 6, requires: applying an event
 *  again changes nothing. It belongs to one transaction. */
class Cache {
  #rows;
  #user;
  #doubts;
  #identity;
  /** The conversation in which the relay sends another message than before: its files are older than they were. */
  rewound;

  constructor(transaction, user, doubts, identity) {
    this.#rows = transaction;
    this.#user = user;
    this.#doubts = doubts;
    this.#identity = identity;
  }

  // -- Events

  /** Takes an event. Returns the conversation that it changed, if it is one of those that are kept. */
  async take(event) {
    const { conversation, sequence, time } = event;
    // Later changes of a hidden message don't come to this user.
    switch (event.hidden ? "message" : event.type) {
      case "message": await this.takeMessage(messageRow(event), event.read ?? true); break;
      case "edit": await this.edit(conversation, sequence, event.body, time, event); break;
      case "delete": await this.delete(conversation, sequence, time, event.hidden ? {} : event); break;
      case "react": await this.#takeReaction(event); break;
      case "conversation": await this.#takeChange(event); break;
      case "gap": await this.#takeGap(event); break;
      case "receipt": await this.takeReceipt(event); break;
      case "joins": {
        const one = conversation && await this.conversation(conversation);
        if (!one) return undefined;
        await this.put({ ...one, waiting: event.waiting || undefined });
        break;
      }
      // A name is shown in any conversation.
      case "profile": return (await this.takePeople([event])) ? null : undefined;
      default: return undefined;
    }
    return this.touched(conversation);
  }

  /** Notes an act in a conversation. If it is a request, that may have accepted it, which no other event reports. */
  async touched(id) {
    const one = await this.conversation(id);
    if (one?.request) await this.put({ ...one, stale: 1 });
    return id;
  }

  /** Takes what users are called; of those who have no name, that they have none. Returns whether that is news. */
  async takePeople(people) {
    let isNew = false;
    for (const told of people) {
      const one = { version: 0, ...told };
      const known = await this.#rows.get("people", one.user);
      if (known?.version >= one.version) continue;
      await this.#rows.put("people", one);
      isNew = true;
    }
    return isNew;
  }

  /** A message that the relay has stored, from others or of this device. */
  async takeMessage(row, isReading = true) {
    if (await this.#has(row)) return;
    await this.#rows.put("messages", row);
    await this.#doubt(row);
    await this.#noteMessage(row, isReading);
  }

  async #has(row) {
    const kept = await this.message(row.conversation, row.sequence);
    if (kept && differs(kept, row)) this.rewound = row.conversation;
    return kept;
  }

  /** How many messages above one are withheld in a direct conversation. */
  async #leftOut(one, sequence) {
    if (one.kind !== "direct") return 0;
    const found = await this.#rows.find("messages", { from: [one.id, sequence + 1], to: [one.id, []], limit: MESSAGES_KEPT });
    return found.filter((message) => isLeftOut(message, one)).length;
  }

  // The thread of this message has another number of messages, which `history` contains.
  async #doubt({ conversation, thread }) {
    if (thread) await this.react(conversation, thread, (all) => all, true);
  }

  // The conversation has a new message, which is kept already. Its author has read what came before it or not.
  async #noteMessage({ conversation, sequence, from, time, deletedAt, hidden }, isReading) {
    const one = await this.#known(conversation, [from]);
    if (sequence > one.sequence) {
      one.sequence = sequence;
      if (!isLeftOut({ hidden }, one)) one.time = Math.max(one.time, time || 0);
      if (from === this.#user) {
        // The author has read what was said before, unless the message says otherwise (section 7).
        if (isReading) Object.assign(one, { read: sequence, unread: 0 });
      } else if (sequence > one.read && !deletedAt && !isLeftOut({ hidden }, one)) {
        one.unread += 1;
      }
    }
    await this.put(one);
    if (from && from !== this.#user && isReading) {
      await this.takeReceipt({ conversation, user: from, read: sequence, readAt: time });
    }
    if (one.sequence > MESSAGES_KEPT) {
      await this.#forgetMessages(conversation, 0, one.sequence - MESSAGES_KEPT);
    }
  }

  conversation(id) { return this.#rows.get("conversations", id); }

  /** The direct conversation with a user, if this device knows it. */
  async direct(user) { return (await this.#rows.by("conversations", "peer", user))[0]; }

  /** The id of what is meant by an id or `@name`, if it is known. */
  async resolve(destination) {
    if (!destination.startsWith("@")) return destination;
    const [, id] = this.#identity.places?.find(([name]) => name === destination) ?? [];
    return ((await this.direct(destination.slice(1))) ?? (id && (await this.conversation(id))))?.id ?? destination;
  }

  message(conversation, sequence) { return this.#rows.get("messages", [conversation, sequence]); }

  // A copy of the conversation, or a stand-in until the relay has sent it.
  async #known(id, members = []) {
    const found = await this.conversation(id);
    if (found) return { ...found };
    const others = members.filter((one) => one && one !== this.#user);
    return {
      id, kind: "direct", role: "member", count: others.length + 1, members: [this.#user, ...others], first: 1,
      sequence: 0, read: 0, unread: 0, time: 0, stale: 1,
    };
  }

  /** Keeps a conversation as it is now. */
  async put(one) {
    const row = { ...one, peer: undefined };
    // Also of one who has left: the conversation is still called by that name.
    if (one.kind === "direct") {
      row.peer = one.members.find((user) => user !== this.#user) ?? one.peer ?? (await this.conversation(one.id))?.peer;
    }
    // A stranger's request is neither listed nor counted.
    if (one.request && one.request !== "sent") Object.assign(row, { time: undefined, unread: 0 });
    for (const name in row) if ((row[name] ?? undefined) === undefined) delete row[name];
    await this.#rows.put("conversations", row);
  }

  async edit(conversation, sequence, body, editedAt, { mentions, version }) {
    const message = await this.message(conversation, sequence);
    if (!message || message.deletedAt) return;
    // The answer to an edit that changes nothing contains no version.
    await this.#rows.put("messages", { ...message, body, editedAt, mentions, version: version ?? message.version });
  }

  async delete(conversation, sequence, time, { from: by, position, reason } = {}) {
    const message = await this.message(conversation, sequence);
    const author = message?.from;
    // An admin's deletion has a line.
    if (by && author && by !== author && !message.deletedAt) {
      await this.changed(conversation, { event: "deleted", by, user: author, sequence, position, time, reason });
    }
    if (!message?.deletedAt) await this.#countDeleted(conversation, sequence, message);
    if (!message) return;
    await this.#rows.put("messages", messageRow({ ...message, reactions: [], deletedAt: time }));
    await this.#doubt(message);
  }

  // A deleted message doesn't count as unread. Whether one that isn't kept counted, only the relay knows.
  async #countDeleted(conversation, sequence, message) {
    const one = await this.conversation(conversation);
    if (!one || sequence <= one.read || message?.from === this.#user) return;
    await this.put(message ? { ...one, unread: Math.max(0, one.unread - 1) } : { ...one, stale: 1 });
  }

  async react(conversation, sequence, change, isStale) {
    this.#doubts.note(sequence, conversation);
    const message = await this.message(conversation, sequence);
    if (!message || message.deletedAt) return;
    const row = { ...message, reactions: change(message.reactions) };
    if (isStale) row.stale = 1;
    await this.#rows.put("messages", row);
  }

  #takeReaction({ conversation, sequence, from, reaction, removed }) {
    if (from === this.#user) return this.react(conversation, sequence, (all) => withMine(all, reaction, !removed));
    // A repetition can't be distinguished from a new reaction, so `history` is asked for the count.
    return this.react(conversation, sequence, (all) => withCount(all, reaction, removed ? -1 : 1), true);
  }

  async #takeGap({ conversation, from, to, reset }) {
    await this.#forgetMessages(conversation, reset ? 0 : from, to);
    const one = await this.#known(conversation);
    one.sequence = Math.max(one.sequence, to);
    if (reset) one.first = from;
    // How many of them are unread, only the relay knows.
    one.stale = 1;
    await this.put(one);
  }

  /** How far a member has got; the user's own says what is unread. */
  async takeReceipt({ conversation, user, delivered = 0, deliveredAt, read = 0, readAt, unread }) {
    if (user !== this.#user) {
      // Read messages are also delivered (section 7).
      const mark = { user, delivered: Math.max(delivered, read), deliveredAt: deliveredAt ?? readAt, read, readAt };
      return this.#raise(conversation, mark);
    }
    const found = await this.conversation(conversation);
    if (found && read >= found.read) await this.put({ ...found, read, unread: unread ?? found.unread });
  }

  // Watermarks never fall, also of those who have left, so that the state of a message doesn't either.
  async #raise(conversation, mark) {
    const before = (await this.#rows.get("watermarks", [conversation, mark.user])) ?? { delivered: 0, read: 0 };
    const row = { conversation, user: mark.user };
    for (const name of ["delivered", "read"]) {
      row[name] = Math.max(before[name], mark[name]);
      const at = mark[name] > before[name] ? mark[`${name}At`] : before[`${name}At`] ?? mark[`${name}At`];
      if (at !== undefined) row[`${name}At`] = at;
    }
    await this.#rows.put("watermarks", row);
  }

  watermarks(conversation) { return this.#rows.find("watermarks", under(conversation)); }

  async #takeChange(event) {
    const { conversation: id, by, users = [] } = event;
    const isMine = users.includes(this.#user);
    if (event.event === "created" || (event.event === "added" && isMine && event.kind)) return this.#begin(event);
    if ((event.event === "removed" && isMine) || (event.event === "left" && by === this.#user)) return this.forget(id);
    const one = await this.#known(id);
    switch (event.event) {
      case "renamed": one.name = event.name; break;
      case "expiry": one.expiry = event.after || undefined; break;
      case "posting": one.posting = event.posting; break;
      case "slow": one.slow = event.after || undefined; break;
      case "joining": one.joining = event.joining; break;
      case "timeout":
        if (event.user === this.#user) one.timeout = event.until && { until: event.until, reason: event.reason };
        break;
      case "added": addMembers(one, users); break;
      case "removed": removeMembers(one, users); break;
      case "left":
        removeMembers(one, [by]);
        if (event.owner === this.#user) one.role = "owner";
        break;
      case "role":
        if (event.user === this.#user) one.role = event.role;
        // The owner who names another one becomes an admin (section 4).
        else if (event.role === "owner" && by === this.#user) one.role = "admin";
        // The relay sends the number to new admins, and no end of it to those who are none any more.
        if (one.role === "member") delete one.waiting;
        break;
    }
    one.time = Math.max(one.time ?? 0, event.time);
    await this.put(withLine(one, event));
  }

  /** Applies this device's own change of the conversation, for which it gets no event. */
  async changed(id, event) {
    const one = await this.conversation(id);
    if (one) await this.put(withLine(one, { sequence: one.sequence, by: this.#user, ...event }));
  }

  // The user's membership begins, perhaps not for the first time: what is kept from before is out of date.
  async #begin(event) {
    const { conversation: id, kind, name, count = 1, members = [], sequence, time, unread = 0, read = 0, inviter } = event;
    const one = await this.conversation(id);
    // A repetition of the event that began it, after messages that came with it.
    if (one?.time >= time && one.first === sequence + 1) return;
    await this.forget(id);
    const isCreated = event.event === "created";
    const role = kind === "group" && event.by === this.#user && isCreated ? "owner" : "member";
    // Whether messages disappear in one that was there before, the event doesn't say.
    const stale = isCreated ? undefined : 1;
    const request = event.request && (event.by === this.#user ? "sent" : "received");
    const now = {
      id, kind, name, role, count, members, first: sequence + 1, sequence, read, unread, time, stale, request, inviter,
    };
    await this.put(kind === "group" ? withLine(now, event) : now);
  }

  /** Asks anew for a conversation whose copy may be wrong. */
  async reset(id) {
    const one = await this.#known(id);
    await this.#forgetMessages(id, 0, one.sequence);
    await this.put({ ...one, stale: 1 });
  }

  /** The user is no longer in this conversation. */
  async forget(id) {
    await this.#rows.delete("conversations", id);
    for (const table of ["messages", "watermarks"]) await this.#rows.clear(table, under(id));
  }

  #forgetMessages(id, from, to) { return this.#rows.clear("messages", { from: [id, from], to: [id, to] }); }

  // -- Answers

  /** A conversation as the relay shows it now. */
  async takeConversation(told) {
    const { conversation: id, kind, name, role, count, members, message, expiry, request, posting, slow, joining, waiting, timeout } = told;
    const before = await this.conversation(id);
    const read = Math.max(told.read, before?.read ?? 0);
    await this.put({
      id, kind, name, role, count, members, expiry, request, posting, slow, joining, waiting, timeout, inviter: before?.inviter, lines: before?.lines, first: before?.first ?? 1, read,
      sequence: Math.max(told.sequence, before?.sequence ?? 0), time: Math.max(told.time, before?.time ?? 0),
      // This device's read mark is on its way to the relay.
      unread: read > told.read && read >= told.sequence ? 0 : told.unread,
    });
    // Only `history` contains the reactions.
    const row = message && messageRow({ ...message, conversation: id });
    if (row && !(await this.#has(row))) await this.#rows.put("messages", { ...row, stale: 1 });
  }

  /** A page of history: messages as they are now, and what else has happened between them. `before` is what it was asked for, if that was the question, and `asked`
   *  how many doubts there were then. */
  async takeHistory({ conversation, messages, events = [], gaps = [], more }, before, asked = this.#doubts.count) {
    for (const told of messages) {
      const row = messageRow({ ...told, conversation });
      const { sequence } = row;
      const kept = await this.#has(row);
      // Events that the relay stored when it had read the page may have come before it.
      const isOld = kept && !row.deletedAt && (kept.deletedAt || (kept.version ?? 1) > (row.version ?? 1));
      if (isOld && kept.deletedAt) continue;
      if (isOld) this.#doubts.note(sequence, conversation);
      // A reaction has come since: the present state is nearer to the truth, until the next answer.
      const isDoubted = !row.deletedAt && this.#doubts.has(asked, sequence, conversation);
      const { reactions } = kept ?? row;
      if (isOld) await this.#rows.put("messages", { ...kept, stale: 1 });
      else await this.#replace(isDoubted ? { ...row, reactions, stale: 1 } : row);
    }
    for (const { from, to } of gaps) {
      // They count toward the page (section 5), so that there are no more of them than of messages.
      for (let sequence = from; sequence <= Math.min(to, from + 1_000); sequence++) {
        await this.#replace(messageRow({ conversation, sequence, time: 0 }));
      }
    }
    const kept = await this.conversation(conversation);
    if (!kept) return;
    const one = events.reduce((lined, event) => withLine(lined, event), kept);
    if (one !== kept) await this.put(one);
    if (before === undefined || more) return;
    // There is nothing before it that this user may see.
    const first = Math.min(...messages.map((told) => told.sequence), ...gaps.map((gap) => gap.from));
    await this.put({ ...one, first: Number.isFinite(first) ? first : Math.min(before, one.sequence + 1) });
  }

  // The key under which it was typed here stays.
  async #replace(row) {
    const key = row.key ?? (await this.message(row.conversation, row.sequence))?.key;
    await this.#rows.put("messages", key === undefined ? row : { ...row, key });
  }

  /** Notes an answer with the reactions of these messages, asked for at this number of doubts: a message that it
   *  left out isn't asked for again, unless it has changed since. */
  async settle(conversation, from, to, asked = this.#doubts.count) {
    for (const row of await this.#rows.find("messages", { from: [conversation, from], to: [conversation, to] })) {
      const { stale, ...rest } = row;
      if (stale && !this.#doubts.has(asked, row.sequence, conversation)) await this.#rows.put("messages", rest);
    }
  }

  /** The user has seen a conversation up to a message. */
  async read(conversation, sequence) {
    const one = await this.conversation(conversation);
    if (!one || !isUnread(one, sequence)) return;
    const left = one.sequence - sequence;
    const unread = left <= 0 ? 0 : Math.min(one.unread, Math.max(0, left - await this.#leftOut(one, sequence)));
    await this.put({ ...one, read: Math.max(one.read, sequence), unread });
  }

  /** Forgets all of the relay's data. */
  async empty() {
    for (const table of ["conversations", "messages", "watermarks", "people"]) await this.#rows.clear(table);
  }
}

// Whether to read up to a message changes anything: also if it was read and is marked as unread.
function isUnread(one, sequence) { return sequence > one.read || (one.unread > 0 && sequence >= one.sequence); }

// Events name up to 500 users; the names of the first 50 members are kept (section 4).
function addMembers(one, users) {
  const added = users.filter((user) => !one.members.includes(user));
  one.count += added.length;
  one.members = [...one.members, ...added].slice(0, 50);
}

function removeMembers(one, users) {
  one.members = one.members.filter((user) => !users.includes(user));
  one.count = Math.max(0, one.count - users.length);
}

// ---- What the user did ----------------------------------------------------------------------------------------------

/** The scope of a refusal (Docs/Protocol.md, section 10): `passing`, the `item`'s own, or the `conversation`'s. */
function scopeOf({ code, retry }, item) {
  switch (code) {
    case "not_ready": case "unauthorized": case "token_expired":
      return "passing";
    case "not_found": case "gone":
      // The refusal may be about the thread's first message, the forwarded original, or a member.
      if (item.thread || item.forward || item.mentions) return "item";
      // falls through
    case "forbidden": case "no_relationship": case "blocked":
      // Not every member may mention all.
      if (code === "forbidden" && item.mentions?.includes("@all")) return "item";
      // For what changes or marks one message, the message may be what is gone.
      return item.action === "send" ? "conversation" : "item";
    default:
      return retry ? "passing" : "item";
  }
}

/** The words for a refusal. */
function failureOf({ code, detail, retry, ifVersion }) {
  if (code === "conflict" && ifVersion) return { reason: "changedElsewhere", canRetry: false, detail };
  const passes = scopeOf({ code, retry }, {}) === "passing" ? "unreachable" : undefined;
  const known = {
    __proto__: null, forbidden: "notAllowed", no_relationship: "noRelationship", blocked: "youBlocked", not_found: "notFound",
    gone: "notFound",
  }[code] ?? passes;
  return { reason: known ?? (code === "too_large" ? "tooLong" : "notAccepted"), canRetry: Boolean(known), detail };
}

const isVisible = (item) => item.action !== "react" && item.action !== "read";
/** The keys that begin so. */
const under = (first) => ({ from: [first], to: [first, []] });
/** The key of what belongs to a user, and the keys of all of it. Before the first session, there is no user. */
const ofUser = ({ user = "" }, destination) => [user, destination];
const allOf = ({ user = "" }) => under(user);
const noSuchItem = () => new RoostError("no_such_item");

/** A user's actions that the relay hasn't accepted yet. Nothing expires, and no error deletes what was typed.
 *
 *  Messages, edits and deletions of one conversation go out one after another, in the order in which they were made.
 *  An item about a message that waits here waits for it. A message that the relay refuses steps aside, and the next
 *  one of the conversation waits for its user's choice: `retry`, `replace` or `discard`. A conversation that refuses
 *  waits as a whole. Reactions and read marks hold nothing up, and are dropped when refused.
 *
 *  An item that may have reached the relay isn't changed in place, because another body under its key would be
 *  refused: the change waits for it. A row says `mayBeSent` once a session has been there since it was made or
 *  refused.
 *
 *  The rows are the truth, and every tab adds to them. `items` is this tab's last reading of them: each change finds
 *  by the `revision` in the identity's row whether another tab was there, and reads them again then. Only the writer
 *  knows which are under way, so that only it changes waiting ones. */
class Outbox {
  /** The user's items, in the order in which they were made. */
  items = [];
  /** Conversations that wait for their user's choice, and why. */
  parked = new Map();
  /** Whether this tab has the session, so that no other one sends. */
  isWriter = true;
  #underWay = new Set();
  // Items of which no try has been made, neither by this writer nor by one before.
  #untried = new Set();
  // Items that try whether their conversation still refuses. Without an answer they go out again.
  #probes = new Set();
  /** Groups that take no further message of the user's for a time. */
  resting = new Set();
  #isOpen = false;
  #retries;
  #goesOn;

  constructor({ retries = "forever", goesOnAfterFailures = false } = {}) {
    this.#retries = retries === "forever" ? null : retries;
    this.#goesOn = goesOnAfterFailures;
  }

  /** Reads all of it again. */
  async load({ rows, identity, after }) {
    const items = (await rows.find("outbox")).filter((row) => row.user === identity.user);
    const parked = await rows.find("parked", allOf(identity));
    after.push(() => {
      this.items = items;
      this.parked = new Map(parked.map((row) => [row.destination, row]));
      const ids = new Set(items.map((item) => item.id));
      for (const id of this.#underWay) if (!ids.has(id)) this.#underWay.delete(id);
      for (const id of this.#untried) if (!this.isWriter || !ids.has(id)) this.#untried.delete(id);
      for (const item of items) if (!item.mayBeSent) this.#untried.add(item.id);
    });
  }

  /** A session begins: whatever waits may be sent from now on, which a later start has to know. */
  async open({ rows, identity, after }) {
    for (const item of await rows.find("outbox")) {
      const isParked = await rows.get("parked", ofUser(identity, item.destination));
      if (item.user === identity.user && !item.mayBeSent && !isParked) {
        await rows.put("outbox", { ...item, mayBeSent: 1 });
      }
    }
    after.push(() => { this.#isOpen = true; });
  }

  /** The session has ended. */
  shut() { this.#isOpen = false; }

  /** Gives items from before any user was known to this user. */
  async adopt({ rows, identity }) {
    for (const row of await rows.find("outbox")) {
      if (row.user === undefined) await rows.put("outbox", { ...row, user: identity.user });
    }
    for (const table of ["drafts", "parked"]) {
      for (const row of await rows.find(table, allOf({}))) {
        await rows.put(table, { ...row, user: identity.user });
        await rows.delete(table, ofUser({}, row.destination));
      }
    }
  }

  /** Names the users of conversations that are about to be forgotten: waiting items and drafts for one are for that
   *  user, whatever the conversation. */
  async unname({ rows, cache, identity }) {
    for (const [table, found] of [
      ["outbox", await rows.find("outbox")], ["drafts", await rows.find("drafts", allOf(identity))],
    ]) {
      // Shared drafts come from the relay.
      for (const { shared, ...row } of found) {
        const peer = (await cache.conversation(row.destination))?.peer;
        if (!peer && !shared) continue;
        if (table === "drafts") await endDraft({ rows, identity }, [row.destination]);
        if (row.text !== "") await rows.put(table, peer ? { ...row, destination: `@${peer}` } : row);
      }
    }
  }

  /** Handles a log that was begun anew: changes and marks of an old message have no target. A text without its
   *  message shows as failed, so that it isn't lost. */
  async uproot({ rows, identity }) {
    for (const { target, thread, ...item } of await rows.find("outbox")) {
      const { action, forward } = item;
      if (item.user !== identity.user || (target ?? thread ?? forward) === undefined) continue;
      if (action === "send" && !forward) await rows.put("outbox", item);
      else await rows.delete("outbox", item.id);
      if (action !== "edit" && !(thread && !forward)) continue;
      const failed = { ...item, action: "send", code: "not_found", detail: "another log" };
      await rows.put("outbox", failed);
    }
  }

  /** Whether an item can be given another body or be taken back as if it had never been. */
  mayChange({ id, code }) { return !this.#underWay.has(id) && (code !== undefined || this.#untried.has(id)); }

  #put(unit, item) {
    unit.after.push(() => {
      const others = this.items.filter((one) => one.id !== item.id);
      this.items = [...others, item].sort((one, other) => one.id - other.id);
    });
    return unit.rows.put("outbox", item);
  }

  #remove(unit, id) {
    unit.after.push(() => {
      this.items = this.items.filter((item) => item.id !== id);
      this.#underWay.delete(id);
      this.#probes.delete(id);
    });
    return unit.rows.delete("outbox", id);
  }

  // -- What the user does

  /** Puts an item at the end. */
  async add(unit, act) {
    const { rows, identity } = unit;
    const item = { ...act, user: identity.user, tries: 0, length: JSON.stringify(act).length };
    if (identity.user === undefined) delete item.user;
    this.#check(item.length, 1);
    if ((await rows.by("outbox", "key", act.key)).length) {
      throw new RoostError("key_is_taken");
    }
    if (act.parent !== undefined && (await rows.get("outbox", act.parent))?.action !== "send") throw noSuchItem();
    item.id = await this.#newID(unit);
    // The later of two waiting read marks includes the earlier.
    const older = this.items.find((one) => one.action === "read" && one.destination === act.destination);
    if (act.action === "read" && older && !this.#underWay.has(older.id)) await this.#remove(unit, older.id);
    // Another tab's session is known only by its messages, which may be late.
    if (this.#isOpen || !this.isWriter) item.mayBeSent = 1;
    await this.#put(unit, item);
    if (this.isWriter) unit.after.push(() => this.#untried.add(item.id));
    return item;
  }

  // Greater than all before, also than those that have gone: an answer may still be under way.
  async #newID({ rows, identity }) {
    const [last] = await rows.find("outbox", { newest: true, limit: 1 });
    const id = Math.max(last?.id ?? 0, identity.lastItem ?? 0) + 1 + Math.floor(Math.random() * ITEM_STEP);
    // Beyond, numbers are no longer whole, and a row would take the place of another.
    if (!Number.isSafeInteger(id)) throw new RoostError("full");
    identity.lastItem = id;
    return id;
  }

  /** Takes an item of another tab's, unless it is here. */
  async take(unit, item) {
    const { rows } = unit;
    if ((await rows.by("outbox", "key", item.key)).length) return;
    await this.#put(unit, (await rows.get("outbox", item.id)) ? { ...item, id: await this.#newID(unit) } : item);
  }

  #check(length, count) {
    const sum = this.items.reduce((all, item) => all + item.length, length);
    if (this.items.length + count > OUTBOX_ITEMS || sum > OUTBOX_LENGTH) {
      throw new RoostError("full");
    }
  }

  /** Tries an item again that stepped aside. */
  async retry(unit, id) {
    const item = await unit.rows.get("outbox", id);
    if (!item?.code) throw noSuchItem();
    await this.#put(unit, revived(item));
  }

  /** Gives a message or an edit another body, and tries it again if it stepped aside. An edit that was refused because
   *  its message had another version no longer asks for one: its user has seen the newer text. */
  async replace(unit, id, body) {
    const item = await unit.rows.get("outbox", id);
    // A forwarded message of another user stays as it is.
    if (!["send", "edit"].includes(item?.action) || item.forward || !this.mayChange(item)) throw noSuchItem();
    const length = item.length + JSON.stringify(body).length - JSON.stringify(item.body).length;
    this.#check(length - item.length, 0);
    const next = { ...revived(item), body, length };
    if (item.code === "conflict") delete next.ifVersion;
    await this.#put(unit, next);
  }

  /** Takes an item back, and with it what waits for it. */
  async discard(unit, id) {
    const gone = [await unit.rows.get("outbox", id)];
    if (!gone[0] || (gone[0].action === "send" && !this.mayChange(gone[0]))) throw noSuchItem();
    for (const { id: parent } of gone) gone.push(...(await unit.rows.by("outbox", "parent", parent)));
    if (gone.some((item) => this.#underWay.has(item.id))) throw noSuchItem();
    for (const item of gone) await this.#remove(unit, item.id);
    // The items that it refused aren't there any more.
    const { destination } = gone[0];
    const left = await unit.rows.by("outbox", "destination", destination);
    if (!left.some((item) => item.user === unit.identity.user && isVisible(item))) await this.resume(unit, destination);
    return gone;
  }

  /** Tries by one item whether a conversation still refuses. Until the answer is known, it keeps waiting. */
  async probe(unit, destination) {
    const first = this.items.find((item) => (
      item.destination === destination && item.parent === undefined && isVisible(item) && !item.code));
    if (!first || this.#underWay.has(first.id)) return;
    await unit.rows.put("outbox", { ...first, mayBeSent: 1 });
    unit.after.push(() => this.#probes.add(first.id));
  }

  /** Lets the items of a conversation that refused go out again. */
  async resume(unit, destination) {
    const { rows } = unit;
    const key = ofUser(unit.identity, destination);
    if (!(await rows.get("parked", key))) return;
    await rows.delete("parked", key);
    unit.after.push(() => this.parked.delete(destination));
    if (!this.#isOpen) return;
    for (const item of await rows.by("outbox", "destination", destination)) {
      await rows.put("outbox", { ...item, mayBeSent: 1 });
    }
  }

  /** Forgets the user's items. */
  async removeAll(unit) {
    for (const item of await unit.rows.find("outbox")) {
      if (item.user === unit.identity.user) await this.#remove(unit, item.id);
    }
    await unit.rows.clear("parked", allOf(unit.identity));
    unit.after.push(() => this.parked.clear());
  }

  // -- What the session does

  /** The next item that may be sent, which then counts as under way. */
  takeNext() {
    if (this.#underWay.size >= UNDER_WAY) return undefined;
    const [visible, invisible, choosing] = [new Set(), new Set(), new Set()];
    for (const item of this.items) {
      const { destination } = item;
      // A conversation that refuses waits as a whole, and a child holds up no other item: its parent does.
      if ((this.parked.has(destination) && !this.#probes.has(item.id)) || item.parent !== undefined) continue;
      const line = isVisible(item) ? visible : invisible;
      if (this.#underWay.has(item.id)) {
        line.add(destination);
      } else if (item.code) {
        if (item.action === "send" && !this.#goesOn) choosing.add(destination);
      } else if (!line.has(destination) && !(item.action === "send" && (choosing.has(destination) || this.resting.has(destination)))) {
        this.#underWay.add(item.id);
        this.#untried.delete(item.id);
        return item;
      }
    }
    return undefined;
  }

  /** The relay has accepted an item. Items that waited for it may go, and items for `@name` belong to its
   *  conversation from now on. After an edit its message has this version: the user's next edit of it was made after
   *  this one, and names it. */
  async accepted(unit, id, stored, version) {
    const { rows } = unit;
    const item = await rows.get("outbox", id);
    if (!item) return undefined;
    if (isVisible(item)) await this.resume(unit, item.destination);
    if (stored) {
      for (const { parent: _, ...child } of await rows.by("outbox", "parent", id)) {
        await this.#put(unit, { ...child, target: stored.sequence });
      }
      if (item.destination.startsWith("@") && stored.conversation) {
        const { destination } = item;
        // The name may be a username, which only the relay knows.
        unit.identity.places = [[destination, stored.conversation], ...(unit.identity.places ?? [])].slice(0, PLACES_KEPT);
        for (const one of await rows.by("outbox", "destination", destination)) {
          if (one.user === item.user) await this.#put(unit, { ...one, destination: stored.conversation });
        }
      }
    }
    const later = version === undefined ? [] : await rows.by("outbox", "destination", item.destination);
    for (const one of later) {
      if (one.target === item.target && one.ifVersion === version - 1) await this.#put(unit, { ...one, ifVersion: version });
    }
    await this.#remove(unit, id);
    return item;
  }

  /** The connection was lost before the answer, which costs no try. */
  missed(id) { this.#underWay.delete(id); }

  /** The relay has refused it. Returns how long to wait, if `retries` says so. */
  async refused(unit, id, failure) {
    unit.after.push(() => this.#underWay.delete(id));
    const item = await unit.rows.get("outbox", id);
    if (!item) return undefined;
    const scope = scopeOf(failure, item);
    const { code, detail, retry } = failure;
    if (scope !== "passing") this.#probes.delete(id);
    if (scope === "conversation") {
      const row = { user: unit.identity.user ?? "", destination: item.destination, code, detail };
      await unit.rows.put("parked", row);
      unit.after.push(() => this.parked.set(row.destination, row));
      // It isn't stored, and won't be sent.
      const { mayBeSent: _, ...untried } = item;
      await this.#put(unit, untried);
      unit.after.push(() => this.#untried.add(id));
    } else if (scope === "passing" && !this.#retries) {
      return undefined;
    } else if (scope === "passing" && item.tries < this.#retries.length) {
      await this.#put(unit, { ...item, tries: item.tries + 1 });
      return this.#retries[item.tries];
    } else if (isVisible(item)) {
      await this.#put(unit, { ...item, code, detail, retry });
    } else {
      await this.#remove(unit, id);
    }
    return undefined;
  }
}

function revived({ code: _, detail: __, retry: ___, ...item }) { return { ...item, tries: 0 }; }

// ---- The store ------------------------------------------------------------------------------------------------------

/** One transaction of the store. `after` is done once it is kept. */
class Unit {
  after = [];

  #store;

  constructor(rows, identity, store) {
    this.rows = rows;
    this.identity = { ...identity };
    this.#store = store;
    this.know(identity.user);
  }

  /** Makes the cache this user's. */
  know(user = "") { this.cache = new Cache(this.rows, user, this.#store.doubts, this.identity); }

  /** Recognizes a waiting message of this user's that an earlier try has stored, with its answer lost or late. Every
   *  source of messages is checked: an event, a page of history, a conversation with its last message. Returns
   *  whether it is one. */
  async settle({ from, key, conversation, sequence }) {
    if (from !== this.identity.user || !key) return false;
    const [item] = await this.rows.by("outbox", "key", key);
    if (item?.action !== "send" || item.user !== from) return false;
    await this.#store.outbox.accepted(this, item.id, { conversation, sequence });
    return true;
  }

  /** The device has got this far: the next session looks whether the relay still has the message. */
  reach({ conversation, sequence, from, time, key }) {
    this.identity.newest = { conversation, sequence, from, time, key };
  }

  /** Takes a conversation as it is now, with its last message. */
  async takeConversation(told) {
    const { conversation, message } = told;
    if (message) await this.settle({ ...message, conversation });
    await this.cache.takeConversation(told);
  }
}

/** A device's data: the relay's, and the user's actions. The second part survives every change of user, log or
 *  server. Tabs share it; each reads the same rows. */
class Store {
  vault;
  outbox;
  doubts = new Doubts();
  /** The device's identity and position. */
  identity = { id: 1 };
  /** The user of this tab: the one that the app named, or else the first one seen here. */
  user;
  /** Called when the rows are another user's. */
  onWrongUser = () => {};
  /** Called when the relay's files are older than they were, perhaps with the conversation that shows it. All of the
   *  relay's data is forgotten by then. */
  onRewound = () => {};
  /** Called when the user has begun to write something else in a conversation, or has sent it. */
  onDraft = () => {};
  // Whether some of what is kept is from an earlier session: within one, no files are put back.
  #hasOld = false;
  get isStored() { return this.vault.isStored; }
  #wanted;
  #turn = new Turn();

  constructor(vault, outbox, wanted) {
    this.vault = vault;
    this.outbox = outbox;
    this.user = this.#wanted = wanted;
  }

  // Another tab may have let another user in. That one's rows are neither shown here nor changed, and what is typed here
  // isn't written as that user's.
  #check({ user }) {
    if (user === undefined || this.user === undefined || user === this.user) return;
    const error = wrongUser(user, this.user);
    this.onWrongUser(error);
    throw error;
  }

  #know(identity) {
    this.identity = identity;
    this.user ??= identity.user;
  }

  /** Does all of it, or nothing. `isOthers` says that the rows may be another user's. */
  change(body, isOthers) {
    return this.#turn.take(async () => {
      let unit;
      const result = await this.vault.write(async (rows) => {
        const before = (await rows.get("identity", 1)) ?? { id: 1 };
        if (!isOthers) this.#check(before);
        unit = new Unit(rows, before, this);
        const made = await body(unit);
        const { rewound } = unit.cache;
        if (rewound !== undefined && this.#hasOld) {
          await this.#empty(unit);
          unit.after.push(() => {
            this.#hasOld = false;
            this.onRewound(rewound);
          });
        }
        // Another tab has changed waiting items, whether or not it lived to say so. Its changes come first.
        if (before.revision !== this.identity.revision) await this.outbox.load(unit);
        if (rows.isRevised) unit.identity.revision = Math.random();
        if (!same(before, unit.identity)) await rows.put("identity", unit.identity);
        return made;
      });
      this.#know(unit.identity);
      for (const body of unit.after) body();
      return result;
    });
  }

  // The user's actions. After a sign-out elsewhere they wait for the user of this tab, and not for the next one.
  #act(body) {
    return this.change(async (unit) => {
      if (unit.identity.user === undefined && this.user !== undefined) await this.#become(unit, this.user);
      return body(unit);
    });
  }

  /** Reads rows as they are at one moment. */
  read(body) {
    return this.vault.read(async (rows) => {
      const identity = (await rows.get("identity", 1)) ?? { id: 1 };
      this.#check(identity);
      return body(new Unit(rows, identity, this));
    });
  }

  /** Does something between changes, not in the middle of one. */
  inTurn(body) { return this.#turn.take(body); }

  /** Whether another tab has changed what is kept since this one last looked. */
  isBehind() {
    return this.#turn.take(() => this.read(({ identity }) => !same(identity, this.identity)));
  }

  /** Reads again who this is and what waits, as another tab may have changed it. */
  reload() {
    return this.#turn.take(async () => {
      const unit = await this.read(async (unit) => {
        await this.outbox.load(unit);
        return unit;
      });
      this.#know(unit.identity);
      for (const body of unit.after) body();
    });
  }

  /** Reads the identity and the waiting items; `device` is its name if it has none yet. When the app starts, the
   *  user that it names uses the device from now on. */
  load(device, isStart = true) {
    return this.change(async (unit) => {
      // Builds before forms had numbers left out what they didn't understand: the relay sends it again.
      if ((unit.identity.form ?? 1) < 2) await this.#empty(unit);
      unit.identity.form = FORM;
      unit.identity.device ??= device;
      if (this.user !== undefined && unit.identity.user !== this.user) await this.#become(unit, this.user);
      await this.outbox.load(unit);
    }, isStart);
  }

  // -- Sessions

  /** This user uses the device from now on. Another user's items stay, unseen, until that user is back. */
  signIn(user) {
    this.user = user;
    return this.load();
  }

  /** Leaves this tab without a user: its user has signed out in it. */
  release() { this.user = this.#wanted; }

  async #become(unit, user) {
    if (unit.identity.user !== undefined) await this.#empty(unit);
    unit.identity.user = user;
    unit.know(user);
    await this.outbox.adopt(unit);
    await this.outbox.load(unit);
  }

  async #empty(unit) {
    await this.outbox.unname(unit);
    await this.outbox.load(unit);
    await unit.cache.empty();
    for (const name of ["epoch", "position", "isListed", "newest", "places"]) delete unit.identity[name];
  }

  /** A session has begun. Empties the cache if it is another log's, or if the relay doesn't know what this device has
   *  (Docs/Protocol.md, section 6). The outbox stays. A session of another user's begins nothing. */
  begin(welcome, isResumed, ahead) {
    return this.change(async (unit) => {
      const { identity } = unit;
      const mine = this.user ?? identity.user;
      if (mine !== undefined && mine !== welcome.user) throw wrongUser(welcome.user, mine);
      const isUnknown = !isResumed && (Boolean(welcome.new) || identity.position !== undefined);
      const isAnother = identity.epoch !== undefined && identity.epoch !== welcome.epoch;
      if (identity.user !== welcome.user) await this.#become(unit, welcome.user);
      if (isAnother) await this.outbox.uproot(unit);
      // It never gave the position that it gave.
      else if (!isResumed && identity.position !== undefined) unit.after.push(() => this.onRewound());
      if (isUnknown || isAnother) await this.#empty(unit);
      identity.epoch = welcome.epoch;
      // Messages disappear by the relay's clock, also without a session.
      identity.ahead = ahead;
      await this.outbox.open(unit);
      await this.outbox.load(unit);
      unit.after.push(() => { this.#hasOld = isResumed; });
      return isUnknown || isAnother;
    });
  }

  /** Forgets all that this user has here. The device keeps its name. */
  signOut() {
    return this.change(async (unit) => {
      await this.outbox.removeAll(unit);
      await unit.rows.clear("drafts", allOf(unit.identity));
      await this.#empty(unit);
      delete unit.identity.user;
      unit.after.push(() => { this.outbox.items = []; });
    });
  }

  // -- Data from the relay

  /** Takes events in the order in which they came, and the position of the last one. Returns what changed. */
  take(events, position) {
    return this.change(async (unit) => {
      const changed = new Set();
      for (const event of events) {
        if (event.type === "message") {
          await this.#takeDraft(unit, event);
          unit.reach(event);
        }
        const conversation = await unit.cache.take(event);
        if (conversation !== undefined) changed.add(conversation);
      }
      if (position !== undefined) unit.identity.position = position;
      return changed;
    });
  }

  /** Something has happened because of which conversations of these names, all with null, may take what they refused. */
  probe(names) {
    return this.change(async (unit) => {
      for (const name of this.outbox.parked.keys()) {
        const one = await unit.cache.conversation(await unit.cache.resolve(name));
        if ([null, ...namesOf(name, one)].some((each) => names.has(each))) await this.outbox.probe(unit, name);
      }
    });
  }

  // A text that the user has sent on another device is no draft here any more.
  async #takeDraft(unit, event) {
    const { conversation, sequence, from } = event;
    const isOwn = (await unit.settle(event)) || from !== unit.identity.user;
    const { kind, body, thread, origin } = messageRow(event);
    if (isOwn || kind !== "text" || !isText(body) || thread || origin) return;
    // The event again.
    if (await unit.cache.message(conversation, sequence)) return;
    const isEnded = await endDraft(unit, await draftNames(unit, conversation), body);
    if (isEnded) unit.after.push(() => this.onDraft({ conversation, sent: body, isElsewhere: true }));
  }

  /** Notes that the relay no longer has what it sent in a conversation. */
  rewind(conversation) { return this.change(({ cache }) => { cache.rewound = conversation; }); }

  /** Skips an event that can't be applied. Its subject is asked for instead. */
  skip({ conversation, position }) {
    return this.change(async ({ identity, cache }) => {
      if (typeof position === "string") identity.position = position;
      if (typeof conversation === "string") await cache.reset(conversation);
    });
  }

  /** Erases messages whose time has come, some of them if there are many. Returns their conversations, and when the next
   *  one is due. */
  async expire(now) {
    const range = { index: "expires", from: 0, to: Infinity, limit: EXPIRED_AT_ONCE };
    const rows = await this.read((unit) => unit.rows.find("messages", range));
    const due = rows.filter((row) => row.expires <= now);
    if (due.length) {
      await this.change(async ({ cache }) => {
        for (const row of due) await cache.delete(row.conversation, row.sequence, row.expires);
      });
    }
    return [due.map((row) => row.conversation), rows[due.length]?.expires];
  }

  // -- What became of the outbox's items

  /** The relay has done it: the item goes, and what it did is there. `ok` is its answer, `position` how far the device
   *  has got by it. Returns what changed. */
  accepted(id, ok, position) {
    return this.change(async (unit) => {
      if (position !== undefined) unit.identity.position = position;
      const stored = ok.sequence === undefined ? undefined : ok;
      const item = await this.outbox.accepted(unit, id, stored, ok.version);
      if (!item) return undefined;
      const conversation = stored?.conversation || (await unit.cache.resolve(item.destination));
      await this.#note(unit, item, conversation, ok, stored);
      return conversation;
    });
  }

  async #note(unit, item, conversation, ok, stored) {
    const { cache, identity } = unit;
    const { target: sequence, body } = item;
    if (item.action !== "read") await cache.touched(conversation);
    switch (item.action) {
      case "send": {
        // An empty name says that the user has left the conversation since.
        if (!stored?.conversation) return;
        // The `ok` contains a forwarded message's content, and the time when a message disappears or was deleted.
        const kind = ok.origin ? ok.kind : item.kind;
        const row = messageRow({ ...item, ...ok, kind, replyTo: sequence, conversation, from: identity.user });
        unit.reach(row);
        // A message that an earlier try stored may have changed since.
        return cache.takeMessage(ok.duplicate || (item.forward && !ok.origin) ? { ...row, stale: 1 } : row);
      }
      case "edit": return cache.edit(conversation, sequence, body, ok.time ?? 0, { mentions: item.mentions, version: ok.version });
      case "delete": return cache.delete(conversation, sequence, ok.time ?? 1);
      case "react":
        return cache.react(conversation, sequence, (all) => withMine(all, item.reaction, item.isOn), false);
      case "read": return cache.read(conversation, sequence);
    }
  }

  // -- What the user does

  /** Puts an act into the outbox. `about` is the id of the row that it is about, which may wait itself. */
  add(destination, act, about, endsDraft = false) {
    return this.#act(async (unit) => {
      const at = await unit.cache.resolve(destination);
      const target = about === undefined ? {} : await targetOf(unit, about, at, destination);
      if (endsDraft && (await endDraft(unit, await draftNames(unit, destination), act.body))) {
        unit.after.push(() => this.onDraft({ conversation: at, sent: act.body }));
      }
      return this.outbox.add(unit, { ...act, ...target, destination: await this.#lineOf(unit, at) });
    });
  }

  // Items for `@name` keep their place before those written once the conversation is known.
  async #lineOf({ rows, cache }, at) {
    const name = `@${(await cache.conversation(at))?.peer}`;
    return (await rows.by("outbox", "destination", name)).length ? name : at;
  }

  /** The user has seen a conversation up to a message. Returns the item that says so, if that is new. */
  seen(destination, sequence, key) {
    return this.#act(async (unit) => {
      const conversation = await unit.cache.resolve(destination);
      const one = await unit.cache.conversation(conversation);
      if (!one || !isUnread(one, sequence) || sequence > one.sequence) return undefined;
      const item = await this.outbox.add(unit, { action: "read", target: sequence, destination: conversation, key });
      await unit.cache.read(conversation, sequence);
      return item;
    });
  }

  /** Changes what waits: `retry`, `replace`, `discard`, `resume`, or `revise` of a message by its row. Returns what has
   *  to be done after it instead, as `add` takes it, if it may be stored by now. */
  changeWaiting(act, [one, ...rest]) {
    return this.change(async (unit) => {
      const { rows, cache } = unit;
      switch (act) {
        case "retry": {
          const item = await rows.get("outbox", one);
          if (!item) throw noSuchItem();
          if (item.code) await this.outbox.retry(unit, one);
          return this.outbox.resume(unit, item.destination);
        }
        case "replace": return this.outbox.replace(unit, one, rest[0]);
        case "discard": return this.#takeBack(unit, await rows.get("outbox", one));
        case "resume":
          for (const name of namesOf(one, await cache.conversation(await cache.resolve(one)))) {
            await this.outbox.resume(unit, name);
          }
          return undefined;
        default: {
          const [about, what] = rest;
          const { parent } = await targetOf(unit, about, await cache.resolve(one), one);
          const item = parent && (await rows.get("outbox", parent));
          if (what.action === "delete" && item) return this.#takeBack(unit, item);
          if (!item || !this.outbox.mayChange(item)) return [one, what, about];
          return this.outbox.replace(unit, parent, what.body);
        }
      }
    });
  }

  // Others may see a message that may have reached the relay: it is deleted after it.
  async #takeBack(unit, item) {
    if (item?.action === "send" && !this.outbox.mayChange(item)) {
      return [item.destination, { action: "delete" }, `k:${item.key}`];
    }
    await this.outbox.discard(unit, item?.id);
    return undefined;
  }

  /** Takes what another tab has put into the outbox, if it isn't there. */
  adopt(item) { return this.change((unit) => this.outbox.take(unit, item)); }

  /** Another tab says that this was sent. */
  forgetKey(key) {
    return this.change(async (unit) => {
      const [item] = await unit.rows.by("outbox", "key", key);
      if (item) await this.outbox.accepted(unit, item.id);
    });
  }

  /** The drafts of conversations that are known, by their ids. `shared` is what all devices had when it was begun. */
  drafts() {
    return this.read(async ({ rows, cache, identity }) => {
      const found = new Map();
      for (const { destination, text, shared } of await rows.find("drafts", allOf(identity))) {
        const id = await cache.resolve(destination);
        if (await cache.conversation(id)) found.set(id, { text, shared });
      }
      return found;
    });
  }

  /** Returns the names under which the draft is, if it is another one now. */
  keepDraft(destination, text) {
    return this.#changeDraft(destination, (draft, shared, at, unit) => {
      if (draft !== text) unit.after.push(() => this.onDraft({ conversation: at }));
      return [text, shared];
    });
  }

  /** All devices have this text, or none: it is the draft, unless something else was typed here since. `isOwn` says that
   *  this device has set it. */
  shareDraft(destination, text, isOwn) {
    return this.#changeDraft(destination, (draft, shared) => {
      const next = isOwn || (draft && draft !== shared) ? draft : text;
      return [next, isOwn || next === text ? text : shared];
    });
  }

  #changeDraft(destination, change) {
    return this.#act(async (unit) => {
      const at = await unit.cache.resolve(destination);
      const names = await draftNames(unit, destination);
      const { text = "", shared = "" } = (await draftIn(unit, names)) ?? {};
      const [next, nowShared] = change(text, shared, at, unit);
      if (next === text && nowShared === shared) return [];
      await endDraft(unit, names);
      const row = { user: unit.identity.user ?? "", destination: at, text: next, ...nowShared && { shared: nowShared } };
      if (next || nowShared) await unit.rows.put("drafts", row);
      return next === text ? [] : [at, destination];
    });
  }
}

/** All names under which a draft may be: it was begun before the conversation was known, or after. */
async function draftNames({ cache }, destination) {
  return namesOf(destination, await cache.conversation(await cache.resolve(destination)));
}

/** Ends the draft, or only that of a text: a text sent from elsewhere isn't the draft here. The draft shared by all
 *  devices still has to end. Returns whether there was one. */
async function endDraft({ rows, identity }, names, sent) {
  let isEnded = false;
  for (const name of new Set(names)) {
    const draft = await rows.get("drafts", ofUser(identity, name));
    if (!draft || (sent !== undefined && draft.text.trim() !== sent.trim())) continue;
    if (sent !== undefined && draft.shared) await rows.put("drafts", { ...draft, text: "" });
    else await rows.delete("drafts", ofUser(identity, name));
    isEnded = true;
  }
  return isEnded;
}

/** The message that an act is about: `k:` and its key, or `s:` and its sequence. */
async function targetOf({ rows }, id, conversation, destination) {
  const [sort, name] = [id.slice(0, 2), id.slice(2)];
  if (sort === "s:" && Number.isSafeInteger(+name)) return { target: +name };
  if (sort !== "k:") throw noSuchItem();
  const [item] = await rows.by("outbox", "key", name);
  if (item?.action === "send" && [conversation, destination].includes(item.destination)) return { parent: item.id };
  const [message] = await rows.by("messages", "key", [conversation, name]);
  if (!message) throw noSuchItem();
  return { target: message.sequence };
}

// ---- The session ----------------------------------------------------------------------------------------------------

/** The wait before the next try: a random time from a range that doubles, so that clients that lost the same relay
 *  don't come back together. */
class Backoff {
  #range = BACKOFF_FIRST;
  #random;

  constructor(random = Math.random) { this.#random = random; }

  next() {
    const wait = this.#range * this.#random();
    this.#range = Math.min(this.#range * 2, BACKOFF_MOST);
    return wait;
  }

  reset() { this.#range = BACKOFF_FIRST; }
}

/** Whether a welcome has what a session needs. */
const isWelcome = ({ user, epoch, time }) => (
  typeof user === "string" && typeof epoch === "string" && Number.isFinite(time));

/** The user of a token, as far as it can be read. Whether it is valid, only the relay knows. */
function userOf(token) {
  try {
    const claims = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(claims, (one) => one.charCodeAt(0)))).sub;
  } catch {
    return undefined;
  }
}

/** Whether a client comes back by itself after this close code (Docs/Protocol.md, section 10). Codes that it doesn't
 *  name come from the network or a proxy, but for the relay's own range; and so may 1002 (decision 35). */
function comesBack(code) {
  return ![1003, 1007, 1009].includes(code) && !(code >= 4500);
}

/** Timers by name, one of each. */
class Alarms {
  #clock;
  #timers = new Map();

  constructor(clock) { this.#clock = clock; }

  set(name, wait, body) {
    this.cancel(name);
    this.#timers.set(name, this.#clock.set(wait, () => { this.#timers.delete(name); body(); }));
  }

  isSet(name) { return this.#timers.has(name); }

  cancel(name) {
    this.#clock.clear(this.#timers.get(name));
    this.#timers.delete(name);
  }

  cancelAll() { for (const name of [...this.#timers.keys()]) this.cancel(name); }
}

/** One connection after another: it says hello, matches replies, acks, renews tokens, waits and reconnects. It
 *  stores nothing; `owner` gets everything in the order in which it came: `place` (the user and position),
 *  `welcomed`, `told`, `changed` (the state of the connection). */
class Session {
  #settings;
  #clock;
  #owner;
  #alarms;
  #backoff;
  // ended, token, connecting, greeting, ready, waiting, leaving
  #phase = "ended";
  // Each try has a number, so that late events of an earlier one are recognized.
  #connection = 0;
  #socket = null;
  #resume;
  #askedWait = 0;
  // The relay refused `hello` for now, and its wait isn't over.
  #isHeldOff;
  #readySince;
  #heardAt = 0;
  // The relay's clock, compared to this one, and to that of waits.
  ahead = 0;
  #base = 0;
  #lastID = 0;
  #waiting = new Map();
  #unacked = null;
  #unackedCount = 0;
  #isRefreshing = false;
  #leavers = [];

  constructor(settings, owner, clock = systemClock, random = Math.random) {
    this.#settings = settings;
    this.#owner = owner;
    this.#clock = clock;
    this.#alarms = new Alarms(clock);
    this.#backoff = new Backoff(random);
  }

  get connection() { return this.#connection; }

  get isReady() { return this.#phase === "ready"; }

  // -- Beginning

  /** Keeps a session up from now on. Called again, it tries at once. */
  connect() {
    if (this.#phase === "ended") this.#begin();
    else this.wake();
  }

  /** There may be a network again: tries at once what would be tried later, and finds out whether a connection is
   *  still there. */
  wake() {
    if (this.#phase === "waiting") {
      if (this.#isHeldOff) return;
      this.#backoff.reset();
      this.#begin();
    } else if (this.#phase === "ready") {
      this.#ping();
    }
  }

  // It gets a token first, so that this doesn't use up the relay's time for `hello`.
  async #begin() {
    this.#alarms.cancelAll();
    this.#isHeldOff = undefined;
    this.#connection += 1;
    this.#phase = "token";
    const number = this.#connection;
    this.#owner.changed({ state: "connecting" });
    this.#alarms.set("welcome", WELCOME_TIME, () => this.#lose());
    let token;
    try {
      token = await this.#token();
      if (number !== this.#connection) return;
      // Earlier events are stored by then.
      this.place = await this.#owner.place();
    } catch (error) {
      if (number !== this.#connection) return;
      const ends = { wrong_user: "wrongUser", signed_out: "signedOut" }[error?.code];
      return ends ? this.#fail(error.message, ends) : this.#lose();
    }
    // `resume` in the name of another user would ack what that one hasn't got.
    if (number === this.#connection && this.#phase === "token" && !this.#isWrong(userOf(token))) this.#dial(token);
  }

  // One that is missing is a failure of the app's backend, as if it had thrown.
  async #token() {
    const token = await this.#settings.token();
    if (typeof token !== "string" || !token) throw new RoostError("no_token");
    return token;
  }

  // Whether a user, if it is known, isn't the one whose store this is: then the session ends.
  #isWrong(user) {
    const mine = this.place.user;
    if (typeof user !== "string" || mine === undefined || user === mine) return false;
    this.#fail(wrongUser(user, mine).message, "wrongUser");
    return true;
  }

  #dial(token) {
    const number = this.#connection;
    const isCurrent = () => number === this.#connection && this.#socket !== null;
    this.#phase = "connecting";
    this.#resume = this.place.position;
    let socket;
    try {
      socket = new this.#settings.WebSocket(this.#settings.url, ["roost.v1"]);
    } catch (error) {
      return this.#fail(String(error?.message ?? error));
    }
    this.#socket = socket;
    socket.onopen = () => {
      if (!isCurrent()) return;
      this.#phase = "greeting";
      this.#sayHello(token);
    };
    socket.onmessage = ({ data }) => {
      // In Node, an exception here ends the process.
      try { if (isCurrent()) this.#receive(data); } catch (error) { report(error); }
    };
    // Browsers don't give pages the reason; a close follows.
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }) => { if (isCurrent()) this.#closed(code, reason); };
  }

  #sayHello(token) {
    const { device } = this.place;
    const members = { token, device, resume: this.#resume };
    this.#issue("hello", members, (failure, welcome) => {
      if (this.#phase !== "greeting") return;
      if (!failure && !isWelcome(welcome)) return this.#lose();
      if (!failure) return this.#isWrong(welcome.user) || this.#becomeReady(welcome);
      if (failure.code === "bad_position" && this.#resume !== undefined) {
        // The log never gave it (section 6): without it, the relay's own cursor counts.
        this.#resume = undefined;
        return this.#sayHello(token);
      }
      // A close code that says what to do follows at once.
      if (["token_expired", "unauthorized", "forbidden"].includes(failure.code)) return;
      if (!failure.retry) return this.#fail(failure.message);
      this.#isHeldOff = this.#askedWait = failure.retryAfter ?? 0;
      this.#lose();
    });
  }

  #becomeReady(welcome) {
    this.#phase = "ready";
    this.place = { ...this.place, user: welcome.user };
    this.#alarms.cancel("welcome");
    this.#readySince = this.#clock.ticks();
    this.ahead = welcome.time - this.#clock.now();
    this.#base = welcome.time - this.#readySince;
    this.#askedWait = 0;
    this.#watchSilence();
    const bytes = welcome.limits?.frameBytes;
    this.bytesMax = bytes > 0 ? bytes : 65_536;
    this.#planRefresh(welcome.expires);
    this.#owner.welcomed(welcome, this.#resume !== undefined);
  }

  // -- What arrives

  #receive(text) {
    this.#heardAt = this.#clock.ticks();
    let told;
    try { told = JSON.parse(text); } catch { return; }
    if (typeof told?.type !== "string") return;
    if (["ok", "error", "pong", "welcome"].includes(told.type)) return this.#answer(told);
    if (told.type === "drain") this.#askedWait = waitOf(told.after);
    this.#owner.told(told, this.#connection);
  }

  #answer(told) {
    const waiting = this.#waiting.get(told.re);
    if (!waiting) return;
    this.#waiting.delete(told.re);
    if (told.type !== "error") return waiting.complete(null, told);
    const { code, reason: message, retry, retryAfter, conversation } = told;
    waiting.complete(new RoostError(String(code), { message, retry, conversation, retryAfter: waitOf(retryAfter, conversation && TIMER_MOST) || undefined }));
  }

  #closed(code, reason) {
    if (this.#phase === "leaving") return this.#end();
    if (comesBack(code)) return this.#lose();
    this.#fail(reason || `closed: ${code}`, { 4500: "signedOut", 4503: "signedOut", 4501: "takenOver" }[code]);
  }

  #fail(detail, reason = "other") { this.#end({ state: "failed", reason, detail }); }

  // -- Commands

  /** Sends a command that needs no answer. */
  transmit(type, members = {}) {
    if (this.isReady) this.#write(JSON.stringify({ type, ...members }));
  }

  /** Sends a command; the last one gets its failure, or its answer, in the order in which answers come. */
  send(type, members, complete) {
    if (!this.isReady) return complete(notConnected());
    this.#issue(type, members, complete);
  }

  get waiting() { return this.#waiting.size; }

  #issue(type, members, complete) {
    const id = ++this.#lastID;
    const text = JSON.stringify({ type, ...members, id });
    // If a client sends more, the relay ends its session for good. A character has up to three bytes.
    if (text.length * 3 > this.bytesMax && new TextEncoder().encode(text).length > this.bytesMax) {
      return complete(new RoostError("too_large"));
    }
    this.#waiting.set(id, { issued: this.#clock.ticks(), complete });
    this.#write(text);
    if (!this.#alarms.isSet("replies")) this.#alarms.set("replies", REPLY_TIME, () => this.#giveUp());
  }

  // A socket that is closing takes nothing more, and browsers complain in the console. `onclose` follows.
  #write(text) {
    if (!(this.#socket.readyState > 1)) this.#socket.send(text);
  }

  // Nothing was heard since a command was sent: the network is gone, whatever the socket says. A slow answer is none.
  #giveUp() {
    const now = this.#clock.ticks();
    const late = [...this.#waiting].filter(([, { issued }]) => now - issued >= REPLY_TIME);
    if (late.some(([, { issued }]) => this.#heardAt < issued)) return this.#lose();
    for (const [id, { complete }] of late) {
      this.#waiting.delete(id);
      complete(passing("timed_out"));
    }
    const next = Math.min(...[...this.#waiting.values()].map(({ issued }) => issued));
    if (Number.isFinite(next)) this.#alarms.set("replies", next + REPLY_TIME - now, () => this.#giveUp());
  }

  // A page doesn't see the relay's pings, so that it sends its own after a long silence.
  #watchSilence() {
    const left = this.#heardAt + QUIET_TIME - this.#clock.ticks();
    if (left <= 0) this.#ping();
    this.#alarms.set("quiet", left > 0 ? left : QUIET_TIME, () => this.#watchSilence());
  }

  #ping() { this.#issue("ping", {}, () => {}); }

  // -- Acks

  /** Everything up to here is stored. `connection` is the one on which the position came. */
  ack(position, connection) {
    if (connection !== this.#connection || !this.isReady) return;
    this.#unacked = position;
    this.#unackedCount += 1;
    if (this.#unackedCount >= ACK_EVENTS) this.#sendAck();
    else if (!this.#alarms.isSet("acks")) this.#alarms.set("acks", ACK_TIME, () => this.#sendAck());
  }

  #sendAck() {
    this.#alarms.cancel("acks");
    if (this.#unacked !== null) this.transmit("ack", { position: this.#unacked });
    this.#unacked = null;
    this.#unackedCount = 0;
  }

  // -- The token

  #planRefresh(expires) {
    if (!Number.isFinite(expires)) return;
    const life = expires - this.#base - this.#clock.ticks();
    const wait = Math.max(life - Math.min(REFRESH_MARGIN, life / 5), BACKOFF_FIRST);
    this.#alarms.set("refresh", wait, () => this.#refresh());
  }

  // If it keeps failing, the relay closes the connection, and the next one begins with a new token.
  async #refresh() {
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    const number = this.#connection;
    const isCurrent = () => number === this.#connection && this.isReady;
    const failed = () => {
      if (!isCurrent()) return;
      this.#isRefreshing = false;
      this.#alarms.set("refresh", BACKOFF_FIRST + this.#backoff.next(), () => this.#refresh());
    };
    let token;
    try { token = await this.#token(); } catch { return failed(); }
    if (!isCurrent() || this.#isWrong(userOf(token))) return;
    this.send("refresh", { token }, (failure, ok) => {
      if (failure) return failed();
      this.#isRefreshing = false;
      this.#planRefresh(ok.expires);
    });
  }

  /** The relay says that the token has expired: another one now. */
  renew() { if (this.isReady) this.#refresh(); }

  // -- Ending

  /** Says goodbye. Resolves when the session has ended for good. */
  disconnect() {
    if (this.#phase === "ended") return Promise.resolve();
    return new Promise((resolve) => {
      this.#leavers.push(resolve);
      if (this.#phase === "leaving") return;
      if (!this.isReady) return this.#end();
      this.#sendAck();
      this.transmit("bye");
      this.#phase = "leaving";
      this.#alarms.set("goodbye", GOODBYE_TIME, () => this.#end());
    });
  }

  /** Ends without a goodbye, as a page that is left does. */
  drop() {
    if (this.#phase === "ended") return;
    if (this.isReady) this.#sendAck();
    this.#end();
  }

  /** Gives up the connection; the next try comes after a while. */
  #lose() {
    if (this.#phase === "leaving") return this.#end();
    if (this.#readySince !== undefined && this.#clock.ticks() - this.#readySince >= BACKOFF_MOST) {
      this.#backoff.reset();
    }
    const asked = this.#askedWait;
    // A relay that asks for next to nothing would be asked again and again.
    const wait = asked < BACKOFF_FIRST ? Math.max(asked, this.#backoff.next()) : asked;
    this.#askedWait = 0;
    this.#letGo();
    this.#alarms.set("reconnect", wait, () => this.#begin());
    this.#owner.changed({ state: "waiting", until: this.#clock.now() + wait });
  }

  /** Ends the session, because it belongs to another user. */
  refuse({ message }) { if (this.#phase !== "ended") this.#fail(message, "wrongUser"); }

  /** Too much arrives: what has come is stored first. */
  overrun() { if (this.isReady) this.#lose(); }

  #end(state = { state: "offline" }) {
    this.#letGo();
    this.#phase = "ended";
    this.#owner.changed(state);
    for (const leave of this.#leavers.splice(0)) leave();
  }

  #letGo() {
    this.#phase = "waiting";
    this.#connection += 1;
    this.#alarms.cancelAll();
    this.#readySince = undefined;
    this.#unacked = null;
    this.#unackedCount = 0;
    this.#isRefreshing = false;
    this.bytesMax = undefined;
    const socket = this.#socket;
    this.#socket = null;
    if (socket) {
      // Late events of it have no effect.
      socket.onopen = socket.onmessage = socket.onclose = () => {};
      try { socket.close(1000); } catch { /* It never opened. */ }
    }
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { complete } of waiting) complete(lost());
  }
}

// ---- Tabs -----------------------------------------------------------------------------------------------------------

/** Decides which of the tabs that share a store has the session: the one that holds the lock. The release of the
 *  lock, whatever ended the tab, is the fail-over. The others get changes, and ask the writer to ask the relay.
 *
 *  Where there are no locks, as on a page that isn't served securely, a lease in the store replaces them, which its
 *  tab renews. Where tabs can't hear each other either, the tab in use takes it. Waiting items never depend on any
 *  of this: their rows are the truth, and their keys keep two writers from storing anything twice. */
class Tabs {
  #name;
  #channel = null;
  #leave = null;
  #owner;
  #calls = new Map();
  #lastCall = 0;
  // The others, and when each was last heard.
  #known = new Map();
  #isLeased = false;
  // When another tab last said that it has the session.
  #writerAt;
  /** This tab's own name. */
  id = randomName();
  isWriter = false;

  /** Calls `owner` with `joined` (the others), `became` (the writer), `yielded` (it is no longer), `heard`, `gone`
   *  (another tab); and with requests of other tabs, `call` and `lease`. */
  constructor(name, owner) {
    this.#name = name;
    this.#owner = owner;
  }

  /** Joins the other tabs; alone, it is the writer at once. */
  begin(isShared) {
    this.#leave = new AbortController();
    if (!isShared) return this.#become();
    if (globalThis.BroadcastChannel) {
      this.#channel = new BroadcastChannel(this.#name);
      this.#channel.onmessage = ({ data }) => this.#receive(data);
    }
    this.#isLeased = !this.#channel || !globalThis.navigator?.locks;
    if (this.#isLeased) {
      this.#owner.joined();
      this.#writerAt = this.#owner.clock.ticks();
      return this.tick();
    }
    // Held for as long as the tab lives, so that the writer learns when it doesn't any more.
    this.#hold(`${this.#name}.${this.id}`, () => {
      this.#hold(this.#name, () => this.#become());
      this.#owner.joined();
    });
  }

  /** Keeps the lease, or takes it if no tab has it any more. */
  async tick(how = "hold") {
    if (!this.#isLeased) return;
    const now = this.#owner.clock.ticks();
    const leave = this.#leave;
    // While the disk can't say it, a tab that hears of no other has it.
    const isMine = (await this.#owner.lease(this.id, how)) ?? now - this.#writerAt >= LEASE_TIME;
    if (leave !== this.#leave) return;
    if (isMine) this.#become();
    else if (this.isWriter) this.#yield();
    if (!this.isWriter) return this.#owner.alive();
    this.tell("writing");
    for (const [tab, heard] of this.#known) if (now - heard > LEASE_TIME) this.#end(tab);
  }

  /** The page is left. */
  release() { if (this.#isLeased) this.#owner.lease(this.id, "release"); }

  #yield() {
    this.isWriter = false;
    this.#owner.yielded(Boolean(this.#channel));
    this.tell("hello");
  }

  #end(tab) {
    this.#known.delete(tab);
    this.#owner.gone(tab);
  }

  #hold(name, then) {
    const { signal } = this.#leave;
    const held = () => new Promise((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", resolve);
      then();
    });
    navigator.locks.request(name, { signal }, held).catch(() => {});
  }

  #become() {
    if (this.isWriter) return;
    this.isWriter = true;
    this.#owner.became();
    this.tell("writer");
    // Calls that the writer before had not answered.
    for (const [id, call] of [...this.#calls]) {
      this.#calls.delete(id);
      this.#carryOut(call.method, call.values, this.id).then(call.resolve, call.reject);
    }
  }

  /** Sends a message to all other tabs. */
  tell(kind, content) {
    try { this.#channel?.postMessage({ kind, content, from: this.id }); } catch { /* It was closed. */ }
  }

  /** Calls the writer, whichever tab that is when it answers. A call that is made twice must be done once. */
  async call(method, ...values) {
    // The one that is used takes it.
    if (this.#isLeased && !this.isWriter && !this.#channel) await this.tick("seize");
    if (this.isWriter) return this.#carryOut(method, values, this.id);
    return new Promise((resolve, reject) => {
      if (!this.#leave || (this.#isLeased && !this.#channel)) throw notConnected();
      if (this.#calls.size >= CALLS_WAITING) throw tooMany();
      const id = ++this.#lastCall;
      this.#calls.set(id, { method, values, resolve, reject });
      this.tell("call", { id, method, values });
    });
  }

  async #carryOut(method, values, from) { return this.#owner.call(method, values, from); }

  #receive({ kind, content, from }) {
    if (this.isWriter && from) this.#watch(from);
    if (kind.startsWith("writ")) this.#writerAt = this.#owner.clock.ticks();
    switch (kind) {
      case "call": if (this.isWriter) this.#serve(content, from); break;
      case "reply": if (content.to === this.id) this.#finish(content); break;
      case "writer":
        // It let the lease run out, and another one has it.
        if (this.isWriter) this.tick();
        for (const [id, { method, values }] of this.#calls) this.tell("call", { id, method, values });
      // falls through
      default: this.#owner.heard(kind, content, from);
    }
  }

  // The lock of a tab comes free when the tab ends.
  #watch(tab) {
    const isKnown = this.#known.has(tab);
    this.#known.set(tab, this.#owner.clock.ticks());
    if (isKnown || this.#isLeased) return;
    const name = `${this.#name}.${tab}`;
    navigator.locks.request(name, { signal: this.#leave.signal }, () => this.#end(tab)).catch(() => {});
  }

  async #serve({ id, method, values }, from) {
    try {
      const result = await this.#carryOut(method, values, from);
      this.tell("reply", { to: from, id, result });
    } catch (error) {
      const { code, message, retry, retryAfter, conversation } = error;
      this.tell("reply", { to: from, id, failure: { code: code ?? "failed", message, retry, retryAfter, conversation } });
    }
  }

  #finish({ id, result, failure }) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (failure) call?.reject(new RoostError(failure.code, failure));
    else call?.resolve(result);
  }

  /** Lets go of the lock. */
  leave() {
    this.release();
    this.#isLeased = false;
    this.#leave?.abort();
    this.#leave = null;
    this.#known.clear();
    this.#channel?.close();
    this.#channel = null;
    this.isWriter = false;
    for (const { reject } of this.#calls.values()) reject(notConnected());
    this.#calls.clear();
  }
}

// ---- What is true for the moment ------------------------------------------------------------------------------------

/** Users who type, users who are online, and their numbers. None of it is stored, and a lost connection ends it. */
class Notices {
  #typing = new Map();
  #several = new Set();
  presences = new Map();
  online = new Map();

  typing(conversation) {
    return { typing: this.#typing.get(conversation) ?? [], othersType: this.#several.has(conversation) };
  }

  takeTyping({ conversation, user, several, active }) {
    if (several) {
      this.#several[active ? "add" : "delete"](conversation);
      return;
    }
    const users = this.typing(conversation).typing.filter((one) => one !== user);
    if (active && users.length < USERS_TYPING) users.push(user);
    this.#typing.set(conversation, users);
  }

  /** The user comes into a conversation, or leaves it. */
  leave(conversation) {
    this.#typing.delete(conversation);
    this.#several.delete(conversation);
  }

  /** Ends a user's typing when their message comes, whichever of the two events comes first. */
  sent(user, conversation) { this.takeTyping({ conversation, user, active: false }); }

  takePresence(users, conversations) {
    for (const one of users) {
      if (this.presences.has(one.user) || this.presences.size < USERS_WATCHED) this.presences.set(one.user, one);
    }
    for (const { conversation, online, of } of conversations) this.online.set(conversation, { online, of });
  }

  /** Ends all typing. Returns the conversations that look different. */
  endTyping() {
    const ended = [...this.#typing.keys(), ...this.#several];
    this.#typing.clear();
    this.#several.clear();
    return ended;
  }

  /** The session has ended. */
  end() {
    const ended = [...this.endTyping(), ...this.online.keys()];
    this.online.clear();
    return ended;
  }

  forgetAll() {
    this.end();
    this.presences.clear();
  }

  /** Conversations in which users type or have typed, or members are counted. */
  get conversations() { return [...this.#typing.keys(), ...this.#several, ...this.online.keys()]; }

  /** For other tabs. */
  get written() {
    return { typing: this.#typing, several: this.#several, presences: this.presences, online: this.online };
  }

  replace({ typing, several, presences, online }) {
    this.#typing = new Map(typing);
    this.#several = new Set(several);
    this.presences = new Map(presences);
    this.online = new Map(online);
  }
}

// ---- What is on the screen ------------------------------------------------------------------------------------------

/** The part of a conversation that a timeline shows: from one sequence to another, or to the end. It is bounded: what
 *  is scrolled away from far enough is let go at the other side. */
class Window {
  // The first message that is shown, if there is one here; the last one, unless the window follows the newest.
  low;
  high;
  // The side to drop next.
  #growsDown = false;

  get isAtEnd() { return this.high === undefined; }

  /** The messages, oldest first. A window that follows the newest moves with them. */
  async messages(rows, conversation) {
    const range = { from: [conversation, this.low ?? 0], to: [conversation, this.high ?? []] };
    const growsDown = this.#growsDown;
    this.#growsDown = false;
    if (this.low !== undefined) {
      const found = await rows.find("messages", { ...range, limit: WINDOW_MOST + 1 });
      if (found.length <= WINDOW_MOST) return found;
      if (growsDown) {
        found.pop();
        this.high = found.at(-1).sequence;
        return found;
      }
    }
    const limit = this.low === undefined ? WINDOW : WINDOW_MOST;
    const newest = (await rows.find("messages", { ...range, newest: true, limit })).reverse();
    this.low = newest[0]?.sequence;
    return newest;
  }

  toEnd() { this.low = this.high = undefined; }

  /** Shows what is around a message. */
  jump(sequence, newest) {
    const half = WINDOW / 2;
    this.low = Math.max(1, sequence - half);
    this.high = sequence + half < newest ? sequence + half : undefined;
  }

  /** Begins at this message. */
  extendDown(to) {
    this.low = Math.min(this.low ?? to, to);
    this.#growsDown = true;
  }

  /** Ends at this message, or follows the newest. */
  extendUp(to, newest) { if (this.high !== undefined) this.high = to < newest ? to : undefined; }
}

/** Makes the rows of a timeline from what is stored and what waits. */
class TimelineBuilder {
  #user;
  #conversation;
  #watermarks;
  #waiting;
  #parked;
  #changes = new Map();

  constructor({ user = "", conversation, watermarks = [], waiting = [], parked }) {
    this.#user = user;
    this.#conversation = conversation;
    this.#watermarks = watermarks;
    this.#waiting = waiting;
    this.#parked = parked;
    for (const item of waiting) {
      if (item.action === "send") continue;
      const about = item.parent === undefined ? `s:${item.target}` : `p:${item.parent}`;
      this.#changes.set(about, [...(this.#changes.get(about) ?? []), item]);
    }
  }

  /** The rows, oldest first. If the messages reach to the newest one, what waits follows. */
  items(messages, isAtEnd) {
    const items = [];
    let last;
    const addGap = (next) => {
      if (last === undefined || last + 1 >= next) return;
      items.push({ type: "gap", id: `g:${next - 1}`, from: last + 1, to: next - 1 });
    };
    for (const message of messages) {
      addGap(message.sequence);
      if (!isLeftOut(message, this.#conversation)) items.push(this.#stored(message));
      last = message.sequence;
    }
    if (!isAtEnd) return items;
    // Messages that the relay has announced, and this device doesn't have.
    last ??= this.#conversation ? this.#conversation.first - 1 : undefined;
    addGap((this.#conversation?.sequence ?? 0) + 1);
    for (const item of this.#waiting) if (item.action === "send") items.push(this.#unsent(item));
    return items;
  }

  #stored({ conversation: _, stale: __, key, deletedAt, ...message }) {
    const { sequence } = message;
    const isOwn = message.from === this.#user;
    const row = {
      ...message, type: "message", id: isOwn && key ? `k:${key}` : `s:${sequence}`, isOwn,
      isDeleted: deletedAt !== undefined, isChanging: false,
    };
    if (isOwn) row.state = this.#stateOf(sequence);
    return this.#changed(row, `s:${sequence}`);
  }

  #unsent(item) {
    const { id, key, kind = "text", body, target, code, mentions, thread, origin } = item;
    const failed = code ? item : this.#parked;
    return this.#changed({
      type: "message", id: `k:${key}`, from: this.#user, isOwn: true, kind, body, replyTo: target, isDeleted: false,
      reactions: [], isChanging: false, outboxItem: id, mentions, thread, origin,
      state: failed ? { state: "failed", ...failureOf(failed) } : { state: "sending" },
    }, `p:${id}`);
  }

  // The user's action is shown as done before the relay knows it.
  #changed(row, about) {
    for (const item of this.#changes.get(about) ?? []) {
      if (item.code) {
        row.failedChange = { ...failureOf(item), outboxItem: item.id };
        continue;
      }
      if (item.action === "edit") row.body = item.body;
      if (item.action === "react") row.reactions = withMine(row.reactions, item.reaction, item.isOn);
      if (item.action === "delete") {
        delete row.body;
        row.isDeleted = true;
        row.reactions = [];
      }
      row.isChanging ||= item.action !== "read";
    }
    if (row.kind === "text" && typeof row.body === "string") row.text = row.body;
    for (const name in row) if (row[name] === undefined) delete row[name];
    return row;
  }

  // The state of a stored message. Members who have left since count too, so that it never falls.
  #stateOf(sequence) {
    const count = (name) => this.#watermarks.filter((mark) => mark[name] >= sequence).length;
    const [delivered, read] = [count("delivered"), count("read")];
    const others = Math.max((this.#conversation?.count ?? 1) - 1, delivered);
    if (read) return { state: "read", count: read, others };
    return delivered ? { state: "delivered", count: delivered, others } : { state: "sent" };
  }
}

/** A conversation as an app sees it. */
function shownConversation({ first: _, stale: __, peer: ___, lines: ____, ...conversation }) { return conversation; }

/** The items that wait for a conversation, under its id and as `@name`. */
async function waitingFor({ rows, identity }, names) {
  const found = [];
  for (const name of names) {
    const items = await rows.by("outbox", "destination", name);
    found.push(...items.filter((item) => item.user === identity.user));
  }
  const parked = [];
  for (const name of names) parked.push(await rows.get("parked", ofUser(identity, name)));
  return { waiting: found.sort((one, other) => one.id - other.id), parked: parked.find(Boolean) };
}

/** The users' profiles. One without a version isn't known here. */
async function peopleOf({ rows }, users) {
  // Users may be called like members of an object.
  const people = { __proto__: null };
  for (const user of users) if (user !== undefined) people[user] ??= (await rows.get("people", user)) ?? { user };
  return people;
}

function namesOf(destination, conversation) {
  return new Set([destination, conversation?.id, conversation?.peer && `@${conversation.peer}`].filter(Boolean));
}

/** An open timeline. */
class TimelineView {
  window = new Window();
  /** Whether what it shows was asked for in this session. */
  wasAsked = false;
  /** The conversation with what only the store knows of it, and the messages on the screen whose reactions are old. */
  conversation;
  stale = null;
  /** The first message that is shown. */
  low;
  #store;
  #notices;

  constructor(destination, store, notices) {
    this.destination = destination;
    this.shown = new Changing(
      { items: [], lines: [], people: {}, typing: [], othersType: false, hasOlder: false, hasNewer: false, draft: "" });
    this.#store = store;
    this.#notices = notices;
    this.refresh = new Repeating(() => this.#read());
  }

  /** Whether a change of these conversations, or of all (null), concerns it. */
  shows(changed) {
    // The id of a conversation opened as `@name` may have become known just now.
    return !this.conversation || [null, this.conversation.id, this.destination].some((id) => changed.has(id));
  }

  async #read() {
    const { next, messages, conversation } = await this.#store.read((unit) => this.#snapshot(unit));
    this.conversation = conversation;
    this.low = messages[0]?.sequence;
    const stale = messages.filter((message) => message.stale).map((message) => message.sequence);
    this.stale = stale.length
      ? { from: stale[0], limit: Math.min(PAGE, stale.at(-1) - stale[0] + 1) } : null;
    if (conversation) {
      Object.assign(next, this.#notices.typing(conversation.id));
      const online = conversation.kind === "group" && this.#notices.online.get(conversation.id);
      if (online) next.online = online;
    }
    this.shown.show(next);
  }

  async #snapshot(unit) {
    const { rows, cache, identity } = unit;
    const conversation = await cache.conversation(await cache.resolve(this.destination));
    const names = namesOf(this.destination, conversation);
    const { waiting, parked } = await waitingFor(unit, names);
    const messages = conversation ? await this.window.messages(rows, conversation.id) : [];
    const watermarks = conversation ? await cache.watermarks(conversation.id) : [];
    const builder = new TimelineBuilder({ user: identity.user, conversation, watermarks, waiting, parked });
    const next = {
      items: builder.items(messages, this.window.isAtEnd), typing: [], othersType: false, hasOlder: false,
      lines: [], hasNewer: !this.window.isAtEnd, draft: await draftOf(unit, names),
      people: await peopleOf(unit, [
        ...(conversation?.members ?? [this.destination.slice(1)]), ...messages.map((message) => message.from)]),
    };
    if (conversation) {
      const [from, to] = [messages[0]?.sequence ?? 0, this.window.isAtEnd ? Infinity : messages.at(-1)?.sequence ?? 0];
      next.lines = (conversation.lines ?? []).filter(({ sequence }) => sequence >= from - 1 && sequence < to);
      Object.assign(next.people, await peopleOf(unit, next.lines.flatMap(({ by, users = [], user, owner }) => [by, ...users, user, owner])));
      next.conversation = shownConversation(conversation);
      next.hasOlder = (messages[0]?.sequence ?? conversation.sequence + 1) > conversation.first;
    }
    if (parked) next.failure = failureOf(parked);
    return { next, messages, conversation };
  }
}

/** The list of conversations. It reads the rows that changed, and shows the others as the same objects: one of thousands
 *  costs no more than one of few. */
class ListView {
  #store;
  #notices;
  #limit = LIST_PAGE;
  // The changed conversations; the rows by conversation, as read and as shown; the end of the read rows, and whether
  // that is all.
  #changed = new Set([null]);
  #rows = new Map();
  #low;
  #hasMore = true;
  #people = { __proto__: null };

  constructor(store, notices) {
    this.shown = new Changing({ rows: [], people: {}, hasMore: false });
    this.#store = store;
    this.#notices = notices;
    this.refresh = new Repeating(() => this.#readAll());
  }

  /** A change of any conversation concerns it. */
  shows(changed) {
    for (const id of changed) this.#changed.add(id);
    return true;
  }

  loadMore() {
    if (this.shown.value.hasMore) this.#limit += LIST_PAGE;
    return this.refresh.ask();
  }

  async #readAll() {
    const changed = this.#changed;
    this.#changed = new Set();
    try {
      this.shown.show(await this.#store.read((unit) => this.#snapshot(unit, changed)));
    } catch (error) {
      this.shows(changed);
      throw error;
    }
  }

  async #snapshot(unit, changed) {
    if (changed.has(null)) {
      this.#rows.clear();
      this.#people = { __proto__: null };
      this.#low = undefined;
      this.#hasMore = true;
    } else {
      for (const name of changed) await this.#reread(unit, await unit.cache.resolve(name));
    }
    await this.#fill(unit);
    const waiting = await this.#unknown(unit);
    const listed = [...this.#rows.values()].sort((one, other) => compare(timeOf(other.row), timeOf(one.row)));
    for (const { row } of listed.splice(this.#limit)) {
      this.#rows.delete(row.id);
      this.#hasMore = true;
    }
    if (listed.length) this.#low = timeOf(listed.at(-1).row);
    const entries = [...waiting.map((row) => ({ row })), ...listed];
    await this.#name(unit, entries);
    return { rows: entries.map((entry) => this.#dress(entry)), people: this.#people, hasMore: this.#hasMore };
  }

  async #reread(unit, id) {
    const one = await unit.cache.conversation(id);
    // Below what was read, its place isn't known.
    const isListed = one?.time !== undefined && (!this.#hasMore || compare([one.time, id], this.#low) >= 0);
    if (isListed) this.#rows.set(id, { row: await this.#row(unit, id, one) });
    else this.#rows.delete(id);
  }

  // Reads on, below what was read.
  async #fill(unit) {
    const wanted = this.#limit - this.#rows.size;
    if (!this.#hasMore || wanted <= 0) return;
    const range = this.#low && { from: [], to: this.#low };
    const found = await unit.rows.find("conversations", { index: "time", newest: true, limit: wanted + 2, ...range });
    const next = found.filter((one) => !this.#low || compare([one.time, one.id], this.#low) < 0);
    this.#hasMore = next.length > wanted;
    for (const one of next.slice(0, wanted)) this.#rows.set(one.id, { row: await this.#row(unit, one.id, one) });
  }

  // The name of the user, and of people in rows, as far as they aren't known yet.
  async #name(unit, entries) {
    const me = unit.identity.user;
    const users = new Set(me === undefined || this.#people[me] ? [] : [me]);
    for (const { row } of entries) {
      for (const user of [row.peer, row.last?.from, ...this.#notices.typing(row.id).typing]) {
        if (user !== undefined && !this.#people[user]) users.add(user);
      }
    }
    if (users.size) this.#people = { __proto__: null, ...this.#people, ...await peopleOf(unit, users) };
  }

  #dress(entry) {
    const { row, shown } = entry;
    const { typing } = this.#notices.typing(row.id);
    const title = (row.peer && this.#people[row.peer].name) ?? row.title;
    if (!shown || shown.title !== title || !same(shown.typing, typing)) entry.shown = { ...row, title, typing };
    return entry.shown;
  }

  // Items that wait for conversations that the relay hasn't sent, or no longer has, come first.
  async #unknown(unit) {
    const names = new Set(this.#store.outbox.items.filter(isVisible).map((item) => item.destination));
    const rows = [];
    for (const name of names) {
      if (!(await unit.cache.conversation(await unit.cache.resolve(name)))) rows.push(await this.#row(unit, name));
    }
    return rows.filter((row) => row.pending);
  }

  async #row(unit, id, conversation) {
    const names = namesOf(id, conversation);
    const { waiting, parked } = await waitingFor(unit, names);
    const range = { from: [id, 0], to: [id, []], newest: true, limit: 1 };
    let last = conversation ? await unit.rows.find("messages", range) : [];
    // Behind those that are withheld, the last one that is shown.
    if (isLeftOut(last[0], conversation)) last = (await unit.rows.find("messages", { ...range, limit: LIST_PAGE })).reverse();
    const watermarks = conversation ? await unit.cache.watermarks(id) : [];
    const builder = new TimelineBuilder({ user: unit.identity.user, conversation, watermarks, waiting, parked });
    const peer = conversation ? conversation.peer : id.startsWith("@") ? id.slice(1) : undefined;
    const row = {
      id, title: conversation?.name ?? peer ?? (conversation ? "" : id), unread: conversation?.unread ?? 0, typing: [],
      pending: waiting.filter(isVisible).length, draft: await draftOf(unit, names),
    };
    if (conversation) row.conversation = shownConversation(conversation);
    if (peer) row.peer = peer;
    const shown = builder.items(last, true).filter((item) => item.type === "message").pop();
    if (shown) row.last = shown;
    return row;
  }
}

const timeOf = ({ conversation: { time, id } }) => [time, id];

async function draftIn({ rows, identity }, names) {
  for (const name of names) {
    const draft = await rows.get("drafts", ofUser(identity, name));
    if (draft) return draft;
  }
  return undefined;
}

const draftOf = async (unit, names) => (await draftIn(unit, names))?.text ?? "";

// ---- The engine -----------------------------------------------------------------------------------------------------

/** The members that an event must have, so that a mistake of the relay's, or of a proxy in between, isn't kept:
 *  texts and whole numbers; and, where they are there, whole numbers and lists of texts. */
const change = ["position conversation", "sequence time", "version", "mentions"];
const shapes = {
  __proto__: null,
  message: ["position conversation from", "sequence time", "replyTo thread expires version editedAt deletedAt", "mentions"],
  edit: change, delete: change, react: ["position conversation from reaction", "sequence"],
  conversation: ["position conversation event", "sequence time", "count unread read after", "users members"],
  gap: ["conversation", "from to"], joins: ["", "waiting"], receipt: ["conversation user", "", "delivered read unread deliveredAt readAt"],
  profile: ["user", "version"], state: ["position"], live: ["position"],
};

/** Further members that must hold, or are only of the moment. Without a member, a list counts as empty. */
const momentary = {
  __proto__: null,
  gap: ({ from, to }) => from <= to,
  badge: (event) => isWhole(event.unread),
  typing: ({ conversation, user, several }) => isText(conversation) && (several || isText(user)),
  presence: ({ users = [], conversations = [] }) => isListOf(users, "user") && isListOf(conversations, "conversation"),
};

const isText = (one) => typeof one === "string";
const isWhole = Number.isSafeInteger;
const isListOf = (list, name) => Array.isArray(list) && list.every((one) => isText(one?.[name]));

/** Names of the conversations that may accept what they refused before, because of an event; null for all: a user
 *  was accepted, has got a role, or joined a group; the user's blocks have changed. */
function probed({ type, conversation, user, from, users = [], members = [] }) {
  switch (type) {
    case "live": case "privacy": return [null];
    case "conversation": return [conversation, ...[...users, ...members].map((one) => `@${one}`)];
    case "contact": return [`@${user}`];
    default: return from ? [`@${from}`] : [];
  }
}

/** Whether an answer says what became of an item. */
const isAnswer = (item, ok) => (
  item.action !== "send" || (isText(ok?.conversation) && isWhole(ok.sequence)));

function isSound(event) {
  const [texts, numbers, others, lists] = [0, 1, 2, 3].map((place) => (
    // Of what a block hides there is only the place.
    ((event.hidden ? change : shapes[event.type])?.[place] ?? "").split(" ").filter(Boolean).map((name) => event[name])));
  const isThere = (one) => one !== undefined;
  return texts.every(isText) && numbers.every(isWhole) && others.filter(isThere).every(isWhole)
    && lists.filter(isThere).every((list) => Array.isArray(list) && list.every(isText))
    && (momentary[event.type]?.(event) ?? true);
}

/** The command for an item of the outbox. */
function commandOf(item) {
  const { destination, key, kind, body, target, reaction, isOn, mentions, thread, forward, ifVersion } = item;
  const about = { conversation: destination, sequence: target };
  switch (item.action) {
    // The relay takes from there what is forwarded.
    case "send": return { to: destination, key, replyTo: target, thread, ...forward ? { forward } : { kind, body, mentions } };
    case "edit": return { ...about, body, mentions, ifVersion };
    case "react": return { ...about, reaction, remove: !isOn || undefined };
    default: return about;
  }
}

/** All open views, and their updates, which combine many changes. */
class Screen {
  state = new Changing({
    connection: { state: "offline" }, isUpToDate: false, device: "", badge: 0, pendingCount: 0,
    status: { state: "auto" }, isStored: false, isWriter: false, textMost: 20_000,
  });
  views = new Set();
  /** Users for which this session has asked the relay for profiles. They are on the screen, or were. */
  asked = new Set();
  /** The relay's badge, which knows mutes and requests; null without a session that sent it. */
  told = null;
  /** The badge as far as this device knows, and how many messages are unread in each conversation. */
  #sum = 0;
  #unread = new Map();
  // This machine's clock when the session began, without what it was set since.
  #base = 0;
  #store;
  #tabs;
  #clock;
  #alarms;
  #flush = new Repeating(() => this.#show());
  // Conversations that have changed, and those to report to other tabs; null stands for all.
  #here = new Set();
  #others = new Set();

  constructor(store, tabs, clock) {
    this.#store = store;
    this.#tabs = tabs;
    this.#clock = clock;
    this.#alarms = new Alarms(clock);
  }

  get timelines() { return [...this.views].filter((view) => view instanceof TimelineView); }

  /** Marks these conversations as changed; all, if none is named. `isOwn` reports it to other tabs, too. */
  tell(changed, isOwn = true) {
    for (const id of changed ?? [null]) {
      this.#here.add(id);
      if (isOwn) this.#others.add(id);
    }
    this.flush().catch(report);
  }

  /** Resolves when all views are updated. */
  flush() { return this.#flush.ask(); }

  async #show() {
    // Changes in the same breath make one update, and nothing is shown after its time.
    await this.#expire();
    const [others, here] = [this.#others, this.#here];
    [this.#others, this.#here] = [new Set(), new Set()];
    if (others.size) this.#tabs.tell("changed", [...others]);
    if (!here.size) return;
    for (const view of [...this.views]) if (view.shows(here)) await view.refresh.ask();
    await this.#store.read((unit) => this.#count(unit, here));
    const { user, device } = this.#store.identity;
    this.note({
      user, device, sum: [...this.#unread.values()].reduce((sum, one) => sum + one, 0),
      pendingCount: this.#store.outbox.items.filter(isVisible).length, isStored: this.#store.isStored,
      storeProblem: this.#store.vault.problem,
    });
  }

  async #count({ rows, cache }, changed) {
    let found = [];
    if (changed.has(null)) {
      this.#unread.clear();
      found = await rows.find("conversations", { index: "unread", from: 1, to: Infinity });
    } else {
      for (const name of changed) {
        const id = await cache.resolve(name);
        found.push((await cache.conversation(id)) ?? { id, unread: 0 });
      }
    }
    for (const { id, unread } of found) this.#unread.set(id, unread);
  }

  // Whatever has changed, another message may be the next one that disappears. During a session no set clock matters.
  async #expire() {
    const isConnected = this.state.value.connection.state === "connected";
    const here = isConnected ? this.#base + this.#clock.ticks() : this.#clock.now();
    const now = here + (this.#store.identity.ahead ?? 0);
    const [changed, next] = await this.#store.expire(now);
    if (changed.length) this.tell(changed);
    if (next) this.#alarms.set("expiry", Math.min(next - now, LOOK_TIME), () => this.tell([]));
  }

  /** Stops because no view is open. */
  end() { this.#alarms.cancelAll(); }

  /** Changes what is said of the session. */
  note({ told = this.told, sum = this.#sum, ...change }) {
    [this.told, this.#sum] = [told, sum];
    this.state.show({ ...this.state.value, ...change, badge: told ?? sum });
  }

  /** A session has begun: what is shown is asked for again. */
  begin(isEmptied) {
    this.#base = this.#clock.now() - this.#clock.ticks();
    this.asked.clear();
    for (const view of this.timelines) {
      view.wasAsked = false;
      if (isEmptied) view.window.toEnd();
    }
  }
}

/** Decides what of the outbox goes to the relay when, and what an answer means. */
class Sender {
  isReady = false;
  #store;
  #session;
  #alarms;
  #random;
  #push;
  #isPaused = false;
  #tries = 0;
  #pump = new Repeating(() => this.#sendAll());

  constructor(store, session, { clock, random, push }) {
    this.#store = store;
    this.#session = session;
    this.#alarms = new Alarms(clock);
    this.#random = random;
    this.#push = push;
  }

  /** A session has begun, and with it every reason to wait has gone. */
  begin() {
    this.isReady = true;
    this.#isPaused = false;
    this.#store.outbox.resting.clear();
    this.pump();
  }

  end() {
    this.isReady = false;
    this.#store.outbox.shut();
    this.#alarms.cancelAll();
  }

  /** Sends what waits, as far as it is its turn. */
  pump() { this.#pump.ask().catch(report); }

  // In the store's turn, so that nothing is sent while it is being changed.
  async #sendAll() {
    await this.#store.inTurn(() => {
      while (this.isReady && !this.#isPaused) {
        const item = this.#store.outbox.takeNext();
        if (!item) return;
        const { connection } = this.#session;
        this.#session.send(item.action, commandOf(item), (failure, ok) => (
          this.#push({ item, failure, ok, connection })));
      }
    });
  }

  /** The relay has answered, or couldn't be asked. Returns the conversations that changed. */
  async answered({ item, failure, ok }, position) {
    const changed = new Set([item.destination]);
    if (!failure && !isAnswer(item, ok)) {
      // Asked again, it may say more; its key keeps it from being stored twice.
      this.#store.outbox.missed(item.id);
      this.#pause();
    } else if (!failure || (item.action === "delete" && failure.code === "gone")) {
      this.#tries = 0;
      const conversation = await this.#store.accepted(item.id, ok ?? {}, position);
      if (conversation) changed.add(conversation);
    } else if (isNoAnswer(failure)) {
      this.#store.outbox.missed(item.id);
      if (failure.code === "timed_out") this.#pause();
    } else {
      const { code, message: detail, retry, conversation } = failure;
      if (code === "rate_limited" && conversation) return this.#rest(item, failure.retryAfter ?? 0);
      const wait = await this.#store.change((unit) => (
        this.#store.outbox.refused(unit, item.id, { code, detail, retry })));
      if (code === "token_expired") this.#session.renew();
      if (scopeOf(failure, item) === "passing") this.#pause(wait ?? failure.retryAfter);
    }
    this.pump();
    return changed;
  }

  // A group takes the next message only after a time, which costs no try and holds up nothing else.
  #rest({ id, destination }, wait) {
    const { outbox } = this.#store;
    outbox.missed(id);
    outbox.resting.add(destination);
    this.#alarms.set(destination, wait + 250 * this.#random(), () => this.wake(destination));
    this.pump();
    return new Set([destination]);
  }

  /** The time is over, or slow mode there has changed. */
  wake(destination) {
    if (this.#store.outbox.resting.delete(destination)) this.pump();
  }

  // At least as long as was asked for, and a random and growing time on top, so that many don't come at once.
  #pause(asked = 0) {
    this.#isPaused = true;
    this.#tries = Math.min(this.#tries + 1, 6);
    this.#alarms.set("pause", asked + 250 * 2 ** this.#tries * this.#random(), () => {
      this.#isPaused = false;
      this.pump();
    });
  }
}

const isNoAnswer = ({ code }) => ["connection_lost", "not_connected", "timed_out"].includes(code);

/** Keeps what has happened to a conversation by a command of this device. */
const lined = (event, more = () => ({})) => async ({ cache }, ok, members) => {
  if (ok.position !== undefined && !ok.duplicate) {
    await cache.changed(members.conversation, { event, position: ok.position, time: ok.time, ...more(ok, members) });
  }
  return [members.conversation];
};

/** How an answer is kept, by the command; each returns the conversations that changed. */
const lessons = {
  __proto__: null,
  async history(unit, ok, { conversation }, { before, settle, asked }) {
    const messages = (ok.messages ?? []).filter((one) => (
      isSound({ position: "", ...one, conversation, type: "message" })));
    for (const message of messages) await unit.settle({ ...message, conversation });
    const events = (ok.events ?? []).filter((one) => isSound({ ...one, conversation, type: "conversation" }));
    await unit.cache.takeHistory({ ...ok, conversation, messages, events }, before, asked);
    if (settle) await unit.cache.settle(conversation, ...settle, asked);
    return [conversation];
  },
  async "conversation.members"({ cache, identity }, ok, { conversation }) {
    for (const one of ok.members) if (one.user !== identity.user) await cache.takeReceipt({ ...one, conversation });
    return [conversation];
  },
  async "conversation.get"(unit, ok, { conversation }) {
    await unit.takeConversation(ok.conversation);
    // An answer about another one would be asked for for ever.
    if (ok.conversation.conversation !== conversation) await unit.cache.forget(conversation);
    return [conversation, ok.conversation.conversation];
  },
  async "conversation.create"(unit, ok) {
    await unit.takeConversation(ok.conversation);
    const { conversation, kind, name } = ok.conversation;
    if (kind === "group" && !ok.duplicate) await unit.cache.changed(conversation, { ...ok, event: "created", name });
    return [ok.conversation.conversation];
  },
  async "invite.open"(unit, ok) {
    if (!ok.conversation) return [];
    await unit.takeConversation(ok.conversation);
    const { conversation, kind } = ok.conversation;
    const users = [unit.identity.user];
    if (kind === "group" && !ok.duplicate) await unit.cache.changed(conversation, { ...ok, event: "added", users });
    return [conversation];
  },
  async "conversation.list"(unit, ok, { requests }) {
    for (const told of ok.conversations) await unit.takeConversation(told);
    if (!requests && ok.next === undefined) unit.identity.isListed = true;
    return ok.conversations.map((told) => told.conversation);
  },
  "user.get": () => [],
  async "conversation.leave"({ cache }, _, { conversation }) {
    await cache.forget(conversation);
    return [conversation];
  },
  "conversation.rename": lined("renamed", (_, { name }) => ({ name })),
  "conversation.describe": lined("described"),
  // For a repetition, the relay doesn't say which users it added.
  "conversation.add": lined("added", ({ users }) => ({ users })),
  "conversation.remove": lined("removed", (_, { users }) => ({ users })),
  "conversation.role": lined("role", (_, { user, role }) => ({ user, role })),
  "conversation.expiry": lined("expiry", (_, { after }) => ({ after })),
  "conversation.ban": lined("removed", (_, { user, reason }) => ({ users: [user], banned: true, reason })),
  "conversation.unban": lined("unbanned", (_, { user }) => ({ user })),
  "conversation.timeout": lined("timeout", ({ time }, { user, after, reason }) => ({ user, until: after && time + after, reason })),
  "conversation.posting": lined("posting", (_, { posting }) => ({ posting })),
  "conversation.slow": lined("slow", (_, { after }) => ({ after })),
  "conversation.joining": lined("joining", (_, { joining }) => ({ joining })),
  "join.accept": lined("added", (_, { user }) => ({ users: [user] })),
  async delete({ cache, identity }, ok, { conversation, sequence, reason }) {
    if (!ok.duplicate) await cache.delete(conversation, sequence, ok.time ?? 1, { ...ok, from: identity.user, reason });
    return [conversation];
  },
  "conversation.pin": lined("pinned", (_, { sequence }) => ({ pin: sequence })),
};

/** Asks the relay for what this device doesn't have. The writer keeps the answers, among events in the order in which
 *  they came; every tab asks it for what that tab shows. */
class Asker {
  #store;
  #session;
  #tabs;
  #screen;
  #people;
  #clock;
  #push;
  #run = new Repeating(() => this.#askAnew());
  /** The newest message from before this session, until it is known whether the relay still has it. */
  doubted;

  constructor(engine, session, { clock, push }) {
    this.#store = engine.store;
    this.#session = session;
    this.#tabs = engine.tabs;
    this.#screen = engine.screen;
    this.#people = engine.people;
    this.#clock = clock;
    this.#push = push;
  }

  /** Asks for all that was left out. Without a session there is nothing to ask; the next one begins here again. */
  refresh() { this.#run.ask().catch((error) => { if (!(error instanceof RoostError)) report(error); }); }

  // -- The writer's

  /** Sends a command once. */
  ask(type, members = {}, take) {
    return new Promise((resolve, reject) => {
      const { connection } = this.#session;
      this.#session.send(type, members, (failure, ok) => {
        if (failure) reject(failure);
        else this.#push({ ok, connection, take, resolve, reject });
      });
    });
  }

  /** Sends a request of the app. Its pages of history aren't kept: those of threads have holes. */
  request(type, members) {
    if (this.#session.waiting >= REQUESTS_WAITING) throw tooMany();
    return this.ask(type, members, type !== "history" && this.#lesson(type, members));
  }

  /** How an answer is kept, if it is. */
  #lesson(type, members, how) {
    return lessons[type] && (async (unit, ok) => {
      const changed = await lessons[type](unit, ok, members, how);
      return (await unit.cache.takePeople(ok.people ?? ok.profiles ?? [])) ? [null] : changed;
    });
  }

  /** An answer has come: it is kept now. */
  async answered({ ok, take, resolve, reject }, position) {
    try {
      if (take || position !== undefined) {
        this.#screen.tell(await this.#store.change((unit) => {
          if (position !== undefined) unit.identity.position = position;
          return take ? take(unit, ok) : [];
        }));
      }
      resolve(ok);
    } catch (error) {
      reject(error);
    }
  }

  /** Asks again for as long as the relay asks to come back later, and keeps the answer. */
  async learned(type, members, how = {}) {
    for (let tries = 1; ; tries++) {
      try {
        const asked = this.#store.doubts.count;
        return await this.ask(type, members, this.#lesson(type, members, { ...how, asked }));
      } catch (error) {
        if (!error.retry || isNoAnswer(error) || tries >= PATIENCE) throw error;
        await new Promise((resolve) => this.#clock.set(error.retryAfter ?? 1_000, resolve));
      }
    }
  }

  // -- Every tab's

  /** Asks through the writer, which keeps the answer. */
  learn(type, members, how) { return this.#tabs.call("learn", type, members, how); }

  history(conversation, members, how) { return this.learn("history", { conversation, events: true, ...members }, how); }

  async members(conversation) {
    const members = [];
    let after;
    do {
      const ok = await this.learn("conversation.members", { conversation, limit: 100, after });
      members.push(...ok.members);
      after = ok.next;
    } while (after !== undefined);
    return members;
  }

  // Asks for left-out data, in the order in which people miss it.
  async #askAnew() {
    if (this.#screen.state.value.connection.state !== "connected") return;
    if (this.#tabs.isWriter) {
      await this.#verify();
      await this.#askStale();
      for (let before; !this.#store.identity.isListed;) {
        before = (await this.learned("conversation.list", { limit: 100, before })).next;
      }
      await this.#askStale();
    }
    await this.#screen.flush();
    await this.#askNames();
    for (const view of this.#screen.timelines) await this.#askOpen(view);
    await this.#askNames();
    await this.#tabs.call("watch", this.#people.wanted(this.#screen.views));
  }

  // An operator may have restored older files of the relay under the same epoch. Then this device's newest message
  // isn't there, or is another one.
  async #verify() {
    const { doubted } = this;
    this.doubted = undefined;
    if (!doubted) return;
    const { conversation, sequence } = doubted;
    const known = await this.#store.read(({ cache }) => cache.conversation(conversation));
    // The user has left it, or it is asked for anyway.
    if (!known || known.stale) return;
    try {
      const members = { conversation, before: sequence + 1, limit: 1 };
      const { messages = [], gaps = [] } = await this.learned("history", members);
      const found = messages.find((one) => one.sequence === sequence);
      if (found ? !differs(doubted, found) : gaps.some(({ from, to }) => from <= sequence && sequence <= to)) return;
      // Retention may have taken it, but not its number.
      if (!found && (await this.learned("conversation.get", { conversation })).conversation.sequence >= sequence) return;
    } catch (error) {
      if (error.code !== "not_found") throw error;
    }
    await this.#store.rewind(conversation);
  }

  async #askStale() {
    for (;;) {
      const stale = await this.#store.read(({ rows }) => rows.find("conversations", { index: "stale", limit: 16 }));
      if (!stale.length) return;
      for (const { id } of stale) {
        try {
          await this.learned("conversation.get", { conversation: id });
        } catch (error) {
          if (!isRefusal(error)) throw error;
          // The user is no longer in it, and this device missed the event.
          await this.#store.change(({ cache }) => cache.forget(id));
          this.#screen.tell([id]);
        }
      }
    }
  }

  // Asks for the data of an open timeline: its messages, receipts, reactions.
  async #askOpen(view) {
    if (!view.conversation) return;
    const { id, count, first, sequence } = view.conversation;
    if (!view.wasAsked) {
      view.wasAsked = true;
      try {
        if (count <= RECEIPT_MEMBERS) await this.members(id);
        const shown = view.shown.value.items.filter((item) => item.type === "message");
        if (shown.length < WINDOW && first <= sequence) {
          await this.history(id, { limit: PAGE }, { before: Infinity });
          // The window began where this device began.
          if (view.window.isAtEnd) view.window.toEnd();
          this.#screen.tell([id], false);
        }
      } catch (error) {
        if (!isRefusal(error)) view.wasAsked = false;
        throw error;
      }
    }
    await this.#screen.flush();
    if (!view.stale) return;
    const { from, limit } = view.stale;
    await this.history(id, { after: from - 1, limit }, { settle: [from, from + limit - 1] });
  }

  // Profiles of shown users: the list and events don't contain all, and changes while there was no session don't come.
  async #askNames() {
    const shown = [...this.#screen.views].flatMap((view) => Object.keys(view.shown.value.people));
    const users = [...new Set(shown)].filter((user) => user && !this.#screen.asked.has(user));
    for (let some; (some = users.splice(0, USERS_ASKED)).length;) {
      await this.learn("user.get", { users: some }).catch((error) => { if (!isRefusal(error)) throw error; });
      for (const user of some) this.#screen.asked.add(user);
    }
    await this.#screen.flush();
  }
}

/** Presence, typing, and the use of this device: all state of the moment. */
class People {
  notices = new Notices();
  presences = new Changing(new Map());
  activity = "active";
  #tabs;
  #store;
  #screen;
  #watching = new Watching();
  #followed = [];
  #activities = new Map();
  #told = "active";
  #ask = null;

  constructor({ tabs, store, screen }) {
    this.#tabs = tabs;
    this.#store = store;
    this.#screen = screen;
  }

  /** A session has begun. `ask` sends a command. */
  begin(ask) {
    this.#ask = ask;
    this.#watching.begin();
    this.#told = "active";
    this.#tellActivity();
  }

  /** The session has ended. */
  end() {
    this.#ask = null;
    this.#screen.tell(this.notices.end(), false);
  }

  /** Another user begins. */
  forget() {
    this.notices.forgetAll();
    this.presences.show(new Map());
  }

  // -- Notices

  /** Takes what isn't kept of an event. Returns the conversations that look different. */
  take(event) {
    const { users = [], conversations = [], conversation, by } = event;
    const { user } = this.#store.identity;
    switch (event.type) {
      case "message": this.notices.sent(event.from, conversation); return [];
      // The end of typing from before the user came, or since it has left, may not come.
      case "conversation":
        if (!users.includes(user) && (event.event !== "left" || by !== user)) return [];
        this.notices.leave(conversation);
        break;
      case "typing": this.notices.takeTyping(event); break;
      case "presence": this.#takePresence(users, conversations); break;
      default: return [];
    }
    this.#tabs.tell("notices", this.notices.written);
    return conversation ? [conversation] : conversations.map((one) => one.conversation);
  }

  #takePresence(users, conversations) {
    this.notices.takePresence(users, conversations);
    this.presences.show(new Map(this.notices.presences));
  }

  /** Takes what the writer knows. */
  replace(notices) {
    const before = this.notices.conversations;
    this.notices.replace(notices);
    this.presences.show(new Map(this.notices.presences));
    this.#screen.tell([...before, ...this.notices.conversations], false);
  }

  // -- Watching

  follow(users) { this.#followed = [...users]; }

  /** Users whose presence this tab shows: the others of listed and open conversations, and those that the app
   *  follows. */
  wanted(views) {
    const users = new Set(this.#followed);
    const conversations = [];
    for (const { shown, conversation } of views) {
      for (const row of shown.value.rows ?? []) if (row.peer) users.add(row.peer);
      for (const user of conversation?.members ?? []) users.add(user);
      if (conversation?.kind === "group") conversations.push(conversation.id);
    }
    users.delete(this.#store.identity.user);
    return { users: [...users], conversations };
  }

  /** For the writer: a tab shows these. */
  watch(tab, wanted, ask) {
    return this.#watching.want(tab, wanted, ask, (ok) => {
      this.#screen.tell(this.take({ ...ok, type: "presence" }), false);
    });
  }

  // -- Activity

  /** How this tab is used. The device is used if one of its tabs is. */
  setActivity(activity) {
    this.activity = activity;
    this.#tabs.tell("activity", activity);
    this.#tellActivity();
  }

  /** How another tab is used. */
  takeActivity(tab, activity) {
    this.#activities.set(tab, activity);
    this.#tellActivity();
  }

  /** A tab has ended. */
  gone(tab) {
    this.#activities.delete(tab);
    this.#watching.forget(tab);
    this.#tellActivity();
  }

  #tellActivity() {
    const all = [this.activity, ...this.#activities.values()];
    const state = ["active", "idle", "background"].find((one) => all.includes(one)) ?? "active";
    if (!this.#ask || state === this.#told) return;
    this.#told = state;
    this.#ask("presence", { state }).catch(() => {});
    // A device in the background gets no typing.
    if (state === "background") this.#screen.tell(this.notices.endTyping(), false);
  }
}

/** Whether the relay has said no, other than for now. */
const isRefusal = (error) => error instanceof RoostError && !error.retry;

/** The users and groups whose presence this session watches, for all tabs. The relay forgets them with the session. */
class Watching {
  #wanted = new Map();
  #watched = { users: new Set(), conversations: new Set() };

  /** A session begins. */
  begin() { this.#watched = { users: new Set(), conversations: new Set() }; }

  /** A tab has ended. */
  forget(tab) { this.#wanted.delete(tab); }

  /** Sets the users that a tab shows now. Users that no tab shows any more stay watched as long as there is room. */
  async want(tab, wanted, ask, take) {
    this.#wanted.set(tab, wanted);
    for (const [name, most] of [["users", USERS_WATCHED], ["conversations", CONVERSATIONS_COUNTED]]) {
      const watched = this.#watched[name];
      const all = new Set([...this.#wanted.values()].flatMap((one) => one[name]).slice(0, most));
      const added = [...all].filter((one) => !watched.has(one));
      const tooMany = watched.size + added.length - most;
      const gone = tooMany > 0 ? [...watched].filter((one) => !all.has(one)).slice(0, tooMany) : [];
      for (const one of gone) watched.delete(one);
      for (const one of added) watched.add(one);
      if (gone.length) await ask("unwatch", { [name]: gone });
      await this.#add(name, added, ask, take);
    }
  }

  // One that the user may not watch makes the relay refuse all of a command, so that halves are asked then.
  async #add(name, added, ask, take) {
    if (!added.length) return;
    try {
      take(await ask("watch", { [name]: added }));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (added.length < 2) return;
      await this.#add(name, added.slice(0, added.length >> 1), ask, take);
      await this.#add(name, added.slice(added.length >> 1), ask, take);
    }
  }
}

/** Keeps the store and the relay together: events go to the store and are acked then, what the user does goes to the
 *  outbox and from there to the relay. Every tab has one; that of the writer has the session. */
class Engine {
  store;
  tabs;
  screen;
  people;
  asker;
  clock;
  events = new Changing();
  #settings;
  #vault;
  #session;
  #sender;
  #alarms;
  #inbox = [];
  #drain = new Repeating(() => this.#drainAll());
  #isWanted = false;
  #isLive = false;
  // It has nothing to do with the other tabs any more: another user came there, or its own signed out.
  #isParted = false;
  // The newest message from before the session.
  #newest;
  // Names the session, so that other tabs notice another one.
  #mark = "";
  #stops = [];

  constructor(settings) {
    // Tests hand in their own clock, chance and disk.
    const { clock = systemClock, random = Math.random, storage, name = "roost" } = settings;
    const open = settings.disk ?? (globalThis.indexedDB ? (onLost) => Disk.open(`roost.${name}`, onLost) : null);
    this.#settings = settings;
    this.clock = clock;
    this.#alarms = new Alarms(clock);
    this.#vault = new Vault(storage === "memory" ? null : open, clock);
    this.store = new Store(this.#vault, new Outbox(settings), settings.user);
    this.store.onWrongUser = ({ message }) => this.#part({ state: "failed", reason: "wrongUser", detail: message });
    this.store.onRewound = (conversation) => this.#rewound(conversation);
    this.store.onDraft = (draft) => this.#tellEvent({ type: "draft", ...draft });
    this.store.outbox.isWriter = false;
    this.tabs = new Tabs(`roost.${name}`, this);
    this.screen = new Screen(this.store, this.tabs, clock);
    this.people = new People(this);
    this.#session = new Session(settings, this, clock, random);
    const push = (entry) => this.#push(entry);
    this.#sender = new Sender(this.store, this.#session, { clock, random, push });
    this.asker = new Asker(this, this.#session, { clock, push });
  }

  async begin() {
    await this.#vault.reopen();
    this.#vault.onChange = (isOther) => this.#stored(isOther).catch(report);
    await this.#load(true);
    this.#join();
    this.#listen();
    this.screen.tell(null);
    await this.screen.flush();
    this.#tick();
  }

  // The acts of another tab that couldn't say so are on the disk. Most often there are none.
  #tick() {
    if (!this.#vault.isShared || this.#isParted) return;
    this.#alarms.set("tick", TICK_TIME, () => this.#tick());
    Promise.all([this.tabs.tick(), this.#look()]).catch(report);
  }

  async #look() {
    if (!(await this.store.isBehind())) return;
    await this.#reread([null]);
    // Its user has signed out in a tab that couldn't say so.
    if (this.store.user !== undefined && this.store.identity.user === undefined) this.#part({ state: "offline" });
  }

  async #load(isStart) {
    const { device, storage } = this.#settings;
    // A tab that has no store yet mustn't take the place of another one.
    const { isStored, isRescued } = this.#vault;
    const isAlone = storage !== "memory" && !isStored && !isRescued && globalThis.indexedDB;
    await this.store.load((!isAlone && device) || `web-${randomName().slice(0, 12)}`, isStart);
  }

  // Without a store in common, a tab could show nothing of what another one gets.
  #join() { this.tabs.begin(this.#vault.isShared); }

  // The page comes back, or the network does.
  #listen() {
    if (!globalThis.document) return;
    const on = (target, name, body) => {
      target.addEventListener(name, body);
      this.#stops.push(() => target.removeEventListener(name, body));
    };
    for (const name of ["online", "pageshow"]) on(globalThis, name, () => this.wake());
    on(globalThis, "pagehide", () => this.tabs.release());
    on(document, "visibilitychange", () => { if (document.visibilityState === "visible") this.wake(); });
  }

  // The disk works, or doesn't any more; or another one has taken its place.
  async #stored(isOther) {
    this.screen.note({ isStored: this.#vault.isStored, storeProblem: this.#vault.problem });
    if (isOther) {
      this.#session.drop();
      this.tabs.leave();
      this.store.outbox.isWriter = false;
      await this.#load(false);
      this.screen.begin(true);
      this.screen.note({ isWriter: false, connection: { state: this.#isWanted ? "connecting" : "offline" } });
      this.#join();
    }
    this.screen.tell(null);
    this.#tick();
  }

  // -- Tabs

  /** Other tabs can hear this one. */
  joined() {
    this.tabs.tell("hello");
    this.alive();
  }

  alive() { this.tabs.tell("activity", this.people.activity); }

  lease(owner, how) { return this.#vault.lease(owner, how); }

  /** Another tab has the session from now on. */
  yielded(isHeard) {
    this.store.outbox.isWriter = false;
    this.#session.drop();
    const connection = isHeard ? { state: "connecting" } : { state: "failed", reason: "takenOver", detail: "by another tab" };
    this.screen.note({ isWriter: false, ...this.#isWanted && { connection } });
  }

  /** This tab has the session from now on. */
  async became() {
    this.store.outbox.isWriter = true;
    this.screen.note({ isWriter: true });
    try {
      await this.store.reload();
    } catch (error) {
      return report(error);
    }
    this.screen.tell(null);
    if (this.#isWanted) this.#session.connect();
  }

  // Lets another tab have the session, and leaves all as it is shown.
  #part(connection) {
    this.#isParted = true;
    this.tabs.leave();
    this.store.outbox.isWriter = false;
    this.#session.drop();
    this.screen.note({ isWriter: false, connection });
  }

  /** Another tab says something. */
  heard(kind, content, from) {
    const { isWriter } = this.tabs;
    switch (kind) {
      case "hello": if (isWriter) this.#tellState(); break;
      case "writer": this.#introduce(); break;
      case "unwanted": this.#isWanted = false; break;
      // The token of this tab would sign its user in again.
      case "signedOut": this.#part({ state: "offline" }); break;
      case "state": if (!isWriter) this.#follow(content); break;
      case "notices": if (!isWriter) this.people.replace(content); break;
      case "changed": this.#reread(content).catch(report); break;
      case "added": this.#adopt(content).catch(report); break;
      case "sent": if (!this.#vault.isStored) this.store.forgetKey(content).catch(report); break;
      case "activity": this.people.takeActivity(from, content); break;
      case "event": this.events.tell(content); break;
    }
  }

  // Says to a new writer what this tab wants.
  #introduce() {
    this.alive();
    if (this.#isWanted) this.tabs.call("connect").catch(() => {});
    this.screen.begin(false);
    this.asker.refresh();
  }

  #follow({ mark, ...state }) {
    const isNew = mark !== this.#mark;
    this.#mark = mark;
    this.screen.note(state);
    if (!isNew) return;
    this.screen.begin(false);
    this.asker.refresh();
  }

  #tellState() {
    if (!this.tabs.isWriter) return;
    const { connection, isUpToDate, status } = this.screen.state.value;
    this.tabs.tell("state", { connection, isUpToDate, status, told: this.screen.told, mark: this.#mark });
    this.tabs.tell("notices", this.people.notices.written);
  }

  // Notes a change of the session's state, for all tabs.
  #note(change) {
    this.screen.note(change);
    this.#tellState();
  }

  async #reread(changed) {
    await this.store.reload();
    this.screen.tell(changed, false);
    this.asker.refresh();
    if (this.tabs.isWriter) this.#sender.pump();
  }

  // Another tab's typed text is on disk, if it and this tab can use it; it may have gone from there already.
  async #adopt({ item, isStored }) {
    await this.#reread([item.destination]);
    if (!this.tabs.isWriter || (isStored && this.#vault.isStored)) return;
    await this.store.adopt(item);
    await this.#reread([item.destination]);
  }

  /** A tab has ended, perhaps before it could say what it stored. */
  gone(tab) {
    this.people.gone(tab);
    this.#look().catch(report);
  }

  /** A tab asks the writer, which is this one. */
  call(method, values, from) {
    const calls = {
      connect: () => this.#connect(),
      wake: () => this.#session.wake(),
      disconnect: () => this.#disconnect(),
      signOut: () => this.#signOut(),
      request: (type, members) => this.asker.request(type, members),
      learn: (type, members, how) => this.asker.learned(type, members, how),
      typing: (to, isActive) => this.#session.transmit("typing", isActive ? { to } : { to, active: false }),
      watch: (wanted) => this.people.watch(from, wanted, (type, members) => this.asker.learned(type, members)),
      change: (act, ...rest) => this.#change(act, rest),
    };
    if (!Object.hasOwn(calls, method)) throw new RoostError("unknown_type");
    return calls[method](...values);
  }

  // -- The session

  async connect() {
    this.#isWanted = true;
    if (this.#isParted) {
      try {
        await this.store.reload();
      } catch (error) {
        return report(error);
      }
      this.#isParted = false;
      this.#join();
      this.#tick();
    }
    const { connection } = this.screen.state.value;
    if (connection.state === "offline") this.screen.note({ connection: { state: "connecting" } });
    // Whichever tab has the session, or gets it, connects; this one needn't wait for that.
    this.tabs.call("connect").catch(() => {});
  }

  #connect() {
    this.#isWanted = true;
    this.#session.connect();
  }

  wake() {
    this.#vault.reopen();
    this.#tick();
    if (this.#isWanted) this.tabs.call("wake").catch(() => {});
  }

  async disconnect() {
    this.#isWanted = false;
    await this.tabs.call("disconnect");
  }

  #disconnect() {
    this.#isWanted = false;
    this.tabs.tell("unwanted");
    return this.#session.disconnect();
  }

  async signOut() {
    this.#isWanted = false;
    await this.tabs.call("signOut");
    this.tabs.tell("signedOut");
    this.store.release();
    await this.store.reload();
    this.screen.tell(null, false);
    await this.screen.flush();
  }

  async #signOut() {
    await this.#disconnect();
    await this.#drain.ask();
    await this.store.signOut();
    this.people.forget();
    this.screen.begin(true);
    this.screen.tell(null);
  }

  close() {
    this.#isWanted = false;
    this.#alarms.cancelAll();
    for (const stop of this.#stops.splice(0)) stop();
    this.screen.end();
    this.#session.drop();
    this.tabs.leave();
    this.#vault.close();
  }

  /** For the session: who the device is, once everything that came is stored. */
  async place() {
    await this.#drain.ask();
    await this.store.reload();
    return { ...this.store.identity, user: this.store.user };
  }

  /** For the session: it has begun. */
  welcomed(welcome, isResumed) { this.#push({ welcome, isResumed, connection: this.#session.connection }); }

  /** For the session: an event. */
  told(event, connection) {
    if (this.#inbox.length >= EVENTS_WAITING) this.#session.overrun();
    else if (isSound(event)) this.#push({ event, connection });
  }

  /** For the session: the state of the connection. */
  changed(connection) {
    this.#isLive = false;
    this.#sender.end();
    this.screen.note({ connection, isUpToDate: false, told: null });
    this.people.end();
    this.#tellState();
    // By another tab, if it has the lease.
    if (connection.reason === "takenOver") this.tabs.tick();
  }

  #push(entry) {
    this.#inbox.push(entry);
    this.#drain.ask().catch(report);
  }

  // Everything that came is stored in the order in which it came: events, answers, and what became of items.
  async #drainAll() {
    while (this.#inbox.length) {
      const events = [];
      while (this.#inbox[0]?.event && events.length < EVENTS_AT_ONCE) events.push(this.#inbox.shift());
      try {
        await (events.length ? this.#takeOrSkip(events) : this.#takeOne(this.#inbox.shift()));
      } catch (error) {
        if (error.code === "wrong_user") this.#session.refuse(error);
        // Nothing of it was acked, so that it comes again.
        this.#session.overrun();
        report(error);
      }
    }
  }

  // Events that fail among others are taken alone. One that fails again would fail each time it comes: it is left out.
  async #takeOrSkip(entries, isAgain) {
    try {
      await this.#takeEvents(entries);
    } catch (error) {
      if (error.code === "wrong_user") throw error;
      report(error);
      if (!isAgain) {
        for (const entry of entries) await this.#takeOrSkip([entry], true);
        return;
      }
      const [{ event, connection }] = entries;
      await this.store.skip(event);
      if (isText(event.position)) this.#session.ack(event.position, connection);
      this.screen.begin(false);
      this.screen.tell([event.conversation]);
      this.asker.refresh();
    }
  }

  async #takeOne(entry) {
    const { welcome, item, ok, connection } = entry;
    // On a live connection the relay sends no other event about an own command (Docs/Protocol.md, section 6).
    const isPlace = ok?.position && !ok.duplicate && this.#isLive && connection === this.#session.connection;
    const position = isPlace ? ok.position : undefined;
    if (welcome) await this.#takeWelcome(entry);
    else if (item) await this.#takeAnswer(entry, position);
    else await this.asker.answered(entry, position);
    if (isPlace) this.#session.ack(position, connection);
  }

  async #takeAnswer(entry, position) {
    this.screen.tell(await this.#sender.answered(entry, position));
    this.asker.refresh();
    if (!entry.failure) this.tabs.tell("sent", entry.item.key);
  }

  // A conversation shows older files on a connection whose other events must not count any more. The next one reads
  // anew.
  #rewound(conversation) {
    if (conversation !== undefined) {
      this.#inbox = this.#inbox.filter((entry) => !entry.event && !entry.welcome);
      this.#session.overrun();
    }
    this.screen.begin(true);
    this.screen.tell(null);
    this.#tellEvent({ type: "rewound", conversation });
  }

  // For modules beside this one, such as roost-people.js.
  #tellEvent(event) {
    this.events.tell(event);
    this.tabs.tell("event", event);
  }

  async #takeWelcome({ welcome, isResumed, connection }) {
    const isEmptied = await this.store.begin(welcome, isResumed, this.#session.ahead);
    this.#mark = randomName();
    this.#newest = isResumed ? this.store.identity.newest : undefined;
    this.screen.begin(isEmptied);
    this.screen.tell(null);
    // It may have been lost meanwhile.
    if (connection !== this.#session.connection || !this.#session.isReady) return;
    const { status, badge, limits } = welcome;
    const told = isWhole(badge) ? badge : null;
    const textMost = isWhole(limits?.textScalars) ? limits.textScalars : 20_000;
    this.screen.note({ connection: { state: "connected" }, status: statusOf(status), told, textMost });
    this.people.begin((type, members) => this.asker.ask(type, members));
    this.#sender.begin();
    this.asker.refresh();
    this.#tellState();
  }

  async #takeEvents(entries) {
    const { connection } = entries.at(-1);
    const events = entries.map((entry) => entry.event);
    const kept = events.filter((event) => event.type in shapes);
    const position = kept.map((event) => event.position).filter(Boolean).pop();
    const changed = kept.length ? await this.store.take(kept, position) : new Set();
    if (position !== undefined) this.#session.ack(position, connection);
    for (const event of events) {
      try { for (const id of this.people.take(event)) changed.add(id); } catch (error) { report(error); }
      if (event.type === "status") this.#note({ status: statusOf(event) });
      if (event.type === "badge") this.#note({ told: event.unread });
      // Snapshots contain everything about messages and typing.
      if (!["message", "typing"].includes(event.type)) this.#tellEvent(event);
    }
    const isNow = connection === this.#session.connection;
    if (isNow && events.some((event) => event.type === "live")) {
      this.#isLive = true;
      this.asker.doubted = this.#newest;
      // It is said once all of it shows.
      const flushed = () => {
        if (this.#isLive && connection === this.#session.connection) this.#note({ isUpToDate: true });
      };
      this.screen.tell(changed);
      this.screen.flush().then(flushed, report);
    }
    if (changed.size) this.screen.tell(changed);
    if (!isNow) return;
    this.asker.refresh();
    for (const { type, event, conversation } of events) {
      if (type === "conversation" && ["slow", "role"].includes(event)) this.#sender.wake(conversation);
    }
    const names = new Set(this.store.outbox.parked.size ? events.flatMap(probed) : []);
    if (!names.size) return;
    await this.store.probe(names);
    this.#sender.pump();
  }

  // -- What the user does

  /** Puts an act into the outbox. It is stored when this resolves, whichever tab it is, and shows. */
  async add(destination, act, about, endsDraft) {
    const key = randomName();
    const item = await this.store.add(destination, { ...act, key }, about, endsDraft);
    await this.#added(item, [item.destination, destination]);
    return key;
  }

  async #added(item, changed) {
    this.tabs.tell("added", { item, isStored: this.#vault.isStored });
    this.#sender.pump();
    this.screen.tell(changed);
    // A stored change is done, even if showing it fails.
    await this.screen.flush().catch(() => {});
  }

  async seen(destination, sequence) {
    const item = await this.store.seen(destination, sequence, randomName());
    if (item) await this.#added(item, [item.destination]);
  }

  async keepDraft(destination, text) { await this.#showDraft(await this.store.keepDraft(destination, text)); }

  async shareDraft(...draft) { await this.#showDraft(await this.store.shareDraft(...draft)); }

  async #showDraft(changed) {
    this.screen.tell(changed);
    await this.screen.flush().catch(() => {});
  }

  /** Changes or deletes a message. One that waits is simply another text then, or taken back. */
  async revise(destination, about, act) {
    const isWaiting = await this.store.read(async (unit) => (
      (await targetOf(unit, about, await unit.cache.resolve(destination), destination)).parent !== undefined));
    if (isWaiting) await this.change("revise", destination, about, act);
    else await this.add(destination, act, about);
  }

  /** Lets the writer, which alone knows what is under way, change what waits. */
  async change(act, ...values) { await this.tabs.call("change", act, ...values); }

  async #change(act, values) {
    const after = await this.store.changeWaiting(act, values);
    if (after) await this.add(...after);
    this.screen.tell(null);
    await this.screen.flush();
    this.#sender.pump();
  }
}

function statusOf(told) {
  const { state = "auto", text, until } = told ?? {};
  return { state, ...(text && { text }), ...(until && { until }) };
}

// ---- What an app holds ----------------------------------------------------------------------------------------------

/** A conversation on the screen: a window of its messages, and all that the user does in it. */
class Timeline {
  #engine;
  #view;
  // The text being written, until it is stored and shown.
  #draft = "";
  #writing = 0;
  #typedAt = null;

  constructor(engine, view) {
    this.#engine = engine;
    this.#view = view;
  }

  get destination() { return this.#view.destination; }

  get draft() { return this.#writing ? this.#draft : this.snapshot.draft; }

  get snapshot() { return this.#view.shown.value; }

  onChange(listener) { return this.#view.shown.onChange(listener); }

  // -- Writing

  send(text, options) { return this.#send({ body: text }, options); }

  sendBody(kind, body, options) { return this.#send(kind === "text" ? { body } : { kind, body }, options); }

  async #send(content, { replyTo, ...more } = {}) {
    // Of what is written elsewhere there is no draft here.
    const isDraft = !content.kind && !more.thread && !more.forward;
    const key = await this.#engine.add(this.destination, { ...more, ...content, action: "send" }, replyTo, isDraft);
    // Sending ends typing.
    this.#typedAt = null;
    return `k:${key}`;
  }

  edit(id, body, { mentions, ifVersion } = {}) {
    return this.#engine.revise(this.destination, id, { action: "edit", body, mentions, ifVersion });
  }

  delete(id) { return this.#engine.revise(this.destination, id, { action: "delete" }); }

  async react(id, reaction, isOn = true) {
    await this.#engine.add(this.destination, { action: "react", reaction: reactionForm(reaction), isOn }, id);
  }

  // -- What the relay refused

  retry(item) { return this.#engine.change("retry", item); }

  replace(item, text) { return this.#engine.change("replace", item, text); }

  discard(item) { return this.#engine.change("discard", item); }

  resume() { return this.#engine.change("resume", this.destination); }

  // -- Scrolling

  #page(range) { return this.#engine.store.read(({ rows }) => rows.find("messages", range)); }

  async loadOlder() {
    const { window, conversation } = this.#view;
    if (!conversation) return;
    const { id, sequence, first } = conversation;
    // The window may begin before the first message that is shown, where messages have gone.
    const low = this.#view.low ?? sequence + 1;
    if (low <= first) return;
    const range = { from: [id, 0], to: [id, low - 1], newest: true, limit: PAGE };
    const kept = (await this.#page(range)).map((message) => message.sequence);
    // Right below the window is a gap, which the relay can fill.
    if (kept[0] !== low - 1) {
      try {
        const asked = { before: low, limit: PAGE };
        const { messages, gaps = [] } = await this.#engine.asker.history(id, asked, { before: low });
        const start = Math.min(low, ...messages.map((one) => one.sequence), ...gaps.map((one) => one.from));
        return await this.#move(() => window.extendDown(start));
      } catch (error) {
        // The messages behind the gap are shown; the gap stays visible.
        if (!kept.length) throw error;
      }
    }
    await this.#move(() => window.extendDown(kept.at(-1) ?? low));
  }

  async loadNewer() {
    const { window, conversation } = this.#view;
    if (!conversation || window.isAtEnd) return;
    const { id, sequence } = conversation;
    const range = { from: [id, window.high + 1], to: [id, []], limit: PAGE };
    let kept = await this.#page(range);
    if (kept[0]?.sequence !== window.high + 1) {
      await this.#engine.asker.history(id, { after: window.high, limit: PAGE });
      kept = await this.#page(range);
    }
    await this.#move(() => (kept.length ? window.extendUp(kept.at(-1).sequence, sequence) : window.toEnd()));
  }

  async fill(from, to) {
    const { conversation } = this.#view;
    if (!conversation) return;
    const limit = Math.max(1, Math.min(PAGE, to - from + 1));
    await this.#engine.asker.history(conversation.id, { before: to + 1, limit }, { before: to + 1 });
    await this.#move(() => {});
  }

  async jump(sequence) {
    const { window, conversation } = this.#view;
    if (!conversation || sequence < conversation.first || sequence > conversation.sequence) return;
    const { id } = conversation;
    const end = sequence + WINDOW / 2 + 1;
    const around = await this.#page({ from: [id, 0], to: [id, end - 1], newest: true, limit: WINDOW });
    if (!around.some((message) => message.sequence === sequence)) {
      try {
        await this.#engine.asker.history(id, { before: end, limit: PAGE }, { before: end });
      } catch (error) {
        // Without a session, what is here has to do.
        if (!around.length) throw error;
      }
    }
    await this.#move(() => window.jump(sequence, conversation.sequence));
  }

  jumpToEnd() { return this.#move(() => this.#view.window.toEnd()); }

  #move(change) {
    change();
    return this.#view.refresh.ask();
  }

  async search(text) {
    const { conversation } = this.#view;
    // The newest 10,000 on this device.
    return text && conversation ? searched(this.#engine.store, conversation, text, { left: 10_000 }) : [];
  }

  // -- Reading and typing

  async seen(sequence) {
    if (this.#engine.people.activity === "active") await this.#engine.seen(this.destination, sequence);
  }

  async write(draft) {
    const isNew = draft !== this.draft;
    this.#draft = draft;
    this.#writing += 1;
    if (isNew) this.#tellTyping(draft);
    try {
      // Also if it is the same for this tab: another one may have ended it.
      await this.#engine.keepDraft(this.destination, draft);
    } finally {
      this.#writing -= 1;
    }
  }

  #tellTyping(draft) {
    const { conversation } = this.#view;
    const now = this.#engine.clock.ticks();
    const tell = (isActive) => this.#engine.tabs.call("typing", conversation.id, isActive).catch(() => {});
    if (!draft) {
      if (this.#typedAt !== null && conversation) tell(false);
      this.#typedAt = null;
    } else if (conversation && (this.#typedAt === null || now - this.#typedAt >= TYPING_TIME)) {
      this.#typedAt = now;
      tell(true);
    }
  }

  close() { this.#engine.screen.views.delete(this.#view); }
}

/** The newest messages of a conversation in which a text occurs. `budget` says how many may be looked at. */
async function searched(store, conversation, text, budget) {
  const wanted = text.toLowerCase();
  const found = [];
  for (let below = Number.MAX_SAFE_INTEGER; budget.left > 0 && found.length < FOUND;) {
    const range = { from: [conversation.id, 0], to: [conversation.id, below - 1], newest: true, limit: Math.min(500, budget.left) };
    const page = await store.read(({ rows }) => rows.find("messages", range));
    if (!page.length) break;
    found.push(...page.filter(({ kind, body }) => (
      kind === "text" && typeof body === "string" && body.toLowerCase().includes(wanted))));
    budget.left -= page.length;
    below = page.at(-1).sequence;
  }
  if (!found.length) return [];
  const builder = await store.read(async ({ cache, identity }) => new TimelineBuilder({
    user: identity.user, conversation, watermarks: await cache.watermarks(conversation.id),
  }));
  // From the newest to the oldest, there are no gaps.
  return builder.items(found.slice(0, FOUND), false);
}

/** The user's conversations, those first in which something happened last. */
class ConversationList {
  #view;

  constructor(view) { this.#view = view; }

  get snapshot() { return this.#view.shown.value; }

  onChange(listener) { return this.#view.shown.onChange(listener); }

  loadMore() { return this.#view.loadMore(); }
}

/** The chat of one user on one device. */
export class Roost {
  #engine;
  #list;

  static async open(settings) {
    const WebSocket = settings.WebSocket ?? globalThis.WebSocket;
    if (!WebSocket) throw new RoostError("no_sockets");
    const engine = new Engine({ ...settings, WebSocket });
    const list = new ListView(engine.store, engine.people.notices);
    engine.screen.views.add(list);
    await engine.begin();
    return new Roost(engine, list);
  }

  /** Use `open`. */
  constructor(engine, list) {
    this.#engine = engine;
    this.#list = new ConversationList(list);
  }

  get snapshot() { return this.#engine.screen.state.value; }

  onChange(listener) { return this.#engine.screen.state.onChange(listener); }

  get conversations() { return this.#list; }

  get presences() { return this.#engine.people.presences.value; }

  onPresence(listener) { return this.#engine.people.presences.onChange(listener); }

  // -- The session

  connect() { return this.#engine.connect(); }

  wake() { this.#engine.wake(); }

  disconnect() { return this.#engine.disconnect(); }

  signOut() { return this.#engine.signOut(); }

  close() { this.#engine.close(); }

  setActivity(activity) { this.#engine.people.setActivity(activity); }

  async setStatus(state, text, after) { await this.request("status", { state, text, after }); }

  // -- Conversations

  async timeline(destination) {
    const { store, people, screen, asker } = this.#engine;
    const view = new TimelineView(destination, store, people.notices);
    screen.views.add(view);
    await view.refresh.ask();
    asker.refresh();
    return new Timeline(this.#engine, view);
  }

  async createGroup(name, members) {
    const command = { kind: "group", name, members, key: randomName() };
    const ok = await this.#engine.asker.learn("conversation.create", command);
    return ok.conversation.conversation;
  }

  async openInvite(code) {
    const ok = await this.#engine.asker.learn("invite.open", { code });
    return ok.conversation?.conversation;
  }

  rename(conversation, name) { return this.#change("rename", { conversation, name }); }

  add(users, conversation) { return this.#change("add", { conversation, users }); }

  remove(users, conversation) { return this.#change("remove", { conversation, users }); }

  setRole(role, user, conversation) { return this.#change("role", { conversation, user, role }); }

  // Changes a group, and then asks how it is.
  async #change(act, members) {
    await this.#engine.asker.learn(`conversation.${act}`, { ...members, key: randomName() });
    await this.#engine.asker.learn("conversation.get", { conversation: members.conversation });
  }

  async leave(conversation) {
    await this.#engine.asker.learn("conversation.leave", { conversation, key: randomName() });
  }

  async members(conversation) { return this.#engine.asker.members(conversation); }

  drafts() { return this.#engine.store.drafts(); }

  shareDraft(conversation, text, isOwn) { return this.#engine.shareDraft(conversation, text, isOwn); }

  async search(text) {
    const { store } = this.#engine;
    if (!text) return [];
    const all = await store.read(({ rows }) => (
      rows.find("conversations", { index: "time", newest: true, limit: CONVERSATIONS_SEARCHED })));
    const budget = { left: MESSAGES_SEARCHED };
    const found = [];
    for (const one of all) {
      if (found.length >= FOUND) break;
      for (const message of await searched(store, one, text, budget)) found.push({ conversation: one.id, peer: one.peer, message });
    }
    return found.sort((one, other) => other.message.time - one.message.time).slice(0, FOUND);
  }

  follow(users) {
    this.#engine.people.follow(users);
    this.#engine.asker.refresh();
  }

  request(type, members = {}) { return this.#engine.tabs.call("request", type, members); }

  onEvent(listener) { return this.#engine.events.onChange((event) => event && listener(event)); }
}

/** The parts, for their tests. Nothing of it is promised. */
export const internals = {
  form: FORM, schema, systemClock, Memory, DiskError, Vault, Outbox, Store, Session, Backoff, comesBack, scopeOf,
  TimelineBuilder, ListView, Notices, Window, reactionForm,
  limits: {
    ackTime: ACK_TIME, ackEvents: ACK_EVENTS, doubts: DOUBTS, goodbyeTime: GOODBYE_TIME, journal: JOURNAL_CHANGES,
    lease: LEASE_TIME, quietTime: QUIET_TIME, reopenMost: REOPEN_MOST, replyTime: REPLY_TIME, welcomeTime: WELCOME_TIME,
  },
};
