"""Users' tokens, and the conversations that a measurement needs before it begins."""

import base64
import hashlib
import hmac
import json
import time

from chat_client import ChatClient

HOURS = 24
# One session may name at most so many unknown users (Docs/Protocol.md, section 4).
NEW_USERS_MAX = 1_000
# One command may name at most so many users.
NAMES_MAX = 500


class Accounts:
    """Signs tokens as the relay itself does (JWT, RFC 7519, HS256)."""

    def __init__(self, relay):
        self.relay = relay
        self.secret = base64.urlsafe_b64decode(relay.key_file.read_text().strip() + "==")
        self.expires = int(time.time()) + HOURS * 3600

    def token(self, user, **claims):
        text = encoded(b'{"alg":"HS256","typ":"JWT"}') + b"." + encoded(
            json.dumps({"sub": user, "exp": self.expires, **claims}).encode())
        return (text + b"." + encoded(hmac.new(self.secret, text, hashlib.sha256).digest())).decode()

    def file(self, users, more="", **claims):
        """Writes one token in each line, as gauge reads them. `more` follows each token."""
        path = self.relay.folder / f"tokens-{users[0]}-{len(users)}{'-more' if more else ''}"
        path.write_text("".join(f"{self.token(user, **claims)}{more}\n" for user in users))
        return path

    def group(self, members, name="Bench"):
        """Creates a group whose first member is its owner. Returns its id."""
        owner, first, rest = members[0], members[1:NAMES_MAX], members[NAMES_MAX:]
        with ChatClient(self.relay, self.token(owner)) as session:
            made = session.call("conversation.create", kind="group", name=name, members=first)
        group = made["conversation"]["conversation"]
        for start in range(0, len(rest), NAMES_MAX):
            with ChatClient(self.relay, self.token(owner)) as session:
                session.call("conversation.add", conversation=group, users=rest[start:start + NAMES_MAX])
        return group

    def pairs(self, count):
        """Makes `count` direct conversations of p0 and room0, p1 and room1 … Their users, as gauge counts them."""
        users = []
        for number in range(count):
            with ChatClient(self.relay, self.token(f"p{number}")) as session:
                session.call("conversation.create", kind="direct", members=[f"room{number}"])
            users += [f"room{number}", f"p{number}"]
        return users


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")
