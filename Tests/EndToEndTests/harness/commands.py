"""Every command of Docs/Protocol.md with the valid and invalid values of its members."""

LONG = "x" * 65

# Values that must be refused, by the kind of the member.
WRONG = {
    "name": [1, 1.5, True, [], {}, "", LONG, "a b", "é", 'a"b', "a\\b", "a\n"],
    "user": [1, True, [], {}, "", LONG, "a b", "@a", "a\u0000"],
    "conversation": [1, False, [], {}, "", LONG, "@", "@@a", "a b", "@" + LONG],
    "timeout": ["1", 1, 999, -1, 2_419_200_001, True, []],
    "slow": ["1", 1, 999, -1, 21_600_001, True, []],
    "joining": [1, "", "Ask", "all", []],
    "posting": [1, "", "All", "owner", []],
    "expiry": ["1", 1, -1, 86_399_999, 7_776_000_001, 86_400_000.5, True, []],
    "text": [1, True, [], {}, "", "\u2003", "x" * 20_001],
    "body": ["x" * 131_071],
    "kind": [1, True, [], {}, "", "A", "a b", "k" * 33, "é"],
    "whole": [0, -1, 1.5, "1", True, [], {}, 2**63, 10**30, 1e300],
    "whole or 0": [-1, 0.5, "1", True, [], {}, 2**63],
    "limit": [0, -1, 1.5, "1", True, [], {}, 101, 2**63],
    "flag": [0, 1, "true", [], {}],
    "users": [1, "bob", True, {}, [], [1], [None], [[]], [{}], ["a b"], [""], ["@bob"], [LONG], ["u"] * 1_001],
    "members": [1, "bob", True, {}, [1], [None], ["a b"], ["@bob"], [LONG], ["u"] * 1_001],
    "one user": [1, "bob", True, {}, [], ["a", "b"], [1], ["a b"]],
    "role": [1, True, [], {}, "", "Owner", "king"],
    "state": [1, True, [], {}, "", "Active", "offline"],
    "group name": [1, True, [], {}, "", "  ", "x" * 257],
    "group": [1, True, [], {}, "", "Group", "channel"],
    "reaction": [1, True, [], {}, "", "x" * 33],
    "position": [1, True, [], {}, "", LONG, "-1", "01", "abc", "99999999999999999999"],
    "page": [1, True, [], {}, "", LONG, "abc", "-1"],
    "token": [1, True, [], {}, ""],
    "forward": [1, "x", True, [], {}, {"conversation": "x"}, {"sequence": 1}, {"conversation": 1, "sequence": 1},
                {"conversation": "a b", "sequence": 1}, {"conversation": "x", "sequence": 0}, [{"sequence": 1}]],
}


def commands(group, peer, token, position):
    """(type, required members, optional members): each member is (kind, a good value)."""
    conversation = ("conversation", group)
    target = {"conversation": conversation, "sequence": ("whole", 1)}
    return [
        ("refresh", {"token": ("token", token)}, {}),
        ("ping", {}, {}),
        ("conversation.create", {"kind": ("group", "group"), "name": ("group name", "Another")},
         {"members": ("members", [peer]), "key": ("name", None)}),
        ("conversation.create", {"kind": ("group", "direct"), "members": ("one user", [peer])}, {}),
        ("conversation.list", {}, {"before": ("page", position), "limit": ("limit", 1)}),
        ("conversation.rename", {"conversation": conversation, "name": ("group name", "New")}, {}),
        ("conversation.add", {"conversation": conversation, "users": ("users", [peer])}, {}),
        ("conversation.remove", {"conversation": conversation, "users": ("users", [peer])}, {}),
        ("conversation.role",
         {"conversation": conversation, "user": ("user", peer), "role": ("role", "admin")}, {}),
        ("conversation.members", {"conversation": conversation},
         {"sequence": ("whole", 1), "after": ("user", peer), "limit": ("limit", 1)}),
        ("conversation.expiry", {"conversation": conversation, "after": ("expiry", 86_400_000)}, {}),
        ("conversation.timeout",
         {"conversation": conversation, "user": ("user", peer), "after": ("timeout", 60_000)}, {}),
        ("conversation.posting", {"conversation": conversation, "posting": ("posting", "all")}, {}),
        ("conversation.slow", {"conversation": conversation, "after": ("slow", 0)}, {}),
        ("conversation.joining", {"conversation": conversation, "joining": ("joining", "open")}, {}),
        ("join.list", {}, {"conversation": conversation}),
        ("conversation.bans", {"conversation": conversation}, {"after": ("user", peer), "limit": ("limit", 1)}),
        ("conversation.pin", target, {}),
        ("conversation.unpin", target, {}),
        ("conversation.pins", {"conversation": conversation}, {"before": ("page", position), "limit": ("limit", 1)}),
        ("conversation.leave", {"conversation": conversation}, {}),
        ("send", {"to": conversation, "key": ("name", None), "body": ("text", "text")},
         {"kind": ("kind", "text"), "replyTo": ("whole", 1), "read": ("flag", False)}),
        ("send", {"to": conversation, "key": ("name", None), "kind": ("kind", "x"), "body": ("body", {"x": 1})},
         {"replyTo": ("whole", 1)}),
        ("send", {"to": conversation, "key": ("name", None),
                  "forward": ("forward", {"conversation": group, "sequence": 1})},
         {"replyTo": ("whole", 1), "read": ("flag", False)}),
        ("edit", {**target, "body": ("text", "edited")}, {}),
        ("delete", target, {}),
        ("react", {**target, "reaction": ("reaction", "+")}, {"remove": ("flag", False)}),
        ("history", {"conversation": conversation}, {"before": ("whole", 2), "limit": ("limit", 5)}),
        ("history", {"conversation": conversation}, {"after": ("whole or 0", 0), "limit": ("limit", 5)}),
        ("signal", {"to": conversation, "body": ("body", {"x": 1})}, {"kind": ("kind", "cursor")}),
        ("ack", {"position": ("position", position)}, {}),
        ("read", target, {}),
        ("typing", {"to": conversation}, {"replyTo": ("whole", 1), "active": ("flag", True)}),
        ("presence", {"state": ("state", "active")}, {}),
        ("watch", {"users": ("users", [peer])}, {}),
        ("unwatch", {"users": ("users", [peer])}, {}),
    ]


# A command whose `id` is optional.
MAY_BE_SILENT = {"signal", "typing", "ack", "read", "bye"}


def good(required, optional, key):
    """The members of a command with valid values. `key` has not been used before."""
    members = {name: value for name, (_, value) in {**required, **optional}.items()}
    if "key" in members:
        members["key"] = key
    return members
