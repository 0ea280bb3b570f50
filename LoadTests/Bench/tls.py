"""The cost of TLS: by the relay itself, by nginx in front of it, and none, in turns."""

import os
import pathlib
import shutil
import socket

import harness
from findings import Line
from processes import SERVER_CORE, cpu_seconds
from servers import Relay, Server, await_connection, free_port
from services_lines import Runs, end_to_end

HANDSHAKES = 1_000
NGINX = os.environ.get("NGINX") or shutil.which("nginx") or "/usr/sbin/nginx"
WAYS = ("plain", "nginx", "relay", "relay with RSA")
CONFIGURATION = """
daemon off; worker_processes 1; pid FOLDER/nginx.pid; error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy;
  fastcgi_temp_path FOLDER/fcgi; uwsgi_temp_path FOLDER/uwsgi; scgi_temp_path FOLDER/scgi;
  server {
    listen 127.0.0.1:OUTER ssl;
    ssl_certificate CERTIFICATE; ssl_certificate_key KEY; ssl_protocols TLSv1.2 TLSv1.3;
    location / {
      proxy_pass http://127.0.0.1:INNER; proxy_http_version 1.1; proxy_read_timeout 90s; proxy_buffering off;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;
      proxy_set_header Host $http_host;
    }
  }
}
"""


class Nginx(Server):
    """nginx in front of a relay. Its work is done by a child, whose time counts, too."""

    def __init__(self, bench, relay, certificate, key):
        folder, port = bench.new_folder("nginx"), free_port()
        text = CONFIGURATION
        for word, value in (("FOLDER", folder), ("OUTER", port), ("INNER", relay.port), ("CERTIFICATE", certificate),
                            ("KEY", key)):
            text = text.replace(word, str(value))
        (folder / "nginx.conf").write_text(text)
        process = bench.processes.start([NGINX, "-c", folder / "nginx.conf", "-p", folder], SERVER_CORE)
        super().__init__(bench, process, port)
        await_connection(self)

    def cpu_seconds(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return cpu_seconds(self.process) + sum(cpu_seconds(Child(int(child))) for child in children)


class Child:
    def __init__(self, pid):
        self.pid = pid


def shake(port, trust, count):
    """Full handshakes, each with one request."""
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", port)) as plain:
            spoken = trust.wrap_socket(plain, server_hostname="127.0.0.1") if trust else plain
            spoken.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            spoken.recv(1000)
            spoken.close()


def measure_way(bench, way, authority, runs):
    certificate, key = authority.issue("server", is_rsa=way.endswith("RSA"))
    settings = {"tls__certificate": certificate, "tls__key": key} if way.startswith("relay") else {}
    with Relay(bench, **settings) as relay:
        proxy = Nginx(bench, relay, certificate, key) if way == "nginx" else None
        port, scheme = (proxy or relay).port, "ws" if way == "plain" else "wss"

        def used():
            return cpu_seconds(relay.process) + (proxy.cpu_seconds() if proxy else 0)

        out, before = bench.new_folder("tls"), used()
        trust = ["--ca-file", authority.path] if scheme == "wss" else []
        text = harness.call(bench, [
            "run", harness.LIBRARY / "direct.yaml", "--pin", "--quiet", "--correctness-only", *trust,
            "--url", f"{scheme}://127.0.0.1:{port}/v1/socket", "--key-file", relay.key_file, "--seconds",
            bench.seconds * 3, "--out", out], harness.AROUND_SECONDS)
        report = harness.read(out / "report.json", text)
        runs.note(f"{way}: CPU of a delivery", "µs", (used() - before) * 1e6 / report.counts["delivered"])
        runs.note(f"{way}: p99", "ms", report.percentile("delivery", 99))
        count, before = HANDSHAKES // (10 if bench.quick else 1), used()
        shake(port, authority.trust() if scheme == "wss" else None, count)
        runs.note(f"{way}: CPU of a full handshake, accepting included", "µs", (used() - before) * 1e6 / count)
        if proxy:
            proxy.stop()


def measure(bench):
    authority = end_to_end(bench, "certificates").Authority(bench.new_folder("authority"))
    runs = Runs()
    ways = [way for way in WAYS if way != "nginx" or pathlib.Path(NGINX).exists()]
    if "nginx" not in ways:
        runs.found.note("there is no nginx here; name it by NGINX")
    for turn in range(bench.runs):
        for way in ways if turn % 2 == 0 else ways[::-1]:
            measure_way(bench, way, authority, runs)
    return runs.findings()


LINES = [Line("tls", "TLS by the relay, by nginx in front of it, and none", "roost-load's `direct` and 1,000 full "
              "handshakes, with ECDSA certificates if nothing else is said. CPU is of the relay and of the proxy "
              "together.", measure, ("roost-load", "setup"))]
