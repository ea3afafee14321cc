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

from linclass import (
    Calibrated,
    ElasticNet,
    GaussianNB,
    KernelLogisticRegression,
    KernelSVM,
    Lasso,
    LeastSquaresClassifier,
    LinearClassifier,
    LinearSVM,
    LogisticRegression,
    NearestShrunkenCentroids,
    OrdinalRegression,
    ProbitRegression,
    Ridge,
    TunedClassifier,
    TunedRegressor,
)
from linclass.base.messages import NotApplicable
from linclass.linear.penalties.entrywise import L1

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


@each(("metric", "K", "theirs"), [
    ("auc", 2, lambda y, m, X: metrics.roc_auc_score(y, m.decision_function(X))),
    ("average_precision", 2, lambda y, m, X: metrics.average_precision_score(y == "b", m.decision_function(X))),
    ("f1", 2, lambda y, m, X: metrics.f1_score(y, m.predict(X), pos_label="b")),
    ("matthews", 3, lambda y, m, X: metrics.matthews_corrcoef(y, m.predict(X))),
    ("balanced_accuracy", 3, lambda y, m, X: metrics.balanced_accuracy_score(y, m.predict(X))),
    ("brier", 2, lambda y, m, X: -metrics.brier_score_loss(y == "b", m.predict_proba(X)[:, 1])),
    ("false_discovery_rate", 2, lambda y, m, X: metrics.precision_score(y, m.predict(X), pos_label="b") - 1),
])  # fmt: skip
def test_a_metric_by_name_is_greater_where_it_is_better(metric, K, theirs):
    X, y = classes(K)
    model = TunedClassifier(strengths=[1.0, 0.01], cv=FOLD, scoring=metric).fit(X, y)
    for k in range(4):
        out = k == FOLD
        alone = LogisticRegression(strength=0.01, tol=1e-9).fit(X[~out], y[~out])
        assert model.scores_[k, 1] == pytest.approx(theirs(y[out], alone, X[out]), abs=1e-4)


@each("weighted", [False, True])
@each("form", [np.asarray, sparse.csr_array])
@each(("estimator", "K"), [
    (LogisticRegression(), 2),
    (LogisticRegression(tol=1e-9), 3),
    (LogisticRegression(penalty="l1", tol=1e-9), 3),
    (LinearSVM(tol=1e-9), 2),
    (ProbitRegression(tol=1e-9), 2),
], ids=repr)  # fmt: skip
def test_a_score_is_that_of_a_fit_without_the_fold(estimator, K, form, weighted):
    X, y = classes(K)
    X = form(X)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    model = TunedClassifier(estimator, strengths=STRENGTHS, cv=FOLD).fit(X, y, w)
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


@each("estimator", [Ridge(), Lasso(), ElasticNet()], ids=repr)
def test_the_score_of_a_regression_is_its_squared_error(estimator):
    X, y = numbers()
    model = TunedRegressor(estimator, strengths=STRENGTHS, cv=FOLD).fit(X, y)
    for k in range(4):
        out = k == FOLD
        for i, strength in enumerate(STRENGTHS):
            alone = estimator._unfitted(strength=strength).fit(X[~out], y[~out])
            assert_allclose(-model.scores_[k, i], np.mean((y - alone.predict(X))[out] ** 2), 1e-5)


def test_transforms_in_a_pipeline_are_fitted_inside_the_folds():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = classes()
    X = X * [1, 10, 100, 1000]
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__strength": STRENGTHS}
    model = TunedClassifier(inner, strengths=None, param_grid=grid, cv=FOLD, scoring="log_loss")
    model.fit(X, y)
    for k in range(4):
        train = X[k != FOLD]
        Z = (X - train.mean(axis=0)) / train.std(axis=0)
        for i, strength in enumerate(STRENGTHS):
            alone = LogisticRegression(strength=strength).fit(Z[k != FOLD], y[k != FOLD])
            own = alone.predict_log_proba(Z[k == FOLD])[np.arange(30), (y[k == FOLD] == "b") * 1]
            assert model.scores_[k, i] == pytest.approx(own.mean(), rel=1e-8)
    assert model.best_params_.keys() == grid.keys()
    assert not hasattr(model, "strength_")


def test_rows_of_a_group_are_held_out_together_and_classes_are_balanced():
    X, y = classes()
    groups = np.arange(120) // 6
    weight = np.where(np.arange(120) < 110, 1.0, 0.0)
    fold = TunedClassifier(strengths=STRENGTHS).fit(X, y, weight, groups=groups).fold_
    assert len(fold) == 110
    assert all(len(set(fold[groups[:110] == g])) == 1 for g in set(groups[:110]))
    fold = TunedClassifier(strengths=STRENGTHS).fit(X, y).fold_
    counts = np.array([np.bincount(fold[y == c]) for c in "ab"])
    assert np.ptp(counts, axis=1).max() <= 1
    assert np.array_equal(fold, TunedClassifier(LinearSVM(), strengths=[1.0]).fit(X, y).fold_)
    other = TunedClassifier(strengths=[1.0], random_state=1).fit(X, y).fold_
    assert not np.array_equal(fold, other)


@each("rule", ["best", "one_standard_error", "aic", "bic"])
def test_a_row_of_weight_two_in_a_fold_is_a_repeated_row(rule):
    w = np.random.default_rng(3).integers(0, 4, 120)
    X, y = classes(3)
    ours = TunedClassifier(LogisticRegression(tol=1e-10), rule=rule, scoring="log_loss", cv=FOLD)
    ours.fit(X, y, w.astype(float))
    twice = TunedClassifier(ours.estimator, rule=rule, scoring="log_loss", cv=FOLD.repeat(w))
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
    model = TunedRegressor(ElasticNet(), strengths=STRENGTHS, param_grid=grid).fit(X, y)
    assert len(model.candidates_) == 8
    assert {fit.l1_ratio for fit in model.path_} == {model.best_params_["l1_ratio"]}
    X, c = classes(3)
    grid = {"threshold": [0.0, 1.0, 3.0]}
    few = TunedClassifier(NearestShrunkenCentroids(), strengths=None, param_grid=grid).fit(X, c)
    alone = NearestShrunkenCentroids(**few.best_params_).fit(X, c)
    assert_allclose(few.predict_proba(X), alone.predict_proba(X))
    kernel = TunedClassifier(KernelSVM(), strengths=STRENGTHS, param_grid={"gamma": [0.1, 1.0]})
    assert kernel.fit(X, c).score(X, c) > 0.5


# strengths from the data


def test_default_l2_strengths_ignore_the_origin_and_scale_with_the_units_of_the_data():
    X, y = classes()
    of = [TunedClassifier(strengths=4, rule="aic").fit(Z, y) for Z in (X, X + 50, 10 * X)]
    first, moved, scaled = (np.array([c["strength"] for c in m.candidates_[:4]]) for m in of)
    assert_allclose(moved, first)
    assert_allclose(scaled, 100 * first)
    assert of[0].degrees_of_freedom_[0] < 1.1  # next to the intercept alone
    assert of[0].degrees_of_freedom_[-1] > 4.99


# degrees of freedom and criteria


@each("weighted", [False, True])
@each("intercept", [True, False])
@each("estimator", [Ridge(), Lasso(), ElasticNet()], ids=repr)
def test_degrees_of_freedom_are_the_sensitivity_of_the_fit_to_the_data(
    estimator, intercept, weighted
):
    """Stein: df = Σ ∂ŷ_i/∂y_i, for a given σ² of the noise; by central differences."""
    X, y = numbers(30)
    w = np.random.default_rng(0).uniform(0.5, 2, 30) if weighted else np.ones(30)
    inner = estimator._unfitted(fit_intercept=intercept, tol=1e-14)
    strengths = [1.0, 0.3, 0.05]
    model = TunedRegressor(inner, strengths=strengths, rule="aic").fit(X, y, w)
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
    model = TunedClassifier(LogisticRegression(tol=1e-12), strengths=[0.1], rule="aic").fit(X, y)
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
    summary = LogisticRegression(penalty=None).fit(X, y).summary()
    inner = LogisticRegression(penalty=penalty, tol=1e-10)
    aic = TunedClassifier(inner, strengths=[1e8, 1e-8], rule="aic").fit(X, y)
    bic = TunedClassifier(inner, strengths=[1e8, 1e-8], rule="bic").fit(X, y)
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
        model = TunedClassifier(strengths=[0.1], cv=fold, scoring="log_loss").fit(X, y)
    out = fold == 0
    alone = LogisticRegression(strength=0.1).fit(X[~out], y[~out])
    log_proba = np.column_stack(
        [alone.predict_log_proba(X[out]), np.full(out.sum(), np.log(2.0**-52))]
    )
    own = log_proba[np.arange(out.sum()), np.searchsorted(["a", "b", "c"], y[out])]
    assert model.scores_[0, 0] == pytest.approx(own.mean(), rel=1e-8)


@each("rule", ["aic", "bic"])
def test_criteria_need_a_common_likelihood_and_weights_that_count(rule):
    model = TunedClassifier(LinearClassifier(loss="probit"), strengths=[0.1, 1.0], rule=rule)
    with pytest.raises(NotApplicable, match=f"rule is '{rule}', and one class against the rest"):
        model.fit(*classes(3))
    X, c = classes(2)
    assert len(model.fit(X, c).criterion_) == 2
    X, y = classes()
    share = np.full(120, 1 / 120)
    for model, rows in (
        (TunedClassifier(rule=rule), (X, y)),
        (TunedRegressor(rule=rule), numbers()),
    ):
        by_share = model.fit(*rows, sample_weight=share).criterion_
        np.testing.assert_allclose(by_share, model.fit(*rows).criterion_, rtol=1e-6)


# what is refused


@each(("model", "message"), [
    (TunedClassifier(rule="cp"), "rule is 'cp'; choose from best, one_standard_error, aic"),
    (TunedClassifier(scoring="roc_auc"), "no metric 'roc_auc'; did you mean 'auc'?"),
    (TunedClassifier(scoring="expected_cost"), "'expected_cost' needs costs; give a function"),
    (TunedRegressor(scoring="auc"), "scoring is 'auc'; choose from squared_error"),
    (TunedClassifier(LinearSVM(), scoring="brier"), "'brier', but .* has no probabilities"),
    (TunedClassifier(LogisticRegression), "pass an instance"),
    (TunedClassifier(GaussianNB()), "known for models of linclass with a penalty only"),
    (TunedClassifier(make_pipeline(StandardScaler(), LogisticRegression())),
     "set strengths=None and param_grid={'logisticregression__strength': 'path'}"),
    (TunedClassifier(LeastSquaresClassifier()), "tuning strength has no effect, .*penalty='l2'"),
    (TunedClassifier(param_grid={"l1_ratio": [0.1, 0.2]}), "has no effect, .*penalty='elastic_net'"),
    (TunedClassifier(strengths=[0.0]), "every strength is finite and above 0"),
    (TunedClassifier(strengths=True), "strengths is True; it must be a number"),
    (TunedClassifier(param_grid={"l1_ratio": 0.5}), "give lists of values by name of parameter"),
    (TunedClassifier(param_grid=["l1_ratio"]), "give lists of values by name of parameter"),
    (TunedClassifier(strengths=None), "give values to choose from"),
    (TunedClassifier(LinearSVM(), rule="aic"), "needs a likelihood"),
    (TunedClassifier(scoring=lambda *_: np.nan), "is nan on fold 0 for {'strength': "),
    (TunedClassifier(cv=1), "cv is 1; cross-validation needs at least 2"),
    (TunedClassifier(cv=[0, 1]), "the number of the fold of each of the 120 rows"),
    (TunedClassifier(cv=np.zeros(99, int)), r"cv is int\d+ of shape \(99,\); give a whole"),
    (TunedClassifier(cv=np.zeros(120, int)), "cv holds one fold"),
    (TunedClassifier(cv=[([0, 1], [2]), ([0, 1], [1, 2])]), "split 1 of cv has 1 row both among"),
    (TunedClassifier(cv=[([0, 1], [2])]), "cv has 1 split; give at least two"),
    (TunedClassifier(cv=[([0], [2]), ([0], [])]), "split 1 of cv has no held-out rows"),
    (TunedClassifier(cv=[([0], [2]), ([0], [120])]), "row 120; rows are 0 to 119"),
    (TunedClassifier(cv=True), "cv is True; give a whole number, the number"),
    (TunedClassifier(cv="3"), "cv is '3'; give a whole number, the number"),
    (TunedClassifier(scoring=lambda model: 0.0), r"function of \(y_true, y_pred\) or of"),
    (TunedClassifier(LinearSVM(), scoring=metrics.log_loss), "has no probabilities"),
    (TunedClassifier(scoring=["a"]), "scoring is .'a'.; choose from accuracy"),
    (TunedClassifier(scoring={}), "scoring is {}; choose from accuracy"),
    (TunedClassifier(LinearSVM(), scoring="log_loss"), "has no probabilities; use scoring='accuracy'"),
])  # fmt: skip
def test_invalid_tuning_is_refused_in_one_line(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*classes())


def test_fewer_folds_than_asked_for_warn_with_the_remedy():
    X, y = classes(3)
    kept = np.concatenate([np.flatnonzero(y != "c"), np.flatnonzero(y == "c")[:3]])
    for kind in (TunedClassifier, Calibrated):
        with pytest.warns(
            UserWarning, match="3 inner folds, not 5, .*'c' has 3 rows. Set cv=3"
        ) as found:
            kind(LogisticRegression()).fit(X[kept], y[kept])
        assert len(found) == 1, kind
        kind(LogisticRegression(), cv=3).fit(X[kept], y[kept])  # without a warning
    with pytest.warns(UserWarning, match="not 5, because groups has 4 groups. Set cv=4"):
        TunedRegressor(strengths=[1.0]).fit(*numbers(), groups=FOLD)


def test_folds_whose_training_rows_lack_a_class_warn_or_are_refused():
    X, y = classes(3)
    order = np.argsort(y, kind="stable")
    X, y, folds = X[order], y[order], ms.KFold(3)
    lacking = sum(set(y[train]) != set(y) for train, _ in folds.split(X))
    assert lacking
    with pytest.warns(UserWarning, match=f"{lacking} of 3 inner folds have training rows without"):
        TunedClassifier(cv=folds, strengths=[1.0, 0.1]).fit(X, y)
    one_class = [(np.arange(60), np.arange(60, 120))]
    with pytest.raises(ValueError, match="split 0 of cv has no training rows of class 'c'"):
        Calibrated(cv=[*one_class, *one_class]).fit(X, y)


@each("rule", ["best", "bic"])
def test_no_penalty_can_be_a_candidate_and_win(rule):
    X, y = classes()
    grid = {"penalty": ["l2", None]}
    tuned = TunedClassifier(
        LogisticRegression(), param_grid=grid, strengths=[10.0, 5.0], scoring="log_loss", rule=rule
    ).fit(X, y)
    assert tuned.best_params_["penalty"] is None
    assert not hasattr(tuned, "path_")
    assert_allclose(tuned.coef_, LogisticRegression(penalty=None).fit(X, y).coef_, atol=1e-6)


def test_given_folds_are_those_of_all_rows_also_where_a_weight_is_zero():
    X, y = classes()
    w = np.ones(120)
    w[::7] = 0
    kept = w > 0
    all_rows = TunedClassifier(strengths=STRENGTHS, cv=FOLD).fit(X, y, sample_weight=w)
    without = TunedClassifier(strengths=STRENGTHS, cv=FOLD[kept]).fit(X[kept], y[kept])
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
        "few training rows": (ms.ShuffleSplit(3, test_size=0.2, train_size=0.3, random_state=0),)
        * 2,
        "later rows": (ms.TimeSeriesSplit(3), ms.TimeSeriesSplit(3)),
        "groups": (ms.GroupKFold(4), ms.GroupKFold(4)),
        "list": (list(ms.KFold(4).split(X)), ms.KFold(4)),
        "numbers and masks": (halves, in_numbers),
    }
    for name, (ours, theirs) in folds.items():
        own = {"groups": groups} if name == "groups" else {}
        tuned = TunedClassifier(strengths=None, param_grid=FEW, cv=ours).fit(X, y, **own)
        found = ms.GridSearchCV(LogisticRegression(), FEW, cv=theirs).fit(X, y, **own)
        assert_allclose(tuned.scores_, _scores_of_splits(found), err_msg=name)
        once = name in ("splitter", "groups", "list", "numbers and masks")
        assert hasattr(tuned, "fold_") == once, name


def test_metrics_of_scikit_learn_give_the_scores_of_its_grid_search():
    of_classes = {
        "f1_score": (metrics.f1_score, metrics.make_scorer(metrics.f1_score, pos_label="b")),
        "partial": (partial(metrics.f1_score, average="macro"), "f1_macro"),
        "scores": (metrics.roc_auc_score, "roc_auc"),
        "less is better": (metrics.log_loss, "neg_log_loss"),
        "a scorer": (metrics.get_scorer("neg_log_loss"), "neg_log_loss"),
        "a function of scikit-learn's form": (
            lambda estimator, X, y: estimator.score(X, y),
            "accuracy",
        ),
        "a function of ours": (lambda model, X, y, w: model.score(X, y, w), "accuracy"),
        "without a name for its truth": (lambda a, b: np.mean(a == b), "accuracy"),
    }
    of_numbers = {
        "r2_score": (metrics.r2_score, "r2"),
        "less is better": (metrics.mean_squared_error, "neg_mean_squared_error"),
        "without weights": (metrics.max_error, "neg_max_error"),
    }
    for model, inner, data, cases in (
        (TunedClassifier, LogisticRegression(tol=1e-13), classes(), of_classes),
        (TunedRegressor, Ridge(), numbers(), of_numbers),
    ):
        for name, (ours, theirs) in cases.items():
            tuned = model(inner, strengths=None, param_grid=FEW, cv=ms.KFold(4), scoring=ours)
            found = ms.GridSearchCV(inner, FEW, cv=ms.KFold(4), scoring=theirs)
            scores = tuned.fit(*data).scores_, _scores_of_splits(found.fit(*data))
            assert_allclose(*scores, rtol=1e-5, err_msg=name)


def _scores_of_splits(search):
    found = search.cv_results_
    return np.array([found[f"split{k}_test_score"] for k in range(search.n_splits_)])


def test_weights_reach_a_metric_by_their_name():
    X, y = classes()
    w = np.random.default_rng(1).uniform(0.5, 2, 120)

    def scorer(estimator, X, y, *, sample_weight=None):
        return float(estimator.score(X, y, sample_weight=sample_weight))

    given = {"strengths": [1.0, 0.01], "cv": FOLD}
    known = TunedClassifier(**given).fit(X, y, sample_weight=w).scores_
    by_place = lambda model, X, y, w: model.score(X, y, w)  # noqa: E731
    scorers = metrics.accuracy_score, metrics.make_scorer(metrics.accuracy_score), scorer, by_place
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in scorers:
            own = TunedClassifier(scoring=metric, **given).fit(X, y, sample_weight=w)
            assert_allclose(own.scores_, known)
    for metric in (metrics.max_error, metrics.make_scorer(metrics.max_error), lambda e, X, y: 0.0):
        with pytest.raises(ValueError, match="takes no sample_weight, but the rows have weights"):
            TunedRegressor(scoring=metric, **given).fit(*numbers(), sample_weight=w)


def test_uninformative_columns_do_not_spread_strengths_over_rounding_errors():
    X, y = np.full((60, 4), 0.1), np.repeat([0, 1, 2], 20)
    for Z in (X, 1e6 * X, np.ones((60, 4))):
        tuned = TunedClassifier(LogisticRegression(penalty="l1"), rule="bic").fit(Z, y)
        assert [tuned.candidates_[i]["strength"] for i in (0, 30)] == pytest.approx([1, 1e-5])
    crossed = np.tile([[1.0, 1], [1, -1], [-1, 1], [-1, -1]], (10, 1)) / 3 + 1000
    target = np.tile([0.7, -0.7, -0.7, 0.7], 10)  # the product: no column alone says anything
    tuned = TunedRegressor(Lasso(), rule="aic").fit(crossed, target)
    assert tuned.candidates_[0]["strength"] == 1


@each("rule", ["best", "one_standard_error", "aic"])
@each("form", [lambda f: L1(factors=f), lambda f: {"l1": {"factors": f}}])
def test_a_grid_of_arrays_scores_each_array_as_alone(form, rule):
    """Arrays whose text is abbreviated were taken for equal, or ended in an error of NumPy."""
    X = np.random.default_rng(0).standard_normal((40, 1100))
    y = X[:, 500] > 0
    light = np.where(np.arange(1100) == 500, 1e-3, 1.0)
    penalties = [form(np.ones(1100)), form(light)]
    folds = np.arange(40) % 4

    def scores(**options):
        given = {"strengths": [0.1, 0.01], "rule": rule, "cv": folds} | options
        model = TunedClassifier(**given).fit(X, y)
        return model.criterion_ if rule == "aic" else model.scores_.mean(axis=0)

    together = scores(estimator=LogisticRegression(), param_grid={"penalty": penalties})
    alone = [scores(estimator=LogisticRegression(penalty=penalty)) for penalty in penalties]
    assert_allclose(np.sort(together), np.sort(np.concatenate(alone)), rtol=1e-3)
    assert together[0] != together[1]


def test_a_metric_named_like_a_cost_without_a_declared_direction_warns():
    X, y = classes()

    def my_cost(y_true, y_pred):
        return np.mean(y_true != y_pred)

    def strength():
        tuned = TunedClassifier(LogisticRegression(), strengths=[1e-3, 10.0], scoring=my_cost)
        return tuned.fit(X, y).strength_

    with pytest.warns(UserWarning, match="'my_cost' is named like a cost, but greater values"):
        strength()
    for says in (False, True):
        my_cost.greater_is_better = says  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            assert strength() == (10.0 if says else 1e-3)


def test_a_strength_of_0_can_be_a_candidate():
    X, y = classes()
    grid = {"strength": [10.0, 1.0, 0.0]}
    model = LogisticRegression()
    tuned = TunedClassifier(model, strengths=None, param_grid=grid, scoring="log_loss")
    assert tuned.fit(X, y).best_params_ == {"strength": 0.0}
    assert_allclose(tuned.coef_, LogisticRegression(penalty=None).fit(X, y).coef_, atol=1e-4)


# AIC and BIC of models beyond plain compositions of loss and penalty: ordinal and kernel logistic regression.

FEW_STRENGTHS = [10.0, 0.1, 1e-3]
Y = np.arange(90) % 3
X = np.random.default_rng(0).standard_normal((90, 4)) + 0.7 * np.outer(Y, [1, -1, 0, 0])
WEIGHTS = np.where(np.arange(90) % 7, 1.5, 0.0)


def judged(inner, y, rule, rows=X, weights=None):
    return TunedClassifier(inner, strengths=FEW_STRENGTHS, rule=rule).fit(rows, y, weights)


@each("rule", ["aic", "bic"])
@each("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@each("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each(("model", "K"), [
    (OrdinalRegression(tol=1e-12), 2),
    (KernelLogisticRegression(kernel="linear", tol=1e-12), 2),
    (KernelLogisticRegression(kernel="linear", tol=1e-12), 3),
], ids=["ordinal", "kernel", "kernel of three"])  # fmt: skip
def test_models_equal_to_logistic_regression_have_the_same_criteria(model, K, form, weights, rule):
    y = np.minimum(Y, K - 1)
    one = judged(model, y, rule, form(X), weights)
    other = judged(LogisticRegression(tol=1e-12), y, rule, form(X), weights)
    assert_allclose(one.degrees_of_freedom_, other.degrees_of_freedom_, rtol=1e-6)
    assert_allclose(one.criterion_, other.criterion_, rtol=1e-8)
    assert one.strength_ == other.strength_


@each(
    ("model", "most"),
    [(OrdinalRegression(order=[2, 0, 1]), 4 + 2), (KernelLogisticRegression(gamma=0.1), 180)],
    ids=["ordinal", "kernel"],
)
def test_criteria_are_minus_twice_the_log_likelihood_plus_a_penalty_on_degrees_of_freedom(
    model, most
):
    """Of a strong penalty nothing but K − 1 thresholds or intercepts are free, of a weak one nearly all."""
    inner = model.set_params(tol=1e-10)
    strengths = [1e7, 1.0, 1e-2, 1e-8]
    tuned = TunedClassifier(inner, strengths=strengths, rule="bic").fit(X, Y)
    df = tuned.degrees_of_freedom_
    assert df[0] == pytest.approx(2, abs=1e-3)
    assert (np.diff(df) > 0).all()
    assert df[-1] <= most + 1e-9
    if isinstance(model, OrdinalRegression):
        assert df[-1] == pytest.approx(most, abs=1e-3)
    for strength, value, free in zip(strengths, tuned.criterion_, df, strict=True):
        fit = model.set_params(strength=strength).fit(X, Y)
        log_likelihood = fit.predict_log_proba(X)[np.arange(90), Y].sum()
        assert value == pytest.approx(-2 * log_likelihood + np.log(90) * free, rel=1e-6)


def test_a_candidate_without_a_likelihood_is_reported():
    tuned = TunedClassifier(LinearClassifier(), rule="aic", strengths=FEW_STRENGTHS)
    for loss in ("squared_hinge", "hinge"):
        with pytest.raises(ValueError, match="needs a likelihood"):
            tuned.set_params(param_grid={"loss": ["logistic", loss]}).fit(X, np.minimum(Y, 1))


@each("penalty", ["l1", "fused_lasso", {"group_lasso": {"groups": [0, 0, 1]}}])
def test_a_fit_without_weights_and_intercept_is_worth_no_parameter(penalty):
    """The criterion equals that of even odds."""
    rows, y = X[:, :3], np.minimum(Y, 1)
    inner = LogisticRegression(penalty=penalty, fit_intercept=False)
    tuned = TunedClassifier(inner, strengths=[1e6, 1e-3], rule="aic").fit(rows, y)
    assert tuned.degrees_of_freedom_[0] == 0
    assert_allclose(tuned.criterion_[0], 2 * len(y) * np.log(2))
