"""The folder of the services: what is lost, damaged, moved away or open to others, and what commands do to it."""

import os
import sqlite3

import pytest

from harness.relay import command


@pytest.mark.parametrize("is_empty", [False, True])
def test_accounts_that_are_lost_are_not_begun_anew(start_services, is_empty):
    services = start_services()
    tokens = services.sign_up("ann@example.org")
    copy = services.folder / "copy.db"
    services.stop()
    database = services.data / "services.db"
    copy.write_bytes(database.read_bytes())
    database.unlink()
    if is_empty:
        database.touch()
    found = services.command("serve")
    assert found.returncode == 2 and "services.db: is missing or empty" in found.stderr
    database.write_bytes(copy.read_bytes())
    services.start()
    assert services.refresh(tokens["refreshToken"]).status == 200
    # An operator who wants to begin anew has to say so.
    services.stop()
    database.unlink()
    (services.data / "lock").unlink()
    services.start()
    assert services.sign_in("ann@example.org").status == 401


# Each command but serve that reads or writes the folder.
COMMANDS = ("api-key create shop", "api-key list", "api-key remove shop", "link", "link --friend",
            "rotate-key", "admin-token", "admin GET /v1/admin/audit")


def folder_of(services):
    return {path: path.read_bytes() for path in sorted(services.data.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("is_empty", [False, True])
@pytest.mark.parametrize("has_log", [False, True])
def test_no_command_begins_without_the_accounts_there_were(start_services, is_empty, has_log):
    services = start_services()
    services.sign_up("ann@example.org")
    # The last commits are in the log beside the file.
    services.kill()
    database, log = services.data / "services.db", services.data / "services.db-wal"
    whole = database.read_bytes()
    assert log.stat().st_size > 0
    database.unlink()
    if is_empty:
        database.touch()
    if not has_log:
        log.unlink()
    before = folder_of(services)
    for words in (*COMMANDS, "serve"):
        found = services.command(words)
        assert found.returncode == 2 and found.stderr.count("\n") == 1 and not found.stdout, (words, found)
        assert "services.db: is missing or empty" in found.stderr and "put a backup there" in found.stderr
        # The log has the only commits that are left.
        assert ("-wal has commits" in found.stderr) == has_log and "-wal beside" not in found.stderr, found.stderr
    assert folder_of(services) == before
    if has_log:
        database.write_bytes(whole)
        services.start()
        assert services.sign_in("ann@example.org").status == 200


def test_only_serve_makes_a_database(start_services, tmp_path):
    services = start_services()
    typo = tmp_path / "typo"
    for words in COMMANDS:
        found = services.command(words, "--set", f"services.data={typo}")
        assert found.returncode in (1, 2) and found.stderr.count("\n") == 1 and not found.stdout, (words, found)
        assert not typo.exists(), words
    # Nor beside a process whose file was moved away.
    database, away = services.data / "services.db", services.data / "away.db"
    database.rename(away)
    for words in COMMANDS:
        found = services.command(words)
        assert found.returncode == 2 and "services.db: is missing or empty" in found.stderr, (words, found)
        assert not database.exists(), words
    away.rename(database)
    assert services.command("api-key create shop").returncode == 0
    assert services.get("/readyz").status == 200


def test_a_database_without_tables_is_lost_too(start_services):
    services = start_services()
    services.stop()
    (services.data / "services.db").unlink()
    with sqlite3.connect(services.data / "services.db") as database:
        database.execute("PRAGMA user_version = 1")
    database.close()
    for words in ("serve", "api-key list", "link"):
        found = services.command(words)
        assert found.returncode == 2 and found.stderr.count("\n") == 1, (words, found)
    found = services.command("serve")
    assert "services.db: has no tables" in found.stderr and "backup" in found.stderr


def test_the_relays_store_is_no_database_of_the_services(start_services, tmp_path):
    services = start_services()
    services.stop()
    for beside in services.data.glob("services.db*"):
        beside.unlink()
    store = tmp_path / "relay.db"
    made = command(tmp_path, "store", "import", "--store", str(store), os.devnull)
    assert store.exists(), made
    store.rename(services.data / "services.db")
    for words in ("serve", "api-key list", "link"):
        found = services.command(words)
        assert found.returncode == 2 and "is the relay's store" in found.stderr, (words, found)


def test_modes_that_let_others_in_are_warned_of(start_services):
    services = start_services()
    services.stop()
    assert "lets other users" not in services.log()
    os.chmod(services.data / "services.db", 0o644)
    os.chmod(services.data, 0o777)
    services.start()
    lines = [line for line in services.log().splitlines() if "lets other users" in line]
    assert len(lines) == 2 and all(" warning " in line for line in lines), lines
    assert "mode 777" in lines[0] and "mode 644" in lines[1], lines


def test_a_damaged_database_is_named_and_a_backup_serves_again(start_services):
    services = start_services()
    tokens = services.sign_up("ann@example.org")
    # The last commits are in the log beside the file.
    services.kill()
    database = services.data / "services.db"
    whole = database.read_bytes()
    database.write_bytes(b"\x55" * 100 + whole[100:])
    found = services.command("serve")
    assert found.returncode == 2 and found.stderr.count("\n") == 1
    assert "services.db: is damaged" in found.stderr and "backup" in found.stderr
    database.write_bytes(whole)
    services.start()
    assert services.refresh(tokens["refreshToken"]).status == 200


def test_after_a_clean_end_the_file_alone_has_everything(start_services):
    services = start_services()
    tokens = services.sign_up("ann@example.org")
    assert services.stop() == 0
    for beside in services.data.glob("services.db-*"):
        beside.unlink()
    services.start()
    assert services.refresh(tokens["refreshToken"]).status == 200


def test_nothing_is_acked_to_a_file_without_a_name(start_services):
    services = start_services()
    tokens = services.sign_up("ann@example.org")
    database, away = services.data / "services.db", services.data / "away.db"
    database.rename(away)
    assert services.get("/readyz").status == 503
    assert services.refresh(tokens["refreshToken"]).code == "unavailable"
    away.rename(database)
    assert services.get("/readyz").status == 200
    assert services.refresh(tokens["refreshToken"]).status == 200
