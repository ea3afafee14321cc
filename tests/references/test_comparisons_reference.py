"""Comparisons against numbers that others have published.

references/comparisons/ holds scores that go with them:
pairwise_example.csv   the example of the authors of arXiv:2305.11921 (github.com/MSD-IRIMAS/Multi_Comparison_Matrix)
sonar.csv              accuracies of the first run of ten folds on sonar, documentation of github.com/janezd/baycomp
means_54.csv           mean accuracies on its 54 data sets
four_genetic_methods.csv   accuracies of García, Fernández, Luengo & Herrera (2010), Information Sciences 180
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from linclass.evaluation import comparisons as compare
from linclass.evaluation.comparisons.friedman_test import quantile

FOLDER = Path(__file__).parent / "comparisons"


def scores(name, *columns):
    with open(FOLDER / name, newline="", encoding="utf-8") as file:
        return np.array([[float(row[c]) for c in columns] for row in csv.DictReader(file)])


def test_demsars_example_of_fourteen_data_sets():
    """Demšar (2006), JMLR 7, §3.2.2: C4.5 with and without its parameters tuned, table 6."""
    found = compare.friedman_of_ranks([3.143, 2.000, 2.893, 1.964], 14)
    assert found.statistic == pytest.approx(9.28, abs=0.005)
    assert found.f == pytest.approx(3.69, abs=0.005)
    assert compare.critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=0.005)
    assert compare.critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)


def test_demsars_example_against_a_control():
    """Demšar (2006), §3.2.2: C4.5 is the control; z and p of C4.5+m, C4.5+cf and C4.5+m+cf from its rounded standard
    error .488. Holm's procedure rejects the first and third, p < α/3 and p < α/2, and not the second: adjusted, the
    least p times 3, which exceeds the next times 2, and the last itself. (Its p of C4.5+cf, .607, is not 2Φ(−.512).)"""
    found = compare.against_control_of_ranks([3.143, 2.000, 2.893, 1.964], 14, control=0)
    assert_allclose(found.z[1:], [2.342, 0.512, 2.416], atol=1e-3)
    assert_allclose(found.p[[1, 3]], [0.019, 0.016], atol=5e-4)
    assert_array_equal(found.holm[1:] < 0.05, [True, False, True])
    assert_allclose(found.holm[1:], [3 * found.p[3], found.p[2], 3 * found.p[3]])
    assert_allclose(found.hochberg[1:], [2 * found.p[1], found.p[2], 2 * found.p[1]])
    assert_allclose(found.bonferroni[1:], [3 * found.p[1], 1, 3 * found.p[3]])


def test_four_genetic_methods_on_24_data_sets_against_a_control():
    """García, Fernández, Luengo & Herrera (2010), Information Sciences 180: accuracies, average ranks and adjusted
    p-values with PDFC as the control, as the tests of StaTDS (github.com/kdis-lab/StaTDS) print them from there."""
    table = scores("four_genetic_methods.csv", "PDFC", "NNEP", "IS-CHC+INN", "FH-GBML")
    found = compare.against_control(table, control=0, test="ranks")
    ranked = compare.friedman(table)
    assert_allclose(ranked.ranks, [1.7708333, 2.4791667, 2.4791667, 3.2708333], atol=1e-7)
    assert ranked.without_ties == pytest.approx(16.225, abs=5e-4)
    printed = {
        "p": [0.057346851901366444, 0.057346851901366444, 5.699411623331527e-5],
        "bonferroni": [0.17204, 0.17204, 1.70982e-4],
        "holm": [0.11469, 0.11469, 1.70982e-4],
        "hochberg": [0.057346851901366444, 0.057346851901366444, 1.709823486999458e-4],
        "finner": [0.08477, 0.08477, 1.70982e-4],  # the last of 1 − (1 − p)³ to three digits only
    }
    for name, values in printed.items():
        ours = getattr(found, name)[1:]
        assert_allclose(ours, values, atol=1e-5, rtol=1e-4, err_msg=name)
    assert_allclose(found.p[1:], printed["p"], rtol=1e-9)


def test_five_classifiers_on_30_data_sets_with_each_as_the_control():
    """García & Herrera (2008), JMLR 9: average ranks of C4.5, 1-NN, naive Bayes, kernel and CN2, from which the
    documentation of scmamp (friedmanPost) prints p of each against each, and the tests of STAC (tec.citius.usc.es/stac)
    p adjusted over all ten pairs, from ranks that are rounded to three digits."""
    average = np.array([63.0, 97.5, 66.0, 130.0, 93.5]) / 30  # 2.100, 3.250, 2.200, 4.333, 3.117
    printed = np.array(
        [
            [np.nan, 4.848763e-03, 8.064959e-01, 4.486991e-08, 1.276301e-02],
            [4.848763e-03, np.nan, 1.011233e-02, 7.963489e-03, 7.439715e-01],
            [8.064959e-01, 1.011233e-02, np.nan, 1.736118e-07, 2.474467e-02],
            [4.486991e-08, 7.963489e-03, 1.736118e-07, np.nan, 2.880485e-03],
            [1.276301e-02, 7.439715e-01, 2.474467e-02, 2.880485e-03, np.nan],
        ]
    )
    p = np.array([compare.against_control_of_ranks(average, 30, control).p for control in range(5)])
    assert_allclose(p, printed, rtol=1e-6)
    pairs = np.sort(p[np.triu_indices(5, 1)])
    tables = {
        compare.bonferroni: [0, 0, 0.029, 0.048, 0.080, 0.101, 0.127, 0.247, 1, 1],
        compare.holm: [0, 0, 0.023, 0.034, 0.048, 0.051, 0.051, 0.074, 1, 1],
        compare.hochberg: [0, 0, 0.023, 0.034, 0.048, 0.051, 0.051, 0.074, 0.806, 0.806],
    }
    for correct, values in tables.items():
        assert_allclose(correct(pairs), values, atol=1e-3, err_msg=correct.__name__)


def test_the_table_of_nemenyis_quantiles():
    """Demšar (2006), table 5(a), for two to ten methods."""
    printed = {
        0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
        0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    }
    for alpha, row in printed.items():
        ours = [quantile(k, alpha) for k in range(2, 11)]
        assert_allclose(ours, row, atol=0.0011)


def test_three_learners_on_four_tasks():
    """The README of mlr3benchmark: featureless, rpart, xgboost on iris, sonar, wine, zoo."""
    accuracy = [
        [0.2800000, 0.9466667, 0.9600000],
        [0.5334023, 0.6537612, 0.6394755],
        [0.3990584, 0.8652542, 0.9048023],
        [0.4058229, 0.8309566, 0.9099822],
    ]
    found = compare.friedman(accuracy)
    assert_array_equal(found.ranks, [3.0, 1.75, 1.25])
    assert found.statistic == pytest.approx(6.5)
    assert found.p == pytest.approx(0.03877421, abs=1e-8)
    p = compare.nemenyi(accuracy).p
    assert [p[1, 0], p[2, 0], p[2, 1]] == pytest.approx([0.181, 0.036, 0.759], abs=0.0005)


def test_critdds_tables():
    """The tables that critdd is tested with (github.com/mirkobunse/critdd)."""
    catalysts = np.array(
        [[84.5, 78.4, 83.1], [82.8, 79.1, 79.9], [79.1, 78.0, 77.8], [80.2, 76.0, 77.9]]
    )
    assert compare.friedman(catalysts).statistic == pytest.approx(6.5)
    assert compare.friedman(catalysts.T).statistic == pytest.approx(7.4)
    trees = np.array([[6, 4, 3, 3], [4, 3, 3, 2], [4, 2, 1, 1], [2, 1, 2, 1]]).T
    found = compare.friedman(trees)
    assert found.without_ties == pytest.approx(9.525)
    assert found.statistic == pytest.approx(stats.friedmanchisquare(*trees.T).statistic)


def test_the_pairwise_matrix_of_its_authors():
    """128 data sets × 4, as their figure shows it: difference, wins, ties, losses, Wilcoxon's p."""
    found = compare.pairwise(scores("pairwise_example.csv", "clf1", "clf2", "clf3", "clf4"))
    assert_allclose(found.mean, [0.5376, 0.5123, 0.5220, 0.4825], atol=5e-5)
    printed = {
        (0, 1): (0.0253, 68, 0, 60, 0.5162),
        (0, 2): (0.0156, 66, 0, 62, 0.6755),
        (0, 3): (0.0551, 69, 0, 59, 0.1018),
        (2, 1): (0.0097, 64, 0, 64, 0.8102),
        (2, 3): (0.0395, 70, 0, 58, 0.2835),
        (1, 3): (0.0298, 72, 0, 56, 0.3880),
    }
    for pair, (difference, wins, ties, losses, p) in printed.items():
        assert found.difference[pair] == pytest.approx(difference, abs=5.1e-5)
        assert (found.wins[pair], found.ties[pair], found.losses[pair]) == (wins, ties, losses)
        assert found.p[pair] == pytest.approx(p, abs=5.1e-5)


def test_baycomps_sonar_example():
    """docs/functions.rst: ten folds, so n_test/n_train is 1/9."""
    table = scores("sonar.csv", "nbc", "j48")
    found = compare.bayesian_t(table, ratio=1 / 9)
    assert found.better[0, 1] == pytest.approx(0.4145119975, abs=1e-9)
    assert found.worse[0, 1] == pytest.approx(0.5854880025, abs=1e-9)
    found = compare.bayesian_t(table, ratio=1 / 9, rope=0.5)
    parts = [found.better[0, 1], found.equal[0, 1], found.worse[0, 1]]
    assert parts == pytest.approx([0.2858446417, 0.2691518717, 0.4450034866], abs=1e-9)


def test_baycomps_54_data_sets():
    """The signed-rank test to Monte-Carlo error: printed .23014, .00674, .76312 of 50,000 draws."""
    found = compare.bayesian_signed_rank(scores("means_54.csv", "nbc", "j48"), rope=1.0)
    parts = [found.better[0, 1], found.equal[0, 1], found.worse[0, 1]]
    for ours, printed in zip(parts, (0.231, 0.008, 0.762), strict=True):
        error = np.sqrt(2 * printed * (1 - printed) / 50_000)
        assert ours == pytest.approx(printed, abs=4 * error + 5e-4)


def test_scikit_learns_example_of_the_corrected_t_test():
    """“Statistical comparison of models using grid search” prints, of SVC with rbf and linear kernels on moons:
    corrected t 0.750, one-sided p 0.227; uncorrected 2.611, 0.005; rbf is better with probability 0.773, and
    practically equal (rope 0.01) with 0.432."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    table = np.column_stack(
        [
            cross_val_score(SVC(kernel=kernel, random_state=0), X, y, cv=folds, scoring="roc_auc")
            for kernel in ("rbf", "linear")
        ]
    )
    corrected, naive = (compare.corrected_t(table, ratio=share) for share in (10 / 90, 0))
    assert corrected.t[0, 1] == pytest.approx(0.750, abs=5e-4)
    assert corrected.p[0, 1] / 2 == pytest.approx(0.227, abs=5e-4)
    assert naive.t[0, 1] == pytest.approx(2.611, abs=5e-4)
    assert naive.p[0, 1] / 2 == pytest.approx(0.005, abs=5e-4)
    assert compare.bayesian_t(table, ratio=10 / 90).better[0, 1] == pytest.approx(0.773, abs=5e-4)
    with_rope = compare.bayesian_t(table, ratio=10 / 90, rope=0.01)
    assert with_rope.equal[0, 1] == pytest.approx(0.432, abs=5e-4)
