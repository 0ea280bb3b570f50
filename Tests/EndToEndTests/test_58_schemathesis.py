"""schemathesis walks through the document that the services serve, and tries what it allows and what it doesn't."""

import re
import subprocess
import sys

import pytest

from harness.up import free_port

# Bounded by examples, not by time: the same seed says the same.
EXAMPLES = 12
SEED = 58
SECONDS = 240
# The checks for every answer. That a request which fits the schema isn't refused can't be checked: no schema says
# whether a conversation or an account exists.
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
          "response_headers_conformance", "unsupported_method", "missing_required_header", "ignored_auth")


@pytest.fixture
def both(start_services, start):
    port = free_port()
    services = start_services(services__relay_url=f"ws://127.0.0.1:{port}/v1/socket")
    relay = start(auth__public_keys=services.data / "keys.json", listen__port=port)
    return services, relay


def walk(services, token, *words):
    """Runs it in a process of its own, because it brings its own plugins."""
    return subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{services.port}/v1/openapi.yaml",
         "--url", f"http://127.0.0.1:{services.port}", "--header", f"Authorization: Bearer {token}",
         "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES),
         "--seed", str(SEED), "--workers", "1", "--generation-database", "none", "--no-color", "--request-timeout",
         "30", "--max-failures", "20", *words],
        cwd=services.folder, capture_output=True, text=True, timeout=SECONDS, check=False)


def assert_is_fine(run, services, operations):
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2_000:]
    tested = re.search(r"Tested:\s+(\d+)", run.stdout)
    assert tested and int(tested[1]) == operations, run.stdout[-3_000:]
    assert services.is_running() and services.get("/readyz").status == 200
    # Whatever was thrown at it, nothing of it is in the log.
    assert "roost_key_" not in services.log()


def test_what_backends_may_ask(both):
    services, relay = both
    made = services.command("api-key create", "walker")
    assert made.returncode == 0, made.stderr
    run = walk(services, made.stdout.strip(), "--include-tag", "backends")
    assert_is_fine(run, services, 36)
    assert relay.is_running() and relay.get("/readyz")[0] == 200
