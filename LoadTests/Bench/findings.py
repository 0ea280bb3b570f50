"""The results of a measurement: figures with their bars, and notes on them."""

import statistics
from dataclasses import dataclass, field

FULL = "full"


@dataclass
class Figure:
    """One quantity, measured once in each run. `at_least` or `at_most` is the bar for its median."""

    words: str
    unit: str
    values: list
    at_least: float | None = None
    at_most: float | None = None
    # What an acked message survives; None where nothing is stored.
    durability: str | None = None

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def holds(self):
        """Returns None if the figure has no bar, or wasn't measured."""
        if not self.values or self.at_least is self.at_most is None:
            return None
        if self.at_least is not None and self.median < self.at_least:
            return False
        return self.at_most is None or self.median <= self.at_most

    @property
    def bar(self):
        if self.at_least is None and self.at_most is None:
            return ""
        return f"≥ {number(self.at_least)}" if self.at_least is not None else f"≤ {number(self.at_most)}"

    def data(self):
        return {
            "words": self.words, "unit": self.unit, "bar": self.bar, "values": self.values,
            "durability": self.durability, "median": self.median if self.values else None, "holds": self.holds}


@dataclass
class Findings:
    """All figures of one line of the table."""

    figures: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    # Everything that was read, for each run.
    raw: list = field(default_factory=list)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)


@dataclass
class Line:
    """One line of the table. `measure(bench)` returns its findings. `needs` names the programs that it needs."""

    name: str
    words: str
    method: str
    measure: object
    needs: tuple = ()


def number(value):
    """Returns the number as people read it: three digits, and separated thousands."""
    if value is None:
        return ""
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
