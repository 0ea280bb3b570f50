// The words for what has happened to a conversation, between its messages.

/** Reasons that admins give. */
export const REASONS = ["spam", "harassment", "impersonation", "illegal", "other"];

/** A reason as people say it. Another client may have given another one. */
export const reasonWords = (reason, t) => (REASONS.includes(reason) ? t(`reason.${reason}`) : reason);

const because = ({ reason }, t) => (reason && reason !== "other" ? t("because", { reason: reasonWords(reason, t) }) : "");

/** Why the user can't write in a group, and until when if that ends by itself; undefined if it can. */
export function barrier({ role, posting, timeout } = {}, { endOf, t }) {
  if (role === "owner") return undefined;
  if (timeout?.until > Date.now()) {
    return { until: timeout.until, words: t("timedOutUntil", { time: endOf(timeout.until), why: because(timeout, t) }) };
  }
  return posting === "admins" && role === "member" ? { words: t("onlyAdminsWrite"), mayReact: true } : undefined;
}

/** The text for a member of a slow group beside the field, and the milliseconds until it changes; undefined
 *  elsewhere. */
export function pause({ conversation, items = [] } = {}, { duration, t }, now = Date.now()) {
  const { slow, role } = conversation ?? {};
  if (!slow || role !== "member") return undefined;
  const last = items.filter((item) => item.isOwn && item.sequence).at(-1);
  const left = last && last.time <= now ? last.time + slow - now : 0;
  if (left <= 0) return { words: t("slowMode", { length: duration(slow) }) };
  return { words: t("slowModeWaits", { length: duration(left) }), next: left % 1_000 + 1 };
}

/** The text of a line. `called` names a user. */
export function lineWords(line, { me, called, language }) {
  const { t, names, endOf, duration } = language;
  const { event, by, users = [], count = users.length, name: group, user, role, after, owner, banned, until, posting, inviter } = line;
  const whom = (one) => (one === me ? t("youObject") : called(one));
  const one = () => ({ whom: whom(user), to: user === me ? t("youDative") : called(user) });
  const all = () => ({ whom: names(users.map(whom), count - users.length) });
  const of = (who, more = {}) => ({ as: who === me ? "you" : "other", name: called(who), why: because(line, t), ...more });
  switch (event) {
    case "created": return t(group ? "line.createdNamed" : "line.created", of(by, { group }));
    case "added":
      if (users.length !== 1 || users[0] !== by) return t("line.added", of(by, all()));
      if (inviter === undefined) return t("line.joined", of(by));
      return inviter === me ? t("line.joinedByYours", of(by)) : t("line.joinedBy", of(by, { inviter: called(inviter) }));
    case "removed": return t(banned ? "line.banned" : "line.removed", of(by, all()));
    case "banned": return t("line.banned", of(by, one()));
    case "unbanned": return t("line.unbanned", of(by, one()));
    case "timeout": return until ? t("line.timeout", of(by, { ...one(), time: endOf(until) })) : t("line.timeoutEnded", of(by, one()));
    case "deleted": return t(user === me ? "line.deletedYours" : "line.deleted", of(by, one()));
    case "posting": return t(posting === "admins" ? "line.onlyAdmins" : "line.everyone", of(by));
    case "joining": return t(line.joining === "ask" ? "line.joiningAsk" : "line.joiningOpen", of(by));
    case "slow": return after ? t("line.slow", of(by, { length: duration(after) })) : t("line.slowOff", of(by));
    case "left": return t("line.left", of(by)) + (owner === undefined ? "" : `. ${t("line.owner", of(owner))}`);
    case "renamed": return t("line.renamed", of(by, { group }));
    case "described": return t("line.described", of(by));
    case "role":
      return t(role === "owner" ? "line.madeOwner" : role === "admin" ? "line.madeAdmin" : "line.madeMember", of(by, one()));
    case "expiry": return after ? t("line.expiry", of(by, { length: duration(after) })) : t("line.expiryOff", of(by));
    case "pinned": return t("line.pinned", of(by));
    default: return "";
  }
}
