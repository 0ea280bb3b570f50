"""The list of cases."""

import dataclasses
import itertools
import json

from . import FOLDER

# The promises of README.md that a case is about; 0 for what they all rest on.
PROMISES = range(8)
# Abilities of a client beyond the least one; a driver names those of its client.
FEATURES = {
    "store": "keeps on disk what it showed as done",
    "outbox": "keeps what can't be sent for now, and says what became of it",
    "gaps": "keeps messages, shows gaps and fills them",
    "receipts": "shows how far a message has got",
    "typing": "shows who types",
    "presence": "shows who is there",
    "users": "is used by one user after another",
    "versions": "edits the version of a message that the user saw, and no other",
    "forwards": "sends messages on, with who wrote them",
    "names": "says what people are called, and not only which ids they have",
    "drafts": "shares what is begun to be written with the user's other devices",
    "invites": "makes links by which others come, and follows those of others",
    "moderation": "says why its user can't write",
    "rewinds": "notices that the relay's files are older than they were",
}


@dataclasses.dataclass
class Case:
    """One case, as it is in its file. `values` are those of `for` that it runs with."""

    name: str
    text: str
    section: str
    promise: int
    steps: list
    needs: list = dataclasses.field(default_factory=list)
    # Settings of a relay of its own; None for one that all cases share.
    relay: dict | None = None
    # Codes of errors that the relay may answer with, which would be the client's mistake otherwise.
    errors: list = dataclasses.field(default_factory=list)
    # Whether the proxy says what isn't so, so that the app can't agree with the relay at the end.
    lies: bool = False
    # Whether the app must forget what it showed, so that states begin anew.
    forgets: bool = False
    values: dict = dataclasses.field(default_factory=dict)

    @property
    def title(self):
        return self.name + (f"[{','.join(map(str, self.values.values()))}]" if self.values else "")


def load(folder=FOLDER / "cases"):
    """All cases in the order of their files, those with `for` once for each value."""
    cases = []
    for path in sorted(folder.glob("*.json")):
        for members in json.loads(path.read_text()):
            values = members.pop("for", {})
            for chosen in itertools.product(*values.values()):
                cases.append(Case(**members, values=dict(zip(values, chosen))))
    titles = [case.title for case in cases]
    assert len(titles) == len(set(titles)), f"two cases with one name: {sorted(titles)}"
    for case in cases:
        assert case.promise in PROMISES and set(case.needs) <= set(FEATURES), case.title
    return cases


def table(cases):
    """The list in words, as Docs/Clients.md has it: each case once, whatever values it runs with."""
    rows = ["| case | section | promise | needs | |", "|---|---|---|---|---|"]
    names = {}
    for case in cases:
        names.setdefault(case.name, []).append(case)
    for name, ones in names.items():
        case = ones[0]
        runs = f" ({len(ones)} runs)" if len(ones) > 1 else ""
        rows.append(f"| `{name}` | {case.section} | {case.promise} | {', '.join(case.needs)} | {case.text}{runs} |")
    return "\n".join(rows) + "\n"
