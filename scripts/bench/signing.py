"""Signs what `Benchmarks` does not: purchases of Sandbox, and tokens of a login whose keys stand behind a URL.

It runs in the environment of the baselines, which has `cryptography` and PyJWT.

    signing.py sandbox AUTHORITY < texts > texts    # the same purchases in Sandbox, one text a line
    signing.py login COUNT                          # tokens and key sets as JSON
"""

import base64
import json
import os
import sys
import time

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwt.algorithms import ECAlgorithm

LIFETIME_SECONDS = 86_400


def sandbox(authority: str):
    with open(os.path.join(authority, "leaf.key"), "rb") as file:
        key = load_pem_private_key(file.read(), None)
    algorithm = ECAlgorithm(ECAlgorithm.SHA256)
    for line in sys.stdin:
        header, payload, _ = line.strip().split(".")
        purchase = json.loads(base64.urlsafe_b64decode(payload + "=="))
        purchase["environment"] = "Sandbox"
        signed = header + "." + _base64url(json.dumps(purchase, separators=(",", ":")).encode())
        print(signed + "." + _base64url(algorithm.sign(signed.encode(), key)))


def login(count: int):
    """Tokens of keys that the login tells from the start (`known`), never (`unknown`), and after a while (`new`)."""
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("known", "unknown", "new")}
    tokens = {
        name: [
            jwt.encode(
                {"sub": f"{name}{number}", "exp": int(time.time()) + LIFETIME_SECONDS}, key, algorithm="ES256",
                # A name of its own for each unknown key, so that no memory of names helps.
                headers={"kid": f"{name}{number}" if name == "unknown" else name})
            for number in range(count)
        ]
        for name, key in keys.items()
    }
    told = {
        name: ECAlgorithm.to_jwk(keys[name].public_key(), as_dict=True) | {"kid": name, "use": "sig", "alg": "ES256"}
        for name in ("known", "new")
    }
    sets = {"before": {"keys": [told["known"]]}, "after": {"keys": list(told.values())}}
    json.dump({"tokens": tokens} | sets, sys.stdout)


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


if __name__ == "__main__":
    if sys.argv[1] == "sandbox":
        sandbox(sys.argv[2])
    else:
        login(int(sys.argv[2]))
