// The words for what has happened to a conversation, between its messages.

const HOUR = 3_600_000;

/** How long messages stay, as people say it. */
export function duration(after, things) {
  const days = Math.round(after / (24 * HOUR));
  return days === 1 ? "24 hours" : days % 7 === 0 && days < 30 ? things(days / 7, "week") : things(days, "day");
}

/** Reasons that admins give, as people say them. */
export const REASONS = {
  spam: "Spam", harassment: "Harassment", impersonation: "Pretending to be someone else", illegal: "Illegal content",
  other: "Other",
};

const why = ({ reason }) => (reason && reason !== "other" ? `: ${REASONS[reason] ?? reason}` : "");

/** When a timeout ends: the time, and the day unless it is today. */
export function endOf(until) {
  const end = new Date(until);
  const isToday = end.toDateString() === new Date().toDateString();
  return end.toLocaleString(undefined, isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** Why the user can't write in a group, and until when if that ends by itself; undefined if it can. */
export function barrier({ role, posting, timeout } = {}) {
  if (role === "owner") return undefined;
  if (timeout?.until > Date.now()) {
    return { until: timeout.until, words: `You can’t send messages here until ${endOf(timeout.until)}${why(timeout)}.` };
  }
  return posting === "admins" && role === "member" ? { words: "Only admins can send messages here." } : undefined;
}

/** What a line says. `called` names a user. */
export function lineWords(line, { me, called, names, things }) {
  const { event, by, users = [], count = users.length, name, user, role, after, owner, banned, until, posting, inviter } = line;
  const who = (one) => (one === me ? "You" : called(one));
  const whom = (one) => (one === me ? "you" : called(one));
  const all = () => names(users.map(whom), count - users.length);
  const own = owner === undefined ? "" : `. ${owner === me ? "You are" : `${called(owner)} is`} the owner now`;
  switch (event) {
    case "created": return `${who(by)} created the group${name ? ` “${name}”` : ""}`;
    case "added":
      if (users.length !== 1 || users[0] !== by) return `${who(by)} added ${all()}`;
      return `${who(by)} joined${inviter === undefined ? "" : ` by ${inviter === me ? "your" : `${called(inviter)}'s`} link`}`;
    case "removed": return banned ? `${who(by)} banned ${all()}${why(line)}` : `${who(by)} removed ${all()}`;
    case "banned": return `${who(by)} banned ${whom(user)}${why(line)}`;
    case "unbanned": return `${who(by)} lifted the ban on ${whom(user)}`;
    case "timeout":
      return until ? `${who(by)} gave ${whom(user)} a timeout until ${endOf(until)}${why(line)}`
        : `${who(by)} ended the timeout of ${whom(user)}`;
    case "deleted": return `${who(by)} removed ${user === me ? "your message" : `a message from ${called(user)}`}${why(line)}`;
    case "posting":
      return posting === "admins" ? `${who(by)} let only admins send messages` : `${who(by)} let everyone send messages`;
    case "left": return `${who(by)} left${own}`;
    case "renamed": return `${who(by)} renamed the group to “${name}”`;
    case "described": return `${who(by)} changed the photo or description`;
    case "role":
      return role === "owner" ? `${who(by)} made ${whom(user)} the owner`
        : role === "admin" ? `${who(by)} made ${whom(user)} an admin`
          : `${who(by)} made ${whom(user)} a regular member`;
    case "expiry":
      return after ? `${who(by)} set messages to disappear after ${duration(after, things)}`
        : `${who(by)} turned off disappearing messages`;
    case "pinned": return `${who(by)} pinned a message`;
    default: return "";
  }
}
