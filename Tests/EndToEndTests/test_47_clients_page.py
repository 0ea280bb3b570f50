"""Docs/Clients.md: its examples make tokens that a relay takes, and its list of cases is the one that is run."""

import re
import shutil
import subprocess
import sys

import pytest

from harness.relay import BINARY, REPOSITORY
from harness.waiting import PATIENCE

sys.path.append(str(REPOSITORY / "Tests/Conformance"))

from clientcases.case import load, table  # noqa: E402

PAGE = (REPOSITORY / "Docs/Clients.md").read_text()
# A compiler of Go has nothing cached the first time.
COMPILE_SECONDS = 90


def examples(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def run(words, folder, seconds=PATIENCE):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


async def takes(relay, token):
    """The relay takes the token, and knows its user and its end."""
    alice = await relay.connect()
    welcome = await alice.hello(token, device="phone")
    assert welcome["user"] == "alice" and 3_500_000 < welcome["expires"] - welcome["time"] <= 3_601_000


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program}")


@needs("node")
async def test_a_token_from_node(relay):
    file = relay.folder / "token.cjs"
    file.write_text(examples("js")[0] + 'process.stdout.write(tokenFor("alice"));\n')
    await takes(relay, run(["node", file], relay.folder))


async def test_a_token_from_python(relay):
    (example,) = examples("python")
    file = relay.folder / "token_example.py"
    file.write_text(example + 'print(token_for("alice"))\n')
    await takes(relay, run([sys.executable, file], relay.folder))


@needs("go")
async def test_a_token_from_go(relay):
    (example,) = examples("go")
    file = relay.folder / "token.go"
    file.write_text(example + 'func main() { os.Stdout.WriteString(tokenFor("alice")) }\n')
    await takes(relay, run(["go", "run", file], relay.folder, COMPILE_SECONDS))


async def test_a_token_from_swift(relay):
    example = examples("swift")[-1]
    compiled = (REPOSITORY / "Tests/TokenExample/TokenExample.swift").read_text()
    assert example in compiled, "the page has another example than Tests/TokenExample"
    await takes(relay, run([BINARY.parent / "roost-token-example"], relay.folder))


@needs("node")
@needs("openssl")
async def test_a_token_with_a_key_pair(start, tmp_path):
    making = [line for line in "".join(examples("sh")).splitlines() if line.startswith("openssl ")]
    assert len(making) == 2
    for line in making:
        run(line.split(), tmp_path)
    relay = start(auth__public_keys=tmp_path / "public.pem")
    file = tmp_path / "token.cjs"
    file.write_text(examples("js")[1] + 'process.stdout.write(tokenFor("alice"));\n')
    await takes(relay, run(["node", file], tmp_path))


def test_the_page_lists_the_cases():
    """`Tests/Conformance/run.py --list` prints them."""
    assert PAGE.endswith(table(load())), "the list of cases in Docs/Clients.md is another one"
