"""Runs the cases that every client passes: an app without a screen, a relay, and a proxy between them that lies."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1]

# The relay as a process and devices of other users; frames as bytes.
for beside in ("EndToEndTests", "LoadTruthTests"):
    path = str(FOLDER.parent / beside)
    if path not in sys.path:
        sys.path.append(path)
