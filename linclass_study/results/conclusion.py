"""Conclusions across data sets, in sentences that name test, n and correction."""

from __future__ import annotations

import numpy as np

from linclass.comparisons.bayesian_signed_rank_test import bayesian_signed_rank
from linclass.counted import names_and_others
from linclass_study.results.across_datasets import ALPHA, FEW, ComparisonAcross
from linclass_study.results.chance import chance
from linclass_study.results.metric_words import metric_words
from linclass_study.results.outcome import Outcome
from linclass_study.results.sensitivity import Scenario, steady
from linclass_study.results.within_dataset import SURE, posterior_of_pair, rope_of

NAMES = 4  # methods named in a sentence; the others are counted


def sentences(outcome: Outcome, base: ComparisonAcross, tried: list[Scenario]) -> list[str]:
    """Best method, overall test of the ranks, significant differences, practical differences, sensitivity."""
    if not base.enough:
        return [
            "Fewer than two data sets, or fewer than two methods, have scores: nothing to compare across data sets."
        ]
    treatments = list(base.treatments())
    if not treatments:
        return ["No two data sets have a score of every method: see the pairwise matrix."]
    if few := few_datasets(base):
        return [few]
    chosen = treatments[0]
    table = base.treatments()[chosen]
    n, k = table.shape
    average, difference, _ = base.groups(chosen)
    best = base.best(chosen)
    conclusions = [
        _winner(best, n, k, float(average.min()), base, chosen),
        *filter(None, [without_the_best(base, chosen)]),
        *_other_orders(best, base, table, means=chosen != "counted as worst"),
    ]
    test = base.friedman(chosen)
    if test is not None:
        found = "differ" if test.f_p < ALPHA else "are not shown to differ"
        conclusions.append(
            f"The methods {found} more than by chance: Iman and Davenport’s F = {_number(test.f)}, "
            f"p {_p(test.f_p)}, which decides (Demšar, 2006) because Friedman’s χ² = {test.statistic:.2f}, "
            f"p {_p(test.p)}, is too conservative (n = {n} data sets, k = {k} methods)."
        )
    first = int(np.argmin(average))
    others = [j for j in np.argsort(average, kind="stable") if j != first]
    near = [base.methods[j] for j in others if average[j] - average[first] <= difference]
    far = [base.methods[j] for j in others if base.methods[j] not in near]
    conclusions.append(
        f"{rank_test(k)} at α = {ALPHA} (critical difference {difference:.2f} ranks) distinguishes "
        f"{distinguished(near, far)} from {base.methods[first]}."
    )
    conclusions += _practical(outcome, base, best, average, n)
    return conclusions + _survives(tried)


def rank_test(k: int, article: str = "The") -> str:
    """The name of the test that compares mean ranks of k methods."""
    return "Nemenyi’s test" if k > 2 else f"{article} sign test"


def few_datasets(base: ComparisonAcross) -> str:
    """Why there is no conclusion, if there are too few independent data sets for one."""
    treatment, table = next(iter(base.treatments().items()), ("", ()))
    if not 0 < len(table) < FEW:
        return ""
    left = left_out(base, treatment)
    return (
        f"{independent(base, len(table))} are too few to rank methods{f': {left}' if left else ''}. A conclusion needs "
        f"at least {FEW}."
    )


def independent(base: ComparisonAcross, n: int, note: str = "") -> str:
    """3 independent data sets (iris and iris_binary count as one; note)"""
    notes = [f"{_listed([*group])} count as one" for group in base.shared] + [note] * bool(note)
    return f"{n} independent data sets" + (f" ({'; '.join(notes)})" if notes else "")


def left_out(base: ComparisonAcross, treatment: str) -> str:
    """Which part of the data sets is left out and because of which methods; empty if none is."""
    total = len(base.datasets)
    left = total - len(base.treatments()[treatment])
    if not left:
        return ""
    are, there = ("is", "on it") if left == 1 else ("are", "on them")
    lacking = base.incomplete
    together = left == 1 < len(lacking)  # of several data sets, each method may lack another one
    methods = _listed(lacking, "and" if together else "or")
    have = "have" if together or len(lacking) > NAMES + 1 else "has"
    return f"{left} of {total} {are} left out because {methods} {have} no score {there}"


def without_the_best(base: ComparisonAcross, treatment: str) -> str:
    """Which of the best methods have no score on data sets that are left out, and which method is the best of those
    with all scores; empty if each of the best has all.
    """
    best = base.best(treatment)
    lacking = [method for method in best if method in base.incomplete]
    if treatment != "left out" or not lacking:
        return ""
    missing = np.isnan(base.table[:, [base.methods.index(method) for method in lacking]])
    places = [base.datasets[i] for i in np.flatnonzero(missing.any(axis=1))]
    itself, have = (" itself", "has") if len(lacking) == 1 else ("", "have")
    said = f"{_listed(lacking)}{itself} {have} no score on {_listed(places)}"
    whole, n = base.whole, len(base.datasets)
    if len(whole.methods) < 2:
        only = f"only {whole.methods[0]}" if whole.methods else "no method"
        return f"{said}; {only} has scores on all {n}."
    first = whole.best("complete")
    lead = f"{_listed(first)} {'is' if len(first) == 1 else 'are'} best"
    return f"{said}; of the {len(whole.methods)} methods with scores on all {n}, {lead}."


def _winner(
    best: list[str], n: int, k: int, rank: float, base: ComparisonAcross, chosen: str
) -> str:
    verb = "has" if len(best) == 1 else "share"
    left = left_out(base, chosen)
    note = f": {left}" if left else ""
    note = ", missing scores counted as worst" if chosen == "counted as worst" else note
    return (
        f"{_listed(best)} {verb} the best mean rank by {metric_words(base.metric)}, {rank:.2f} of {k}, "
        f"over {independent(base, n)}{note}."
    )


def _other_orders(
    best: list[str], base: ComparisonAcross, table: np.ndarray, means: bool
) -> list[str]:
    """Which methods come first by other averages, if these are not the best ones by rank; `means`: the table has no
    made-up values.
    """
    orders = {"by Bradley and Terry’s rating": base.ratings.elo}
    if means:
        orders = {f"by mean {metric_words(base.metric)}": table.mean(axis=0)} | orders
    found = []
    for order, values in orders.items():
        first = [base.methods[j] for j in np.flatnonzero(values >= np.nanmax(values) - 1e-6)]
        if first != best:
            found.append(f"{_listed(first)} {order}")
    if not found:
        return []
    why = "Ranks and ratings count how often a method is ahead, the mean by how much."
    return [f"Other orders begin otherwise: {', '.join(found)}. {why}"]


def distinguished(near: list[str], far: list[str]) -> str:
    """The methods that are `far` from the best, by their names or, if these are fewer, by those that are `near`."""
    if not far or not near:
        return "every other method" if far else "no other method"
    return f"only {_listed(far)}" if len(far) <= len(near) else f"all but {_listed(near)}"


def _practical(
    outcome: Outcome, base: ComparisonAcross, best: list[str], average: np.ndarray, ranked: int
) -> list[str]:
    """Compare the best method with the first one that does not share its mean rank, on all data sets that both have."""
    order = [int(j) for j in np.argsort(average, kind="stable")]
    first = base.methods.index(best[0])
    second = next((j for j in order if base.methods[j] not in best), None)
    if second is None:
        return ["All methods share the best mean rank, so there is no runner-up."]
    rope = rope_of(outcome.evaluation)
    pair = base.table[:, [first, second]]
    found = bayesian_signed_rank(pair, rope)
    better, equal, worse = (chance(float(part[0, 1])) for part in found)
    n = int(np.count_nonzero(~np.isnan(pair).any(axis=1)))
    which = "" if n == ranked else " data sets on which both have a score"
    sentence = (
        f"{best[0]} against the runner-up, {base.methods[second]}: with probability {better} better by more than "
        f"{rope:g}, {equal} equal in practice, {worse} worse (Bayesian signed-rank test, n = {n}{which}; it takes "
        f"the mean of each as exact{_undecided(outcome, base, best[0], base.methods[second])})."
    )
    return [sentence]


def _undecided(outcome: Outcome, base: ComparisonAcross, first: str, second: str) -> str:
    """On how many data sets the folds do not decide between two methods, of those that have several folds of both."""
    known = [
        max(part[0, 1] for part in found) >= SURE
        for dataset, own in outcome.parts().items()
        if dataset in base.datasets
        and (found := posterior_of_pair(own, dataset, first, second)) is not None
    ]
    if not known:
        return ""
    open_ones, n = known.count(False), len(known)
    those = f"all {n}" if open_ones == n > 1 else f"{open_ones or 'none'} of {n}"
    return f", {'but' if open_ones else 'and'} the folds leave {those} differences undecided"


def _survives(tried: list[Scenario]) -> list[str]:
    """The conclusion survives if the same method is among the best in every variation in which it has a score."""
    best, without = (
        list(tried[0].best) if tried else [],
        [one.what for one in tried if not one.scored],
    )
    variations = [one for one in tried[1:] if one.scored]
    sentences = [_changes(best, steady(tried), variations)] if variations else []
    if without:
        those = "that variation says" if len(without) == 1 else "those variations say"
        whom = "it" if len(best) == 1 else "them"
        lacks = f"{_listed(best)} {'has' if len(best) == 1 else 'have'} no score {_listed(without)}"
        sentences.append(f"{lacks}: {those} nothing about {whom}.")
    return sentences


def _changes(best: list[str], kept: list[str], variations: list[Scenario]) -> str:
    n = len(variations)
    if kept:
        stay = "stays" if len(kept) == 1 else "stay"
        return f"{_listed(kept)} {stay} among the best in all {n} variations below."
    if len(best) > 1 and all(one.kept for one in variations):
        each, none = ("the two", "neither") if len(best) == 2 else (f"these {len(best)}", "none")
        return f"One of {each} is among the best in each of {n} variations below, but {none} of them in all."
    changes = [one.what for one in variations if not one.kept]
    other = "Another method is best" if len(best) == 1 else "None of these is among the best"
    return f"{other} in {len(changes)} of {n} variations: {_listed(changes)}."


def _listed(names: list[str], last: str = "and") -> str:
    return names_and_others(names, NAMES, last)


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else "= " + f"{p:.3f}".removeprefix("0")


def _number(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "∞"
