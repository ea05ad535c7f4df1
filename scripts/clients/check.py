"""Reads openapi.yaml and the answers of servers under test as the generated clients do.

The first argument names the file of answers (`KeptAnswers`), the second the folder of generated clients. What is for
the Swift client is written there: its types, and the answers by type.
"""

import collections
import importlib
import json
import pathlib
import re
import sys

import httpx
import jsonschema
import openapi_spec_validator
import yaml

import closed

LIMIT = 50  # answers of one operation, status, code and reason that are read; the others are alike


def style(document):
    """What generators stumble over, and what people miss."""
    found = []
    schemas = document["components"]["schemas"]

    def walk(part, place):
        if isinstance(part, list):
            for value in part:
                walk(value, place)
        if not isinstance(part, dict):
            return
        for word in ("enum", "const"):
            if word in part and not isinstance(part.get("type"), str):
                found.append(f"{place}: {word} without a type")
        if None in part.get("enum", []):
            found.append(f"{place}: null in an enum")
        for word in ("not", "allOf", "anyOf"):
            if word in part:
                found.append(f"{place}: {word}")
        if part.get("additionalProperties") is False:
            found.append(f"{place}: closed")
        for name, member in part.get("properties", {}).items():
            shared = schemas.get(member.get("$ref", "").removeprefix(closed.SCHEMAS), {})
            if "description" not in member and "description" not in shared:
                found.append(f"{place}.{name}: not described")
            if name.endswith("_ms") and (shared or member).get("format") != "int64":
                found.append(f"{place}.{name}: not int64")
        for name, value in part.items():
            if name not in ("example", "examples"):
                walk(value, f"{place}.{name}")

    for name, schema in schemas.items():
        walk(schema, name)
        if "description" not in schema:
            found.append(f"{name}: not described")
    walk({"paths": document["paths"]}, "")
    audiences = {tag["name"] for tag in document["tags"]}
    ids = collections.Counter()
    for path, method, operation in closed.operations(document):
        place = f"{method.upper()} {path}"
        ids[operation["operationId"]] += 1
        if len(operation["tags"]) != 1 or operation["tags"][0] not in audiences:
            found.append(f"{place}: not of one audience")
        contents = [response for status, response in operation["responses"].items() if status.startswith("2")]
        for content in contents + [operation.get("requestBody", {})]:
            for media in content.get("content", {}).values():
                if "example" not in media:
                    found.append(f"{place}: no example")
    return found + [f"{name}: {count} times" for name, count in ids.items() if count > 1]


class Reader:
    """The document, closed, and the clients that were made from it."""

    def __init__(self, document, made):
        self.document = closed.close(document)
        self.validators = {}
        self.found = []
        self.counts = collections.Counter()
        self.swift = []
        sys.path.insert(0, str(made))
        self.client = importlib.import_module("python_client")
        self.models = importlib.import_module("models")
        self.paths = []
        for path, method, operation in closed.operations(document):
            pattern = re.compile(re.sub(r"\\\{[a-z_]+\\\}", "[^/]+", re.escape(path)))
            self.paths.append((path.count("{"), pattern, method, operation))
        self.paths.sort(key=lambda entry: entry[0])

    def operation(self, method, path):
        for _, pattern, its, operation in self.paths:
            if its == method.lower() and pattern.fullmatch(path):
                return operation

    def validator(self, schema):
        text = json.dumps(schema)
        if text not in self.validators:
            whole = {**schema, "components": self.document["components"]}
            self.validators[text] = jsonschema.Draft202012Validator(whole)
        return self.validators[text]

    def fits(self, value, schema, place):
        for error in self.validator(schema).iter_errors(value):
            self.found.append(f"{place}: {'.'.join(map(str, error.absolute_path))}: {error.message[:200]}")

    def answer(self, operation, status, kind, text, place):
        """Whether the answer was read; it is in JSON."""
        response = operation["responses"].get(str(status))
        if response is None:
            self.found.append(f"{place}: the status is not described")
            return
        response = closed.resolved(response, self.document)
        media = response.get("content", {}).get(kind)
        if media is None:
            self.found.append(f"{place}: {kind} is not described")
            return
        schema = media["schema"]
        self.fits(json.loads(text), schema, place)
        name = next(closed.named(schema))
        try:
            getattr(self.models, name).model_validate_json(text)
            module = snake(operation["operationId"])
            module = importlib.import_module(f"python_client.api.{operation['tags'][0]}.{module}")
            sent = httpx.Response(status, content=text.encode())
            client = self.client.Client("http://gatepass", raise_on_unexpected_status=True)
            read = module._parse_response(client=client, response=sent)
            if type(read).__name__ != name:
                raise TypeError(f"{type(read).__name__} instead of {name}")
        except Exception as error:  # whatever a generated client throws
            self.found.append(f"{place}: {name}: {type(error).__name__} {str(error)[:300]}")
        self.swift.append(f"{name}\t{json.dumps(json.loads(text))}\n")

    def stray(self, line):
        """The code of a problem that no operation gave, such as that of a method that a path does not have."""
        if not line["type"].startswith("application/problem+json") or not line["body"]:
            return None
        self.fits(json.loads(line["body"]), {"$ref": closed.SCHEMAS + "Problem"}, f"{line['method']} {line['path'][:80]}")
        self.swift.append(f"Problem\t{json.dumps(json.loads(line['body']))}\n")
        return json.loads(line["body"])["code"]

    def examples(self):
        for path, method, operation in closed.operations(self.document):
            place = f"example of {method.upper()} {path}"
            for media in operation.get("requestBody", {}).get("content", {}).values():
                if "example" in media:
                    self.fits(media["example"], media["schema"], place)
            for status, response in operation["responses"].items():
                for kind, media in response.get("content", {}).items():
                    if "example" in media and kind.endswith("json"):
                        self.answer(operation, int(status), kind, json.dumps(media["example"]), place)

    def all(self, file):
        """Reads every answer of the file; then the operations and codes that none was of."""
        seen = set()
        for line in file:
            line = json.loads(line)
            path = line["path"].split("?")[0]
            operation = self.operation(line["method"], path)
            if operation is None:
                seen.add(self.stray(line))
                continue
            kind = line["type"].split(";")[0]
            place = f"{line['method']} {line['path'][:80]} {line['status']}"
            seen.add((operation["operationId"], str(line["status"])))
            if path == "/openapi/app.yaml" and line["status"] == 200 and "paths:" in line["body"]:
                openapi_spec_validator.validate(yaml.safe_load(line["body"]))
            if not kind.endswith("json") or line["method"] == "HEAD" or not line["body"]:
                continue
            value = json.loads(line["body"])
            code, reason = (value.get("code"), value.get("reason")) if kind.endswith("problem+json") else (None, None)
            seen.add(code)
            key = (operation["operationId"], line["status"], code, reason)
            self.counts[key] += 1
            if self.counts[key] <= LIMIT:
                self.answer(operation, line["status"], kind, line["body"], f"{place} {line['body'][:100]}")
        for _, _, operation in closed.operations(self.document):
            for status, response in operation["responses"].items():
                place = (operation["operationId"], status)
                if status.startswith("2") and "content" in response and place not in seen:
                    self.found.append(f"no answer: {place}")
        codes = self.document["components"]["schemas"]["ProblemCode"]["enum"]
        self.found += [f"no problem: {code}" for code in codes if code not in seen]


def snake(name):
    return re.sub("([A-Z]+)", r"_\1", name).lower()


def main(answers, made):
    made = pathlib.Path(made)
    with open("openapi.yaml", encoding="utf-8") as file:
        document = yaml.load(file, yaml.CSafeLoader)
    openapi_spec_validator.validate(document)
    reader = Reader(document, made)
    reader.found += style(document)
    reader.examples()
    with open(answers, encoding="utf-8") as file:
        reader.all(file)
    names = sorted({line.split("\t")[0] for line in reader.swift})
    types = ", ".join(f'"{name}": {name}.self' for name in names)
    (made / "swift" / "Types.swift").write_text(f"let types: [String: any Decodable.Type] = [{types}]\n")
    (made / "swift" / "answers").write_text("".join(reader.swift))
    for line in reader.found[:100]:
        print(line)
    print(
        f"{len(reader.swift)} of {sum(reader.counts.values())} answers and {len(names)} types were read, "
        f"{len(reader.found)} findings"
    )
    return 1 if reader.found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
