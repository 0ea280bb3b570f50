"""The codes of an authenticator app (RFC 6238), written from the standard and not from ours."""

import base64
import hmac
import struct
import time


def totp(secret, ahead=0):
    """The code of this moment, or of so many steps later, for a secret in base 32."""
    key = base64.b32decode(secret.replace(" ", "") + "=" * (-len(secret.replace(" ", "")) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30 + ahead), "sha1").digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 10 ** 6:06}"
