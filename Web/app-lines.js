// The words for what has happened to a conversation, between its messages.

const HOUR = 3_600_000;

/** How long messages stay, as people say it. */
export function duration(after, things) {
  const days = Math.round(after / (24 * HOUR));
  return days === 1 ? "24 hours" : days % 7 === 0 && days < 30 ? things(days / 7, "week") : things(days, "day");
}

/** What a line says. `called` names a user. */
export function lineWords(line, { me, called, names, things }) {
  const { event, by, users = [], count = users.length, name, user, role, after, owner } = line;
  const who = (one) => (one === me ? "You" : called(one));
  const whom = (one) => (one === me ? "you" : called(one));
  const all = () => names(users.map(whom), count - users.length);
  const own = owner === undefined ? "" : `. ${owner === me ? "You are" : `${called(owner)} is`} the owner now`;
  switch (event) {
    case "created": return `${who(by)} created the group${name ? ` “${name}”` : ""}`;
    case "added": return users.length === 1 && users[0] === by ? `${who(by)} joined` : `${who(by)} added ${all()}`;
    case "removed": return `${who(by)} removed ${all()}`;
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
