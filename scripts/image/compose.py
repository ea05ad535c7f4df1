#!/usr/bin/env python3
"""Reads compose.yaml beside the image that scripts/image/run has built.

    compose.py check WORK [SCHEMA]          whether every service fits the image, and the file the schema
    compose.py environment WORK SERVICE     the variables of a service, one a line: the image's, and its own over them
    compose.py config NAME                  the content of a file that stands in compose.yaml
"""
import json
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Who reads a volume.
OWNERS = {"/secrets/server": 65532, "/secrets/migrate": 65532, "/secrets/database": 999, "/data": 65532}


def compose():
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def config(work, stage):
    return json.loads((work / f"{stage}.json").read_text())["Docker"]["config"]


def stage(service):
    return service.get("build", {}).get("target")


def filled(text):
    """A value as Compose fills it in where no variable is set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(text)).replace("$$", "$")


def environment(work, service):
    image = dict(line.split("=", 1) for line in config(work, stage(service))["Env"])
    return image | {name: filled(value) for name, value in service.get("environment", {}).items()}


def require(holds, words):
    if not holds:
        sys.exit(f"compose.yaml: {words}")


def check(work, schema=None):
    document = compose()
    version = (ROOT / "VERSION").read_text().strip()
    server = config(work, "server")
    require(server["User"] == "65532:65532", "the image's user is not 65532")
    require(server["Entrypoint"] == ["gatepass"] and server["Cmd"] == ["serve"], "the image runs something else")
    require(server["StopSignal"] == "SIGTERM", "the image has another stop signal")
    require(server["Healthcheck"]["Test"] == ["CMD", "gatepass", "health"], "the image has another health check")
    require(server["Labels"]["org.opencontainers.image.version"] == version, "the image has another version")
    command = ["dev", "--customers", "--data-dir", "/data"]
    require(config(work, "try")["Cmd"] == command, "the image of the stage try runs something else")
    fitting = 0
    for name, service in document["services"].items():
        if not stage(service):
            continue
        fitting += 1
        root = work / stage(service)
        targets = []
        for volume in service.get("volumes", []):
            volume, target = volume.split(":")[:2]
            targets.append(target)
            place = root / target.lstrip("/")
            require(volume in document["volumes"], f"{name}: there is no volume {volume}")
            require(place.is_dir(), f"{name}: the image has no folder {target}")
            require(place.stat().st_uid == OWNERS[target], f"{name}: {target} belongs to another user")
            require(not any(place.iterdir()), f"{name}: {target} is not empty in the image")
        for file in service.get("configs", []):
            place = root / file["target"].lstrip("/")
            require(file["source"] in document["configs"], f"{name}: there is no file {file['source']}")
            require(place.is_file(), f"{name}: the image has no file {file['target']} to replace")
        credentials = environment(work, service).get("CREDENTIALS_DIRECTORY")
        require(credentials is None or credentials in targets, f"{name}: no volume is at {credentials}")
    print(f"compose.yaml: {fitting} services fit the image")
    if schema:
        import jsonschema

        jsonschema.Draft7Validator(json.loads(pathlib.Path(schema).read_text())).validate(document)
        print("compose.yaml: the schema has no objection")


def main(command, *arguments):
    if command == "check":
        check(pathlib.Path(arguments[0]), *arguments[1:])
    elif command == "environment":
        work, name = pathlib.Path(arguments[0]), arguments[1]
        print("\n".join(f"{key}={value}" for key, value in environment(work, compose()["services"][name]).items()))
    elif command == "config":
        print(filled(compose()["configs"][arguments[0]]["content"]), end="")


main(*sys.argv[1:])
