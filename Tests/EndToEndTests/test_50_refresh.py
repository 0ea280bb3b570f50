"""Refresh tokens: each is good once, the same exchange gives the same token, and a stolen one ends its session."""

import contextlib
import json
import shutil
import sqlite3
import subprocess

import pytest

from harness.relay import REPOSITORY
from test_50_accounts import at_once


@pytest.fixture
def email(name):
    return f"{name('ann')}@example.org"


def test_refresh_tokens_rotate_and_reuse_ends_the_family(services, email):
    first = services.sign_up(email)
    second = services.refresh(first["refreshToken"])
    assert second.status == 200 and second["session"] == first["session"]
    assert second["refreshToken"] != first["refreshToken"]
    reused, newest = services.reuse(first["refreshToken"])
    assert (reused.status, reused.code) == (401, "refresh_reused")
    # Everything of that session has ended.
    assert services.refresh(newest).code == "unauthorized"
    for tokens in (first, second):
        assert services.get("/v1/account", token=tokens["accessToken"]).code == "unauthorized"
    # Another session hasn't.
    assert services.sign_in(email).status == 200


@pytest.mark.parametrize("keys", [[None, None, None], ["k-1", "k-2", None], ["k-1", "k-1", "k-1"]])
def test_tabs_that_refresh_at_once_get_the_same_token(services, email, keys):
    token = services.sign_up(email)["refreshToken"]
    for _ in range(20):
        answers = at_once([lambda key=key, token=token: services.refresh(token, key=key) for key in keys])
        assert [answer.status for answer in answers] == [200] * len(keys)
        found = {answer["refreshToken"] for answer in answers}
        assert len(found) == 1 and token not in found
        for answer in answers:
            assert services.get("/v1/account", token=answer["accessToken"]).status == 200
        token = found.pop()


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_two_tabs_of_the_chat_page_without_locks_stay_signed_in(start_services):
    services = start_services(tokens__access_seconds=30)
    found = subprocess.run(
        ["node", str(REPOSITORY / "Tests/WebTests/tabs.mjs"), f"http://127.0.0.1:{services.port}", "20"],
        capture_output=True, text=True, timeout=100, check=True)
    assert json.loads(found.stdout) == {"good": 20, "signedIn": [True, True]}


def test_a_tab_that_is_some_exchanges_behind_gets_the_newest_token(start_services, email):
    services = start_services()
    first = services.sign_up(email)["refreshToken"]
    newest = first
    for number in range(8):
        if number == 4:
            # A restart, which may take seconds, doesn't forget an exchange.
            services.kill()
            age(services, -8_000)
            services.start()
        newest = services.refresh(newest)["refreshToken"]
        assert services.refresh(first)["refreshToken"] == newest
    following = services.refresh(newest)
    assert following.status == 200
    assert services.refresh(first).code == "refresh_reused"
    assert services.refresh(following["refreshToken"]).code == "unauthorized"


def test_a_lost_answer_may_be_asked_for_under_its_key(start_services, email):
    services = start_services()
    first = services.sign_up(email)
    lost = services.refresh(first["refreshToken"], key="k-1")
    assert lost.status == 200
    services.kill()
    # Days later.
    age(services, 9 * 86_400_000)
    services.start()
    again = [services.refresh(first["refreshToken"], key="k-1") for _ in range(3)]
    assert [answer.status for answer in again] == [200, 200, 200]
    assert {answer["refreshToken"] for answer in again} == {lost["refreshToken"]}
    assert services.refresh(lost["refreshToken"], key="k-2").status == 200
    services.kill()
    age(services, 10_000)
    services.start()
    # Its successor has been used.
    assert services.refresh(first["refreshToken"], key="k-1").code == "refresh_reused"
    assert services.refresh(lost["refreshToken"], key="k-2").code == "unauthorized"


@pytest.mark.parametrize("key", [None, "k-2"])
def test_a_second_exchange_without_the_key_is_a_theft_after_ten_seconds(start_services, email, key):
    services = start_services()
    first = services.sign_up(email)
    second = services.refresh(first["refreshToken"], key="k-1")
    services.kill()
    age(services, 10_000)
    services.start()
    assert services.refresh(first["refreshToken"], key=key).code == "refresh_reused"
    assert services.refresh(second["refreshToken"], key="k-2").code == "unauthorized"


def age(services, milliseconds):
    """Makes the exchanges of all sessions older, as if so much time had gone by."""
    with contextlib.closing(sqlite3.connect(services.data / "services.db")) as store:
        for sid, renewals in store.execute("SELECT sid, renewals FROM session").fetchall():
            older = " ".join(str(int(time) - milliseconds) for time in renewals.split())
            store.execute("UPDATE session SET renewals = ? WHERE sid = ?", (older, sid))
        store.commit()


@pytest.mark.parametrize("key", ["a b", "x" * 65, 'a"b', "é"])
def test_a_key_is_a_name(services, email, key):
    first = services.sign_up(email)
    refused = services.refresh(first["refreshToken"], key=key)
    assert (refused.status, refused["member"]) == (422, "key")
    assert services.refresh(first["refreshToken"]).status == 200


def test_invented_refresh_tokens_end_nothing(services, email):
    tokens = services.sign_up(email)
    good = tokens["refreshToken"]
    for text in ("", "x", good[:-1], good[:-1] + ("A" if good[-1] != "A" else "B"), good + "A", good[::-1]):
        assert services.refresh(text).code == "unauthorized"
    assert services.post("/v1/sessions/refresh", {}).status == 422
    assert services.refresh(good).status == 200
