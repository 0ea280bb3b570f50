"""Certificates for tests, made anew for each: an authority, and what it signs."""

import datetime
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates, and writes them into a folder."""

    def __init__(self, folder, name="authority"):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = self.build(self.name, self.key.public_key(), x509.BasicConstraints(ca=True, path_length=0))
        self.path = self.write(f"{name}.pem", self.certificate.public_bytes(serialization.Encoding.PEM))

    def build(self, subject, key, constraints, *, names=(), days=30):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key)
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=days)).add_extension(constraints, critical=True))
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(list(names)), critical=False)
        return builder.sign(self.key, hashes.SHA256())

    def issue(self, name, *, host="localhost", days=30, is_rsa=False):
        """Returns the paths of a certificate for 127.0.0.1 and a host, and of its key."""
        key = rsa.generate_private_key(65537, 2048) if is_rsa else ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName(host)]
        made = self.build(
            subject, key.public_key(), x509.BasicConstraints(ca=False, path_length=None), names=names, days=days)
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return (
            self.write(f"{name}.pem", made.public_bytes(serialization.Encoding.PEM)),
            self.write(f"{name}.key", pem))

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def trust(self, certificate=None):
        """A client's context that trusts this authority alone, and shows a certificate if one is given."""
        context = ssl.create_default_context(cafile=self.path)
        if certificate:
            context.load_cert_chain(*certificate)
        return context
