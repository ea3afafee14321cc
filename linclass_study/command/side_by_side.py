"""The environments of two results side by side, as lines of aligned columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from linclass_study.command.results_folder import ResultsFolder
from linclass_study.processes.environment import OTHERS, OWN

CELL = 46  # letters in a line of an environment's column


def environments(a: ResultsFolder, b: ResultsFolder) -> Iterator[str]:
    """Both environments side by side, with ≠ if they differ."""
    sides = [_joined(folder.environments) for folder in (a, b)]
    if not any(sides):
        yield "Neither A nor B records in which environment its fits were made."
        return
    rows: list[tuple[str, ...]] = [("", "environment", "A", "B")]
    for what in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(what, "not recorded") for side in sides)
        cells = [
            textwrap.wrap(text, CELL) for text in ("≠" if one != other else "", what, one, other)
        ]
        rows += zip_longest(*cells, fillvalue="")
    yield from aligned(rows)


def _joined(environments: list[dict[str, str]]) -> dict[str, str]:
    """Values of each property over the machines of one side; packages are separate properties."""
    values: dict[str, dict[str, None]] = {}
    for environment in environments:
        for what, value in environment.items():
            parts = value.split(", ") if what in (OWN, OTHERS) else []
            packages = dict(part.rsplit(" ", 1) for part in parts if " " in part)
            for name, version in (packages or {what: value}).items():
                values.setdefault(name, {})[version] = None
    return {what: " | ".join(distinct) for what, distinct in values.items()}


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of aligned columns; the last one is not padded."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()
