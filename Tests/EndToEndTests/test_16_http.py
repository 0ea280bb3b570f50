"""The operator's pages: health, readiness, and metrics in a form that Prometheus reads, with correct numbers; and the
level of durability wherever it matters."""

import json
import re

import pytest

from harness.raw import RawConnection
from harness.waiting import until

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{({NAME}="[^"\\\n]*"(?:,{NAME}="[^"\\\n]*")*)\}})? (-?[0-9.eE+-]+|NaN|[+-]Inf)')


def parsed(page):
    """Returns {name with labels: value} after checking the form of every line."""
    samples, kinds, helps = {}, {}, set()
    assert page.endswith("\n")
    for line in page.splitlines():
        if line.startswith("# HELP "):
            name, _, text = line[7:].partition(" ")
            assert text and name not in helps, line
            helps.add(name)
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert kind in ("counter", "gauge", "histogram") and name in helps and name not in kinds, line
            kinds[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            name = found[1]
            family = re.sub(r"_(bucket|sum|count)$", "", name) if name not in kinds else name
            assert family in kinds, line
            assert (kinds[family] == "counter") == name.endswith("_total") or kinds[family] == "histogram", line
            key = line.rpartition(" ")[0]
            assert key not in samples, line
            samples[key] = float(found[3])
            assert samples[key] >= 0, line
    assert set(kinds) == helps
    return samples


def metrics(relay):
    status, headers, body = relay.get("/metrics")
    assert status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return parsed(body)


def test_health_and_readiness(relay):
    for path, text in (("/healthz", "ok\n"), ("/readyz", "ready\n")):
        status, headers, body = relay.get(path)
        assert (status, body) == (200, text)
        assert headers["Content-Type"].startswith("text/plain")
    assert relay.get("/")[0] == 200
    status, headers, body = relay.get("/healthz?from=a-balancer")
    assert status == 200


async def test_counters_rise(relay, name):
    before = metrics(relay)
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    for number in range(5):
        await alice.send(group, "x" * 1_000, key=f"k-{number}")
    await alice.send(group, "x" * 1_000, key="k-0")
    await alice.refusal("send", to="nowhere", key="k", body="x")
    await alice.refusal("nonsense")
    await alice.call("signal", to=group, body=1)
    await bob.event("signal")
    second = await relay.device(name("bob"))
    await bob.closed()
    await second.event("message", sequence=5)
    await until(lambda: metrics(relay)['roost_presence_users{state="online"}'] >= 2, "presence")
    after = metrics(relay)

    def moved(key):
        return after[key] - before.get(key, 0)
    assert set(before) <= set(after)
    exact = {
        "roost_messages_total": 5, "roost_duplicates_total": 1, "roost_signals_total": 1,
        "roost_signal_deliveries_total": 1, "roost_takeovers_total": 1,
        'roost_sessions_opened_total{resume="new"}': 3, 'roost_session_ends_total{reason="takeover"}': 1,
        "roost_fan_out_sessions_count": 6, "roost_stored_seconds_count": 6, 'roost_devices{state="active"}': 2,
        "roost_presence_joins_total": 2,
        "roost_connections": 2, "roost_sessions": 2, "roost_users": 2, "roost_conversations": 1,
        'roost_errors_total{code="not_found"}': 1, 'roost_errors_total{code="unknown_type"}': 1,
        'roost_closes_total{code="4501"}': 1, "roost_log_position": 6}
    assert {key: moved(key) for key in exact} == exact
    # bob's two connections get `created` and five messages each.
    assert moved("roost_deliveries_total") == 12
    assert moved("roost_received_bytes_total") > 5_000
    assert moved("roost_sent_bytes_total") > 10_000
    assert moved("roost_commands_total") >= 12
    assert moved("roost_commit_seconds_count") >= 1
    assert moved("roost_commit_rows_sum") == 6
    assert moved("roost_turn_seconds_count") > 10
    assert after['roost_commit_seconds_bucket{le="+Inf"}'] == after["roost_commit_seconds_count"]
    buckets = [value for key, value in after.items() if key.startswith("roost_commit_seconds_bucket")]
    assert buckets == sorted(buckets)
    assert after["process_resident_memory_bytes"] > 1_000_000
    assert after["process_open_fds"] < after["process_max_fds"]
    assert after["process_cpu_seconds_total"] > 0
    for key, value in before.items():
        if key.partition("{")[0].endswith("_total"):
            assert after[key] >= value, key


async def test_gauges_fall_again(relay, name):
    alice = await relay.device(name("alice"))
    count = metrics(relay)["roost_connections"]
    await alice.bye()
    await until(lambda: metrics(relay)["roost_connections"] == count - 1, "one less")
    assert metrics(relay)["roost_pending_events"] == 0


async def test_every_end_of_a_connection_counts_with_its_reason(start):
    relay = start(presence__grace_seconds=0, limits__ping_seconds=1, limits__pong_seconds=1)

    async def counted(reason, family="session_ends", count=1):
        key = f'roost_{family}_total{{reason="{reason}"}}'
        await until(lambda: metrics(relay)[key] == count, key)

    await (await relay.device("alice")).bye()
    await counted("bye")
    await (await relay.device("alice")).drop()
    await counted("cut")
    await (await relay.device("alice")).leave()
    await counted("closed")
    first, _ = await relay.device("alice", "phone"), await relay.device("alice", "phone")
    await first.closed()
    await counted("takeover")
    with RawConnection(relay.port) as silent:
        silent.upgrade()
        silent.response()
        hello = json.dumps({"type": "hello", "id": 1, "token": relay.token("bob"), "device": "phone"}).encode()
        # Masked with zeros. It answers no ping.
        silent.write(b"\x81\xfe" + len(hello).to_bytes(2, "big") + b"\0\0\0\0" + hello)
        await counted("timeout")
    with RawConnection(relay.port) as stranger:
        stranger.upgrade()
        stranger.response()
        # There is no such opcode.
        stranger.write(b"\x83\x80\0\0\0\0")
        await counted("refused", "stranger_ends")
    await counted("timeout", "presence_leaves")
    after = metrics(relay)
    assert sum(value for key, value in after.items() if key.startswith("roost_session_ends_total")) == 5


async def test_what_a_device_has_not_acked_has_an_age(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    before = metrics(relay)["roost_acked_seconds_count"]
    group = await alice.group("Crew", name("bob"))
    await alice.send(group, "hello")
    message = await bob.event("message")
    await until(lambda: metrics(relay)["roost_unacked_seconds"] > 0.05, "an age")
    await bob.call("ack", position=message["position"])
    assert metrics(relay)["roost_acked_seconds_count"] == before + 1
    # alice's own message counts as acked by what she acks later, and isn't awaited.
    await until(lambda: metrics(relay)["roost_unacked_seconds"] == 0, "nothing that waits")


async def test_refusals_before_the_upgrade_are_counted(relay):
    before = metrics(relay)
    for changes in ({"Origin": "https://elsewhere.example.org"}, {"Sec_WebSocket_Version": "8"}):
        with RawConnection(relay.port) as connection:
            connection.upgrade(**changes)
            connection.response()
    after = metrics(relay)
    for reason in ("policy", "upgrade"):
        key = f'roost_refused_total{{reason="{reason}"}}'
        assert after[key] - before[key] == 1


def test_metrics_are_for_this_machine_or_a_token(start):
    for settings in ({}, {"listen__proxies": "127.0.0.1"}):
        relay = start(**settings)
        assert relay.get("/metrics")[0] == 200
        for field in ("X_Forwarded_For", "Forwarded", "X_Real_IP", "X_Forwarded_Host", "Via"):
            assert relay.get("/metrics", **{field: "127.0.0.1"})[0] == 401, field
            assert relay.get("/healthz", **{field: "127.0.0.1"})[0] == 200, field


def test_metrics_with_a_token(start):
    relay = start(metrics__token="correct-horse-battery")
    assert relay.get("/metrics")[0] == 401
    assert relay.get("/metrics", Authorization="Bearer correct-horse-batterx")[0] == 401
    status, _, body = relay.get("/metrics", Authorization="Bearer correct-horse-battery")
    assert status == 200
    assert parsed(body)
    assert "correct-horse" not in body + relay.log()
    # The pages for a load balancer need no token.
    assert relay.get("/readyz")[0] == 200


@pytest.mark.parametrize("level", ["full", "normal", "memory"])
async def test_the_level_of_durability_is_shown(start, level):
    relay = start(store__durability=level)
    assert (await relay.device("alice")).welcome["durability"] == level
    assert metrics(relay)[f'roost_durability_info{{level="{level}"}}'] == 1
    assert relay.store.exists() == (level != "memory")
    assert relay.stop() == 0


async def test_nothing_secret_is_logged(start):
    relay = start(log__level="trace")
    alice, bob = await relay.device("alice"), await relay.device("bob")
    token = relay.token("alice", more="claims")
    await alice.call("refresh", token=token)
    await alice.send("@bob", "a body that nobody else may read", key="the-key-of-it")
    await bob.event("message")
    await alice.refusal("hello", token=token, device="x")
    await alice.refusal("refresh", token=token[:-4] + "AAAA")
    assert relay.stop() == 0
    for secret in ("a body that", token, token.split(".")[2], relay.key_file.read_text().strip()):
        assert secret not in relay.log()
