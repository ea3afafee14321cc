"""Laws of objectives, of every solver, and of the fits that end in them."""

import re
from itertools import product

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from problems import CONVEX, FITTED, PENALTIES, SMOOTH, differences, objective
from scipy import sparse

from linclass import LinearClassifier, LinearRegression, LogisticRegression, Ridge
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import NotApplicable
from linclass.base.parts import find, names
from linclass.kernels.kernel_design import KernelDesign
from linclass.linear.losses.base import MarginLoss, ResidualLoss
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.multiclass import Kesler
from linclass.linear.objective.certificate import certificate_of_step, duality_gap
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.base import Trace
from linclass.linear.solvers.compatibility import mismatch, takes_penalty
from linclass.linear.solvers.first_order import prepared_steps
from linclass.linear.solvers.newton import Newton, inverse_hessian
from linclass.linear.solvers.perceptron_rule import PerceptronRule

# Those that take an L2 penalty
SOLVERS = [name for name in names("solvers") if takes_penalty(find("solvers", name), L2())]
TWICE = [name for name in CONVEX if find("losses", name).kind == "twice-smooth"]
EXACT = 1e-9
CURVED = [name for name in PENALTIES if name.startswith("l2")]  # as it is, and with factors

# What a solver needs besides its defaults to come within 1e-6 of the optimum on these problems.
OPTIONS = {
    "stochastic_gradient": {"batch": 20, "max_iter": 3000, "random_state": 0},
    "subgradient": {"max_iter": 20_000},
}


def applicable(solver, loss):
    return mismatch(find("solvers", solver)(), find("losses", loss)) is None


def made(name, **more):
    return find("solvers", name)(**({"tol": EXACT} | OPTIONS.get(name, {}) | more))


PAIRS = [(s, l) for s in SOLVERS for l in CONVEX if applicable(s, l)]
SMOOTH_PAIRS = [(s, l) for s, l in PAIRS if l in TWICE]
# Fixed steps along slopes without a bound overshoot to where the exponential loss is beyond all numbers.
SETTLING = [pair for pair in SMOOTH_PAIRS if pair != ("subgradient", "exponential")]
SETTLING = [
    pytest.param(
        s, l, marks=[pytest.mark.slow] * (s == "subgradient" and l not in ("logistic", "softmax"))
    )
    for s, l in SETTLING
]


def accepted(loss, penalty, solver):
    try:
        LinearClassifier(loss=loss, penalty=penalty, solver=solver).check()
    except ValueError:
        return False
    return True


@each("penalty", CURVED)
@each("intercept", [True, False])
@each("loss", TWICE)
def test_gradient_and_hessian_match_finite_differences(loss, intercept, penalty):
    P = objective(loss, penalty, intercept=intercept)
    theta = 0.3 * np.random.default_rng(2).standard_normal(P.shape)
    point = P.at_with_hessian(theta)
    assert_allclose(point.value, P.at(theta).value, rtol=1e-13)
    assert_allclose(point.gradient, P.at(theta).gradient, atol=1e-13)
    assert_allclose(point.gradient, differences(lambda t: P.at(t).value, theta), atol=1e-8)
    P.block = 7
    in_blocks = P.at_with_hessian(theta)
    assert_allclose(in_blocks.hessian, point.hessian, atol=1e-13)
    assert_allclose(in_blocks.gradient, point.gradient, atol=1e-13)
    times = P.hessian_times(P.at(theta))
    for j in range(P.n_parameters):
        e = np.zeros(P.n_parameters)
        e[j] = 1
        Hs, Xs = times(e.reshape(P.shape))
        assert_allclose(Hs.ravel(), point.hessian[j], atol=1e-12)
        assert_allclose(Xs, P.design.scores(e.reshape(P.shape)))


def test_single_precision_changes_a_hessian_product_by_no_more_than_its_rounding(monkeypatch):
    P = objective("softmax")
    point = P.at(0.3 * np.random.default_rng(2).standard_normal(P.shape))
    s = np.random.default_rng(3).standard_normal(P.shape)
    exact, _ = P.hessian_times(point, exact=False)(s)  # so few rows are not worth it
    assert_allclose(exact, P.hessian_times(point)(s)[0], rtol=1e-14)
    monkeypatch.setattr("linclass.linear.objective.objective.IN_CACHE", 0)
    rounded, _ = P.hessian_times(point, exact=False)(s)
    assert 0 < np.abs(rounded - exact).max() < 1e-6


@each("loss", FITTED)
@each("steps", [1, 2, 3])
@each("penalty", ["l2", "unpenalized"])
def test_prepared_steps_are_steps_along_the_gradient(loss, steps, penalty):
    P = objective(loss, penalty)
    theta = 0.3 * np.random.default_rng(2).standard_normal(P.shape)
    expected = theta.copy()
    for _ in range(steps):
        expected = expected - 0.1 * P.at(expected).gradient
    twice = P.take(np.arange(60).repeat(2), P.weights.repeat(2) / 2)  # equal rows are merged
    for Q in (P, twice):
        found = theta.copy()
        prepared_steps(Q, 0.1)(found, steps)
        assert_allclose(found, expected, atol=1e-14)


@each("loss", [n for n in CONVEX if find("losses", n).has_conjugate])
@each("penalty", CURVED)
@each("intercept", [True, False])
def test_the_duality_gap_bounds_what_is_left_anywhere(loss, intercept, penalty):
    """P(θ) − gap(θ) ≤ min P ≤ P(θ) for any θ, so no gap may beat another's value."""
    P = objective(loss, penalty, intercept=intercept)
    rng = np.random.default_rng(0)
    points = [P.at(s * rng.standard_normal(P.shape)) for s in (0, 0.1, 0.5, 1, 2)]
    gaps = [duality_gap(point) for point in points]
    if P.certificate_kind != "duality_gap":  # features without a penalty, and slopes that jump
        assert P.unpenalized is not None
        assert P.loss.kind != "twice-smooth"
        return
    best = min(point.value for point in points)
    assert all(point.value - gap <= best + 1e-12 for point, gap in zip(points, gaps, strict=True))


@each("penalty", CURVED)
@each("loss", ["logistic", "softmax", "squared"])
def test_the_duality_gap_is_of_second_order_near_the_minimum(loss, penalty):
    """Also off the best intercept, where balancing the slopes by force would cost a first order."""
    P = objective(loss, penalty)
    optimum = made("newton", tol=1e-15).solve(P, P.zero()).theta
    off = np.random.default_rng(0).standard_normal(P.shape)
    far, near = (duality_gap(P.at(optimum + e * off)) for e in (1e-2, 1e-3))
    assert_allclose(far / near, 100, rtol=0.1)


@each("penalty", CURVED)
@each("kept", [False, True])
@each("loss", TWICE)
def test_a_newton_step_proves_its_end_without_looking_at_the_rows(loss, kept, penalty):
    """The same gap as by a pass over the rows for the same slopes, and so a bound on what is left."""
    P = objective(loss, penalty)
    optimum = made("newton", tol=1e-15).solve(P, P.zero())
    old = P.at_with_hessian(optimum.theta + 0.03)
    source = P.at_with_hessian(optimum.theta - 0.01) if kept else old
    step = -inverse_hessian(P, source.hessian).times(old.gradient.ravel()).reshape(P.shape)
    new, passes = P.at(old.theta + step), P.design.passes
    gap = new.value * certificate_of_step(old, new, source)
    assert P.design.passes == passes
    slopes = old.slopes + P.loss.curve(source.curvatures, new.scores - old.scores)
    open_ = P.design.pull(P.weights * slopes)[..., P.columns_without_penalty]
    assert_allclose(open_, 0, atol=1e-14)
    assert_allclose(gap, duality_gap(new, slopes), atol=1e-13)
    assert new.value - optimum.objective <= gap + 1e-14
    half = P.at(old.theta + step / 2)
    assert certificate_of_step(old, half, source) == np.inf


@each(("loss", "penalty", "solver"), [
    (loss, penalty, solver)
    for loss in SMOOTH
    if issubclass(find("losses", loss), (MarginLoss, ResidualLoss))
    for penalty in (None, "l1", "adaptive_lasso")
    for solver in names("solvers")
    if solver not in ("gradient_descent", "stochastic_gradient", "subgradient")
    and accepted(loss, penalty, solver)
])  # fmt: skip
def test_solvers_leave_zero_without_a_ridge(loss, penalty, solver):
    """At zero every row is where the Huber loss turns from quadratic to linear."""
    X, y = data()
    y[:8] = 1 - y[:8]  # classes that overlap
    strength = {} if penalty is None else {"strength": 0.01}
    model = LinearClassifier(loss=loss, penalty=penalty, solver=solver, **strength)
    assert model.fit(X, y).status_ == "converged"


@each(("solver", "loss"), SETTLING)
def test_every_solver_reaches_the_same_optimum(solver, loss):
    P = objective(loss)
    optimum = Newton(tol=1e-13).solve(P, P.zero()).objective
    found = reaches_the_optimum(made(solver), P, optimum)
    assert found.objective >= optimum - 1e-13


def reaches_the_optimum(solver, P, optimum):
    solution = solver.solve(P, P.zero())
    assert optimum * (1 - 1e-7) <= solution.objective <= optimum * (1 + 1e-6)
    assert (solution.objective - optimum) / optimum <= solution.certificate + 1e-13
    return solution


@each("solver", ["gradient_descent", "newton", "newton_cg", "quasi_newton"])
@each("loss", TWICE)
def test_a_monotone_solver_never_rises(solver, loss):
    P, trace = objective(loss, strength=1e-3), Trace()
    start = 3 * np.random.default_rng(1).standard_normal(P.shape)
    made(solver).solve(P, start, trace)
    values = [P.at(start).value, *(row["objective"] for row in trace.rows)]
    assert len(values) > 2
    assert (np.diff(values) <= 1e-12 * abs(values[0])).all()
    assert (np.diff([row["passes"] for row in trace.rows]) > 0).all()


@each(("penalty", "solver"), [
    ("l2", "auto"), ("l1", "proximal_newton"), ("l1", "proximal_gradient"),
])  # fmt: skip
@each("classes", [2, 3])
def test_a_trace_records_every_step_and_is_kept_only_on_request(penalty, solver, classes):
    X, y = data(classes=classes)
    model = LogisticRegression(penalty=penalty, strength=0.02, solver=solver)
    assert not hasattr(model.fit(X, y), "trace_")
    rows = model.set_params(trace=True).fit(X, y).trace_
    assert set(rows[0]) == {"passes", "seconds", "objective", "gradient_norm"}
    assert rows[-1]["gradient_norm"] < rows[0]["gradient_norm"]
    assert len(rows) > 2
    assert_allclose(rows[-1]["objective"], model.objective_, rtol=1e-9)
    assert (np.diff([row["passes"] for row in rows]) > 0).all()


@each("solver", [s for s in SOLVERS if applicable(s, "perceptron")])
@each("classes", [2, 3])
def test_the_perceptron_loss_of_separable_rows_ends_with_every_row_right(solver, classes):
    """From W = 0, where the loss is 0 and no row is right, and from any other start."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = (X @ rng.standard_normal((2, classes))).argmax(axis=1)
    rule = {"learning_rate": 1.0, "batch": 1, "average": False}  # makes it the perceptron's
    more = rule if solver == "stochastic_gradient" else {}
    loss = find("losses", "perceptron")() if classes == 2 else Kesler(classes)
    P = Objective(DesignMatrix(X, True), loss, np.where(y, 1.0, -1.0) if classes == 2 else y)
    far = np.random.default_rng(5).standard_normal(P.shape)
    assert 0 <= made(solver, **more).solve(P, far).objective < 1e-6
    rule = {solver: {"average": False, "max_iter": 2000} if more else {}}
    model = LinearClassifier(loss="perceptron", penalty=None, solver=rule, random_state=0).fit(X, y)
    assert (model.status_, model.score(X, y)) == ("converged", 1)


def data(n=80, classes=2):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, 4)) * [1, 2, 0.5, 1]
    Z = X @ rng.standard_normal((4, classes)) + rng.gumbel(size=(n, classes))
    return X, Z.argmax(axis=1)


@each("solver", ["auto", "gradient_descent", "newton", "newton_cg", "quasi_newton", "irls"])
@each("real", [np.float64, np.float32])
def test_sparse_and_dense_give_the_same_answer(solver, real):
    X, y = data()
    X = np.where(np.abs(X) > 0.5, X, 0).astype(real)
    options = {"solver": solver, "strength": 0.05, "tol": 1e-13, "max_iter": 20_000}
    dense, thin = (LogisticRegression(**options).fit(Z, y) for Z in (X, sparse.csr_array(X)))
    assert_allclose(thin.coef_, dense.coef_, atol=1e-8)
    found = thin.decision_function(sparse.csr_array(X))
    assert_allclose(found, dense.decision_function(X), atol=1e-8)


@each("model", [
    LogisticRegression(solver="newton"), LogisticRegression(solver="newton", penalty=None),
    LinearRegression(solver="quasi_newton"), Ridge(solver="quasi_newton"),
], ids=repr)  # fmt: skip
@each("classes", [2, 3])
def test_a_warm_start_begins_where_the_last_fit_ended(model, classes):
    X, y = data(classes=classes)
    model = model.set_params(warm_start=True, tol=1e-9)
    first, coef = model.fit(X, y).n_iter_, model.coef_.copy()
    assert model.fit(X, y).n_iter_ < first
    assert model.solver != "newton" or model.n_iter_ == 1
    assert_allclose(model.coef_, coef, atol=1e-5)
    wider = np.column_stack([X, X[:, 0] ** 2])  # an old answer that does not fit is left alone
    assert model.fit(wider, y).coef_.shape[-1] == 5


@each("average", [True, False])
@each("step", [0.1, {"inverse": 0.5}, {"sqrt": 0.5}, {"constant": 0.1}, None])
def test_stochastic_steps_are_a_function_of_the_seed(step, average):
    P = objective("logistic")
    options = {"learning_rate": step, "average": average, "max_iter": 5, "batch": 7}
    solvers = [made("stochastic_gradient", **options, random_state=s) for s in (1, 1, 2)]
    one, same, other = (solver.solve(P, P.zero()).theta for solver in solvers)
    assert (one == same).all()
    assert (one != other).any()


@each("solver", names("solvers"))
@each("loss", names("losses"))
def test_a_refused_solver_gets_a_suggestion(loss, solver):
    """With a penalty other than the default, because a remedy may apply to one penalty only."""
    if loss in ("perceptron", "kesler"):
        with pytest.raises(ValueError, match=r"no solver minimizes .* Try loss='squared_hinge'"):
            LinearClassifier(loss=loss, penalty="l1").check()
        return
    try:
        LinearClassifier(loss=loss, penalty="l1", solver=solver).check()
    except ValueError as refusal:
        remedy = re.search(r"Try solver='(\w+)'", str(refusal))
        if remedy:
            LinearClassifier(loss=loss, penalty="l1", solver=remedy[1]).check()


@each("loss", ["logistic", "hinge", "squared_hinge", "probit", "squared"])
def test_a_warm_start_of_other_classes_begins_at_0(loss):
    """From three classes to four or two, and back, the fit is the one without a warm start."""
    X = np.random.default_rng(0).standard_normal((60, 3))
    targets = [np.digitize(X[:, 0] + X[:, 1] ** 2, bins) for bins in ([0, 1], [0, 1, 2], [0.5])]
    warm = LinearClassifier(loss=loss, strength=0.1, warm_start=True)
    for y in (*targets, targets[0]):
        cold = LinearClassifier(loss=loss, strength=0.1).fit(X, y)
        assert_array_equal(warm.fit(X, y).coef_, cold.coef_)


def test_incompatible_parts_are_refused_in_one_sentence():
    twice = "newton needs a twice-smooth loss; hinge is only convex. Try solver='auto'."
    bent = "newton needs a smooth penalty; l1 has a kink at 0. Try solver='proximal_newton'."
    for params, sentence in (({"loss": "hinge"}, twice), ({"penalty": "l1"}, bent)):
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            LinearClassifier(solver="newton", **params).check()
    descent, stochastic = "gradient_descent", "stochastic_gradient"
    steps = [-1, {"units": 1}, "backtrackng", "unit", {"backtracking": "x"}]
    refused = [
        {"loss": "hinge", "solver": descent}, {"loss": "zero_one"}, {"loss": "logistik"}, {"penalty": "l3"},
        {"solver": "newtons"}, {"solver": "least_squares"}, {"solver": "newton", "learning_rate": 0.1},
        {"learning_rate": 0.1}, *({"solver": descent, "learning_rate": step} for step in steps),
        {"solver": stochastic, "learning_rate": {"unit": 1}}, {"solver": {stochastic: {"batch": 0}}},
        {"solver": "newton", "max_iter": 0}, {"solver": {"newton": {"steps": 3}}},
        {"solver": "perceptron_rule", "loss": "logistic"}, {"solver": "perceptron_rule", "loss": "perceptron"},
        {"solver": "newton", "tol": -1.0}, {"strength": -1.0}, {"strength": "much"},
    ]  # fmt: skip
    remedies = [
        ({"penalty": "elastic_net", "solver": "gradient_descent"}, "proximal_newton"),
        ({"penalty": "elastic_net", "solver": "homotopy", "loss": "squared"}, "quadratic_program"),
        ({"penalty": "l2", "solver": "homotopy", "loss": "squared"}, "least_squares"),
        ({"penalty": "l1", "solver": "quadratic_program", "loss": "logistic"}, "auto"),
        ({"penalty": "group_lasso", "loss": "crammer_singer"}, "squared_hinge"),
        ({"penalty": "fused_lasso", "loss": "hinge"}, "squared_hinge"),
        ({"penalty": "group_lasso", "loss": "hinge"}, "squared_hinge"),
        ({"penalty": "l1", "loss": "hinge", "solver": "subgradient"}, "l1 has a kink at 0"),
        ({"penalty": "elastic_net", "l1_ratio": 2}, "from 0 to 1"),
        ({"penalty": {"elastic_net": {"ratio": 2}}}, "l1_ratio"),
        *((params, r"\w") for params in refused),
    ]
    for params, remedy in remedies:
        with pytest.raises(ValueError, match=remedy) as caught:
            LinearClassifier(**params).check()
        assert "\n" not in str(caught.value)


def test_a_dense_hessian_of_34250_features_is_refused_before_it_is_allocated():
    S, y = sparse.csr_array((np.ones(4), (range(4), [0, 9, 99, 34_249])), (4, 34_250)), [0, 1, 0, 1]
    with pytest.raises(NotApplicable, match="34251 × 34251 Hessian"):
        LogisticRegression(solver="newton").fit(S, y)
    assert LogisticRegression().fit(S, y).solver_ == "newton_cg"


def gallants_pocket(X, y, passes):
    """Row by row: weights with a longer run than those in the pocket, and fewer errors on all rows, replace them."""

    def errors(w):
        return int(np.sum(y * (X @ w) <= 0))

    w, run = np.zeros(X.shape[1]), 0
    pocket, best, longest, inside = w, errors(w), 0, True
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            if label * (x @ w) > 0:
                run += 1
                continue
            if inside:
                longest = run
            elif run > longest and errors(w) < best:
                pocket, best, longest = w, errors(w), run
            w, run, inside = w + label * x, 0, False
        if errors(w) < best:
            pocket, best, longest, inside = w, errors(w), run, True
    return pocket


def test_the_pocket_keeps_the_best_of_the_weights_that_it_tests():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((80, 3))
        y = np.where(X[:, 0] + rng.standard_normal(80) > 0, 1.0, -1.0)
        P = Objective(DesignMatrix(X, False), find("losses", "perceptron")(), y)
        for passes in (1, 2, 7):
            found = PerceptronRule(order="cyclic", max_iter=passes).solve(P, P.zero())
            assert_allclose(found.theta, gallants_pocket(X, y, passes), atol=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, "kernel"])
def test_corrections_of_many_rows_at_once_are_those_of_single_rows(classes, form, monkeypatch):
    rng = np.random.default_rng(classes)
    X, w = rng.standard_normal((150, 6)), rng.exponential(size=150)
    codes = (X @ rng.standard_normal((6, classes)) + rng.standard_normal((150, classes))).argmax(1)
    loss = find("losses", "perceptron")() if classes == 2 else Kesler(classes)
    y = np.where(codes, 1.0, -1.0) if classes == 2 else codes
    for intercept, order in product((True, False), ("random", "cyclic")):
        kind = KernelDesign if form == "kernel" else DesignMatrix
        rows = (1 + X @ X.T) ** 2 if form == "kernel" else form(X)
        P, found = Objective(kind(rows, intercept), loss, y, w), []
        for size in (64, 1):
            monkeypatch.setattr("linclass.linear.solvers.perceptron_rule.BLOCK_ROWS", size)
            rule = PerceptronRule(order=order, max_iter=4, learning_rate=0.3, random_state=0)
            found.append(rule.solve(P, P.zero()))
        many, single = found
        assert_allclose(many.theta, single.theta, rtol=1e-9, atol=1e-9)
        assert many.extra == single.extra
        assert many.extra["n_mistakes_"] > 100


def test_a_certificate_that_is_not_a_bound_is_called_a_cosine():
    """Without a penalty, the largest of the slopes with a column."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.sort(rng.standard_normal(40)), 1e-7 * (np.arange(40) >= 20)])
    X, y = X[rng.permutation(40)], np.where(rng.permutation(40) < 20, -1.0, 1.0)
    for penalty in ("l2", "unpenalized"):
        P = Objective(DesignMatrix(X), Logistic(), y, None, find("penalties", penalty)(), 0.1)
        here = Newton(tol=1e-3).solve(P, P.zero())
        best = Newton(tol=1e-12, max_iter=500).solve(P, P.zero()).objective
        if penalty == "l2":
            assert here.certificate_kind == "duality_gap"
            assert here.objective - best <= here.certificate * here.objective * (1 + 1e-9)
    assert here.certificate_kind == "gradient_cosine"
    rows, slopes = np.column_stack([X, np.ones(40)]), P.at(here.theta).slopes
    lengths = np.linalg.norm(rows, axis=0) * np.linalg.norm(slopes)
    cosine = np.abs(rows.T @ slopes / lengths).max()
    assert here.certificate == pytest.approx(cosine, rel=1e-6)


@each("solver", ["newton", "newton_cg"])
@each("penalty", [None, {"l2": {"factors": [1, 1, 1, 0]}}])
def test_a_rare_category_that_separates_a_subset_does_not_lead_newton_astray(penalty, solver):
    """Of 400 rare rows every 20th, those of the subset that Newton starts from, has class 1, of the others a tenth."""
    rng = np.random.default_rng(1)
    n = 40_000
    X, rare = rng.standard_normal((n, 3)), np.zeros(n, dtype=bool)
    rare[rng.choice(n, 400, replace=False)] = True
    y = X[:, 0] + rng.logistic(size=n) > 0
    y[rare] = rng.random(400) < 0.1
    y[::20] |= rare[::20]
    model = LogisticRegression(penalty=penalty, solver=solver).fit(np.column_stack([X, rare]), y)
    assert model.status_ == "converged"
    assert -3 < model.coef_[0, 3] < -1


def test_few_steps_suffice_where_a_weak_group_penalty_alone_bounds_the_weights():
    """Two classes are far from the others, so the likelihood has hardly any curvature along their weights."""
    y, means = np.arange(800) % 4, np.zeros((4, 8))
    means[[2, 3, 1], [0, 1, 2]] = 9, 9, 0.7
    X = means[y] + np.random.default_rng(0).normal(size=(800, 8))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for strength in (1e-5, 1e-7, 1e-9):
        model = LogisticRegression(penalty="group_lasso", strength=strength).fit(X, y)
        assert model.certificate_ <= model.tol
        assert model.n_iter_ <= 40
