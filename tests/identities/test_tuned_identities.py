"""Estimators that choose their strength: their criteria, absence of leaks, and effective degrees of freedom."""

import warnings
from functools import partial

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import metrics
from sklearn import model_selection as ms
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import linclass as L
from linclass.base.messages import NotApplicable

STRENGTHS = [1.0, 0.1, 0.01, 1e-3]
FOLD = np.arange(120) % 4
FEW = {"strength": [1.0, 0.01]}


def classes(K=2, n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    return rng.standard_normal((n, 4)) + np.eye(4)[y], np.array(["a", "b", "c"])[y]


def numbers(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)) @ (np.eye(4) + 0.4)
    return X, X @ [1.0, -2.0, 0.0, 0.1] + rng.standard_normal(n) + 3


# inner folds


@each("weighted", [False, True])
@each("form", [np.asarray, sparse.csr_array])
@each(("estimator", "K"), [
    (L.LogisticRegression(), 2),
    (L.LogisticRegression(tol=1e-9), 3),
    (L.LogisticRegression(penalty="l1", tol=1e-9), 3),
    (L.LinearSVM(tol=1e-9), 2),
    (L.ProbitRegression(tol=1e-9), 2),
], ids=repr)  # fmt: skip
def test_a_score_is_that_of_a_fit_without_the_fold(estimator, K, form, weighted):
    X, y = classes(K)
    X = form(X)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    model = L.TunedClassifier(estimator, strengths=STRENGTHS, cv=FOLD).fit(X, y, w)
    for k in range(4):
        out = k == FOLD
        for i, strength in enumerate(STRENGTHS):
            alone = estimator._unfitted(strength=strength)
            alone.fit(X[~out], y[~out], None if w is None else w[~out])
            score = alone.score(X[out], y[out], None if w is None else w[out])
            assert model.scores_[k, i] == pytest.approx(score)
    assert model.mean_scores_[model.best_index_] == model.mean_scores_.max()
    chosen = estimator._unfitted(strength=model.strength_).fit(X, y, w)
    assert_allclose(model.coef_, chosen.coef_, atol=2e-3)
    assert_allclose(model.objective_, chosen.objective_, rtol=1e-5)
    assert model.certificate_ <= estimator.tol
    assert model.status_ == "converged"
    assert pytest.approx(1 / (len(y) if w is None else w.sum()) / model.strength_) == model.C_
    assert np.array_equal(model.predict(X), model.estimator_.predict(X))
    assert len(model.path_) == len(STRENGTHS)


def test_folds_keep_groups_whole_and_depend_on_the_seed_and_not_on_the_model():
    X, y = classes()
    groups, weight = np.arange(120) // 6, np.where(np.arange(120) < 110, 1.0, 0.0)
    fold = L.TunedClassifier(strengths=[1.0]).fit(X, y, weight, groups=groups).fold_
    assert len(fold) == 110
    assert all(len(set(fold[groups[:110] == g])) == 1 for g in set(groups[:110]))
    fold, same, other = (
        L.TunedClassifier(inner, strengths=[1.0], random_state=seed).fit(X, y).fold_
        for inner, seed in ((None, 0), (L.LinearSVM(), 0), (None, 1))
    )
    counts = np.array([np.bincount(fold[y == c]) for c in "ab"])
    assert np.ptp(counts, axis=1).max() <= 1
    assert np.array_equal(fold, same)
    assert not np.array_equal(fold, other)


@each("rule", ["best", "one_standard_error", "aic", "bic"])
def test_a_row_of_weight_two_in_a_fold_is_a_repeated_row(rule):
    w = np.random.default_rng(3).integers(0, 4, 120)
    X, y = classes(3)
    ours = L.TunedClassifier(
        L.LogisticRegression(tol=1e-10), rule=rule, scoring="log_loss", cv=FOLD
    )
    ours.fit(X, y, w.astype(float))
    twice = L.TunedClassifier(ours.estimator, rule=rule, scoring="log_loss", cv=FOLD.repeat(w))
    twice.fit(X.repeat(w, axis=0), y.repeat(w))
    assert ours.strength_ == pytest.approx(twice.strength_)
    assert_allclose(ours.coef_, twice.coef_, atol=1e-8)
    if rule in ("aic", "bic"):
        assert_allclose(ours.criterion_, twice.criterion_, rtol=1e-6)
    else:
        assert_allclose(ours.scores_, twice.scores_, rtol=1e-8)


def test_tuning_chooses_parameters_other_than_the_strength():
    X, y = numbers()
    grid = {"l1_ratio": [0.2, 0.9]}
    model = L.TunedRegressor(L.ElasticNet(), strengths=STRENGTHS, param_grid=grid).fit(X, y)
    assert len(model.candidates_) == 8
    assert {fit.l1_ratio for fit in model.path_} == {model.best_params_["l1_ratio"]}


# strengths from the data


def test_default_l2_strengths_ignore_the_origin_and_scale_with_the_units_of_the_data():
    X, y = classes()
    of = [L.TunedClassifier(strengths=4, rule="aic").fit(Z, y) for Z in (X, X + 50, 10 * X)]
    first, moved, scaled = (np.array([c["strength"] for c in m.candidates_[:4]]) for m in of)
    assert_allclose(moved, first)
    assert_allclose(scaled, 100 * first)
    assert of[0].degrees_of_freedom_[0] < 1.1  # next to the intercept alone
    assert of[0].degrees_of_freedom_[-1] > 4.99


# degrees of freedom and criteria


@each("weighted", [False, True])
@each("intercept", [True, False])
@each("estimator", [L.Ridge(), L.Lasso(), L.ElasticNet()], ids=repr)
def test_degrees_of_freedom_are_the_sensitivity_of_the_fit_to_the_data(
    estimator, intercept, weighted
):
    """Stein: df = Σ ∂ŷ_i/∂y_i, for a given σ² of the noise; by central differences."""
    X, y = numbers(30)
    w = np.random.default_rng(0).uniform(0.5, 2, 30) if weighted else np.ones(30)
    inner = estimator._unfitted(fit_intercept=intercept, tol=1e-14)
    strengths = [1.0, 0.3, 0.05]
    model = L.TunedRegressor(inner, strengths=strengths, rule="aic").fit(X, y, w)
    for strength, df in zip(strengths, model.degrees_of_freedom_, strict=True):
        fit, h, total = inner._unfitted(strength=strength), 1e-5, 0.0
        for i in range(30):
            e = h * (np.arange(30) == i)
            up, down = (fit.fit(X, y + s * e, w).predict(X[[i]])[0] for s in (1, -1))
            total += (up - down) / (2 * h)
        assert df == pytest.approx(total, abs=1e-6)


@each("K", [2, 3])
def test_degrees_of_freedom_of_logistic_ridge_are_the_trace_of_the_last_hat_matrix(K):
    X, y = classes(K)
    model = L.TunedClassifier(L.LogisticRegression(tol=1e-12), strengths=[0.1], rule="aic").fit(
        X, y
    )
    P, A = model.predict_proba(X), np.column_stack([X, np.ones(120)])
    if K == 2:
        W = np.diag(P[:, 0] * P[:, 1])
        hat = A @ np.linalg.solve(A.T @ W @ A + 120 * 0.1 * np.diag([1, 1, 1, 1, 0]), A.T @ W)
        assert model.degrees_of_freedom_[0] == pytest.approx(np.trace(hat))
        return
    H = np.zeros((15, 15))
    for a, p in zip(A, P, strict=True):
        H += np.kron(np.diag(p) - np.outer(p, p), np.outer(a, a))
    penalty = 120 * 0.1 * np.diag(3 * [1, 1, 1, 1, 0])
    assert model.degrees_of_freedom_[0] == pytest.approx(np.trace(np.linalg.pinv(H + penalty) @ H))


@each("K", [2, 3])
@each("penalty", ["l1", "l2", "elastic_net"])
def test_the_criterion_without_a_strength_is_that_of_maximum_likelihood(penalty, K):
    X, y = classes(K)
    summary = L.LogisticRegression(penalty=None).fit(X, y).summary()
    inner = L.LogisticRegression(penalty=penalty, tol=1e-10)
    aic = L.TunedClassifier(inner, strengths=[1e8, 1e-8], rule="aic").fit(X, y)
    bic = L.TunedClassifier(inner, strengths=[1e8, 1e-8], rule="bic").fit(X, y)
    p = 5 * (K - 1)
    assert_allclose(aic.degrees_of_freedom_, [K - 1, p], rtol=1e-5)
    assert_allclose(aic.criterion_[1], summary.aic, rtol=1e-6)
    assert_allclose(aic.criterion_[0], summary.null_deviance + 2 * (K - 1), rtol=1e-6)
    assert_allclose(bic.criterion_[1], summary.deviance + np.log(120) * p, rtol=1e-6)
    assert aic.best_index_ == aic.criterion_.argmin()


def test_a_class_that_a_fit_has_not_seen_has_the_least_probability():
    X, y = classes(3)
    fold = np.where(y == "c", 0, FOLD)
    with pytest.warns(UserWarning, match="1 of 4 inner folds have training rows without .* 'c'"):
        model = L.TunedClassifier(strengths=[0.1], cv=fold, scoring="log_loss").fit(X, y)
    out = fold == 0
    alone = L.LogisticRegression(strength=0.1).fit(X[~out], y[~out])
    log_proba = np.column_stack(
        [alone.predict_log_proba(X[out]), np.full(out.sum(), np.log(2.0**-52))]
    )
    own = log_proba[np.arange(out.sum()), np.searchsorted(["a", "b", "c"], y[out])]
    assert model.scores_[0, 0] == pytest.approx(own.mean(), rel=1e-8)


@each("rule", ["aic", "bic"])
def test_criteria_need_a_common_likelihood_and_weights_that_count(rule):
    model = L.TunedClassifier(L.LinearClassifier(loss="probit"), strengths=[0.1, 1.0], rule=rule)
    with pytest.raises(NotApplicable, match=f"rule is '{rule}', and one class against the rest"):
        model.fit(*classes(3))
    X, c = classes(2)
    assert len(model.fit(X, c).criterion_) == 2
    X, y = classes()
    share = np.full(120, 1 / 120)
    for model, rows in (
        (L.TunedClassifier(rule=rule), (X, y)),
        (L.TunedRegressor(rule=rule), numbers()),
    ):
        by_share = model.fit(*rows, sample_weight=share).criterion_
        np.testing.assert_allclose(by_share, model.fit(*rows).criterion_, rtol=1e-6)


# what is refused


@each(("model", "message"), [
    (L.TunedClassifier(rule="cp"), "rule is 'cp'; choose from best, one_standard_error, aic"),
    (L.TunedClassifier(scoring="roc_auc"), "no metric 'roc_auc'; did you mean 'auc'?"),
    (L.TunedClassifier(scoring="expected_cost"), "'expected_cost' needs costs; give a function"),
    (L.TunedRegressor(scoring="auc"), "scoring is 'auc'; choose from squared_error"),
    (L.TunedClassifier(L.LinearSVM(), scoring="brier"), "'brier', but .* has no probabilities"),
    (L.TunedClassifier(L.LinearSVM(), scoring=metrics.log_loss), "has no probabilities"),
    (L.TunedClassifier(L.LinearSVM(), scoring="log_loss"), "has no probabilities; use scoring='accuracy'"),
    (L.TunedClassifier(L.GaussianNB()), "known for models of linclass with a penalty only"),
    (L.TunedClassifier(make_pipeline(StandardScaler(), L.LogisticRegression())),
     "set strengths=None and param_grid={'logisticregression__strength': 'path'}"),
    (L.TunedClassifier(L.LeastSquaresClassifier()), "tuning strength has no effect, .*penalty='l2'"),
    (L.TunedClassifier(param_grid={"l1_ratio": [0.1, 0.2]}), "has no effect, .*penalty='elastic_net'"),
    (L.TunedClassifier(strengths=[0.0]), "every strength is finite and above 0"),
    (L.TunedClassifier(param_grid={"l1_ratio": 0.5}), "give lists of values by name of parameter"),
    (L.TunedClassifier(strengths=None), "give values to choose from"),
    (L.TunedClassifier(L.LinearSVM(), rule="aic"), "needs a likelihood"),
    *((L.TunedClassifier(L.LinearClassifier(), rule="aic", param_grid={"loss": ["logistic", loss]}),
       "needs a likelihood") for loss in ("squared_hinge", "hinge")),
    (L.TunedClassifier(scoring=lambda *_: np.nan), "is nan on fold 0 for {'strength': "),
    (L.TunedClassifier(cv=1), "cv is 1; cross-validation needs at least 2"),
    (L.TunedClassifier(cv=[0, 1]), "the number of the fold of each of the 120 rows"),
    (L.TunedClassifier(cv=np.zeros(99, int)), r"cv is int\d+ of shape \(99,\); give a whole"),
    (L.TunedClassifier(cv=np.zeros(120, int)), "cv holds one fold"),
    (L.TunedClassifier(cv=[([0, 1], [2]), ([0, 1], [1, 2])]), "split 1 of cv has 1 row both among"),
    (L.TunedClassifier(cv=[([0, 1], [2])]), "cv has 1 split; give at least two"),
    (L.TunedClassifier(cv=[([0], [2]), ([0], [])]), "split 1 of cv has no held-out rows"),
    (L.TunedClassifier(cv=[([0], [2]), ([0], [120])]), "row 120; rows are 0 to 119"),
    (L.TunedClassifier(cv="3"), "cv is '3'; give a whole number, the number"),
    (L.TunedClassifier(scoring=lambda model: 0.0), r"function of \(y_true, y_pred\) or of"),
    (L.TunedClassifier(scoring=["a"]), "scoring is .'a'.; choose from accuracy"),
])  # fmt: skip
def test_invalid_tuning_is_refused_in_one_line(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*classes())


def test_fewer_folds_than_asked_for_warn_with_the_remedy():
    X, y = classes(3)
    kept = np.concatenate([np.flatnonzero(y != "c"), np.flatnonzero(y == "c")[:3]])
    for kind in (L.TunedClassifier, L.Calibrated):
        with pytest.warns(
            UserWarning, match="3 inner folds, not 5, .*'c' has 3 rows. Set cv=3"
        ) as found:
            kind(L.LogisticRegression()).fit(X[kept], y[kept])
        assert len(found) == 1, kind
        kind(L.LogisticRegression(), cv=3).fit(X[kept], y[kept])  # without a warning
    with pytest.warns(UserWarning, match="not 5, because groups has 4 groups. Set cv=4"):
        L.TunedRegressor(strengths=[1.0]).fit(*numbers(), groups=FOLD)


def test_folds_whose_training_rows_lack_a_class_warn_or_are_refused():
    X, y = classes(3)
    order = np.argsort(y, kind="stable")
    X, y, folds = X[order], y[order], ms.KFold(3)
    lacking = sum(set(y[train]) != set(y) for train, _ in folds.split(X))
    assert lacking
    with pytest.warns(UserWarning, match=f"{lacking} of 3 inner folds have training rows without"):
        L.TunedClassifier(cv=folds, strengths=[1.0, 0.1]).fit(X, y)
    one_class = [(np.arange(60), np.arange(60, 120))]
    with pytest.raises(ValueError, match="split 0 of cv has no training rows of class 'c'"):
        L.Calibrated(cv=[*one_class, *one_class]).fit(X, y)


@each("rule", ["best", "bic"])
def test_no_penalty_and_a_strength_of_0_can_be_candidates_and_win(rule):
    X, y = classes()
    options = {"scoring": "log_loss", "rule": rule}
    free = L.LogisticRegression(penalty=None).fit(X, y)
    tuned = L.TunedClassifier(
        param_grid={"penalty": ["l2", None]}, strengths=[10.0, 5.0], **options
    )
    assert tuned.fit(X, y).best_params_["penalty"] is None
    assert not hasattr(tuned, "path_")
    assert_allclose(tuned.coef_, free.coef_, atol=1e-6)
    grid = {"strength": [10.0, 1.0, 0.0]}
    zero = L.TunedClassifier(strengths=None, param_grid=grid, scoring="log_loss").fit(X, y)
    assert zero.best_params_ == {"strength": 0.0}
    assert_allclose(zero.coef_, free.coef_, atol=1e-4)


def test_given_folds_are_those_of_all_rows_also_where_a_weight_is_zero():
    X, y = classes()
    w = np.ones(120)
    w[::7] = 0
    kept = w > 0
    all_rows = L.TunedClassifier(strengths=STRENGTHS, cv=FOLD).fit(X, y, sample_weight=w)
    without = L.TunedClassifier(strengths=STRENGTHS, cv=FOLD[kept]).fit(X[kept], y[kept])
    assert np.array_equal(all_rows.fold_, FOLD[kept])
    assert_allclose(all_rows.scores_, without.scores_)


def test_folds_of_scikit_learn_give_the_scores_of_its_grid_search():
    X, y = classes()
    groups = np.arange(120) // 5
    halves = [(np.arange(60, 120), np.arange(60)), (np.arange(120) < 60, np.arange(120) >= 60)]
    in_numbers = [tuple(np.arange(120)[part] for part in split) for split in halves]
    folds = {
        "splitter": (ms.StratifiedKFold(3), ms.StratifiedKFold(3)),
        "repeated": (ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),) * 2,
        "few training rows": (ms.ShuffleSplit(3, train_size=0.3, random_state=0),) * 2,
        "later rows": (ms.TimeSeriesSplit(3), ms.TimeSeriesSplit(3)),
        "groups": (ms.GroupKFold(4), ms.GroupKFold(4)),
        "list": (list(ms.KFold(4).split(X)), ms.KFold(4)),
        "numbers and masks": (halves, in_numbers),
    }
    for name, (ours, theirs) in folds.items():
        own = {"groups": groups} if name == "groups" else {}
        tuned = L.TunedClassifier(strengths=None, param_grid=FEW, cv=ours).fit(X, y, **own)
        found = ms.GridSearchCV(L.LogisticRegression(), FEW, cv=theirs).fit(X, y, **own)
        assert_allclose(tuned.scores_, _scores_of_splits(found), err_msg=name)
        once = name in ("splitter", "groups", "list", "numbers and masks")
        assert hasattr(tuned, "fold_") == once, name


def test_metrics_of_scikit_learn_give_the_scores_of_its_grid_search():
    of_b = {"pos_label": "b"}
    f1 = metrics.make_scorer(metrics.f1_score, **of_b)
    precision = metrics.make_scorer(
        metrics.average_precision_score, response_method="decision_function", **of_b
    )
    brier = metrics.make_scorer(
        metrics.brier_score_loss, greater_is_better=False, response_method="predict_proba", **of_b
    )

    def minus_false_discoveries(model, X, y):
        return metrics.precision_score(y, model.predict(X), **of_b) - 1

    of_classes = {
        "f1_score": (metrics.f1_score, f1),
        "f1": ("f1", f1),
        "auc": ("auc", "roc_auc"),
        "average_precision": ("average_precision", precision),
        "brier": ("brier", brier),
        "false_discovery_rate": ("false_discovery_rate", minus_false_discoveries),
        "matthews": ("matthews", "matthews_corrcoef"),
        "balanced_accuracy": ("balanced_accuracy", "balanced_accuracy"),
        "partial": (partial(metrics.f1_score, average="macro"), "f1_macro"),
        "scores": (metrics.roc_auc_score, "roc_auc"),
        "less is better": (metrics.log_loss, "neg_log_loss"),
        "a scorer": (metrics.get_scorer("neg_log_loss"), "neg_log_loss"),
        "a function of scikit-learn's form": (lambda model, X, y: model.score(X, y), "accuracy"),
        "a function of ours": (lambda model, X, y, w: model.score(X, y, w), "accuracy"),
        "without a name for its truth": (lambda a, b: np.mean(a == b), "accuracy"),
    }
    of_numbers = {
        "squared_error": ("squared_error", "neg_mean_squared_error"),
        "r2_score": (metrics.r2_score, "r2"),
        "less is better": (metrics.mean_squared_error, "neg_mean_squared_error"),
        "without weights": (metrics.max_error, "neg_max_error"),
    }
    X, y = classes()
    logistic = L.LogisticRegression(tol=1e-13)
    chain = make_pipeline(StandardScaler(), logistic)  # whose scaler learns inside the folds
    of_chain = {"logisticregression__strength": [1.0, 0.01]}
    likely = {"log_loss": ("log_loss", "neg_log_loss")}
    tree = DecisionTreeClassifier(
        random_state=0
    )  # without scores, as of MultinomialNB before the fit
    for model, inner, grid, data, cases in (
        (L.TunedClassifier, logistic, FEW, (X, y), of_classes),
        (L.TunedClassifier, chain, of_chain, (X * [1, 10, 100, 1000], y), likely),
        (
            L.TunedClassifier,
            tree,
            {"max_depth": [1, None]},
            (X, y),
            likely | {"auc": ("auc", "roc_auc")},
        ),
        (L.TunedClassifier, L.MultinomialNB(), {"smoothing": [1, 9]}, (np.abs(X), y), likely),
        (L.TunedRegressor, L.Ridge(), FEW, numbers(), of_numbers),
    ):
        for name, (ours, theirs) in cases.items():
            tuned = model(inner, strengths=None, param_grid=grid, cv=ms.KFold(4), scoring=ours)
            found = ms.GridSearchCV(inner, grid, cv=ms.KFold(4), scoring=theirs)
            scores = tuned.fit(*data).scores_, _scores_of_splits(found.fit(*data))
            assert_allclose(*scores, rtol=1e-5, err_msg=name)
            assert hasattr(tuned, "strength_") == hasattr(inner, "strength")
            assert hasattr(tuned, "decision_function") == hasattr(found, "decision_function")


def _scores_of_splits(search):
    found = search.cv_results_
    return np.array([found[f"split{k}_test_score"] for k in range(search.n_splits_)])


def test_weights_reach_a_metric_by_their_name():
    X, y = classes()
    w = np.random.default_rng(1).uniform(0.5, 2, 120)

    def scorer(estimator, X, y, *, sample_weight=None):
        return float(estimator.score(X, y, sample_weight=sample_weight))

    given = {"strengths": [1.0, 0.01], "cv": FOLD}
    known = L.TunedClassifier(**given).fit(X, y, sample_weight=w).scores_
    by_place = lambda model, X, y, w: model.score(X, y, w)  # noqa: E731
    scorers = metrics.accuracy_score, metrics.make_scorer(metrics.accuracy_score), scorer, by_place
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in scorers:
            own = L.TunedClassifier(scoring=metric, **given).fit(X, y, sample_weight=w)
            assert_allclose(own.scores_, known)
    for metric in (metrics.max_error, metrics.make_scorer(metrics.max_error), lambda e, X, y: 0.0):
        with pytest.raises(ValueError, match="takes no sample_weight, but the rows have weights"):
            L.TunedRegressor(scoring=metric, **given).fit(*numbers(), sample_weight=w)


@each("scoring", [lambda y, p: None, lambda model, X, y: None, lambda model, X, y, w: "good"])
@each(("kind", "data"), [(L.TunedClassifier, classes), (L.TunedRegressor, numbers)])
def test_a_scoring_function_that_returns_no_number_is_refused(kind, data, scoring):
    with pytest.raises(ValueError, match=r"returned (None|'good'); it must return a number"):
        kind(strengths=[1.0, 0.01], cv=3, scoring=scoring).fit(*data())


def test_uninformative_columns_do_not_spread_strengths_over_rounding_errors():
    X, y = np.full((60, 4), 0.1), np.repeat([0, 1, 2], 20)
    for Z in (X, 1e6 * X, np.ones((60, 4))):
        tuned = L.TunedClassifier(L.LogisticRegression(penalty="l1"), rule="bic").fit(Z, y)
        assert [tuned.candidates_[i]["strength"] for i in (0, 30)] == pytest.approx([1, 1e-5])
    crossed = np.tile([[1.0, 1], [1, -1], [-1, 1], [-1, -1]], (10, 1)) / 3 + 1000
    target = np.tile([0.7, -0.7, -0.7, 0.7], 10)  # the product: no column alone says anything
    tuned = L.TunedRegressor(L.Lasso(), rule="aic").fit(crossed, target)
    assert tuned.candidates_[0]["strength"] == 1


def test_a_metric_named_like_a_cost_without_a_declared_direction_warns():
    X, y = classes()

    def my_cost(y_true, y_pred):
        return np.mean(y_true != y_pred)

    def strength():
        tuned = L.TunedClassifier(L.LogisticRegression(), strengths=[1e-3, 10.0], scoring=my_cost)
        return tuned.fit(X, y).strength_

    with pytest.warns(UserWarning, match="'my_cost' is named like a cost, but greater values"):
        strength()
    for says in (False, True):
        my_cost.greater_is_better = says  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            assert strength() == (10.0 if says else 1e-3)


# AIC and BIC of models beyond plain compositions of loss and penalty: ordinal and kernel logistic regression.

FEW_STRENGTHS = [10.0, 0.1, 1e-3]
Y = np.arange(90) % 3
X = np.random.default_rng(0).standard_normal((90, 4)) + 0.7 * np.outer(Y, [1, -1, 0, 0])
WEIGHTS = np.where(np.arange(90) % 7, 1.5, 0.0)


def judged(inner, y, rule, rows=X, weights=None):
    return L.TunedClassifier(inner, strengths=FEW_STRENGTHS, rule=rule).fit(rows, y, weights)


@each("rule", ["aic", "bic"])
@each("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@each("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each(("model", "K"), [
    (L.OrdinalRegression(tol=1e-12), 2),
    (L.KernelLogisticRegression(kernel="linear", tol=1e-12), 2),
    (L.KernelLogisticRegression(kernel="linear", tol=1e-12), 3),
], ids=["ordinal", "kernel", "kernel of three"])  # fmt: skip
def test_models_equal_to_logistic_regression_have_the_same_criteria(model, K, form, weights, rule):
    y = np.minimum(Y, K - 1)
    one = judged(model, y, rule, form(X), weights)
    other = judged(L.LogisticRegression(tol=1e-12), y, rule, form(X), weights)
    assert_allclose(one.degrees_of_freedom_, other.degrees_of_freedom_, rtol=1e-6)
    assert_allclose(one.criterion_, other.criterion_, rtol=1e-8)
    assert one.strength_ == other.strength_


@each(
    ("model", "most"),
    [(L.OrdinalRegression(order=[2, 0, 1]), 4 + 2), (L.KernelLogisticRegression(gamma=0.1), 180)],
    ids=["ordinal", "kernel"],
)
def test_criteria_are_minus_twice_the_log_likelihood_plus_a_penalty_on_degrees_of_freedom(
    model, most
):
    """Of a strong penalty nothing but K − 1 thresholds or intercepts are free, of a weak one nearly all."""
    inner = model.set_params(tol=1e-10)
    strengths = [1e7, 1.0, 1e-2, 1e-8]
    tuned = L.TunedClassifier(inner, strengths=strengths, rule="bic").fit(X, Y)
    df = tuned.degrees_of_freedom_
    assert df[0] == pytest.approx(2, abs=1e-3)
    assert (np.diff(df) > 0).all()
    assert df[-1] <= most + 1e-9
    if isinstance(model, L.OrdinalRegression):
        assert df[-1] == pytest.approx(most, abs=1e-3)
    for strength, value, free in zip(strengths, tuned.criterion_, df, strict=True):
        fit = model.set_params(strength=strength).fit(X, Y)
        log_likelihood = fit.predict_log_proba(X)[np.arange(90), Y].sum()
        assert value == pytest.approx(-2 * log_likelihood + np.log(90) * free, rel=1e-6)


@each("penalty", ["l1", "fused_lasso", {"group_lasso": {"groups": [0, 0, 1]}}])
def test_a_fit_without_weights_and_intercept_is_worth_no_parameter(penalty):
    """The criterion equals that of even odds."""
    rows, y = X[:, :3], np.minimum(Y, 1)
    inner = L.LogisticRegression(penalty=penalty, fit_intercept=False)
    tuned = L.TunedClassifier(inner, strengths=[1e6, 1e-3], rule="aic").fit(rows, y)
    assert tuned.degrees_of_freedom_[0] == 0
    assert_allclose(tuned.criterion_[0], 2 * len(y) * np.log(2))
