#!/usr/bin/env python3
"""Stands in for roost-services where only its life as a process matters: it makes the keys, notes that it has begun,
and ends when the relay's process does. With `mistake` in its folder it ends as a program with a wrong setting does, and
with `reload` it asks the relay for a reload before there are keys, so before the relay can be ready."""

import base64
import json
import os
import pathlib
import signal
import sys

from cryptography.hazmat.primitives.asymmetric import ec

words = sys.argv[1:]
assert words[:2] == ["serve", "--supervised"], words
settings = dict(words[place + 1].split("=", 1) for place, word in enumerate(words) if word == "--set")
folder = pathlib.Path(settings["services.data"])
folder.mkdir(parents=True, exist_ok=True)
if (folder / "mistake").exists():
    sys.exit(2)
if (folder / "reload").exists():
    os.kill(os.getppid(), signal.SIGHUP)
if not (folder / "keys.json").exists():
    numbers = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
    x, y = (base64.urlsafe_b64encode(one.to_bytes(32, "big")).decode().rstrip("=") for one in (numbers.x, numbers.y))
    key = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "one", "x": x, "y": y}
    (folder / "keys.new").write_text(json.dumps({"keys": [key]}))
    (folder / "keys.new").rename(folder / "keys.json")
with open(folder / "starts", "a") as starts:
    starts.write(f"{os.getpid()} {' '.join(words)}\n")
assert os.getpgid(0) == os.getpid(), "Ctrl-C would reach it"
assert sorted(os.listdir("/proc/self/fd"))[:3] == ["0", "1", "2"] and len(os.listdir("/proc/self/fd")) <= 4
sys.stdin.buffer.read()
