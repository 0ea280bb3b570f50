"""The files of a store's folder: what commands leave as it is, an emptied store, other owners, modes, and an import
that was cut short."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile

import pytest

from harness.content import one_of_everything
from harness.relay import ANNOUNCEMENT, BINARY, PATIENCE, Relay, command, environment
from harness.waiting import until

NOBODY = 65_534


def state(folder):
    """Names, content, modes and times of everything in a folder, but for what the test itself writes."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name == "relay.log" or path.is_dir():
            continue
        about = path.stat()
        found[path.name] = (
            hashlib.sha256(path.read_bytes()).hexdigest(), about.st_mode, about.st_uid, about.st_mtime_ns)
    return found


def readers(target):
    """The commands that only read."""
    return {
        "verify": ["store", "verify"], "export": ["store", "export", "--to", str(target / "lines")],
        "export to a pipe": ["store", "export"], "export of a user": ["store", "export", "--user", "alice"],
        "backup": ["store", "backup", str(target / "copy")], "infer": ["contacts", "infer", "--dry-run", "--groups"],
        "undo": ["contacts", "infer", "--undo", "--dry-run"]}


KINDS = ["--set", "contacts.kinds=friend,trainer/client"]


def on_store(relay, *words):
    return command(relay.folder, *words, "--store", str(relay.store), *KINDS)


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_commands_that_read_change_nothing(start, tmp_path_factory, end):
    relay = start()
    await one_of_everything(relay)
    getattr(relay, end)()
    before = state(relay.folder)
    assert ("roost.db-wal" in before) == (end == "kill")
    for name, words in readers(tmp_path_factory.mktemp("target")).items():
        done = on_store(relay, *words)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
        assert state(relay.folder) == before, name


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_a_relay_can_start_while_a_command_reads(start, tmp_path, end):
    relay = start()
    await one_of_everything(relay)
    relay.stop()
    # More than a pipe holds, so that the command waits in the middle for who reads it.
    count = 5_000
    lines = [{"type": "export", "format": 1, "scope": "all", "epoch": "x", "head": 1, "time": 1},
             *({"type": "user", "user": f"somebody-{number}"} for number in range(count)),
             {"type": "end", "lines": count + 1}]
    source = tmp_path / "lines.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert on_store(relay, "store", "import", str(source)).returncode == 0
    relay.start()
    dora = await relay.device("dora")
    await dora.send("@alice", "before")
    getattr(relay, end)()
    with subprocess.Popen(
            [str(BINARY), "store", "export", "--store", str(relay.store)], env=environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        first = os.read(process.stdout.fileno(), 1)
        relay.start()
        dora = await relay.device("dora")
        for number in range(50):
            await dora.send("@alice", f"meanwhile-{number}")
        rest, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    found = [json.loads(line) for line in (first + rest).splitlines()]
    assert found[-1] == {"type": "end", "lines": len(found) - 1}
    bodies = [line.get("body") for line in found]
    assert "before" in bodies and not any(str(body).startswith("meanwhile") for body in bodies)
    assert relay.stop() == 0
    assert "is sound" in on_store(relay, "store", "verify").stdout


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_an_emptied_store_is_refused_by_every_command(start, tmp_path_factory, end):
    relay = start()
    await one_of_everything(relay)
    target = tmp_path_factory.mktemp("target")
    assert on_store(relay, "store", "backup", str(target / "good")).returncode == 0
    assert on_store(relay, "store", "export", "--to", str(target / "good.jsonl")).returncode == 0
    getattr(relay, end)()
    relay.store.write_bytes(b"")
    before = state(relay.folder)
    commands = readers(target) | {
        "serve": ["serve", "--set", f"auth.key_file={relay.key_file}", "--port", "0"],
        "reindex": ["store", "reindex"], "erase": ["store", "erase", "--user", "alice"],
        "import": ["store", "import", str(target / "good.jsonl")], "apply": ["contacts", "infer", "--apply"],
        "take back": ["contacts", "infer", "--undo"]}
    for name, words in commands.items():
        done = on_store(relay, *words)
        assert done.returncode == 1 and "has 0 bytes" in done.stderr, (name, done.stdout, done.stderr)
        assert "position" in done.stderr and "restore a backup" in done.stderr, (name, done.stderr)
        assert state(relay.folder) == before, name
    # The way out that the message names.
    done = on_store(relay, "store", "restore", str(target / "good"))
    assert done.returncode == 0, done.stderr
    assert "is sound" in on_store(relay, "store", "verify").stdout
    relay.start()


# Owners and modes

@pytest.fixture
def open_folder():
    """A folder that other users of the machine can get to."""
    path = tempfile.mkdtemp(prefix="roost-open-")
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path)


def serve_as(user, folder, **options):
    """Runs a relay as another user to its end, or until it listens; then it is stopped."""
    process = subprocess.Popen(
        [str(BINARY), "serve", "--port", "0", "--store", f"{folder}/roost.db", "--set",
         f"auth.key_file={folder}/signing.key"], cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, user=user, group=user, extra_groups=[], **options)
    seen = ""
    while not ANNOUNCEMENT.search(seen.encode()) and (line := process.stdout.readline()):
        seen += line
    if process.poll() is None:
        process.terminate()
    _, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, seen + errors


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
async def test_a_restore_by_root_leaves_a_store_that_its_user_can_open(start, open_folder):
    relay = start()
    await one_of_everything(relay)
    backup = f"{open_folder}/backup"
    assert on_store(relay, "store", "backup", backup).returncode == 0
    lines = f"{open_folder}/lines"
    assert on_store(relay, "store", "export", "--to", lines).returncode == 0
    for name, words in {"restored": ["restore", backup], "imported": ["import", lines]}.items():
        folder = f"{open_folder}/{name}"
        os.mkdir(folder, 0o700)
        os.chown(folder, NOBODY, NOBODY)
        done = command(relay.folder, "store", *words, "--store", f"{folder}/roost.db")
        assert done.returncode == 0, done.stderr
        owners = {name: os.stat(f"{folder}/{name}").st_uid for name in os.listdir(folder)}
        assert "roost.db.lock" in owners and set(owners.values()) == {NOBODY}, owners
        code, text = serve_as(NOBODY, folder)
        assert code == 0 and "listens on" in text, text


@pytest.mark.skipif(os.geteuid() != 0, reason="needs files of two users")
@pytest.mark.parametrize("suffix", ["", ".lock", "-wal", "-shm"])
async def test_a_file_of_another_user_is_a_matter_of_permission(start, open_folder, suffix):
    relay = start()
    await one_of_everything(relay)
    relay.kill()
    folder = f"{open_folder}/store"
    shutil.copytree(relay.folder, folder)
    for name in ["", *os.listdir(folder)]:
        os.chown(f"{folder}/{name}", NOBODY, NOBODY)
    os.chown(f"{folder}/roost.db{suffix}", 0, 0)
    code, text = serve_as(NOBODY, folder)
    assert code == 1 and f"roost.db{suffix}: permission denied for " in text, text
    assert "it belongs to root (0), mode 600" in text and "another relay" not in text, text


async def test_modes_that_let_others_in_are_warned_of(start):
    relay = start()
    relay.stop()
    assert "permissions" not in relay.log()
    os.chmod(relay.store, 0o644)
    os.chmod(relay.folder, 0o777)
    relay.start()
    lines = [line for line in relay.log().splitlines() if "kind=permissions" in line]
    assert len(lines) == 2 and all(" warning store.notice " in line for line in lines), lines
    assert "mode 644" in lines[1] and "mode 777" in lines[0], lines
    assert relay.metric('roost_store_problems_total{kind="permissions"}') == 2


# Signals and imports

def test_a_reload_before_the_relay_is_ready_is_harmless(tmp_path):
    # A reader of a pipe waits for the writer: the relay has begun, and has no configuration yet.
    pipe = tmp_path / "roost.yaml"
    os.mkfifo(pipe)
    with subprocess.Popen(
            [str(BINARY), "serve", "--config", str(pipe)], cwd=tmp_path, env=environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with open(pipe, "w") as configuration:
            process.send_signal(signal.SIGHUP)
            configuration.write("listen:\n  port: 0\n")
        first = process.stdout.readline()
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert ANNOUNCEMENT.search(first) and process.returncode == 0, (process.returncode, first, errors)


async def test_an_import_that_was_cut_short_says_so_until_it_is_repeated(start, tmp_path):
    relay = start()
    await one_of_everything(relay)
    lines = on_store(relay, "store", "export").stdout.splitlines()
    relay.stop()
    lines = lines[:-1]
    epoch = json.loads(lines[0])["epoch"]
    for number in range(20_000):
        lines.append(json.dumps({"type": "conversation", "conversation": f"g{number}", "kind": "group", "name": "g"}))
        lines.append(json.dumps({
            "type": "message", "conversation": f"g{number}", "position": 2**40 + number, "from": "alice", "time": 5,
            "sequence": 1, "body": "x"}))
    lines.append(json.dumps({"type": "end", "lines": len(lines)}))
    source = tmp_path / "lines.jsonl"
    source.write_text("\n".join(lines) + "\n")
    other = tmp_path / "other"
    other.mkdir()
    store = other / "roost.db"
    process = subprocess.Popen(
        [str(BINARY), "store", "import", str(source), "--store", str(store)], env=environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def has_begun():
        assert process.poll() is None, process.stderr.read()
        done = command(other, "store", "verify", "--store", str(store)) if store.exists() else None
        return done is not None and "was cut short" in done.stdout

    await until(has_begun, "the first transaction of the import")
    process.kill()
    process.communicate()
    found = command(other, "store", "verify", "--store", str(store))
    sentence = f"the import of an export of store {epoch} was cut short: import that file again"
    assert found.returncode == 1 and sentence in found.stdout, found.stdout
    assert "isn't complete" in found.stdout and "damaged" not in found.stdout, found.stdout
    settings = ["listen.port=0", f"store.path={store}", "auth.key_file=key"]
    serve = ("serve", *(word for one in settings for word in ("--set", one)))
    between = command(other, *serve)
    assert between.returncode == 1 and f"{sentence}, or leave it" in between.stderr, between.stderr
    # A given-up import stays as it is: a relay starts on it.
    given = other / "given"
    given.mkdir()
    for file in other.glob("roost.db*"):
        (given / file.name).write_bytes(file.read_bytes())
    done = command(given, "store", "import", "--give-up", "--store", "roost.db")
    assert done.returncode == 0 and "1 unfinished import given up" in done.stdout, done.stdout + done.stderr
    assert Relay(given).stop() == 0
    assert command(given, "store", "import", "--store", "roost.db").returncode == 2
    done = command(other, "store", "import", str(source), "--store", str(store), timeout=120)
    assert done.returncode == 0 and "cut short" not in done.stdout, done.stdout + done.stderr
    assert "is sound" in command(other, "store", "verify", "--store", str(store)).stdout
