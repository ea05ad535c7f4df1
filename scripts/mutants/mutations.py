"""Small mistakes that a person might make in a body: what a test should notice."""

import re
from typing import Iterator, NamedTuple

from swift import Body, Source

COMPARISONS = {"<": ("<=", ">"), ">": (">=", "<"), "<=": ("<", ">="), ">=": (">", "<="), "==": ("!=",), "!=": ("==",)}
OPERATORS = COMPARISONS | {
    "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",), "+=": ("-=",),
    "-=": ("+=",),
}
RANGES = {"...": "..<", "..<": "..."}
WORDS = {"true": "false"}
NAMES = {
    "min": "max", "first": "last", "firstIndex": "lastIndex", "contains": "allSatisfy", "prefix": "suffix",
    "dropFirst": "dropLast", "distantPast": "distantFuture", "union": "intersection", "isSubset": "isSuperset",
    "lowerBound": "upperBound", "startIndex": "endIndex", "quotient": "remainder", "removeFirst": "removeLast",
    "formUnion": "formIntersection", "keys": "values",
}
WORDS |= {right: left for left, right in WORDS.items()}
NAMES |= {right: left for left, right in NAMES.items()}
CALLS = {"sorted", "reversed", "filter", "dropFirst", "dropLast"}
CLAUSES = {"if": ("{", ","), "while": ("{", ","), "guard": ("else", ","), "where": ("{", ",", ":")}
BINDS = {"let", "var", "case"}
KEYWORDS = BINDS | {
    "func", "return", "if", "guard", "for", "while", "switch", "default", "else", "repeat", "do", "struct", "enum",
    "typealias", "throw", "init", "static", "private",
}
OPERAND = ("&&", "||", ",", "?", ":", "{", "else", "=", "return", "in", *CLAUSES)


class Mutation(NamedTuple):
    place: int
    start: int
    end: int
    text: str


class Mutations:
    def __init__(self, source: Source, body: Body):
        self.source, self.body = source, body

    def __iter__(self) -> Iterator[Mutation]:
        for place in range(self.body.first, self.body.last):
            for first, last, text in self._at(place):
                start, end = self.source.tokens[first].start, self.source.tokens[last - 1].end
                if self.source.text[start:end] != text:
                    yield Mutation(place, start, end, text)

    def _at(self, place: int) -> Iterator[tuple[int, int, str]]:
        token, before = self.source.tokens[place], self.source.tokens[place - 1].text
        text = token.text
        if token.isSpaced and text in OPERATORS:
            yield from ((place, place + 1, other) for other in OPERATORS[text])
        if token.isSpaced and text in ("&&", "||", "+", "-"):
            yield from self._dropped(place)
        if text in RANGES:
            yield place, place + 1, RANGES[text]
        if text in WORDS and before != ".":
            yield place, place + 1, WORDS[text]
        if text in NAMES:
            yield place, place + 1, NAMES[text]
        if text.isdigit() and before != ".":
            yield place, place + 1, str(int(text) + 1)
            if int(text) > 0:
                yield place, place + 1, str(int(text) - 1)
        if text in ("!", "-") and not token.isSpaced and self.source.text[token.end] not in " )],.\n" and (
                self.source.text[token.start - 1] in " ([\n"):
            yield place, place + 1, ""
        if text in CALLS and before == ".":
            yield from self._call(place)
        if text in CLAUSES and self.source.tokens[place + 1].text != ":":
            yield from self._clauses(place)
        if token.isSpaced and text == "?":
            yield from self._branches(place)
        if text not in KEYWORDS and text[0].isalpha() and self.source.begins(place):
            end = self.source.end(place, ";")
            if not re.fullmatch(r"self\.(\w+) = \1", self.source.between(place, end)):
                yield place, end, ""
        if text == "switch":
            yield from self._cases(place)

    def _dropped(self, place: int) -> Iterator[tuple[int, int, str]]:
        stops = OPERAND + ("+", "-", "<", ">", "<=", ">=", "==", "!=", "..<", "...", "??")
        stops = stops if self.source.tokens[place].text in "+-" else OPERAND
        yield self.source.start(place, *stops), place + 1, ""
        yield place, self.source.end(place + 1, *stops), ""

    def _call(self, place: int) -> Iterator[tuple[int, int, str]]:
        end = place + 1
        while self.source.tokens[end].text in ("(", "{") and end < self.body.last:
            end = self.source.match[end] + 1
        yield place - 1, end, ""

    def _clauses(self, place: int) -> Iterator[tuple[int, int, str]]:
        keyword, stops, first = self.source.tokens[place].text, CLAUSES[self.source.tokens[place].text], place + 1
        while True:
            last = self.source.end(first, *stops)
            if self.source.tokens[first].text not in BINDS:
                clause = self.source.between(first, last)
                words = {token.text for token in self.source.tokens[first:last]}
                if not words & COMPARISONS.keys() or words & {"&&", "||"}:
                    yield first, last, f"!({clause})"
                yield first, last, "false"
                if keyword != "while":
                    yield first, last, "true"
            if self.source.tokens[last].text != ",":
                return
            first = last + 1

    def _branches(self, place: int) -> Iterator[tuple[int, int, str]]:
        colon = place + 1
        while self.source.tokens[colon].text != ":":
            nested = self.source.tokens[colon].text == "?" and self.source.tokens[colon].isSpaced
            colon = self.source.end(colon + 1, ":", "?") if not nested else self._colon(colon) + 1
            if self.source.tokens[colon].text in ")]}" or self.source.begins(colon):
                return
        end = self.source.end(colon + 1, ",")
        one, other = self.source.between(place + 1, colon), self.source.between(colon + 1, end)
        yield place + 1, end, f"{other} : {one}"

    def _colon(self, place: int) -> int:
        return self.source.end(place + 1, ":")

    def _cases(self, place: int) -> Iterator[tuple[int, int, str]]:
        """A case's body for its neighbour's."""
        opening = self.source.end(place + 1, "{")
        bodies, first, at = [], None, opening + 1
        closing = self.source.match[opening]
        while at < closing:
            text = self.source.tokens[at].text
            if text in ("case", "default") and self.source.tokens[at].isFirst:
                if first:
                    bodies.append((first, at))
                while self.source.tokens[at].text != ":":
                    at = self.source.match.get(at, at) + 1
                first = at + 1
            at = self.source.match[at] + 1 if self.source.tokens[at].text in "([{" else at + 1
        bodies.append((first, closing))
        for one, other in zip(bodies, bodies[1:]):
            yield *one, self.source.between(*other)
            yield *other, self.source.between(*one)
