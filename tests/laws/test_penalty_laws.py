"""Laws of every penalty."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from problems import PENALTIES, differences, penalty_called

from linclass import LinearClassifier, TunedClassifier
from linclass.base.parts import find
from linclass.linear.penalties.base import KinkedPenalty, Penalty
from linclass.linear.penalties.group_lasso import GroupLasso

BINDING = [name for name in PENALTIES if penalty_called(name).binds]
ENTRYWISE = [name for name in PENALTIES if penalty_called(name).entrywise]
W = np.array([[0.7, -1.2, 0.0], [2.0, 0.1, -0.3]])
METHODS = ("value", "steepest", "dual_norm", "prox", "conjugate", "into_domain", "on", "hessian")


@each("name", ENTRYWISE)
def test_gradients_and_kinks_match_finite_differences(name):
    """Away from 0 the slope is that of the smooth part ± the kink; at 0 it jumps by twice the kink."""
    penalty = penalty_called(name)
    V = np.where(W == 0, 0.4, W)
    slope = penalty.curvature * V + penalty.kink * np.sign(V)
    assert_allclose(slope, differences(penalty.value, V), atol=1e-8)
    kinks, h = np.broadcast_to(penalty.kink, 3), 1e-8
    for e, kink in zip(np.eye(3), kinks, strict=True):
        right, left = (penalty.value(h * e), penalty.value(-h * e))
        assert_allclose((right + left) / h, 2 * kink, atol=1e-6)
    assert penalty.kinked == bool(kinks.any())
    assert penalty.strongly_convex == bool((np.broadcast_to(penalty.curvature, 3) > 0).all())
    bare = np.broadcast_to((np.add(penalty.kink, penalty.curvature) == 0), 3)
    assert penalty.unpenalized is None or (penalty.unpenalized == bare).all()
    assert penalty.unpenalized is not None or not bare.any() or not penalty.binds


@each("name", PENALTIES)
@each("t", [0.1, 1.0])
def test_the_minimum_norm_subgradient_is_the_direction_of_steepest_descent(name, t):
    """The least subgradient S of  ⟨G, ·⟩ + t·penalty  has  −‖S‖ = min over unit directions of the slope there."""
    penalty, rng, h = penalty_called(name), np.random.default_rng(0), 1e-7
    for V in (W, np.zeros_like(W), W * [1, 0, 0]):
        G = rng.standard_normal(W.shape)
        S = penalty.steepest(V, G + t * penalty.curvature * V, t)

        def slope(D, V=V, G=G):
            rise = penalty.value(V + h * D) - penalty.value(V)
            return float(np.vdot(G, D) + t * rise / h)

        length = float(np.linalg.norm(S))
        if length:
            assert_allclose(slope(-S / length), -length, atol=1e-5)
        for _ in range(50):
            D = rng.standard_normal(W.shape) * (rng.uniform(size=W.shape) < 0.6)
            assert slope(D) >= -length * np.linalg.norm(D) - 1e-5


@each("name", [n for n in PENALTIES if penalty_called(n).kinked])
def test_zero_is_optimal_from_the_dual_norm_of_the_gradient_on(name):
    penalty, G, zero = penalty_called(name), np.array([[0.2, 2.5, -0.4], [0.0, 5.0, 1.0]]), 0 * W
    G = G if penalty.unpenalized is None else np.where(penalty.unpenalized, 0, G)
    t = penalty.dual_norm(G)
    assert not penalty.steepest(zero, G, t * (1 + 1e-12)).any()
    assert penalty.steepest(zero, G, t * (1 - 1e-6)).any()


@each("name", BINDING)
def test_penalties_and_conjugates_meet_fenchels_inequality(name):
    penalty = penalty_called(name)
    for U in (
        np.array([[0.2, 2.5, -0.4], [0.0, 5.0, 1.0]]),
        np.array([[0.2, 0.9, -0.4], [0.0, 3.0, 1.0]]),
    ):
        if penalty.unpenalized is not None:
            assert penalty.into_domain(U) == 0
            assert penalty.conjugate(U) == np.inf
            U = np.where(penalty.unpenalized, 0, U)
        c = penalty.into_domain(U)
        assert 0 < c <= 1
        assert np.isfinite(penalty.conjugate(c * U))
        assert c == 1 or penalty.conjugate(1.001 * c * U) == np.inf
        assert penalty.value(W) + penalty.conjugate(c * U) >= np.vdot(c * U, W)


@each("name", BINDING)
def test_hessians_are_differences_of_subgradients_where_weights_move(name):
    penalty, V = penalty_called(name), np.array([[0.7, -1.2, 0.0], [2.0, 0.1, 0.0]])

    def slope(V):
        return penalty.steepest(V, penalty.curvature * V, 1.0)

    moves, h = np.flatnonzero(V), 1e-6
    steps = h * np.eye(V.size)[moves].reshape(-1, *V.shape)
    changes = [(slope(V + step) - slope(V - step)).ravel()[moves] / (2 * h) for step in steps]
    assert_allclose(penalty.hessian(V)[np.ix_(moves, moves)], changes, atol=1e-7)


@each("name", BINDING)
@each("t", [0.1, 1.0, 3.0])
def test_moreaus_identity(name, t):
    """W = prox_{t f}(W) + t prox_{f*/t}(W/t), so the rest U = (W − prox)/t is where f and f* meet."""
    penalty = penalty_called(name)
    V = penalty.prox(W, t)
    U = (W - V) / t
    assert_allclose(penalty.value(V) + penalty.conjugate(U), np.vdot(U, V), atol=1e-14)


BY_FEATURE = [(0.3, 0.3, 0.3), (0.1, 1.0, 3.0), (2.0, 1e-6, 0.5), (1e-3, 1e3, 1.0)]


@each("name", PENALTIES)
def test_prox_minimizes_its_definition(name):
    """V minimizes  F = penalty + ½‖· − W‖²  if and only if  F(V + D) ≥ F(V) + ½‖D‖²  for all D, in the metric of t."""
    penalty = penalty_called(name)
    for t in [0.1, 1.0, *(BY_FEATURE if penalty.prox_by_feature else [])]:
        rng, t = np.random.default_rng(0), np.asarray(t)

        def goal(V, t=t):
            return penalty.value(V) + 0.5 * float(((V - W) ** 2 / t).sum())

        V = penalty.prox(W, t if t.ndim else float(t))
        some = [s * rng.standard_normal(W.shape) * np.sqrt(t) for s in np.logspace(-4, 1, 60)]
        some += [D * (rng.uniform(size=W.shape) < 0.3) for D in some]
        for D in [*some, -V, W - V, -V * [1, 0, 0], -V * [0, 1, 1]]:
            least = goal(V) + 0.5 * float((D**2 / t).sum())
            assert goal(V + D) >= least - 1e-12 * (1 + goal(V + D)), t
        if t.ndim and np.ptp(t) == 0:
            assert_allclose(V, penalty.prox(W, t[0]), rtol=1e-12)


@each("loss", ["logistic", "squared"])
def test_units_of_features_in_a_group_do_not_matter_to_its_convergence(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6)) * np.logspace(-3, 3, 6) + 5
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (Z[:, 0] + Z[:, 4] + rng.standard_normal(200) > 0).astype(int)
    penalty = GroupLasso(groups=[0, 1, 0, 1, 0, 1])
    fit = LinearClassifier(loss=loss, penalty=penalty, strength=1e-3, max_iter=500).fit(X, y)
    assert fit.status_ == "converged"
    assert fit.certificate_kind_ == "duality_gap"


NEW_PARTS = Path(__file__).parents[2] / "docs" / "new_parts.md"


@each("loss", ["logistic", "squared"])
def test_a_user_defined_penalty_can_be_passed_as_an_instance(loss):
    """The example of docs/new_parts.md: ‖W‖ is the group lasso of one group of d features, divided by √d."""
    page, names = NEW_PARTS.read_text(encoding="utf-8"), {"__name__": "own"}
    section = page.partition("## A penalty of your own")[2]
    exec(section.partition("```python\n")[2].partition("```")[0], names)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4))
    y = (X[:, 0] + rng.standard_normal(80) > 0).astype(int)
    penalty, group = names["Length"](), GroupLasso(groups=[0, 0, 0, 0])
    options = {"loss": loss, "tol": 1e-9, "solver": "proximal_gradient"}
    own = LinearClassifier(penalty=penalty, strength=0.05, **options)
    known = LinearClassifier(penalty=group, strength=0.025, **options)
    assert own.set_params(solver="auto").fit(X, y).solver_ == "proximal_gradient"
    assert own.certificate_kind_ == "duality_gap"
    assert own.certificate_ <= 1e-9
    assert_allclose(own.coef_, known.fit(X, y).coef_, atol=1e-8)
    assert own.coef_.any()
    if loss == "logistic":
        tuned = [(own, [10.0, 0.05]), (known, [5.0, 0.025])]
        fits = [TunedClassifier(m, strengths=s, rule="bic").fit(X, y) for m, s in tuned]
        of_own, of_known = (fit.degrees_of_freedom_ for fit in fits)
        assert_allclose(of_own, of_known, rtol=1e-6)
        assert of_own[0] == pytest.approx(1)  # the intercept
    with pytest.raises(ValueError, match="newton needs a smooth penalty; Length has a kink"):
        LinearClassifier(loss=loss, penalty=penalty, solver="newton").fit(X, y)
    assert not LinearClassifier(loss=loss, penalty=penalty, strength=10.0).fit(X, y).coef_.any()


@each("method", METHODS)
def test_a_nonsmooth_penalty_names_its_missing_method(method):
    """Its base class implements none of them."""
    part = type("Half", (KinkedPenalty,), {})()
    arguments = [W, W, 1.0][: len(inspect.signature(getattr(part, method)).parameters)]
    with pytest.raises(NotImplementedError, match=f"the penalty Half has no method {method}"):
        getattr(part, method)(*arguments)


@each("wrong", [{}, ["l1"], {"l1": 3}, {"l1": None}, {"l1": {}, "l2": {}}, 3], ids=repr)
@each("part", ["penalty", "solver"])
def test_values_that_name_no_part_are_refused_in_one_line(part, wrong):
    model = LinearClassifier(**{part: wrong})
    with pytest.raises(ValueError, match=r"give a name, or \{name: \{option: value\}\}") as refused:
        model.fit(np.eye(4), [0, 1, 0, 1])
    assert repr(wrong) in str(refused.value)


@each("name", [n for n in PENALTIES if penalty_called(n).__class__.on is not Penalty.on])
def test_some_features_of_a_penalty_are_the_penalty_with_zeros_elsewhere(name):
    """Except for the fused lasso, whose proximal operator moves neighbours of nonzero weights."""
    penalty = penalty_called(name)
    features = np.array([0, 2])
    V = np.zeros_like(W)
    V[:, features] = W[:, features]
    part = penalty.on(features)
    assert_allclose(part.value(V[:, features]), penalty.value(V), rtol=1e-14)
    assert_allclose(part.prox(V[:, features], 0.3), penalty.prox(V, 0.3)[:, features], rtol=1e-14)


def test_the_unpenalized_objective_ignores_the_strength():
    penalty = find("penalties", "unpenalized")()
    assert penalty.value(W) == 0
    assert penalty.conjugate(np.zeros(3)) == 0
    assert penalty.conjugate(np.ones(3)) == np.inf
    assert penalty.into_domain(np.ones(3)) == 0
