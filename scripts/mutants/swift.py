"""Swift read as tokens: as much of its grammar as finds the bodies of functions, clauses and statements."""

import re
from typing import Iterator, NamedTuple

TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*)|(?P<word>[\w$@#`]*[A-Za-z_$`][\w`]*)|(?P<number>\d\w*(\.\d\w*)?)"
    r"|(?P<operator>[-+*/%<>=!&|^~?.]+)|(?P<other>.)", re.DOTALL)
OPEN, CLOSE = "([{", ")]}"
DECLARES_TYPE = {"struct", "enum", "extension", "class", "actor"}
DECLARES_BODY = {"func", "init", "subscript", "var"}


class Token(NamedTuple):
    text: str
    start: int
    end: int
    isFirst: bool  # on its line
    isSpaced: bool  # on both sides


class Body(NamedTuple):
    """A function's or an accessor's: the tokens between its braces."""

    name: str
    first: int
    last: int  # its closing brace


class Source:
    def __init__(self, text: str):
        self.text = text
        self.tokens = list(self._tokens())
        self.match = {}  # of each bracket the place of its other half
        waiting = []
        for place, token in enumerate(self.tokens):
            if token.text in OPEN:
                waiting.append(place)
            elif token.text in CLOSE:
                opening = waiting.pop()
                self.match[opening], self.match[place] = place, opening

    def _tokens(self) -> Iterator[Token]:
        place, end = 0, 0
        while place < len(self.text):
            start = place
            if self.text[place] == '"':
                place, kind = self._endOfString(place), "string"
            else:
                found = TOKEN.match(self.text, place)
                place, kind = found.end(), found.lastgroup
            if kind != "space":
                gap = self.text[end:start]
                isSpaced = bool(gap) and self.text[place : place + 1].isspace()
                yield Token(self.text[start:place], start, place, "\n" in gap, isSpaced)
                end = place

    def _endOfString(self, place: int) -> int:
        depth, place = 0, place + 1
        while depth or self.text[place] != '"':
            if self.text[place] == '"':
                place = self._endOfString(place)
            elif self.text[place : place + 2] == "\\(":
                depth, place = depth + 1, place + 2
            elif self.text[place] == "\\":
                place += 2
            else:
                depth += {"(": 1, ")": -1}.get(self.text[place], 0) if depth else 0
                place += 1
        return place + 1

    def bodies(self, first: int = 0, last: int | None = None, outer: str = "") -> Iterator[Body]:
        """Those of the declarations in a file or a type; functions within functions are part of their bodies."""
        place, last, declared, name = first, len(self.tokens) if last is None else last, None, ""
        while place < last:
            text = self.tokens[place].text
            following = self.tokens[place + 1].text if place + 1 < last else ""
            declares = text in DECLARES_TYPE | DECLARES_BODY | {"let", "case", "protocol"}
            if declares and self.tokens[place - 1].text != ".":
                declared, name = text, outer + (following if text not in ("init", "subscript") else text)
            elif text == "=" and declared in ("var", "let"):
                declared = None
            elif text == "{":
                end = self.match[place]
                if declared in DECLARES_TYPE:
                    yield from self.bodies(place + 1, end, name + ".")
                elif declared in DECLARES_BODY and following in ("get", "set", "didSet", "willSet", "_read", "_modify"):
                    for accessor in range(place + 1, end):
                        if self.tokens[accessor].text == "{" and self._opener(accessor) == place:
                            yield Body(name, accessor + 1, self.match[accessor])
                elif declared in DECLARES_BODY:
                    yield Body(name, place + 1, end)
            if text in OPEN:
                place = self.match[place]
            place += 1

    def _opener(self, place: int) -> int:
        """The bracket that `place` is directly in."""
        place -= 1
        while self.tokens[place].text not in OPEN:
            place = self.match[place] - 1 if self.tokens[place].text in CLOSE else place - 1
        return place

    def begins(self, place: int) -> bool:
        """True if a statement may begin here, by the ends of lines."""
        token, before = self.tokens[place], self.tokens[place - 1]
        if before.text == "{":
            return True
        goesOn = re.match(r"[-+*/%<>=&|^~?.:{]|else\b|where\b|in\b", token.text) or before.isSpaced and re.match(
            r"[-+*/%<>=&|^~?.:]", before.text) or before.text in ("=", ",", "(", "[", "return", "in", ":", "->")
        return token.isFirst and not goesOn

    def end(self, place: int, *stops: str) -> int:
        """Where an expression or a statement that begins here ends: before a stop, a closing bracket or a new line."""
        first = place
        while True:
            text = self.tokens[place].text
            if text in stops or text in CLOSE or place > first and self.begins(place):
                return place
            place = self.match[place] + 1 if text in OPEN else place + 1

    def start(self, place: int, *stops: str) -> int:
        """Where the operand before an operator begins."""
        while True:
            before = self.tokens[place - 1].text
            if before in stops or before in OPEN or self.begins(place):
                return place
            place = self.match[place - 1] if before in CLOSE else place - 1

    def between(self, first: int, last: int) -> str:
        """The text from a token up to the end of the one before `last`."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]
