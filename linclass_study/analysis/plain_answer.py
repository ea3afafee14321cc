"""The answer in sentences: which method is best, whether that is certain, and who is excluded.

Probabilities on a data set come from the Bayesian correlated t test of the best method against each other one, with the
study's region of practical equivalence (`rope`). The best method is clearly the best if its probabilities of not being
better sum to at most 1 − SURE over all others (union bound). Holm's correction covers the comparisons with the best.
"""

from __future__ import annotations

from collections import Counter

from linclass.base.messages import counted, names_and_others
from linclass_study.analysis.across_datasets import FEW
from linclass_study.analysis.conclusion import undecided_sentences
from linclass_study.analysis.controls import MAX_DATASETS, repeats_words
from linclass_study.analysis.tuned import grid_end_sentences
from linclass_study.analysis.verdict import DatasetVerdict, StudyVerdict
from linclass_study.analysis.within_dataset import ALPHA, SURE
from linclass_study.analysis.wording import format_probability, metric_words

NAMES = 3  # methods named before the others are counted
NAMED = 6  # data sets, or excluded runs, that are named one by one


def plain_answer(verdict: StudyVerdict, named: bool = True) -> list[str]:
    """The best method, across data sets if they are enough for that, and how certain it is; then what is missing, and
    which methods chose an end of their grids.

    The best methods of single data sets are not `named` where a table names them.
    """
    answered = [one for one in verdict.datasets if one.best]
    if not answered:
        return ["No method succeeded on every fold of any data set, so none is best."]
    rivals = [one.closest_rival for one in answered if one.closest_rival is not None]
    rivals = [one for one in rivals if not {*verdict.focus} & {one.control, one.other}]
    n, lacking = len(answered), len(verdict.datasets) - len(answered)
    have = "has" if lacking == 1 else "have"
    rest = undecided_sentences(rivals, " of the best method with its closest rival")
    absent = [f"{lacking} of the {len(verdict.datasets)} data sets {have} no result."]
    ends = [
        *absent * bool(lacking),
        *grid_end_sentences(verdict.metric, verdict.tuned, verdict.grid_ends),
    ]
    words = metric_words(verdict.metric)
    if n == 1:
        (one,) = answered
        how_certain = confidence(one)
        if not named and not lacking:
            names_first = how_certain.split()[0] in one.methods
            lead = how_certain if names_first else how_certain[0].upper() + how_certain[1:]
            return [f"{lead}.", *rest, *ends]
        verb = "has" if len(one.best) == 1 else "have"
        best = f"{_names(one.best)} {verb} the best {words} on {one.dataset}, {one.mean:.3f}"
        return [f"{best}; {how_certain}.", *rest, *ends]
    each = _how_often(answered, bool(lacking))
    if n < FEW:
        each = f"On {'; on '.join(map(_clearly_worse_on, answered))}."
    if verdict.ranking is not None or (verdict.best and not verdict.not_ranked):
        return [_overall(verdict), each, *_decisive(verdict), *rest, *ends]
    bests = []
    for one in answered:
        who = _names(one.best) if len(one.best) <= NAMES else f"{len(one.best)} methods"
        bests.append(f"{who} on {one.dataset} ({one.mean:.3f})")
    listed = [f"Best {words}: {', '.join(bests)}."] * (named and n <= NAMED)
    return [*listed, each, *rest, *filter(None, [verdict.not_ranked]), *ends]


def confidence(verdict: DatasetVerdict) -> str:
    """How certain it is that the best method, or those that share the best mean, are better than the others."""
    tied = verdict.best[1:]
    others = [name for name in verdict.methods[1:] if name not in tied]
    if not others:
        return "no method is behind them" if tied else "there is no other method to compare with"
    if not verdict.comparisons:
        return "only one score per method: uncertainty cannot be estimated"
    rivals = [name for name in others if name in verdict.indistinguishable]
    if rivals:
        worse, verb = len(others) - len(rivals), "is" if len(rivals) == 1 else "are"
        more = f", {worse} {'is' if worse == 1 else 'are'} clearly worse" * (worse > 0)
        them = "them" if tied else "it"
        return f"{some(rivals, others, bool(tied))} {verb} indistinguishable from {them}{more}"
    if not tied:
        return "it is clearly the best"
    return f"{some(others, others, True)} {'is' if len(others) == 1 else 'are'} clearly worse"


def not_ranked(verdict: StudyVerdict) -> str:
    """Sentences about the methods that are left out of the ranking, each with what it lacks and its mean rank if
    missing scores counted as worst; empty if all methods are ranked, or the data sets are too few."""
    if not verdict.incomplete:
        return ""
    each = []
    for number, one in enumerate(verdict.incomplete[:NAMES]):
        note = f"; its mean rank is {one.rank:.2f} of {one.of}" if one.rank is not None else ""
        if note and not number:
            note += " if missing scores count as worst"
            if verdict.best_if_worst is not None:
                note += f", where {verdict.best[0]} has {verdict.best_if_worst:.2f}"
        each.append(f"{one.method} (no score on {_names(one.datasets)}: {one.reason}{note})")
    more = len(verdict.incomplete) - len(each)
    each += [f"{counted(more, 'other')} (tables/incomplete.csv)"] * (more > 0)
    sentence = f"Not ranked: {', '.join(each)}."
    if verdict.first_anyway:
        sentence += (
            f" {_names(verdict.first_anyway)} would be first both if missing scores count as worst and without the "
            "data sets on which a method lacks one (tables/sensitivity.csv)."
        )
    return sentence


def excluded_sentence(verdict: StudyVerdict) -> str:
    """A sentence about the methods that are excluded on a data set, with the reasons if they are few."""
    available = [one for one in verdict.datasets if one.available]
    runs = [(one.dataset, *pair) for one in available for pair in one.excluded.items()]
    if not runs:
        return ""
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
    times: dict[int, list[str]] = {}
    for method, number in Counter(method for _, method, _ in runs).most_common():
        times.setdefault(number, []).append(method)
    (most, those), *others = times.items()
    each = [f"{_names(those)} on {most} of {counted(len(available), 'data set')}"]
    each += [f"{_names(methods)} on {number}" for number, methods in others[:1]]
    if rest := sum(len(methods) for _, methods in others[1:]):
        each.append(f"{counted(rest, 'other')} on fewer")
    return f"Excluded: {'; '.join(each)}."


def certainty(verdict: DatasetVerdict) -> str:
    """Whether other methods are indistinguishable from the best one on this data set."""
    if not verdict.methods:
        return "No method succeeded on every fold, so none is best."
    best, *others = verdict.methods
    if not others:
        return f"{best} alone succeeded on every fold: there is nothing to compare it with."
    if not verdict.comparisons:
        return (
            f"One value of each method ({verdict.over}) has no spread, so the order of the methods is uncertain; "
            "repeated folds would show by how much."
        )
    rivals = verdict.indistinguishable
    sentences = [f"{best} is clearly the best."]
    if rivals:
        verb = "is" if len(rivals) == 1 else "are"
        which = f"{len(rivals)} of {len(others)} others {verb}"
        if len(rivals) == len(others):
            which = "every other method is"
        tied = f" {len(verdict.best)} methods share the best mean." * (len(verdict.best) > 1)
        sentences = [f"No method is clearly the best: {which} indistinguishable from {best}.{tied}"]
    return " ".join([*sentences, *_probabilities(verdict), _tests(verdict)])


def _probabilities(verdict: DatasetVerdict) -> list[str]:
    others, left = len(verdict.comparisons), len(verdict.indistinguishable)
    sentences = [_better_than(verdict, others - left, others)] if others > 1 or not left else []
    if left:
        equals = sum(one.equal >= SURE for one in verdict.comparisons.values())
        sentences.append(_remaining(equals, left, others))
    if (rival := verdict.closest_rival) is not None:
        better, equal, worse, _ = verdict.comparisons[rival.other]
        sentences.append(
            f"Its closest rival is {rival.other}: with probability {format_probability(better)} better, "
            f"{format_probability(equal)} equal in practice, {format_probability(worse)} worse."
        )
        if rival.repeats is not None:
            sentences.append(f"That is undecided: {repeats_words(rival.repeats)}.")
    return sentences


def _better_than(verdict: DatasetVerdict, beaten: int, others: int) -> str:
    """Than how many others the best method is better, jointly."""
    those = f"{beaten or 'none'} of the {others} others" if others > 1 else "the other"
    jointly = " at once" if beaten > 1 else ""
    bound = " (union bound)" if beaten > 1 else ""
    return (
        f"It is better than {those}{jointly} by more than {verdict.rope:g} in {metric_words(verdict.metric)}, with a "
        f"probability of at least {SURE:g}{bound}."
    )


def _remaining(equal: int, left: int, others: int) -> str:
    """How many of the remaining methods are equal to the best one in practice, each on its own."""
    if left == 1:
        other = "the other" if others == 1 else "the remaining method"
        if not equal:
            return f"Whether it is better than {other}, or equal to it in practice, is undecided."
        return f"It is equal to {other} in practice, with a probability of at least {SURE:g}."
    verbs = "are" if equal > 1 else "is", "are" if left - equal > 1 else "is"
    those = f"the {left} remaining methods" if left < others else "them"
    return (
        f"Of {those}, {equal or 'none'} {verbs[0]} equal to it in practice, with a probability of at "
        f"least {SURE:g}{' each' * (equal > 1)}, and {left - equal or 'none'} {verbs[1]} undecided."
    )


def _tests(verdict: DatasetVerdict) -> str:
    n = len(verdict.comparisons)
    apart = sum(one.p_holm < ALPHA for one in verdict.comparisons.values())
    stricter = "" if verdict.indistinguishable or apart == n else ": it is two-sided, so stricter"
    return (
        f"(Bayesian correlated t test over {verdict.over}, n = {verdict.folds}, n_test/n_train = {verdict.ratio:.3g}. "
        f"The corrected t test, with Holm’s correction over {counted(n, 'comparison')}, distinguishes {apart} of {n} "
        f"from it at α = {ALPHA:g}{stricter}.)"
    )


def _how_often(found: list[DatasetVerdict], lacking: bool) -> str:
    """On how many data sets one method is clearly the best, of those that can show it."""
    known = [one for one in found if one.comparisons]
    if not known:
        if all(len(one.methods) == 1 for one in found):
            return (
                "One method alone succeeded on each data set: there is nothing to compare it with."
            )
        return "One value of each method does not show whether any is clearly the best."
    clear, n = sum(not one.indistinguishable for one in known), len(known)
    those = f"of the {n} data sets{' with a result' * lacking}"
    if n < len(found):
        those = f"of the {n} data sets on which several methods have several values"
    return f"On {clear or 'none'} {those} {'one method is' if clear else 'is one method'} clearly the best."


def _clearly_worse_on(one: DatasetVerdict) -> str:
    """How many methods are clearly worse than the best one on a data set."""
    name, others = one.dataset, one.methods[1:]
    if not one.comparisons:
        alone = f"{name} only one score per method: uncertainty cannot be estimated"
        return alone if others else f"{name} there is no other"
    worse = one.clearly_worse
    if len(others) == 1:
        return f"{name} {others[0]} is {'' if worse else 'not '}clearly worse than {one.methods[0]}"
    how_many = some(worse, others) if worse else f"none of the {len(others)} others"
    return f"{name} {how_many} {'is' if len(worse) <= 1 else 'are'} clearly worse than {one.methods[0]}"


def _overall(verdict: StudyVerdict) -> str:
    """The best method and how many others it is not significantly better than, by the test against a control."""
    others = [name for name in verdict.ranked if name not in verdict.best]
    found = verdict.ranking
    if not others or found is None:
        return "All methods share the best mean rank."
    ranked = "ranked " * any(one.scored for one in verdict.incomplete)
    near = [name for name in others if name not in found.better_than]
    every = others[0] if len(others) == 1 else f"every other {ranked}method"
    ahead = f"significantly better than {every}"
    if near:
        tied = len(verdict.best) > 1
        ahead = f"but not significantly better than {some(near, others, tied, ranked)}"
    verb = "has" if len(verdict.best) == 1 else "share"
    return (
        f"{_names(verdict.best)} {verb} the best mean rank by {metric_words(verdict.metric)} over {verdict.over}, "
        f"{ahead}."
        + " Mean ranks decide that, because Wilcoxon’s test cannot be significant on so few data sets."
        * (found.test == "ranks")
    )


def _decisive(verdict: StudyVerdict) -> list[str]:
    """On how many data sets the lead of the best method over the next one would be significant, if it is not."""
    found = verdict.ranking
    if found is None or found.next is None:
        return []
    lead = f"The difference between {found.method} and {found.next}, the next by mean rank,"
    if found.datasets_needed is None:
        return [f"{lead} is too small to be significant on {MAX_DATASETS:,} data sets like these."]
    return [f"{lead} would be significant on about {found.datasets_needed} data sets like these."]


def some(part: list[str], others: list[str], beside: bool = False, ranked: str = "") -> str:
    """A part of the others in words: 2 of the 3 others, both others; 2 of the 3 other methods `beside` several. A
    single other is named."""
    n, noun = len(others), f"other {ranked}methods" if beside or ranked else "others"
    if n == 1:
        return others[0]
    if len(part) < n:
        return f"{len(part)} of the {n} {noun}"
    return f"both {noun}" if n == 2 else f"all {n} {noun}"


def _names(names: list[str]) -> str:
    return names_and_others(names, NAMES)
