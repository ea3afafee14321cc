"""The sentences of the answer, at the top of the page and in the terminal: answer, confidence, what would decide more;
and what to read with care."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from linclass.base.messages import counted, names_and_others
from linclass_study.analysis import wording
from linclass_study.analysis.across_datasets import ComparisonAcross, comparison_across
from linclass_study.analysis.comparison_with_control import (
    MAX_DATASETS,
    Verdict,
    baselines,
    cost_ratio,
    focus_of,
    verdicts,
)
from linclass_study.analysis.data_warnings import serious
from linclass_study.analysis.outcome import Outcome, median_seconds
from linclass_study.analysis.sentences import confidence
from linclass_study.analysis.tuned_values import grid_ends
from linclass_study.analysis.verdict import (
    ControlVerdict,
    DatasetVerdict,
    StudyVerdict,
    labelled,
    study_verdict,
)
from linclass_study.analysis.within_dataset import rope_of
from linclass_study.entries import Labels

NAMES = 3  # methods named in a sentence; the others are counted
DOUBTFUL = 2  # methods or data sets named for each reason to read them with care
MUCH = 3  # ratio of two ratios of times, from which on both are named
OFTEN = 0.5  # share of the fits of a method on a data set


def headline(outcome: Outcome, verdict: StudyVerdict, labels: Labels) -> list[str]:
    """Answer, confidence and next step, as far as there are any, with these names for readers."""
    verdict = labelled(verdict, labels)
    answered = [one for one in verdict.datasets if one.best]
    if not answered:
        return ["No method succeeded on every fold of any data set, so none is best."]
    rivals = [one.closest_rival for one in answered]
    if (control := _control(verdict)) is not None:
        sentences = [
            _rank(outcome, verdict, control.method, labels),
            _against(outcome, verdict, control),
        ]
        return [*sentences, *_next_step(rivals, rope_of(outcome.evaluation), control)]
    of_best = _single(answered[0]) if len(answered) == 1 else _several(verdict, answered)
    return [*_focus(outcome, labels), *of_best, *_next_step(rivals, rope_of(outcome.evaluation))]


def headline_by(outcome: Outcome, metric: str) -> list[str]:
    """The headline as if the study had ranked by another metric, in which no difference is equal in practice."""
    by_metric = replace(
        outcome, evaluation={**outcome.evaluation, "tune_metric": metric, "rope": 0}
    )
    for name in ("scores", "fits", "times"):  # the cache of cached_property
        by_metric.__dict__[name] = getattr(outcome, name)
    by_metric.read["grid_ends"] = grid_ends(outcome)
    return headline(by_metric, study_verdict(by_metric), outcome.labels)


def caution(outcome: Outcome, verdict: StudyVerdict) -> str:
    """A sentence about doubtful results with the signs of the leaderboard: methods at an end of their grids, methods
    whose fits often stopped before the optimum or have none or several, and data sets with serious warnings; empty
    without any."""
    labels = outcome.labels
    share = pl.col("len") / pl.col("len").sum().over("method", "dataset")
    often = outcome.fits.group_by("method", "dataset", "status").len().filter(share >= OFTEN)
    stopped, separable, deficient = (
        [labels.methods[name] for name in outcome.methods if name in {*of_status["method"]}]
        for of_status in (
            often.filter(status=status) for status in ("max_iter", "separable", "rank_deficient")
        )
    )
    suspect = [label for name, label in labels.datasets.items() if serious(outcome.checks(name))]
    parts = {
        "† tuned to an end of the values tried": [
            labels.methods[name] for name in verdict.grid_ends
        ],
        "≠ stopped before the optimum": stopped,
        "∞ no finite optimum": separable,
        "≡ solution not unique": deficient,
        "⚠ data warnings": suspect,
    }
    named = {words: names_and_others(names, DOUBTFUL) for words, names in parts.items() if names}
    each = "; ".join(f"{names} ({words})" for words, names in named.items())
    return f"Read with care: {each}." if each else ""


def _control(verdict: StudyVerdict) -> ControlVerdict | None:
    """The focus or, if it has no scores or the study no focus, the best method against all others across data sets;
    None if methods are not ranked."""
    if verdict.not_ranked or not verdict.best:
        return None
    if verdict.focus:
        return next(
            (one for one in verdict.controls if one.method in verdict.focus), verdict.ranking
        )
    return verdict.ranking


def _rank(outcome: Outcome, verdict: StudyVerdict, method: str, labels: Labels) -> str:
    base = comparison_across(outcome)
    over = counted(len(base.datasets), "independent data set")
    words = f"by {wording.metric_words(verdict.metric)} over {over}"
    ranked = [labels.methods[name] for name in base.methods]
    if method not in ranked:
        return f"{method} is not ranked {words}, as it lacks a score on some of them."
    mean = base.nemenyi.ranks
    place = int((mean < mean[ranked.index(method)] - 1e-9).sum()) + 1
    best = names_and_others(verdict.best, NAMES)
    count = f"{len(ranked)} methods"
    if method not in verdict.best:
        verb = "ranks" if len(verdict.best) == 1 else "rank"
        answer = f"{method} ranks {_ordinal(place)} of {count} {words}; {best} {verb} first"
    elif len(verdict.best) > 1:
        others = names_and_others([name for name in verdict.best if name != method], NAMES)
        answer = f"{method} shares the first rank with {others} among {count} {words}"
    else:
        answer = f"{method} ranks first of {count} {words}"
    if verdict.focus and method not in verdict.focus:
        answer = f"{names_and_others(verdict.focus, NAMES)} cannot be ranked; {answer}"
    return f"{answer}{_cost(outcome, base, base.methods[ranked.index(method)], labels)}."


def _cost(outcome: Outcome, base: ComparisonAcross, method: str, labels: Labels) -> str:
    """The time of a fit compared with the best of the other methods; also on the data set of the most rows, if it is
    much different there."""
    order = [base.methods[j] for j in np.argsort(base.nemenyi.ranks, kind="stable")]
    other = next(name for name in order if name != method)
    seconds, name = median_seconds(outcome.times), labels.methods
    ratio = cost_ratio(seconds, base.datasets, method, other)
    if ratio is None:
        return ""
    largest = max(base.datasets, key=lambda one: outcome.about(one)["rows"])
    there = cost_ratio(seconds, [largest], method, other) or ratio
    typically, on_largest = "", ""
    if max(there / ratio, ratio / there) >= MUCH:
        where, times = labels.datasets[largest], wording.times(there if ratio > 1 else 1 / there)
        typically, on_largest = "typically ", f", {times} on {where}"
        if 1 / wording.SAME_TIME < ratio < wording.SAME_TIME:
            there_words = wording.cost_words(name[method], name[other], there)
            on_largest = f", but on {where} {there_words}"
    if base.best != [method]:
        return f"; {typically}{wording.cost_words(name[method], name[other], ratio)}{on_largest}"
    verb = "and" if ratio >= wording.SAME_TIME else "which"
    took = f"{verb} {typically}takes {wording.times_as_long(ratio)} to fit{on_largest}"
    return f", ahead of {name[other]}, {took}"


def _ordinal(place: int) -> str:
    endings = {} if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}
    return f"{place}{endings.get(place % 10, 'th')}"


def _against(outcome: Outcome, verdict: StudyVerdict, control: ControlVerdict) -> str:
    sides = control.better_than, control.worse_than, control.undecided
    better, worse, undecided = map(len, sides)
    others = better + worse + undecided
    whom = f"{better or 'none'} of the {others} others"
    if 0 < better <= 2:
        guesses = {outcome.labels.methods[name] for name in baselines(outcome)}
        named = ["the baseline " * (name in guesses) + name for name in control.better_than]
        whom = names_and_others(named, NAMES) + " only" * (others > better)
    parts = [f"significantly better than {whom}"] * (better > 0 or (others > 1 and worse > 0))
    than = names_and_others(control.worse_than, NAMES) if 0 < worse <= 2 else f"{worse}"
    parts += [f"significantly worse than {than}"] * (worse > 0)
    rest = f"the other {undecided}" if undecided > 1 else "".join(control.undecided)
    rest = f"any of the {others} others" if 1 < undecided == others else rest
    first = verdict.best == [control.method]
    open_ = (
        f"ahead of {rest} perhaps only by chance" if first else f"not distinguishable from {rest}"
    )
    parts += [open_] * (undecided > 0)
    compared = [one for one in verdict.datasets if one.comparisons]
    clear = sum(one.best == [control.method] and not one.indistinguishable for one in compared)
    single = f"; clearly the best on {clear or 'none'} of {counted(len(compared), 'data set')}"
    return f"It is {', '.join(parts)}{single * bool(compared)}."


def _focus(outcome: Outcome, labels: Labels) -> list[str]:
    """A line about each method of the focus, of data sets that are too few to rank methods."""
    lines = []
    words = {
        "better": "better",
        "worse": "worse",
        "equal": "equal in practice",
        "undecided": "undecided",
    }
    for name in focus_of(outcome):
        if not (single := verdicts(outcome, name)):
            continue
        places = {labels.datasets[one.dataset] for one in single}
        where = places.pop() if len(places) == 1 else "single data sets"
        counts, comparisons = (
            Counter(one.decided for one in single),
            counted(len(single), "comparison"),
        )
        first, *others = [f"{words[kind]} in {counts[kind]}" for kind in words if counts[kind]]
        first = (
            f"{first} of {comparisons}"
            if others
            else f"{words[single[0].decided]} in {comparisons}"
        )
        lines.append(
            f"On {where} {labels.methods[name]} is {names_and_others([first, *others], 4)}."
        )
    return lines


def _single(one: DatasetVerdict) -> list[str]:
    verb, sure = "has" if len(one.best) == 1 else "have", confidence(one)
    best = names_and_others(one.best, NAMES)
    return [
        f"{best} {verb} the best {wording.metric_words(one.metric)} on {one.dataset}, {one.mean:.3f}.",
        f"{sure if sure.split()[0] in one.methods else sure[0].upper() + sure[1:]}.",
    ]


def _several(verdict: StudyVerdict, answered: Sequence[DatasetVerdict]) -> list[str]:
    """Lines about several data sets, which are too few to rank methods."""
    times = Counter(name for one in answered for name in one.best)
    most = max(times.values())
    first = [name for name in times if times[name] == most]
    verb, each = ("are", " each") if len(first) > 1 else ("is", "")
    clear = sum(bool(one.comparisons) and not one.indistinguishable for one in answered)
    best = f"{names_and_others(first, NAMES)} {verb} the best by {wording.metric_words(verdict.metric)}"
    sure = f"A method is clearly the best on {clear or 'none'} of them. {verdict.not_ranked}"
    return [f"{best} on {most} of {counted(len(answered), 'data set')}{each}.", sure.rstrip()]


def _next_step(
    rivals: Sequence[Verdict | None], rope: float, control: ControlVerdict | None = None
) -> list[str]:
    """What would decide differences that are not decided, and how, if these are the true ones."""
    pairs, results, steps = [], [], []
    if control is not None and control.next is not None:
        number = control.datasets_needed
        pairs.append(f"{control.method} against {control.next}")
        results.append("differs significantly")
        about = "about" if number else "more than"
        steps.append(f"{about} {number or MAX_DATASETS:,} data sets like these")
    repeats = [(one.repeats, one) for one in rivals if one is not None and one.repeats]
    decidable = [(each, one) for each, one in repeats if each.repeats is not None]
    if decidable:
        each, one = min(decidable, key=lambda pair: pair[0].repeats or 0)
        pairs.append(f"{one.control} against {one.other} on {one.dataset}")
        equal = each.decide == "equal in practice"
        more = f"differs{f' by more than {rope:g}' * (rope > 0)}"
        results.append(f"is equal within {rope:g}" if equal else more)
        steps.append(f"{each.repeats} repeats of training and testing (`repeats: {each.repeats}`)")
    undecided = f"Still undecided: {', and '.join(pairs)}."
    if len(pairs) > 1:
        first = f"showing that the first pair {results[0]} takes {steps[0]}"
        second = f"and that the second {results[1]}, {steps[1]}"
        return [f"{undecided} {wording.IF_ALL_TRUE}, {first}, {second}."]
    if pairs:
        return [
            f"{undecided} {wording.IF_TRUE}, showing that the pair {results[0]} takes {steps[0]}."
        ]
    nothing = "more repeats would decide nothing here, only more rows or data sets"
    return [f"{wording.IF_ALL_TRUE}, {nothing}."] if repeats else []
