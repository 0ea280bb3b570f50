#!/usr/bin/env python3
"""What TLS costs: by the relay itself, by nginx in front of it, and none, in turns on one machine.

For each way, several times: `roost-load run direct`, with the processor time of the relay and of the proxy for each
delivery, and the latency; then full handshakes, with the processor time for each. Prints a table and medians.

Needs release builds of roost and roost-load (make load-tool), nginx (Debian's, in NGINX or on the PATH), and Python's
cryptography (make setup). Nothing else should run.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEndTests"))
from harness.certificates import Authority  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
HANDSHAKES = 1_000


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def processor_seconds(pids):
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def await_port(port):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nothing listens on {port}")


class Way:
    """A relay, perhaps with a proxy in front, and how it is reached."""

    def __init__(self, name, folder, authority, binaries, is_rsa):
        self.name, self.folder = name, folder / name
        self.folder.mkdir()
        self.port = free_port()
        certificate, key = authority.issue(f"server-{name}", is_rsa=is_rsa)
        settings = {"listen.port": self.port, "store.path": self.folder / "roost.db",
                    "auth.key_file": self.folder / "key", "log.level": "error"}
        if name == "relay":
            settings |= {"tls.certificate": certificate, "tls.key": key}
        words = [word for item in settings.items() for word in ("--set", f"{item[0]}={item[1]}")]
        self.relay = subprocess.Popen([binaries / "roost", "serve", *words], stdout=subprocess.DEVNULL)
        await_port(self.port)
        self.proxy, self.pids = None, [self.relay.pid]
        if name == "nginx":
            self.start_proxy(certificate, key)
        self.url = f"{'ws' if name == 'plain' else 'wss'}://127.0.0.1:{self.port}/v1/socket"

    def start_proxy(self, certificate, key):
        inner, self.port = self.port, free_port()
        (self.folder / "nginx.conf").write_text(f"""
daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr crit;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy;
  fastcgi_temp_path {self.folder}/fcgi; uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
  server {{
    listen 127.0.0.1:{self.port} ssl;
    ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_protocols TLSv1.2 TLSv1.3;
    location / {{
      proxy_pass http://127.0.0.1:{inner}; proxy_http_version 1.1; proxy_read_timeout 90s; proxy_buffering off;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;
      proxy_set_header Host $http_host;
    }}
  }}
}}
""")
        nginx = os.environ.get("NGINX") or shutil.which("nginx") or "/usr/sbin/nginx"
        self.proxy = subprocess.Popen([nginx, "-c", self.folder / "nginx.conf", "-p", self.folder])
        await_port(self.port)
        children = pathlib.Path(f"/proc/{self.proxy.pid}/task/{self.proxy.pid}/children").read_text().split()
        self.pids += [self.proxy.pid, *map(int, children)]

    def load(self, binaries, authority, seconds):
        """Returns microseconds of processor time for each delivery, and the p99 of its latency in milliseconds."""
        trust = ["--ca-file", authority.path] if self.url.startswith("wss") else []
        before = processor_seconds(self.pids)
        subprocess.run(
            [binaries / "roost-load", "run", "direct", "--quiet", "--url", self.url, *trust, "--key-file",
             self.folder / "key", "--seconds", str(seconds), "--no-html", "--out", self.folder / "report"],
            check=False, stdout=subprocess.DEVNULL)
        used = processor_seconds(self.pids) - before
        result = json.loads((self.folder / "report" / "report.json").read_text())["result"]
        return used * 1e6 / result["counts"]["delivered"], high(result["corrected"])

    def handshakes(self, authority):
        """Returns microseconds of processor time for a full handshake, the relay's accept included."""
        before = processor_seconds(self.pids)
        for _ in range(HANDSHAKES):
            plain = socket.create_connection(("127.0.0.1", self.port))
            if self.name == "plain":
                plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                plain.recv(1000)
                plain.close()
                continue
            with authority.trust().wrap_socket(plain, server_hostname="127.0.0.1") as spoken:
                spoken.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                spoken.recv(1000)
        return (processor_seconds(self.pids) - before) * 1e6 / HANDSHAKES

    def end(self):
        for process in (self.proxy, self.relay):
            if process:
                process.terminate()
                process.wait(20)


def high(histograms):
    """The p99 of the times from a send to its arrival."""
    found = histograms.get("delivery") or next(iter(histograms.values()))
    left = sum(found["counts"]) / 100
    for value, count in reversed(list(zip(found["values"], found["counts"], strict=True))):
        left -= count
        if left <= 0:
            return value / 1e6
    return 0.0


def median(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f} - {max(values):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--rsa", action="store_true", help="certificates with RSA instead of ECDSA")
    options = parser.parse_args()
    binaries = pathlib.Path(os.environ.get("BUILD", ROOT / ".build/release"))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(options.runs):
            for name in ("plain", "nginx", "relay"):
                place = pathlib.Path(folder) / f"{run}-{name}"
                place.mkdir()
                authority = Authority(place)
                way = Way(name, place, authority, binaries, options.rsa)
                try:
                    cost, late = way.load(binaries, authority, options.seconds)
                    shake = way.handshakes(authority)
                finally:
                    way.end()
                row = found.setdefault(name, {"delivery": [], "handshake": [], "late": []})
                row["delivery"].append(cost)
                row["handshake"].append(shake)
                row["late"].append(late)
                print(f"{name:6} run {run + 1}: {cost:6.1f} µs a delivery, {shake:7.1f} µs a handshake", flush=True)
    print("\nmedian (least - most); durability full")
    for name, row in found.items():
        print(f"{name:6} delivery {median(row['delivery'])} µs, p99 {median(row['late'])} ms, "
              f"handshake {median(row['handshake'])} µs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
