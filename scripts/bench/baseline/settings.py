"""What the baseline server is told by its environment."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    database_socket: str
    database_name: str
    database_user: str
    hs256_secret: str
    root_certificate: str
    catalog: str
    port: int

    @staticmethod
    def from_environment() -> "Settings":
        return Settings(
            database_socket=os.environ["BASELINE_DATABASE_SOCKET"],
            database_name=os.environ["BASELINE_DATABASE_NAME"],
            database_user=os.environ.get("BASELINE_DATABASE_USER", "root"),
            hs256_secret=os.environ["BASELINE_HS256_SECRET"],
            root_certificate=os.environ["BASELINE_ROOT_CERTIFICATE"],
            catalog=os.environ["BASELINE_CATALOG"],
            port=int(os.environ.get("BASELINE_PORT", "8090")),
        )
