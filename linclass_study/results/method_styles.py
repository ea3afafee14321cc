"""Which of the looks of figures (report/figures/style.py) each method of a study has: no two the same one.

A method of the catalogue keeps that of its place in the catalogue, in every study. Others, whose place
lies beyond the looks or is another's, take the first that is free in the study.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LOOKS = 80


def method_styles(methods: Iterable[str], positions: Mapping[str, int]) -> dict[str, int]:
    """Method → its look, a number below LOOKS; with more methods than looks some are given again.

    positions   method → its place in the whole catalogue; of a method without one, that in the study
    """
    wanted = {method: positions.get(method, i) for i, method in enumerate(methods)}
    found: dict[str, int] = {}
    taken: set[int] = set()
    for method, place in wanted.items():
        if place < LOOKS and place not in taken:
            found[method] = place
            taken.add(place)
    free = iter([place for place in range(LOOKS) if place not in taken])
    for method, place in wanted.items():
        if method not in found:
            found[method] = next(free, place % LOOKS)
    return found
