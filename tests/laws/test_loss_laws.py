"""Laws of every loss."""

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from problems import CONVEX, LOSSES, SMOOTH, K, scores, targets
from scipy.optimize import minimize
from scipy.special import erfcx, log_ndtr

from linclass import LinearClassifier
from linclass.base import parts
from linclass.base.parts import find
from linclass.linear.losses.base import MarginLoss, ResidualLoss
from linclass.linear.losses.multiclass import Softmax
from linclass.linear.losses.probit import Probit

N = 40
CONJUGATE = [name for name in CONVEX if find("losses", name).has_conjugate]


def made(name):
    loss = find("losses", name)()
    return loss, targets(loss, N), scores(loss, N)


def shift(z, k, h):
    z = z.copy()
    z[k] += h
    return z


def directions(z):
    """Indices of the scores of all rows, one score after the other."""
    return [...] if z.ndim == 1 else list(range(len(z)))


@each("classes", [2, 3])
@each("penalty", ["l2", {"l2": {"factors": [1.0, 0.0, 4.0]}}, {"l2": {"factors": [1.0, 2.0, 4.0]}}])
def test_a_penalized_perceptron_loss_is_least_at_0(penalty, classes):
    """P(0) = 0, and no P is below it: the fit ends there and says so, where it had a gap of 10²⁹⁹ shares of 0."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % classes
    model = LinearClassifier(loss="perceptron", penalty=penalty, strength=0.01).fit(X, y)
    assert (model.status_, model.certificate_, model.objective_) == ("converged", 0.0, 0.0)
    assert not model.coef_.any()
    assert set(model.path(X, y, [1.0, 0.1]).status_) == {"converged"}


@each("name", LOSSES)
def test_jets_are_values_slopes_and_curvatures_also_at_zero_and_far_away(name):
    loss, y, z = made(name)
    values, slopes, curvatures = loss.jet(y, z)
    assert_allclose(values, loss.values(y, z), rtol=1e-14)
    assert_allclose(slopes, loss.slopes(y, z), rtol=1e-13)
    if loss.kind == "twice-smooth":
        assert curvatures is not None
        assert_allclose(curvatures, loss.curvatures(y, z), rtol=1e-13)
    found = loss.jet_at_zero(y)
    assert (found is not None) == isinstance(loss, MarginLoss)
    for part, own in zip(found or (), loss.jet(y, np.zeros_like(z)), strict=found is not None):
        assert_array_equal(part, own)
    for far in (1e4 * np.sign(z), 1e4 * z / np.abs(z).max(), np.zeros_like(z)):
        for part in loss.jet(y, far):
            assert part is None or np.isfinite(part).all()
        assert np.isfinite(loss.margins(y, far)).all()


@each("name", SMOOTH)
def test_slopes_are_differences_and_change_no_faster_than_smoothness(name):
    loss, y, z = made(name)
    slopes, other = loss.slopes(y, z), scores(loss, N, seed=5)
    for k in directions(z):
        numeric = (loss.values(y, shift(z, k, 1e-6)) - loss.values(y, shift(z, k, -1e-6))) / 2e-6
        assert_allclose(slopes[k], numeric, atol=1e-8)
    change = np.linalg.norm(np.atleast_2d(slopes - loss.slopes(y, other)), axis=0)
    apart = np.linalg.norm(np.atleast_2d(z - other), axis=0)
    assert (change <= loss.smoothness * apart + 1e-12).all()


@each("name", [name for name in SMOOTH if find("losses", name).kind == "twice-smooth"])
def test_curvatures_are_differences_and_sum_to_the_hessian(name):
    loss, y, z = made(name)
    C, rng = loss.curvatures(y, z), np.random.default_rng(0)
    B, w, blocks = rng.standard_normal((N, 2)), rng.uniform(size=N), []
    for k in directions(z):
        numeric = (loss.slopes(y, shift(z, k, 1e-6)) - loss.slopes(y, shift(z, k, -1e-6))) / 2e-6
        curved = loss.curve(C, shift(0 * z, k, 1.0))
        assert_allclose(curved, numeric, atol=1e-8)
        blocks.append([(B * (w * c)[:, None]).T @ B for c in np.atleast_2d(curved)])
    expected = np.block([[blocks[k][l] for k in range(len(blocks))] for l in range(len(blocks))])
    assert_allclose(loss.hessian(B.copy(), w, C), expected, atol=1e-12)
    free = np.random.default_rng(1).random((*C.shape[:-1], B.shape[1])) < 0.4
    among = expected[np.ix_(free.ravel(), free.ravel())]
    assert_allclose(loss.hessian_among(B.copy(), w, C, free), among, atol=1e-12)


@each("name", CONVEX)
def test_slope_is_a_subgradient(name):
    loss, y, z = made(name)
    other = scores(loss, N, seed=5)
    rise = np.atleast_2d(loss.slopes(y, z) * (other - z)).sum(axis=0)
    assert (loss.values(y, other) >= loss.values(y, z) + rise - 1e-12).all()


@each("name", CONJUGATE)
def test_conjugates_are_suprema_and_meet_fenchels_inequality(name):
    """ℓ*(s) = sup_z s·z − ℓ(z), by numerical minimization at slopes inside the domain. ℓ(z) + ℓ*(s) ≥ s·z, with
    equality at s = ℓ′(z).
    """
    loss, y, z = made(name)
    s = 0.5 * loss.slopes(y, z) + 0.5 * loss.slopes(y, scores(loss, N, seed=3))
    tight = {"method": "Nelder-Mead", "options": {"xatol": 1e-9, "fatol": 1e-12}}
    for i in range(6):
        own, si = y[i : i + 1], s[..., i]

        def negative(v, own=own, si=si):
            return float(loss.values(own, v if z.ndim == 1 else v[:, None])[0] - np.sum(si * v))

        found = minimize(negative, np.atleast_1d(z[..., i]), **tight)
        assert_allclose(loss.conjugates(own, s[..., i : i + 1])[0], -found.fun, atol=1e-6)
    s, other = loss.slopes(y, z), scores(loss, N, seed=9)

    def product(z):
        return np.atleast_2d(s * z).sum(axis=0)

    assert_allclose(loss.values(y, z) + loss.conjugates(y, s), product(z), atol=1e-12)
    assert (loss.values(y, other) + loss.conjugates(y, s) >= product(other) - 1e-12).all()
    w = np.random.default_rng(3).uniform(0.1, 1, N)
    s = loss.balance(y, s, w)
    assert_allclose(s @ w, 0, atol=1e-14)
    assert np.isfinite(loss.conjugates(y, s)).all(), "balance leaves the conjugate's domain"
    if isinstance(loss, MarginLoss):  # outside the domain
        assert np.isinf(loss.conjugate(np.array([-0.1]))).all()


def test_the_conjugate_of_the_probit_loss_has_its_digits_at_any_margin():
    loss, m = Probit(), np.array([-1e8, -1e3, -101, -99, -20.1, -19.9, -1, 0, 5, 29, 31, 37])
    a = -loss.slope(m)
    assert_allclose(loss.value(m) + loss.conjugate(a), -a * m, rtol=1e-12)
    with np.errstate(all="raise", under="ignore"):
        assert_allclose(loss.conjugate(np.array([0.0, 1e-310, 1e-290])), 0, atol=1e-280)


def test_softmax_with_a_reference_class_gives_it_the_score_zero():
    rng = np.random.default_rng(0)
    Z, y = rng.standard_normal((K - 1, N)), rng.integers(0, K, N)
    whole = np.vstack([Z, np.zeros(N)])
    part, full = Softmax(K, reference=True), Softmax(K)
    assert_allclose(part.values(y, Z), full.values(y, whole), rtol=1e-13)
    assert_allclose(part.slopes(y, Z), full.slopes(y, whole)[:-1], atol=1e-14)
    assert_allclose(part.margins(y, Z), full.margins(y, whole))
    s, w = part.slopes(y, Z), rng.uniform(size=N)
    assert_allclose(part.conjugates(y, s), full.conjugates(y, full.slopes(y, whole)), atol=1e-12)
    assert_allclose(part.balance(y, s, w) @ w, 0, atol=1e-14)


def test_the_probit_loss_keeps_its_digits_from_tail_to_tail():
    """Mills' ratio as a quotient of normal functions, from −3 on, has the digits of that by erfcx, at any margin."""
    m = np.concatenate([np.linspace(-40, 37, 2001), [-3 - 1e-12, -3.0, -3 + 1e-12, 0.0]])
    r = np.sqrt(2 / np.pi) / erfcx(-m / np.sqrt(2))
    for y in (1.0, -1.0):
        value, slope, curvature = Probit().jet(np.full(len(m), y), y * m)
        assert_allclose(value, -log_ndtr(m), rtol=1e-12)
        assert_allclose(slope, -y * r, rtol=1e-12)
        assert_allclose(curvature, r * (m + r), rtol=1e-11)
    with np.errstate(all="raise", under="ignore"):
        value, slope, curvature = Probit().jet(np.ones(3), np.array([-1e200, 0.0, 1e200]))
    assert not np.any([value[2], slope[2], curvature[2]])
    assert curvature[0] == pytest.approx(1)
    assert slope[0] == pytest.approx(-1e200)


NEW_PARTS = (Path(__file__).parents[2] / "docs" / "new_parts.md").read_text(encoding="utf-8")
SECTION = NEW_PARTS.partition("\n## A loss\n")[2].partition("\n## ")[0]
METHODS = re.findall(r"^\| `(\w+)\(", SECTION, re.MULTILINE)


def fit_of_the_page(monkeypatch, name, without=(), **facts):
    """A fit with the loss that docs/new_parts.md shows, as if it were a file of linclass/linear/losses."""
    (code,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    own = ModuleType(name)
    exec(code, vars(own))
    shown = own.SmoothedHinge
    methods = {key: value for key, value in vars(shown).items() if key not in without}
    own.Shown = type("Shown", (MarginLoss,), methods | facts)
    monkeypatch.setitem(sys.modules, name, own)
    monkeypatch.setitem(parts.table("losses"), name, f"{name}.Shown")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = (X[:, 0] + rng.standard_normal(80) > 0).astype(int)
    return LinearClassifier(loss=name, strength=0.01).fit(X, y)


def test_the_loss_penalty_of_the_page_has_the_methods_listed_and_is_fitted(monkeypatch):
    model = fit_of_the_page(monkeypatch, "smoothed_hinge")
    assert (model.status_, model.certificate_kind_) == ("converged", "duality_gap")
    loss = sys.modules["smoothed_hinge"].SmoothedHinge()
    assert set(METHODS) <= set(vars(type(loss)))
    m = np.linspace(-3, 3, 61)
    a = -loss.slope(m)
    assert_allclose(loss.value(m) + loss.conjugate(a), -a * m, atol=1e-12)


@pytest.mark.parametrize(("name", "without", "facts", "certificate"), [
    ("bent_once", ("curvature",), {"kind": "smooth"}, "duality_gap"),
    ("bent_twice", ("conjugate",), {"has_conjugate": False}, "gradient_cosine"),
])  # fmt: skip
def test_a_loss_may_omit_optional_methods(monkeypatch, name, without, facts, certificate):
    whole = fit_of_the_page(monkeypatch, "smoothed_hinge")
    model = fit_of_the_page(monkeypatch, name, without, **facts)
    assert (model.status_, model.certificate_kind_) == ("converged", certificate)
    assert_allclose(model.coef_, whole.coef_, atol=1e-2)


@each("method", ["value", "slope", "curvature", "conjugate"])
@each("base", [MarginLoss, ResidualLoss])
def test_a_loss_names_its_missing_method(base, method):
    half = type("Half", (base,), {})()
    with pytest.raises(NotImplementedError, match=f"the loss Half has no method {method}; define"):
        getattr(half, method)(np.ones(3))
