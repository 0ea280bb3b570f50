"""The command line: an operator's mistake gives one clear line and exit code 2, a failure to start gives one line and
1. Scripts can use the output. The relay doesn't start on a store that another relay has open or a newer version
wrote."""

import re
import socket
import sqlite3
import stat
import subprocess

import pytest

from harness.relay import BINARY, command


def refused(result, code, *parts):
    """It ended with this code and one line on standard error, apart from log lines, that contains all these words."""
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    assert result.stdout == ""
    line, = [line for line in result.stderr.rstrip("\n").split("\n") if not re.match(r"\d{4}-\d\d-\d\dT", line)]
    assert line.startswith("roost: ")
    for part in parts:
        assert part in line, line


def test_version(tmp_path):
    first, second = command(tmp_path, "version"), command(tmp_path, "--version")
    assert first.returncode == second.returncode == 0
    assert second.stdout.startswith("roost ") and second.stdout.count("\n") == 1
    words = dict(line.split(" ", 1) for line in first.stdout.splitlines())
    assert list(words) == ["roost", "commit", "schema", "protocol"] and first.stdout.startswith(second.stdout)
    assert words["protocol"] == "roost.v1" and words["schema"].startswith("1-")
    assert re.fullmatch(r"[0-9a-f]{40}\+?|unknown", words["commit"])


def test_what_a_start_tells_can_be_copied(tmp_path):
    folder = tmp_path / "a folder"
    words = [
        BINARY, "serve", "--port", "0", "--store", str(folder / "roost.db"), "--set", f"auth.key_file={folder}/key",
        "--set", "auth.audience=chat"]

    def copied(line, begin, end):
        hint = line[line.index(begin):line.index(end)].removeprefix("and ")
        return subprocess.run(hint, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    with subprocess.Popen(
            words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as relay:
        try:
            lines = [relay.stdout.readline().strip() for _ in range(8)]
            port = re.search(r":(\d+)/v1/socket", lines[0])[1]
            assert all(f"--url ws://127.0.0.1:{port}/v1/socket" in lines[place] for place in (2, 3, 4, 6)), lines
            link = copied(lines[2], str(BINARY), "     prints")
            assert link.returncode == 0 and link.stdout.startswith(f"http://127.0.0.1:{port}/#token="), link
            token = copied(lines[5], str(BINARY), "    then")
            assert token.returncode == 0 and token.stdout.count(".") == 2, token
            page = copied(lines[6], f"and {BINARY}", ", which")
            assert page.returncode == 0 and page.stdout.startswith(f"http://127.0.0.1:{port}/admin#token="), page
        finally:
            relay.terminate()
            assert relay.wait(20) == 0


def test_help_names_every_command(tmp_path):
    result = command(tmp_path, "--help")
    assert result.returncode == 0
    for word in ("serve", "store", "check-config", "token", "version"):
        assert word in result.stdout


@pytest.mark.parametrize("words", [
    ["nonsense"], ["serve", "--nonsense"], ["token"], ["token", "--user", "a", "--ttl", "x"]])
def test_a_wrong_command_line_exits_with_2(tmp_path, words):
    result = command(tmp_path, *words)
    assert result.returncode == 2 and result.stdout == "" and result.stderr.startswith("Error: ")


@pytest.mark.parametrize("word", ["serve", "check-config"])
@pytest.mark.parametrize("setting, parts", [
    ("listen.prot=1", ["listen.prot", "listen.port"]), ("listen.port=65536", ["listen.port", "65535"]),
    ("listen.port=abc", ["listen.port", '"abc"']), ("listen.host=localhosts", ["listen.host", "127.0.0.1"]),
    ("store.durability=fast", ["store.durability", "full, normal, memory"]),
    ("limits.page_messages=2000", ["limits.page_messages"]), ("nonsense", ["key=value"]),
    ("limits.history_default=101", ["history"]), ("metrics.token=short", ["metrics.token", "16"]),
    ("presence.grace_seconds=-1", ["presence.grace_seconds"]), ("log.level=loud", ["log.level"])])
def test_a_wrong_setting_prints_one_line_and_exits_with_2(tmp_path, word, setting, parts):
    result = command(tmp_path, word, "--set", setting)
    refused(result, 2, *parts)
    if setting.startswith("metrics"):
        assert "short" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_check_config_accepts_the_file_it_prints(tmp_path):
    printed = command(tmp_path, "check-config", "--print", "--set", "listen.port=1234")
    assert printed.returncode == 0 and "1234" in printed.stdout
    (tmp_path / "roost.yaml").write_text(printed.stdout)
    again = command(tmp_path, "check-config", "--print", "--config", "roost.yaml")
    assert (again.returncode, again.stdout) == (0, printed.stdout)
    (tmp_path / "data").mkdir()
    checked = command(tmp_path, "check-config", "--config", "roost.yaml", "--set", "limits.connections=10")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "ok\n", "")


def test_check_config_tells_what_serve_would_meet(tmp_path, start):
    def check(*settings):
        words = [word for setting in ("limits.connections=10", "listen.port=0", "store.path=roost.db", *settings)
                 for word in ("--set", setting)]
        done = command(tmp_path, "check-config", *words)
        return done.returncode, done.stdout, done.stderr
    assert check() == (0, "ok\n", "")
    code, output, errors = check("store.path=no/where/roost.db")
    assert code == 1 and output == "" and "store.path: no can't be written: No such file" in errors
    code, output, errors = check("listen.host=192.0.2.1")
    assert code == 1 and "192.0.2.1 is not an address of this machine" in errors
    code, output, errors = check("listen.host=0.0.0.0", "limits.connections=1000000", "store.free_megabytes=1048576")
    assert (code, output) == (0, "ok\n")
    for part in ("other machines can connect", "raise LimitNOFILE", "nothing would be stored"):
        assert part in errors, errors
    # The relay that runs is no reason to refuse its new configuration.
    relay = start()
    code, output, errors = check(f"listen.port={relay.port}")
    assert (code, output) == (0, "ok\n") and "already in use" in errors
    assert {path.name for path in tmp_path.iterdir()} <= {path.name for path in relay.folder.iterdir()}


@pytest.mark.parametrize("setting, parts", [
    ("mail.mode=smtp", ["mail.host"]), ("openid.issuer=https://login.example.org", ["openid.client_id"]),
    ("services.relay_ca_file=missing.pem", ["services.relay_ca_file"])])
def test_check_config_names_what_up_would_refuse(tmp_path, setting, parts):
    refused(command(tmp_path, "check-config", "--set", setting), 2, *parts)


def test_a_wrong_file_names_its_line(tmp_path):
    (tmp_path / "roost.yaml").write_text("listen:\n  port: 8080\n  hots: 127.0.0.1\n")
    refused(command(tmp_path, "check-config", "--config", "roost.yaml"), 2, "roost.yaml:3", "listen.host")
    (tmp_path / "roost.yaml").write_text("listen: [\n")
    refused(command(tmp_path, "check-config", "--config", "roost.yaml"), 2, "roost.yaml")
    refused(command(tmp_path, "check-config", "--config", "missing.yaml"), 2, "missing.yaml")


async def test_the_relay_accepts_a_token_of_the_command(relay, name):
    words = ["--set", f"auth.key_file={relay.key_file}"]
    made = command(relay.folder, "token", "--user", name("alice"), "--device", "tablet", "--ttl", "90s", *words)
    assert made.returncode == 0 and made.stderr == "" and made.stdout.count("\n") == 1
    device = await relay.connect()
    welcome = await device.hello(made.stdout.strip())
    assert (welcome["user"], welcome["device"]) == (name("alice"), "tablet")
    assert 0 < welcome["expires"] - welcome["time"] <= 90_000
    for wrong in (["--user", "a b"], ["--user", "@a"], ["--user", "a", "--device", "a b"]):
        refused(command(relay.folder, "token", *wrong, *words), 2)
    refused(command(relay.folder, "token", "--user", "a", "--set", "auth.key_file=missing"), 2, "missing")


@pytest.mark.parametrize("words", [
    ["token", "--user", "a"], ["link", "--user", "a"], ["chat", "--as", "a", "--with", "b"], ["admin", "people"]])
def test_without_a_key_the_first_start_is_named(tmp_path, words):
    refused(command(tmp_path, *words), 2, "signing.key: not found", "first start", "--config")


def test_the_key_is_created_once_and_readable_only_by_its_owner(start):
    relay = start()
    assert stat.S_IMODE(relay.key_file.stat().st_mode) == 0o600
    key = relay.key_file.read_text()
    assert relay.stop() == 0
    relay.key_file.chmod(0o644)
    refused(command(relay.folder, *relay.words()), 1, "signing.key", "chmod 600")
    relay.key_file.chmod(0o600)
    relay.start()
    assert relay.key_file.read_text() == key


def test_a_second_relay_on_the_same_store_is_refused(start, name):
    relay = start()
    refused(command(relay.folder, *relay.words()), 1, "roost.db", "another relay")
    assert relay.get("/readyz")[0] == 200


def test_a_second_relay_on_the_same_port_is_refused(start, tmp_path):
    relay = start()
    words = ["serve", "--port", str(relay.port), "--store", "other.db", "--set", "auth.key_file=other.key"]
    refused(command(tmp_path, *words), 1, f"127.0.0.1:{relay.port}", "in use")
    assert relay.get("/readyz")[0] == 200


def test_after_a_crash_port_and_store_are_free_at_once(start):
    relay = start()
    port = relay.port
    with socket.create_connection(("127.0.0.1", port)):
        relay.kill()
        relay.start(listen__port=port)
    assert relay.port == port


def test_a_store_of_a_newer_version_is_refused_and_left_alone(start):
    relay = start()
    assert relay.stop() == 0
    with sqlite3.connect(relay.store) as store:
        store.execute("INSERT INTO migration (name, applied_at) VALUES ('99-future', 0)")
    store.close()
    before = relay.store.read_bytes()
    refused(command(relay.folder, *relay.words()), 1, "roost.db", "unknown schema", "99-future")
    assert relay.store.read_bytes() == before


@pytest.mark.parametrize("make, part", [
    (lambda path: path.write_bytes(b"not a database at all, " * 100), "not an SQLite database"),
    (lambda path: path.mkdir(), "can't be opened"),
    (lambda path: sqlite3.connect(path).execute("CREATE TABLE x (y)").connection.close(), "another program")])
def test_a_file_that_is_not_a_store_is_refused_and_left_alone(start, make, part):
    relay = start()
    assert relay.stop() == 0
    for file in relay.folder.glob("roost.db*"):
        file.unlink()
    make(relay.store)
    before = relay.store.read_bytes() if relay.store.is_file() else None
    refused(command(relay.folder, *relay.words()), 1, "roost.db", part)
    assert before is None or relay.store.read_bytes() == before


@pytest.mark.parametrize("variable, value, parts", [
    ("ROOST_LISTEN_PROT", "1", ["ROOST_LISTEN_PROT", "ROOST_LISTEN_PORT"]),
    ("ROOST_LISTEN_PORT", "x", ["listen.port"])])
def test_the_environment_is_checked_like_a_file(tmp_path, variable, value, parts):
    result = subprocess.run(
        [str(BINARY), "check-config"], cwd=tmp_path, env={variable: value}, capture_output=True, text=True, timeout=20,
        check=False)
    refused(result, 2, *parts)


async def test_the_folder_of_the_store_is_created(tmp_path, start):
    """The folder is created for its owner alone, if its parent exists."""
    relay = start(store__path=str(tmp_path / "data" / "roost.db"))
    await (await relay.device("alice")).send("@bob", "x")
    assert (tmp_path / "data" / "roost.db").exists()
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert relay.stop() == 0
    words = ["serve", "--port", "0", "--store", "not/there/roost.db", "--set", "auth.key_file=key"]
    refused(command(tmp_path, *words), 1, "not/there/roost.db", "No such file")
