"""The accounts: how fast they are found, brought from Firebase and signed in, and what messages notice of that.

The programs are started as the end-to-end tests start them, whose harness needs the environment of `make setup`."""

import asyncio
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import harness as load
from failure import BenchFailure
from findings import FULL, Figure, Findings, Line

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = "Ann Ben Cem Dora Eve Finn Gil Hal Ida Jon Kim Lea Max Nora Otto".split()
PASSWORD = "correct horse"
# What one caller may ask for in a minute, and how many ask at once.
LOOKUPS_EACH, AT_ONCE = 10, 8
LOOKUP_MS_MAX = 200
SIGN_INS_PER_SECOND, MESSAGES_PER_SECOND, KILL_SECONDS = 50, 300, 2


def end_to_end(bench, name):
    """A module of the end-to-end tests' harness, which starts the programs beside the bench's relay. The bench has a
    module of that name, too, so that it isn't imported at the top."""
    os.environ["ROOST_BINARY"] = str(bench.roost)
    ours, path = sys.modules.pop("harness", None), str(ROOT / "Tests/EndToEndTests")
    sys.path.insert(0, path)
    try:
        return __import__(f"harness.{name}", fromlist=["*"])
    finally:
        sys.path.remove(path)
        sys.modules["harness"] = ours


def client(number):
    """The address that a proxy names: one client has few attempts."""
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def ask(connection, request):
    """One request (method, path, body, headers, status). Returns its milliseconds."""
    method, path, body, headers, status = request
    began = time.perf_counter()
    connection.request(method, path, body=json.dumps(body), headers={"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != status:
        raise BenchFailure(f"{path} was answered {answer.status}: {text[:200]}")
    return (time.perf_counter() - began) * 1000


def timed(port, requests, at_once=AT_ONCE):
    """Sends requests on connections that stay open. Returns the milliseconds of each, sorted."""
    requests = list(requests)

    def work(part):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            return [ask(connection, request) for request in part]
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        parts = pool.map(work, [requests[first::at_once] for first in range(at_once)])
        return sorted(took for part in parts for took in part)


def at(times, percent):
    return times[min(len(times) - 1, len(times) * percent // 100)]


class Runs:
    """Figures by name, one value for each run."""

    def __init__(self):
        self.found, self.values = Findings(), {}

    def note(self, words, unit, value):
        self.values.setdefault((words, unit), []).append(value)

    def note_times(self, words, times):
        for percent in (50, 99):
            self.note(f"{words}: p{percent}", "ms", at(times, percent))

    def findings(self, durability=FULL, **bars):
        self.found.figures = [Figure(words, unit, values, at_most=bars.get("at_most", {}).get(words),
                                     durability=durability) for (words, unit), values in self.values.items()]
        self.found.raw.append({words: values for (words, _), values in self.values.items()})
        return self.found


# MARK: Looking up


def row(database, table, **values):
    """Adds a row; columns that aren't named are empty."""
    empty = {"INTEGER": 0, "TEXT": "", "BLOB": b""}
    columns = database.execute(f"PRAGMA table_info({table})").fetchall()
    filled = {
        name: values.get(name, empty[kind] if needed else None) for _, name, kind, needed, *_ in columns}
    marks = ", ".join("?" for _ in filled)
    database.execute(f"INSERT INTO {table}({', '.join(filled)}) VALUES ({marks})", list(filled.values()))


def fill(services, count):
    """Writes accounts with a session each. Returns (user, session) of each."""
    letters, now = "0123456789abcdefghjkmnpqrstvwxyz", int(time.time() * 1000)
    people = [tuple("".join(secrets.choice(letters) for _ in range(16)) for _ in range(2)) for _ in range(count)]
    people = [("u" + user, session) for user, session in people]
    with contextlib.closing(sqlite3.connect(services.data / "services.db")) as database, database:
        for number, (user, sid) in enumerate(people):
            row(database, "account", user=user, email=f"person{number}@example.org", language="en", verified=1,
                name=f"{NAMES[number % len(NAMES)]} {number}", hash=None, created=now)
            row(database, "session", sid=sid, user=user, device="phone", current=secrets.token_bytes(32), created=now,
                used=now, expires=now + 86_400_000, access_until=now + 3_600_000)
    return people


def token(services, user, sid, key):
    import jwt
    now = int(time.time())
    claims = {"sub": user, "device": "phone", "sid": sid, "jti": "j", "iat": now, "exp": now + 3600, "scope": "chat"}
    kid = json.loads((services.data / "keys.json").read_text())["keys"][0]["kid"]
    # The services look at the head as they write it.
    head = jwt.utils.base64url_encode(f'{{"alg":"ES256","kid":"{kid}","typ":"JWT"}}'.encode())
    body = jwt.utils.base64url_encode(json.dumps(claims, separators=(",", ":")).encode())
    algorithm = jwt.algorithms.get_default_algorithms()["ES256"]
    signature = algorithm.sign(head + b"." + body, algorithm.prepare_key(key))
    return (head + b"." + body + b"." + jwt.utils.base64url_encode(signature)).decode()


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


async def suspended(services, relay):
    """The milliseconds until the socket of a user who is suspended is closed."""
    operator = services.command("admin-token").stdout.strip()
    took = []
    for number in range(20):
        services.client = client(70_000 + number)
        ann = services.sign_up(f"suspended{number}@example.org", device="phone")
        phone = await relay.device(ann["user"], device="phone", token=ann["accessToken"])
        began = time.perf_counter()
        if services.post(f"/v1/admin/users/{ann['user']}/suspend", token=operator).status != 200:
            raise BenchFailure("a user wasn't suspended")
        await phone.closed()
        took.append((time.perf_counter() - began) * 1000)
    return sorted(took)


def measure_lookup(bench):
    count, lookups = (2_000, 400) if bench.quick else (100_000, 10_000)
    module, relays, up = (end_to_end(bench, name) for name in ("services", "relay", "up"))
    port = up.free_port()
    runs = Runs()
    for _ in range(bench.runs):
        folder = bench.new_folder("lookup")
        services = module.Services(folder, accounts__lookup="on", services__proxies="127.0.0.1",
                                   services__relay_url=f"ws://127.0.0.1:{port}/v1/socket")
        services.stop()
        people = fill(services, count)
        services.start()
        key = next((services.data / "keys").glob("*.pem")).read_bytes()
        callers = [bearer(token(services, *one, key)) for one in random.sample(people, lookups // LOOKUPS_EACH)]

        def look(email, caller, status):
            return "POST", "/v1/users/lookup", {"email": email}, caller, status

        half = range(LOOKUPS_EACH // 2)
        found = [look(f"person{random.randrange(count)}@example.org", caller, 200) for caller in callers for _ in half]
        missing = [look(f"nobody{number}@example.org", caller, 404) for caller in callers for number in half]
        runs.note_times("look-up by address, found", timed(services.port, found))
        runs.note_times("look-up by address, not found", timed(services.port, missing))
        operator = bearer(services.command("admin-token").stdout.strip())
        # Each has an entry in the audit log, so that it waits for the disk.
        for words, prefixes in (("search by address", [f"person{random.randrange(count)}"[:8] for _ in range(500)]),
                                ("search by name", random.choices(NAMES, k=500))):
            runs.note_times(words, timed(services.port, [
                ("POST", "/v1/admin/users/find", {"prefix": prefix, "limit": 50}, operator, 200)
                for prefix in prefixes]))
        relay = relays.Relay(folder, auth__public_keys=services.data / "keys.json", listen__port=port)
        runs.note_times("from a suspension to the socket's end", asyncio.run(suspended(services, relay)))
        relay.stop()
        services.stop()
    return runs.findings(at_most={f"look-up by address, {each}: p99": LOOKUP_MS_MAX for each in ("found", "not found")})


# MARK: From Firebase


def dear_users(firebase, part):
    """A part of the users, with hashes as dear as Firebase's, each part in a process of its own."""
    project = firebase.Project(seed=7)
    # One stream of random numbers for all would give parts the same salts.
    project.random.seed(part[0])
    return [project.user(number, f"old password {number}") for number in part]


def bring(bench, services, export, console):
    """Imports. Returns the seconds, and the MiB that the process had at most."""
    began, peak = time.monotonic(), 0
    process = subprocess.Popen(
        [bench.roost.parent / "roost-services", "import-firebase", export, "--hash-config", console, "--set",
         f"services.data={services.data}"], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        with contextlib.suppress(OSError):
            found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{process.pid}/status").read_text())
            peak = int(found.group(1)) if found else peak
        time.sleep(0.02)
    if process.returncode:
        raise BenchFailure("the import failed")
    return time.monotonic() - began, peak / 1024


def sign_in(email, password, number, status=200):
    return ("POST", "/v1/sessions", {"email": email, "password": password, "device": "phone"},
            {"X-Forwarded-For": client(number)}, status)


def sign_ups(count):
    return [("POST", "/v1/accounts", {"email": f"here{number}@example.org", "password": PASSWORD, "displayName": "A"},
             {"X-Forwarded-For": client(number)}, 201) for number in range(count)]


def wrong_passwords(runs, port):
    """People from Firebase, people who signed up here, and unknown addresses must not differ by their times."""
    timed(port, sign_ups(60), at_once=1)
    times = {"user": [], "here": [], "nobody": []}
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        # In turns, so that the machine's moods meet all of them.
        for number in range(1, 60):
            for name, found in times.items():
                found.append(ask(connection, sign_in(f"{name}{number}@example.org", "wrong", 1_000_000 + number, 401)))
    for name, kind in (("user", "from Firebase"), ("here", "of people who signed up here"), ("nobody", "unknown")):
        runs.note(f"wrong password, {kind}: p50", "ms", at(sorted(times[name]), 50))


def measure_import(bench):
    count, many = (200, 2_000) if bench.quick else (10_000, 100_000)
    firebase, module = end_to_end(bench, "firebase"), end_to_end(bench, "services")
    parts = [range(first, min(first + 250, count + 1)) for first in range(1, count + 1, 250)]
    users = [user for part in parts for user in dear_users(firebase, part)]
    runs = Runs()
    for _ in range(bench.runs):
        services = module.Services(bench.new_folder("import"), services__proxies="127.0.0.1")
        bring(bench, services, *firebase.Project(seed=7).write(services.folder, users))
        # The share of Firebase's hashes is counted at the start, and once a minute.
        services.stop()
        services.start()
        wrong_passwords(runs, services.port)
        began = time.monotonic()
        requests = [sign_in(f"user{number}@example.org", f"old password {number}", number)
                    for number in range(1, count + 1)]
        runs.note_times("sign-in with an old password", timed(services.port, requests, at_once=4))
        runs.note("sign-ins with old passwords", "sign-ins/s", count / (time.monotonic() - began))
        with contextlib.closing(sqlite3.connect(services.data / "services.db")) as database:
            left = "SELECT count(*) FROM account WHERE hash NOT LIKE '$argon2id$%'"
            runs.note("old hashes that are left", "hashes", database.execute(left).fetchone()[0])
        services.stop()
        project, services = firebase.Project(seed=8, memory_cost=1), module.Services(bench.new_folder("many"))
        files = project.write(services.folder, [project.user(number, "x") for number in range(1, many + 1)])
        for words in (f"import of {many:,}", "the same again"):
            seconds, memory = bring(bench, services, *files)
            runs.note(words, "s", seconds)
            runs.note(f"{words}: most memory", "MiB", memory)
        services.stop()
    return runs.findings(at_most={"old hashes that are left": 0})


# MARK: Beside messages


def deliveries(bench, relay, seconds):
    """The p50 and p99 of messages of 100 pairs meanwhile. No message and no connection may be lost."""
    out = bench.new_folder("pairs")
    text = load.call(bench, [
        "run", load.LIBRARY / "direct.yaml", "--rate", MESSAGES_PER_SECOND, "--seconds", seconds, "--quiet",
        "--url", f"ws://127.0.0.1:{relay.port}/v1/socket", "--key-file", relay.key_file, "--out", out,
        "--correctness-only"], load.AROUND_SECONDS)
    report = load.read(out / "report.json", text)
    if report.verdict != load.HELD or report.counts["lostConnections"]:
        raise BenchFailure(f"messages or connections were lost: {report.warnings}")
    return report.percentile("delivery", 50), report.percentile("delivery", 99)


def beside(work, measure):
    """Runs `measure` while `work(is_over)` runs in another thread. Returns what both return."""
    is_over = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(work, is_over)
        try:
            return measure(), running
        finally:
            is_over.set()


def keep_signing_in(port, count):
    """Each attempt is due at a time that doesn't depend on the others."""
    def work(is_over):
        began, times, number = time.perf_counter(), [], iter(range(1 << 30))

        def one():
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                while not is_over.is_set():
                    mine = next(number)
                    due = began + mine / SIGN_INS_PER_SECOND
                    time.sleep(max(0, due - time.perf_counter()))
                    ask(connection, sign_in(f"here{mine % count}@example.org", PASSWORD, mine))
                    times.append((time.perf_counter() - due) * 1000)
        with concurrent.futures.ThreadPoolExecutor(2 * AT_ONCE) as pool:
            for done in [pool.submit(one) for _ in range(2 * AT_ONCE)]:
                done.result()
        return sorted(times), len(times) / (time.perf_counter() - began)
    return work


def keep_killing(relay, port):
    """Kills the services again and again. Returns how long they were away each time."""
    def child():
        folder = f"/proc/{relay.process.pid}/task"
        return [int(one) for task in os.listdir(folder)
                for one in pathlib.Path(f"{folder}/{task}/children").read_text().split()]

    def answers():
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(
                http.client.HTTPConnection("127.0.0.1", port, timeout=1)) as connection:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200

    def work(is_over):
        away = []
        while not is_over.wait(KILL_SECONDS):
            for one in child():
                os.kill(one, signal.SIGKILL)
            began = time.perf_counter()
            while not answers() and time.perf_counter() - began < 10:
                time.sleep(0.005)
            away.append(time.perf_counter() - began)
        return away
    return work


def measure_beside(bench):
    up, people, seconds = end_to_end(bench, "up"), 20 if bench.quick else 200, 4 if bench.quick else 30
    runs = Runs()
    for _ in range(bench.runs):
        relay = up.Both(bench.new_folder("up"), services__port=up.free_port(), services__proxies="127.0.0.1",
                        log__level="warning")
        try:
            asyncio.run(relay.listening())
            port = int(relay.settings["services.port"])
            timed(port, sign_ups(people), at_once=1)
            alone = deliveries(bench, relay, seconds)
            signing, running = beside(keep_signing_in(port, people), lambda: deliveries(bench, relay, seconds))
            times, rate = running.result()
            killed, running = beside(keep_killing(relay, port), lambda: deliveries(bench, relay, seconds))
        finally:
            relay.stop()
        for words, (p50, p99) in (("alone", alone), ("beside sign-ins", signing), ("beside kills", killed)):
            runs.note(f"deliveries {words}: p50", "ms", p50)
            runs.note(f"deliveries {words}: p99", "ms", p99)
            runs.note(f"deliveries {words}: p99 by that alone", "ratio", p99 / alone[1])
        runs.note("sign-ins", "sign-ins/s", rate)
        runs.note_times("a sign-in", times)
        for away in running.result():
            runs.note("from a kill until the services answer", "s", away)
    return runs.findings()


LINES = [
    Line("accounts-lookup", "finding one of 100,000 accounts", "The services' database gets accounts with a session "
         "each. Users look each other up by the address, 8 at once, and operators search by the beginning of an "
         "address and of a name. At the end users are suspended who have a socket.", measure_lookup,
         ("roost-services", "setup")),
    Line("accounts-import", "users who come from Firebase", "10,000 users are imported with hashes as dear as "
         "Firebase's. The times of wrong passwords are compared, then all sign in with their old passwords, 4 at once, "
         "and have new hashes. An import of 100,000, and again, shows the memory.", measure_import,
         ("roost-services", "setup")),
    Line("accounts-beside", "messages beside sign-ins and beside services that are killed", "`roost up` runs the relay "
         "and the services. roost-load's 100 pairs write 300 messages/s alone, while 50 people sign in with passwords "
         "each second, and while the services are killed every 2 s. No message and no connection may be lost.",
         measure_beside, ("roost-load", "roost-services", "setup")),
]
