"""The answer for readers without statistics: which method is best, whether that is certain, and who is excluded."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import polars as pl

from linclass.base.messages import counted, names_and_others
from linclass_study.analysis.across_datasets import FEW, ComparisonAcross, comparison_across
from linclass_study.analysis.conclusion import independent, no_ranking
from linclass_study.analysis.control_sentences import decisive, undecided_sentences
from linclass_study.analysis.controls import across, closest_rival, focus_of
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import best, ranking
from linclass_study.analysis.tuned import grid_end_sentences
from linclass_study.analysis.within_dataset import ComparisonWithin, comparison_within
from linclass_study.analysis.wording import metric_words
from linclass_study.files.tables import FITTED, STATUSES


class Incomplete(NamedTuple):
    """A method without a score on some of the data sets that count.

    datasets, reason    where it has none, and why
    scored              number of the data sets on which it has one
    rank, of            its mean rank of so many methods if missing scores count as worst; None if it has no score at
                        all, or was not run on each data set
    """

    method: str
    datasets: list[str]
    reason: str
    scored: int
    rank: float | None
    of: int


def incomplete_methods(outcome: Outcome, base: ComparisonAcross) -> list[Incomplete]:
    """The methods of a study that are not in the complete field, in the study's order."""
    every, worst = base.every, base.every.missing_worst
    lacking = [method for method in outcome.methods if method not in base.methods]
    if not lacking or not base.datasets:
        return []
    reasons = {name: excluded_methods(outcome.parts()[name], name) for name in base.datasets}
    found = []
    for method in lacking:
        known = method in every.methods
        datasets = every.missing_on(method) if known else base.datasets
        why: dict[str, list[str]] = {}
        for name in datasets:
            why.setdefault(reasons[name].get(method, "no finite value"), []).append(name)
        reason = "; ".join(
            words if len(why) == 1 else f"{words} on {', '.join(names)}"
            for words, names in why.items()
        )
        ranked = worst.enough and method in worst.methods
        rank = float(worst.nemenyi.ranks[worst.methods.index(method)]) if ranked else None
        scored = len(base.datasets) - len(datasets)
        found.append(Incomplete(method, datasets, reason, scored, rank, len(worst.methods)))
    return found


def excluded_methods(outcome: Outcome, dataset: str) -> dict[str, str]:
    """Method → statuses of its failed fits ('not applicable', 'failed'), or the metric without a value."""
    fits = outcome.fits.filter(dataset=dataset, protocol=outcome.protocol(dataset))
    missed = fits.filter(~pl.col("status").is_in(FITTED))
    found = {}
    for method, planned in (
        ranking(outcome, dataset).filter(~pl.col("whole")).select("method", "planned").iter_rows()
    ):
        met = {*missed.filter(method=method)["status"]}
        words = [status.replace("_", " ") for status in STATUSES if status in met]
        absent = f"no {metric_words(outcome.metric)}" if planned else "not run"
        found[method] = ", ".join(words) or absent
    return {method: found[method] for method in outcome.methods if method in found}


NAMES = 3  # methods named before the others are counted
NAMED = 6  # data sets, or excluded runs, that are named one by one


def plain_answer(outcome: Outcome, named: bool = True) -> list[str]:
    """The best method, across data sets if they are enough for that, and how sure it is; then what is lacking, and
    which methods chose an end of their grids.

    The best methods of single data sets are not `named` where a table names them.
    """
    found = {
        name: (best(own, name), comparison_within(own, name))
        for name, own in outcome.parts().items()
    }
    answered = {name: pair for name, pair in found.items() if pair[0] is not None}
    if not answered:
        return ["No method succeeded on every fold of any data set, so none is best."]
    rivals = [one for name, own in outcome.parts().items() for one in closest_rival(own, name)]
    said = {*focus_of(outcome)}  # by sentences of its own
    rivals = [one for one in rivals if not said & {one.control, one.other}]
    more = undecided_sentences(rivals, " of the best method with its closest rival")
    n, lacking = len(answered), len(found) - len(answered)
    have = "has" if lacking == 1 else "have"
    absent = [f"{lacking} of the {len(found)} data sets {have} no result."] if lacking else []
    ends = grid_end_sentences(outcome)
    if n == 1:
        ((name, (first, compared)),) = answered.items()
        assert first is not None
        method, mean, _, equal = first
        how_sure = sure(compared, equal)
        if not named and len(found) == 1:
            named_first = how_sure.split()[0] in compared.methods
            lead = how_sure if named_first else how_sure[0].upper() + how_sure[1:]
            return [f"{lead}.", *more, *absent, *ends]
        words = metric_words(outcome.metric)
        verb = "has" if not equal else "have"
        return [
            f"{_names([method, *equal])} {verb} the best {words} on {name}, {mean:.3f}; {how_sure}.",
            *more,
            *absent,
            *ends,
        ]
    if n < FEW:
        each = (_worse_on(name, compared) for name, (_, compared) in answered.items())
        verdict = f"On {'; on '.join(each)}."
    else:
        verdict = _how_often([compared for _, compared in answered.values()], bool(lacking))
    base = comparison_across(outcome)
    few = no_ranking(base)
    if base.enough and not few:
        return [_overall(outcome, base), verdict, *decisive(outcome, base), *more, *absent, *ends]
    listed = named and n <= NAMED
    bests = [_bests(outcome, {name: pair[0] for name, pair in answered.items()})] * listed
    return [*bests, verdict, *more, *[few] * bool(few), *absent, *ends]


def _how_often(found: list[ComparisonWithin], lacking: bool) -> str:
    """On how many data sets one method is clearly the best, of those that can show it."""
    rivals = [number for one in found if (number := _rivals(one)) is not None]
    if not rivals:
        if all(len(one.methods) == 1 for one in found):
            return (
                "One method alone succeeded on each data set: there is nothing to compare it with."
            )
        return "One value of each method does not show whether any is clearly the best."
    sure, n = rivals.count(0), len(rivals)
    those = f"of the {n} data sets{' with a result' * lacking}"
    if n < len(found):
        those = f"of the {n} data sets on which several methods have several values"
    return f"On {sure or 'none'} {those} {'one method is' if sure else 'is one method'} clearly the best."


def _bests(outcome: Outcome, found: dict[str, Any]) -> str:
    """The best method of each data set, with its mean; of many equals only their number."""
    each = []
    for name, (method, mean, _, equal) in found.items():
        who = f"{len(equal) + 1} methods" if len(equal) >= NAMES else _names([method, *equal])
        each.append(f"{who} on {name} ({mean:.3f})")
    return f"Best {metric_words(outcome.metric)}: {', '.join(each)}."


def not_ranked(outcome: Outcome) -> str:
    """Sentences about the methods that are left out of the ranking, each with what it lacks and its mean rank if
    missing scores counted as worst; empty if all methods are ranked, or the data sets are too few."""
    base = comparison_across(outcome)
    lacking = incomplete_methods(outcome, base)
    if not lacking or len(base.datasets) < FEW or len(base.every.methods) < 2:
        return ""
    each = []
    for number, one in enumerate(lacking[:NAMES]):
        note = f"; its mean rank is {one.rank:.2f} of {one.of}" if one.rank is not None else ""
        if note and not number:
            note += " if missing scores count as worst"
            if base.enough:
                best, worst = base.best[0], base.every.missing_worst
                note += f", where {best} has {worst.nemenyi.ranks[worst.methods.index(best)]:.2f}"
        each.append(f"{one.method} (no score on {_names(one.datasets)}: {one.reason}{note})")
    more = len(lacking) - len(each)
    each += [f"{counted(more, 'other')} (tables/incomplete.csv)"] * (more > 0)
    return f"Not ranked: {', '.join(each)}.{_first_in_both(base)}"


def _first_in_both(base: ComparisonAcross) -> str:
    """A sentence about incomplete methods that would be first with either treatment of missing scores, and not with
    those that are ranked first; empty if there are none."""
    worst, without = base.every.missing_worst, base.every.gaps_left_out
    if not (base.enough and worst.enough and without.enough):
        return ""
    first = [name for name in worst.best if name in without.best]
    if not first or {*first} & {*base.best}:
        return ""
    return (
        f" {_names(first)} would be first both if missing scores count as worst and without the data sets on which a "
        "method lacks one (tables/sensitivity.csv)."
    )


def excluded_sentence(outcome: Outcome) -> str:
    """A sentence about the methods that are excluded on a data set, with the reasons if they are few."""
    kept_out = {
        name: found
        for name, own in outcome.parts().items()
        if own.about(name)["status"] != "unavailable" and (found := excluded_methods(own, name))
    }
    if not kept_out:
        return ""
    runs = [(name, method, why) for name, own in kept_out.items() for method, why in own.items()]
    if len(runs) <= NAMED:
        places: dict[tuple[str, str], list[str]] = {}
        for name, method, why in runs:
            places.setdefault((method, why), []).append(name)
        alike: dict[tuple[str, str], list[str]] = {}
        for (method, why), names in places.items():
            alike.setdefault((_names(names), why), []).append(method)
        each = [
            f"{names_and_others(methods, NAMED)} on {names} ({why})"
            for (names, why), methods in alike.items()
        ]
        return f"Excluded: {', '.join(each)}."
    of = f" of {counted(_readable(outcome), 'data set')}"
    times: dict[int, list[str]] = {}
    for method, number in Counter(method for _, method, _ in runs).most_common():
        times.setdefault(number, []).append(method)
    (most, those), *others = times.items()
    each = [f"{_names(those)} on {most}{of}"]
    each += [f"{_names(methods)} on {number}" for number, methods in others[:1]]
    if rest := sum(len(methods) for _, methods in others[1:]):
        each.append(f"{counted(rest, 'other')} on fewer")
    return f"Excluded: {'; '.join(each)}."


def _readable(outcome: Outcome) -> int:
    """Number of the data sets that could be read."""
    parts = outcome.parts().items()
    return sum(own.about(name)["status"] != "unavailable" for name, own in parts)


def _worse_on(name: str, found: ComparisonWithin) -> str:
    """How many methods are clearly worse than the best one on a data set."""
    rivals, others = _rivals(found), len(found.methods) - 1
    if rivals is None:
        alone = f"{name} each method has one value, which does not decide"
        return alone if others else f"{name} there is no other"
    if others == 1:
        other = found.methods[1]
        return (
            f"{name} {other} is {'' if not rivals else 'not '}clearly worse than {found.methods[0]}"
        )
    worse = [method for method in found.methods[1:] if method not in found.rivals]
    how_many = some(worse, found.methods[1:]) if worse else f"none of the {others} others"
    verb = "is" if len(worse) <= 1 else "are"
    return f"{name} {how_many} {verb} clearly worse than {found.methods[0]}"


def _overall(outcome: Outcome, base: ComparisonAcross) -> str:
    """The best method and how many others it is not significantly better than, by the test against a control."""
    first = base.best
    others = [name for name in base.methods if name not in first]
    found = across(outcome, base, first[0])
    if not others or found is None:
        return "All methods share the best mean rank."
    ranked = "ranked " * bool(base.every.incomplete)
    beaten = found.by_verdict()["better"]
    near = [name for name in others if name not in beaten]
    every = others[0] if len(others) == 1 else f"every other {ranked}method"
    ahead = f"significantly better than {every}"
    if near:
        ahead = f"but not significantly better than {some(near, others, bool(first[1:]), ranked)}"
    verb = "has" if len(first) == 1 else "share"
    words = metric_words(base.metric)
    return (
        f"{_names(first)} {verb} the best mean rank by {words} over {independent(base)}, {ahead}."
        + " Mean ranks decide that, because Wilcoxon’s test cannot be significant on so few data sets."
        * found.by_ranks
    )


def sure(found: ComparisonWithin, tied: list[str]) -> str:
    """How sure it is that the best method, or those that share the best mean, are ahead of the others."""
    others = [name for name in found.methods[1:] if name not in tied]
    if not others:
        return "no method is behind them" if tied else "there is no other method to compare with"
    if not found.enough:
        return "each method has one value, which does not decide"
    rivals = [name for name in others if name in found.rivals]
    if rivals:
        return f"{some(rivals, others, bool(tied))} may be as good"
    if not tied:
        return "it is clearly the best"
    return f"{some(others, others, True)} {'is' if len(others) == 1 else 'are'} clearly worse"


def some(part: list[str], others: list[str], beside: bool = False, ranked: str = "") -> str:
    """A part of the others in words: 2 of the 3 others, both others; 2 of the 3 other methods `beside` several. A
    single other is named."""
    n, noun = len(others), f"other {ranked}methods" if beside or ranked else "others"
    if n == 1:
        return others[0]
    if len(part) < n:
        return f"{len(part)} of the {n} {noun}"
    return f"both {noun}" if n == 2 else f"all {n} {noun}"


def _rivals(found: ComparisonWithin) -> int | None:
    """Number of methods that may be as good as the best; None if there is no comparison."""
    if not found.enough:
        return None
    return len(found.rivals)


def _names(names: list[str]) -> str:
    return names_and_others(names, NAMES)
