"""The verdicts of data sets, the comparison across them and the controls in sentences, for the tables and the page.

Probabilities on a data set come from the Bayesian correlated t test of the best method against each other one, with the
study's region of practical equivalence (`rope`). The best method is clearly the best if its probabilities of not being
better sum to at most 1 − SURE over all others (union bound). Holm's correction covers the comparisons with the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from linclass.base.messages import counted, names_and_others
from linclass.evaluation.comparisons.bayesian import bayesian_signed_rank
from linclass.evaluation.comparisons.control import data_sets_needed, least_adjusted_p
from linclass_study.analysis.across_datasets import (
    ComparisonAcross,
    Scenario,
    comparison_across,
    independent,
    steady,
)
from linclass_study.analysis.comparison_with_control import (
    MAX_DATASETS,
    Across,
    Verdict,
    across,
    controls,
    cost_ratios,
    focus_of,
    verdicts,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.verdict import DatasetVerdict, StudyVerdict, no_ranking
from linclass_study.analysis.within_dataset import ALPHA, SURE, comparison_within, rope_of
from linclass_study.analysis.wording import (
    IF_ALL_TRUE,
    IF_TRUE,
    cost_words,
    format_probability,
    metric_words,
    p_words,
)

NAMES = 4  # methods or data sets named in a sentence; the others are counted
NAMED = 6  # data sets, or excluded runs, that are named one by one


def _listed(names: Sequence[str]) -> str:
    return names_and_others(names, NAMES)


def confidence(verdict: DatasetVerdict) -> str:
    """How certain it is that the best method, or those that share the best mean, are better than the others."""
    tied = len(verdict.best) > 1
    others = [name for name in verdict.methods if name not in verdict.best]
    if not others:
        return "no method is behind them" if tied else "there is no other method to compare with"
    if not verdict.comparisons:
        return "only one score per method: uncertainty cannot be estimated"
    rivals = [name for name in others if name in verdict.indistinguishable]
    if not rivals and not tied:
        return "it is clearly the best"
    n, worse = len(others), len(others) - len(rivals)
    those = f"all {n} others are" if n > 1 else f"{others[0]} is"
    if not rivals:
        return f"{those} clearly worse"
    if worse:
        those = f"{len(rivals)} of the {n} others {'is' if len(rivals) == 1 else 'are'}"
    more = f", {worse} {'is' if worse == 1 else 'are'} clearly worse" * (worse > 0)
    return f"{those} indistinguishable from {'them' if tied else 'it'}{more}"


def not_ranked(verdict: StudyVerdict) -> str:
    """Sentences about methods that are not ranked: the scores that are missing, and the mean rank if these counted as
    worst; empty if all methods are ranked, or the data sets are too few."""
    if not verdict.incomplete:
        return ""
    each = []
    for one in verdict.incomplete[:NAMES]:
        why = f"no score on {_listed(one.datasets)}: {one.reason}"
        if one.rank is not None:
            why += f"; mean rank {one.rank:.2f} of {one.of} if missing scores count as worst"
        each.append(f"{one.method} ({why})")
    if more := len(verdict.incomplete) - len(each):
        each.append(f"{counted(more, 'other')} (tables/incomplete.csv)")
    sentence = f"Not ranked: {', '.join(each)}."
    if verdict.first_anyway:
        sentence += (
            f" {_listed(verdict.first_anyway)} would be first both if missing scores count as worst and without the "
            "data sets on which a method lacks one (tables/sensitivity.csv)."
        )
    return sentence


def excluded_sentence(verdict: StudyVerdict, because: str = "") -> str:
    """A sentence about the methods that are excluded on a data set, with the reasons if they are few; of those whose
    reason begins with `because`."""
    places: dict[tuple[str, str], list[str]] = {}
    for one in verdict.datasets:
        for method, why in one.excluded.items() if one.available else ():
            if not why.startswith(because):
                continue
            places.setdefault((method, why), []).append(one.dataset)
    if not places:
        return ""
    each = [f"{method} on {_listed(on)} ({why})" for (method, why), on in places.items()]
    if sum(map(len, places.values())) > NAMED:
        times = Counter(method for (method, _), on in places.items() for _ in on)
        most = times.most_common(NAMES)
        each = [f"{method} on {counted(number, 'data set')}" for method, number in most]
        each += [f"{counted(len(times) - NAMES, 'other')} on fewer"] * (len(times) > NAMES)
    return f"Excluded: {', '.join(each)}."


def certainty(verdict: DatasetVerdict) -> str:
    """How the best method of a data set compares with the others, with the numbers of the tests."""
    if not verdict.methods:
        return "No method succeeded on every fold, so none is best."
    best, *others = verdict.methods
    if not others:
        return f"{best} alone has a score on every fold: there is nothing to compare it with."
    if not verdict.comparisons:
        return (
            f"One value of each method ({verdict.over}) has no spread, so the order of the methods is uncertain; "
            "repeated folds would show by how much."
        )
    n, rivals = len(others), len(verdict.indistinguishable)
    lead = f"{best} is clearly the best."
    if rivals:
        lead = f"No method is clearly the best: {rivals} of {counted(n, 'other')} may be as good as {best}."
    equal = sum(one.equal >= SURE for one in verdict.comparisons.values())
    apart = sum(one.p_holm < ALPHA for one in verdict.comparisons.values())
    decided = (
        f"With a probability of at least {SURE:g} it is better than {n - rivals} of them by more than {verdict.rope:g} "
        f"in {metric_words(verdict.metric)}, all at once (union bound), and equal in practice to {equal}, each on its "
        "own."
    )
    shared = f"{len(verdict.best)} methods share the best mean." * (len(verdict.best) > 1)
    sentences = [lead, shared, decided]
    if (rival := verdict.closest_rival) is not None:
        chances = [format_probability(p) for p in verdict.comparisons[rival.other][:3]]
        sentences.append(
            f"Its closest rival is {rival.other}: with probability {chances[0]} better, {chances[1]} equal in "
            f"practice, {chances[2]} worse."
        )
        if rival.repeats is not None:
            sentences.append(f"That is undecided: {rival.repeats}.")
    sentences.append(
        f"(Bayesian correlated t test over {verdict.over}, n = {verdict.folds}, n_test/n_train = {verdict.ratio:.3g}. "
        f"The corrected t test, which is two-sided, with Holm’s correction over {counted(n, 'comparison')}, "
        f"distinguishes {apart} of {n} from it at α = {ALPHA:g}.)"
    )
    return " ".join(filter(None, sentences))


# across data sets


def sentences(outcome: Outcome, base: ComparisonAcross, tried: list[Scenario]) -> list[str]:
    """Best method, overall test of the ranks, significant differences, practical differences, sensitivity."""
    if why := no_ranking(base):
        return [why]
    if not base.enough:
        few = "Fewer than two data sets, or fewer than two methods, have scores"
        return [f"{few}: nothing to compare across data sets."]
    n, k = base.table.shape
    average, difference = base.nemenyi.ranks, base.nemenyi.critical_difference
    verb = "has" if len(base.best) == 1 else "share"
    lead = f"{_listed(base.best)} {verb} the best mean rank by {metric_words(base.metric)}"
    lines = [f"{lead}, {average.min():.2f} of {k}, over {independent(base)}.", *_other_orders(base)]
    if (test := base.friedman) is not None:
        differ = "differ significantly" if test.f_p < ALPHA else "do not differ significantly"
        f = f"{test.f:.2f}" if np.isfinite(test.f) else "∞"
        lines.append(
            f"The methods {differ}: Iman and Davenport’s F = {f}, {p_words(test.f_p)}, on {n} data sets and {k} "
            f"methods; Friedman’s χ² = {test.statistic:.2f}, {p_words(test.p)}, is too conservative (Demšar, 2006)."
        )
    first, *others = np.argsort(average, kind="stable").tolist()
    near_best = [base.methods[j] for j in others if average[j] - average[first] <= difference]
    beyond = [base.methods[j] for j in others if base.methods[j] not in near_best]
    lines.append(
        f"{rank_test(k)} at α = {ALPHA} (critical difference {difference:.2f} ranks) distinguishes "
        f"{distinguished(near_best, beyond)} from {base.methods[first]}."
    )
    if not focus_of(outcome):  # which the page says first
        compared = (across(outcome, base, name) for name in controls(outcome, base))
        lines += [line for one in compared if one for line in control_sentences(base, one)]
    return [*lines, _practical(outcome, base), *_sensitivity(tried)]


def rank_test(k: int) -> str:
    """The name of the test that compares mean ranks of k methods."""
    return "Nemenyi’s test" if k > 2 else "The sign test"


def not_ranked_note(base: ComparisonAcross, labels: Mapping[str, str]) -> str:
    """A sentence for captions about the methods that are left out of ranks, tests and ratings; empty if none is."""
    lacking = [labels[name] for name in base.every.incomplete]
    if not lacking:
        return ""
    return f" Not ranked, as a score is missing on some data set: {_listed(lacking)} (tables/incomplete.csv)."


def _other_orders(base: ComparisonAcross) -> list[str]:
    """Which methods come first by other averages, if these are not the best ones by rank."""
    orders = {
        f"by mean {metric_words(base.metric)}": base.table.mean(axis=0),
        "by Bradley and Terry’s rating": base.ratings.elo,
    }
    firsts = []
    for order, values in orders.items():
        first = [base.methods[j] for j in np.flatnonzero(values >= values.max() - 1e-6)]
        if not {*first} <= {*base.best}:
            firsts.append(f"{_listed(first)} {order}")
    why = "Ranks and ratings count how often a method is ahead, the mean by how much."
    others = f"Other criteria rank a different method first: {', '.join(firsts)}. {why}"
    return [others] if firsts else []


def distinguished(near: list[str], far: list[str]) -> str:
    """The methods that are `far` from the best, by their names or, if these are fewer, by those that are `near`."""
    if not far or not near:
        return "every other method" if far else "no other method"
    return f"only {_listed(far)}" if len(far) <= len(near) else f"all but {_listed(near)}"


def _practical(outcome: Outcome, base: ComparisonAcross) -> str:
    """Compare the best method with the first one that does not share its mean rank."""
    best = base.best[0]
    order = [base.methods[j] for j in np.argsort(base.nemenyi.ranks, kind="stable")]
    second = next((method for method in order if method not in base.best), None)
    if second is None:
        return "All methods share the best mean rank, so there is no runner-up."
    rope = rope_of(outcome.evaluation)
    pair = base.table[:, [base.methods.index(best), base.methods.index(second)]]
    posterior = bayesian_signed_rank(pair, rope)
    better, equal, worse = (format_probability(float(part[0, 1])) for part in posterior)
    return (
        f"{best} against the runner-up, {second}: with probability {better} better by more than {rope:g}, {equal} "
        f"equal in practice, {worse} worse. Each is the probability that the typical difference on data sets like "
        f"these, which is about the median, lies beyond or within ±{rope:g} (Bayesian signed-rank test, n = "
        f"{len(pair)}; it takes the mean of each data set as exact)."
    )


def _sensitivity(tried: list[Scenario]) -> list[str]:
    """The conclusion survives if the same method is among the best in every variation in which it has a score."""
    if not tried:
        return []
    best, always_best = [*tried[0].best], steady(tried)
    variations = [one for one in tried[1:] if one.scored]
    changes = [one.what for one in variations if not one.kept]
    n, lines = len(variations), []
    if always_best and n:
        stay = "stays" if len(always_best) == 1 else "stay"
        lines.append(f"{_listed(always_best)} {stay} among the best in all {n} variations below.")
    elif changes:
        other = "Another method is best" if len(best) == 1 else "None of these is among the best"
        lines.append(f"{other} in {len(changes)} of {n} variations: {_listed(changes)}.")
    elif n:
        lines.append(f"No single method is among the best in all {n} variations below.")
    if without := [one.what for one in tried if not one.scored]:
        verb = "has" if len(best) == 1 else "have"
        lines.append(f"Variations in which {_listed(best)} {verb} no score: {_listed(without)}.")
    return lines


def too_few(base: ComparisonAcross, what: str, whole: str, least: int, table: str) -> str:
    """Why a figure of `what`, by its `whole` name, is not drawn; empty if there are enough data sets."""
    if not base.enough:
        return f"{what} need two methods with scores on all of at least two data sets"
    if len(base.datasets) >= least:
        return ""
    return (
        f"{whole} are not drawn: {counted(len(base.datasets), 'independent data set')} are too few for a significant "
        f"difference; at least {least} are required. tables/{table}.csv has the values."
    )


def unattainable(n: int, comparisons: int, what: str, of: str = "comparisons") -> str:
    """Sentence about tests that cannot be significant on n data sets after Holm's correction, and how many suffice."""
    if least_adjusted_p(n, comparisons) < ALPHA:
        return ""
    return (
        f"On {counted(n, 'data set')} {what} can be significant by Wilcoxon’s test{_corrected(comparisons, of)}; that "
        f"takes at least {data_sets_needed(comparisons, ALPHA)} independent data sets."
    )


def _corrected(comparisons: int, of: str) -> str:
    """with Holm’s correction over 3 comparisons; empty for a single one, which needs none"""
    return f" with Holm’s correction over {comparisons:,} {of}" if comparisons > 1 else ""


# the focus and other controls


def focus_sentences(outcome: Outcome) -> list[str]:
    """What the study says about its focus; empty without one."""
    lines, rope = [], rope_of(outcome.evaluation)
    for name in focus_of(outcome):
        base = comparison_across(outcome)
        single, result = verdicts(outcome, name), across(outcome, base, name)
        if result and result.enough:
            lines += control_sentences(base, result, lead=True) + _against_nearest(outcome, result)
        if single:
            counts = Counter(one.decided for one in single)
            lines.append(
                f"On single data sets {name} is better by more than {rope:g} in {counts['better']} of "
                f"{counted(len(single), 'comparison')}, worse in {counts['worse']} and equal in practice in "
                f"{counts['equal']}, each with a probability of at least {SURE:g}; {counts['undecided']} are undecided."
            )
            lines += undecided_sentences(single)
        parts = outcome.parts().items()
        lacking = [d for d, part in parts if name not in comparison_within(part, d).methods]
        if lacking:
            lines.append(f"{name} has no score to compare on {_listed(lacking)}.")
    return lines


def control_sentences(base: ComparisonAcross, result: Across, lead: bool = False) -> list[str]:
    """Sentences about the methods from which a control differs across data sets, the test, and what would decide."""
    if not result.enough:
        return []
    n, m, by = result.n, len(result.others), result.by_verdict()
    other = f"other {'ranked ' * bool({*base.every.incomplete} - {result.control})}method"
    verbs = {
        "better": "significantly better than",
        "worse": "significantly worse than",
        "open": "not significantly different from",
    }
    groups = [f"{words} {_listed(by[key])}" for key, words in verbs.items() if by[key]]
    of = "comparisons" if result.chosen_from is None else "pairs"
    test = "mean ranks" if result.by_ranks else "Wilcoxon’s signed-rank test"
    test += _corrected(result.comparisons, of)
    if result.test == "nemenyi":
        test = "Nemenyi’s test of all pairs"
    words = f" by {metric_words(base.metric)}" if lead else ""
    whom = counted(m, other) if m > 1 else result.others[0]
    who = f"{result.control} against {whom}{words} across {counted(n, 'independent data set')}"
    lines = [f"{who}: {', '.join(groups)} ({test})."]
    if never := unattainable(n, result.comparisons, f"no comparison with {result.control}", of):
        ranks = (
            "Mean ranks are therefore compared, whose p-values also depend on the other methods."
        )
        lines.append(never + f" {ranks}" * result.by_ranks)
    return lines + _more_datasets(result)


def _more_datasets(result: Across) -> list[str]:
    """How many data sets would make differences significant that are not."""
    undecided = (result.adjusted >= ALPHA) & ~result.same
    needed = result.datasets_needed()
    by_number = sorted((number, result.others[j]) for j, number in enumerate(needed) if number)
    small = [result.others[j] for j in np.flatnonzero(undecided) if needed[j] is None]
    each = [f"{number} against {name}" for number, name in by_number[:NAMES]]
    each += [f"more against {counted(len(by_number) - NAMES, 'other')}"] * (len(by_number) > NAMES)
    lines = []
    if each:
        takes = "significance takes this number of data sets like these"
        lines.append(f"{IF_ALL_TRUE}, {takes}: about {', '.join(each)}.")
    if small:
        lines.append(
            f"{IF_TRUE if len(small) == 1 else IF_ALL_TRUE}, significance against {_listed(small)} takes more than "
            f"{MAX_DATASETS:,} data sets like these."
        )
    return lines


def _against_nearest(outcome: Outcome, result: Across) -> list[str]:
    """Wins, ties and losses against the best of the others by mean rank, and the cost."""
    j = result.next_by_rank
    if j is None:
        return []
    won, tied, lost = result.won_tied_lost[j]
    ratio = cost_ratios(outcome, result)[j]
    cost = "" if ratio is None else f"; {cost_words(result.control, result.others[j], 1 / ratio)}"
    games = (
        f"Against {result.others[j]}{', the best of the others by mean rank,' * (len(result.others) > 1)} it won on "
        f"{won}, tied on {tied} and lost on {lost} data sets (a tie is a difference of at most {result.rope:g}); its "
        f"mean {metric_words(outcome.metric)} is {_gap_words(result.difference[j], 'better by', 'worse by')}{cost}."
    )
    return [games]


def _gap_words(difference: float, ahead: str, behind: str) -> str:
    """A difference in words, equal if it rounds to 0."""
    size = f"{abs(difference):.3f}"
    return "equal" if size == "0.000" else f"{ahead if difference > 0 else behind} {size}"


def undecided_sentences(compared: list[Verdict]) -> list[str]:
    """What more repeats of the folds would decide on single data sets, with the example that takes the fewest."""
    more = [(one.repeats, one) for one in compared if one.repeats is not None]
    if not more:
        return []
    repeats, nearest = min(more, key=lambda pair: pair[0].repeats or np.inf)
    decidable = sum(bool(each.decide) for each, _ in more)
    undecided = counted(len(more), "undecided comparison")
    if not decidable:
        never = "cannot be decided by more repeats, only by more rows or data sets"
        return [f"{IF_ALL_TRUE}, {undecided} {never}."]
    size = _gap_words(nearest.difference, "ahead by", "behind by")
    sentence = (
        f"{IF_ALL_TRUE}, more repeats would decide {decidable} of {undecided}; for example, `repeats: "
        f"{repeats.repeats}` would show that on {nearest.dataset} {nearest.control}, now {size}, is "
        f"{repeats.decide} {'to' if repeats.decide.startswith('equal') else 'than'} {nearest.other}."
    )
    return [sentence]
