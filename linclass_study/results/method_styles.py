"""Assign a style of figures (report/drawing/style.py) to each method of a study; no two methods share one.

A method of the catalogue has the same style in every study, given by its position in the catalogue. Other methods get
the first free styles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STYLES = 80


def method_styles(methods: Iterable[str], positions: Mapping[str, int]) -> dict[str, int]:
    """Method → number of its style, below STYLES; with more methods than styles, some are used again.

    positions   method → its position in the catalogue; by default its position in the study
    """
    wanted = {method: positions.get(method, i) for i, method in enumerate(methods)}
    found: dict[str, int] = {}
    taken: set[int] = set()
    for method, place in wanted.items():
        if place < STYLES and place not in taken:
            found[method] = place
            taken.add(place)
    free = iter([place for place in range(STYLES) if place not in taken])
    for method, place in wanted.items():
        if method not in found:
            found[method] = next(free, place % STYLES)
    return found
