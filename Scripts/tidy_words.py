"""A ratchet for plain English: counts words and beginnings that a native reader has to read twice.

Scripts/tidy calls it. No count may rise above the table at the end of this file. After a rewrite that lowers counts,
`Scripts/tidy --lower` writes the new ones into it; nothing ever raises them.
"""

import re
import subprocess

# What is counted, with what to write instead.
HABITS = {
    "whoever": (r"\b[Ww]ho(?:m)?ever\b", "name them: users, clients, the sender"),
    "whom": (r"\b[Ww]hom\b", "turn the sentence around"),
    "somebody": (r"\b[Ss]omebody\b", "name them: a user, another device"),
    "nobody": (r"\b[Nn]obody\b", "say who doesn't: no user, no other client"),
    "told": (r"\b(?:[Tt]old|[Tt]ells)\b", "use the verb of what happens: send, notify, report, show, log"),
    "Of …,": (r"(?:^|[.:;] )Of (?!course\b)[^.,:;]{2,80},", "begin with the subject"),
    "first word": (
        r"^/// (?:Who|Whom|Whose|Whoever|What|Of|How|Which|As|For|In whose)\b", "begin with a noun or a verb"),
}
SELF = "Scripts/tidy_words.py"
LINE_COMMENT = re.compile(r"(?:^|[^:\"'])//[/!]?[ ](.*)")
SHELL_COMMENT = re.compile(r"(?:^|\s)#\s(.*)")
BLOCK_COMMENT = re.compile(r"^\s*(?:/\*+|\*)\s(.*)")
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
DOC = re.compile(r"^\s*(/// .*)")
SLASHED = (".swift", ".js", ".mjs", ".ts", ".c", ".h", ".cpp")
HASHED = (".py", ".sh", ".yaml", ".yml", "Makefile")


def pieces(path, lines):
    """The prose of a file: (set of files, number of the line, text)."""
    place = path.split("/")[0]
    if path.endswith(".md"):
        of = "decisions" if path.startswith("Docs/Decisions/") else "documents"
        yield from ((of, number, line.strip(" *>|")) for number, line in enumerate(lines, 1))
        return
    is_words = re.match(r"Web/words-en[\w-]*\.js$", path)
    above = ""
    for number, line in enumerate(lines, 1):
        if path.endswith(SLASHED):
            found = LINE_COMMENT.search(line) or (not path.endswith(".swift") and BLOCK_COMMENT.search(line))
            doc = DOC.match(line)
            # Only the first line of a comment counts for its first word.
            if doc and not DOC.match(above):
                yield f"comments, {place}", number, doc[1]
            elif found:
                yield f"comments, {place}", number, found[1]
            above = line
        elif path.endswith(HASHED) or place in ("Scripts", ".ci"):
            found = SHELL_COMMENT.search(line)
            if found:
                yield f"comments, {place}", number, found[1]
        if is_words or place == "Sources" and path.endswith(".swift"):
            for text in LITERAL.findall(line.split("//")[0]):
                yield "texts", number, re.sub(r"\\\([^)]*\)?", "", text)


def found(paths):
    """The counts of all files, and where each is: {set: {habit: [(path, line number)]}}."""
    places = {}
    patterns = [(habit, re.compile(pattern)) for habit, (pattern, _) in HABITS.items()]
    # Lines without any of these need no closer look.
    any_of = re.compile(r"[Ww]ho|[Ss]omebody|[Nn]obody|[Tt]old|[Tt]ells|Of |/// (?:What|How|As|For|In)")
    for path in paths:
        if path == SELF or not path.endswith((*SLASHED, *HASHED, ".md")) and not path.startswith(("Scripts/", ".ci/")):
            continue
        # Config/roost.yaml is made of the texts of Sources.
        if "/Corpus/" in path or "/Baselines/" in path or path in ("LICENSE", "Config/roost.yaml"):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
        except (UnicodeDecodeError, OSError):
            continue
        for of, number, text in pieces(path, lines):
            if any_of.search(text):
                for habit, pattern in patterns:
                    hits = len(pattern.findall(text))
                    if hits:
                        places.setdefault(of, {}).setdefault(habit, []).extend([(path, number)] * hits)
    return places


def newest(places):
    """Those of the places that were written since the table was last changed; all of them if Git can't say."""
    since = subprocess.run(["git", "log", "-1", "--format=%H", "--", SELF], capture_output=True, text=True).stdout
    if not since.strip():
        return places
    changes = subprocess.run(
        ["git", "diff", "-U0", "--no-color", since.strip(), "--"], capture_output=True, text=True).stdout
    added, path = set(), None
    for line in changes.split("\n"):
        if line.startswith("+++ "):
            path = line[6:]
        elif line.startswith("@@"):
            first, _, count = re.search(r"\+(\d+)(,(\d+))?", line).groups()
            added.update((path, int(first) + offset) for offset in range(int(count or 1)))
    tracked = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], capture_output=True, text=True).stdout.split("\n")
    return [place for place in places if place in added or place[0] in tracked] or places


def check_words(paths, report, lower=False):
    """Reports each count that has risen. With `lower`, writes those that have fallen into the table."""
    places = found(paths)
    counts = {of: {habit: len(places[of].get(habit, [])) for habit in HABITS} for of in sorted(places)}
    fallen = 0
    for of, habits in counts.items():
        for habit, count in habits.items():
            most = dict(zip(HABITS, COUNTS.get(of, []))).get(habit, 0)
            fallen += max(0, most - count)
            if count > most:
                named = newest(places[of][habit])
                also = ", ".join(f"{path}:{line}" for path, line in named[1:4])
                report(*named[0], f"“{habit}” stands {count} times in {of}; at most {most}. Instead: {HABITS[habit][1]}"
                       + (f" (also {also})" if also else ""))
    if lower and (fallen or not COUNTS):
        write(counts)
    elif fallen:
        report(SELF, 1, f"{fallen} fewer than the table has; keep that with Scripts/tidy --lower", is_error=False)


def write(counts):
    """Writes the table anew, and never a number that is larger than the one before."""
    with open(SELF, encoding="utf-8") as file:
        head = file.read().split("\nCOUNTS = {")[0]
    rows = []
    for of in sorted({*counts, *COUNTS}):
        new = list(counts.get(of, {}).values()) or [0] * len(HABITS)
        old = COUNTS.get(of)
        rows.append(f'    "{of}": {[min(pair) for pair in zip(new, old)] if old else new},\n')
    with open(SELF, "w", encoding="utf-8") as file:
        file.write(head + "\nCOUNTS = {\n" + "".join(rows) + "}\n")


# For each set of files: whoever, whom, somebody, nobody, told, "Of …,", first word of a `///` comment.
COUNTS = {
    "comments, LoadTests": [0, 0, 0, 0, 0, 0, 0],
    "comments, Makefile": [0, 0, 0, 0, 0, 0, 0],
    "comments, Package.swift": [0, 0, 0, 0, 0, 0, 0],
    "comments, Plugins": [0, 0, 0, 0, 0, 0, 0],
    "comments, Scripts": [0, 0, 0, 0, 0, 0, 0],
    "comments, Sources": [0, 0, 0, 0, 3, 0, 0],
    "comments, Tests": [0, 0, 0, 0, 0, 0, 0],
    "comments, Web": [0, 0, 0, 0, 1, 0, 0],
    "decisions": [0, 0, 0, 1, 0, 0, 0],
    "documents": [1, 2, 2, 8, 6, 0, 0],
    "texts": [1, 34, 16, 58, 90, 0, 0],
}
