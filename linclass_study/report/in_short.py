"""The answer for a reader who knows no statistics: what is best, and whether that is sure. Tests are named after it."""

from __future__ import annotations

import numpy as np

from linclass_study.report.numerals import count
from linclass_study.results.across import Across, across
from linclass_study.results.answer import best
from linclass_study.results.outcome import Outcome
from linclass_study.results.sureness import SURE
from linclass_study.results.within import Within, within

NAMES = 3  # methods named before the others are counted


def in_short(outcome: Outcome) -> list[str]:
    """One sentence across data sets, where there are several, and one on single data sets."""
    found = {name: (best(own, name), within(own, name)) for name, own in outcome.parts().items()}
    told = {name: pair for name, pair in found.items() if pair[0] is not None}
    if not told:
        return ["No method succeeded on every fold of any data set, so none is best."]
    base = across(outcome)
    if len(outcome.datasets) == 1:
        ((name, (first, compared)),) = told.items()
        assert first is not None
        method, mean, _, equal = first
        words = outcome.metric.replace("_", " ")
        verb = "has" if not equal else "have"
        return [
            f"{_names([method, *equal])} {verb} the best {words} on {name}, {mean:.3f}; {_sure(compared)}."
        ]
    sure = sum(_rivals(compared) == 0 for _, compared in told.values())
    n = len(outcome.datasets)
    single = (
        f"On {sure} of the {n} data sets one method is clearly the best."
        if sure
        else f"On none of the {n} data sets is one method clearly the best."
    )
    return [*_overall(base), single]


def _overall(base: Across) -> list[str]:
    treatments = list(base.treatments())
    if not base.enough or not treatments:
        return []
    treatment = treatments[0]
    average, difference, _ = base.groups(treatment)
    first = base.best(treatment)
    near = int(np.count_nonzero(average - average.min() <= difference)) - len(first)
    others = len(base.methods) - len(first)
    is_sure = (
        "and that is sure: every other method is behind"
        if not near
        else f"but that is not sure: {_some(near, others)} may be as good"
    )
    n = len(base.treatments()[treatment])
    verb = "is" if len(first) == 1 else "are"
    return [
        f"{_names(first)} {verb} best on average over {count(n, 'independent data set')}, {is_sure}."
    ]


def _sure(found: Within) -> str:
    rivals, others = _rivals(found), len(found.methods) - 1
    if rivals is None:
        return (
            "how sure that is cannot be told from one value each"
            if others
            else "no other method succeeded"
        )
    if not rivals:
        return "it is clearly the best"
    return f"that is not sure: {_some(rivals, others)} may be as good"


def _some(some: int, others: int) -> str:
    if others == 1:
        return "the other"
    return f"all {others} others" if some == others else f"{some} of the {others} others"


def _rivals(found: Within) -> int | None:
    """Methods that may be as good as the best; None where that cannot be told."""
    if not found.enough:
        return None
    return int((found.posterior.better[0, 1:] < SURE).sum())


def _names(methods: list[str]) -> str:
    if len(methods) > NAMES + 1:
        return f"{', '.join(methods[:NAMES])} and {len(methods) - NAMES} others"
    return methods[0] if len(methods) == 1 else f"{', '.join(methods[:-1])} and {methods[-1]}"
