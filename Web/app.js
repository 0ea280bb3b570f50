// The chat page: the screen, and the actions of keys and buttons. Everything about the relay and the data on this
// device is in roost.js, whose objects publish their changes as snapshots. Each part below shows one kind of snapshot:
// it patches the rows that are there, and never draws a row anew. Text from people is only ever set as text.

import { Accounts } from "./accounts.js";
import { chosenLanguage, dayOf, LANGUAGES, chooseLanguage, loadLanguage, nameOfLanguage } from "./app-language.js";
import { barrier, lineWords, pause } from "./app-lines.js";
import { around, draw, hasBlocks, parse, plain } from "./app-text.js";

const link = takeLink();

// For as long as this page is open, its service worker keeps the parts of its version.
navigator.locks?.request("roost-page-unpacked", { mode: "shared" }, () => new Promise(() => {})).catch(() => {});

// Imported after it, because a static import is loaded first: the token would be in the address bar until then.
const [{ Roost }, language] = await Promise.all([import("/roost.js?unpacked"), loadLanguage()]);
const { t } = language;
document.documentElement.lang = language.name;
language.fill(document);

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Time without a key or a touch after which the page counts as unwatched. */
const IDLE_AFTER = 5 * MINUTE;
/** Nearer to the end than this is at the end. Pixels. */
const END = 60;
/** Most conversations of which a browser notes that one begun by a link was opened; older ones have messages by then. */
const MET = 100;
const REACTIONS = ["👍", "❤️", "😂", "🎉", "😮", "😢", "🙏", "👎"];
/** The names that the relay takes (Docs/Protocol.md, section 2). */
const NAME = /^(?!@)[!#-[\]-~]{1,64}$/;

// Elements -----------------------------------------------------------------------------------------------------------

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${name}`);
  svg.append(use);
  return svg;
}

function button(text, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
}

function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

function attribute(node, name, value) {
  if (value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Makes the children of a node those of the items, in their order. Rows that stay keep their element and their focus. */
class Rows {
  constructor(parent, { key, make, patch }) {
    Object.assign(this, { parent, key, make, patch });
    this.all = new Map();
  }

  show(items) {
    const keys = new Set(items.map(this.key));
    for (const [key, row] of this.all) {
      if (keys.has(key)) continue;
      row.remove();
      this.all.delete(key);
    }
    let next = this.parent.firstElementChild;
    for (const item of items) {
      const key = this.key(item);
      let row = this.all.get(key);
      if (!row) this.all.set(key, (row = this.make(item)));
      this.patch(row, item);
      if (row === next) next = next.nextElementSibling;
      else this.parent.insertBefore(row, next);
    }
  }
}

/** Makes one of several elements reachable by Tab, and the others from there by arrow keys. */
class Roving {
  constructor(parent, selector, keys = ["ArrowUp", "ArrowDown"]) {
    Object.assign(this, { parent, selector, keys });
    parent.addEventListener("keydown", (event) => this.pressed(event));
    parent.addEventListener("focusin", (event) => this.chosen(event.target.closest(selector)));
  }

  get all() {
    return [...this.parent.querySelectorAll(this.selector)];
  }

  /** Chooses an element without going there. */
  chosen(element) {
    if (!element || element.tabIndex === 0) return;
    for (const one of this.all) if (one.tabIndex === 0) one.tabIndex = -1;
    element.tabIndex = 0;
  }

  /** Chooses one if none is chosen. */
  settle(element) {
    const all = this.all;
    if (!all.some((one) => one.tabIndex === 0)) this.chosen(element ?? all[0]);
  }

  pressed(event) {
    const all = this.all;
    const place = all.indexOf(event.target);
    if (place < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { [this.keys[0]]: place - 1, [this.keys[1]]: place + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[Math.min(Math.max(to, 0), all.length - 1)].focus();
  }
}

// Words --------------------------------------------------------------------------------------------------------------

/** The known profiles. */
const people = { __proto__: null };

/** Takes profiles, unless newer ones are known. Lists contain less of a profile than the relay's answer to a
 *  request. */
function meet(told) {
  for (const one of Object.values(told)) {
    const { version } = people[one.user] ?? {};
    if (version > (one.version ?? 0)) continue;
    people[one.user] = version === one.version ? { ...people[one.user], ...one } : one;
  }
}

/** A user's present name; the id at the relay if no other is known. */
const called = (user) => (people[user]?.deleted ? t("deletedAccount") : people[user]?.name ?? user);

/** The address of a user to show to others: the username. An account's id isn't meant for people. */
function address(user) {
  const { name, username } = people[user] ?? {};
  return username ? `@${username}` : name && accounts ? "" : `@${user}`;
}

/** A user's presence as a line; empty if nothing is known. */
function presenceLine(presence) {
  if (!presence) return "";
  const { state, lastSeen, seen } = presence;
  const said = presence.text ? ` · ${presence.text}` : "";
  if (state !== "offline") return t(`presence.${state}`) + said;
  if (lastSeen) return t("lastSeen", { when: language.ago(lastSeen) }) + said;
  // The relay gives the same answer for a user who hides it and for one who has never been online.
  return t(seen ? `lastSeen.${seen}` : "presence.offline") + said;
}

/** A user's present presence; undefined if it isn't known, as without a connection. */
function presenceOf(user) {
  return roost?.snapshot.connection.state === "connected" ? roost.presences.get(user) : undefined;
}

/** A message on one line. */
function content(message) {
  if (!message) return "";
  return message.isDeleted ? t("deletedMessage") : message.text === undefined ? (message.from ? t("otherMessage") : "…") : plain(message.text);
}

/** The same, marked if the message is the user's own. */
const preview = (message) => (message?.isOwn ? t("youSay", { text: content(message) }) : content(message));

const writer = (message) => (message.isOwn ? t("youTitle") : called(message.from));

/** How the two of a direct conversation met, if one came by a link of the other; empty otherwise. */
function meeting(conversation, peer) {
  if (!conversation?.inviter || !peer) return "";
  return conversation.inviter === me ? t("metByYourLink", { name: called(peer) }) : t("metByLink", { name: called(conversation.inviter) });
}

/** The words for an error: by the code of the relay's refusal, whose own words are for developers. */
const reason = (error) => t(language.has(`refused.${error?.code}`) ? `refused.${error.code}` : "somethingWrong");

/** Why something isn't sent or saved. */
const failureWords = ({ reason: why }) => t(language.has(`unsent.${why}`) ? `unsent.${why}` : "unknownFailure");

let noticeTimer;
/** Says something for some seconds. */
function tell(words) {
  const notice = $("notice");
  text(notice, words);
  placeNotice();
  // Anew, so that it is above a dialog that was opened since.
  if (notice.matches(":popover-open")) notice.hidePopover?.();
  if (words) notice.showPopover?.();
  clearTimeout(noticeTimer);
  if (words) noticeTimer = setTimeout(tell, 5_000, "");
}

/** It covers no button: it stands above a dialog that is open or, in a conversation, on the earliest messages in sight. */
function placeNotice() {
  const isHigh = document.querySelector("dialog:modal") !== null;
  const { top, left, width } = $("scroll").getBoundingClientRect();
  $("notice").classList.toggle("high", isHigh);
  Object.assign($("notice").style, isHigh || !width ? { top: "", left: "", bottom: "" }
    : { top: `${top + 6}px`, left: `${left + width / 2}px`, bottom: "auto" });
}

/** Runs an action of the user; a failure is shown. */
async function attempt(act, told = tell) {
  try {
    return await act();
  } catch (error) {
    told(reason(error));
    return undefined;
  }
}

function hue(name) {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 8;
  return sum;
}

function patchAvatar(node, name, { isGroup = false, state, seed = name } = {}) {
  text(node, [...name.replace(/^[^\p{L}\p{N}]+/u, "") || name][0] ?? "?");
  node.className = `avatar hue-${hue(seed)}${isGroup ? " group" : ""}`;
  attribute(node, "data-state", state);
}

// The user of the page ------------------------------------------------------------------------------------------------

/** The kept tokens: one for each user of this browser, and the user of this tab. They are gone after signing out. */
const tokens = {
  of: (user) => stored(() => localStorage.getItem(`roost.token.${user}`)) ?? tokens.unstored[user],
  keep(user, token) {
    tokens.unstored[user] = token;
    stored(() => localStorage.setItem(`roost.token.${user}`, token));
  },
  forget(user) {
    delete tokens.unstored[user];
    stored(() => localStorage.removeItem(`roost.token.${user}`));
    if (tokens.user === user) tokens.user = null;
  },
  /** The user of this tab, or else the last one. */
  get user() {
    return stored(() => sessionStorage.getItem("roost.user") ?? localStorage.getItem("roost.last"));
  },
  set user(user) {
    for (const [storage, key] of [["sessionStorage", "roost.user"], ["localStorage", "roost.last"]]) {
      stored(() => (user ? window[storage].setItem(key, user) : window[storage].removeItem(key)));
    }
  },
  unstored: { __proto__: null },
};

// A browser may refuse to store anything.
function stored(act) {
  try {
    return act() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Takes the secret of a link out of the address bar, before anyone can see it there: a token, or the secret in a
 *  mail's link. Undefined if there is none. */
function takeLink() {
  const found = /^#(token|verify|reset|owner|friend|invite|openid|openid-error)=(.*)$/.exec(location.hash);
  if (!found) return undefined;
  history.replaceState(history.state, "", location.pathname);
  return { kind: found[1], secret: found[2] };
}

/** The claims of a token, unverified; undefined if it is none. */
function claims(token) {
  try {
    const base64 = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const said = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))));
    return NAME.test(said.sub) && Number.isFinite(said.exp) ? { user: said.sub, expires: said.exp * 1000 } : undefined;
  } catch {
    return undefined;
  }
}

// For who sits at the server; visitors have no use for it.
if (!/^(localhost$|127\.|\[::1\])/.test(location.hostname)) $("start-operator").dataset.for = "";

/** The page without a user: how to get in. */
function showStart(title, words, user) {
  showBadge();
  document.title = "Roost";
  $("chat").hidden = true;
  $("start").hidden = false;
  text($("start-title"), title);
  text($("start-text"), words);
  text($("start-command"), `roost link --user ${user ?? "NAME"}`);
  $("start-users").replaceChildren(...known.users.map((one) => button(t("continueAs", { name: known.name(one) }), () => switchTo(one))));
  $("start-languages").replaceChildren(...LANGUAGES.filter((one) => one !== language.name).map((one) => (
    button(nameOfLanguage(one), () => speak(one), { class: "quiet", lang: one }))));
  $("start-link").hidden = accounts !== undefined;
  if (accounts) {
    startForm.show("in");
    startForm.load();
    others.show();
  }
}

const greet = () => showStart(t("welcome"), t("signInToContinue"));

/** Shows the page in another language, or in the browser's. Typed text is kept. */
function speak(name) {
  chooseLanguage(name);
  location.reload();
}

// Accounts -----------------------------------------------------------------------------------------------------------

/** The accounts, if the relay has services beside it. */
let accounts;

/** The kept sign-ins, by user. */
const signIns = {
  get: (user) => stored(() => localStorage.getItem(`roost.account.${user}`)) ?? undefined,
  set: (user, words) => stored(() => localStorage.setItem(`roost.account.${user}`, words)),
  remove: (user) => stored(() => localStorage.removeItem(`roost.account.${user}`)),
};

/** The facts that this browser keeps of its users, until they sign out: `name`, for the choice of accounts;
 *  `isLost`, whether the account has no way to sign in again; `met`, conversations begun by a link of the user's
 *  that were opened; `links`, the invitations made here, which the relay doesn't send again; and `threads`, drafts
 *  in threads. */
const known = {
  of(user) {
    try { return JSON.parse(stored(() => localStorage.getItem(`roost.user.${user}`)) ?? "{}"); } catch { return {}; }
  },
  note(user, more) {
    const [before, now] = [this.of(user), { ...this.of(user), ...more }];
    if (user && JSON.stringify(before) !== JSON.stringify(now)) {
      stored(() => localStorage.setItem(`roost.user.${user}`, JSON.stringify(now)));
    }
  },
  forget: (user) => stored(() => localStorage.removeItem(`roost.user.${user}`)),
  /** All who are signed in here. */
  get users() {
    const kept = stored(() => Object.keys(localStorage)) ?? [];
    const ids = kept.filter((key) => /^roost\.(token|account)\./.test(key)).map((key) => key.split(".").slice(2).join("."));
    return [...new Set(ids)].filter((one) => accounts || !isOfAccount(one)).sort();
  },
  name: (user) => known.of(user).name ?? user,
};

/** Whether a user signed in by a password, and not by a link. */
const isOfAccount = (user) => signIns.get(user) !== undefined;

/** The words for a refusal of the services. */
function accountReason(error) {
  const { code, member, retryAfter } = error ?? {};
  if (code === "rate_limited") return t("tooOften", { count: Math.ceil((retryAfter ?? 60) / 60) });
  if (code === "sign_in_again" && myAccount.isLost) return t("signInAgainLost");
  if (code === "invalid") return t(language.has(`invalid.${member}`) ? `invalid.${member}` : "refused.bad_request");
  return language.has(`account.${code}`) ? t(`account.${code}`) : reason(error);
}

/** Signing in, signing up, and a new password: one form, of which each way shows a part. */
const startForm = {
  way: "in",
  secret: undefined,
  /** Signs in a user who gives a name. */
  come: undefined,
  words: {
    in: t("signIn"), up: t("createAccountNow"), forgot: t("emailMeLink"), reset: t("setPassword"), link: t("join"),
    verify: t("confirmEmail"), factor: t("continue"),
  },

  show(way) {
    this.way = way;
    $("start-form").hidden = false;
    for (const field of $("start-form").querySelectorAll("[data-for]")) {
      field.hidden = !field.dataset.for.split(" ").includes(way);
    }
    attribute($("start-password"), "autocomplete", way === "in" ? "current-password" : "new-password");
    text($("start-submit"), this.words[way]);
    text($("start-problem"), "");
    $("start-ways").hidden = way === "verify";
    for (const one of $("start-ways").children) one.hidden = one.dataset.way === way || (way === "factor" && one.dataset.way !== "in");
    text($("start-ways").firstElementChild, t(way === "factor" ? "back" : "signIn"));
  },

  /** The second step of a sign-in, whatever the first was. */
  askCode(ticket) {
    this.secret = ticket;
    $("start-password").value = "";
    showStart(t("enterCode"), t("enterCodeHint"));
    this.show("factor");
    $("start-code").focus();
  },

  /** Shows why a sign-in was refused, or asks for the second step. */
  refused(error) {
    if (error.code === "factor_required") return this.askCode(error.ticket);
    const isOver = this.way === "factor" && error.code === "sign_in_again";
    if (isOver) greet();
    return text($("start-problem"), isOver ? t("tookTooLong") : accountReason(error));
  },

  /** Where the operator has named roles, one of them is chosen. */
  async load() {
    const found = await accounts.roles();
    $("start-role").replaceChildren(...found.map((one) => element("option", {}, one)));
    $("start-roles").dataset.for = found.length ? "up link" : "";
    $("start-roles").hidden = !found.length || !["up", "link"].includes(this.way);
  },

  async submit() {
    const [email, password] = [$("start-email").value.trim(), $("start-password").value];
    const [displayName, role] = [$("start-name").value.trim(), $("start-role").value || undefined];
    if (this.way === "forgot") {
      await accounts.forgot(email);
      return showStart(t("checkEmail"), t("resetSent", { email }));
    }
    if (this.way === "reset") {
      await accounts.reset(this.secret, password);
      return showStart(t("passwordSet"), t("passwordSetHint"));
    }
    if (this.way === "verify") {
      await accounts.verify(this.secret);
      await comeBack();
      return tell(t("emailConfirmed"));
    }
    if (this.way === "factor") {
      const code = $("start-code").value;
      $("start-code").value = "";
      return enter(await accounts.signInByCode(this.secret, code));
    }
    if (this.way === "link") return enter(await this.come(displayName, role));
    const user = this.way === "up"
      ? await accounts.signUp({ email, password, displayName, role })
      : await accounts.signIn({ email, password });
    $("start-password").value = "";
    return enter(user);
  },
};
$("start-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  text($("start-problem"), "");
  $("start-submit").disabled = true;
  try {
    await startForm.submit();
  } catch (error) {
    startForm.refused(error);
  } finally {
    $("start-submit").disabled = false;
  }
});
$("start-ways").addEventListener("click", ({ target }) => {
  if (startForm.way === "factor") greet();
  else if (target.dataset.way) startForm.show(target.dataset.way);
});

/** Signing in with providers. The secret belongs to this tab: an answer to another tab's secret was begun elsewhere. */
const others = {
  async show() {
    const found = await accounts.providers();
    $("start-others").replaceChildren(...found.map(({ id, name }) => button(t("continueWith", { name }), () => this.go(id))));
  },

  async go(provider) {
    const { secret, address } = await accounts.begin(provider);
    stored(() => sessionStorage.setItem("roost.openid", secret));
    // It says which page it is on, and no more: services on another site take a sign-in from listed pages only.
    const leading = element("a", { href: address, referrerPolicy: "origin" });
    document.body.append(leading);
    leading.click();
    leading.remove();
  },

  async back(code) {
    const secret = stored(() => sessionStorage.getItem("roost.openid")) ?? "";
    stored(() => sessionStorage.removeItem("roost.openid"));
    if (!secret) return this.failed({ code: "identity_refused" });
    startForm.come = (name, role) => accounts.finish(code, secret, name, role);
    try {
      return enter(await startForm.come());
    } catch (error) {
      if (!["displayName", "role"].includes(error.member)) return this.failed(error);
    }
    showStart(t("oneMoreThing"), t("chooseName"));
    return startForm.show("link");
  },

  failed(error) {
    greet();
    startForm.refused(error);
  },
};

/** The account of the user of this tab. The settings show it. */
const myAccount = {
  name: undefined,
  email: undefined,
  hasAddress: true,
  hasPassword: true,
  isConfirmed: true,
  /** Whether the account couldn't be signed in to again. */
  isLost: false,
  /** The user who signed in to it in this tab, also after the sign-in has ended. */
  user: undefined,
  get isMine() { return accounts !== undefined && this.user === me; },

  /** Loads the user's name. Without the services, the id has to do. */
  async load() {
    this.name = undefined;
    this.isKnown = false;
    this.warn(this.isMine && known.of(me).isLost);
    if (!this.isMine) return;
    const user = me;
    const { displayName, email, hasPassword, verified } = await accounts.account(user).catch(() => ({}));
    if (me !== user || !displayName) return;
    this.isKnown = true;
    accounts.hasWayIn(user, { email, hasPassword }).then((has) => { if (me === user) this.warn(!has); }, () => {});
    Object.assign(this, { email, hasAddress: email !== undefined, hasPassword, isConfirmed: verified, name: displayName });
    if (roost) showSession(roost.snapshot);
    settingsPart?.reopen();
  },

  /** The services may not have been there before. */
  async know() {
    if (!this.isMine || this.isKnown || this.isAsking) return;
    this.isAsking = true;
    await this.load();
    this.isAsking = false;
  },

  /** Says quietly, until it is done, that only this browser can open the account. */
  warn(isLost = false) {
    this.isLost = isLost;
    if (this.isMine) known.note(me, { isLost });
    $("keep-account").hidden = !isLost;
  },

  /** The things that signing out would lose; empty if there are none. */
  get loss() {
    return this.isMine && this.isLost ? `${t("lossWarning")} ` : "";
  },
};
$("keep-account-button").addEventListener("click", async () => {
  await goSettings("account");
  $("password-email")?.focus();
});

/** Signs in another user, beside the present one. */
function addAccount() {
  visit();
  route();
  $("start-email").value = $("start-password").value = "";
  showStart(t("addAccount"), t("addAccountHint"));
}

/** Signs out of this browser, once it was said what would be lost. */
async function signOut() {
  const waits = roost.snapshot.pendingCount;
  const lost = waits ? `${t("unsentWarning", { count: waits })} ` : "";
  if (!await confirmed(myAccount.loss + lost + t("signOutAsk"), t(myAccount.loss ? "signOutAnyway" : "signOut"))) return;
  if (isOfAccount(me)) await attempt(() => accounts?.signOut(me));
  await leave(t("signedOut"), t("messagesRemoved"));
}

/** Another account of this browser uses this tab. Where its user was belongs to the one before. */
function switchTo(user) {
  if (user !== me) visit();
  return enter(user);
}

/** The user of this tab goes, and what this browser keeps of that user. */
async function leave(title, words) {
  const { isMine } = myAccount;
  const [left, user] = putAway();
  await attempt(() => left.signOut());
  left.close();
  known.forget(user);
  // The device of who comes by a link has its name there, and keeps it.
  if (isMine) stored(() => void indexedDB.deleteDatabase(`roost.roost-${user}`));
  showStart(title, words, user);
}

/** Nothing of the user of this tab is shown any more. */
function putAway() {
  const gone = [roost, me];
  roost = undefined;
  loadingFind?.then((find) => find.close());
  me = "";
  conversationView.close();
  forgetSettings();
  tokens.forget(gone[1]);
  visit();
  return gone;
}

// The user has signed out in another tab, which has removed what this browser knew.
addEventListener("storage", ({ key, newValue }) => {
  if (!roost || newValue !== null || key !== `roost.user.${me}`) return;
  const [left, user] = putAway();
  left.close();
  known.forget(user);
  showStart(t("signedOut"), t("signedOutInTab"), user);
});

/** The token for a connection of a user. */
async function tokenOf(user) {
  if (!isOfAccount(user) || !accounts) return tokens.of(user) ?? "";
  try {
    return await accounts.token(user);
  } catch (error) {
    if (!language.has(`signedOutBy.${error.code}`)) throw error;
    // The session ends, as it would have if it had been open.
    signedOutBy = error.code;
    throw Object.assign(new Error("signed out"), { code: "signed_out" });
  }
}

/** Why the account of this tab was signed out, by the services' word for it; undefined until they are asked. */
let signedOutBy;

/** The relay says only that one is signed out. */
async function askWhySignedOut() {
  if (signedOutBy !== undefined) return;
  signedOutBy = "";
  const user = me;
  const why = await accounts.account(user).then(() => "", ({ code }) => code);
  if (me !== user || !roost) return;
  signedOutBy = why;
  banner.show(roost.snapshot);
}

/** Follows an opened link: one to sign in by, or one from a mail. */
const open = (found) => (found.kind === "token" ? arrive(found.secret) : found.kind === "invite" ? invitations.take(found.secret) : follow(found));

/** A link of a mail was opened. */
async function follow({ kind, secret }) {
  if (!accounts) return showStart(t("linkUnusable"), t("noAccounts"));
  if (kind === "owner" || kind === "friend") return welcome(kind, secret);
  if (kind === "openid") return others.back(secret);
  if (kind === "openid-error") return others.failed({ code: secret });
  if (kind === "reset") {
    showStart(t("choosePassword"), t("choosePasswordHint"));
    startForm.secret = secret;
    return startForm.show("reset");
  }
  return confirmAddress(secret);
}

/** Asks whether a mailed address is its reader's. Opening the link doesn't confirm it: programs that check mail open
 *  links, and another person may have signed up with the address. */
async function confirmAddress(secret) {
  let asked;
  try {
    asked = await accounts.confirmation(secret);
  } catch (error) {
    await comeBack();
    return tell(accountReason(error));
  }
  const { displayName: name, email } = asked;
  showStart(t("isThisYou"), t("isThisYouHint", { name, email, time: language.moment(asked.asked) }));
  startForm.secret = secret;
  return startForm.show("verify");
}

/** Handles a link that makes an account, or signs in the owner of this server, who may have one already. */
async function welcome(kind, secret) {
  let words = t("chooseName");
  let title = t(kind === "owner" ? "welcomeOwner" : "invited");
  if (kind === "friend") {
    try {
      const asked = await accounts.invitation(secret);
      if (asked.name) title = invitations.words(asked);
    } catch (error) {
      if (error.code === "bad_link") return invitations.refuse(undefined, known.users.length > 0);
    }
  }
  if (kind === "owner") {
    try {
      return enter(await accounts.signInByLink(secret));
    } catch (error) {
      if (error.code === "factor_required") return startForm.askCode(error.ticket);
      if (error.member !== "displayName") words = accountReason(error);
    }
  }
  showStart(title, words);
  startForm.come = async (name, role) => {
    const user = await accounts.signInByLink(secret, name, role);
    listView.awaitsMeeting = kind === "friend";
    return user;
  };
  startForm.show("link");
  // It introduces the new user to the owner; an account made in another way would have no friend.
  $("start-ways").hidden = kind === "friend";
}

/** Invitations that the user opens. Making them is in a file of its own. */
const invitations = {
  /** The code to follow as soon as a user is signed in and connected, also after a reload. */
  get code() { return sessionStorage.getItem("roost.invite") ?? undefined; },
  set code(code) {
    if (code) sessionStorage.setItem("roost.invite", code);
    else sessionStorage.removeItem("roost.invite");
  },

  /** Follows an opened link. A signed-in user is asked first; another visitor gets an account by it, or signs in. */
  async take(code) {
    const { user } = tokens;
    const isHere = user && (tokens.of(user) || isOfAccount(user));
    let asked = {};
    try {
      if (accounts) asked = await accounts.invitation(code);
    } catch (error) {
      return this.refuse(error.code === "bad_link" ? undefined : accountReason(error), isHere);
    }
    this.code = code;
    if (isHere) return enter(user);
    if (!accounts) return showStart(t("invited"), t("signInFirst"));
    showStart(this.words(asked), t("chooseName"));
    startForm.come = async (name, role) => {
      const made = await accounts.signInByInvitation(code, name, role);
      this.code = undefined;
      listView.awaitsMeeting = true;
      return made;
    };
    return startForm.show("link");
  },

  words: ({ name = t("someone"), group }) => t(group ? "invitesToGroup" : "invitesToChat", { name, group }),

  /** The page for an invitation that was used up, revoked or has ended, which are the same here. */
  refuse(words, isHere) {
    this.code = undefined;
    showStart(t("inviteBroken"), words ?? t("inviteBrokenHint"));
    if (isHere) $("start-users").replaceChildren(button(t("openConversations"), comeBack));
  },

  /** Follows the code that was opened before, once there is a connection. */
  async follow() {
    const { code } = this;
    if (!code || this.isFollowing || roost?.snapshot.connection.state !== "connected") return;
    this.isFollowing = true;
    try {
      const { invitation } = await roost.request("invite.show", { code });
      this.code = undefined;
      if (!await confirmed(`${this.words(invitation)}.`, t(invitation.group ? "join" : "chat"))) return;
      const { conversation } = await roost.request("invite.open", { code });
      if (!conversation) return tell(t("approvalAsked", invitation));
      const peer = conversation.kind === "direct" && conversation.members.find((one) => one !== me);
      go(peer ? `@${peer}` : conversation.conversation);
    } catch (error) {
      // It continues with the next connection.
      if (["not_connected", "connection_lost", "timed_out"].includes(error.code)) return void (this.code = code);
      this.code = undefined;
      tell(error.code === "not_found" ? t("inviteGone") : error.code === "bad_request" ? t("inviteOwn") : reason(error));
    } finally {
      this.isFollowing = false;
    }
  },
};

// The session --------------------------------------------------------------------------------------------------------

/** The chat of the user of this tab; undefined before there is one. */
let roost;
let me = "";

async function enter(user) {
  const before = roost;
  roost = undefined;
  loadingFind?.then((find) => find.close());
  conversationView.close();
  before?.close();
  if (me !== user) forgetSettings();
  me = user;
  signedOutBy = undefined;
  myAccount.user = isOfAccount(user) ? user : undefined;
  tokens.user = user;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const opened = await Roost.open({
    url: `${scheme}//${location.host}/v1/socket`, token: () => tokenOf(user), user, name: `roost-${user}`,
    ...(isOfAccount(user) && accounts ? { device: accounts.device } : {}),
  });
  if (me !== user) return opened.close();
  roost = opened;
  peoplePart?.use(roost);
  $("start").hidden = true;
  $("chat").hidden = false;
  roost.onChange(ifCurrent(opened, showSession));
  roost.conversations.onChange(ifCurrent(opened, (snapshot) => listView.show(snapshot)));
  roost.onEvent(ifCurrent(opened, (event) => {
    if (event.type === "rewound") tell(t("rewound"));
    if (event.type === "conversation" && event.event === "removed" && event.users?.includes(me)) conversationView.leave(event);
  }));
  roost.onPresence(ifCurrent(opened, () => {
    listView.show(opened.conversations.snapshot);
    conversationView.showHead();
  }));
  tellActivity();
  awaitExpiry();
  myAccount.load();
  route();
  if (!isExpired()) await attempt(() => opened.connect());
}

function ifCurrent(one, act) {
  return (snapshot) => { if (roost === one) act(snapshot); };
}

let expiryTimer;

/** Looks again when the token has expired. A timer can't wait for more than 24 days. */
function awaitExpiry() {
  clearTimeout(expiryTimer);
  const wait = (claims(tokens.of(me) ?? "")?.expires ?? 0) - Date.now();
  if (wait > 0) expiryTimer = setTimeout(awaitExpiry, Math.min(wait + 100, DAY));
  if (roost) banner.show(roost.snapshot);
}

const isExpired = () => !isOfAccount(me) && !myAccount.isMine && (claims(tokens.of(me) ?? "")?.expires ?? 0) <= Date.now();

/** Shows the user's name, under the list. */
function showMe() {
  const name = people[me]?.name ?? myAccount.name ?? me;
  patchAvatar($("me-avatar"), name, { seed: me });
  text($("me-name"), name);
  if (me && name !== me) known.note(me, { name });
  attribute($("me"), "aria-label", t("youAre", { name, state: $("me-state").textContent }));
}

function showSession(snapshot) {
  const { connection, status } = snapshot;
  const state = connection.state !== "connected" ? t("notConnected") : snapshot.isUpToDate ? t(`status.${status.state}`) : t("catchingUp");
  text($("me-state"), [state, status.text, snapshot.isStored ? "" : t("notStored")].filter(Boolean).join(" · "));
  showMe();
  if (document.body.dataset.connection !== connection.state) {
    attribute(document.body, "data-connection", connection.state);
    listView.show(roost.conversations.snapshot);
    if (connection.state === "connected") {
      myAccount.know();
      // The address may name a user, and the relay can be asked for the name only now.
      if (conversationView.place) settle(conversationView.place);
    }
  }
  attribute(document.body, "data-live", snapshot.isUpToDate && connection.state === "connected");
  showBadge();
  banner.show(snapshot);
  if (snapshot.isUpToDate) loadPart().catch(() => {});
  invitations.follow();
}

let shownBadge = -1;
function showBadge() {
  const { badge: told = 0, connection } = roost?.snapshot ?? {};
  // The relay counts messages alone.
  const met = listView.snapshot.rows.filter((row) => listView.isNew(row)).length;
  // Without the relay, which leaves out muted conversations, those count that are shown as muted.
  const isTold = connection?.state === "connected";
  const muted = listView.snapshot.rows.reduce((sum, row) => sum + (!isTold && peoplePart?.isMuted(row.id) ? row.unread : 0), 0);
  const badge = Math.max(0, told - muted) + met;
  // On a phone the list isn't in sight. The relay's count would change later than the conversation that is being read.
  const open = conversationView.place && listView.row(conversationView.place);
  const elsewhere = listView.snapshot.rows.reduce((sum, row) => (
    sum + (row === open || peoplePart?.isMuted(row.id) ? 0 : listView.unread(row))), 0);
  text($("back-count"), elsewhere ? String(elsewhere) : "");
  attribute($("back-button"), "aria-label", elsewhere ? t("backUnread", { count: elsewhere }) : t("backToConversations"));
  const title = document.body.dataset.view === "settings" ? t("settings") : conversationView.title;
  document.title = `${badge ? `(${badge}) ` : ""}${title ? `${title} – ` : ""}Roost`;
  if (badge === shownBadge) return;
  shownBadge = badge;
  navigator.setAppBadge?.(badge).catch(() => {});
  const bird = '<rect width="64" height="64" rx="14" fill="#b24a1e"/><g fill="#fff4e6"><circle cx="33" cy="30" r="14"/>'
    + '<path d="M12 30h21v14h-7zM45 24l7 4-7 4zM14 47h36v4H14z"/></g>';
  const mark = `<circle cx="46" cy="18" r="18" fill="#fff"/><text x="46" y="27" text-anchor="middle" fill="#8a1c12"
    font-family="sans-serif" font-weight="bold" font-size="26">${badge > 9 ? "9+" : Number(badge)}</text>`;
  const drawn = `<svg xmlns="${SVG}" viewBox="0 0 64 64">${bird}${mark}</svg>`;
  const favicon = document.querySelector("link[rel=icon]");
  favicon.href = badge ? `data:image/svg+xml,${encodeURIComponent(drawn)}` : "/icon.svg";
}

/** Whether the relay has another version of this page. */
let isOutdated = false;

async function lookForNewer() {
  const answer = await fetch("/app.js?unpacked", { method: "HEAD", cache: "no-store" }).catch(() => undefined);
  isOutdated = answer?.status === 404;
  if (roost) banner.show(roost.snapshot);
  return isOutdated;
}

/** A part of the page that is being loaded. It may have gone from the relay with its version. */
async function ofThisVersion(loaded) {
  try {
    return await loaded;
  } catch (error) {
    throw await lookForNewer() ? Object.assign(error, { code: "outdated" }) : error;
  }
}

/** The line across the page that says why nothing comes or goes, and what to do. */
const banner = {
  timer: undefined,

  show(snapshot) {
    const said = this.words(snapshot);
    $("banner").hidden = !said;
    clearInterval(this.timer);
    if (!said) return;
    text($("banner-text"), said.words);
    text($("banner-command"), said.command ?? "");
    $("banner-act").hidden = !said.act;
    text($("banner-act"), said.label ?? "");
    $("banner-act").onclick = said.act;
    const count = () => {
      const seconds = Math.ceil((said.until - Date.now()) / 1000);
      text($("banner-time"), seconds > 0 ? t("nextTry", { count: seconds }) : "");
    };
    count();
    if (said.until) this.timer = setInterval(count, 1000);
  },

  words({ connection, pendingCount, storeProblem }) {
    const waits = pendingCount ? ` ${t("waiting", { count: pendingCount })}` : "";
    const connect = () => attempt(() => roost.connect());
    if (connection.reason === "signedOut" && myAccount.isMine) {
      askWhySignedOut();
      const why = signedOutBy ? ` ${t(`signedOutBy.${signedOutBy}`)}` : "";
      return { words: t("youAreSignedOut") + why + waits, label: t("signIn"), act: () => showStart(t("signInAgain"), "") };
    }
    if (isExpired() || connection.reason === "signedOut") {
      const why = t(isExpired() ? "yourLinkExpired" : "yourLinkRefused");
      return { words: `${why}${waits} ${t("askForNewLink")}`, command: `roost link --user ${me}` };
    }
    if (connection.state === "failed" && connection.reason === "takenOver") {
      return { words: t("unsent.takenOver") + waits, label: t("useHere"), act: connect };
    }
    if (connection.state === "failed") {
      return { words: t("connectionFailed") + waits, label: t("retry"), act: connect };
    }
    if (isOutdated || storeProblem === "newer") {
      return { words: t("newerPage") + waits, label: t("reload"), act: () => location.reload() };
    }
    const isLate = connection.state === "connecting" && !$("banner").hidden;
    if (connection.state !== "waiting" && connection.state !== "offline" && !isLate) return undefined;
    // Before the first try there is nothing to show.
    if (connection.state === "offline" && !waits && navigator.onLine) return undefined;
    return {
      words: t(isLate ? "connecting" : navigator.onLine ? "serverUnreachable" : "offline") + waits, until: connection.until, label: t("tryNow"),
      act: connect,
    };
  },
};

// Activity -----------------------------------------------------------------------------------------------------------

let touchedAt = performance.now();
let idleTimer;

function isActive() {
  return document.visibilityState === "visible" && document.hasFocus() && performance.now() - touchedAt < IDLE_AFTER;
}

function tellActivity() {
  clearTimeout(idleTimer);
  idleTimer = setTimeout(tellActivity, IDLE_AFTER);
  roost?.setActivity(isActive() ? "active" : "idle");
  if (conversationView.snapshot) conversationView.looked();
}

function touched() {
  const wasActive = isActive();
  touchedAt = performance.now();
  if (!wasActive) tellActivity();
}

for (const event of ["pointerdown", "keydown", "wheel", "touchstart"]) {
  addEventListener(event, touched, { passive: true, capture: true });
}
addEventListener("focus", touched);
addEventListener("blur", tellActivity);
addEventListener("online", () => roost?.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") {
    touchedAt = performance.now();
    roost?.wake();
  }
  tellActivity();
});

// The list of conversations ------------------------------------------------------------------------------------------

/** Where a row leads: a direct conversation by its user, whether or not the relay has it yet. */
const placeOf = (row) => (row.peer ? `@${row.peer}` : row.id);

const listView = {
  roving: new Roving($("list"), ".conversation"),
  snapshot: { rows: [], hasMore: false },
  awaitsMeeting: false,
  /** Conversations that a notice has announced. */
  told: new Set(),
  /** Whether groups have been asked to let the user in. */
  isAwaiting: false,
  /** Those of the rows when the place in the address was last looked at. */
  places: "",
  rows: new Rows($("list"), {
    key: placeOf,
    make: (row) => {
      const made = $("row-template").content.cloneNode(true).firstElementChild;
      made.firstElementChild.tabIndex = -1;
      made.firstElementChild.addEventListener("click", () => go(placeOf(row)));
      return made;
    },
    patch: (made, row) => listView.patch(made.firstElementChild, row),
  }),

  show(snapshot) {
    this.snapshot = snapshot;
    meet(snapshot.people);
    showMe();
    this.rows.show(snapshot.rows);
    this.roving.settle();
    $("list-empty").hidden = snapshot.rows.length > 0 || snapshot.hasMore || this.isAwaiting;
    if (this.awaitsMeeting) text($("list-empty"), t("inviterAway"));
    $("list-more").hidden = !snapshot.hasMore;
    conversationView.showHead();
    this.tellMet(snapshot.rows);
    this.openMeeting(snapshot.rows);
    this.settleOpen(snapshot.rows.map(placeOf).join(" "));
  },

  /** Moves to the conversation's id after it was begun, and shows the user's profile if only the username was known
   *  before. */
  settleOpen(places) {
    if (places === this.places) return;
    this.places = places;
    if (conversationView.place) settle(conversationView.place);
  },

  /** Whether the conversation began by a link of this user's and wasn't opened in this browser yet. */
  isNew: (row) => Boolean(row.peer && row.conversation?.inviter === me && !row.last && !known.of(me).met?.includes(row.id)),

  unread(row) { return row.unread || Number(this.isNew(row)); },

  /** Announces new conversations that began by a link. */
  tellMet(rows) {
    if (!document.body.dataset.live) return;
    for (const row of rows) {
      if (this.told.has(row.id) || !this.isNew(row) || !people[row.peer]?.name) continue;
      this.told.add(row.id);
      tell(meeting(row.conversation, row.peer));
    }
  },

  /** A conversation was opened, and isn't new any more. */
  note({ id, inviter }) {
    const { met = [] } = known.of(me);
    if (inviter !== me || met.includes(id)) return;
    known.note(me, { met: [...met, id].slice(-MET) });
    this.show(this.snapshot);
  },

  /** Takes a user who came by a link to its maker, as soon as the two have met. */
  openMeeting(rows) {
    const met = this.awaitsMeeting && !conversationView.place && rows.find((row) => row.conversation?.inviter);
    if (!met) return;
    this.awaitsMeeting = false;
    go(placeOf(met));
  },

  patch(made, row) {
    const part = (name) => made.querySelector(name);
    const isOpen = conversationView.place === placeOf(row);
    const title = row.peer ? called(row.peer) : row.title;
    patchAvatar(part(".avatar"), title, {
      isGroup: !row.peer, state: row.peer && (presenceOf(row.peer)?.state ?? "offline"),
      seed: row.peer ?? row.id,
    });
    text(part(".name"), title);
    const time = row.last?.time ?? row.conversation?.time;
    text(part("time"), time ? language.shortTime(time) : "");
    const typing = !row.typing.length ? "" : row.peer ? t("typing") : t("namesType", { names: language.names(row.typing.map(called)) });
    const isOthers = row.last?.from && !row.peer && !row.last.isOwn;
    const last = isOthers ? t("says", { name: called(row.last.from), text: content(row.last) })
      : preview(row.last) || meeting(row.conversation, row.peer);
    const draft = row.draft && !isOpen ? t("draft", { text: row.draft }) : "";
    text(part(".preview"), typing || draft || (row.last?.state?.state === "failed" ? t("notSentYet", { text: last }) : last));
    part(".preview").classList.toggle("typing", typing !== "");
    const unread = this.unread(row);
    text(part(".count"), unread ? String(unread) : "");
    made.classList.toggle("unread", unread > 0);
    const waiting = row.conversation?.role === "member" ? 0 : row.conversation?.waiting ?? 0;
    text(part(".waits"), waiting ? `+${waiting}` : "");
    attribute(part(".waits"), "title", waiting && t("wantToJoin", { count: waiting }));
    const isMuted = peoplePart?.isMuted(row.id);
    made.classList.toggle("muted", isMuted === true);
    attribute(part("time"), "data-muted", isMuted === true && `${t("muted")} · `);
    attribute(made, "aria-current", isOpen);
    const presence = row.peer && presenceOf(row.peer)?.state;
    const states = [title, unread && t("unread", { count: unread }), isMuted && t("muted"),
      waiting && t("wantToJoin", { count: waiting }), row.pending && t("unsentCount", { count: row.pending })].filter(Boolean).join(", ");
    attribute(made, "aria-label", `${states}. ${part(".preview").textContent}${presence ? ` (${t(`presence.${presence}`)})` : ""}`);
  },

  /** The conversation that many rows below the open one. */
  step(by) {
    const places = this.snapshot.rows.map(placeOf);
    const at = places.indexOf(conversationView.place);
    const to = places[at < 0 ? 0 : Math.min(Math.max(at + by, 0), places.length - 1)];
    if (to) go(to);
  },

  placeOf,
  titleOf: (row) => (row.peer ? called(row.peer) : row.title),

  row(place) {
    return this.snapshot.rows.find((row) => placeOf(row) === place || row.id === place);
  },
};

$("list-more").addEventListener("click", () => attempt(() => roost.conversations.loadMore()));
$("side").addEventListener("scroll", () => {
  const side = $("side");
  if (listView.snapshot.hasMore && side.scrollHeight - side.scrollTop - side.clientHeight < 400) {
    attempt(() => roost.conversations.loadMore());
  }
});

// A message ----------------------------------------------------------------------------------------------------------

/** Shows a text with its marks, addresses and mentions. */
function patchContent(node, words, mentions = []) {
  const found = [...new Set(mentions.flatMap((user) => (user === "@all" ? user : [`@${called(user)}`, `@${user}`])))];
  const parts = parse(words, found);
  node.replaceChildren(...draw(parts));
  node.classList.toggle("blocks", hasBlocks(parts));
  for (const one of node.querySelectorAll(".mention")) {
    one.classList.toggle("mine", ["@all", `@${called(me)}`, `@${me}`].includes(one.textContent));
  }
}

/** How far an own message has got: a sign, and its name for those who don't see it. */
function patchState(node, state) {
  const signature = state ? JSON.stringify(state) : "";
  if (node.dataset.signature === signature) return;
  node.dataset.signature = signature;
  node.replaceChildren();
  attribute(node, "data-state", state?.state);
  attribute(node, "role", state && "img");
  attribute(node, "aria-label", undefined);
  if (!state) return;
  const { count, others } = state;
  const isFar = others > 1 && ["delivered", "read"].includes(state.state);
  const label = isFar ? t(state.state === "read" ? "readBy" : "deliveredTo", { some: count, all: others }) : t(`state.${state.state}`);
  attribute(node, "aria-label", label);
  attribute(node, "title", label);
  node.append(icon({ delivered: "arrived", read: "arrived" }[state.state] ?? state.state));
  if (others > 1) node.append(element("span", { "aria-hidden": "true" }, `${count}/${others}`));
}

/** Rows of messages, in the conversation that is open. */
const messageRows = {
  make(message) {
    const row = $("message-template").content.cloneNode(true).firstElementChild;
    row.dataset.id = message.id;
    // Screen readers don't announce the user's own message.
    if (message.isOwn) row.setAttribute("aria-live", "off");
    if (conversationView.isLive && conversationView.isAtEnd) row.classList.add("new");
    row.querySelector(".quote").addEventListener("click", () => conversationView.jump(row.shown.replyTo));
    // For the pointer. The keyboard gets to a person by the list of members.
    for (const name of [".author", ".avatar"]) row.querySelector(name).addEventListener("click", () => card(row.shown.from));
    return row;
  },

  patch(row, { message, isFirst, quoted, root }) {
    // Names may change, too.
    const signature = JSON.stringify([message, isFirst, called(message.from), message.mentions?.map(called),
      quoted && [preview(quoted), called(quoted.from)], root && preview(root), !peoplePart,
      message.state?.state === "failed" && conversationView.closed !== undefined]);
    if (row.signature === signature) return;
    row.signature = signature;
    row.shown = message;
    const part = (name) => row.querySelector(name);
    const words = message.isDeleted ? t("deletedMessage") : message.text ?? t("otherMessage");
    row.classList.toggle("own", message.isOwn);
    row.classList.toggle("first", isFirst);
    row.classList.toggle("deleted", message.isDeleted);
    row.classList.toggle("unknown", !message.isDeleted && message.text === undefined);
    row.classList.toggle("changing", message.isChanging);
    row.classList.toggle("large", /^(\p{Extended_Pictographic}[\u{FE0F}\u{200D}\u{1F3FB}-\u{1F3FF}]*){1,3}$/u.test(words));
    attribute(row, "data-sequence", message.sequence);
    attribute(row, "aria-label", message.time ? t("shown", { name: writer(message), time: language.clock(message.time) }) : writer(message));
    text(part(".author"), isFirst && !message.isOwn && conversationView.isGroup ? called(message.from) : "");
    const isNamed = conversationView.isGroup && !message.isOwn;
    row.classList.toggle("named", isNamed);
    part(".avatar").hidden = !isNamed || !isFirst;
    if (isNamed && isFirst) {
      patchAvatar(part(".avatar"), called(message.from), { seed: message.from });
      part(".author").className = `author strong ink-${hue(message.from)}`;
    }
    const quote = part(".quote");
    quote.hidden = !message.replyTo || message.isDeleted;
    if (!quote.hidden) {
      text(quote.firstElementChild, quoted ? writer(quoted) : t("replyTo"));
      text(quote.lastElementChild, quoted ? content(quoted) : t("earlierMessage"));
    }
    if (message.text !== undefined && !message.isDeleted) patchContent(part(".content"), words, message.mentions);
    else text(part(".content"), words);
    text(part("time"), message.time ? language.clock(message.time) : "");
    attribute(part("time"), "datetime", message.time && new Date(message.time).toISOString());
    text(part(".edited"), message.editedAt && !message.isDeleted ? t("edited") : "");
    part(".expires").hidden = !message.expires || message.isDeleted;
    if (message.expires) {
      const words = t("disappearOn", { time: language.moment(message.expires) });
      for (const name of ["aria-label", "title"]) attribute(part(".expires"), name, words);
    }
    patchState(part(".state"), message.state);
    this.patchReactions(part(".reactions"), message);
    this.patchProblem(part(".problem-row"), message);
    if (peoplePart) peoplePart.talk.patch(row, message, root);
    else if (message.origin || message.thread || message.replies) loadPart().catch(() => {});
  },

  patchReactions(node, message) {
    const all = message.isDeleted ? [] : message.reactions;
    node.rows ??= new Rows(node, {
      key: (one) => one.reaction,
      make: (one) => button("", () => act("react", one.reaction), { tabindex: -1 }),
      patch: (made, one) => {
        text(made, `${one.reaction} ${one.count}`);
        attribute(made, "aria-pressed", one.mine);
        const reacted = t("timesReacted", one);
        attribute(made, "aria-label", one.mine ? t("reactedToo", { reacted }) : reacted);
      },
    });
    const act = (_, reaction) => conversationView.react(node.parentElement.shown, reaction);
    node.rows.show(all);
  },

  patchProblem(node, message) {
    const failure = message.state?.state === "failed" ? message.state : message.failedChange;
    node.replaceChildren();
    if (!failure) return;
    node.setAttribute("role", "alert");
    const item = message.failedChange?.outboxItem ?? message.outboxItem;
    const timeline = conversationView.timeline;
    const why = failureWords(failure);
    node.append(element("span", {}, t(message.state?.state === "failed" ? "notSent" : "notSaved", { why })));
    if (item === undefined) return;
    if (failure.canRetry) node.append(button(t("retry"), () => attempt(() => timeline.retry(item))));
    if (message.state?.state === "failed" && message.text !== undefined && !message.origin && !conversationView.closed) {
      node.append(button(t("edit"), () => composer.begin({ kind: "replace", message, item })));
    }
    node.append(button(t("discard"), () => attempt(() => timeline.discard(item))));
  },
};

// The conversation that is open --------------------------------------------------------------------------------------

const conversationView = {
  /** Where its messages go to: `@name`, or the id of a group. */
  place: undefined,
  timeline: undefined,
  /** Becomes the timeline: one may write before it is there. */
  opening: undefined,
  snapshot: undefined,
  /** Whether messages come as they are written, and not by scrolling. */
  isLive: false,
  isAtEnd: true,
  /** The messages after this one are marked as new. */
  markedAfter: undefined,
  /** The last message that was in sight, and the last that is known. */
  seenUpTo: 0,
  newest: 0,
  /** Messages that are quoted, by sequence; `null` while the relay is asked. */
  quoted: new Map(),
  filling: new Set(),
  isPaging: false,
  roving: new Roving($("log"), ".message"),

  rows: new Rows($("log"), {
    key: (item) => item.id,
    make: (item) => {
      if (item.type === "message") return messageRows.make(item.message);
      if (item.type === "line" && item.pin) {
        return element("p", { class: "happened" }, button("", () => conversationView.jump(item.pin)));
      }
      const made = element("div", { class: item.type === "line" ? "happened" : item.type });
      if (item.type === "day" || item.type === "marker") made.setAttribute("role", "separator");
      return made;
    },
    patch: (row, item) => {
      if (item.type === "message") return messageRows.patch(row, item);
      if (item.gap) Object.assign(row.dataset, { from: item.gap.from, to: item.gap.to });
      text(item.pin ? row.firstElementChild : row, item.words);
    },
  }),

  get isGroup() {
    return this.snapshot?.conversation ? this.snapshot.conversation.kind === "group" : !this.place?.startsWith("@");
  },

  get title() {
    if (!this.place) return "";
    if (this.place.startsWith("@")) return called(this.place.slice(1));
    return this.snapshot?.conversation?.name ?? listView.row(this.place)?.title ?? this.former ?? t("group");
  },

  /** The user was removed from a conversation: the open one stays on the screen, and says so. */
  leave(event) {
    const { conversation, by, banned, reason: why } = event;
    if (conversation !== (this.snapshot?.conversation?.id ?? this.place)) return;
    this.ended = lineWords({ event: "removed", by, users: [me], banned, reason: why }, { me, called, language });
    this.showHead();
  },

  /** Why nothing can be written here: the user isn't in it, or not any more. */
  get absence() {
    if (!this.snapshot || this.snapshot.conversation || this.place.startsWith("@") || !roost.snapshot.isUpToDate) return undefined;
    return { words: this.ended ? `${this.ended}.` : t("notInConversation") };
  },

  async open(place) {
    if (this.place === place) return this.settleFocus();
    this.close();
    this.place = place;
    document.body.dataset.view = "conversation";
    $("nothing").hidden = true;
    $("conversation").hidden = false;
    this.showHead();
    listView.show(listView.snapshot);
    composer.reset();
    this.settleFocus();
    this.opening = attempt(() => roost.timeline(place));
    const opened = await this.opening;
    if (this.place !== place || !opened) return opened?.close();
    this.timeline = opened;
    const { conversation, items } = opened.snapshot;
    if (conversation?.unread) {
      this.markedAfter = conversation.read;
      const first = items.find((item) => item.type === "message" && item.sequence);
      if (first && first.sequence > conversation.read + 1) await attempt(() => opened.jump(conversation.read + 1));
      if (this.timeline !== opened) return undefined;
    }
    composer.takeDraft(opened.draft);
    loadWriting().catch(() => {});
    opened.onChange((snapshot) => {
      if (this.timeline !== opened) return;
      composer.follow(opened.draft);
      this.show(snapshot);
    });
    this.isLive = true;
    return undefined;
  },

  /** On a phone a keyboard that comes by itself hides half of what one wants to read. */
  settleFocus() {
    if (!matchMedia("(pointer: coarse)").matches) $("text").focus({ preventScroll: true });
  },

  close() {
    this.timeline?.close();
    tools.hide();
    this.rows.show([]);
    Object.assign(this, {
      place: undefined, timeline: undefined, opening: undefined, snapshot: undefined, former: undefined, ended: undefined, isLive: false, isAtEnd: true, markedAfter: undefined,
      seenUpTo: 0, newest: 0,
    });
    this.quoted.clear();
    this.filling.clear();
    peoplePart?.talk.follow();
    $("typing").textContent = "";
    $("below").hidden = $("trouble").hidden = $("older").hidden = true;
    finder.close();
    writing?.follow();
    $("conversation").hidden = true;
    $("nothing").hidden = false;
    document.body.dataset.view = "list";
  },

  show(snapshot) {
    const isFirst = this.snapshot === undefined;
    meet(snapshot.people);
    const { items, conversation } = snapshot;
    const before = this.newest;
    for (const item of items) {
      if (item.type !== "message" || !item.sequence) continue;
      this.newest = Math.max(this.newest, item.sequence);
      this.quoted.set(item.sequence, item);
    }
    this.markArrivals(items, before);
    this.snapshot = snapshot;
    const anchor = this.isAtEnd ? undefined : this.anchor();
    // Messages that come by scrolling aren't read out.
    attribute($("log"), "aria-busy", isFirst || this.isPaging);
    this.rows.show(this.described(items, snapshot.lines));
    attribute($("log"), "aria-busy", false);
    tools.follow();
    this.roving.settle($("log").querySelector(".message:last-of-type"));
    $("older").hidden = !(this.isPaging && snapshot.hasOlder);
    const names = language.names(snapshot.typing.map(called));
    text($("typing"), snapshot.othersType ? t("severalType") : names && t(snapshot.typing.length > 1 ? "namesAreTyping" : "nameTypes", { names }));
    this.showHead();
    if (conversation) listView.note(conversation);
    if (isFirst) this.scrollToBegin();
    else if (this.isAtEnd && !snapshot.hasNewer) this.scrollToEnd();
    else this.restore(anchor);
    if (conversation || items.length) this.looked();
  },

  /** Marks messages that came while the page was hidden by a line. */
  markArrivals(items, before) {
    if (!this.snapshot || this.isPaging || this.snapshot.hasNewer) return;
    const isNew = items.some((item) => item.type === "message" && !item.isOwn && item.sequence > before);
    if (!isNew || before === 0 || (isActive() && this.isAtEnd)) return;
    if (this.markedAfter === undefined || this.seenUpTo >= before) this.markedAfter = before;
  },

  /** The rows for items: messages, and between them days, gaps, what has happened, and the line above what is new. */
  described(items, lines) {
    const rows = [];
    let last;
    let lastDay;
    let isMarked = this.markedAfter === undefined;
    const begin = (time) => {
      if (lastDay !== dayOf(time)) rows.push({ type: "day", id: `day ${dayOf(time)} ${rows.at(-1)?.id ?? ""}`, words: language.day(time) });
      if (lastDay !== dayOf(time)) last = undefined;
      lastDay = dayOf(time);
    };
    const waiting = [...lines];
    const happened = (sequence) => {
      while (waiting[0]?.sequence < sequence) {
        const line = waiting.shift();
        begin(line.time);
        rows.push({ type: "line", id: `line ${line.position}`, pin: line.pin, words: lineWords(line, { me, called, language }) });
        last = undefined;
      }
    };
    const met = this.snapshot.hasOlder ? "" : meeting(this.snapshot.conversation, this.peer);
    if (met) rows.push({ type: "event", id: "met", words: met });
    for (const item of items) {
      happened(item.type === "gap" ? item.from : item.sequence ?? Infinity);
      if (item.type === "gap") {
        rows.push({ type: "gap", id: item.id, gap: item, words: `${t("messages", { count: item.to - item.from + 1 })} …` });
        last = lastDay = undefined;
        continue;
      }
      const time = item.time ?? Date.now();
      begin(time);
      if (!isMarked && item.sequence > this.markedAfter && !item.isOwn) {
        rows.push({ type: "marker", id: "marker", words: t("newMessages") });
        isMarked = true;
        last = undefined;
      }
      const isFirst = !last || last.from !== item.from || time - (last.time ?? time) > 5 * MINUTE;
      const quoted = item.replyTo ? this.quotedMessage(item.replyTo) : undefined;
      const root = item.thread ? this.quotedMessage(item.thread) : undefined;
      rows.push({ type: "message", id: item.id, message: item, isFirst, quoted, root });
      last = item;
    }
    happened(Infinity);
    return rows;
  },

  /** A message that is quoted; if it isn't here, the relay is asked for it once. */
  quotedMessage(sequence) {
    const known = this.quoted.get(sequence);
    const id = this.snapshot?.conversation?.id;
    if (known !== undefined || !id || roost.snapshot.connection.state !== "connected") return known ?? undefined;
    this.quoted.set(sequence, null);
    const timeline = this.timeline;
    roost.request("history", { conversation: id, after: sequence - 1, limit: 1 }).then(({ messages }) => {
      const [found] = messages;
      if (this.timeline !== timeline || found?.sequence !== sequence) return;
      this.quoted.set(sequence, {
        from: found.from, isOwn: found.from === me, isDeleted: found.deletedAt !== undefined, kind: found.kind ?? "text",
        text: found.kind ? undefined : found.body,
      });
      this.show(timeline.snapshot);
    }, () => {});
    return undefined;
  },

  showHead() {
    showBadge();
    if (!this.place) return;
    this.former = this.snapshot?.conversation?.name ?? this.former;
    const { peer } = this;
    const isBlocked = peoplePart?.isBlocked(peer);
    const presence = peer && !isBlocked ? presenceOf(peer) : undefined;
    patchAvatar($("title-avatar"), this.title, { isGroup: !peer, state: presence?.state, seed: peer ?? this.place });
    text($("title"), this.title);
    text($("subtitle"), isBlocked ? t("blocked") : peer ? presenceLine(presence) : this.groupLine());
    composer.showMode();
    peoplePart?.showHead();
    const { expiry } = this.snapshot?.conversation ?? {};
    $("expiry").hidden = !expiry;
    if (expiry) {
      const length = language.duration(expiry);
      text($("expiry").lastElementChild, length);
      for (const name of ["aria-label", "title"]) attribute($("expiry"), name, t("disappearAfter", { length }));
    }
    this.showTrouble();
  },

  /** Some members of a group, and how many are there. */
  groupLine() {
    const { conversation, online } = this.snapshot ?? {};
    if (!conversation) return "";
    const others = conversation.members.filter((user) => user !== me).slice(0, 4);
    const here = online ? ` · ${t("membersOnline", online)}` : "";
    return language.names([...others.map(called), t("you")], conversation.count - others.length - 1) + here;
  },

  /** The other one of a direct conversation. */
  get peer() { return this.place?.startsWith("@") ? this.place.slice(1) : listView.row(this.place)?.peer; },

  /** The reason why the user can't write here, with the way out in `act` and `does`; undefined if it can. Blocks by
   *  others aren't known, and show nowhere. */
  get closed() {
    const { failure, conversation } = this.snapshot ?? {};
    const { peer } = this;
    if (!peer) return this.absence ?? barrier(conversation, language);
    const name = called(peer);
    if (people[peer]?.deleted) return { words: t("accountWasDeleted") };
    if (peoplePart?.isBlocked(peer) || failure?.reason === "youBlocked") {
      return { words: t("youBlocked", { name }), act: t("unblock"), does: () => withPart((part) => part.people.unblock([peer])) };
    }
    return conversation?.request === "sent" && !this.mayShareGroup(peer) ? { words: t("waitsForAcceptance", { name }) } : undefined;
  },

  /** Whether the two may share a group, whose members may write whatever has become of a request. Lists don't name
   *  all members of large groups. */
  mayShareGroup(user) {
    const { rows, hasMore } = listView.snapshot;
    return hasMore || rows.some(({ conversation: one }) => (
      one?.kind === "group" && (one.members.includes(user) || one.count > one.members.length)));
  },

  /** Why nothing is sent here, and what to do. Where the user can't write, it stands in place of the field. */
  showTrouble() {
    clearTimeout(this.barrierTimer);
    const { failure } = this.snapshot ?? {};
    const { closed } = this;
    this.showPause();
    const hadFocus = $("trouble").contains(document.activeElement);
    $("composer").hidden = Boolean(closed);
    // A timeout ends by itself.
    if (closed?.until) this.barrierTimer = setTimeout(() => this.showTrouble(), Math.min(closed.until - Date.now() + 50, DAY));
    const said = closed ?? (failure && {
      words: `${t("notSending")} ${failureWords(failure)}`, act: t("retry"), does: () => this.timeline.resume(),
    });
    $("trouble").hidden = !said;
    $("trouble").classList.toggle("closed", closed !== undefined);
    if (hadFocus && !closed) this.settleFocus();
    peoplePart?.talk.thread.showClosed(closed);
    // Two people may be called the same.
    const signature = said && `${this.place} ${said.words}`;
    if (!said || $("trouble").dataset.signature === signature) return;
    $("trouble").dataset.signature = signature;
    $("trouble").replaceChildren(element("span", {}, said.words), ...(said.act ? [button(said.act, () => attempt(said.does))] : []));
  },

  /** Shows in a slow group when the next message goes out. An earlier one waits for that. */
  showPause() {
    clearTimeout(this.pauseTimer);
    const told = pause(this.snapshot, language);
    $("pause").hidden = !told;
    if (told) text($("pause"), told.words);
    if (told?.next) this.pauseTimer = setTimeout(() => this.showPause(), told.next);
  },

  // Scrolling

  get messages() {
    return [...$("log").querySelectorAll(".message")];
  },

  /** The first row in sight and where it is, so that it stays there when others come above it. */
  anchor() {
    const top = $("scroll").getBoundingClientRect().top;
    const row = this.messages.find((one) => one.getBoundingClientRect().bottom > top);
    return row && { row, top: row.getBoundingClientRect().top };
  },

  restore(anchor) {
    if (anchor?.row.isConnected) $("scroll").scrollTop += anchor.row.getBoundingClientRect().top - anchor.top;
  },

  scrollToEnd() {
    $("scroll").scrollTop = $("scroll").scrollHeight;
    this.isAtEnd = true;
  },

  scrollToBegin() {
    const marker = $("log").querySelector(".marker");
    this.scrollToEnd();
    if (!marker) return;
    const above = $("scroll").getBoundingClientRect().top + 40 - marker.getBoundingClientRect().top;
    if (above > 0) $("scroll").scrollTop -= above;
    this.isAtEnd = this.distance() < END;
  },

  distance() {
    const { scrollHeight, scrollTop, clientHeight } = $("scroll");
    return scrollHeight - scrollTop - clientHeight;
  },

  scrolled() {
    if (!this.timeline || !this.snapshot) return;
    this.isAtEnd = this.distance() < END && !this.snapshot.hasNewer;
    if ($("scroll").scrollTop < 500 && this.snapshot.hasOlder) this.page("loadOlder");
    else if (this.distance() < 500 && this.snapshot.hasNewer) this.page("loadNewer");
    this.looked();
  },

  async page(method) {
    if (this.isPaging) return;
    this.isPaging = true;
    const { timeline } = this;
    // Without a connection there is nothing more, and nothing to show.
    await timeline[method]().catch(() => {});
    this.isPaging = false;
    if (this.timeline !== timeline) return;
    $("older").hidden = true;
    this.looked();
  },

  /** Takes note of what is in sight: messages are read, gaps are filled, and what is below is counted. */
  looked() {
    const { top, bottom } = $("scroll").getBoundingClientRect();
    const inSight = (row) => {
      const box = row.getBoundingClientRect();
      return box.top < bottom - Math.min(box.height, 40) && box.bottom > top;
    };
    if (isActive()) {
      const last = this.messages.findLast((row) => row.dataset.sequence && inSight(row));
      if (last) this.seenUpTo = Math.max(this.seenUpTo, Number(last.dataset.sequence));
      this.tellSeen();
    }
    for (const row of $("log").querySelectorAll(".gap")) if (inSight(row)) this.fill(row.dataset);
    const { items, hasNewer, conversation } = this.snapshot;
    // Beyond the loaded messages, the user's own can't be distinguished from others'.
    const below = hasNewer ? Math.max((conversation?.sequence ?? 0) - this.seenUpTo, 0)
      : items.filter((item) => item.type === "message" && !item.isOwn && item.sequence > this.seenUpTo).length;
    $("below").hidden = this.isAtEnd || (this.distance() < 2 * END && !hasNewer);
    text($("below").querySelector("span"), below ? t("newBelow", { count: below }) : "");
    attribute($("below"), "aria-label", below ? t("newBelowGo", { count: below }) : t("jumpToLatest"));
  },

  tellSeen() {
    const { conversation } = this.snapshot ?? {};
    if (!isActive() || !conversation || this.seenUpTo <= conversation.read) return;
    attempt(() => this.timeline.seen(this.seenUpTo), () => {});
  },

  fill({ from, to }) {
    const key = `${from} ${to}`;
    if (this.filling.has(key)) return;
    this.filling.add(key);
    const again = () => this.filling.delete(key);
    this.timeline.fill(Number(from), Number(to)).then(again, again);
  },

  async jump(sequence) {
    const find = () => $("log").querySelector(`[data-sequence="${Number(sequence)}"]`);
    if (!find()) await attempt(() => this.timeline.jump(sequence));
    const row = find();
    if (!row) return tell(t("messageNotHere"));
    this.isAtEnd = false;
    row.scrollIntoView({ block: "center" });
    this.roving.chosen(row);
    row.classList.add("lit");
    setTimeout(() => row.classList.remove("lit"), 2_000);
    this.scrolled();
    return row;
  },

  async goToEnd() {
    if (this.snapshot?.hasNewer) await attempt(() => this.timeline.jumpToEnd());
    this.scrollToEnd();
    this.looked();
    this.settleFocus();
  },

  react(message, reaction) {
    const isMine = message.reactions.some((one) => one.reaction === reaction && one.mine);
    return attempt(() => this.timeline.react(message.id, reaction, !isMine));
  },
};

let isLooking = false;
$("scroll").addEventListener("scroll", () => {
  if (isLooking) return;
  isLooking = true;
  requestAnimationFrame(() => {
    isLooking = false;
    conversationView.scrolled();
  });
}, { passive: true });
new ResizeObserver(() => {
  if (conversationView.isAtEnd && conversationView.snapshot) conversationView.scrollToEnd();
  placeNotice();
}).observe($("scroll"));
$("below").addEventListener("click", () => conversationView.goToEnd());
$("back-button").addEventListener("click", () => go(undefined));

// Writing ------------------------------------------------------------------------------------------------------------

/** The field below the messages: a new message, a reply, or another text for a message that was sent or refused. */
const composer = {
  mode: { kind: "new" },
  /** The draft from before an old text took its place. */
  put: "",
  /** The last draft of the conversation that was in the field, too. */
  kept: "",

  reset() {
    this.mode = { kind: "new" };
    this.put = this.kept = "";
    this.fill("");
    this.showMode();
  },

  /** Takes an earlier draft, unless another was begun meanwhile. */
  takeDraft(draft) {
    if ($("text").value === "") this.fill(this.kept = draft);
    else this.typed();
  },

  /** Shows a draft that was begun, or sent, in another tab or on another device, unless the user is typing here:
   *  then the field differs from the text that was kept. */
  follow(draft) {
    if (!this.isChange && $("text").value === this.kept && draft !== this.kept) this.fill(draft);
    if ($("text").value === draft) this.kept = draft;
  },

  fill(words) {
    $("text").value = words;
    this.grow();
    writing?.counter.count();
  },

  begin(mode) {
    if (this.isChange && !["edit", "replace"].includes(mode.kind)) this.fill(this.put);
    else if (!this.isChange) this.put = $("text").value;
    this.mode = mode;
    if (this.isChange) this.fill(mode.message.text ?? "");
    this.showMode();
    $("text").focus();
  },

  get isChange() {
    return this.mode.kind === "edit" || this.mode.kind === "replace";
  },

  cancel() {
    if (this.isChange) this.fill(this.put);
    this.mode = { kind: "new" };
    this.showMode();
    $("text").focus();
  },

  showMode() {
    const { kind, message } = this.mode;
    $("about").hidden = kind === "new";
    const words = kind === "reply"
      ? t("replyingTo", { name: message.isOwn ? t("yourself") : called(message.from), text: content(message) }) : t("editMessage");
    if (kind !== "new") text($("about").firstElementChild, words);
    text($("text-label"), kind === "new" ? t("messageTo", { name: conversationView.title }) : words);
  },

  async send() {
    const words = $("text").value;
    const { opening } = conversationView;
    if (words.trim() === "" || !opening) return;
    const over = writing?.counter.over(words) ?? 0;
    if (over > 0) return tell(t("tooLong", { count: over }));
    const { kind, message, item } = this.mode;
    // An edit replaces them. Before the part is here that knows them, they stay.
    const mentions = writing?.mentions.of(words) ?? message?.mentions ?? [];
    // An update that arrives late still has the words as a draft: they don't come back.
    if (!this.isChange) this.kept = words;
    this.fill(this.isChange ? this.put : "");
    this.mode = { kind: "new" };
    this.showMode();
    await attempt(async () => {
      const timeline = await opening;
      // The edit names the version that was shown, so that an edit on another device meanwhile isn't lost.
      if (kind === "edit") return timeline.edit(message.id, words, { ifVersion: message.version ?? 1, ...(mentions.length ? { mentions } : {}) });
      if (kind === "replace") return timeline.replace(item, words);
      if (timeline.snapshot.hasNewer) await timeline.jumpToEnd();
      if (conversationView.timeline === timeline) Object.assign(conversationView, { markedAfter: undefined, isAtEnd: true });
      return timeline.send(words, { ...(kind === "reply" ? { replyTo: message.id } : {}), ...(mentions.length ? { mentions } : {}) });
    }, (problem) => {
      // The typed text must not be lost with the error.
      if ($("text").value === "") this.fill(words);
      tell(problem);
    });
  },

  typed() {
    this.grow();
    if (!this.isChange) attempt(() => conversationView.timeline?.write($("text").value), () => {});
  },

  /** As high as its text; browsers that know `field-sizing` do that themselves. */
  grow() {
    if (CSS.supports("field-sizing", "content")) return;
    const field = $("text");
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, 150)}px`;
  },

  pressed(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !matchMedia("(pointer: coarse)").matches) {
      event.preventDefault();
      this.send();
    } else if (event.key === "Escape" && this.mode.kind !== "new") {
      event.stopPropagation();
      this.cancel();
    } else if (event.key === "ArrowUp" && $("text").value === "" && !event.altKey) {
      const last = conversationView.snapshot?.items.findLast((item) =>
        item.isOwn && item.text !== undefined && !item.isDeleted && !item.origin);
      if (!last) return;
      event.preventDefault();
      const isFailed = last.state?.state === "failed";
      this.begin({ kind: isFailed ? "replace" : "edit", message: last, item: last.outboxItem });
    }
  },
};

$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  composer.send();
  $("text").focus();
});
$("text").addEventListener("input", () => composer.typed());
$("text").addEventListener("keydown", (event) => composer.pressed(event));
$("about").querySelector("button").addEventListener("click", () => composer.cancel());

// Acts on a message --------------------------------------------------------------------------------------------------

/** The bar of buttons at the message that has the pointer or the focus. There is one, which moves. */
const tools = {
  // The button may be in a row that is removed.
  bar: $("tools"),
  row: undefined,
  isKept: false,
  /** The buttons' acts, by their words. */
  acts: new Map(),

  /** `isKept`: it stays when the pointer leaves, because it was asked for by a key or a touch. */
  show(row, isKept = false) {
    if (this.row === row && (this.isKept || !isKept)) return;
    const actions = this.actions(row.shown);
    if (!actions.length) return this.hide();
    this.row = row;
    this.isKept = isKept;
    row.append(this.bar);
    this.bar.hidden = false;
    this.bar.replaceChildren();
    this.fill(actions);
  },

  /** The message has changed, and with it what can be done: it was stored, edited or deleted. */
  follow() {
    if (!this.row) return;
    const actions = this.row.isConnected ? this.actions(this.row.shown) : [];
    if (!actions.length) return this.hide();
    // A user who is choosing a reaction isn't interrupted.
    if (!this.acts.has(REACTIONS[0])) this.fill(actions);
  },

  /** Beside the bubble if there is room, otherwise above or below it. */
  place() {
    const [bar, row] = [this.bar, this.row.getBoundingClientRect()];
    const bubble = this.row.querySelector(".bubble").getBoundingClientRect();
    const room = this.row.shown.isOwn ? bubble.left - row.left : row.right - bubble.right;
    const isBeside = room > bar.offsetWidth + 8;
    const isHigh = row.top - $("scroll").getBoundingClientRect().top < bar.offsetHeight;
    const left = this.row.shown.isOwn ? bubble.left - bar.offsetWidth - 6 : bubble.right + 6;
    bar.style.left = isBeside ? `${left - row.left}px` : this.row.shown.isOwn ? "auto" : "0";
    bar.style.right = !isBeside && this.row.shown.isOwn ? "0" : "auto";
    const above = isHigh ? bubble.height - 4 : 4 - bar.offsetHeight;
    bar.style.top = `${isBeside ? (bubble.height - bar.offsetHeight) / 2 : above}px`;
  },

  fill(actions) {
    this.acts = new Map(actions.map(([, words, act]) => [words, act]));
    const before = [...this.bar.children].map((one) => one.title);
    // Buttons that stay the same stay, so that a click that has begun counts.
    if (String(before) !== String([...this.acts.keys()])) {
      const focused = this.bar.contains(document.activeElement) ? document.activeElement.title : undefined;
      this.bar.replaceChildren(...actions.map(([name, words]) => {
        const act = () => this.acts.get(words)();
        const made = button("", act, { "aria-label": words, title: words, tabindex: -1, class: name ? "" : "emoji" });
        made.append(name ? icon(name) : words);
        return made;
      }));
      this.roving.settle();
      const all = [...this.bar.children];
      if (focused !== undefined) (all.find((one) => one.title === focused) ?? all[0]).focus();
    }
    this.place();
  },

  hide() {
    if (!this.row) return;
    const { row } = this;
    const hadFocus = this.bar.contains(document.activeElement);
    this.row = undefined;
    this.isKept = false;
    this.bar.hidden = true;
    document.body.append(this.bar);
    if (hadFocus && row.isConnected) row.focus();
  },

  actions(message) {
    const timeline = conversationView.timeline;
    const role = conversationView.snapshot?.conversation?.role;
    const done = (act) => () => {
      this.hide();
      return act();
    };
    if (message.outboxItem !== undefined && !message.sequence) {
      return [["bin", t("dontSend"), done(() => attempt(() => timeline.discard(message.outboxItem)))]];
    }
    if (!message.sequence || message.isDeleted) return [];
    const { closed } = conversationView;
    const actions = [];
    if (!closed || closed.mayReact) {
      actions.push(["smile", t("react"), () => {
        const all = REACTIONS.map((one) => [undefined, one, done(() => {
          conversationView.react(message, one);
          $("text").focus();
        })]);
        const choose = (one) => {
          conversationView.react(message, one);
          $("text").focus();
        };
        this.fill(writing ? [...all, ["plus", t("moreEmoji"), done(() => writing.picker.open(this.bar, choose, true))]] : all);
        this.bar.firstElementChild.focus();
      }]);
    }
    if (!closed) actions.push(["reply", t("reply"), done(() => composer.begin({ kind: "reply", message }))]);
    if (message.text !== undefined && navigator.clipboard) {
      actions.push(["copy", t("copy"), done(() => attempt(async () => {
        await navigator.clipboard.writeText(message.text);
        tell(t("copied"));
      }))]);
    }
    if (message.isOwn && message.text !== undefined && !message.origin && !closed) {
      actions.push(["pencil", t("edit"), done(() => composer.begin({ kind: "edit", message }))]);
    }
    if (message.isOwn) actions.push(["eye", t("whoRead"), done(() => withPart((one) => one.showReaders(message)))]);
    if (peoplePart) actions.push(...peoplePart.talk.actions(message, done), ...peoplePart.pins.actions(message, done));
    if (message.isOwn || (conversationView.isGroup && role !== "member")) {
      actions.push(["bin", t("delete"), done(() => removeMessage(message))]);
    }
    return actions;
  },
};
tools.roving = new Roving(tools.bar, "button", ["ArrowLeft", "ArrowRight"]);

async function removeMessage(message) {
  if (!message.isOwn && conversationView.isGroup) return (await loadPart()).remove(message);
  const words = t(message.isOwn ? "deleteOwnAsk" : "deleteAsk", { name: called(message.from), text: content(message).slice(0, 80) });
  if (await confirmed(words, t("delete"))) await attempt(() => conversationView.timeline.delete(message.id));
  $("text").focus();
}

$("log").addEventListener("pointerover", (event) => {
  const row = event.target.closest(".message");
  if (event.pointerType === "mouse" && row && !tools.isKept) tools.show(row);
});
$("scroll").addEventListener("pointerleave", () => { if (!tools.isKept) tools.hide(); });
$("log").addEventListener("click", (event) => {
  const row = event.target.closest(".message");
  if (!row || event.target.closest("button, a, .author, .avatar") || getSelection()?.toString()) return;
  if (tools.row === row && tools.isKept) tools.hide();
  else tools.show(row, true);
});
$("log").addEventListener("focusin", (event) => {
  const row = event.target.closest(".message");
  if (row !== tools.row) tools.hide();
  if (row) reachInside(row, 0);
});
$("log").addEventListener("focusout", (event) => {
  const row = event.target.closest(".message");
  if (row && !row.contains(event.relatedTarget)) reachInside(row, -1);
});

/** The contents of a message are reached by Tab from there, and from nowhere else. */
function reachInside(row, tabIndex) {
  for (const one of row.querySelectorAll(":is(a, .quote, .reactions button)")) one.tabIndex = tabIndex;
}

$("log").addEventListener("keydown", (event) => {
  const row = event.target.closest(".message");
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    event.preventDefault();
    if (tools.bar.contains(event.target)) return tools.hide();
    return $("text").focus();
  }
  if (event.target !== row) return;
  const words = { r: t("reply"), e: t("edit"), Delete: t("delete") }[event.key];
  if (event.key === "Enter") {
    event.preventDefault();
    tools.show(row, true);
    if (tools.row === row) tools.bar.querySelector("[tabindex='0']").focus();
  } else if (words) {
    const found = tools.actions(row.shown).find(([, name]) => name === words);
    if (!found) return;
    event.preventDefault();
    found[2]();
  }
});

// Searching ----------------------------------------------------------------------------------------------------------

/** How many messages a search has found. */
const countOf = (found) => (found.length >= 100 ? t("newestHundred") : found.length ? t("messages", { count: found.length }) : t("nothingFound"));

const finder = {
  timer: undefined,

  open() {
    $("find").hidden = false;
    attribute($("find-button"), "aria-expanded", "true");
    $("find-text").focus();
  },

  close() {
    if ($("find").hidden) return;
    $("find").hidden = true;
    attribute($("find-button"), "aria-expanded", "false");
    $("find-text").value = "";
    $("found").replaceChildren();
    text($("find-count"), "");
  },

  async search() {
    const words = $("find-text").value.trim();
    const { timeline } = conversationView;
    const found = words && timeline ? await attempt(() => timeline.search(words)) ?? [] : [];
    if ($("find-text").value.trim() !== words) return;
    text($("find-count"), words ? countOf(found) : "");
    $("found").replaceChildren(...found.map((message) => {
      const shown = button("", () => conversationView.jump(message.sequence));
      const when = message.time ? `${language.day(message.time)}, ${language.clock(message.time)}` : "";
      const [before, hit, behind] = around(message.text ?? "", words);
      shown.append(element("span", { class: "faint" }, `${writer(message)} · ${when}`),
        element("span", { dir: "auto" }, before, element("mark", {}, hit), behind));
      return element("li", {}, shown);
    }));
  },
};

$("find-button").addEventListener("click", () => ($("find").hidden ? finder.open() : finder.close()));
$("find-close").addEventListener("click", () => {
  finder.close();
  $("text").focus();
});
$("find-form").addEventListener("submit", (event) => {
  event.preventDefault();
  finder.search();
});
$("find-text").addEventListener("input", () => {
  clearTimeout(finder.timer);
  finder.timer = setTimeout(() => finder.search(), 150);
});
$("find").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.preventDefault();
  event.stopPropagation();
  finder.close();
  $("text").focus();
});

// Dialogs ------------------------------------------------------------------------------------------------------------

// Where the focus was before a dialog, and comes back to.
const openers = new WeakMap();

function showDialog(id) {
  tools.hide();
  if ($(id).open) return;
  // Earlier words were about something else.
  tell("");
  openers.set($(id), document.activeElement);
  $(id).showModal();
}

function equip(dialog) {
  dialog.addEventListener("close", () => {
    // The event comes later than the dialog goes: meanwhile the user may have gone on to somewhere else.
    const isBack = [document.body, openers.get(dialog)].includes(document.activeElement) || dialog.contains(document.activeElement);
    if (conversationView.place && isBack) conversationView.settleFocus();
    placeNotice();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]") || event.target === dialog) dialog.close();
  });
}
document.querySelectorAll("dialog").forEach(equip);

/** Asks, and returns whether the answer was yes. */
function confirmed(words, yes) {
  text($("confirm-text"), words);
  text($("confirm-yes"), yes);
  $("confirm").returnValue = "";
  showDialog("confirm");
  return new Promise((resolve) => {
    $("confirm").addEventListener("close", () => resolve($("confirm").returnValue === "yes"), { once: true });
  });
}

/** Users without a known conversation. This page doesn't look users up. */
function strangers(users) {
  const known = new Set(listView.snapshot.rows.flatMap((row) => [row.peer, ...(row.conversation?.members ?? [])]));
  return users.filter((user) => !known.has(user));
}

/** The id of the user with a typed name, an id or a username; undefined if the name doesn't exist, according to the
 *  server. For a user that the server doesn't show, the result is the name itself, which leads to the user if there
 *  is one, and so it is for all names without a connection. */
async function meant(name) {
  try {
    const [profile] = (await roost.request("user.get", { users: [name] })).profiles;
    if (profile.version) {
      meet([profile]);
      return profile.user;
    }
    return (await roost.request("watch", { users: [name] })).users[0].user;
  } catch (error) {
    return error.code === "not_found" ? undefined : name;
  }
}

/** Begins a conversation with a user, or a group, by picking people. */
const beginning = {
  one() {
    const done = ({ key }) => {
      go(`@${key}`);
      return true;
    };
    return pick({ title: t("newConversation"), done, group: () => this.group() });
  },

  group() {
    const done = async (users, name) => {
      go(await roost.createGroup(name, users));
      return true;
    };
    return pick({ title: t("newGroup"), isMany: true, isNamed: true, act: t("createGroup"), done });
  },
};
$("new").addEventListener("click", () => beginning.one());

$("me").addEventListener("click", () => goSettings());

// People -------------------------------------------------------------------------------------------------------------

/** The parts of the page that the part about people uses. */
const page = {
  $, LANGUAGES, NAME, Roving, Rows, accountReason, addAccount, address, around, attempt, attribute, button, called, card, chosenLanguage, composer, confirmed,
  content, conversationView, countOf, element, equip, go, goSettings, icon, known, language, leave, listView, loadPart, loadWriting, meant, meet,
  messageRows, myAccount, nameOfLanguage, ofThisVersion, patchAvatar, people, pick, presenceLine, presenceOf, preview, reason, showBadge, showDialog, showFactor,
  showSession, signOut, speak, switchTo, t, tell, text, tools,
  mentionsIn: (words) => writing?.mentions.of(words) ?? [],
  get accounts() { return accounts; },
  get me() { return me; },
  get roost() { return roost; },
};

/** A part of the page that is loaded later, with the texts of all such parts. */
const partOf = (loaded) => ofThisVersion(Promise.all([loaded, language.more()]).then(([part]) => part));

/** Contacts, members, mutes, and who has read what: a file of its own, which comes after the messages, or when it is
 *  asked for. */
let peoplePart;
let loading;

function loadPart() {
  loading ??= partOf(import("/app-people.js?unpacked")).then(({ begin }) => {
    peoplePart = begin(page);
    peoplePart.use(roost);
    if (conversationView.snapshot) conversationView.show(conversationView.snapshot);
    // There is more to do with a message now.
    tools.follow();
    return peoplePart;
  }).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Emoji, mentions, how long a text may be, and what fingers do: it comes with the first conversation that is opened. */
let writing;
let loadingWriting;

function loadWriting() {
  loadingWriting ??= partOf(import("/app-write.js?unpacked")).then(({ begin }) => (writing = begin(page))).catch((error) => {
    loadingWriting = undefined;
    throw error;
  });
  return loadingWriting;
}

/** Two-step verification of the user of this tab, in a place of its own. */
let loadingFactor;
function showFactor(place) {
  loadingFactor ??= partOf(import("/app-factor.js?unpacked")).then(({ begin }) => begin(page));
  loadingFactor.catch(() => { loadingFactor = undefined; });
  return attempt(async () => (await loadingFactor).show(place, me));
}

/** The search of all conversations is loaded at its first use. */
let loadingFind;
$("all-text").addEventListener("input", () => attempt(async () => {
  loadingFind ??= partOf(import("/app-find.js?unpacked")).then(({ begin }) => begin(page));
  loadingFind.catch(() => { loadingFind = undefined; });
  (await loadingFind).changed();
}));

/** A part that is loaded when it is needed, and begun once. One that couldn't be loaded is tried again the next time. */
function later(load) {
  let loaded;
  return () => {
    loaded ??= partOf(load()).then(({ begin }) => begin(page)).catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

const loadPicker = later(() => import("/app-pick.js?unpacked"));
const loadCard = later(() => import("/app-card.js?unpacked"));
const importSettings = () => import("/app-settings.js?unpacked");
let loadSettings = later(importSettings);

/** Lets the user pick people, and groups, too, as the picker has it. */
function pick(wish) {
  return attempt(async () => (await loadPicker()).open(wish));
}

/** Shows a user's card and the possible actions; for the user's own name, the profile settings. */
function card(user) {
  return user === me ? goSettings("profile") : attempt(async () => (await loadCard()).open(user));
}

const withPart = (act) => attempt(async () => act(await loadPart()));

let inviting;
$("invite").addEventListener("click", () => attempt(async () => {
  inviting ??= partOf(import("/app-invites.js?unpacked")).then(({ begin }) => begin(page));
  try {
    (await inviting).open();
  } catch (error) {
    inviting = undefined;
    throw error;
  }
}));
$("people-button").addEventListener("click", () => withPart((one) => one.panel.open()));
/** About the conversation that is open: its group, or the other one. */
function showInfo() {
  const { peer, isGroup, place } = conversationView;
  if (peer) return card(peer);
  return place && isGroup && withPart((one) => one.info.open());
}
for (const id of ["expiry", "info-button", "title-avatar", "title"]) $(id).addEventListener("click", showInfo);

// Where one is -------------------------------------------------------------------------------------------------------

/** How many places of this tab are behind the one that is shown: it distinguishes Back from other ways. */
let depth = history.state?.depth ?? 0;

/** Puts a place into the address, behind the one before or instead of it. */
function visit(fragment = "", isNew = false) {
  if (isNew) history.pushState({ depth: depth += 1 }, "", `/${fragment}`);
  else history.replaceState({ depth }, "", `/${fragment}`);
}

/** Opens a conversation, or the list on a phone, so that the browser's Back leads to where one was. */
function go(place) {
  const fragment = place ? `#/${encodeURIComponent(place)}` : "";
  if (location.hash !== fragment) visit(fragment, true);
  route();
}

/** The settings, once they have been opened. */
let settingsPart;
const SETTINGS = /^#\/settings(?:\/([^/]*))?$/;

/** Forgets the settings' view of a user, which goes with that user. */
function forgetSettings() {
  settingsPart?.close();
  settingsPart = undefined;
  loadSettings = later(importSettings);
}

/** Opens the settings, or a section of them. Whatever dialog has led there goes. */
function goSettings(section) {
  for (const one of document.querySelectorAll("dialog:modal")) one.close();
  const fragment = `#/settings${section ? `/${section}` : ""}`;
  if (location.hash !== fragment) visit(fragment, true);
  return route();
}

/** Shows the settings. A conversation that is read must be in sight: an open one is closed, and is the place to come
 *  back to. */
async function showSettings() {
  const { place } = conversationView;
  if (place) conversationView.close();
  listView.show(listView.snapshot);
  await attempt(async () => {
    settingsPart = await loadSettings();
    // Something else may have been opened meanwhile.
    const found = roost && SETTINGS.exec(location.hash);
    if (found) settingsPart.show(found[1], place);
  });
  showBadge();
}

/** Resolves a place with a username to the one with the user's id, which stays. */
async function settle(place) {
  const name = place.slice(1);
  if (!place.startsWith("@") || !NAME.test(name) || !strangers([name]).length) return undefined;
  const user = await meant(name);
  if (conversationView.place !== place) return undefined;
  // The person's name is known by now.
  if (user === name) return conversationView.showHead();
  if (user === undefined) tell(t("nobodyCalled", { name }));
  visit(user === undefined ? "" : `#/${encodeURIComponent(`@${user}`)}`);
  return route();
}

function route() {
  if (!roost) return undefined;
  if (SETTINGS.test(location.hash)) return showSettings();
  settingsPart?.hide();
  if (document.body.dataset.view === "settings") document.body.dataset.view = "list";
  const found = /^#\/(.+)$/.exec(location.hash);
  const place = found && stored(() => decodeURIComponent(found[1]));
  if (place) {
    conversationView.open(place);
    settle(place);
  }
  else if (conversationView.place) {
    conversationView.close();
    listView.show(listView.snapshot);
    $("list").querySelector(".conversation[tabindex='0']")?.focus();
  }
  showBadge();
  return undefined;
}

/** Closes the topmost layer over the page: Back does that first. */
function uncover() {
  const dialog = document.activeElement?.closest("dialog:modal") ?? [...document.querySelectorAll("dialog:modal")].at(-1);
  const isSheet = tools.isKept && matchMedia("(pointer: coarse)").matches;
  dialog?.close();
  if (!dialog && isSheet) tools.hide();
  return dialog !== undefined || isSheet;
}

addEventListener("popstate", () => {
  const found = takeLink();
  // A typed address has no depth.
  const steps = depth - (history.state?.depth ?? depth + 1);
  depth -= steps;
  if (found) open(found);
  else if (steps > 0 && uncover()) history.go(steps);
  else route();
  visit(location.hash);
});

document.addEventListener("keydown", (event) => {
  if (!roost || document.querySelector("dialog:modal")) return;
  const isWriting = event.target.closest("input, textarea");
  const act = event.altKey && !event.ctrlKey && !event.metaKey ? {
    ArrowUp: () => listView.step(-1), ArrowDown: () => listView.step(1), KeyN: () => beginning.one(),
    KeyF: () => conversationView.place && finder.open(), KeyI: () => conversationView.place && $("info-button").click(),
    KeyP: () => $("people-button").click(),
  }[event.code] : event.key === "?" && !isWriting ? () => showDialog("keys-dialog")
    : event.key === "Escape" && conversationView.place && !isWriting ? () => $("text").focus() : undefined;
  if (!act) return;
  event.preventDefault();
  act();
});

// The start ----------------------------------------------------------------------------------------------------------

/** Handles a link with a token, of a new user or of one who returns with a newer token. */
async function arrive(token) {
  const said = claims(token);
  if (!said) {
    return showStart(t("linkIncomplete"), t("linkIncompleteHint"));
  }
  if (said.expires <= Date.now() && !known.users.includes(said.user)) {
    return showStart(t("linkExpired"), t("linkExpiredHint", { time: language.moment(said.expires) }), said.user);
  }
  // A token that ends before the kept one is used, too: the kept one may have been revoked, which this page can't know.
  const isNewer = said.expires >= (claims(tokens.of(said.user) ?? "")?.expires ?? 0);
  if (isNewer || said.expires > Date.now()) tokens.keep(said.user, token);
  return enter(said.user);
}

function keepPage() {
  if (!navigator.serviceWorker) return;
  const address = "/sw.js";
  // A newer one has come, or one that keeps this page.
  navigator.serviceWorker.addEventListener("controllerchange", lookForNewer);
  const policy = window.trustedTypes?.createPolicy("roost", { createScriptURL: () => address });
  navigator.serviceWorker.register(policy ? policy.createScriptURL("") : address).catch(() => {});
}

/** The name of this browser as a device, drawn once. Its user knows it again in the list of devices by what it begins with. */
function thisBrowser() {
  const kept = stored(() => localStorage.getItem("roost.device"));
  if (kept) return kept;
  const first = (all) => all.find(([, sign]) => navigator.userAgent.includes(sign))?.[0];
  const browser = first([["edge", "Edg/"], ["firefox", "Firefox/"], ["chrome", "Chrome/"], ["safari", "Safari/"]]);
  const system = first([["android", "Android"], ["ios", "iPhone"], ["ios", "iPad"], ["mac", "Mac OS X"], ["windows", "Windows"], ["linux", "Linux"]]);
  const drawn = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0"));
  const made = [browser ?? "web", ...(system ? [system] : []), drawn.join("")].join("-");
  stored(() => localStorage.setItem("roost.device", made));
  return made;
}

/** Without the relay, the services are where they were. */
async function findAccounts() {
  const told = await Accounts.find();
  if (told !== undefined) stored(() => localStorage.setItem("roost.services", told));
  const origin = told ?? stored(() => localStorage.getItem("roost.services"));
  return origin ? new Accounts(origin, thisBrowser(), signIns) : undefined;
}

/** Continues as the last user of this tab, or of this browser. */
async function comeBack() {
  const { user } = tokens;
  if (user && (tokens.of(user) || isOfAccount(user))) return enter(user);
  return greet();
}

async function begin() {
  keepPage();
  visit(location.hash);
  if (link?.kind === "token") return open(link);
  accounts = await findAccounts();
  return link ? open(link) : comeBack();
}

begin().catch((error) => tell(reason(error)));
