"""Laws of a path, for every estimator that has one: what separate fits are, only cheaper; and its first strength."""

import itertools

import numpy as np
import pytest
from cases import each
from models import MODULES, own_classes
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import linear_model as sk
from sklearn import svm
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linclass as L
from linclass.base import parts
from linclass.base.messages import NotApplicable
from linclass.base.numerics import conjugate_gradients_of_shifts
from linclass.base.regressor import Regressor
from linclass.kernels.kernel_machine import KernelPath
from linclass.linear.linear_model import LinearModel, penalty_of
from linclass.linear.path import intercept_fit

STRENGTHS = [1e-3, 1.0, 1e-2, 0.3, 1e-4, 1e-2]  # in no order, one of them twice
VARIANTS = {  # besides the defaults
    "LogisticRegression": [{"solver": "newton_cg"}, {"class_weight": "balanced"},
        *({"penalty": penalty} for penalty in ("l1", "elastic_net", "adaptive_lasso"))],
    "LinearClassifier": [{"loss": "squared_hinge"}, {"loss": "squared"}],
    "KernelSVM": [{"loss": "squared_hinge"}, {"kernel": "polynomial", "degree": 2}],
    "SupportVectorRegressor": [{"kernel": "gaussian"}],
}  # fmt: skip


def penalized():
    """One of each estimator whose fit has a penalty, and its variants."""
    found = []
    for module in MODULES:
        for kind in own_classes(module):
            if issubclass(kind, LinearModel | KernelPath) and hasattr(kind, "path"):
                variants = [{}, *VARIANTS.get(kind.__name__, [])]
                found += [kind(**params) for params in variants]
    return [
        e.set_params(tol=1e-9 if over_kernels(e) else 1e-12)  # what rounding of their scores leaves
        for e in found
        if over_kernels(e) or penalty_of(e).binds
    ]


def over_kernels(estimator):
    return isinstance(estimator, KernelPath)


def problem(estimator, K, n=80, seed=5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = rng.standard_normal((n, 4)) + np.eye(max(K, 4))[y][:, :4]
    if isinstance(estimator, Regressor):
        return X, X @ [1.0, -2.0, 0.0, 0.0] + rng.standard_normal(n)
    return X, np.array(["a", "b", "c"])[y]


@each("K", [2, 3])
@each("kind", ["dense", "sparse"], quick=1)
@each("estimator", penalized(), ids=repr)
def test_a_path_is_what_separate_fits_are(estimator, kind, K):
    X, y = problem(estimator, K)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    X = sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0)) if kind == "sparse" else X
    cases = [{"sample_weight": w}]
    if isinstance(
        estimator, L.LogisticRegression | L.ProbitRegression
    ):  # a row of weight 0 has an offset
        offset = np.random.default_rng(2).normal(size=(len(y), K)[: K - 1])
        cases += [{"sample_weight": w * (np.arange(len(y)) % 7 > 0), "offset": offset}]
    for given in cases:
        try:
            path = estimator.path(X, y, STRENGTHS, **given)
        except NotApplicable as refusal:  # some are of two classes only
            if given is not cases[0]:
                raise
            pytest.skip(str(refusal))
        assert len(path) == len(STRENGTHS)
        assert path.strengths.tolist() == STRENGTHS
        for strength, fitted in zip(STRENGTHS, path, strict=True):
            alone = estimator._unfitted(strength=strength).fit(X, y, **given)
            assert fitted.get_params() == alone.get_params()
            assert set(vars(fitted)) == set(vars(alone))
            assert fitted.status_ == alone.status_ == "converged"
            assert fitted.certificate_ <= estimator.tol
            np.testing.assert_allclose(fitted.objective_, alone.objective_, rtol=10 * estimator.tol)
            if over_kernels(estimator):  # an optimal intercept need not be the only one
                np.testing.assert_allclose(function(fitted, X), function(alone, X), atol=1e-4)
                continue
            np.testing.assert_allclose(fitted.coef_, alone.coef_, atol=2e-5)
            if isinstance(fitted, Regressor):
                np.testing.assert_allclose(fitted.predict(X), alone.predict(X), atol=1e-5)
            else:
                np.testing.assert_array_equal(fitted.predict(X), alone.predict(X))
                np.testing.assert_allclose(fitted.intercept_, alone.intercept_, atol=1e-5)


@each("fit_intercept", [True, False])
def test_a_ridge_path_of_many_sparse_rows_is_what_separate_fits_are(fit_intercept):
    """Its systems are solved together, by products with the rows."""
    rng = np.random.default_rng(3)
    X = sparse.random_array((350, 400), density=0.05, rng=rng, format="csr")
    y, w = rng.integers(0, 2, 350), rng.integers(0, 3, 350)
    options = {"penalty": "l2", "solver": "finite_newton", "tol": 1e-10}
    model = L.LeastSquaresClassifier(fit_intercept=fit_intercept, **options)
    for fitted in model.path(X, y, STRENGTHS, sample_weight=w):
        alone = model._unfitted(strength=fitted.strength).fit(X, y, sample_weight=w)
        assert fitted.status_ == "converged"
        assert fitted.certificate_ <= 1e-10
        np.testing.assert_allclose(fitted.coef_, alone.coef_, atol=1e-4 * np.abs(alone.coef_).max())
        np.testing.assert_allclose(fitted.intercept_, alone.intercept_, atol=1e-5)


def function(model, X):
    """f of every row, without the intercept."""
    scores = model.predict if isinstance(model, Regressor) else model.decision_function
    return scores(X) - model.intercept_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("estimator", penalized(), ids=repr)
def test_computing_a_path_does_not_change_the_estimator(estimator):
    X, y = problem(estimator, 2)
    fitted = estimator._unfitted(strength=0.05).fit(X, y)
    before = {name: np.copy(value) for name, value in vars(fitted).items()}
    fitted.path(X, y, STRENGTHS)
    assert set(vars(fitted)) == set(before)
    for name, value in before.items():
        np.testing.assert_array_equal(vars(fitted)[name], value)
    if isinstance(estimator, L.LogisticRegression) and estimator.solver == "auto":
        short = estimator._unfitted(solver="proximal_gradient", max_iter=1)
        assert {*short.path(X, y, [1e-6, 1e-5]).status_} == {"max_iter"}


def test_a_fit_with_more_weights_than_rows_follows_the_path_to_a_weak_strength():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 300))
    X[:, 1:] += 0.5 * X[:, :-1]
    W = rng.standard_normal((3, 300)) * (rng.random((3, 300)) < 0.1)
    y = (X @ W.T + rng.gumbel(size=(100, 3))).argmax(axis=1)
    weak = L.LogisticRegression(penalty="l1", strength=1e-6, trace=True).fit(X, y)
    assert weak.status_ == "converged"
    passes = weak.trace_[-1]["passes"]
    assert passes < 10 * weak.n_iter_  # 140 a step where each stage is a single step


def test_systems_that_differ_by_multiples_of_the_identity_are_solved_together():
    rng = np.random.default_rng(0)
    B, b = rng.standard_normal((30, 20)), rng.standard_normal(30)
    H, shifts = B @ B.T, np.array([1.0, 1e-3, 30.0])
    found = conjugate_gradients_of_shifts(H.dot, b, shifts, lambda _, __, square: square <= 1e-24)
    for shift, s in zip(shifts, found, strict=True):
        np.testing.assert_allclose(s, np.linalg.solve(H + shift * np.eye(30), b), rtol=1e-8)


# The first strength of a path: the smallest with zero weights, for every loss and penalty, and its invariances

UPPER_BOUND = {"hinge", "epsilon_insensitive"}  # with groups: no linear program finds the least
SOLVED = 1e-5  # of the weights that augmented Lagrangians leave


def rows(K, n=60):
    """Unbalanced classes far from the origin, and a feature in other units."""
    rng = np.random.default_rng(K)
    y = rng.choice(K, n, p=[0.6, 0.4] if K == 2 else [0.5, 0.3, 0.2])
    X = rng.normal(size=(n, 5)) + np.eye(5)[y] + 3
    X[:, 4] *= 10
    return X, y


def possible(penalty):
    """One classifier for each loss that can have the penalty; the perceptron's loss is 0 without features."""
    found = []
    for loss in parts.names("losses"):
        model = L.LinearClassifier(loss=loss, penalty=penalty, tol=1e-10)
        try:
            model.check()
        except ValueError:
            continue
        found += [] if loss in ("perceptron", "kesler") else [model]
    return found


@each("penalty", ("l1", "elastic_net", "adaptive_lasso", "group_lasso", "fused_lasso"))
def test_the_first_strength_leaves_no_weight_and_a_weaker_one_does(penalty):
    without = L.LogisticRegression(penalty=penalty, fit_intercept=False, tol=1e-10)
    for K, model in itertools.product((2, 3), [*possible(penalty), without]):
        X, y = rows(K)
        top = model.strength_path(X, y)[0]
        of_none, of_some = (model._unfitted(strength=s).fit(X, y) for s in (top, 0.9 * top))
        case = f"{model.loss}, {penalty}, {K} classes"
        assert np.abs(of_none.coef_).max() < SOLVED, case
        bound = model.loss in UPPER_BOUND and penalty == "group_lasso"
        bound = bound or (model.loss == "crammer_singer" and K == 3)
        assert bound or np.abs(of_some.coef_).max() > 10 * SOLVED, case


def test_the_first_strength_of_l2_explains_at_most_a_hundredth_of_the_loss():
    """And close to it, where the loss is smooth: the bound is reached as the strength grows."""
    for K, model in itertools.product((2, 3), possible("l2")):
        X, y = rows(K)
        fit = model._unfitted(strength=model.strength_path(X, y)[0]).fit(X, y)
        objectives = fit._unfitted()._path_objectives(X, y, None, None)
        theta, shares = np.column_stack([fit.coef_, fit.intercept_]), []
        for number, objective in enumerate(objectives):
            own = theta if len(objective.shape) == 2 else theta[number]
            shares.append(1 - objective.at(own).loss_value / intercept_fit(objective).loss)
        case = f"{model.loss}, {K} classes: {shares}"
        assert max(shares) <= 0.01 + 1e-9, case
        smooth = objectives[0].loss.kind == "twice-smooth"
        assert max(shares) > (0.005 if smooth else -1e-9), case


@each("model", [
    L.KernelSVM(), L.KernelSVM(loss="squared_hinge", kernel="linear"), L.KernelLogisticRegression(),
    L.OrdinalRegression(), L.LinearSVM(), L.ProbitRegression(), L.SupportVectorRegressor(kernel="gaussian"),
], ids=repr)  # fmt: skip
def test_the_first_fit_of_a_path_hardly_differs_from_the_intercept(model):
    X, y = rows(2)
    path = model.strength_path(X, y)
    assert (len(path), path[0] / path[-1]) == (31, pytest.approx(1e7))
    predict = "predict" if hasattr(model, "epsilon") else "decision_function"
    fits = [model._unfitted(strength=s).fit(X, y) for s in (path[0], path[20])]
    far, near = (np.ptp(getattr(fit, predict)(X)) for fit in fits)
    assert far < 0.1 * near


@each("penalty", ["l1", "l2"])
def test_factors_and_unpenalized_features_belong_to_the_start(penalty):
    """With the factor 0 a feature joins the intercept; doubled factors halve the strengths."""
    X, y = rows(2)
    free = L.LogisticRegression(penalty={penalty: {"factors": [0, 1, 1, 1, 1]}}, tol=1e-13)
    top = free.strength_path(X, y)[0]
    W = free.set_params(strength=top).fit(X, y).coef_[0]
    assert W[0] != 0
    if penalty == "l1":
        assert np.abs(W[1:]).max() < 1e-9
        assert free.set_params(strength=0.9 * top).fit(X, y).coef_[0, 1:].any()
    equal = [L.LogisticRegression(penalty={penalty: {"factors": [f] * 5}}) for f in (1, 2)]
    one, two = (model.strength_path(X, y) for model in equal)
    assert_allclose(one, 2 * two)


def test_weights_count_rows_and_sparse_rows_have_the_same_path():
    X, y = rows(2)
    twice = np.arange(60) % 3 == 0
    for penalty, loss in itertools.product(("l1", "l2"), ("logistic", "hinge", "squared_hinge")):
        model = L.LinearClassifier(penalty=penalty, loss=loss)
        weighed = model.strength_path(X, y, sample_weight=1.0 + twice)
        repeated = model.strength_path(np.vstack([X, X[twice]]), np.append(y, y[twice]))
        assert_allclose(weighed, repeated, rtol=1e-5)
        assert_allclose(model.strength_path(sparse.csr_array(X), y), model.strength_path(X, y))


def test_thresholds_begin_without_features_and_end_with_all():
    X, y = rows(3)
    path = L.NearestShrunkenCentroids().threshold_path(X, y)
    assert path[-1] == 0
    selected = [L.NearestShrunkenCentroids(t).fit(X, y).selected_.sum() for t in path[[0, 1, -1]]]
    assert selected[0] == 0
    assert selected[1] > 0
    assert selected[2] == 5


def test_the_strength_path_inside_one_vs_one_applies_to_every_pair():
    X, y = rows(3, 90)
    name, inner = "estimator__strength", L.LogisticRegression(penalty="l1", tol=1e-10)
    for outer in (L.OneVsOne(inner), L.OneVsRest(inner)):
        top = L.parameter_path(outer, name, X, y)[0]
        fits = [outer._unfitted().set_params(**{name: s}).fit(X, y) for s in (top, 0.9 * top)]
        at, below = ([one.coef_.any() for one in fit.estimators_] for fit in fits)
        assert (any(at), any(below)) == (False, True)


def test_the_path_of_a_pipeline_is_that_of_its_transformed_rows():
    X, y = rows(2)
    pipeline = make_pipeline(StandardScaler(), L.LogisticRegression())
    found = L.parameter_path(pipeline, "logisticregression__strength", X, y)
    assert_allclose(
        found, L.LogisticRegression().strength_path(StandardScaler().fit_transform(X), y)
    )


@each("class_weight", [None, "balanced", {"few": 5.0, "many": 0.5}])
def test_paths_of_scikit_learn_begin_where_its_fits_begin(class_weight):
    """C and alpha in the units of each class: no weight at the start of L1, some at the next value but one."""
    rng = np.random.default_rng(0)
    few = rng.random(300) < 0.1
    X, y = rng.normal(size=(300, 5)) + 0.7 * few[:, None], np.where(few, "few", "many")
    weighted = {"class_weight": class_weight}
    saga = {"solver": "saga", "max_iter": 5000, "tol": 1e-6}
    for model, name, target in [
        (sk.LogisticRegression(l1_ratio=1, **saga, **weighted), "C", y),
        (sk.Lasso(), "alpha", few * 1.0),
        (sk.ElasticNet(l1_ratio=0.3), "alpha", few * 1.0),
    ]:
        path = L.parameter_path(model, name, X, target)
        fits = [model.set_params(**{name: v}).fit(X, target).coef_.copy() for v in path[[0, 2]]]
        first, next_ = (np.abs(coef).max() for coef in fits)
        assert first < 1e-4, model
        assert next_ > 1e-3, model
    for model, ours, target in [
        (sk.RidgeClassifier(**weighted), L.LinearClassifier(loss="squared", **weighted), y),
        (sk.Ridge(), L.Ridge(), few * 1.0),
    ]:
        alphas, strengths = (
            L.parameter_path(model, "alpha", X, target),
            ours.strength_path(X, target),
        )
        if class_weight is None:
            assert_allclose(alphas, 300 * strengths)
        theirs = np.ravel(model.set_params(alpha=alphas[15]).fit(X, target).coef_)
        fit = ours.set_params(strength=strengths[15]).fit(X, target)
        assert_allclose(theirs, np.ravel(fit.coef_), rtol=1e-5)
    weights = {"few": 1.0, "many": 1.0} if type(class_weight) is not dict else class_weight
    W = sum(weights[label] for label in y)
    for model, ours in [
        (svm.LinearSVC(**weighted), L.LinearClassifier(loss="squared_hinge", **weighted)),
        (svm.SVC(**weighted), L.KernelSVM(**weighted)),
    ]:
        strengths = 1 / (W * L.parameter_path(model, "C", X, y))
        assert_allclose(strengths, ours.strength_path(X, y), rtol=1e-6)
    for penalty in ("l1", "l2"):
        model = sk.SGDClassifier(loss="log_loss", penalty=penalty, **weighted)
        strengths = L.LogisticRegression(penalty=penalty, **weighted).strength_path(X, y)
        assert_allclose(L.parameter_path(model, "alpha", X, y), W / 300 * strengths, rtol=1e-6)


@each(("model", "name", "words"), [
    (sk.MultiTaskLasso(), "alpha", r"MultiTaskLasso has no path of 'alpha' .*; list its"),
    (KNeighborsClassifier(), "n_neighbors", r"no path of 'n_neighbors' .*; list its values"),
    (L.LogisticRegression(), "tol", r"no path of 'tol' \(it has one of strength\); list"),
    (L.LogisticRegression(penalty=None), "strength", "no penalty, so no path"),
])  # fmt: skip
def test_a_model_without_a_path_is_refused_with_a_remedy(model, name, words):
    X, y = rows(2)
    target = np.column_stack([y, y]).astype(float) if name == "alpha" else y
    with pytest.raises(ValueError, match=words):
        L.parameter_path(model, name, X, target)
    given = {"strengths": None, "param_grid": {"tol": "path"}}
    with pytest.raises(ValueError, match="no path of 'tol'"):
        L.TunedClassifier(L.LinearSVM(), **given).fit(X, y)


def test_a_path_is_extended_if_the_best_strength_is_at_its_end():
    """Noise is fitted best by the intercept, a boundary without noise by the weakest penalty."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    clear = (X @ [1, 0.3] > 0).astype(int)
    weak = L.TunedClassifier(strengths=7, scoring="log_loss").fit(X, clear)
    strengths = np.array([option["strength"] for option in weak.candidates_])
    assert len(strengths) > 7
    assert weak.strength_ <= strengths[:7].min()
    assert strengths.min() >= strengths[:7].min() / 1001  # three decades at most
    assert len(weak.scores_.T) == len(weak.path_) == len(strengths)
    given = L.TunedClassifier(strengths=list(strengths[:7]), scoring="log_loss").fit(X, clear)
    assert len(given.candidates_) == 7  # a list is left as it is
    noise = L.TunedClassifier(scoring="log_loss").fit(X, rng.integers(0, 2, 200))
    strengths = np.array([option["strength"] for option in noise.candidates_])
    assert strengths.max() <= 11 * strengths[0]


def test_each_width_of_a_kernel_has_strengths_of_its_own():
    X, y = rows(2)
    tuned = L.TunedClassifier(L.KernelSVM(), strengths=5, param_grid={"gamma": "path"}, cv=3).fit(
        X, y
    )
    first = {}
    for option in tuned.candidates_:
        first.setdefault(option["gamma"], option["strength"])
    assert len(first) >= 4
    for gamma, strength in first.items():
        assert strength == pytest.approx(L.KernelSVM(gamma=gamma).strength_path(X, y)[0])


@each("seed", [2, 5, 8])
def test_a_path_over_features_far_from_0_descends(seed):
    """Starts with a weight set to 0 once were far off, and steps ascended from there, to objectives of up to 10¹⁰³."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    z = X @ rng.normal(size=4)
    y = np.digitize(z, np.quantile(z, [0.25, 0.5, 0.75]))
    X += 10.0 ** rng.uniform(0, 6, 4)
    path = L.LogisticRegression(penalty="l1", tol=1e-2).path(X, y, np.geomspace(1e-2, 1e-6, 6))
    assert [fit.status_ for fit in path] == ["converged"] * 6
    assert (np.diff([fit.objective_ for fit in path]) < 0).all()


def test_an_l1_path_of_several_classes_on_dependent_features_takes_few_steps():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 8
    centres, walks = (
        rng.standard_normal((8, 60)).cumsum(1),
        rng.standard_normal((150, 60)).cumsum(1),
    )
    X = centres[y] / 2 + walks + 0.01 * rng.standard_normal((150, 60))
    fits = L.LogisticRegression(penalty="l1", tol=1e-4).path(X, y, np.geomspace(0.5, 1e-4, 20))
    assert max(fit.certificate_ for fit in fits) <= 1e-4
    assert sum(fit.n_iter_ for fit in fits) < 150  # conjugate gradients alone take 434


def test_slopes_of_the_last_strength_fail_nothing_that_a_fit_without_them_does():
    """Without block pivoting, four of these fits with a kernel of high rank once missed `tol`."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, size=(133, 21)), rng.integers(2, size=133)
    strengths = np.geomspace(10, 1e-8, 8)
    machine = L.KernelSVM(kernel="polynomial", gamma=10.0, tol=1e-9)
    assert [fit.status_ for fit in machine.path(X, y, strengths)] == ["converged"] * 8


@pytest.mark.filterwarnings("ignore:.*did not converge")
@each("max_iter", [5, 15, 35])
def test_the_certificate_of_a_path_is_a_bound_where_it_ends_early(max_iter):
    """The gap of slopes that are not balanced is an estimate, once off by a factor 1.4."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 8))
    X[75:] = X[:75]
    y = np.where(X[:, 0] + rng.normal(size=150) > 0, 1, -1)
    for fit in L.LinearSVM(max_iter=max_iter, tol=1e-10).path(X, y, np.geomspace(10, 1e-6, 12)):
        a, balance = fit.dual_variables_, fit.dual_variables_ * y
        up, down = balance[y > 0].sum(), -balance[y < 0].sum()
        a = a * np.where(y > 0, min(1, down / up), min(1, up / down))
        dual = fit.strength * (a.sum() - 0.5 * np.square((a * y) @ X).sum())
        assert (fit.objective_ - dual) / fit.objective_ <= 1.001 * max(fit.certificate_, 1e-9)
