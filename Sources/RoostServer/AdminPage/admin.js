// The operators' page: one connection to the relay that serves it, and what is shown of its answers.
// Docs/Protocol.md, section 11, describes the commands. Text of others is only ever set as text.

import { closeAccounts, endSignIns, openAccounts, showAccount } from "./accounts.js";
import { $, button, complain, confirmed, count, element, row, things, when } from "./dom.js";
import { closeFind, openFind } from "./find.js";
import { openInvites, showInvites } from "./invites.js";
import { hasServices } from "./services.js";

const HALF_HOUR = 30 * 60_000;
// A gap in a line longer than this is a gap in what is known.
const SILENCE = 60_000;
const PATIENCE = 10_000;

function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Connection ---------------------------------------------------------------------------------------------------------

class Refused extends Error {
  constructor(answer) {
    super(answer.reason);
    this.code = answer.code;
  }
}

/** One connection. It says hello as an operator, matches answers to commands, and reports samples. */
class Connection {
  constructor(token, { onSample, onEnd }) {
    this.waiting = new Map();
    this.number = 0;
    this.onSample = onSample;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/v1/socket`, "roost.v1");
    this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    this.socket.onclose = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error("the connection was lost"));
      this.waiting.clear();
      onEnd(event.code);
    };
    this.welcome = new Promise((resolve, reject) => {
      this.socket.onopen = () => this.ask("hello", { token, operator: true }).then(resolve, reject);
      this.socket.addEventListener("close", () => reject(new Error("the relay can't be reached")));
    });
  }

  ask(type, members = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error("not connected"));
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      setTimeout(() => this.settle(id, (one) => one.reject(new Error("the relay doesn't answer"))), PATIENCE);
      this.socket.send(JSON.stringify({ type, id, ...members }));
    });
  }

  receive(frame) {
    if (frame.type === "statistics") return this.onSample(frame);
    this.settle(frame.re, (one) => (frame.type === "error" ? one.reject(new Refused(frame)) : one.resolve(frame)));
  }

  settle(id, act) {
    const one = this.waiting.get(id);
    if (!one) return;
    this.waiting.delete(id);
    act(one);
  }

  close() {
    this.socket.close(1000);
  }
}

// Samples ------------------------------------------------------------------------------------------------------------

/** The samples of the last half hour, each with its rates since the one before. */
class Samples {
  constructor() {
    this.all = [];
    this.last = null;
  }

  add(sample) {
    const before = this.last;
    if (before && sample.time <= before.time) return;
    const isNew = !before || sample.opened < before.opened || sample.commands < before.commands;
    const seconds = isNew ? 0 : (sample.time - before.time) / 1000;
    const rate = (name) => (seconds > 0 ? (sample[name] - before[name]) / seconds : undefined);
    sample.rates = Object.fromEntries(
      ["messages", "deliveries", "changes", "refused", "commands"].map((name) => [name, rate(name)]));
    this.last = sample;
    this.all.push(sample);
    while (this.all[0].time < sample.time - HALF_HOUR) this.all.shift();
  }
}

const rate = (value) => (value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: 1 }));
const milliseconds = (value) =>
  value === undefined ? "–" : `${(value / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} ms`;
/** Two times, with one unit. */
const pair = (timing) => timing
  ? `${milliseconds(timing.p50).replace(" ms", "")} / ${milliseconds(timing.p99)}`
  : "–";
function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let place = 0;
  while (value >= 1000 && place < units.length - 1) [value, place] = [value / 1000, place + 1];
  return `${value.toLocaleString("en", { maximumFractionDigits: place ? 1 : 0 })} ${units[place]}`;
}

const TILES = [
  ["Online", (s) => count(s.online)],
  ["Away", (s) => count(s.away)],
  ["Busy", (s) => count(s.busy)],
  ["Offline", (s) => count(s.offline)],
  ["Connections", (s) => count(s.sessions)],
  ["Messages a second", (s) => rate(s.rates.messages)],
  ["Deliveries a second", (s) => rate(s.rates.deliveries)],
  ["Delivery, p50 / p99", (s) => pair(s.acked)],
  ["Commit, p50 / p99", (s) => pair(s.commit)],
  ["Presence changes a second", (s) => rate(s.rates.changes)],
  ["Sessions behind", (s) => count(s.behind)],
  ["Refusals a second", (s) => rate(s.rates.refused)],
  ["Store", (s) => bytes(s.storeBytes)],
  ["Free on its disk", (s) => (s.freeBytes === undefined ? "–" : bytes(s.freeBytes))],
  ["Memory", (s) => bytes(s.memoryBytes)],
];

const CHARTS = [
  ["People", count, [["online", (s) => s.online], ["away", (s) => s.away], ["busy", (s) => s.busy]]],
  ["Connections", count, [["sessions", (s) => s.sessions], ["strangers", (s) => s.strangers]]],
  ["Messages and deliveries a second", rate,
    [["messages", (s) => s.rates.messages], ["deliveries", (s) => s.rates.deliveries]]],
  ["Delivery: arrival to ack", milliseconds, [["p50", (s) => s.acked?.p50], ["p99", (s) => s.acked?.p99]]],
  ["Commit", milliseconds, [["p50", (s) => s.commit?.p50], ["p99", (s) => s.commit?.p99]]],
  ["Presence changes a second", rate, [["changes", (s) => s.rates.changes]]],
  ["Sessions behind", count, [["behind", (s) => s.behind]]],
  ["Refusals a second", rate, [["refusals", (s) => s.rates.refused]]],
];

// Charts -------------------------------------------------------------------------------------------------------------

const WIDTH = 480, HEIGHT = 140, TOP = 16, BOTTOM = 18;

/** The next of 1, 2, 5, 10 … that isn't below the value. */
function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

class Chart {
  constructor([title, format, series]) {
    this.title = title;
    this.format = format;
    this.series = series;
    this.svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.values = series.map(() => document.createTextNode(""));
    const keys = series.map(([name], place) => {
      const key = shape("svg", { viewBox: "0 0 26 10", class: "key", "aria-hidden": "true" });
      key.append(shape("line", { x1: 0, x2: 26, y1: 5, y2: 5, class: `series series-${place}` }));
      return element("li", {}, key, `${name} `, this.values[place]);
    });
    this.figure = element(
      "figure", {}, element("figcaption", {}, title), element("ul", {}, ...keys), this.svg);
  }

  draw(samples) {
    const end = samples.at(-1)?.time ?? Date.now();
    // The known time, in whole minutes.
    const minutes = Math.min(30, Math.max(2, Math.ceil((end - (samples[0]?.time ?? end)) / 60_000)));
    const points = this.series.map(([, read]) => samples.map((sample) => [sample.time, read(sample)]));
    const most = ceiling(Math.max(0, ...points.flat().map(([, value]) => value ?? 0)));
    const x = (time) => WIDTH - ((end - time) / (minutes * 60_000)) * WIDTH;
    const y = (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
    const lines = points.map((line, place) => shape("path", {
      class: `series series-${place}`, d: path(line, x, y),
    }));
    const text = (at, anchor, height, words) => {
      const label = shape("text", { x: at, y: height, "text-anchor": anchor, class: "label" });
      label.textContent = words;
      return label;
    };
    this.svg.replaceChildren(
      shape("line", { x1: 0, x2: WIDTH, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM, class: "axis" }),
      shape("line", { x1: 0, x2: WIDTH, y1: TOP, y2: TOP, class: "axis" }),
      text(2, "start", TOP - 4, this.format(most)), text(2, "start", HEIGHT - 4, `${minutes} min ago`),
      text(WIDTH - 2, "end", HEIGHT - 4, "now"), ...lines);
    const latest = points.map((line) => this.format(line.findLast(([, value]) => value !== undefined)?.[1]));
    latest.forEach((value, place) => { this.values[place].data = value; });
    const said = this.series.map(([name], place) => `${name} ${latest[place]}`).join(", ");
    this.svg.setAttribute("aria-label", `${this.title} in ${minutes} minutes: now ${said}; the scale ends at ${this.format(most)}`);
  }
}

/** The commands of a path through these points, in pieces where something isn't known. */
function path(line, x, y) {
  let commands = "", before;
  for (const [time, value] of line) {
    if (value === undefined) continue;
    const joins = before !== undefined && time - before <= SILENCE;
    commands += `${joins ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
    // A point alone is drawn as a dot.
    if (!joins) commands += "h0.1";
    before = time;
  }
  return commands;
}

// Page ---------------------------------------------------------------------------------------------------------------

let connection = null;
let samples = new Samples();
let token = "";
/** A token for the services, if the link had one of its own. */
let servicesToken = "";
/** Returns a new token at each call, if the operator continued with a chat page account. */
let renew = null;
let isLeaving = false;
let tries = 0;
const charts = CHARTS.map((chart) => new Chart(chart));
const tiles = TILES.map(([title]) => {
  const value = element("dd", {}, "–");
  $("now").append(element("div", {}, element("dt", {}, title), value));
  return value;
});
$("charts").append(...charts.map((chart) => chart.figure));

const say = (text) => { $("status").textContent = text; };

function show(sample) {
  samples.add(sample);
  draw();
  for (const [id, counts] of [["errors", sample.errors], ["ends", sample.ends]]) {
    const rows = Object.entries(counts ?? {}).sort(([, one], [, other]) => other - one);
    $(id).className = "plain";
    $(id).tBodies[0].replaceChildren(...rows.map(([word, number]) => element(
      "tr", {}, element("th", { scope: "row" }, word), element("td", { class: "number" }, count(number)))));
    if (!rows.length) $(id).tBodies[0].append(element("tr", {}, element("td", {}, "none")));
  }
}

/** Draws what is known so far. */
function draw() {
  const last = samples.last;
  if (last) TILES.forEach(([, read], place) => { tiles[place].textContent = read(last); });
  for (const chart of charts) chart.draw(samples.all);
}

async function ask(type, members) {
  complain(null);
  try {
    return await connection.ask(type, members);
  } catch (error) {
    complain(error);
    return null;
  }
}

// Signing in -----------------------------------------------------------------------------------------------------------

async function signIn() {
  isLeaving = false;
  say("Connecting …");
  try {
    if (renew) token = await renew();
  } catch (error) {
    if (error.code !== "unreachable") return signOut(`${error.code}: ${error.message}`);
  }
  const opened = new Connection(token, { onSample: show, onEnd: lost });
  connection = opened;
  try {
    const welcome = await opened.welcome;
    const kept = (await opened.ask("admin.statistics", { limit: 90 })).statistics;
    tries = 0;
    samples = new Samples();
    for (const sample of kept.history) samples.add(sample);
    draw();
    if (!renew) sessionStorage.setItem("token", token);
    if (servicesToken) sessionStorage.setItem("services", servicesToken);
    say(`${welcome.server}, signed in as ${await nameOf(welcome.operator, opened)}`);
    for (const [id, isHidden] of [["sign-in", true], ["content", false], ["leave", false]]) $(id).hidden = isHidden;
    openFind(ask, lookUp, showMessage);
    openInvites(ask);
    openAccounts(renew ?? (async () => servicesToken || token), lookUp, (user) => nameOf(user, opened));
  } catch (error) {
    if (error instanceof Refused && error.code !== "busy") return signOut(`${error.code}: ${error.message}`);
    opened.close();
  }
}

/** The name of an operator with an account; otherwise the name in the token. */
async function nameOf(operator, connection) {
  if (operator.startsWith("@")) return operator;
  return connection.ask("admin.user", { user: operator }).then(({ person }) => person.profile?.name || operator, () => operator);
}

/** The connection is lost. The page reconnects, unless the operator left or the token is no longer valid. */
function lost(code) {
  if (isLeaving) return;
  if (code >= 4500 || (code === 4004 && !renew)) return signOut("The token is no longer good. Sign in with another one.");
  if ($("content").hidden && tries > 2) {
    return signOut("The relay can't be reached, or doesn't allow this page (listen.origins).");
  }
  tries += 1;
  const wait = Math.min(20_000, 500 * 2 ** tries) * (0.5 + Math.random() / 2);
  say(`Connection lost; trying again in ${Math.ceil(wait / 1000)} s`);
  setTimeout(() => { if (!isLeaving) signIn(); }, wait);
}

function signOut(problem = "") {
  isLeaving = true;
  tries = 0;
  token = "";
  servicesToken = "";
  renew = null;
  for (const key of ["token", "services", "user"]) sessionStorage.removeItem(key);
  connection?.close();
  closeAccounts();
  closeFind();
  for (const [id, isHidden] of [["sign-in", false], ["content", true], ["leave", true], ["person", true]]) {
    $(id).hidden = isHidden;
  }
  $("sign-in-problem").textContent = problem;
  $("token").value = "";
  $("token").focus();
  say("Not connected");
  complain(null);
}

$("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value.trim();
  $("sign-in-problem").textContent = "";
  signIn();
});
$("leave").addEventListener("click", () => signOut());

// Prefix of the accounts that the chat page at the same origin keeps here (Web/app.js).
const KEPT = "roost.account.";

/** Offers the chat page's accounts to continue with. The token says whether an account is an operator's. */
async function offerAccounts() {
  const users = Object.keys(localStorage).filter((key) => key.startsWith(KEPT)).map((key) => key.slice(KEPT.length));
  if (!users.length) return;
  const { Accounts } = await import("./signins.js");
  const origin = await Accounts.find();
  if (!origin) return;
  const accounts = new Accounts(origin, localStorage.getItem("roost.device") ?? "", {
    get: (user) => localStorage.getItem(KEPT + user) ?? undefined,
    set: (user, words) => localStorage.setItem(KEPT + user, words),
    remove: (user) => localStorage.removeItem(KEPT + user),
  });
  const goOn = async (user) => {
    try {
      if (!isOperator(await accounts.token(user))) {
        const { required, since } = await accounts.factor(user);
        throw new Error(required && since === undefined
          ? "Operators need two-step verification here. Turn it on in the chat page first." : `${user} is no operator`);
      }
    } catch (error) {
      $("sign-in-problem").textContent = error.message;
      return;
    }
    renew = () => accounts.token(user);
    sessionStorage.setItem("user", user);
    signIn();
  };
  const buttons = users.map((user) => button(`Go on as ${user}`, () => goOn(user)));
  $("own-accounts").replaceChildren(...buttons);
  users.forEach(async (user, place) => {
    const { displayName } = await accounts.account(user).catch(() => ({}));
    if (displayName) buttons[place].textContent = `Go on as ${displayName}`;
  });
  const before = sessionStorage.getItem("user");
  if (!token && users.includes(before)) goOn(before);
}

/** Whether a token claims to be an operator's. The relay and the services check it. */
function isOperator(words) {
  try {
    const claims = JSON.parse(atob(words.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
    return claims.scope.split(" ").includes("admin");
  } catch {
    return false;
  }
}

// People ---------------------------------------------------------------------------------------------------------------

let nextPerson;

/** Lists who is here: from the beginning, or the page after the last one. */
async function listPeople(after) {
  const body = $("people").tBodies[0];
  if (!after) body.replaceChildren();
  // A page may be empty although there are more users.
  do {
    const answer = await ask("admin.people", { limit: 50, ...(after ? { after } : {}) });
    if (!answer) return;
    const page = answer.people;
    $("people-counts").textContent =
      `${count(page.online)} online, ${count(page.away)} away, ${count(page.busy)} busy, ${count(page.offline)} offline`;
    for (const { user, name, state, devices } of page.users) {
      const button = element("button", { type: "button" }, name ? `${name} (${user})` : user);
      button.addEventListener("click", () => lookUp(user));
      body.append(row($("people"), [button, state, count(devices)]));
    }
    after = page.next;
  } while (after && body.rows.length % 50 !== 0);
  nextPerson = after;
  $("people").hidden = body.rows.length === 0;
  $("more-people").hidden = !nextPerson;
}

$("list-people").addEventListener("click", () => listPeople());
$("more-people").addEventListener("click", () => listPeople(nextPerson));

// One user -------------------------------------------------------------------------------------------------------------

let shown = "";

async function lookUp(user, moves = true) {
  const answer = await ask("admin.user", { user });
  if (!answer) return;
  const person = answer.person;
  shown = person.user;
  $("person-title").textContent = person.profile?.name ? `${person.profile.name} (${person.user})` : person.user;
  $("person-reason").textContent = person.reason;
  const facts = [
    ...called(person.profile), things(person.conversations, "conversation"), things(person.contacts, "contact"),
    `watched by ${things(person.watchers, "session")}`,
  ];
  if (person.requests) facts.push(`${things(person.requests, "request")} of strangers`);
  if (person.blocks) facts.push(`has blocked ${things(person.blocks, "user")}`);
  if (person.lastSeen && person.state === "offline") facts.push(`last seen ${when(person.lastSeen)}`);
  if (person.revoked) facts.push(`tokens revoked up to ${when(person.revoked)}`);
  $("person-facts").textContent = facts.join(", ");
  const table = $("devices").closest("table");
  $("devices").replaceChildren(...person.devices.map((device) => row(table, cells(device))));
  $("person").hidden = false;
  $("account-person").hidden = !hasServices();
  if (moves) $("person-title").focus();
  await showInvites(person.user, person.profile?.name || person.user);
}

/** A user's name, role and tier. */
function called(profile) {
  if (!profile) return [];
  if (profile.deleted) return ["has left for good"];
  const { name, username, role, tier } = profile;
  return Object.entries({ "is called": name, username, role, tier })
    .filter(([, value]) => value)
    .map(([what, value]) => `${what} ${value}`);
}

function cells(device) {
  const delivery = device.feed
    ? `${device.feed}, ${count(device.unacked)} not acked`
    : device.until ? `may come back until ${when(device.until)}` : "";
  const ended = device.ended ? `${device.ended.reason} ${when(device.ended.time)}` : "";
  const action = device.session === undefined ? "" : element("button", { type: "button" }, "Disconnect");
  if (action) {
    action.setAttribute("aria-label", `Disconnect ${device.device}`);
    action.addEventListener("click", () => end("admin.disconnect", { user: shown, device: device.device },
      `Disconnect ${shown} on ${device.device}? The client will come back.`));
  }
  const state = device.revoked ? `${device.state}, tokens revoked` : device.state;
  return [device.device, state, when(device.heard), device.address ?? "", delivery, ended, action];
}

/** Asks before it has connections ended. */
async function end(type, members, question) {
  if (!(await confirmed(question))) return;
  // The relay refuses what was issued; a sign-in at the services would have new tokens issued.
  const left = type === "admin.revoke" ? await endSignIns(members.user) : "";
  const answer = await ask(type, members);
  if (!answer) return;
  await lookUp(members.user, false);
  $("person-facts").textContent += `; ${things(answer.closed, "connection")} closed`;
  if (answer.unstored) $("person-facts").textContent += "; not stored, because the disk is full";
  if (left) $("person-facts").textContent += `; the sign-in at the services goes on: ${left}`;
}

$("account-person").addEventListener("click", () => showAccount(shown));
$("refresh-person").addEventListener("click", () => lookUp(shown, false));
$("disconnect-person").addEventListener("click", () => end("admin.disconnect", { user: shown },
  `Disconnect all devices of ${shown}? Their clients will come back.`));
$("revoke-person").addEventListener("click", () => end("admin.revoke", { user: shown },
  `Refuse every token that ${shown} has now, and disconnect all devices?`));

// Where a message is -----------------------------------------------------------------------------------------------------

let asked = {}, nextMember;

async function findMessage(after) {
  const table = $("message");
  if (!after) table.tBodies[0].replaceChildren();
  const answer = await ask("admin.message", { ...asked, limit: 50, ...(after ? { after } : {}) });
  if (!answer) return false;
  const event = answer.whereabouts;
  $("message-facts").textContent =
    `${event.kind} ${event.sequence} of ${event.conversation} from ${event.user}/${event.device}, `
    + `stored ${when(event.time)} at position ${event.position}${event.deleted ? `, deleted ${when(event.deleted)}` : ""}`;
  for (const member of event.members) {
    if (member.hidden) table.tBodies[0].append(row(table, [member.user, "", "joined later"]));
    else if (!member.devices.length) table.tBodies[0].append(row(table, [member.user, "", "has no device yet"]));
    for (const device of member.devices ?? []) {
      const absence = device.online ? "" : `, offline${device.since ? ` since ${when(device.since)}` : ""}`;
      const words = { sender: "sent it", delivered: "delivered", sent: "on its way", waiting: "waiting" };
      const state = words[device.state] ?? device.state;
      const isOpen = device.state === "sent" || device.state === "waiting";
      table.tBodies[0].append(row(table, [member.user, device.device, isOpen ? state + absence : state]));
    }
  }
  table.hidden = false;
  nextMember = event.next;
  $("more-message").hidden = !nextMember;
  return true;
}

/** Shows where an event is that something else has named. Returns whether there is one. */
async function showMessage(place) {
  asked = place;
  $("place").value = place.position ?? place.conversation ?? "";
  $("sequence").value = place.sequence ?? "";
  if (!(await findMessage())) return false;
  $("message-title").focus();
  return true;
}

$("find-message").addEventListener("submit", (event) => {
  event.preventDefault();
  const place = $("place").value.trim(), sequence = $("sequence").value.trim();
  asked = sequence ? { conversation: place, sequence: Number(sequence) } : { position: place };
  $("message").hidden = true;
  $("message-facts").textContent = "";
  findMessage();
});
$("more-message").addEventListener("click", () => findMessage(nextMember));

// Beginning --------------------------------------------------------------------------------------------------------------

// A link may bring the token behind `#`, which no browser sends to a server.
const link = new URLSearchParams(location.hash.slice(1));
const brought = link.get("token");
if (brought) history.replaceState(null, "", location.pathname);
token = brought ?? sessionStorage.getItem("token") ?? "";
// It belongs to the token that it came with.
servicesToken = link.get("services") ?? (brought ? "" : sessionStorage.getItem("services") ?? "");
const user = sessionStorage.getItem("user");
if (token) signIn();
else signOut();
// A reload isn't a sign-out.
if (!token && user) sessionStorage.setItem("user", user);
// Not needed for anything else.
offerAccounts().catch(() => {});
