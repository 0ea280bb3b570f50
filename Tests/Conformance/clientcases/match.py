"""Patterns of the cases: a part of what must be there."""

import re

ABSENT = object()


def fits(pattern, value):
    """Whether a value is as the pattern says. An object may have more members; a list has just these elements. A text
    stands for a row that shows it."""
    if isinstance(pattern, dict):
        special = {name for name in pattern if name.startswith("$")}
        if special:
            return all(SPECIAL[name](pattern[name], value) for name in special)
        return isinstance(value, dict) and all(
            fits(one, value.get(name, ABSENT)) for name, one in pattern.items())
    if isinstance(pattern, list):
        return isinstance(value, list) and len(pattern) == len(value) and all(map(fits, pattern, value))
    if isinstance(pattern, str) and isinstance(value, dict):
        return value.get("text") == pattern and not value.get("deleted")
    return value is not ABSENT and type(pattern) is type(value) and pattern == value


SPECIAL = {
    "$absent": lambda wanted, value: (value is ABSENT) == wanted,
    "$not": lambda pattern, value: not fits(pattern, value),
    "$least": lambda least, value: value is not ABSENT and value >= least,
    "$most": lambda most, value: value is not ABSENT and value <= most,
    "$or": lambda patterns, value: any(fits(one, value) for one in patterns),
    "$has": lambda patterns, value: isinstance(value, list) and all(
        any(fits(one, each) for each in value) for one in patterns),
    "$last": lambda pattern, value: isinstance(value, list) and bool(value) and fits(pattern, value[-1]),
    "$count": lambda count, value: isinstance(value, list) and len(value) == count,
}


class Names:
    """The names in a case: users, which get names of their own in each run, and values kept by steps."""

    USERS = ("alice", "bob", "carol", "dave", "mallory")

    def __init__(self, number):
        self.users = {user: f"{user}.{number}" for user in Names.USERS}
        self.kept = {}

    def resolve(self, value, **more):
        """The same with every name replaced: `bob`, `@bob`, and `$name` or `$name.member`, also as in `draft/$name`."""
        if isinstance(value, dict):
            if "$long" in value:
                return value["$long"][0] * value["$long"][1]
            return {self.key(name): self.resolve(one, **more) for name, one in value.items()}
        if isinstance(value, list):
            return [self.resolve(one, **more) for one in value]
        if not isinstance(value, str):
            return value
        if value.lstrip("@") in self.users and value.count("@") < 2:
            return value[:value.startswith("@")] + self.users[value.lstrip("@")]
        if found := re.fullmatch(r"([a-z]+/)?\$(\w+)((?:\.\w+)*)", value):
            kept = self.follow({**self.kept, **more}, found)
            return found[1] + kept if found[1] else kept
        return value

    def key(self, name):
        return self.users.get(name, name)

    @staticmethod
    def follow(values, found):
        value = values[found[2]]
        for member in found[3].split(".")[1:]:
            value = value[member]
        return value
