"""The chat page as the relay serves it, byte by byte, and the links that open it. The page's behaviour is in the other
files of this number.
"""

import fnmatch
import gzip
import http.client
import json
import os
import pty
import re
import subprocess
import time

import jwt
import pytest

from harness.relay import BINARY, REPOSITORY, command, environment
from harness.waiting import PATIENCE

# The tests ask more than a browser does.
SETTINGS = {"limits__requests_per_second": 10_000}

TYPES = {
    "/": "text/html; charset=utf-8", "/app.css": "text/css; charset=utf-8", "/app.js": "text/javascript; charset=utf-8",
    "/app-invites.js": "text/javascript; charset=utf-8",
    "/app-people.js": "text/javascript; charset=utf-8", "/app-prospects.js": "text/javascript; charset=utf-8",
    "/app-card.js": "text/javascript; charset=utf-8", "/app-pick.js": "text/javascript; charset=utf-8",
    "/app-settings.js": "text/javascript; charset=utf-8",
    "/app-talk.js": "text/javascript; charset=utf-8", "/app-write.js": "text/javascript; charset=utf-8",
    "/app-find.js": "text/javascript; charset=utf-8", "/app-factor.js": "text/javascript; charset=utf-8",
    "/roost.js": "text/javascript; charset=utf-8", "/roost-people.js": "text/javascript; charset=utf-8",
    "/words-en.js": "text/javascript; charset=utf-8", "/words-en-more.js": "text/javascript; charset=utf-8",
    "/words-de.js": "text/javascript; charset=utf-8", "/words-de-more.js": "text/javascript; charset=utf-8",
    "/words-de-emoji.js": "text/javascript; charset=utf-8",
    "/roost-talk.js": "text/javascript; charset=utf-8", "/sw.js": "text/javascript; charset=utf-8",
    "/manifest.webmanifest": "application/manifest+json", "/icon.svg": "image/svg+xml", "/icon.png": "image/png"}
# Most bytes of all files of the first load as they are sent. A phone on a slow network (50 kB/s) has them in 1.3 s.
# Decisions 33, 52 and 72 have the reason for the bytes above 48. Admins' acts, and the reason why a user can't write,
# are 0.3; the second step of a sign-in, and the place of two-step verification, 0.7; the question that an invitation
# asks before anything else is loaded, 0.8; texts that come in one language, apart from the code that shows them, 3.0;
# the view of a user who was removed from a group, or signed out in another tab, 0.4.
# A message that waits for its time in a slow group, and the line that says so, 0.4.
# The reason why a person can't be written to, with the way out, Back closing layers first, and unread messages
# elsewhere, 0.5.
# Users who came by a link, as unread, and the sides of texts from right to left, 0.3.
# Users who wait to join by a link, 0.3.
BYTES_MAX = 69.5 * 1024
# Files that come after that or on demand, and their most bytes. 0.9 of the part about people are for admins: bans,
# time-outs, and who may write.
# People who wait to join take 0.6 of it.
PEOPLE = ("/app-people.js", "/roost-people.js")
PROSPECTS = ("/app-prospects.js",)
CARD = ("/app-card.js",)
PICK = ("/app-pick.js",)
SETTINGS_PAGE = ("/app-settings.js",)
INVITES = ("/app-invites.js",)
TALK = ("/app-talk.js", "/roost-talk.js")
# Half of it is the emoji with the words by which they are found.
WRITE = ("/app-write.js",)
FIND = ("/app-find.js",)
FACTOR = ("/app-factor.js",)
# One language is loaded: first what is shown first, and with the first later part the rest. English is a part of the
# first load.
GERMAN = ("/words-de.js",)
ENGLISH_MORE = ("/words-en-more.js",)
GERMAN_MORE = ("/words-de-more.js",)
# With the picker of emoji, which has the English ones.
GERMAN_EMOJI = ("/words-de-emoji.js",)
# Each as measured, with room for a few sentences: a picker (5.1), a card (3.0), the settings with the account (8.1),
# and what is written down (0.9). Mentions show their rows as the picker does, which took WRITE from 11.7 to 12.0.
LATER_MAX = {PEOPLE: 12.5 * 1024, FACTOR: 4 * 1024, PROSPECTS: 1024, CARD: 3.25 * 1024, PICK: 5.5 * 1024,
             SETTINGS_PAGE: 8.5 * 1024, TALK: 7 * 1024, INVITES: 4 * 1024,
             WRITE: 12.25 * 1024, FIND: 2 * 1024, GERMAN: 6 * 1024, ENGLISH_MORE: 4.25 * 1024,
             GERMAN_MORE: 4.75 * 1024, GERMAN_EMOJI: 7.5 * 1024}
# Most bytes of the client library, which apps of others load, too, and of its further modules. Decisions 52 and 72 have
# the reasons for the bytes above 20. Changes to conversations, by pages of history, are 0.1, and messages that wait in
# a slow group 0.2 (decision 81).
LIBRARY_MAX = {"/roost.js": 27.5 * 1024, "/roost-people.js": 3.5 * 1024, "/roost-talk.js": 3 * 1024}
CLIENT_MAX = {name.replace("/", "/v1/client/"): most for name, most in LIBRARY_MAX.items()} | {
    "/v1/client/roost-chat.js": 4.5 * 1024}
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
COMPRESSED = {**BROWSER, "Accept-Encoding": "gzip, deflate, br, zstd"}


def ask(relay, path, headers=None, method="GET"):
    """Sends a request with these headers and no others, and returns (status, headers, bytes)."""
    connection = http.client.HTTPConnection("127.0.0.1", relay.port, timeout=PATIENCE)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def source(path):
    return (REPOSITORY / "Web" / (path[1:] or "index.html")).read_bytes()


def minified(path, text):
    """Returns esbuild's result for a file. For the library, only the parts promised to its users."""
    short = "|".join((REPOSITORY / "Web/short-names.txt").read_text().split())
    page = ["--bundle", "--format=esm", "--target=es2022",
            *(f"--external:/{name}.js*" for name in (
                "roost", "roost-people", "roost-talk", "app-card", "app-factor", "app-find", "app-invites",
                "app-people", "app-pick", "app-prospects", "app-settings", "app-talk", "app-write", "words-en",
                "words-de", "words-en-more", "words-de-more", "words-de-emoji"))]
    words = {
        "/roost.js": ["--bundle", "--format=esm", "--target=es2022", f"--mangle-props=^({short})$"],
        "/roost-people.js": ["--format=esm", "--target=es2022"], "/roost-talk.js": ["--format=esm", "--target=es2022"],
        "/roost-chat.js": ["--format=esm", "--target=es2022"],
        **{f"/words-{name}.js": ["--format=esm", "--target=es2022"]
           for name in ("en", "de", "en-more", "de-more", "de-emoji")},
        "/app.js": page, "/app-people.js": page, "/app-card.js": page, "/app-pick.js": page,
        "/app-prospects.js": page, "/app-settings.js": page, "/app-talk.js": page, "/app-write.js": page,
        "/app-factor.js": page, "/app-find.js": page, "/app-invites.js": page,
        "/sw.js": ["--target=es2022"], "/app.css": ["--loader=css"]}.get(path)
    if words is None:
        return text
    if path == "/roost.js":
        text = b'export { Roost, RoostError, sentences } from "./roost.js";'
    return subprocess.run(["esbuild", "--minify", *words], input=text, cwd=REPOSITORY / "Web",
                          stdout=subprocess.PIPE, check=True, timeout=PATIENCE).stdout


def test_the_files_are_those_of_the_folder(relay):
    found = set()
    for path, type in TYPES.items():
        status, headers, body = ask(relay, path, BROWSER)
        assert (status, headers["Content-Type"]) == (200, type)
        assert "Content-Encoding" not in headers
        expected = minified(path, source(path))
        if path in ("/", "/app.js", "/app-people.js", "/app-talk.js", "/sw.js"):
            assert b"unpacked" not in body and b"unpacked" in expected
            versions = set(re.findall(rb'[?"]([0-9a-f]{32})"', body))
            assert len(versions) == 1
            found |= versions
            expected = expected.replace(b"unpacked", *versions)
        assert body == expected, path
    assert len(found) == 1, "all parts name the same version"
    for path in ("/index.html", "/app.js/", "/roost.d.ts", "/short-names.txt", "//", "/./app.js", "/app.js%20",
                 "/Web/app.js"):
        assert ask(relay, path, BROWSER)[0] == 404, path


def test_what_a_browser_is_told(relay):
    for path in TYPES:
        headers = ask(relay, path, COMPRESSED)[1]
        policy = dict(part.strip().partition(" ")[::2] for part in headers["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["require-trusted-types-for"] == "'script'"
        assert "unsafe" not in headers["Content-Security-Policy"] and "*" not in headers["Content-Security-Policy"]
        assert (headers["X-Content-Type-Options"], headers["Referrer-Policy"]) == ("nosniff", "no-referrer")
        assert headers["Cache-Control"] == "no-cache"
    html = source("/").decode()
    assert not re.search(r"<style|\sstyle=|<script(?! type=\"module\" src=)|\son\w+=|https?://", html)
    for name in ("app.js", "app-factor.js", "app-invites.js", "qr.js", "app-people.js", "app-card.js",
                 "app-pick.js", "app-prospects.js", "app-settings.js", "app-account.js", "app-talk.js", "app.css",
                 "sw.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?://(?!www\.w3\.org)",
                             source("/" + name).decode()), name


def test_pages_from_elsewhere_may_load_the_client(relay, start):
    for one in (relay, start(listen__page="off")):
        for path, most in CLIENT_MAX.items():
            status, headers, body = ask(one, path, {"Origin": "https://app.example.org"})
            assert (status, headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
            assert headers["Access-Control-Allow-Origin"] == "*"
            assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
            assert body == minified(path.removeprefix("/v1/client"), source(path.removeprefix("/v1/client")))
            packed = ask(one, path, COMPRESSED)
            assert len(packed[2]) <= most
            assert ask(one, path, {**COMPRESSED, "If-None-Match": packed[1]["ETag"]})[0] == 304
    for path in ("/v1/client/", "/v1/client/app.js", "/v1/client/sw.js", "/v1/client/index.html",
                 "/v1/client//roost.js", "/roost-chat.js"):
        assert ask(relay, path, BROWSER)[0] == 404, path
    # The page's own copies are only for its own origin.
    headers = ask(relay, "/roost.js", {"Origin": "https://app.example.org"})[1]
    assert "Access-Control-Allow-Origin" not in headers and headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_parts_of_another_version_are_not_there(relay):
    version = re.search(rb"/app\.js\?([0-9a-f]{32})", ask(relay, "/", BROWSER)[2])[1].decode()
    for path in TYPES.keys() - {"/"}:
        plain = ask(relay, path, BROWSER)
        for query in (version, "", "utm_source=mail", version[:31], version + "0", version[:-1] + "g", "V" * 32):
            status, headers, body = ask(relay, f"{path}?{query}", BROWSER)
            assert (status, headers["ETag"], body) == (200, plain[1]["ETag"], plain[2]), query
        for method in ("GET", "HEAD"):
            status, headers, _ = ask(relay, f"{path}?{version[::-1]}", BROWSER, method)
            assert (status, headers["Cache-Control"]) == (404, "no-store")
    assert ask(relay, "/?" + version[::-1], BROWSER)[0] == 200, "the page itself has no version"


def test_where_the_services_are(relay, start):
    status, headers, body = ask(relay, "/v1/page", BROWSER)
    assert (status, headers["Content-Type"], body) == (200, "application/json", b"{}")
    away = start(listen__services="https://accounts.example.org")
    assert json.loads(ask(away, "/v1/page", BROWSER)[2]) == {"services": "https://accounts.example.org"}
    policy = ask(away, "/", BROWSER)[1]["Content-Security-Policy"]
    assert "; connect-src 'self' https://accounts.example.org; " in policy
    for wrong in ("accounts.example.org", "https://a.example/path", "http://localhost:*", "https://a.example 'self'"):
        with pytest.raises(AssertionError, match="listen.services"):
            start(listen__services=wrong)


def test_compressed_or_not(relay):
    for path in TYPES:
        _, plain, body = ask(relay, path, BROWSER)
        _, packed, bytes_ = ask(relay, path, COMPRESSED)
        if packed["Content-Encoding"] is None:
            # A file that compression makes no smaller.
            assert path == "/icon.png" and bytes_ == body and packed["ETag"] == plain["ETag"]
            continue
        assert packed["Content-Encoding"] == "gzip" and gzip.decompress(bytes_) == body and len(bytes_) < len(body)
        assert packed["ETag"] != plain["ETag"], "a strong tag names bytes"
        assert "Accept-Encoding" in plain["Vary"] and "Accept-Encoding" in packed["Vary"]
    for encodings, is_packed in {
            "gzip": True, "GZIP;q=0.5": True, "br, gzip ; q=1": True, "x-gzip": True, "gzip;q=0": False,
            "gzip;q=0.000": False, "gzip; q=0.001": True, "identity": False, "br": False, "": False}.items():
        found = ask(relay, "/app.js", {"Accept-Encoding": encodings})[1]["Content-Encoding"]
        assert (found == "gzip") == is_packed, encodings


def test_nothing_is_sent_twice(relay):
    for path in TYPES:
        for accepts in (BROWSER, COMPRESSED):
            _, headers, _ = ask(relay, path, accepts)
            tag = headers["ETag"]
            assert re.fullmatch(r'"[0-9a-f]{32}(-gzip)?"', tag)
            for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
                status, again, body = ask(relay, path, {**accepts, "If-None-Match": known})
                assert (status, body) == (304, b""), (path, known)
                assert "Content-Length" not in again and "Content-Type" not in again
                for name in ("ETag", "Cache-Control", "Vary", "Content-Security-Policy"):
                    assert again[name] == headers[name], name
            for known in ('"other"', tag.strip('"'), tag[:-1], ""):
                assert ask(relay, path, {**accepts, "If-None-Match": known})[0] == 200, known
    # The other form of the same file is another one.
    plain = ask(relay, "/app.js", BROWSER)[1]["ETag"]
    assert ask(relay, "/app.js", {**COMPRESSED, "If-None-Match": plain})[0] == 200


def test_a_connection_goes_on_after_a_304(relay):
    tag = ask(relay, "/app.js", BROWSER)[1]["ETag"]
    connection = http.client.HTTPConnection("127.0.0.1", relay.port, timeout=PATIENCE)
    for _ in range(3):
        connection.request("GET", "/app.js", headers={"If-None-Match": tag, "Accept-Encoding": "identity"})
        response = connection.getresponse()
        assert (response.status, response.read()) == (304, b"")
    connection.request("GET", "/healthz")
    assert connection.getresponse().read() == b"ok\n"
    connection.close()


def test_head_tells_the_same_without_the_bytes(relay):
    for path in TYPES:
        for accepts in (BROWSER, COMPRESSED):
            status, headers, body = ask(relay, path, accepts)
            empty = ask(relay, path, accepts, method="HEAD")
            assert (empty[0], empty[1].items(), empty[2]) == (status, headers.items(), b"")
            assert int(headers["Content-Length"]) == len(body)


def test_programs_get_a_line_of_text(relay):
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        status, answer, body = ask(relay, "/", headers)
        assert (status, answer["Content-Type"], answer["Vary"]) == (200, "text/plain; charset=utf-8", "Accept")
        assert body.startswith(b"Roost ") and b"/v1/socket" in body
    assert ask(relay, "/", {"Accept": "text/html"})[2].startswith(b"<!doctype html>")


def test_the_page_can_be_off(start):
    relay = start(listen__page="off")
    status, headers, body = ask(relay, "/", BROWSER)
    assert (status, headers["Content-Type"], headers["Vary"]) == (200, "text/plain; charset=utf-8", None)
    assert body.startswith(b"Roost ")
    for path in TYPES.keys() - {"/"}:
        assert ask(relay, path, BROWSER)[0] == 404, path


def test_the_page_is_small(relay):
    sizes = {path: len(ask(relay, path, COMPRESSED)[2]) for path in TYPES}
    for path, most in LIBRARY_MAX.items():
        assert sizes[path] <= most, sizes
    first = [size for path, size in sizes.items() if not any(path in paths for paths in LATER_MAX)]
    assert sum(first) <= BYTES_MAX, sizes
    for paths, most in LATER_MAX.items():
        assert sum(sizes[path] for path in paths) <= most, sizes


def test_the_worker_is_small_and_can_be_removed(relay):
    assert len(source("/sw.js").splitlines()) <= 120


# Links


def claims(relay, link):
    """The address of a link, and what its token says, as the relay would read it."""
    address, _, token = link.strip().partition("#token=")
    return address, jwt.decode(token, relay.secret(), algorithms=["HS256"], audience="chat")


def key_of(relay):
    return ("--set", f"auth.key_file={relay.key_file}")


def test_a_link(start, tmp_path):
    relay = start(auth__audience="chat")
    words = ["link", "--user", "alice", *key_of(relay), "--set", "auth.audience=chat"]
    printed = command(tmp_path, *words, "--set", "listen.port=8123")
    assert printed.returncode == 0 and printed.stderr == "" and printed.stdout.count("\n") == 1
    address, said = claims(relay, printed.stdout)
    assert (address, said["sub"]) == ("http://127.0.0.1:8123/", "alice")
    assert "scope" not in said and "device" not in said
    assert abs(said["exp"] - time.time() - 30 * 86_400) < 600, "30 days"
    for more, expected in {
            ("--ttl", "90s"): "http://127.0.0.1:8080/",
            ("--url", "https://chat.example.org"): "https://chat.example.org/",
            ("--url", "wss://chat.example.org:444/v1/socket"): "https://chat.example.org:444/",
            ("--url", "ws://[::1]:81/v1/socket"): "http://[::1]:81/",
            ("--set", "tls.certificate=c.pem", "--set", "tls.key=k.pem"): "https://127.0.0.1:8080/"}.items():
        address, said = claims(relay, command(tmp_path, *words, *more).stdout)
        assert address == expected
        assert "90s" not in more or abs(said["exp"] - time.time() - 90) < 60


@pytest.mark.parametrize("words, part", [
    ([], "--user"), (["--user", "two words"], "user"), (["--user", "a", "--url", "chat.example.org"], "https://"),
    (["--user", "a", "--url", "https://example.org/chat"], "works below no path"),
    (["--user", "a", "--set", "listen.page=off"], "listen.page"),
    (["--user", "a", "--set", "listen.host=unix:/tmp/x"], "--url"), (["--user", "a", "--ttl", "soon"], "--ttl"),
    (["--user", "a", "--set", "auth.key_file=nowhere"], "nowhere")])
def test_a_link_that_nobody_could_use_is_refused(relay, tmp_path, words, part):
    result = command(tmp_path, "link", *key_of(relay), *words)
    assert result.returncode == 2 and result.stdout == "" and part in result.stderr


LINK = re.compile(r"^  (\S+) +(http://\S+#token=\S+)$", re.MULTILINE)


def test_a_start_prints_links_for_those_who_are_named(tmp_path):
    with Started(tmp_path, "--link", "ann", "--link", "bernard", "--link", "two words") as (output, port):
        links = dict(LINK.findall(output))
        assert list(links) == ["ann", "bernard"]
        assert all(link.startswith(f"http://127.0.0.1:{port}/#token=") for link in links.values())


@pytest.mark.parametrize("settings, count", [
    ([], 2), (["auth.public_keys=key.pem"], 0), (["listen.page=off"], 0)])
def test_a_start_on_a_terminal_prints_two_links(tmp_path, settings, count):
    (tmp_path / "key.pem").write_text(PUBLIC_KEY)
    words = [word for setting in settings for word in ("--set", setting)]
    with Started(tmp_path, *words, on_terminal=True) as (output, _):
        assert [user for user, _ in LINK.findall(output)] == ["you", "friend"][:count]


def test_a_start_elsewhere_prints_no_token(tmp_path):
    with Started(tmp_path) as (output, _):
        assert "#token" not in output


class Started:
    """`roost serve`, and what it prints until it listens. Nothing of that is in its log."""

    def __init__(self, folder, *words, on_terminal=False):
        self.on_terminal = on_terminal
        ours, theirs = pty.openpty() if on_terminal else os.pipe()
        self.ours = ours
        self.log = folder / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [BINARY, "serve", "--port", "0", "--set", "log.level=trace", *words], cwd=folder, env=environment(),
                stdin=subprocess.DEVNULL, stdout=theirs, stderr=log)
        os.close(theirs)

    def __enter__(self):
        seen = b""
        while b"Ctrl-C" not in seen:
            piece = os.read(self.ours, 65_536)
            assert piece, (seen, self.log.read_text())
            seen += piece
        output = seen.decode().replace("\r\n", "\n")
        return output, re.search(r":(\d+)/v1/socket", output)[1]

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0
        os.close(self.ours)
        assert "token=" not in self.log.read_text() and "eyJ" not in self.log.read_text()


PUBLIC_KEY = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
"""


def test_proxies_pass_on_all_that_the_page_needs():
    """The examples for nginx and Caddy name every path of the page, and the one that says where the accounts are."""
    nginx = re.search(r"location ~ (\S+) \{", (REPOSITORY / "Config/nginx.conf").read_text())[1]
    caddy = re.search(r"@roost path ([^\n]*\\\n[^\n]*)", (REPOSITORY / "Config/Caddyfile").read_text())[1].split()
    for path in [*TYPES, *CLIENT_MAX, "/v1/page"]:
        assert re.match(nginx, path), path
        assert any(fnmatch.fnmatch(path, pattern) for pattern in caddy), path
    assert not re.match(nginx, "/v1/client/../metrics") and "/*" not in caddy
