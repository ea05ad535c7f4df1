"""User tokens: PyJWT, and a bounded memory of those that counted, as the server has one."""

import time

import jwt


class Unauthenticated(Exception):
    pass


class BearerVerifier:
    MAXIMUM_REMEMBERED = 100_000
    LEEWAY_SECONDS = 60

    def __init__(self, secret: str):
        self._secret = secret
        self._remembered: dict[str, tuple[str, float]] = {}

    def user(self, field: str | None) -> str:
        if not field or field[:7].lower() != "bearer ":
            raise Unauthenticated
        known = self._remembered.get(field)
        if known is not None and known[1] > time.time():
            return known[0]
        try:
            claims = jwt.decode(
                field[7:],
                self._secret,
                algorithms=["HS256"],
                leeway=self.LEEWAY_SECONDS,
                options={"require": ["exp", "sub"], "verify_aud": False},
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated from error
        if len(self._remembered) >= self.MAXIMUM_REMEMBERED:
            self._remembered.pop(next(iter(self._remembered)))
        self._remembered[field] = (claims["sub"], claims["exp"] + self.LEEWAY_SECONDS)
        return claims["sub"]
