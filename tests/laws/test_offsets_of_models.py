"""Offsets, Z = X Wᵀ + b + offset, of every model that takes them: laws, independent checks and other libraries."""

import numpy as np
import pytest
import statsmodels.api as sm
from cases import each
from scipy import sparse

import linclass
from linclass.base.parameters import arguments
from linclass.base.regressor import Regressor

EXACT = {  # without a penalty on w, to a tight tolerance
    "LogisticRegression": [{"penalty": None, "tol": 1e-12}],
    "ProbitRegression": [{"penalty": None, "tol": 1e-12}],
    "OrdinalRegression": [{"strength": 0.0, "tol": 1e-12}],
    "FirthLogisticRegression": [{"tol": 1e-12}],
}
FREE = {  # without a penalty: the solution is unique
    "LinearClassifier": [{"loss": loss, "penalty": None, "tol": 1e-11} for loss in ("logistic", "probit")],
    "LinearRegression": [{}],
}  # fmt: skip
PENALIZED = {name: [{"strength": 0.1}] for name in ("Ridge", "Lasso", "ElasticNet")}
TWO_CLASSES = {"ProbitRegression"}
NO_LIKELIHOOD = {"LeastSquaresClassifier", "LinearSVM", "Perceptron"}  # linear classifiers


def cases(*lists):
    found = []
    of_all = [item for named in lists for item in named.items()]
    for name, params in ((name, one) for name, many in of_all for one in many):
        kind = getattr(linclass, name)
        classes = (2,) if name in TWO_CLASSES else (2, 3)
        for K in (0,) if issubclass(kind, Regressor) else classes:
            texts = [value for value in params.values() if isinstance(value, str)]
            found.append(pytest.param(kind(**params), K, id="-".join([name, *texts, str(K)])))
    return found


def rows(K, n=70):
    """Of K classes, or with real targets (K = 0)."""
    rng = np.random.default_rng(K)
    y = np.arange(n) % max(K, 2)
    X = rng.normal(size=(n, 3)) + 0.5 * y[:, None]
    return X, y if K else X @ [1.0, -2.0, 0.5] + rng.normal(size=n)


def form(model, K):
    """Of the offset of a row."""
    return (K,) if K > 2 and not isinstance(model, linclass.OrdinalRegression) else ()


def intercept(model):
    if isinstance(model, linclass.OrdinalRegression):
        return -model.thresholds_
    return model.intercept_


def digits(model, others):
    return 1e-7 if type(model).__name__ in EXACT else others


def scores(model, X, offset=None):
    method = model.decision_function if hasattr(model, "classes_") else model.predict
    return np.asarray(method(X) if offset is None else method(X, offset=offset))


def fitted(model, *args, **given):
    return type(model)(**model.get_params(deep=False)).fit(*args, **given)


def test_the_models_that_take_offsets_are_those_listed():
    models = {name: getattr(linclass, name) for name in linclass.__all__}
    takers = [n for n, model in models.items() if "offset" in arguments(getattr(model, "fit", 0))]
    assert set(takers) - NO_LIKELIHOOD == {*EXACT, *FREE, *PENALIZED}


@each("name", sorted(NO_LIKELIHOOD))
def test_a_classifier_without_a_likelihood_refuses_offsets(name):
    X, y = rows(2)
    words = f"{name} takes no offset with loss=.*; generalized linear models do"
    with pytest.raises(ValueError, match=words):
        getattr(linclass, name)().fit(X, y, offset=0.0 * y)
    with pytest.raises(ValueError, match=words):
        getattr(linclass, name)(max_iter=200).fit(X + 9 * y[:, None], y).predict(X, 0.0 * y)
    said = "^KernelSVM takes no offset in fit; generalized linear models do, such as Logistic"
    with pytest.raises(ValueError, match=said):
        linclass.KernelSVM().path(X, y, [0.1], offset=y)


@each("container", [np.asarray, sparse.csr_array])
@each(("model", "K"), cases(EXACT, FREE, PENALIZED))
def test_a_constant_offset_moves_the_intercept_alone(model, K, container):
    X, y = rows(K)
    constant = np.array([0.7, -0.4, -0.3]) if form(model, K) else np.array(0.7)
    offset = np.broadcast_to(constant, (len(y), *form(model, K)))
    plain, moved = fitted(model, container(X), y), fitted(model, container(X), y, offset=offset)
    near = digits(model, 2e-4)
    np.testing.assert_allclose(moved.coef_, plain.coef_, atol=near)
    free, near = intercept(plain) - intercept(moved), digits(model, 1e-3)
    np.testing.assert_allclose(free, constant * np.ones_like(free), atol=near)
    Z = scores(plain, X)
    np.testing.assert_allclose(scores(moved, container(X), offset), Z, atol=10 * near)
    assert moved.score(X, y, offset=offset) == pytest.approx(plain.score(X, y), abs=near)
    assert moved.status_ == plain.status_ == "converged"
    if plain.objective_ is not None:
        assert moved.objective_ == pytest.approx(plain.objective_, rel=1e-8)


@each(("model", "K"), cases(EXACT, FREE))
def test_a_linear_offset_is_subtracted_from_the_coefficients(model, K):
    X, y = rows(K)
    V = np.random.default_rng(0).normal(size=(3, *form(model, K)))
    V = V - V.mean(axis=-1, keepdims=True) if form(model, K) else V
    plain, moved = fitted(model, X, y), fitted(model, X, y, offset=X @ V)
    near = digits(model, 1e-5)
    np.testing.assert_allclose(moved.coef_, plain.coef_ - V.T, atol=near)
    np.testing.assert_allclose(intercept(moved), intercept(plain), atol=near)


@each(("model", "K"), cases(EXACT, FREE, PENALIZED))
def test_offsets_go_with_their_rows(model, K):
    X, y = rows(K)
    rng = np.random.default_rng(1)
    offset, w = rng.normal(size=(len(y), *form(model, K))), rng.integers(0, 3, len(y)) * 1.0
    often = np.repeat(np.arange(len(y)), w.astype(int))
    weighted = fitted(model, X, y, w, offset)
    repeated = fitted(model, X[often], y[often], offset=offset[often])
    Z = scores(weighted, X, offset)
    np.testing.assert_allclose(Z, scores(repeated, X, offset), atol=digits(model, 2e-4) * 10)
    assert np.abs(Z - scores(fitted(model, X, y, w), X, offset)).max() > 0.01
    assert weighted.certificate_ is None or 0 <= weighted.certificate_ <= 1e-6
    score = repeated.score(X[often], y[often], offset=offset[often])
    assert weighted.score(X, y, w, offset) == pytest.approx(score)


def test_passes_over_parts_of_the_rows_have_their_offsets():
    X, y = rows(2)
    offset, solver = 2 * np.random.default_rng(8).normal(size=len(y)), "stochastic_gradient"
    model = linclass.LinearClassifier(solver=solver, strength=0.1, random_state=0)
    for _ in range(40):
        model.partial_fit(X, y, offset=offset)
    best = linclass.LinearClassifier(strength=0.1).fit(X, y, offset=offset)
    assert model.objective_ == pytest.approx(best.objective_, rel=0.02)
    unlike = linclass.LinearClassifier(strength=0.1).fit(X, y)
    far = np.abs(unlike.coef_ - best.coef_).max()
    assert np.abs(model.coef_ - best.coef_).max() < far / 2
    new = linclass.LinearClassifier(solver=solver)
    with pytest.raises(ValueError, match="offset has shape"):
        new.partial_fit(X, y, offset=offset[1:])
    assert not hasattr(new, "classes_")


def test_offsets_that_classify_every_row_do_not_make_the_classes_separable():
    X, y = rows(2)
    offset = 3.0 * (2 * y - 1) + 0.2 * X[:, 0]
    model = linclass.LogisticRegression(penalty=None, tol=1e-10).fit(X, y, offset=offset)
    assert model.status_ == "converged"
    assert (model.predict(X, offset) == y).all()
    gradient = np.column_stack([X, np.ones(len(y))]).T @ (model.predict_proba(X, offset)[:, 1] - y)
    np.testing.assert_allclose(gradient, 0, atol=1e-6)
    with pytest.warns(match="separable"):
        apart = linclass.LogisticRegression(penalty=None).fit(X + 9 * y[:, None], y, offset=-offset)
    assert apart.status_ == "separable"


@each("kind", [linclass.LogisticRegression, linclass.ProbitRegression])
def test_a_generalized_linear_model_of_statsmodels_agrees(kind):
    X, y = rows(2)
    rng = np.random.default_rng(2)
    offset, w = rng.normal(size=len(y)), rng.uniform(0.5, 2, len(y))
    links = sm.families.links
    link = links.Logit() if kind is linclass.LogisticRegression else links.Probit()
    family = sm.families.Binomial(link=link)
    known = sm.GLM(y, sm.add_constant(X), family=family, offset=offset, freq_weights=w)
    known = known.fit(tol=1e-12, maxiter=100)
    model = kind(penalty=None, tol=1e-12).fit(X, y, w, offset)
    ours = np.append(model.intercept_, model.coef_)
    np.testing.assert_allclose(ours, known.params, rtol=1e-6)
    summary = model.summary()
    np.testing.assert_allclose(summary.table.std_error, known.bse, rtol=1e-6)
    assert summary.deviance == pytest.approx(known.deviance, rel=1e-9)
    assert summary.null_deviance == pytest.approx(known.null_deviance, rel=1e-7)


@each("K", [2, 3])
def test_offsets_of_another_form_are_refused(K):
    X, y = rows(K)
    model = linclass.LogisticRegression()
    with pytest.raises(ValueError, match=r"offset has shape \(3,\); it must be \(70"):
        model.fit(X, y, offset=np.zeros(3))
    bad = np.full((len(y), K) if K > 2 else len(y), np.inf)
    with pytest.raises(ValueError, match="offset holds inf; offsets must be finite"):
        model.fit(X, y, offset=bad)
    with pytest.raises(ValueError, match="it must be"):
        model.fit(X, y).predict_proba(X, np.zeros(4))


@each("name", ["Ridge", "Lasso", "ElasticNet", "LinearRegression"])
def test_regressors_with_an_offset_fit_the_target_minus_the_offset(name):
    X, y = rows(0)
    rng = np.random.default_rng(3)
    offset, w = 2 * rng.normal(size=len(y)), rng.integers(0, 3, len(y)) * 1.0
    kind = getattr(linclass, name)
    model, left = kind().fit(X, y, w, offset), kind().fit(X, y - offset, w)
    assert np.array_equal(model.coef_, left.coef_)
    np.testing.assert_allclose(model.predict(X, offset), left.predict(X) + offset)
    if name == "LinearRegression":
        known = sm.GLM(y, sm.add_constant(X), offset=offset, freq_weights=w).fit()
        ours = [model.intercept_, *model.coef_]
        np.testing.assert_allclose(ours, known.params, rtol=1e-9)
    else:
        for one in kind().path(X, y, [0.05, 0.5], w, offset):
            alone = kind(strength=one.strength).fit(X, y, w, offset)
            np.testing.assert_allclose(one.coef_, alone.coef_, atol=1e-5)
