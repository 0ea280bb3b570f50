// Reports on the operators' page: what users have reported, with the message and what was said around it, and what is
// done about it. Text of others is only ever set as text.

import { $, button, element, things } from "./dom.js";
import { tried } from "./services.js";

const PAGE = 20;

const when = (time) => new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

const REASONS = {
  spam: "Spam", harassment: "Harassment", impersonation: "Impersonation", illegal: "Illegal content", other: "Other",
};

/** Possible acts: the button, the question, the request, and the words when it is done. */
const ACTIONS = {
  dismiss: {
    title: () => "Dismiss this report?", verb: "Dismiss",
    words: () => "Nothing happens to the message or to the account. Nobody is told.", done: () => "dismissed",
  },
  remove: {
    title: () => "Remove this message?", verb: "Remove message", isDangerous: true,
    words: (who) => `It is deleted for everyone in the conversation, as if ${who} had deleted it. It can't be brought back.`,
    done: () => "the message was removed",
  },
  warn: {
    title: (who) => `Warn ${who}?`, verb: "Send warning", asks: "Your words (optional)",
    words: (who) => `${who} gets a message from “Moderators” that says what was reported and that the account may be `
      + "suspended if it happens again. You and the person who reported it are not named.",
    done: (who) => `${who} was warned`,
  },
  suspend: {
    title: (who) => `Suspend ${who}’s account?`, verb: "Suspend account", isDangerous: true,
    words: (who) => `${who} is signed out everywhere and can't sign in again until an operator allows it. Messages stay.`,
    done: (who) => `${who}’s account is suspended`,
  },
};

let people = new Map();
let next, open = 0;

/** Shows the section with the open reports. */
export async function openReports() {
  $("reports").hidden = false;
  await list();
}

export function closeReports() {
  $("reports").hidden = true;
  $("reports-list").replaceChildren();
  people = new Map();
}

async function list(after) {
  if (!after) $("reports-list").replaceChildren();
  const page = await tried("GET", `/v1/admin/reports?state=open&limit=${PAGE}${after ? `&after=${after}` : ""}`);
  if (!page) return;
  note(page.people);
  $("reports-list").append(...page.list.map(card));
  next = page.next;
  $("more-reports").hidden = !next;
  count(page.open);
}

function count(number) {
  open = number;
  $("reports-count").textContent = number ? `${number}` : "";
  $("reports-count").setAttribute("aria-label", number ? `${things(number, "open report")}` : "");
  $("reports-empty").hidden = number > 0;
}

const note = (list) => { for (const one of list ?? []) people.set(one.user, one); };

/** A user's name. The id appears only where there is no name. */
function name(user) {
  if (!user) return "somebody unknown";
  const one = people.get(user);
  return one?.deleted ? "a deleted account" : one?.name || (one?.username ? `@${one.username}` : user);
}

const place = (report) => {
  if (!report.conversation) return "";
  if (report.erased) return "in a conversation that was erased";
  return report.group === undefined ? "in a direct conversation" : `in “${report.group}”`;
};

// One report -------------------------------------------------------------------------------------------------------------

function card(report) {
  const title = element("h3", { id: `report-${report.report}`, tabindex: "-1" },
    `${name(report.reporter)} reported ${report.sequence ? "a message by " : ""}${name(report.user)}`);
  const made = element("li", { class: "report", "aria-labelledby": title.id });
  const detail = element("div", { class: "detail", id: `report-detail-${report.report}` });
  detail.hidden = true;
  const review = button("Review", () => toggle(report, review, detail), {
    class: "primary", "aria-expanded": "false", "aria-controls": detail.id,
    "aria-describedby": title.id,
  });
  made.append(
    element("div", { class: "report-head" },
      element("div", {}, title, element("p", { class: "faint" },
        element("span", { class: "tag" }, REASONS[report.reason] ?? report.reason),
        [place(report), when(report.time)].filter(Boolean).join(" · "))),
      review),
    ...(report.text ? [element("blockquote", {}, element("span", { class: "faint" }, `${name(report.reporter)}: `), report.text)] : []),
    detail);
  return made;
}

async function toggle(report, review, detail) {
  if (!detail.hidden) {
    detail.hidden = true;
    review.setAttribute("aria-expanded", "false");
    review.textContent = "Review";
    review.className = "primary";
    return;
  }
  review.disabled = true;
  const shown = await tried("GET", `/v1/admin/reports/${report.report}`);
  review.disabled = false;
  if (!shown) return review.focus();
  note(shown.people);
  detail.replaceChildren(...parts(shown, report, detail));
  detail.hidden = false;
  review.setAttribute("aria-expanded", "true");
  review.textContent = "Hide";
  review.className = "";
  review.focus();
}

function parts({ report, messages, account }, card, detail) {
  const who = name(report.user);
  const reported = messages?.find(({ sequence }) => sequence === report.sequence);
  const made = [];
  if (messages) {
    const talk = element("ol", { class: "talk", "aria-label": "The message and what was said around it" });
    talk.append(...messages.map((message) => bubble(message, message.sequence === report.sequence, report)));
    if (!reported) made.push(element("p", { class: "gone" }, "The reported message can’t be read any more."));
    made.push(talk);
  } else {
    made.push(element("p", { class: "gone" }, report.erased
      ? "The conversation was erased since. Nothing of the message is left."
      : `${name(report.reporter)} reported ${who} and no particular message.`));
  }
  const actions = element("div", { class: "row actions" });
  const add = (action, words, isDangerous) => actions.append(button(
    words, () => act(action, report, who, detail), isDangerous ? { class: "danger" } : {}));
  add("dismiss", "Dismiss");
  if (reported && !reported.deletedAt) add("remove", "Remove message", true);
  const isGone = people.get(report.user)?.deleted;
  if (report.user && !isGone) add("warn", `Warn ${who}`);
  if (account && !account.suspended) add("suspend", "Suspend account", true);
  made.push(actions);
  const why = isGone ? "The account is deleted." : account?.suspended ? `${who}’s account is suspended already.`
    : report.user && !account ? `${who} has no account with these services, so it can’t be suspended here.` : "";
  if (why) made.push(element("p", { class: "faint" }, why));
  return made;
}

function bubble(message, isReported, report) {
  const made = element("li", isReported ? { class: "bubble reported", "aria-current": "true" } : { class: "bubble" });
  if (message.hidden) {
    made.append(element("p", { class: "gone" }, `A message that ${name(report.reporter)} can’t see`));
    return made;
  }
  made.append(element("p", { class: "faint" }, element("strong", {}, name(message.from)), ` · ${when(message.time)}`,
    ...(message.editedAt ? [" · edited"] : []),
    ...(message.expires && !message.deletedAt ? [` · disappears ${when(message.expires)}`] : []),
    ...(isReported ? [element("span", { class: "tag reported-tag" }, "Reported")] : [])));
  if (message.deletedAt) {
    const has = message.expires && message.expires <= message.deletedAt ? "has disappeared" : "was deleted";
    made.append(element("p", { class: "gone" }, `This message ${has} ${when(message.deletedAt)}. Its text is gone.`));
  } else if (typeof message.body === "string") {
    made.append(element("p", { class: "body", dir: "auto" }, message.body));
  } else {
    made.append(element("p", { class: "gone" }, `A message of the kind “${message.kind ?? "unknown"}”:`),
      element("pre", {}, JSON.stringify(message.body, null, 1)));
  }
  return made;
}

// Acts
// -------------------------------------------------------------------------------------------------------------------

/** Asks for confirmation, with a note for other operators, sends the request, and shows the next report. */
async function act(action, report, who, detail) {
  const what = ACTIONS[action], dialog = $("act-dialog");
  $("act-title").textContent = what.title(who);
  $("act-words").textContent = what.words(who);
  $("act-text-part").hidden = !what.asks;
  $("act-text").value = "";
  $("act-note").value = "";
  $("act-yes").textContent = what.verb;
  $("act-yes").className = what.isDangerous ? "danger" : "primary";
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  if (dialog.returnValue !== "yes") return;
  const [text, words] = [$("act-text").value.trim(), $("act-note").value.trim()];
  const done = await tried("POST", `/v1/admin/reports/${report.report}/close`, {
    action, ...(words ? { note: words } : {}), ...(what.asks && text ? { text } : {}),
  });
  if (!done) return;
  const closed = detail.closest("li");
  const after = closed.nextElementSibling ?? closed.previousElementSibling;
  closed.remove();
  count(Math.max(0, open - 1));
  $("reports-state").textContent = `Report closed: ${what.done(who)}.`;
  (after?.querySelector("button") ?? $("reports-title")).focus();
}

$("refresh-reports").addEventListener("click", async () => {
  $("reports-state").textContent = "";
  await list();
});
$("more-reports").addEventListener("click", () => list(next));
