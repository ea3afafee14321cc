"""Conclusions across data sets and about the controls, in sentences that name test, n and correction; why a figure is
not drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np

from linclass.base.messages import counted, names_and_others
from linclass.evaluation.comparisons.bayesian import bayesian_signed_rank
from linclass.evaluation.comparisons.control import data_sets_needed, least_adjusted_p
from linclass.evaluation.comparisons.rank_tests import critical_difference
from linclass_study.analysis.across_datasets import (
    ALPHA,
    FEW,
    PAIRED,
    AllScores,
    ComparisonAcross,
    Scenario,
    comparison_across,
    steady,
)
from linclass_study.analysis.controls import (
    MAX_DATASETS,
    Across,
    Verdict,
    across,
    controls,
    cost_ratios,
    focus_of,
    repeats_words,
    verdicts,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.within_dataset import (
    SURE,
    comparison_within,
    posterior_of_pair,
    rope_of,
)
from linclass_study.analysis.wording import format_probability, metric_words

NAMES = 4  # methods named in a sentence; the others are counted


def sentences(outcome: Outcome, base: ComparisonAcross, tried: list[Scenario]) -> list[str]:
    """Best method, overall test of the ranks, significant differences, practical differences, sensitivity."""
    if why := no_ranking(base):
        return [why]
    if not base.enough:
        return [
            "Fewer than two data sets, or fewer than two methods, have scores: nothing to compare across data sets."
        ]
    n, k = base.table.shape
    average, difference = base.nemenyi.ranks, base.nemenyi.critical_difference
    verb = "has" if len(base.best) == 1 else "share"
    lead = (
        f"{_listed(base.best)} {verb} the best mean rank by {metric_words(base.metric)}, {average.min():.2f} of "
        f"{len(base.methods)}, over {independent(base)}."
    )
    conclusions = [lead, *_other_orders(base)]
    if (test := base.friedman) is not None:
        found = "differ" if test.f_p < ALPHA else "do not differ significantly"
        conclusions.append(
            f"The methods {found}{' more than by chance' * (found == 'differ')}: Iman and Davenport’s F = "
            f"{_number(test.f)}, p {_p(test.f_p)}, which decides (Demšar, 2006) because Friedman’s χ² = "
            f"{test.statistic:.2f}, p {_p(test.p)}, is too conservative (n = {n} data sets, k = {k} methods)."
        )
    first = int(np.argmin(average))
    others = [j for j in np.argsort(average, kind="stable") if j != first]
    near = [base.methods[j] for j in others if average[j] - average[first] <= difference]
    far = [base.methods[j] for j in others if base.methods[j] not in near]
    conclusions.append(
        f"{rank_test(k)} at α = {ALPHA} (critical difference {difference:.2f} ranks) distinguishes "
        f"{distinguished(near, far)} from {base.methods[first]}."
    )
    if not focus_of(outcome):  # which the page says first
        compared = (across(outcome, base, name) for name in controls(outcome, base))
        conclusions += [line for one in compared if one for line in control_sentences(base, one)]
    conclusions += _practical(outcome, base)
    return conclusions + _sensitivity(tried)


def rank_test(k: int, article: str = "The") -> str:
    """The name of the test that compares mean ranks of k methods."""
    return "Nemenyi’s test" if k > 2 else f"{article} sign test"


def no_ranking(base: ComparisonAcross) -> str:
    """Why methods are not ranked: too few have a score on every data set, or data sets are too few; empty if they are
    ranked, or if less than two methods or data sets have any score."""
    every = base.every
    if min(every.table.shape) < 2:
        return ""
    if len(base.methods) < 2:
        only = f"Only {base.methods[0]} has" if base.methods else "No method has"
        return (
            f"{only} a score on every one of {independent(every)}, so methods are not ranked"
            f"{_alternatives(every)}."
        )
    if len(base.datasets) < FEW:
        return (
            f"{independent(base)} are too few to rank methods. A conclusion needs at least {FEW}."
        )
    return ""


def _alternatives(every: AllScores) -> str:
    """Which methods are best when missing scores count as worst, and without data sets on which some are."""
    worst, without = every.missing_worst, every.gaps_left_out
    found = []
    if worst.enough:
        found.append(f"{_listed(worst.best)} if missing scores count as worst")
    if without.enough:
        found.append(
            f"{_listed(without.best)} over the {len(without.datasets)} data sets on which "
            f"{_listed(without.methods)} have a score"
        )
    return f"; best mean rank: {', '.join(found)}" if found else ""


def independent(base: ComparisonAcross | AllScores) -> str:
    """3 independent data sets (a and b count as one)"""
    notes = [
        f"{_listed([*group])} count as one" for group in base.shared if group[0] in base.datasets
    ]
    return f"{len(base.datasets)} independent data sets" + (
        f" ({'; '.join(notes)})" if notes else ""
    )


def not_ranked_note(base: ComparisonAcross) -> str:
    """A sentence for captions about the methods that are left out of ranks, tests and ratings; empty if none is."""
    lacking = base.every.incomplete
    if not lacking:
        return ""
    are, lack = ("is", "lacks") if len(lacking) == 1 else ("are", "lack")
    return (
        f" {_listed(lacking)} {are} left out, because {'it' if len(lacking) == 1 else 'they'} {lack} a score on some "
        "data set (tables/incomplete.csv)."
    )


def _other_orders(base: ComparisonAcross) -> list[str]:
    """Which methods come first by other averages, if these are not the best ones by rank."""
    orders = {
        f"by mean {metric_words(base.metric)}": base.table.mean(axis=0),
        "by Bradley and Terry’s rating": base.ratings.elo,
    }
    found = []
    for order, values in orders.items():
        first = [base.methods[j] for j in np.flatnonzero(values >= values.max() - 1e-6)]
        if first != base.best:
            found.append(f"{_listed(first)} {order}")
    if not found:
        return []
    why = "Ranks and ratings count how often a method is ahead, the mean by how much."
    return [f"Other criteria rank a different method first: {', '.join(found)}. {why}"]


def distinguished(near: list[str], far: list[str]) -> str:
    """The methods that are `far` from the best, by their names or, if these are fewer, by those that are `near`."""
    if not far or not near:
        return "every other method" if far else "no other method"
    return f"only {_listed(far)}" if len(far) <= len(near) else f"all but {_listed(near)}"


def _practical(outcome: Outcome, base: ComparisonAcross) -> list[str]:
    """Compare the best method with the first one that does not share its mean rank."""
    best = base.best
    order = [base.methods[j] for j in np.argsort(base.nemenyi.ranks, kind="stable")]
    second = next((method for method in order if method not in best), None)
    if second is None:
        return ["All methods share the best mean rank, so there is no runner-up."]
    rope = rope_of(outcome.evaluation)
    pair = base.table[:, [base.methods.index(best[0]), base.methods.index(second)]]
    found = bayesian_signed_rank(pair, rope)
    better, equal, worse = (format_probability(float(part[0, 1])) for part in found)
    sentence = (
        f"{best[0]} against the runner-up, {second}: with probability {better} better by more than "
        f"{rope:g}, {equal} equal in practice, {worse} worse (Bayesian signed-rank test, n = {len(pair)}; it takes "
        f"the mean of each as exact{_undecided(outcome, base, best[0], second)})."
    )
    return [sentence]


def _undecided(outcome: Outcome, base: ComparisonAcross, first: str, second: str) -> str:
    """On how many data sets the difference of two methods is inconclusive, of those that have several folds of both."""
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
    return f", {'but' if open_ones else 'and'} by the folds {those} differences are inconclusive"


def _sensitivity(tried: list[Scenario]) -> list[str]:
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


def too_few_for_ranks(base: ComparisonAcross) -> str:
    """The critical difference of mean ranks against the largest possible difference; empty if there are enough."""
    n, k = base.table.shape
    if n >= FEW:
        return ""
    difference = critical_difference(k, n, ALPHA)
    most = (
        "" if difference < k - 1 else f", and no two of {k} methods can differ by more than {k - 1}"
    )
    return (
        f"Mean ranks are not drawn: over {independent(base)} the critical difference of "
        f"{rank_test(k, 'the')} at α = {ALPHA} is {difference:.2f} ranks{most}. At least {FEW} data sets are required."
    )


def too_few_for_pairs(base: ComparisonAcross) -> str:
    """The least p of Wilcoxon's signed-rank test; empty if there are enough."""
    n = len(base.datasets)
    if n >= PAIRED:
        return ""
    least = f"{2 / 2**n:.4f}".strip("0").rstrip(".") if n > 1 else "1"
    return (
        f"Pairs of methods are not drawn: over {counted(n, 'independent data set')} the p of Wilcoxon’s signed-rank "
        f"test is at least {least}; p < .05 needs at least {PAIRED}. Differences, wins and losses are in "
        "tables/pairwise.csv."
    )


def too_few_for_ratings(base: ComparisonAcross) -> str:
    """Empty if there are enough."""
    n = len(base.datasets)
    if n >= FEW:
        return ""
    return (
        f"Ratings are not drawn: {counted(n, 'independent data set')} are too few, at least {FEW} are required. "
        "tables/ranks.csv has their values."
    )


def unattainable(n: int, comparisons: int, what: str) -> str:
    """That `what` cannot be significant on n data sets after Holm's correction, and from how many on it can."""
    least = least_adjusted_p(n, comparisons)
    if least < ALPHA:
        return ""
    number = f"{least:.3f}".removeprefix("0") if least < 1 else "1"
    return (
        f"On {counted(n, 'data set')} {what} can be significant by Wilcoxon’s test{_corrected(comparisons)}: its p "
        f"is at least {number}; it takes at least {data_sets_needed(comparisons, ALPHA)} independent data sets."
    )


def _corrected(comparisons: int) -> str:
    """with Holm’s correction over 3 comparisons; empty for a single one, which needs none"""
    return f" with Holm’s correction over {comparisons:,} comparisons" if comparisons > 1 else ""


def focus_sentences(outcome: Outcome) -> list[str]:
    """What the study says about its focus; empty without one."""
    base = comparison_across(outcome) if focus_of(outcome) else None
    return [line for name in focus_of(outcome) if base for line in _about(outcome, base, name)]


def _about(outcome: Outcome, base: ComparisonAcross, control: str) -> list[str]:
    own, found = verdicts(outcome, control), across(outcome, base, control)
    lacking = [
        name
        for name, part in outcome.parts().items()
        if control not in comparison_within(part, name).methods
    ]
    lines = [*control_sentences(base, found, lead=True)] if found else []
    if found and found.enough:
        lines += _against_nearest(outcome, found)
    if own:
        lines += _on_datasets(own, control, rope_of(outcome.evaluation))
    if lacking:
        lines.append(f"{control} has no score to compare on {names_and_others(lacking, NAMES)}.")
    return lines


def control_sentences(base: ComparisonAcross, found: Across, lead: bool = False) -> list[str]:
    """From which methods a control differs significantly across data sets, by which test, and what would decide."""
    if not found.enough:
        return []
    n, m = found.n, len(found.others)
    by = found.by_verdict()
    apart = {*base.every.incomplete}
    ranked = "ranked " * bool(apart - {found.control})
    other = f"{'' if ranked and found.control in apart else 'other '}{ranked}method"
    groups = [
        f"significantly {word} than {names_and_others(by[word], NAMES)}"
        for word in ("better", "worse")
        if by[word]
    ]
    if by["open"]:
        every = len(by["open"]) == m > 1
        rest = f"any {other}" if every else names_and_others(by["open"], NAMES)
        groups.append(f"not significantly different from {rest}")
    test = "mean ranks" if found.by_ranks else "Wilcoxon’s signed-rank test"
    words = f" by {metric_words(base.metric)}" if lead else ""
    whom = counted(m, other) if m > 1 else found.others[0]
    who = f"{found.control} against {whom}{words} across {counted(n, 'independent data set')}"
    lines = [f"{who}: {', '.join(groups)} ({test}{_corrected(m)})."]
    if never := unattainable(n, m, f"no comparison with {found.control}"):
        because = (
            " So mean ranks decide here, whose p also depends on the other methods."
            * found.by_ranks
        )
        lines.append(never + because)
    return lines + _more_datasets(found)


def _more_datasets(found: Across) -> list[str]:
    """How many data sets would decide what is not significant."""
    needed = [
        (number, name)
        for number, name, holm, same in zip(
            found.datasets_needed(), found.others, found.deciding.holm, found.same, strict=True
        )
        if not (holm < ALPHA or same)
    ]
    known = sorted((number, name) for number, name in needed if number is not None)
    small = [name for number, name in needed if number is None]
    each = [f"{number} against {name}" for number, name in known[:NAMES]]
    each += [f"more against {len(known) - NAMES} others"] * (len(known) > NAMES)
    lines = [f"Of data sets like these, significance would take about {', '.join(each)}."] * bool(
        known
    )
    if small:
        lines.append(
            f"The difference to {names_and_others(small, NAMES)} is too small for {MAX_DATASETS:,} "
            "data sets like these."
        )
    return lines


def _against_nearest(outcome: Outcome, found: Across) -> list[str]:
    """Wins, ties and losses against the best of the others by mean rank, and the cost."""
    j = found.next_by_rank
    if j is None:
        return []
    won, tied, lost = found.won_tied_lost[j]
    ratio = cost_ratios(outcome, found)[j]
    cost = "" if ratio is None else f"; a fit takes {ratio:.2g} times as long"
    size = f"{abs(found.difference[j]):.3f}"
    side = f"{'better' if found.difference[j] > 0 else 'worse'} by {size}"
    difference = (
        f"its mean {metric_words(outcome.metric)} is {'equal' if size == '0.000' else side}"
    )
    games = f"it won on {won}, tied on {tied} and lost on {lost} data sets"
    tie = f"(a tie is a difference of at most {found.rope:g})"
    lead = f"Against {found.others[j]}{', the best of the others by mean rank,' * (len(found.others) > 1)}"
    return [f"{lead} {games} {tie}; {difference}{cost}."]


def _on_datasets(own: list[Verdict], control: str, rope: float) -> list[str]:
    """How many comparisons on single data sets are decided, and what would decide the others."""
    counts = Counter(one.decided for one in own)
    lines = [
        (
            f"On single data sets {control} is better by more than {rope:g} in {counts['better']} of "
            f"{counted(len(own), 'comparison')}, worse in {counts['worse']} and equal in practice in "
            f"{counts['equal']}, each with a probability of at least {SURE:g}; {counts['undecided']} are undecided."
        )
    ]
    return lines + undecided_sentences(own)


def undecided_sentences(compared: list[Verdict], what: str = "") -> list[str]:
    """What more repeats of the folds would decide on single data sets, with the example that takes the fewest; `what`
    is compared."""
    more = [(one.repeats, one) for one in compared if one.repeats is not None]
    if not more:
        return []
    repeats, nearest = min(
        more, key=lambda pair: (not pair[0].decide, pair[0].repeats, pair[0].then)
    )
    n, decidable = len(more), sum(bool(one.decide) for one, _ in more)
    if n == 1:
        lead = f"More repeats would {'' if decidable else 'not '}decide the one undecided comparison{what}: on"
    else:
        how_many = f"all {n}" if decidable == n else f"{decidable or 'none'} of the {n}"
        lead = f"More repeats would decide {how_many} undecided comparisons{what}; for example, on"
    size = f"{abs(nearest.difference):.3f}"
    side = f"{size} {'ahead of' if nearest.difference > 0 else 'behind'}"
    side = "equal to" if size == "0.000" else side
    where = f"{nearest.dataset}, where {nearest.control} is {side} {nearest.other},"
    return [f"{lead} {where} {repeats_words(repeats)}."]
