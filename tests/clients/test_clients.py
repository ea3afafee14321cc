"""Other libraries use models of linclass as their documentation shows for scikit-learn's:  pytest -m clients

Each test needs its client (`pip install -e '.[clients]'`), and is skipped without it.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import precision_score
from sklearn.model_selection import cross_val_score

from linclass import (
    Calibrated,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    TunedClassifier,
    as_sklearn,
)

pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings("ignore")]  # warnings of the clients

rng = np.random.default_rng(0)
Y = np.arange(200) % 2
X = rng.normal(size=(200, 5)) + Y[:, None] * [1.5, 0, -1.0, 0, 0]  # two features that matter
NEW, NEW_Y = X[::2] + 0.1, Y[::2]


def test_yellowbrick_reports_the_precision_of_each_class():
    report = pytest.importorskip("yellowbrick.classifier").ClassificationReport
    # since scikit-learn 1.8, yellowbrick 1.5 takes no estimator for a classifier, not even scikit-learn's
    visualizer = report(LinearSVM(), classes=["no", "yes"], force_model=True)
    visualizer.fit(X, Y)
    visualizer.score(NEW, NEW_Y)
    predicted = LinearSVM().fit(X, Y).predict(NEW)
    found = visualizer.scores_["precision"]
    for k, name in enumerate(("no", "yes")):
        assert found[name] == pytest.approx(precision_score(NEW_Y, predicted, pos_label=k))


def test_eli5_finds_the_features_that_matter_and_explains_weights():
    eli5 = pytest.importorskip("eli5")
    from eli5.sklearn import PermutationImportance

    model = LogisticRegression().fit(X, Y)
    importance = PermutationImportance(model, random_state=0).fit(X, Y).feature_importances_
    assert {*np.argsort(importance)[-2:].tolist()} == {0, 2}
    (target,) = eli5.explain_weights(as_sklearn(model)).targets
    weights = {
        w.feature: w.weight for w in (*target.feature_weights.pos, *target.feature_weights.neg)
    }
    assert weights["x0"] == pytest.approx(model.coef_[0, 0])


@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVM(), LinearDiscriminantAnalysis()])
def test_shap_values_add_up_to_the_score(model):
    shap = pytest.importorskip("shap")
    model.fit(X, Y)
    explainer = shap.LinearExplainer(model, shap.maskers.Independent(X, max_samples=len(X)))
    values = explainer(NEW).values
    assert_allclose(values, model.coef_[0] * (NEW - X.mean(axis=0)), atol=1e-10)
    assert_allclose(values.sum(axis=1) + explainer.expected_value, model.decision_function(NEW))


@pytest.mark.parametrize(
    "model", [LogisticRegression(), GaussianNB(), TunedClassifier(strengths=3)]
)
def test_skops_stores_a_model_without_pickle(model):
    io = pytest.importorskip("skops.io")
    stored = io.dumps(model.fit(X, Y))
    types = io.get_untrusted_types(data=stored)
    assert all(name.startswith(("linclass.", "numpy.", "builtins.")) for name in types), types
    assert_array_equal(io.loads(stored, trusted=types).predict_proba(NEW), model.predict_proba(NEW))


def test_mlflow_stores_a_model_that_predicts_the_same(tmp_path):
    store = pytest.importorskip("mlflow.sklearn")
    from mlflow.pyfunc import load_model

    model = LogisticRegression().fit(X, Y)
    path = str(tmp_path / "model")
    store.save_model(model, path, serialization_format="cloudpickle", pip_requirements=[])
    assert_array_equal(store.load_model(path).coef_, model.coef_)
    assert_array_equal(load_model(path).predict(NEW), model.predict(NEW))


def test_fairlearn_makes_selection_rates_nearly_equal():
    reductions = pytest.importorskip("fairlearn.reductions")
    from fairlearn.metrics import demographic_parity_difference

    group = (X[:, 0] + rng.normal(size=200) > 0.75).astype(int)
    plain = LogisticRegression().fit(X, Y).predict(X)
    fair = reductions.ExponentiatedGradient(
        LogisticRegression(), reductions.DemographicParity(difference_bound=0.02)
    ).fit(X, Y, sensitive_features=group)
    before, after = (
        demographic_parity_difference(Y, predicted, sensitive_features=group)
        for predicted in (plain, fair._pmf_predict(X)[:, 1])
    )
    assert after < before / 2
    assert after <= 0.12  # twice its bound and its tolerance


def test_imbalanced_learn_fits_to_the_resampled_rows():
    over_sampling = pytest.importorskip("imblearn.over_sampling")
    from imblearn.pipeline import make_pipeline

    some = (Y == 0) | (np.arange(200) < 40)
    sampler = over_sampling.SMOTE(random_state=0)
    model = make_pipeline(sampler, LinearDiscriminantAnalysis()).fit(X[some], Y[some])
    rows = sampler.fit_resample(X[some], Y[some])
    assert_array_equal(np.bincount(rows[1]), [100, 100])
    assert_array_equal(model[-1].coef_, LinearDiscriminantAnalysis().fit(*rows).coef_)


def test_sets_of_mapie_cover_new_rows():
    classification = pytest.importorskip("mapie.classification")
    labels = Y ^ (rng.random(200) < 0.1)
    model = Calibrated(LinearSVM()).fit(X[:80], labels[:80])
    conformal = classification.SplitConformalClassifier(model, confidence_level=0.9, prefit=True)
    conformal.conformalize(X[80:140], labels[80:140])
    predicted, sets = conformal.predict_set(X[140:])
    assert_array_equal(predicted, model.predict(X[140:]))
    assert sets[np.arange(60), labels[140:], 0].mean() > 0.8


def test_optuna_finds_the_best_of_its_strengths():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def accuracy(trial):
        strength = trial.suggest_float("strength", 1e-4, 10, log=True)
        penalty = trial.suggest_categorical("penalty", ["l1", "l2"])
        return cross_val_score(LogisticRegression(strength=strength, penalty=penalty), X, Y).mean()

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(accuracy, n_trials=8)
    best = LogisticRegression(**study.best_params)
    assert study.best_value == cross_val_score(best, X, Y).mean()
    assert study.best_value == max(trial.value for trial in study.trials)


def test_mlxtend_selects_the_features_that_matter():
    selection = pytest.importorskip("mlxtend.feature_selection")
    found = selection.SequentialFeatureSelector(LinearDiscriminantAnalysis(), k_features=2, cv=3)
    assert found.fit(X, Y).k_feature_idx_ == (0, 2)
    from mlxtend.plotting import plot_decision_regions

    axes = plot_decision_regions(X[:, [0, 2]], Y, clf=LinearSVM().fit(X[:, [0, 2]], Y))
    assert axes.collections


def test_dask_ml_fits_block_by_block_and_predicts_in_parallel():
    wrappers = pytest.importorskip("dask_ml.wrappers")
    import dask.array as da

    rows, labels = da.from_array(X, chunks=(50, 5)), da.from_array(Y, chunks=50)
    blocks = wrappers.Incremental(GaussianNB(), shuffle_blocks=False)
    blocks.fit(rows, labels, classes=[0, 1])
    assert_allclose(blocks.estimator_.theta_, GaussianNB().fit(X, Y).theta_)
    parallel = wrappers.ParallelPostFit(LogisticRegression()).fit(X, Y)
    assert_array_equal(parallel.predict(rows).compute(), LogisticRegression().fit(X, Y).predict(X))


def test_feature_engine_drops_the_features_that_do_not_matter():
    selection = pytest.importorskip("feature_engine.selection")
    frame = pd.DataFrame(X, columns=[*"abcde"])
    found = selection.RecursiveFeatureElimination(LogisticRegression(), scoring="roc_auc", cv=3)
    found.fit(frame, pd.Series(Y))
    assert {"a", "c"} <= {*found.transform(frame).columns}
    assert len(found.features_to_drop_) >= 2
    assert [*found.feature_importances_.index][-2:] == ["c", "a"]
