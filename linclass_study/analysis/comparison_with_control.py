"""Compare a few methods, the controls, with all others on each data set and across data sets.

The controls are the study's `focus:`; without it the best method and the baseline. Across data sets p comes from
Wilcoxon's exact test, which depends on the two methods alone. Where it cannot be significant after Holm's correction,
because data sets are few for so many methods, mean ranks decide (Demšar, 2006, §3.2.2). A control that is fixed in
advance has k − 1 comparisons. The best method was chosen by the same scores, so any of the k(k − 1)/2 pairs could have
been tested, and the correction is over all of them: Holm's, or Nemenyi's test for mean ranks.

With n folds the standard error of a difference is sd √(1/n + n_test/n_train) (Nadeau & Bengio, 2003). More repeats
raise n and leave the second term: their limit is sd √(n_test/n_train), and only more rows go below it. Across data sets
the statistic z of a test grows with the square root of their number. Both take the observed difference and its spread
as they are, so the numbers are rough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linclass.evaluation.comparisons.control import (
    AgainstControl,
    against_control,
    bonferroni,
    data_sets_needed,
    finner,
    hochberg,
    holm,
    least_adjusted_p,
)
from linclass.evaluation.comparisons.friedman_test import TIE, average_ranks
from linclass.evaluation.comparisons.t_tests import corrected_error
from linclass_study.analysis.across_datasets import MIN_DATA_SETS, ComparisonAcross
from linclass_study.analysis.outcome import Outcome, median_seconds
from linclass_study.analysis.within_dataset import (
    ALPHA,
    SURE,
    ComparisonWithin,
    comparison_within,
    rope_of,
)
from linclass_study.analysis.wording import IF_TRUE
from linclass_study.protocols import selected_protocols, size_of

TRIED_REPEATS = (2, 3, 5, 10, 20, 30, 50, 100)
WORDS = ("better", "equal in practice", "worse")
MAX_DATASETS = 1000  # data sets, beyond which no number is given
CORRECTIONS = {"bonferroni": bonferroni, "holm": holm, "hochberg": hochberg, "finner": finner}


class Repeats(NamedTuple):
    """The least of TRIED_REPEATS that would decide a difference on a data set if it and its spread stayed, and the
    decision: better, equal in practice or worse. None and '' if none would."""

    repeats: int | None
    decide: str

    def __str__(self) -> str:
        condition = IF_TRUE[0].lower() + IF_TRUE[1:]
        if self.repeats is None:
            return f"{condition}, no number of repeats would decide it, only more rows or data sets"
        return f"{condition}, `repeats: {self.repeats}` would show that it is {self.decide}"


def more_repeats(
    outcome: Outcome, within: ComparisonWithin, difference: float, error: float
) -> Repeats:
    """Effect of more repeats on a difference with this corrected standard error.

    A difference is decided if better, equal in practice or worse has a probability of at least SURE.
    """
    options = selected_protocols(outcome.evaluation)[within.protocol]
    repeats, fits = size_of(within.protocol, options)
    sd = error / float(corrected_error(1.0, within.folds, within.ratio))
    for times in TRIED_REPEATS:
        n = fits * times
        spread = float(corrected_error(sd, n, within.ratio))
        chances = outcomes(difference, spread, n - 1, within.rope)
        if times > repeats and max(chances) >= SURE:
            return Repeats(times, WORDS[int(np.argmax(chances))])
    return Repeats(None, "")


def outcomes(difference: float, error: float, df: float, rope: float) -> tuple[float, float, float]:
    """Probabilities of better, equal in practice and worse by the correlated t test."""
    from scipy.special import stdtr  # slow to import

    better = float(stdtr(df, (difference - rope) / error))
    worse = float(stdtr(df, (-rope - difference) / error))
    return better, 1 - better - worse, worse


def more_datasets(p: float, n: int, comparisons: int) -> int | None:
    """Number of data sets like these n on which p would be significant after Holm's correction; None beyond
    MAX_DATASETS."""
    from scipy.special import ndtri  # slow to import

    z, wanted = -float(ndtri(p / 2)), -float(ndtri(ALPHA / (2 * comparisons)))
    if not z > 0 or (needed := n * (wanted / z) ** 2) > MAX_DATASETS:
        return None
    return max(math.ceil(needed), n + 1, data_sets_needed(comparisons, ALPHA))


BASELINE = "linclass.MajorityClass"


def focus_of(outcome: Outcome) -> list[str]:
    """The methods that the study is about, if it states any."""
    return [name for name in outcome.evaluation.get("focus", []) if name in outcome.methods]


def baselines(outcome: Outcome) -> list[str]:
    """The methods that always predict the majority class."""
    return [name for name, entry in outcome.methods.items() if entry.get("classifier") == BASELINE]


def controls(outcome: Outcome, base: ComparisonAcross) -> list[str]:
    """The focus; without it the best method and the baseline, as far as they are ranked."""
    if focus := focus_of(outcome):
        return focus
    ranked = [name for name in baselines(outcome) if name in base.methods]
    return [*dict.fromkeys([*base.best[:1], *ranked])] if base.enough else []


class Verdict(NamedTuple):
    """A control against another method on one data set.

    difference    of the means, positive if the control is better; `interval` is that of the paired difference
    probabilities better, equal in practice, worse; None without several folds, and so are interval, p and `holm`
    decided       'better', 'equal' or 'worse' if its probability is at least SURE, else 'undecided'
    same          whether both have the same predictions; then there is nothing to test
    repeats       what more repeats would do, if it is undecided
    """

    dataset: str
    control: str
    other: str
    difference: float
    interval: tuple[float, float] | None = None
    probabilities: tuple[float, float, float] | None = None
    p: float | None = None
    holm: float | None = None
    decided: str = "undecided"
    repeats: Repeats | None = None
    same: bool = False


def verdicts(outcome: Outcome, control: str) -> list[Verdict]:
    """Verdicts on the control against each other method, on each data set on which both have a score of every fold."""
    parts = outcome.parts().items()
    return [verdict for name, part in parts for verdict in _on_dataset(part, name, control)]


def _on_dataset(outcome: Outcome, dataset: str, control: str, only: str = "") -> list[Verdict]:
    within = comparison_within(outcome, dataset)
    if control not in within.methods:
        return []
    place = within.methods.index(control)
    names = enumerate(within.methods)
    others = [(j, name) for j, name in names if j != place and only in ("", name)]
    mean = within.table.mean(axis=0)
    if not within.enough:
        return [Verdict(dataset, control, name, float(mean[place] - mean[j])) for j, name in others]
    against, posterior, rows = within.against(control), within.posterior([place]), []
    for j, name in others:
        if within.is_copy(place, j):
            rows.append(Verdict(dataset, control, name, 0.0, decided="equal", same=True))
            continue
        chances = [float(part[0, j]) for part in posterior]
        first = int(np.argmax(chances))
        decided = ("better", "equal", "worse")[first] if chances[first] >= SURE else "undecided"
        difference, error = float(against.difference[j]), float(against.error[j])
        interval = float(against.lower[j]), float(against.upper[j])
        p, holm = float(against.p[j]), float(against.holm[j])
        repeats = None
        if decided == "undecided" and error > 0:
            repeats = more_repeats(outcome, within, difference, error)
        pair, chance = (dataset, control, name), (chances[0], chances[1], chances[2])
        rows.append(Verdict(*pair, difference, interval, chance, p, holm, decided, repeats))
    return rows


def closest_rival(outcome: Outcome, dataset: str) -> Verdict | None:
    """The best method of a data set against the one with other predictions that it is least probably better than; None
    without such a method."""
    within = comparison_within(outcome, dataset)
    others = [j for j in range(1, len(within.methods)) if not within.is_copy(0, j)]
    if not within.enough or not others:
        return None
    (better,) = within.posterior([0]).better
    rival = min(others, key=lambda j: better[j])
    return _on_dataset(outcome, dataset, within.methods[0], within.methods[rival])[0]


@dataclass(frozen=True)
class Across:
    """A control against other methods across data sets: `table` is (data sets, 1 + others), the control first.

    `chosen_from` is the comparison whose best method the control is; None if the control was fixed in advance.
    """

    control: str
    others: list[str]
    datasets: list[str]
    table: np.ndarray
    rope: float
    chosen_from: ComparisonAcross | None = None

    @property
    def n(self) -> int:
        return len(self.datasets)

    @property
    def enough(self) -> bool:
        """Whether a test across data sets makes sense."""
        return self.n >= MIN_DATA_SETS and bool(self.others)

    @property
    def difference(self) -> np.ndarray:
        return (self.table[:, :1] - self.table[:, 1:]).mean(axis=0)

    @property
    def next_by_rank(self) -> int | None:
        """The place of the method with the best mean rank among the others with different scores, if there is one."""
        mean = np.where(self.same, np.inf, average_ranks(self.table)[1:])
        return int(np.argmin(mean)) if np.isfinite(mean).any() else None

    @property
    def same(self) -> np.ndarray:
        """Whether each other method has the control's scores on all data sets."""
        return np.asarray((np.abs(self.table[:, :1] - self.table[:, 1:]) <= TIE).all(axis=0))

    @property
    def won_tied_lost(self) -> np.ndarray:
        """(others, 3): data sets on which the control is better or worse by more than the rope, ties between them."""
        d = np.round(self.table[:, :1] - self.table[:, 1:], 9)
        counts = d > self.rope, np.abs(d) <= self.rope, d < -self.rope
        return np.sum(counts, axis=1).T

    @property
    def comparisons(self) -> int:
        """Number of tests that p is corrected for."""
        k = 1 + len(self.others)
        return k - 1 if self.chosen_from is None else k * (k - 1) // 2

    @cached_property
    def wilcoxon(self) -> AgainstControl:
        tests = _without_control(against_control(self.table, 0))
        if self.chosen_from is None:
            return tests
        pair_p, place = self.chosen_from.pairs.p, self.chosen_from.methods.index(self.control)
        i, j = np.triu_indices(len(pair_p), 1)
        with_control = (i == place) | (j == place)  # in the order of the others
        corrected = {
            name: correct(pair_p[i, j])[with_control] for name, correct in CORRECTIONS.items()
        }
        return tests._replace(**corrected)

    @cached_property
    def ranks(self) -> AgainstControl:
        return _without_control(against_control(self.table, 0, "ranks"))

    @property
    def ranks_adjusted(self) -> np.ndarray:
        """p of mean ranks with Holm's correction; if the control was chosen, p of Nemenyi's test of all pairs."""
        if self.chosen_from is None:
            return self.ranks.holm
        place = self.chosen_from.methods.index(self.control)
        return np.delete(self.chosen_from.nemenyi.p[place], place)

    @property
    def by_ranks(self) -> bool:
        return ranks_decide(self.n, self.comparisons)

    @property
    def test(self) -> str:
        """The deciding test: wilcoxon, ranks or, for a chosen control, nemenyi."""
        by_ranks = "ranks" if self.chosen_from is None else "nemenyi"
        return by_ranks if self.by_ranks else "wilcoxon"

    @property
    def deciding(self) -> AgainstControl:
        return self.ranks if self.by_ranks else self.wilcoxon

    @property
    def adjusted(self) -> np.ndarray:
        """p of the deciding test after its correction."""
        return self.ranks_adjusted if self.by_ranks else self.wilcoxon.holm

    @property
    def significant(self) -> np.ndarray:
        """1 where the control is significantly better by the deciding test, −1 where it is worse, else 0."""
        direction = self.ranks.z if self.by_ranks else self.wilcoxon.rank_biserial
        return np.where(self.adjusted < ALPHA, -np.sign(direction), 0) * self.enough

    def by_verdict(self) -> dict[str, list[str]]:
        """'better', 'worse' and 'open' → methods than which the control is better or worse by the deciding test."""
        signs = {"better": 1, "worse": -1, "open": 0}
        tested = [*zip(self.others, self.significant, strict=True)]
        return {word: [name for name, s in tested if s == sign] for word, sign in signs.items()}

    def datasets_needed(self) -> list[int | None]:
        """Data sets that would make each difference significant; None if it is, or if that takes too many."""
        return [
            None if adjusted < ALPHA or same else more_datasets(float(p), self.n, self.comparisons)
            for p, adjusted, same in zip(self.deciding.p, self.adjusted, self.same, strict=True)
        ]


def ranks_decide(n: int, comparisons: int) -> bool:
    """Whether mean ranks decide, because Wilcoxon's test cannot be significant on n data sets after correction. They do
    not decide about a single pair of methods, where they are at most the sign test."""
    return least_adjusted_p(n, comparisons) >= ALPHA and comparisons > 1


def _without_control(tests: AgainstControl) -> AgainstControl:
    return AgainstControl(*(values[1:] for values in tests))


def across(outcome: Outcome, base: ComparisonAcross, control: str) -> Across | None:
    """A control against the ranked methods, on the data sets on which it has a score; None if it has none.

    The best of several methods counts as chosen unless it is the focus or the baseline.
    """
    every = base.every
    if control not in every.methods or not base.methods:
        return None
    others = [method for method in base.methods if method != control]
    scores = every.table[:, every.methods.index(control)]
    rows = np.flatnonzero(~np.isnan(scores))
    if not len(rows):
        return None
    columns = [every.methods.index(method) for method in (control, *others)]
    datasets, table = [every.datasets[i] for i in rows], every.table[rows][:, columns]
    fixed = control in focus_of(outcome) + baselines(outcome)
    chosen = len(others) > 1 and not fixed and control in base.best
    rope = rope_of(outcome.evaluation)
    return Across(control, others, datasets, table, rope, base if chosen else None)


def cost_ratios(outcome: Outcome, result: Across) -> list[float | None]:
    """Seconds of a fit of each other method over those of the control: geometric means over common data sets."""
    seconds = median_seconds(outcome.times)
    return [cost_ratio(seconds, result.datasets, other, result.control) for other in result.others]


def cost_ratio(
    seconds: Mapping[tuple[str, str], float], datasets: list[str], method: str, other: str
) -> float | None:
    logs = [
        np.log(seconds[name, method] / seconds[name, other])
        for name in datasets
        if (name, method) in seconds and (name, other) in seconds
    ]
    return float(np.exp(np.mean(logs))) if logs else None
