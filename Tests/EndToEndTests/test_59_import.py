"""Users come from Firebase with the passwords that they have there."""

import concurrent.futures
import json
import signal
import sqlite3
import subprocess

import pytest

from harness.firebase import Project
from harness.relay import environment
from harness.services import SERVICES
from harness.waiting import until

SUMMARY = "new {}, known {}, deleted here before {}, refused {}"


@pytest.fixture
def services(start_services):
    """A process of this test's own, whose tests name the clients' addresses."""
    return start_services(services__proxies="127.0.0.1")


def bring(services, files, *words):
    export, console = files
    return services.command("import-firebase", str(export), "--hash-config", str(console), *words)


def counts(done):
    """New, known, deleted and refused, as the command says."""
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("new "))
    return [int(part.split()[-1]) for part in line.split(",")]


def hashes(services):
    with sqlite3.connect(services.data / "services.db") as database:
        return dict(database.execute("SELECT user, hash FROM account"))


def test_the_published_vector_signs_in(services, tmp_path):
    """github.com/firebase/scrypt, README."""
    console = tmp_path / "console"
    console.write_text(
        "hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: "
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,\n"
        "  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}\n")
    export = tmp_path / "users.json"
    export.write_text(json.dumps({"users": [{
        "localId": "kYi4EvWQlQTKSfnJ3dRSP6IH3ed2", "email": "user1@test.com", "displayName": "Test User 1",
        "passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
        "salt": "42xEC+ixf3L2lw==", "createdAt": "1508893925000"}]}))
    assert counts(bring(services, (export, console))) == [1, 0, 0, 0]
    assert services.sign_in("user1@test.com", "user2password").code == "invalid_credentials"
    answer = services.sign_in("user1@test.com", "user1password")
    assert answer.status == 200 and answer["user"] == "kYi4EvWQlQTKSfnJ3dRSP6IH3ed2"
    account = services.get("/v1/account", token=answer["accessToken"])
    assert account["displayName"] == "Test User 1" and account["created"] == 1508893925000 and not account["verified"]


def test_all_sign_in_with_old_passwords_and_get_new_hashes(services, tmp_path):
    project = Project(memory_cost=10)
    users = project.users(400)
    assert counts(bring(services, project.write(tmp_path, users))) == [400, 0, 0, 0]
    chosen = project.random.sample(range(1, 401), 40)

    def sign_in(number):
        return services.ask(
            "POST", "/v1/sessions", {"email": f"USER{number}@example.org", "password": f"old password {number}"},
            headers={"X-Forwarded-For": f"10.0.0.{number % 200}"})

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, answer in zip(chosen, pool.map(sign_in, chosen)):
            assert answer.status == 200 and answer["user"] == users[number - 1]["localId"], answer.raw
    kinds = {user: hash.split("$")[1] for user, hash in hashes(services).items()}
    renewed = {users[number - 1]["localId"] for number in chosen}
    assert {user for user, kind in kinds.items() if kind == "argon2id"} == renewed
    # The new hash is of the same password.
    assert all(answer.status == 200 for answer in map(sign_in, chosen[:3]))
    assert services.sign_in(f"user{chosen[4]}@example.org", "old password").status == 401


def test_twice_is_once_and_a_dry_run_is_nothing(services, tmp_path):
    project = Project(memory_cost=4)
    users = project.users(450)
    files = project.write(tmp_path, users)
    dry = bring(services, files, "--dry-run")
    assert dry.stdout.startswith("Nothing was written.") and counts(dry) == [450, 0, 0, 0]
    assert hashes(services) == {}
    first = bring(services, files)
    assert dry.stdout.splitlines()[1:] == first.stdout.splitlines()
    before = hashes(services)
    assert counts(bring(services, files, "--dry-run")) == counts(bring(services, files)) == [0, 450, 0, 0]
    assert hashes(services) == before


def test_what_happened_here_is_never_undone(services, tmp_path):
    project = Project(memory_cost=4)
    users = [project.user(number, "old password") for number in (1, 2, 3)]
    assert counts(bring(services, project.write(tmp_path, users))) == [3, 0, 0, 0]
    token = services.sign_in("user1@example.org", "old password")["accessToken"]
    assert services.post(
        "/v1/password/change", {"password": "old password", "newPassword": "new password"}, token=token).status == 204
    token = services.sign_in("user2@example.org", "old password")["accessToken"]
    assert services.delete("/v1/account", {"password": "old password"}, token=token).status == 204
    # In Firebase the third has another password by now.
    users[2] = {**project.user(3, "newer password"), "localId": users[2]["localId"]}
    done = bring(services, project.write(tmp_path, users))
    assert counts(done) == [0, 2, 1, 0] and "of the known: 1 with a newer password" in done.stdout
    assert services.sign_in("user1@example.org", "new password").status == 200
    assert services.sign_in("user1@example.org", "old password").status == 401
    assert services.sign_in("user2@example.org", "old password").status == 401
    assert services.sign_in("user3@example.org", "newer password").status == 200
    assert b"user2@example.org" not in services.bytes_on_disk()


def test_refused_users_are_named_without_their_addresses(services, tmp_path):
    services.sign_up("user9@example.org")
    project = Project(memory_cost=4)
    users = [
        project.user(1, "old password"), project.user(2), project.user(3, email=None, phoneNumber="+491234"),
        project.user(4, email="user1@example.org"), project.user(9, "x"), project.user(5, passwordHash="AAAA", salt=""),
        project.user(6, "old password", localId="user6@example.org"), project.user(7, displayName=None, disabled=True)]
    files = project.write(tmp_path, users)
    done = bring(services, files)
    assert counts(done) == [4, 0, 0, 4]
    told = [line.split("refused: ")[1] for line in done.stdout.splitlines() if "refused: " in line]
    assert ["neither an address" in told[0], "account already" in told[1], "account already" in told[2],
            "hash parameters" in told[3]] == [True] * 4, told
    assert "@" not in done.stdout + done.stderr and "+49" not in done.stdout
    assert "2 without a password, 1 without a name, 0 with an identity, 1 with another id, 1 suspended" in done.stdout
    # A disabled user is kept out.
    users[7].update(project.user(7, "old password", localId="later", disabled=True, email="user77@example.org"))
    assert counts(bring(services, project.write(tmp_path, users[7:]))) == [1, 0, 0, 0]
    answer = services.sign_in("user77@example.org", "old password")
    assert (answer.status, answer.code) == (403, "suspended")
    assert services.sign_in("user77@example.org", "wrong").status == 401
    # An id that is an address is none here.
    answer = services.sign_in("user6@example.org", "old password")
    assert answer.status == 200 and len(answer["user"]) == 17 and answer["user"] in done.stdout
    # A user without a password gets one by mail.
    assert services.sign_in("user2@example.org", "").status == 422
    assert services.sign_in("user2@example.org", "anything").status == 401
    services.post("/v1/password/forgot", {"email": "user2@example.org"})
    secret = services.link("user2@example.org", "reset")
    assert services.post("/v1/password/reset", {"token": secret, "password": "new password"}).status == 204
    assert services.sign_in("user2@example.org", "new password")["user"] == users[1]["localId"]
    everything = services.bytes_on_disk() + services.log().encode()
    assert project.signer_key not in everything and b"users.json" not in everything


def test_identities_are_kept(services, tmp_path):
    project = Project(memory_cost=4)
    google = {"providerId": "google.com", "rawId": "1234567890", "email": "user1@example.org", "displayName": "Ann G"}
    apple = {"providerId": "apple.com", "rawId": "000.abc.1"}
    users = [
        project.user(1, displayName=None, providerUserInfo=[google]),
        project.user(2, email=None, providerUserInfo=[apple]), project.user(3, providerUserInfo=[google]),
        project.user(4, email=None, providerUserInfo=[{"providerId": "facebook.com", "rawId": "1"}]),
        project.user(5, email=None, providerUserInfo=[{**apple, "rawId": "x" * 256}])]
    files = project.write(tmp_path, users)
    dry = bring(services, files, "--dry-run")
    assert counts(dry) == counts(bring(services, files)) == [3, 0, 0, 2]
    assert "3 with an identity" in dry.stdout
    with sqlite3.connect(services.data / "services.db") as database:
        identities = database.execute("SELECT issuer, subject, user FROM identity ORDER BY issuer").fetchall()
        names = dict(database.execute("SELECT user, name FROM account"))
    # The first who has it keeps it.
    assert identities == [
        ("https://accounts.google.com", "1234567890", users[0]["localId"]),
        ("https://appleid.apple.com", "000.abc.1", users[1]["localId"])]
    assert names[users[0]["localId"]] == "Ann G"


@pytest.mark.parametrize("at", range(3))
async def test_an_import_that_is_killed_goes_on(services, tmp_path, at):
    project = Project(memory_cost=1)
    users = project.users(6000)
    export, console = project.write(tmp_path, users)
    process = subprocess.Popen(
        [str(SERVICES), "import-firebase", str(export), "--hash-config", str(console), "--set",
         f"services.data={services.data}"], cwd=services.folder, env=environment(), stdout=subprocess.DEVNULL)
    await until(lambda: len(hashes(services)) > at * 1500, "a part of the users")
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    left = len(hashes(services))
    assert at * 1500 < left < 6000 and left % 200 == 0
    assert counts(bring(services, (export, console))) == [6000 - left, left, 0, 0]
    assert set(hashes(services)) == {user["localId"] for user in users}
    assert services.sign_in("user77@example.org", "old password 77").status == 200


def test_people_come_and_go_while_users_are_imported(services, tmp_path):
    project = Project(memory_cost=1)
    export, console = project.write(tmp_path, project.users(6000))
    services.sign_up("ann@example.org")
    tokens, count = services.sign_in("ann@example.org").json, 0
    process = subprocess.Popen(
        [str(SERVICES), "import-firebase", str(export), "--hash-config", str(console), "--set",
         f"services.data={services.data}"], cwd=services.folder, env=environment(), stdout=subprocess.DEVNULL)
    while process.poll() is None:
        answer = services.refresh(tokens["refreshToken"])
        assert answer.status == 200, answer.raw
        tokens, count = answer.json, count + 1
    assert process.returncode == 0 and count > 0 and len(hashes(services)) == 6001


def test_a_damaged_file_is_read_up_to_the_damage(services, tmp_path):
    project = Project(memory_cost=4)
    export, console = project.write(tmp_path, project.users(3))
    text = export.read_text()
    export.write_text(text[:text.rindex("{")])
    done = bring(services, (export, console))
    assert done.returncode == 1 and "within the list of users" in done.stderr and done.stdout.startswith("new 2,")
    export.write_text("kYi4EvWQlQTKSfnJ3dRSP6IH3ed2,user1@test.com,false,,,\n")
    done = bring(services, (export, console))
    assert done.returncode == 1 and "line 1" in done.stderr and "@" not in done.stderr


def test_mistakes_are_said_before_anything_is_written(services, tmp_path):
    project = Project(memory_cost=4)
    export, console = project.write(tmp_path, project.users(1))
    for files, words in [
            ((export, tmp_path / "nothing"), "can't be read"), ((tmp_path / "nothing", console), "can't be read"),
            ((export, export), "--hash-config: base64_signer_key is missing")]:
        done = bring(services, files)
        assert done.returncode == 2 and words in done.stderr, done.stderr
    done = services.command(
        "import-firebase", str(export), "--hash-config", str(console), "--set", f"services.data={tmp_path}")
    assert done.returncode == 2 and "start them once" in done.stderr
    services.stop()
    with sqlite3.connect(services.data / "services.db") as database:
        database.execute("INSERT INTO migration(name) VALUES ('newer')")
    done = bring(services, (export, console))
    assert done.returncode == 2 and "another version" in done.stderr
    assert not (tmp_path / "services.db").exists() and hashes(services) == {}
