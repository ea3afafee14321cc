"""What would decide an undecided comparison: more repeats on one data set, or more data sets.

With n folds the standard error of a difference is sd √(1/n + n_test/n_train) (Nadeau & Bengio, 2003). More repeats
raise n and leave the second term: their limit is sd √(n_test/n_train), and only more rows go below it. Across data sets
the statistic z of a test grows with the square root of their number. Both take the observed difference and its spread
as they are, so the numbers are rough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linclass.evaluation.comparisons.confidence_interval import corrected_error, t_interval
from linclass.evaluation.comparisons.corrections import data_sets_needed
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.within_dataset import ALPHA, SURE, ComparisonWithin
from linclass_study.pipeline.protocols import protocol_named, selected_protocols

REPEATS = (2, 3, 5, 10, 20, 30, 50, 100)  # that are tried
WORDS = ("better", "equal in practice", "worse")
SHOWN = 10  # repeats of which the interval is told where none of them decides
MANY = 1000  # data sets, beyond which no number is given


class Repeats(NamedTuple):
    """What more repeats of the folds would do to the difference of two methods on a data set.

    now       half the width of its 95 % interval
    then      the same with so many `repeats`
    repeats   the least of REPEATS that would decide, if the difference and its spread stayed; else SHOWN or more
    decide    as what they would: better, equal in practice or worse; empty if as none
    least     half the width with any number of repeats
    """

    now: float
    then: float
    repeats: int
    decide: str
    least: float


def more_repeats(
    outcome: Outcome, found: ComparisonWithin, difference: float, error: float
) -> Repeats:
    """Of a difference with this corrected standard error; decided means that it is better, equal in practice or worse
    with a probability of at least SURE."""
    options = selected_protocols(outcome.evaluation)[found.protocol]
    repeats, fits = protocol_named(found.protocol).size(options)
    sd = error / float(corrected_error(1.0, found.folds, found.ratio))

    def half(times: float) -> float:
        n = fits * times
        low, high = t_interval(0.0, float(corrected_error(sd, n, found.ratio)), n)
        return float(high - low) / 2

    def decided(times: int) -> str:
        n = fits * times
        spread = float(corrected_error(sd, n, found.ratio))
        chances = outcomes(difference, spread, n - 1, found.rope)
        return WORDS[int(np.argmax(chances))] if max(chances) >= SURE else ""

    more = [times for times in REPEATS if times > repeats]
    enough = next((times for times in more if decided(times)), None)
    shown = enough or max(SHOWN, *more[:1], 2 * repeats * (not more))
    return Repeats(
        half(repeats), half(shown), shown, decided(enough) if enough else "", half(10**6)
    )


def outcomes(difference: float, error: float, df: float, rope: float) -> tuple[float, float, float]:
    """Probabilities of better, equal in practice and worse by the correlated t test."""
    from scipy.special import stdtr  # slow to import

    better = float(stdtr(df, (difference - rope) / error))
    worse = float(stdtr(df, (-rope - difference) / error))
    return better, 1 - better - worse, worse


def more_datasets(p: float, n: int, comparisons: int) -> int | None:
    """Number of data sets on which a p of n of them would be significant after Holm's correction, if the further ones
    were like these; None if that is more than MANY."""
    from scipy.special import ndtri  # slow to import

    z, wanted = -float(ndtri(p / 2)), -float(ndtri(ALPHA / (2 * comparisons)))
    if not z > 0 or (needed := n * (wanted / z) ** 2) > MANY:
        return None
    return max(math.ceil(needed), n + 1, data_sets_needed(comparisons, ALPHA))


def repeats_words(power: Repeats) -> str:
    """with `repeats: 10` the interval would shrink from ±0.016 to about ±0.006, which would decide it"""
    said = (
        f"with `repeats: {power.repeats}` the interval would shrink from ±{short(power.now)} to about "
        f"±{short(power.then)}"
    )
    if power.decide:
        return f"{said}, which would decide it ({power.decide}) if the difference stays"
    return (
        f"{said}, and with any number of repeats not below ±{short(power.least)}, which would not decide it: "
        "only more rows or more data sets can"
    )


def short(value: float) -> str:
    """Two significant digits, without the zero before the point: .016"""
    digits = max(0, 1 - math.floor(math.log10(value))) if value > 0 else 0
    return (
        f"{np.round(value, digits):.{min(digits, 6)}f}".removeprefix("0")
        if value < 1
        else f"{value:.2g}"
    )
