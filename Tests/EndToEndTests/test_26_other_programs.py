"""Other programs are in the way of the store: they keep a lock, or delete, move or replace its files. The relay waits
for a lock however long it is held, and never acks what went into a file that is gone."""

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess

import pytest

from harness.relay import environment
from harness.waiting import PATIENCE, until


@contextlib.contextmanager
def locked(relay):
    """Another program has the write lock of the store."""
    with contextlib.closing(sqlite3.connect(relay.store, timeout=PATIENCE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


async def test_a_lock_is_waited_for(start):
    relay = start()
    alice = await relay.device("alice")
    group = await alice.group("Crew")
    with locked(relay) as other:
        waiting = asyncio.create_task(alice.send(group, "one", key="k-1"))
        await until(lambda: relay.get("/readyz")[0] == 503, "a store that counts as stalled")
        assert "store_stalled" in relay.get("/readyz")[2] and relay.metric("roost_store_stalled") == 1
        refused = await alice.ask("send", to=group, key="k-2", body="two")
        assert (refused["code"], refused["retry"], refused["retryAfter"]) == ("busy", True, 2_000)
        # Commands that need no lock go on.
        assert (await alice.call("history", conversation=group))["messages"] == []
        await until(lambda: "foreign_program" in relay.log(), "a warning")
        assert not waiting.done()
        other.execute("COMMIT")
        assert (await waiting)["sequence"] == 1
    await until(lambda: relay.get("/readyz")[0] == 200, "a store that works again")
    assert (await alice.send(group, "two", key="k-2"))["sequence"] == 2
    await until(lambda: "another program has the store's write lock, for 5 s now" in relay.log(), "a line of the log")
    assert relay.stop() == 0


async def test_a_relay_that_waits_for_a_lock_can_be_stopped(start):
    relay = start(drain__seconds=1)
    alice = await relay.device("alice")
    group = await alice.group("Crew")
    await alice.send(group, "one")
    with locked(relay):
        waiting = asyncio.create_task(alice.ask("send", to=group, key="k-2", body="two"))
        await asyncio.sleep(0.1)
        relay.stop()
    waiting.cancel()
    relay.start()
    alice = await relay.device("alice")
    assert [message["body"] for message in (await alice.call("history", conversation=group))["messages"]] == ["one"]


@contextlib.contextmanager
def starting(relay):
    """The relay starts on a store that it has to prepare, and another program has the write lock."""
    relay.stop()
    relay.store.unlink()
    with contextlib.closing(sqlite3.connect(relay.store, timeout=PATIENCE, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        with open(relay.folder / "relay.log", "ab") as log:
            relay.process = subprocess.Popen(
                [*relay.program(), *relay.words()], cwd=relay.folder, env=environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log)
        relay.running.add(relay)
        yield other


async def test_a_lock_is_waited_for_at_a_start(start):
    relay = start()
    with starting(relay) as other:
        await until(lambda: "foreign_program" in relay.log(), "a warning")
        assert relay.is_running()
        other.execute("COMMIT")
        relay.port = int(await asyncio.to_thread(relay.read_announcement))
    alice = await relay.device("alice")
    assert (await alice.send(await alice.group("Crew"), "one"))["sequence"] == 1
    assert relay.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_relay_that_waits_for_a_lock_at_its_start_can_be_stopped(start, number):
    relay = start()
    with starting(relay):
        await until(lambda: "foreign_program" in relay.log(), "a warning")
        assert await asyncio.to_thread(relay.end, number) == 128 + number


def delete(store):
    store.unlink()


def move(store):
    store.rename(store.with_suffix(".moved"))


def replace(store):
    shutil.copy(store, store.with_suffix(".copy"))
    store.with_suffix(".copy").rename(store)


def delete_log(store):
    os.unlink(f"{store}-wal")


def delete_index(store):
    os.unlink(f"{store}-shm")


@pytest.mark.parametrize("change", [delete, move, replace, delete_log, delete_index])
async def test_nothing_is_acked_once_a_file_is_gone(start, change):
    relay = start()
    alice = await relay.device("alice")
    group = await alice.group("Crew")
    await alice.send(group, "one")
    change(relay.store)
    refused = await alice.ask("send", to=group, key="k-2", body="two")
    assert (refused["code"], refused["retry"]) == ("unavailable", True)
    assert await asyncio.to_thread(relay.wait) == 1
    assert "was deleted, moved or replaced while the relay had it open" in relay.log()


def test_a_relay_without_users_notices(start):
    relay = start()
    relay.store.unlink()
    assert relay.wait() == 1


def second(relay, folder, path):
    """Starts another relay on the store under another name. Returns what it says."""
    words = ["--set", "listen.port=0", "--set", f"store.path={path}", "--set", f"auth.key_file={relay.key_file}"]
    return subprocess.run(
        [*relay.program(), "serve", *words], cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_a_second_relay_is_kept_out_by_the_store_itself(start, tmp_path):
    relay = start()
    (tmp_path / "symbolic.db").symlink_to(relay.store)
    (tmp_path / "hard.db").hardlink_to(relay.store)
    for path in (tmp_path / "symbolic.db", tmp_path / "hard.db"):
        found = second(relay, tmp_path, path)
        assert found.returncode == 1 and "another relay has this store open" in found.stderr
    os.unlink(f"{relay.store}.lock")
    found = second(relay, tmp_path, relay.store)
    assert found.returncode == 1 and "another relay has this store open" in found.stderr
    assert relay.is_running() and relay.stop() == 0
