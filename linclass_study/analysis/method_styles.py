"""Assign a style of figures (report/drawing/style.py) to each method of a study; no two methods share one.

A method of the catalogue has the style of its position in the catalogue, the same in every study. Other methods get the
first free styles; and so do, in a study of few methods, those whose colour another has already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STYLES = 104
COLOURS = 8  # a study with no more methods has a colour for each


def method_styles(methods: Iterable[str], positions: Mapping[str, int]) -> dict[str, int]:
    """Method → number of its style, below STYLES; with more methods than styles, some are used again.

    positions   method → its position in the catalogue; by default its position in the study
    """
    wanted = {method: positions.get(method, i) for i, method in enumerate(methods)}
    different = COLOURS if len(wanted) <= COLOURS else STYLES
    found: dict[str, int] = {}
    taken: set[int] = set()
    for method, place in wanted.items():
        if place < STYLES and place % different not in taken:
            found[method] = place
            taken.add(place % different)
    free = iter([place for place in range(different) if place not in taken])
    for method, place in wanted.items():
        if method not in found:
            found[method] = next(free, place % STYLES)
    return found
