"""Fixtures: relays in temporary folders, names that no other test uses, and an event loop for tests that are
coroutines."""

import asyncio
import inspect
import itertools
import re

import pytest
from xdist.scheduler import LoadScopeScheduling

from harness.device import end_devices
from harness.relay import BINARY, Relay, end_all
from harness.services import Services, end_all_services
from harness.small_disk import SmallDisk
from harness.up import Both, free_port
from harness.web import Site

# A safety net: no test takes this long.
TEST_SECONDS = 300


# All cases of a driver run at once, when the first of them is asked for: by one worker.
TOGETHER = re.compile(r"test_45_conformance\.py::test_case\[[a-z]+-")


class Scheduling(LoadScopeScheduling):
    """Gives a free worker the next test, or those that belong together. The mark `xdist_group` of pytest-xdist 3.8 does
    nothing with pytest 9.
    """

    def _split_scope(self, nodeid):
        together = TOGETHER.search(nodeid)
        return together[0] if together else nodeid


def pytest_xdist_make_scheduler(config, log):
    return Scheduling(config, log)


def pytest_sessionstart(session):
    if not BINARY.exists():
        raise pytest.UsageError(f"{BINARY} is not there: build it, or name another by ROOST_BINARY")


def pytest_sessionfinish(session):
    end_all()
    end_all_services()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a coroutine test on its own event loop and closes its connections at the end."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}

    async def run():
        try:
            await asyncio.wait_for(pyfuncitem.obj(**arguments), TEST_SECONDS)
        finally:
            await end_devices()

    asyncio.run(run())
    return True


@pytest.fixture(scope="module")
def relay(request, tmp_path_factory):
    """The relay that the tests of a file share. The file's SETTINGS are its configuration."""
    relay = Relay(tmp_path_factory.mktemp("relay"), **getattr(request.module, "SETTINGS", {}))
    yield relay
    assert relay.is_running(), f"the relay died: {relay.log()[-2000:]}"
    assert relay.stop() == 0, relay.log()[-2000:]


@pytest.fixture
def start(tmp_path_factory):
    """Starts relays for one test alone, such as start(limits__hello_seconds=1)."""
    started = []

    def start(**settings):
        started.append(Relay(tmp_path_factory.mktemp("relay"), **settings))
        return started[-1]

    yield start
    for relay in started:
        if relay.is_running():
            relay.kill()


@pytest.fixture
def both(tmp_path):
    """`roost up`, with the services, in an empty folder, for one test alone."""
    relay = Both(tmp_path, services__port=free_port())
    yield relay
    if relay.is_running():
        relay.kill()


@pytest.fixture(scope="module")
def shared_services(tmp_path_factory):
    """The services process that most tests of a file share."""
    services = Services(tmp_path_factory.mktemp("services"), services__proxies="127.0.0.1")
    yield services
    assert services.is_running(), services.log()
    assert services.stop() == 0, services.log()


@pytest.fixture
def services(shared_services, name):
    """The same, for one test: attempts are counted by the client that the proxy names."""
    number = int(name("client").rpartition(".")[2])
    shared_services.client = f"10.1.{number // 256}.{number % 256}"
    return shared_services


@pytest.fixture
def start_services(tmp_path_factory):
    """Starts services processes for one test alone, such as start_services(accounts__password_min=6)."""
    started = []

    def start(**settings):
        started.append(Services(tmp_path_factory.mktemp("services"), **settings))
        return started[-1]

    yield start
    for services in started:
        if services.is_running():
            services.kill()


@pytest.fixture
def disk(request, tmp_path):
    """A disk of the file's DISK_BYTES, at `tmp_path / "disk"`."""
    disk = SmallDisk(tmp_path / "disk", request.module.DISK_BYTES)
    if not disk.is_mounted:
        disk.end()
        pytest.skip("only root may mount a small disk")
    yield disk
    disk.end()


numbers = itertools.count(1)


@pytest.fixture
def name():
    """Makes names that belong to this test: name("alice") is alice.7, always the same one within a test."""
    number = next(numbers)
    return lambda word: f"{word}.{number}"


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


@pytest.fixture
def web(start, site):
    """A relay that the site's pages may connect to."""
    return start(listen__origins=site.origin)
