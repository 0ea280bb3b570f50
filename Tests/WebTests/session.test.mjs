// The session on a socket whose other end is the test, and time that the test moves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { internals } from "../../Web/roost.js";
import { ManualClock, settle, sockets } from "./stand_ins.mjs";

const { Backoff, Session, comesBack, limits } = internals;

function begin(settings = {}) {
  const clock = new ManualClock();
  const net = sockets();
  const seen = { states: [], events: [], welcomes: [] };
  const place = { device: "web", position: undefined };
  let tokens = 0;
  const owner = {
    place: async () => place,
    welcomed: (welcome, isResumed) => seen.welcomes.push([welcome, isResumed]),
    told: (event) => seen.events.push(event),
    changed: (state) => seen.states.push(state),
  };
  const session = new Session(
    { url: "ws://r/v1/socket", token: () => `t${++tokens}`, WebSocket: net.FakeSocket, ...settings }, owner, clock,
    () => 1);
  return { clock, net, seen, place, session };
}

async function ready(settings) {
  const test = begin(settings);
  test.session.connect();
  await settle();
  test.net.last.welcome();
  return test;
}

test("it says hello with token, device and position, and takes a welcome", async () => {
  const { net, place, seen, session } = begin();
  place.position = "p7";
  session.connect();
  await settle();
  net.last.welcome();
  assert.deepEqual([net.last.url, net.last.protocols], ["ws://r/v1/socket", ["roost.v1"]]);
  const { token, device, resume } = net.last.sent[0];
  assert.deepEqual([token, device, resume], ["t1", "web", "p7"]);
  assert.equal(seen.welcomes[0][1], true);
  assert.ok(session.isReady);
});

test("a position that the log never gave is left out, on the same connection", async () => {
  const { net, place, seen, session } = begin();
  place.position = "p7";
  session.connect();
  await settle();
  net.last.open();
  net.last.refuse("hello", "bad_position");
  assert.equal(net.last.sent[1].resume, undefined);
  net.last.say({ type: "welcome", re: net.last.sent[1].id, user: "alice", time: 1, epoch: "e" });
  assert.deepEqual([seen.welcomes[0][1], net.made.length], [false, 1]);
});

test("waits are random, double from half a second to twenty, and begin anew after a good time", async () => {
  const { clock, net, seen, session } = await ready();
  const waits = [];
  for (let tries = 0; tries < 8; tries++) {
    net.last.end();
    waits.push(seen.states.at(-1).until - clock.now());
    await clock.pass(waits.at(-1));
  }
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]);
  net.last.welcome();
  await clock.pass(20_000);
  net.last.end();
  assert.equal(seen.states.at(-1).until - clock.now(), 500);
  session.wake();
  await settle();
  assert.equal(seen.states.at(-1).state, "connecting", "waking doesn't wait");
  const random = new Backoff(() => 0.25);
  assert.deepEqual([random.next(), random.next()], [125, 250]);
});

test("drain and retryAfter name their own wait", async () => {
  const { clock, net, seen } = await ready();
  net.last.say({ type: "drain", after: 1_234 });
  net.last.end(4000);
  assert.equal(seen.states.at(-1).until - clock.now(), 1_234);
  await clock.pass(1_234);
  net.last.open();
  net.last.refuse("hello", "busy", { retry: true, retryAfter: 777 });
  assert.equal(seen.states.at(-1).until - clock.now(), 777);
});

test("close codes say whether to come back", async () => {
  for (const code of [1000, 1001, 1002, 1006, 1011, 4000, 4004, 4008, 4499]) assert.ok(comesBack(code), code);
  for (const code of [1003, 1007, 1009, 4500, 4501, 4502, 4503]) assert.ok(!comesBack(code), code);
  for (const [code, reason] of [[4500, "signedOut"], [4503, "signedOut"], [4501, "takenOver"], [4502, "other"]]) {
    const { clock, net, seen, session } = await ready();
    net.last.end(code, "why");
    assert.deepEqual(seen.states.at(-1), { state: "failed", reason, detail: "why" });
    await clock.pass(600_000);
    assert.equal(net.made.length, 1, "it doesn't come back by itself");
    session.connect();
    await settle();
    assert.equal(net.last.sent.length + net.made.length, 2, "but when it is asked to");
  }
});

const tokenOf = (user) => `h.${Buffer.from(JSON.stringify({ sub: user })).toString("base64url")}.s`;

test("a token of another user's ends the session before a word is said", async () => {
  const { clock, net, place, seen, session } = begin({ token: () => tokenOf("zoë") });
  place.user = "alice";
  session.connect();
  await settle();
  await clock.pass(600_000);
  assert.equal(net.made.length, 0);
  assert.deepEqual(seen.states.at(-1), {
    state: "failed", reason: "wrongUser", detail: "signed in as zoë and not as alice",
  });
  place.user = "zoë";
  session.connect();
  await settle();
  assert.equal(net.made.length, 1, "with the right store it connects");
});

test("a welcome to another user ends the session", async () => {
  const { net, place, seen, session } = begin();
  place.user = "bob";
  session.connect();
  await settle();
  net.last.welcome();
  assert.deepEqual([seen.welcomes.length, seen.states.at(-1).reason, net.last.isClosed], [0, "wrongUser", true]);
});

test("a new token of another user's ends the session", async () => {
  const tokens = ["t1", tokenOf("bob")];
  const { clock, net, seen, session } = begin({ token: () => tokens.shift() });
  session.connect();
  await settle();
  net.last.welcome({ expires: 1_300_000 });
  await clock.pass(240_000);
  assert.deepEqual([net.last.last("refresh"), seen.states.at(-1).reason], [undefined, "wrongUser"]);
});

test("a token function that returns nothing is asked again, like one that throws", async () => {
  for (const none of [undefined, null, "", {}]) {
    const tokens = [none, "t2"];
    const { clock, net, seen, session } = begin({ token: () => tokens.shift() });
    session.connect();
    await settle();
    assert.deepEqual([net.made.length, seen.states.at(-1).state], [0, "waiting"]);
    await clock.pass(500);
    net.last.welcome();
    assert.equal(net.last.sent[0].token, "t2");
  }
});

test("a refused token is left to the close that follows", async () => {
  const { net, seen, session } = begin();
  session.connect();
  await settle();
  net.last.open();
  net.last.refuse("hello", "token_expired");
  net.last.end(4004);
  assert.equal(seen.states.at(-1).state, "waiting");
});

test("silence is broken by a ping, and no answer ends the connection", async () => {
  const { clock, net, seen } = await ready();
  await clock.pass(limits.quietTime - 1);
  assert.equal(net.last.last("ping"), undefined);
  await clock.pass(1);
  assert.ok(net.last.last("ping"));
  net.last.answersPings = false;
  await clock.pass(limits.quietTime);
  await clock.pass(limits.replyTime);
  assert.equal(seen.states.at(-1).state, "waiting");
  assert.ok(net.last.isClosed);
});

test("a slow answer is given up, and doesn't end a connection on which others come", async () => {
  const { clock, net, session } = await ready();
  let failure;
  session.send("slow", {}, (error) => { failure = error; });
  await clock.pass(5_000);
  net.last.say({ type: "presence", users: [] });
  await clock.pass(5_000);
  assert.equal(failure.code, "timed_out");
  assert.ok(session.isReady);
});

test("everybody who waits is told when the connection is lost", async () => {
  const { net, session } = await ready();
  const codes = [];
  session.send("history", {}, (error) => codes.push(error.code));
  net.last.end();
  session.send("history", {}, (error) => codes.push(error.code));
  assert.deepEqual(codes, ["connection_lost", "not_connected"]);
});

test("nothing is sent on a socket that is closing, and who asked is told of the loss", async () => {
  const { net, session } = await ready();
  const count = net.last.sent.length;
  const codes = [];
  net.last.closing();
  session.send("history", {}, (error) => codes.push(error.code));
  session.transmit("typing", { conversation: "c1" });
  assert.equal(net.last.sent.length, count);
  net.last.end();
  assert.deepEqual(codes, ["connection_lost"]);
});

test("acks are collected, and none of an earlier connection is sent", async () => {
  const { clock, net, session } = await ready();
  const { connection } = session;
  for (const position of ["p1", "p2", "p3"]) session.ack(position, connection);
  await clock.pass(limits.ackTime);
  assert.deepEqual(net.last.sent.filter((one) => one.type === "ack").map((one) => one.position), ["p3"]);
  net.last.end();
  await clock.pass(500);
  net.last.welcome();
  session.ack("p4", connection);
  await clock.pass(limits.ackTime);
  assert.equal(net.last.last("ack"), undefined);
});

test("the token is renewed before it expires, and again if that fails", async () => {
  const { clock, net, seen, session } = begin();
  session.connect();
  await settle();
  net.last.welcome({ expires: clock.now() + 600_000 });
  await clock.pass(540_000);
  assert.equal(net.last.last("refresh").token, "t2");
  net.last.refuse("refresh", "unavailable", { retry: true });
  await clock.pass(1_000);
  assert.equal(net.last.last("refresh").token, "t3");
  net.last.answer("refresh", { expires: clock.now() + 600_000 });
  await clock.pass(539_000);
  assert.equal(net.last.last("refresh").token, "t3");
  assert.equal(seen.states.length, 1);
});

test("a command that the relay wouldn't take isn't sent", async () => {
  const { net, session } = await ready();
  let failure;
  session.send("send", { body: "é".repeat(40_000) }, (error) => { failure = error; });
  assert.equal(failure.code, "too_large");
  assert.equal(net.last.last("send"), undefined);
  assert.ok(session.isReady);
});

test("disconnect says goodbye, and a page that is left doesn't", async () => {
  const first = await ready();
  const leaving = first.session.disconnect();
  assert.ok(first.net.last.last("bye"));
  first.net.last.end(1000);
  await leaving;
  assert.deepEqual(first.seen.states.at(-1), { state: "offline" });
  const second = await ready();
  second.session.drop();
  assert.equal(second.net.last.last("bye"), undefined);
  assert.ok(second.net.last.isClosed);
  const third = await ready();
  const waiting = third.session.disconnect();
  await third.clock.pass(limits.goodbyeTime);
  await waiting;
});

test("a sign-in that has ended ends the session, and isn't asked for again", async () => {
  const { clock, net, seen, session } = begin({
    token: () => { throw Object.assign(new Error("gone"), { code: "signed_out" }); } });
  session.connect();
  await settle();
  assert.deepEqual(seen.states.at(-1), { state: "failed", reason: "signedOut", detail: "gone" });
  await clock.pass(60_000);
  assert.equal(net.made.length, 0);
  assert.deepEqual(seen.states.at(-1), { state: "failed", reason: "signedOut", detail: "gone" });
});

test("no welcome in time, no token, and text that isn't JSON", async () => {
  const silent = begin();
  silent.session.connect();
  await settle();
  await silent.clock.pass(limits.welcomeTime);
  assert.equal(silent.seen.states.at(-1).state, "waiting");
  const without = begin({ token: () => { throw new Error("none"); } });
  without.session.connect();
  await settle();
  assert.deepEqual([without.seen.states.at(-1).state, without.net.made.length], ["waiting", 0]);
  const odd = await ready();
  for (const data of ["{", "null", "7", "[]"]) odd.net.last.onmessage({ data });
  assert.ok(odd.session.isReady);
});
