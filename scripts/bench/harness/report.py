"""Figures against their goals: a table for people, JSON for machines."""

import json
import math
import os
import platform
import statistics
import time


def percentile(values: list, share: float) -> float:
    """The smallest value that at least this share of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else math.nan


def median(values: list) -> float:
    return statistics.median(values) if values else math.nan


class Figure:
    """One line of the table: what was measured, against what in the same run, and the goal.

    `at_least` or `at_most` is the goal; with neither the figure is only shown. Missing a wish fails no run.
    """

    def __init__(
        self, name, against, value, unit="x", at_least=None, at_most=None, is_wish=False, measured=None, note="",
        rounds=None,
    ):
        self.name, self.against, self.value, self.unit = name, against, value, unit
        self.at_least, self.at_most, self.is_wish = at_least, at_most, is_wish
        self.measured = measured or {}
        self.note = note
        # What each round found, for those who want to judge the noise.
        self.rounds = rounds or []

    @property
    def verdict(self) -> str:
        if self.at_least is None and self.at_most is None:
            return "-"
        if math.isnan(self.value):
            return "missed"
        reached = self.value >= self.at_least if self.at_least is not None else self.value <= self.at_most
        return "met" if reached else "missed"

    @property
    def has_failed(self) -> bool:
        return self.verdict == "missed" and not self.is_wish

    @property
    def goal(self) -> str:
        wish = " (wish)" if self.is_wish else ""
        if self.at_least is not None:
            return f">= {_number(self.at_least)}{wish}"
        return f"<= {_number(self.at_most)}{wish}" if self.at_most is not None else "-"

    def as_json(self) -> dict:
        value = None if math.isnan(self.value) else self.value
        return {
            "name": self.name, "against": self.against, "value": value, "unit": self.unit, "at_least": self.at_least,
            "at_most": self.at_most, "is_wish": self.is_wish, "verdict": self.verdict, "measured": self.measured,
            "note": self.note, "rounds": self.rounds,
        }


class Report:
    def __init__(self, arguments: dict):
        self.figures: list = []
        self.problems: list = []
        self._arguments = arguments
        self._started = time.time()

    def add(self, *figures: Figure):
        self.figures += figures

    def problem(self, text: str):
        """Something that makes a figure worthless; the run fails with it."""
        self.problems.append(text)

    @property
    def has_failed(self) -> bool:
        return bool(self.problems) or any(figure.has_failed for figure in self.figures)

    def table(self) -> str:
        rows = [("figure", "against", "value", "goal", "", "measured (medians)")]
        for figure in self.figures:
            measured = ", ".join(f"{name} {_number(value)}" for name, value in figure.measured.items())
            note = f"{measured}; {figure.note}" if measured and figure.note else measured or figure.note
            value = f"{_number(figure.value)} {figure.unit}"
            rows.append((figure.name, figure.against, value, figure.goal, figure.verdict, note))
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) + "  " + row[5] for row in rows]
        lines.insert(1, "-" * max(len(line) for line in lines))
        lines += [f"PROBLEM: {text}" for text in self.problems]
        return "\n".join(line.rstrip() for line in lines)

    def write(self, path: str):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        document = {
            "arguments": self._arguments,
            "machine": {"system": platform.platform(), "cores": os.cpu_count()},
            "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._started)),
            "seconds": round(time.time() - self._started, 1),
            "figures": [figure.as_json() for figure in self.figures],
            "problems": self.problems,
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.write("\n")


def _number(value: float) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "?"
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
