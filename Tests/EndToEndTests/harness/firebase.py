"""A Firebase project with users: what its console shows of hashes, and what `firebase auth:export` writes."""

import base64
import hashlib
import json
import random

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


class Project:
    """Users come from a seed. Cheaper hashes than Firebase's make thousands of them in seconds."""

    def __init__(self, seed=1, memory_cost=14, rounds=8):
        self.random = random.Random(seed)
        self.memory_cost, self.rounds = memory_cost, rounds
        self.signer_key = self.random.randbytes(64)
        self.separator = b"\x07"

    def console(self):
        """Returns the text as copied from the console."""
        return (
            "hash_config {\n  algorithm: SCRYPT,\n"
            f"  base64_signer_key: {base64.b64encode(self.signer_key).decode()},\n"
            f"  base64_salt_separator: {base64.b64encode(self.separator).decode()},\n"
            f"  rounds: {self.rounds},\n  mem_cost: {self.memory_cost},\n}}\n")

    def hash(self, password, salt):
        key = hashlib.scrypt(
            password.encode(), salt=salt + self.separator, n=2 ** self.memory_cost, r=self.rounds, p=1, dklen=32,
            maxmem=64 << 20)
        encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        return encryptor.update(self.signer_key) + encryptor.finalize()

    def user(self, number, password=None, **members):
        """A user in the export's form; without a password as one who signs in with Google only."""
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        user = {
            "localId": "".join(self.random.choices(letters, k=28)), "email": f"user{number}@example.org",
            "emailVerified": number % 2 == 0, "displayName": f"User {number}", "lastSignedInAt": "1508893925000",
            "createdAt": "1508893925000", "providerUserInfo": []}
        if password is not None:
            salt = self.random.randbytes(10)
            user["passwordHash"] = base64.b64encode(self.hash(password, salt)).decode()
            user["salt"] = base64.b64encode(salt).decode()
        return {name: value for name, value in {**user, **members}.items() if value is not None}

    def users(self, count):
        """Users whose passwords are `old password 1` and so on."""
        return [self.user(number, f"old password {number}") for number in range(1, count + 1)]

    def write(self, folder, users):
        """Writes both files, and returns their paths."""
        export, console = folder / "users.json", folder / "hash_config"
        export.write_text('{"users": [\n' + ",\n".join(json.dumps(user, indent=2) for user in users) + "]}\n")
        console.write_text(self.console())
        return export, console
