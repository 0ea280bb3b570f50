"""The metrics for an operator: checked by promtool, and scraped and queried by a real Prometheus."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest

from harness.up import free_port
from harness.waiting import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNPACKED = ROOT / ".build-prometheus/usr/bin"
ALERTS = ROOT / "Config/prometheus/alerts.yaml"
TOKEN = "a-token-for-prometheus"

# Operators' questions, and how they ask them (Docs/Operations.md). Each is answered with a number.
QUESTIONS = {
    "How many people are online?": 'sum(roost_presence_users{state!="offline"})',
    "How long does a delivery take?": "histogram_quantile(0.99, sum by (le) (rate(roost_acked_seconds_bucket[1m])))",
    "How long does a commit take?": "histogram_quantile(0.99, sum by (le) (rate(roost_commit_seconds_bucket[1m])))",
    "How many messages a second?": "sum(rate(roost_messages_total[1m]))",
    "Why do connections end?": "sum by (reason) (increase(roost_session_ends_total[1m])) > 0",
    "Who is behind, and how far?": "max(roost_behind_seconds) + sum(roost_sessions_behind)",
    "What is refused?": "sum by (code) (increase(roost_errors_total[1m])) > 0",
    "How busy is the loop?": "rate(roost_turn_seconds_sum[1m])",
    "How far does a message fan out?":
        "sum(rate(roost_fan_out_sessions_sum[1m])) / sum(rate(roost_fan_out_sessions_count[1m]))",
    "How large is the store, and how much is free?": "roost_store_bytes / (roost_store_bytes + roost_store_free_bytes)",
    "How late is presence?": "histogram_quantile(0.99, sum by (le) (rate(roost_presence_delay_seconds_bucket[1m])))",
    "How many came back unseen?": "sum(roost_presence_returns_total)",
}


def program(name):
    found = UNPACKED / name if (UNPACKED / name).exists() else shutil.which(name)
    if not found:
        pytest.skip(f"{name} isn't there; on Debian, Scripts/setup unpacks it")
    return str(found)


async def chat(relay):
    """Something of everything that the metrics count."""
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob", "carol")
    for number in range(20):
        await alice.send(group, f"message {number}")
        message = await bob.event("message")
        await bob.call("ack", position=message["position"])
    assert await bob.refusal("history", conversation="no-such") == "not_found"
    await bob.drop()
    bob = await relay.device("bob")
    carol = await relay.device("carol")
    await carol.bye()
    return alice, bob


@pytest.mark.parametrize("words", [["check", "rules", str(ALERTS)]])
def test_promtool_accepts_the_alerts(words):
    done = subprocess.run([program("promtool"), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_alerts_fire_when_they_should(tmp_path):
    shutil.copy(ALERTS, tmp_path / "alerts.yaml")
    shutil.copy(pathlib.Path(__file__).parent / "prometheus/alerts_test.yaml", tmp_path / "test.yaml")
    done = subprocess.run(
        [program("promtool"), "test", "rules", "test.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


async def test_promtool_accepts_the_page(start):
    relay = start()
    await chat(relay)
    page = relay.get("/metrics")[2]
    done = subprocess.run([program("promtool"), "check", "metrics"], input=page, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    for name in ("alice", "bob", "carol", "Crew"):
        assert name not in page, "nothing names a user or a conversation"


class Prometheus:
    """A real one that scrapes a relay each second."""

    def __init__(self, relay, folder):
        self.port = free_port()
        (folder / "token").write_text(TOKEN)
        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(ALERTS)],
            "scrape_configs": [{
                "job_name": "roost", "authorization": {"credentials_file": str(folder / "token")},
                "static_configs": [{"targets": [f"127.0.0.1:{relay.port}"]}]}]}))
        self.process = subprocess.Popen(
            [program("prometheus"), f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=error"],
            cwd=folder, env={"PATH": os.environ["PATH"]}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def get(self, path, **values):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(values)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            # It says so while it starts.
            if error.code == 503:
                return {"result": []}
            raise AssertionError(f"{values}: {error.read().decode()}") from None
        except OSError:
            return {"result": []}

    def ask(self, query):
        """The numbers that the query is answered with."""
        values = [float(one["value"][1]) for one in self.get("query", query=query)["result"]]
        return [value for value in values if value == value]

    def end(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def prometheus(tmp_path):
    running = []

    def begin(relay):
        running.append(Prometheus(relay, tmp_path))
        return running[-1]

    yield begin
    for one in running:
        one.end()


def panels():
    """Each query of the board, with Grafana's variables filled in."""
    board = json.loads((ROOT / "Config/grafana/roost.json").read_text())
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
            yield panel["title"], query


async def test_prometheus_answers_an_operator(start, prometheus):
    relay = start(metrics__token=TOKEN)
    asked = prometheus(relay)
    await until(lambda: asked.ask("roost_sessions_opened_total") != [], "a first scrape")
    await chat(relay)
    await until(lambda: asked.ask("roost_messages_total") == [20], "the messages")
    # Rates need two scrapes after something has happened.
    await until(lambda: (asked.ask("sum(rate(roost_messages_total[1m]))") or [0])[0] > 0, "a rate")
    for question, query in QUESTIONS.items():
        await until(lambda: asked.ask(query) != [], question)
    ends = asked.get("query", query=QUESTIONS["Why do connections end?"])["result"]
    assert {one["metric"]["reason"] for one in ends} == {"bye", "cut"}
    refused = asked.get("query", query=QUESTIONS["What is refused?"])["result"]
    assert {one["metric"]["code"] for one in refused} == {"not_found"}
    assert 0 < asked.ask(QUESTIONS["How long does a delivery take?"])[0] < 10
    assert asked.ask(QUESTIONS["How many came back unseen?"]) == [1]
    assert asked.get("rules")["groups"][0]["rules"], "the alerts are evaluated"


async def test_prometheus_answers_every_panel_of_the_board(start, prometheus):
    relay = start(metrics__token=TOKEN)
    asked = prometheus(relay)
    await until(lambda: asked.ask("roost_sessions_opened_total") != [], "a first scrape")
    known = {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked.get("label/__name__/values")}
    for title, query in panels():
        asked.get("query", query=query)
        for name in re.findall(r"\b(?:roost|process)_[a-z_]+", query):
            # Missing as long as the store doesn't grow.
            if name != "roost_store_full_in_seconds":
                assert re.sub(r"_(bucket|sum|count)$", "", name) in known, f"{title}: {name} isn't told"
