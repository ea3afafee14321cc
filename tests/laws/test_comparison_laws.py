"""Laws of comparisons: what must hold for any table of scores, and against brute force."""

from itertools import product

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from linclass.evaluation import comparisons as compare
from linclass.evaluation.comparisons.bayesian import _weight_below

RNG = np.random.default_rng(0)
TABLE = np.round(RNG.random((12, 5)), 1)  # with ties


def test_ranks_are_scipys_but_for_noise_and_missing_scores():
    assert_array_equal(compare.ranks(TABLE), stats.rankdata(-TABLE, axis=1))
    noisy = TABLE + 1e-13 * RNG.standard_normal(TABLE.shape)
    assert_array_equal(compare.ranks(noisy), compare.ranks(TABLE))
    assert (stats.rankdata(-noisy, axis=1) != compare.ranks(TABLE)).any()  # which has no tolerance
    assert_array_equal(compare.ranks([[0.9, np.nan, 0.5]]), [[1, np.nan, 2]])


def test_friedmans_test_is_scipys_and_certain_of_equal_methods():
    found, expected = compare.friedman(TABLE), stats.friedmanchisquare(*TABLE.T)
    assert_allclose([found.statistic, found.p], [expected.statistic, expected.pvalue])
    equal = compare.friedman(np.ones((4, 3)))
    assert (equal.p, equal.f_p) == (1, 1)


def test_nemenyis_p_is_alpha_at_the_critical_difference():
    found = compare.nemenyi(TABLE, alpha=0.05)
    apart = np.abs(found.ranks[:, None] - found.ranks)
    assert_array_equal(found.p > 0.05, apart < found.critical_difference)
    for group in found.groups:
        assert np.ptp(found.ranks[group]) <= found.critical_difference


CORRECTIONS = {
    name: getattr(compare, name) for name in ("bonferroni", "holm", "hochberg", "finner")
}


def rejected(name, p, alpha):
    """The tests that a procedure rejects, from its steps with α as its authors state them, without adjusted values."""
    m, order = len(p), np.argsort(p, kind="stable").tolist()
    if name == "bonferroni":
        return {i for i in order if p[i] <= alpha / m}
    level = {
        "holm": lambda j: alpha / (m - j),
        "hochberg": lambda j: alpha / (m - j),
        "finner": lambda j: 1 - (1 - alpha) ** ((j + 1) / m),
    }[name]
    passed = [p[i] <= level(j) for j, i in enumerate(order)]
    if name == "hochberg":  # step up: all up to the last that passes
        return {*order[: m - passed[::-1].index(True)]} if any(passed) else set()
    return {*order[: passed.index(False)]} if not all(passed) else {*order}


@each("m", [1, 2, 3, 7])
@each("name", CORRECTIONS)
def test_adjusted_p_values_reject_what_the_steps_of_the_procedure_reject(name, m):
    """Also with ties, 0 and 1."""
    rng = np.random.default_rng(m)
    for _ in range(100):
        p = rng.choice([rng.random(m) ** 4, np.round(rng.random(m) ** 2, 1)])
        adjusted, alpha = CORRECTIONS[name](p), rng.random() / 2 + 1e-3
        expected = rejected(name, p.tolist(), alpha)
        assert {*np.flatnonzero(adjusted <= alpha)} == expected, (p, alpha)


def test_holms_correction_counts_pairs_once_and_missing_tests_never():
    for name, correct in CORRECTIONS.items():
        with_gap = correct([0.1, np.nan, 0.3])
        assert np.isnan(with_gap[1]), name
        assert_array_equal(with_gap[[0, 2]], correct([0.1, 0.3]))
    p = np.array([[1, 0.01, 0.2], [0.01, 1, 0.02], [0.2, 0.02, 1]])
    upper = compare.holm_of_pairs(p)[np.triu_indices(3, 1)]
    assert_allclose(upper, compare.holm([0.01, 0.2, 0.02]))
    assert_array_equal(np.diag(compare.holm_of_pairs(p)), 1)


def test_a_control_is_compared_with_all_others_without_influence_of_third_methods():
    others = np.arange(5) != 2
    for test in ("wilcoxon", "ranks"):
        found = compare.against_control(TABLE, 2, test)
        assert np.isnan([values[2] for values in found]).all()
        for name, correct in CORRECTIONS.items():
            assert_array_equal(getattr(found, name)[others], correct(found.p[others]))
    better = compare.average_ranks(TABLE) < compare.average_ranks(TABLE)[2]
    assert_array_equal((found.z > 0)[others], better[others])
    whole, part = compare.against_control(TABLE, 1), compare.against_control(TABLE[:, [4, 1]], 1)
    assert whole.p[4] == part.p[0] == compare.pairwise(TABLE).p[4, 1]
    by_ranks = [compare.against_control(T, 1, "ranks") for T in (TABLE, TABLE[:, [4, 1]])]
    assert by_ranks[0].p[4] != by_ranks[1].p[0]


def test_a_missing_score_costs_one_comparison_one_data_set():
    table = TABLE.copy()
    table[3, 0] = np.nan
    found, whole = compare.against_control(table, 4), compare.against_control(TABLE, 4)
    assert found.p[0] == compare.against_control(np.delete(TABLE, 3, axis=0), 4).p[0]
    assert_array_equal(found.p[1:4], whole.p[1:4])
    with pytest.raises(ValueError, match="1 of 60 scores are missing"):
        compare.against_control(table, 4, "ranks")
    with pytest.raises(ValueError, match="test is 'sign'; it must be one of 'wilcoxon', 'ranks'"):
        compare.against_control(table, 4, "sign")


def test_no_table_has_a_smaller_adjusted_p_than_the_least():
    """It is reached where the control wins everywhere against one method and the others are as good as the control."""
    for n, k in ((1, 2), (3, 3), (6, 2), (8, 5), (10, 11)):
        table = np.zeros((n, k))
        table[:, 1] = -np.arange(1, n + 1)
        least = compare.least_adjusted_p(n, k - 1)
        assert compare.against_control(table, 0).holm[1] == pytest.approx(least)
        for _ in range(20):
            found = compare.against_control(np.sort(RNG.random((n, k)), axis=1), 0)
            assert np.nanmin(found.holm) >= least * (1 - 1e-12)
            assert np.nanmin(found.bonferroni) >= least * (1 - 1e-12)


def test_the_corrected_t_test_without_correction_is_the_paired_one_and_its_posterior_the_one_sided_p():
    plain, expected = compare.corrected_t(TABLE, ratio=0), stats.ttest_rel(TABLE[:, 0], TABLE[:, 3])
    assert_allclose([plain.t[0, 3], plain.p[0, 3]], [expected.statistic, expected.pvalue])
    found, posterior = compare.corrected_t(TABLE, 1 / 9), compare.bayesian_t(TABLE, 1 / 9)
    assert (found.p >= plain.p).all()
    above = found.difference > 0
    assert_allclose(posterior.worse[above], found.p[above] / 2)


def test_intervals_end_at_the_bounds_and_exclude_zero_where_the_test_rejects():
    found = compare.corrected_interval(TABLE, 1 / 9, bounds=(0.4, 0.6))
    free = compare.corrected_interval(TABLE, 1 / 9)
    assert_array_equal(found.lower, np.maximum(free.lower, 0.4))
    assert_array_equal(found.upper, np.minimum(free.upper, 0.6))
    p = compare.corrected_t(TABLE, 1 / 9).p[0]
    differences = TABLE[:, :1] - TABLE
    found = compare.corrected_interval(differences, 1 / 9)
    outside = (found.lower > 0) | (found.upper < 0)
    assert_array_equal(outside, p < 0.05)
    at_p = compare.corrected_interval(differences[:, 1:2], 1 / 9, level=1 - p[1])
    assert min(abs(at_p.lower[0]), abs(at_p.upper[0])) == pytest.approx(0, abs=1e-12)


@each("n", [*range(1, 13), 20, 51])
def test_nemenyis_test_of_two_methods_is_the_sign_test(n):
    """The normal approximation would find a difference by chance with a probability of .0625 for n = 5, .0703 for 8."""
    wins = np.arange(n + 1)
    tables = [np.array([[1.0, 0.0]] * w + [[0.0, 1.0]] * (n - w)) for w in wins]
    found = [compare.nemenyi(table) for table in tables]
    apart = np.array([not one.groups for one in found])
    assert stats.binom.pmf(wins[apart], n, 0.5).sum() <= 0.05
    exact = [stats.binomtest(int(w), n).pvalue for w in wins]
    assert_allclose([one.p[0, 1] for one in found], exact, atol=1e-12)
    assert_array_equal(apart, np.array(exact) <= 0.05)


@each(("p", "n", "folds"), [(0.99, 100, 10), (0.98, 40, 2), (0.95, 30, 3)])
def test_intervals_cover_the_accuracy_also_where_no_fold_has_an_error(p, n, folds):
    """With sd = 0 they would be [1, 1], which never covers p: a coverage of .65, .50 and .74."""
    right = np.random.default_rng(3).random((1000, folds, n // folds)) < p
    found = compare.corrected_interval(right.mean(axis=2).T, 1 / (folds - 1), step=folds / n)
    assert ((found.lower <= p) & (p <= found.upper)).mean() >= 0.95


@each(("n", "folds"), [(20, 2), (40, 2), (12, 3)])
def test_few_folds_distinguish_equal_methods_in_at_most_one_of_twenty_studies(n, folds):
    """The same difference on two folds is frequent: with sd = 0 it would give p = 0 and P(better) = 1."""
    rng = np.random.default_rng(5)
    right = rng.random((2, 1500, folds, n // folds)) < 0.85
    right[1] = np.where(rng.random(right[0].shape) < 0.5, right[0], right[1])
    tables = np.moveaxis(right.mean(axis=3), 0, 2)
    step = folds / n
    p = [compare.corrected_t(table, 1 / (folds - 1), step).p[0, 1] for table in tables]
    assert np.mean(np.array(p) < 0.05) <= 0.05
    found = [compare.bayesian_t(table, 1 / (folds - 1), 0.01, step) for table in tables]
    assert np.mean([one.better[0, 1] >= 0.95 for one in found]) <= 0.05


def test_the_certainty_of_ties_on_every_fold_is_limited_by_the_number_of_rows():
    """No row of 150 distinguishes the methods: the rate of such rows is above .01 with a probability of .99^151 under a
    uniform prior. Of 15,000 rows equality in practice is certain, and so it is of a method and itself."""
    table = np.full((10, 2), 0.9)
    few, many = (compare.bayesian_t(table, 1 / 9, 0.01, 10 / n) for n in (150, 15_000))
    assert few.equal[0, 1] == pytest.approx(1 - 0.99**151, abs=0.1)
    assert many.equal[0, 1] > 0.999
    assert (few.equal.diagonal() == 1).all()
    assert compare.bayesian_t(table, 1 / 9, 0.0, 10 / 150).equal[0, 1] == 1


def test_some_rows_of_the_bayesian_test_are_those_of_all_pairs():
    rows = [3, 0]
    every = compare.bayesian_t(TABLE, 1 / 9, 0.05)
    for some, of_all in zip(compare.bayesian_t(TABLE, 1 / 9, 0.05, rows=rows), every, strict=True):
        assert_array_equal(some, of_all[rows])


def test_differences_of_exactly_the_rope_are_equal_and_impossible_outcomes_zero():
    """.85 − .84 is .01 up to rounding, other sums are smaller. Not −1e−17, which a report would write as −0.00."""
    found = compare.bayesian_t([[0.85, 0.84]] * 5, 1 / 4, rope=0.01)
    assert found.equal[0, 1] == 1
    for low in (0.84, 0.14, 0.29):
        found = compare.bayesian_signed_rank([[low + 0.01, low]] * 6, rope=0.01, draws=200)
        assert found.equal[0, 1] == 1
    scores = np.array([[0.95, 0.89], [0.99, 0.94]])
    for rope in (0.0, 0.01):
        found = compare.bayesian_signed_rank(scores, rope)
        assert all((values >= 0).all() and not np.signbit(values).any() for values in found)


POSTERIORS = each(("asked", "options"), [
    (compare.bayesian_t, {"ratio": 1 / 9}), (compare.bayesian_signed_rank, {"draws": 2000}),
])  # fmt: skip


@each("rope", [0.0, 0.05])
@POSTERIORS
def test_three_probabilities_are_one_together_and_mirror_each_other(asked, options, rope):
    found = asked(TABLE, rope=rope, **options)
    assert_allclose(found.better + found.equal + found.worse, 1)
    assert_allclose(found.better, found.worse.T, atol=1e-12)
    assert rope or "draws" in options or not found.equal[0, 1]


@each("rope", [0.0, 0.01])
@POSTERIORS
def test_methods_of_equal_scores_are_equal_for_certain(asked, options, rope):
    """Also without a rope, and with themselves: every sum of two differences is 0, so d_s + d_t > 0 has weight 0."""
    found = asked([[1, 1]] * 5, rope=rope, **options)
    assert_array_equal(found.equal, np.ones((2, 2)))
    assert not found.better.any()
    assert not found.worse.any()


def test_the_signed_rank_test_of_one_win_among_ties_is_that_of_its_weight():
    """w ~ Beta(1, N − 1 + prior) of the win: better 1 − (1 − w)² > ½ where w > 1 − √½."""
    for ties in (1, 4, 49):
        found = compare.bayesian_signed_rank([[2.0, 1.0]] + [[1.0, 1.0]] * ties)
        exact = stats.beta.sf(1 - np.sqrt(0.5), 1, ties + 0.5)
        assert found.better[0, 1] == pytest.approx(exact, abs=4 * np.sqrt(exact / 50_000) + 1e-4)
        assert found.equal[0, 1] == pytest.approx(1 - found.better[0, 1])


@each("limit", [5e-10, 1.5, 4.5, 100.0])
def test_the_weight_of_pairs_below_a_limit_is_the_sum_over_all_pairs(limit):
    rng = np.random.default_rng(4)
    for n in (1, 2, 9, 40):
        d, w = rng.integers(-4, 5, n).astype(float), rng.dirichlet(np.ones(n), 3)
        below = (d[:, None] + d < -limit).astype(float)
        assert_allclose(_weight_below(w.T, d, limit), ((w @ below) * w).sum(axis=1), atol=1e-15)


def by_all_signs(d):
    """Wilcoxon's two-sided p with Pratt's ranks, by all signs of the differences that are not 0."""
    order, nonzero = stats.rankdata(np.abs(d)), d != 0
    observed = order[d > 0].sum()
    signs = np.array(list(product([0, 1], repeat=int(nonzero.sum()))))
    sums = signs @ order[nonzero]
    return min(1.0, 2 * min((sums >= observed).mean(), (sums <= observed).mean()))


@each(
    "d",
    [
        [0.31, -0.12, 0.54, 0.23, 0.77, 0.08],  # no ties
        [0.0, -0.1, -0.2, -0.3, -0.4, -0.5],  # five losses and a tie: 2/2⁵
        [0.1, 0.1, 0.1, 0.1, -0.1],
        [0.0, 0.0, 0.0, 0.2, 0.3, -0.3, 0.4],
        [0.0, 0.0, 0.5],
        *np.random.default_rng(3).integers(-3, 6, (20, 9)) / 10,
    ],
)
def test_pairwise_wilcoxon_is_exact_with_ties_and_zeros(d):
    d = np.asarray(d)
    found = compare.pairwise(np.column_stack([d, np.zeros(len(d))]))
    assert found.p[0, 1] == pytest.approx(by_all_signs(d))


def test_wilcoxon_is_scipys_exact_one_to_a_hundred_and_approximated_beyond():
    for n in (5, 17, 50, 100):
        d = RNG.permutation(np.arange(1, n + 1)) * RNG.choice([-1, 1], n)
        expected = stats.wilcoxon(d, method="exact").pvalue
        assert compare.wilcoxon(d) == pytest.approx(expected, rel=1e-12)
    assert compare.wilcoxon(np.arange(1, 101)) == pytest.approx(2 * 0.5**100, rel=1e-12)
    assert compare.wilcoxon([0.0, 0.0]) == 1
    assert np.isnan(compare.wilcoxon([]))
    d = np.round(RNG.normal(0.15, 1, 101), 1)
    pratt = {"zero_method": "pratt", "method": "asymptotic"}
    assert compare.wilcoxon(d) == stats.wilcoxon(d, **pratt).pvalue
    near = pytest.approx(stats.wilcoxon(d[:-1], **pratt).pvalue, abs=0.005)
    assert compare.wilcoxon(d[:-1]) == near
    for test in (
        compare.wilcoxon,
        compare.rank_biserial,
    ):  # NaN: the data set has one of the scores only
        assert test([*d[:9], np.nan]) == test(d[:9])


def test_pairs_use_the_data_sets_that_both_have_and_may_have_none():
    table = TABLE.copy()
    table[3, 0] = np.nan
    kept = np.delete(np.arange(12), 3)
    assert compare.pairwise(table).p[0, 1] == compare.pairwise(TABLE[kept]).p[0, 1]
    assert compare.pairwise(table).p[1, 2] == compare.pairwise(TABLE).p[1, 2]
    found = compare.pairwise([[np.nan, 1.0], [np.nan, 2.0]])
    assert_array_equal(found.mean, [np.nan, 1.5])
    assert found.n[0, 1] == 0
    assert np.isnan(found.p[0, 1])
    apart = compare.bayesian_signed_rank([[np.nan, 1.0], [2.0, np.nan]], draws=10)
    assert all(np.isnan(part[0, 1]) and np.isnan(part[1, 0]) for part in apart)


def test_a_method_that_never_loses_has_a_finite_rating():
    found = compare.bradley_terry(np.array([[1.0, 0.5], [0.9, 0.4]]), draws=20)
    assert np.isfinite(found.elo).all()
    assert found.theta[0] > found.theta[1]
    assert (found.lower <= found.elo + 1e-9).all()
    assert (found.elo <= found.upper + 1e-9).all()


def test_missing_scores_are_left_out_or_worst_and_never_change_which_other_methods_are_complete():
    """Nor do copies of them; a row without any score asks nothing of anybody."""
    table = np.array([[0.5, np.nan, 0.9], [0.4, 0.3, 0.2]])
    left, rows = compare.leave_out_missing(table)
    assert_array_equal(left, table[1:])
    assert_array_equal(rows, [1])
    assert_array_equal(compare.ranks(compare.missing_as_worst(table)), [[2, 3, 1], [1, 2, 3]])
    table = np.random.default_rng(5).random((6, 8))
    table[2, 0] = table[3, [1, 2]] = np.nan
    lacks = np.full((6, 20), 2.0)  # the best elsewhere
    lacks[4] = np.nan
    without = np.vstack([table[:5], np.full(8, np.nan)])
    for some in (table, np.column_stack([table, lacks]), without):
        assert_array_equal(compare.complete_methods(some), range(3, 8))


HOLEY = np.where(np.arange(60).reshape(12, 5) == 0, np.nan, TABLE)


@each(("call", "message"), [
    (lambda: compare.friedman(HOLEY), r"1 of 60 scores are missing.*leave_out_missing"),
    (lambda: compare.nemenyi(HOLEY), r"1 of 60 scores are missing.*leave_out_missing"),
    (lambda: compare.pairwise([1.0, 2.0]), "have 1 dimension; give"),
    (lambda: compare.pairwise([[1.0], [2.0]]), "have 1 method"),
    (lambda: compare.pairwise([[np.inf, 1.0]]), "inf"),
    *((lambda c=c: c([0.5, -1]), "p holds -1; give probabilities, from 0 to 1") for c in CORRECTIONS.values()),
    *((lambda c=c: c([0.5, 2]), "p holds 2; give probabilities, from 0 to 1") for c in CORRECTIONS.values()),
    (lambda: compare.critical_difference(5, 0), "n is 0; it must be a whole number, at least 1"),
    (lambda: compare.critical_difference(1, 5), "k is 1; it must be a whole number, at least 2"),
    (lambda: compare.critical_difference(5, 2.5), "n is 2.5; it must be a whole number"),
    (lambda: compare.critical_difference(5, 5, 2), "alpha is 2; it must be a number between 0 and 1"),
    (lambda: compare.corrected_interval(TABLE, 0.1, level=95), "level is 95; it must be between 0 and 1"),
    (lambda: compare.bayesian_t(TABLE, 0.1, rope=-0.1), "rope is -0.1; it must be a number, at least 0"),
    (lambda: compare.bayesian_signed_rank(TABLE, rope=-0.1), "rope is -0.1; it must be a number, at least 0"),
    (lambda: compare.bayesian_signed_rank(TABLE, prior=-1), "prior is -1; it must be a number, at least 0"),
    (lambda: compare.wilcoxon(TABLE), r"differences have shape \(12, 5\)"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
