"""openapi.yaml as tests read it: closed, so that an answer with anything undocumented does not fit.

The document itself leaves answers open, because clients have to ignore what a later server adds.
"""

import copy
import re

SCHEMAS = "#/components/schemas/"
INSTANT = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"}


def named(part):
    """The schemas that a part of the document refers to."""
    if isinstance(part, dict):
        reference = part.get("$ref", "")
        if reference.startswith(SCHEMAS):
            yield reference[len(SCHEMAS) :]
        for value in part.values():
            yield from named(value)
    elif isinstance(part, list):
        for value in part:
            yield from named(value)


def reached(parts, schemas):
    """The same, and what these refer to in turn."""
    found, new = set(), set(named(parts))
    while new:
        found |= new
        new = set(named([schemas[name] for name in new])) - found
    return found


def resolved(part, document):
    """The part of the document that a reference stands for."""
    while "$ref" in part:
        target = document
        for step in part["$ref"].split("/")[1:]:
            target = target[step]
        part = target
    return part


def operations(document):
    """Each operation with its path and method."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def codes(response, document):
    """The codes of problems that the description of a response names."""
    known = document["components"]["schemas"]["ProblemCode"]["enum"]
    return [word for word in re.findall("`([a-z_]+)`", response["description"]) if word in known]


def close(document):
    """A copy in which answers have no member that is not described, instants as they are sent, and problems only the
    codes that the description of their response names."""
    document = copy.deepcopy(document)
    schemas = document["components"]["schemas"]
    answered, sent = [], [document["components"]["parameters"]]
    for _, _, operation in operations(document):
        sent += [operation.get("parameters"), operation.get("requestBody")]
        for response in operation["responses"].values():
            response = resolved(response, document)
            answered.append(copy.deepcopy(response))
            problem = response.get("content", {}).get("application/problem+json")
            if problem and "$ref" in problem["schema"]:
                may = codes(response, document)
                if not may:
                    raise ValueError(f"no code is named: {response['description']}")
                problem["schema"] = {"allOf": [problem["schema"], {"properties": {"code": {"enum": may}}}]}
    for name in reached(answered, schemas) - reached(sent, schemas):
        shut(schemas[name])
    schemas["SentInstant"] = INSTANT
    return document


def shut(part):
    if isinstance(part, list):
        for value in part:
            shut(value)
    if isinstance(part, dict):
        if "properties" in part:
            part.setdefault("additionalProperties", False)
        if part.get("$ref") == SCHEMAS + "Instant":
            part["$ref"] = SCHEMAS + "SentInstant"
        for value in part.values():
            shut(value)
