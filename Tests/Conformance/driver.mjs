// An app without a screen on Web/roost.js, as README.md beside this file asks for: commands come as lines of JSON, and
// what an app would show goes out as lines of JSON.

import { createInterface } from "node:readline";

import { People } from "../../Web/roost-people.js";
import { Talk } from "../../Web/roost-talk.js";
import { Roost } from "../../Web/roost.js";
import { fileDisk } from "../WebTests/file_disk.mjs";

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
// In Node there is no IndexedDB; a file stands in for it, and IndexedDB itself is tested in a browser.
const has = ["store", "users", "outbox", "gaps", "receipts", "typing", "presence", "versions", "forwards", "rewinds",
  "names", "drafts", "invites", "moderation"];
const timelines = new Map();
let roost;
let people;
let talk;
let token;
const names = {};

const session = ({ connection, isUpToDate, pendingCount, badge, user }) => ({
  tell: "session", state: connection.state, reason: connection.reason, detail: connection.detail,
  upToDate: isUpToDate, pending: pendingCount, badge, user,
});

const message = (one) => ({
  id: one.id, from: one.from, sequence: one.sequence,
  ...(one.kind === "text" ? { text: one.text ?? "" } : { kind: one.kind, body: one.body }),
  lost: one.body === undefined && !one.isDeleted ? true : undefined,
  deleted: one.isDeleted || undefined, edited: one.editedAt ? true : undefined, changing: one.isChanging || undefined,
  replyTo: one.replyTo, origin: one.origin?.from, item: one.failedChange?.outboxItem ?? one.outboxItem, failedChange: one.failedChange?.reason,
  reactions: one.reactions.length ? one.reactions : undefined, state: one.state?.state, reason: one.state?.reason,
});

const timeline = (destination, { conversation, items, typing, hasOlder, failure, draft }) => ({
  tell: "timeline", in: destination, typing, hasOlder, failure: failure?.reason, draft,
  items: items.map((item) => (item.type === "gap" ? { gap: [item.from, item.to] } : message(item))),
  ...(conversation && {
    conversation: conversation.id, name: conversation.name ?? "", members: conversation.members,
    unread: conversation.unread, read: conversation.read, posting: conversation.posting ?? "all", joining: conversation.joining ?? "open", waiting: conversation.waiting ?? 0,
    timedOut: conversation.timeout && (conversation.timeout.reason ?? ""),
  }),
});

const list = ({ rows }) => ({
  tell: "list",
  rows: rows.map(({ id, title, unread, pending, typing, draft, last }) => (
    { id, title, unread, pending, typing, draft, last: last && message(last) })),
});

/** Prints the names of the people on the screen. */
function meet(told) {
  for (const { user, name } of Object.values(told)) if (name) names[user] = name;
  say({ tell: "names", users: names });
}

async function start(command) {
  token = command.token;
  roost = await Roost.open({
    url: command.url, device: command.device, user: command.user, disk: fileDisk(command.store),
    retries: command.retries, goesOnAfterFailures: command.goesOn,
    token: () => {
      say({ tell: "token" });
      return token;
    },
  });
  talk = new Talk(roost);
  // It shares drafts with the user's other devices.
  people = new People(roost);
  roost.onChange((now) => say(session(now)));
  roost.conversations.onChange((now) => { say(list(now)); meet(now.people); });
  roost.onEvent(({ type, conversation }) => { if (type === "rewound") say({ tell: "rewound", conversation }); });
  roost.onPresence((now) => say({
    tell: "presence", users: Object.fromEntries([...now].map(([user, one]) => [user, one.state])),
  }));
  return { has };
}

async function open(destination) {
  const opened = await roost.timeline(destination);
  timelines.set(destination, opened);
  opened.onChange((now) => { say(timeline(destination, now)); meet(now.people); });
}

const carryOut = {
  start,
  token: (command) => { token = command.token; },
  connect: () => roost.connect(),
  disconnect: () => roost.disconnect(),
  wake: () => roost.wake(),
  signOut: () => roost.signOut(),
  activity: (command) => roost.setActivity(command.state),
  group: async (command) => ({ id: await roost.createGroup(command.name, command.members) }),
  invite: async ({ conversation, uses }) => ({ id: (await people.createInvite({ conversation, uses })).code }),
  revokeInvites: async () => { for (const one of await people.invites()) await people.revokeInvite(one.invite); },
  invited: async (command) => { await people.showInvite(command.code); },
  join: async (command) => ({ id: await roost.openInvite(command.code) }),
  leave: (command) => roost.leave(command.conversation),
  open: (command) => open(command.in),
  close: (command) => { timelines.get(command.in).close(); timelines.delete(command.in); },
};

const inTimeline = {
  send: async (at, command) => ({ id: await at.send(command.text, { replyTo: command.replyTo }) }),
  sendBody: async (at, command) => ({ id: await at.sendBody(command.kind, command.body, { replyTo: command.replyTo }) }),
  edit: (at, command) => at.edit(command.id, command.text, { ifVersion: command.ifVersion }),
  forward: (at, command) => {
    const { items, conversation } = at.snapshot;
    return talk.forward(items.find((one) => one.id === command.id), conversation.id, command.to);
  },
  delete: (at, command) => at.delete(command.id),
  react: (at, command) => at.react(command.id, command.reaction, command.on ?? true),
  retry: (at, command) => at.retry(command.item),
  replace: (at, command) => at.replace(command.item, command.text),
  discard: (at, command) => at.discard(command.item),
  resume: (at) => at.resume(),
  seen: (at, command) => at.seen(command.sequence),
  write: (at, command) => at.write(command.text),
  older: (at) => at.loadOlder(),
  newer: (at) => at.loadNewer(),
  fill: (at, command) => at.fill(command.from, command.to),
};

// Commands that need the relay may wait for it; the others are done in their order.
const asksRelay = new Set(["older", "newer", "fill", "group", "leave", "invite", "revokeInvites", "invited", "join"]);

async function take(command) {
  try {
    const answer = command.do in carryOut
      ? await carryOut[command.do](command)
      : await inTimeline[command.do](timelines.get(command.in), command);
    say({ done: command.n, ...answer });
  } catch (error) {
    say({ done: command.n, failed: String(error) });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  if (asksRelay.has(command.do)) take(command); else await take(command);
}
process.exit(0);
