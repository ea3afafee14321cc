"""Proofs hold in exact arithmetic, however near rows are to each other or to a hyperplane."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cases import each
from scipy import linalg, sparse
from scipy.linalg import hadamard

from linclass import LinearSVM, LogisticRegression, ZeroOneClassifier, largest_margin
from linclass.base.messages import NotApplicable
from linclass.linear import recession
from linclass.separation import signed_rows
from linclass.separation.exact_systems import PRIMES, echelon_modulo, solve_exactly
from linclass.separation.separability import Undecided, separability
from linclass.separation.signed_rows import (
    SignedRows,
    decide_exactly,
    echelon,
    integers,
    nearest_point,
)
from linclass.separation.witness import exceed, lower_bound, only_zero

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KINDS = [
    "nearly touching", "nearly coincident", "nearly equal features", "huge", "tiny", "far off", "of all sizes",
]  # fmt: skip
GAPS = [3e-8, 1e-9, 1e-10, 1e-11, 1e-12]


def problem(kind, seed, d=None):
    rng = np.random.default_rng([KINDS.index(kind), seed])
    n, d = int(rng.integers(4, 40)), d or int(rng.integers(1, 6))
    X = rng.standard_normal((n, d)) if seed % 2 else rng.integers(-2, 3, (n, d)).astype(float)
    w, eps = rng.standard_normal(d), 10.0 ** -rng.integers(6, 16)
    y = (X @ w + rng.choice([0, 0, 0.5]) * rng.standard_normal(n) > 0).astype(int)
    if kind == "nearly touching":
        off = np.where(y == 1, 1.0, -1.0) * eps * rng.uniform(0.5, 1, n)
        off[0] *= rng.choice([1, -1])
        X = X - np.outer(X @ w / (w @ w), w) + np.outer(off, w)
    elif kind == "nearly coincident":
        X = np.vstack([X, X[:3] * (1 + eps * rng.standard_normal((3, 1)))])
        y = np.r_[y, 1 - y[:3]]
    elif kind == "nearly equal features":
        normal = rng.standard_normal(n)
        X = np.column_stack([X, X[:, 0] + eps * normal])
        y = (normal > 0).astype(int) if rng.random() < 0.7 else y
    elif kind == "huge":
        X = X * 10.0 ** rng.integers(100, 300)
    elif kind == "tiny":
        X = X * 10.0 ** -float(rng.integers(100, 300))
    elif kind == "far off":
        X = X + 10.0 ** rng.integers(3, 14)
    else:
        X = X * 10.0 ** rng.integers(-150, 150, d)
    y[0], y[-1] = 0, 1
    return X, y


def touching(eps, flipped=False):
    """60 rows that (−1, 1) separates by a hair; with one of them flipped they overlap by one."""
    rng = np.random.default_rng(1)
    x, normal = rng.standard_normal((2, 60))
    X = np.column_stack([x, x + eps * normal])
    y = (X[:, 1] > X[:, 0]).astype(int)  # differences of near numbers are exact
    if flipped:
        y[np.argmax(normal)] = 0
    return X, y


def exact(X, w, b):
    """x·w + b without any rounding."""
    w = [Fraction(v) for v in w.tolist()]
    products = [[v * Fraction(x) for v, x in zip(w, row, strict=True)] for row in X.tolist()]
    return [sum(row, Fraction(b)) for row in products]


def separates(X, y, w, b=0):
    return all((z > 0) == (own == 1) and z != 0 for z, own in zip(exact(X, w, b), y, strict=True))


def answer(X, y, intercept, method):
    """The kind, once it has been checked as well as fractions can."""
    try:
        found = separability(X, y, intercept, method)
    except Undecided:
        return "undecided"
    assert found.holds(X, y)
    if found.kind == "complete":
        assert found.margin > 0
        assert separates(X, y, found.weights, found.intercept)
    if found.kind == "none":
        assert (found.multipliers > 0).all()
    return found.kind


@each("intercept", ["none", "free"])
@each("kind", KINDS, quick=4)
def test_methods_never_prove_contradicting_answers(kind, intercept):
    undecided = 0
    for seed in range(40):
        X, y = problem(kind, seed)
        fast, slow = (answer(X, y, intercept, m) for m in ("newton", "linear_program"))
        assert "undecided" in (fast, slow) or fast == slow, seed
        undecided += fast == "undecided"
    assert undecided <= 4


@each("kind", KINDS)
def test_separability_by_one_feature_matches_the_order_of_the_rows(kind):
    for seed in range(40):
        X, y = problem(kind, seed, d=1)
        X = X[:, -1:]
        low, high = (X[y == k, 0] for k in (0, 1))
        low, high = (low, high) if low.min() < high.min() else (high, low)
        gap = Fraction(high.min()) - Fraction(low.max())
        truth = "complete" if gap > 0 else "none"
        if gap == 0 and len({*low.tolist(), *high.tolist()}) > 1:
            truth = "quasi-complete"
        if low.min() == high.min():
            continue  # the least does not determine which class is the lower one
        assert answer(X, y, "free", "newton") in (truth, "undecided"), seed


@each("eps", GAPS)
@each(("flipped", "kind"), [(False, "complete"), (True, "none")])
def test_rows_that_touch_or_overlap_by_a_hair_are_proved_to_do_so_or_undecided(eps, flipped, kind):
    X, y = touching(eps, flipped)
    assert separates(X, y, np.array([-1, 1])) != flipped
    for intercept in ("free",) if flipped else ("free", "none"):
        assert answer(X, y, intercept, "newton") == kind
        assert answer(X, y, intercept, "linear_program") in (kind, "undecided")


def nearly(X, sign, wanted):
    """Multipliers near 1/n of rows of two classes, with these sums Σ λ s x, Σ λ s, Σ λ."""
    A, multipliers = np.vstack([sign * X.T[0], sign, np.ones(60)]), np.full(60, wanted[2] / 60)
    multipliers += np.linalg.lstsq(A, wanted - A @ multipliers, rcond=None)[0]
    assert (multipliers > 0).all()
    return multipliers


@each("eps", [1e-7, *GAPS])
def test_a_made_up_witness_does_not_hold(eps):
    """Multipliers under which the hulls nearly meet, of rows that are separable; and a hyperplane
    that nearly separates rows that are not."""
    X, y = touching(eps)
    found, sign = separability(X, y), 2.0 * y - 1
    multipliers = nearly(X, sign, [0, 0, 2.0])
    assert np.abs((sign * multipliers) @ X).max() < 10 * eps
    none = replace(found, kind="none", weights=None, multipliers=multipliers)
    assert not none.holds(X, y)
    few = np.where(np.arange(60) < 30, multipliers, 0)
    assert not replace(found, kind="quasi-complete", multipliers=few).holds(X, y)
    assert not replace(none, multipliers=few).holds(X, y)
    mixed, other = touching(eps, flipped=True)
    assert not found.holds(mixed, other)


def test_bounds_of_singular_values_hold_and_are_within_a_factor_of_two():
    """Of matrices whose singular values are known: columns of a Hadamard matrix times powers of two are exact."""
    rng = np.random.default_rng(0)
    for n, p, decades in product([8, 64, 512], [1, 3, 8], [0, 10, 30]):
        exponents = np.sort(rng.integers(-decades, 1, p))[::-1]
        A = hadamard(n)[:, rng.choice(n, p, replace=False)] * np.exp2(exponents)
        known = n**0.5 * np.exp2(exponents)
        for form, k in product([A, A.T.copy(), sparse.csr_array(A)], range(1, p + 1)):
            found = lower_bound(form, k)
            assert found <= known[k - 1], (n, p, decades, k)
            # sparse ones have the vectors of AᵀA, which lose half of the digits
            if known[k - 1] > (1e-6 if sparse.issparse(form) else 1e-10) * known[0]:
                assert found > 0.49 * known[k - 1], (n, p, decades, k)
        assert not exceed(A, known[-1])
        assert exceed(A, 0.6 * known[-1]) or known[-1] < 1e-6 * known[0]


def test_no_singular_value_of_dependent_columns_is_proved_above_0():
    rng = np.random.default_rng(1)
    for seed in range(40):
        n, p = int(rng.integers(3, 60)), int(rng.integers(2, 8))
        A = rng.standard_normal((max(n, p), p)) * 10.0 ** rng.integers(-3, 4, p)
        A[:, -1] = A[:, 0] * 2.0 ** rng.integers(-20, 20)
        for form in (A, A.T.copy(), sparse.csr_array(A)):
            assert lower_bound(form, p) == 0, seed
        assert not exceed(A, 0.0)


def test_a_proof_does_not_trust_lapack(monkeypatch):
    """Factors, values and vectors that belong to another matrix prove nothing wrong."""
    X, y = touching(1e-9)
    rows = SignedRows(X, 2.0 * y - 1, constant=False)  # separable, so no λ > 0 excludes every d
    multipliers = nearly(X, 2.0 * y - 1, [0, 0, 1.0])
    assert not only_zero(rows, multipliers)

    def of_another(function):
        def lying(M, *args, **options):
            return function(M + np.linalg.norm(M) * np.eye(*M.shape), *args, **options)

        return lying

    factors = ["eigh", "eigvalsh", "svd", "svdvals", "cholesky"]
    for module, name in product([np.linalg, linalg], factors):
        monkeypatch.setattr(module, name, of_another(getattr(module, name)))
    assert not only_zero(rows, multipliers)
    dependent = np.column_stack([X, X[:, 0]])
    assert lower_bound(dependent, 3) == 0
    assert not exceed(dependent, 0.0)


@each("eps", GAPS)
def test_hard_margins_and_errors_agree_with_the_proof(eps):
    X, y = touching(eps)
    svm = LinearSVM(hard_margin=True).fit(X, y)
    assert separates(X, y, svm.coef_[0], svm.intercept_[0])
    assert svm.status_ == "converged" or svm.certificate_ > 1e-6
    found = largest_margin(X, y)
    assert 0 < found.margin <= found.bound
    assert ZeroOneClassifier().fit(X, y).n_errors_ == 0
    X, y = touching(eps, flipped=True)
    with pytest.raises(NotApplicable, match="no hyperplane separates"):
        LinearSVM(hard_margin=True).fit(X, y)
    assert largest_margin(X, y).kind == "none"


@each("eps", [1e-12, 1e-13, 1e-14])
@each("intercept", [True, False])
def test_the_lower_bound_on_errors_is_at_most_the_error_of_any_classifier(eps, intercept):
    """(−1, 1) has one row wrong; cells are narrower than the rounding of their angles."""
    X, y = touching(eps, flipped=True)
    X, y = X[:30], np.r_[1 - y[0], y[1:30]]
    planted = np.sum((np.array(exact(X, np.array([-1, 1]), 0)) > 0) != (y == 1))
    model = ZeroOneClassifier(fit_intercept=intercept).fit(X, y)
    assert model.bound_ <= planted
    assert model.bound_ <= model.n_errors_ == np.count_nonzero(model.predict(X) != y)


def test_features_that_depend_on_others_are_found_exactly():
    """A copied column is a dependence, one whose last digits differ is not; both are proved."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((400, 6))
    y = (X[:, 0] + rng.standard_normal(400) > 0).astype(int)
    for last in (X[:, 1], X[:, 1] - X[:, 2], np.where(X[:, 3] > 0, 0.1, 0.2)):
        wide = np.column_stack([X, last, np.full(400, 0.1)])
        assert answer(wide, y, "free", "newton") == "none"
        only_one = np.column_stack([wide, y * (np.arange(400) % 7 == 0)])
        assert answer(only_one, y, "free", "newton") == "quasi-complete"


def combination(weights, rows):
    """Σ w x in whole numbers."""
    return [sum(w * int(v) for w, v in zip(weights, column, strict=True)) for column in rows.T]


@each("seed", range(12))
def test_systems_are_solved_as_by_elimination_in_integers(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 30)), int(rng.integers(1, 4))
    B, C = rng.standard_normal((2, n, n + k)) * 10.0 ** rng.integers(-20, 20, n + k)
    B, C = integers(B[:, :n]), integers(C[:, :k])
    numerators, denominator = solve_exactly(B, C, PRIMES[seed % len(PRIMES)])
    eliminated = echelon(np.column_stack([B, C]))[0]
    assert (eliminated[:, n:] * denominator == numerators * eliminated[0, 0]).all()


def test_rows_that_are_independent_modulo_a_prime_are_independent():
    rng = np.random.default_rng(0)
    A = rng.integers(-3, 4, (12, 4)) @ rng.integers(-3, 4, (4, 7))
    rows, columns = echelon_modulo(A, PRIMES[0])
    assert len(rows) == len(columns) == np.linalg.matrix_rank(A[np.ix_(rows, columns)]) == 4
    assert echelon_modulo(A * PRIMES[0], PRIMES[0]) == ([], [])
    assert len(echelon_modulo(A * PRIMES[0], PRIMES[1])[0]) == 4


def test_classes_of_many_features_that_touch_in_one_row_are_called_separable():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 25))
    y = (X @ rng.standard_normal((25, 5)) + 5 * rng.gumbel(size=(500, 5))).argmax(axis=1)
    far = X[:, 0] > 1
    y = np.where(far, 0, np.maximum(y, 1))
    y[np.flatnonzero(far)[0]] = 2
    model = LogisticRegression(penalty=None).fit(X, y)
    assert model.status_ == "separable"


def test_the_nearest_point_is_the_nearest():
    """No point of the hull lies nearer; the witnesses solve their equations without any remainder."""
    rng, kinds = np.random.default_rng(0), set()
    for seed in range(60):
        Z = integers(rng.integers(-3, 5, (int(rng.integers(2, 12)), 1 + seed % 4)).astype(float))
        chosen, weights, x = nearest_point(Z)
        assert sum(weights) == 1
        assert min(weights) > 0
        point = combination(weights, Z[chosen])
        square = sum(v * v for v in point)
        assert (x is None) == (square == 0)
        assert min(combination(point, Z.T)) >= square
        direction, multipliers = decide_exactly(Z)
        assert not any(combination(multipliers, Z))
        z = np.zeros(len(Z)) if direction is None else signed_rows.product(Z, direction)
        assert ((z > 0) != (multipliers > 0)).all()
        assert ((z == 0) == (multipliers > 0)).all()
        kinds.add((direction is None, any(multipliers)))
    assert len(kinds) == 3


@each("eps", GAPS)
@each("solver", ["newton", "quasi_newton"])
def test_a_likelihood_is_called_unbounded_only_where_that_is_proved(eps, solver):
    """An overlap of a hair has an optimum, however large its scores."""
    X, y = touching(eps, flipped=True)
    model = LogisticRegression(penalty=None, solver=solver, max_iter=200)
    assert model.fit(X, y).status_ != "separable"
    X, y = touching(eps)
    model.fit(X, y)
    assert model.status_ in ("separable", "max_iter")
    if model.status_ == "separable":
        assert separates(X, y, model.separating_direction_, model.separating_intercept_)


@each("K", [2, 3])
def test_a_loose_tolerance_does_not_hide_an_unbounded_likelihood(K):
    """One row alone has the last feature, so its weight grows for ever; the fit stops early."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % K
    X = np.column_stack([rng.standard_normal((90, 2)), np.arange(90) == 4])
    for solver in ("newton", "newton_cg", "quasi_newton", "gradient_descent"):
        early = LogisticRegression(penalty=None, solver=solver, tol=0.05).fit(X, y)
        assert np.abs(early.decision_function(X)).max() < 20
        assert early.status_ == "separable"
        direction = np.atleast_2d(early.separating_direction_)
        assert np.abs(direction[:, 2]).max() > 0.5 * np.abs(direction[:, :2]).max()
        Z = X @ direction.T + early.separating_intercept_
        Z = Z if K > 2 else np.c_[-Z, Z]
        others = np.where(np.eye(K)[y] == 1, -np.inf, Z).max(axis=1)
        assert (Z[range(90), y] - others).min() > -1e-9
        assert np.ptp(Z) > 0.1
        bounded = LogisticRegression(penalty=None, solver=solver, tol=0.05).fit(X[:, :2], y)
        assert bounded.status_ != "separable"


def test_a_fit_with_undecided_separability_is_not_called_converged(monkeypatch):
    def give_up(*_, **__):
        raise Undecided

    monkeypatch.setattr(recession, "proved", give_up)
    monkeypatch.setattr(recession, "only_zero", lambda *_: False)
    X, y = touching(1e-8, flipped=True)
    model = LogisticRegression(penalty=None).fit(X, y)
    assert model.status_ == "max_iter"
    assert "undecided" in model.reason_


@each("seed", range(4), quick=1)
def test_a_likelihood_that_underflows_is_not_a_minimum(seed):
    """Features without a penalty separate the classes, and the likelihood tends to 1 along them."""
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 30))
    X[:, 1] += 8 * (y == 1)
    X[:, 2] += 8 * (y == 2)
    penalty = {"l1": {"factors": [0, 0, 0] + [1] * 27}}
    with pytest.warns(match="separated"):
        model = LogisticRegression(penalty=penalty, strength=0.01).fit(X, y)
    assert model.status_ == "separable"
    along = X @ model.separating_direction_.T + model.separating_intercept_
    assert (along.argmax(axis=1) == y).all()
