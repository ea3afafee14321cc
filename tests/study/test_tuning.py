"""Options of transforms under `tune:`, as principal_components__components, and `tune: {strength: path}`."""

import json

import numpy as np
import pytest
from cases import each

from linclass import LogisticRegression
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass.tuning.folds import seed_of, stratified_folds
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import chosen_values
from linclass_study.config.method_check import method_problems
from linclass_study.files.tables import frame, write_table
from linclass_study.pipeline import tuned_parameters
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_folds, fit_method
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import fit_transforms

SEED = 3
TASK = Task(2, 1, inner_folds=4)
BY_LOG_LOSS = Task(2, 1, inner_folds=4, tune_metric="log_loss")
LDA, PCA = "linclass.LinearDiscriminantAnalysis", "sklearn.decomposition.PCA"
LOGISTIC = "linclass.LogisticRegression"


@pytest.fixture
def rows():
    rng = np.random.default_rng(5)
    y = (np.arange(120) % 2).astype(np.int32)
    X = rng.normal(size=(120, 6)) * [9, 6, 4, 2, 1, 0.5]
    X[:, 3] += 3 * y
    return Table(X, tuple("abcdef")), y


def tuned(classifier, tune, transforms, **params):
    return Method.from_entry(
        {"classifier": classifier, "params": params, "tune": tune, "transforms": transforms}
    )


def grid_search(X, y, steps, grid):
    """The grid search of scikit-learn on the same inner folds."""
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.pipeline import Pipeline

    fold = stratified_folds(y, TASK.inner_folds, seed_of("tuning", SEED))
    return GridSearchCV(Pipeline(steps), grid, cv=PredefinedSplit(fold)).fit(X, y)


def test_a_class_too_small_for_the_inner_folds_is_called_by_its_label(rows):
    table, y = rows
    few = np.flatnonzero((y == 0) | (np.arange(len(y)) < 4))
    task = Task(2, 1, inner_folds=4, classes=("ill", "well"))
    with pytest.raises(NotApplicable, match=r"4 rows of every class; class 'well' has 2"):
        fit_method(tuned(LDA, {"shrinkage": [0.1, 0.5]}, []), table.rows(few), y[few], task, SEED)


def test_the_choice_is_that_of_a_grid_search_over_the_pipeline(rows):
    from sklearn.decomposition import PCA as TheirPCA
    from sklearn.svm import LinearSVC

    table, y = rows
    params, components, Cs = {"random_state": 0, "dual": False}, [1, 2, 4, 5], [1e-4, 1.0]
    grid = {"PCA__n_components": components, "C": Cs}
    fitted = fit_method(tuned("sklearn.svm.LinearSVC", grid, [PCA], **params), table, y, TASK, SEED)
    steps = [("PCA", TheirPCA(random_state=SEED)), ("fit", LinearSVC(**params))]
    search = grid_search(table.X, y, steps, {"PCA__n_components": components, "fit__C": Cs})
    results = zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)
    theirs = {(option["PCA__n_components"], option["fit__C"]): mean for option, mean in results}
    assert len(fitted.candidates) == len(theirs) == 8
    for one in fitted.candidates:
        expected = theirs[one.params["PCA__n_components"], one.params["C"]]
        assert one.mean == pytest.approx(expected, abs=1e-12)
    assert fitted.chosen["PCA__n_components"] == search.best_params_["PCA__n_components"]
    assert np.array_equal(fitted.predict(table)[0], search.predict(table.X))
    assert fitted.ready(table).X.shape[1] == fitted.chosen["PCA__n_components"]


def test_options_of_our_transforms_are_tuned_with_the_strength(rows):
    from sklearn.decomposition import PCA as TheirPCA
    from sklearn.linear_model import LogisticRegression as Theirs

    table, y = rows
    name, strengths, components = "principal_components__components", [0.01, 1.0], [1, 3, 5]
    grid = {"strength": strengths, name: components}
    method = tuned(LOGISTIC, grid, ["impute", "principal_components"])
    fitted = fit_method(method, table, y, TASK, SEED)
    means = {(one.params["strength"], one.params[name]): one.mean for one in fitted.candidates}
    for strength in strengths:  # C depends on the number of rows, 90 in each inner fold
        model = Theirs(C=1 / (90 * strength), tol=1e-10, max_iter=1000)
        steps = [("pca", TheirPCA()), ("fit", model)]
        search = grid_search(table.X, y, steps, {"pca__n_components": components})
        ours = [means[strength, k] for k in components]
        assert ours == pytest.approx(search.cv_results_["mean_test_score"].tolist(), abs=1e-12)


def test_options_that_fail_are_left_out_unless_all_fail(rows):
    table, y = rows
    binary = Table((table.X > 0).astype(float), table.names)
    method = tuned(LDA, {"vocabulary__min_rows": [1, 1000]}, ["vocabulary"])
    fitted = fit_method(method, binary, y, TASK, SEED)
    assert fitted.chosen == {"vocabulary__min_rows": 1}
    assert [one.mean is None for one in fitted.candidates] == [False, True]
    method = tuned(LDA, {"vocabulary__min_rows": [1000, 2000]}, ["vocabulary"])
    with pytest.raises(ValueError, match="occurs in 1000 or more"):
        fit_method(method, table, y, TASK, SEED)


def test_transforms_are_fitted_once_for_each_option_of_theirs_and_of_those_before(
    rows, monkeypatch
):
    calls = []
    for name in ("fit_transforms", "fit_steps"):
        plain = getattr(tuned_parameters, name)

        def counted(steps, *rest, fit=plain):
            calls.extend(dict(steps))
            return fit(steps, *rest)

        monkeypatch.setattr(tuned_parameters, name, counted)
    grid = {"C": [0.1, 1, 10], "PCA__n_components": [2, 3]}
    fit_method(tuned("sklearn.svm.LinearSVC", grid, ["impute", PCA]), *rows, TASK, SEED)
    assert calls.count("impute") == TASK.inner_folds
    assert calls.count(PCA) == TASK.inner_folds * 2


def test_a_method_with_a_tuned_option_needs_tuning(rows):
    method = tuned(LDA, {"principal_components__components": [1, 2]}, ["principal_components"])
    with pytest.raises(ValueError, match="each fold has its own tuning"):
        fit_folds(method, *rows, [np.arange(60)], TASK)


PIPELINE = {
    "classifier": "sklearn.pipeline.Pipeline",
    "params": {"steps": [["PCA", {"classifier": PCA}], ["fit", {"classifier": "sklearn.svm.LinearSVC"}]]},
}  # fmt: skip
REFUSED = {
    "an option it does not have": ({"transforms": ["impute"], "tune": {"impute__number": ["mean"]}},
        "transform 'impute' has no parameter 'number'; did you mean 'numbers'?"),
    "a value it refuses": (
        {"transforms": ["principal_components"], "tune": {"principal_components__components": [2, 0]}},
        "components is 0; give a whole number"),
    "an option that a class of another library does not have": (
        {"transforms": [PCA], "tune": {"PCA__components": [2]}},
        "PCA has no parameter 'components'; did you mean 'n_components'?"),
    "a value that a class of another library refuses": ({"transforms": [PCA], "tune": {"PCA__n_components": [2, -1]}},
        "The 'n_components' parameter of PCA"),
    "fixed and tuned": ({"transforms": [{"impute": {"numbers": "mean"}}], "tune": {"impute__numbers": ["mean"]}},
        "'numbers' is also set under transforms; remove one of the two"),
    "listed twice": ({"transforms": ["impute", "impute"], "tune": {"impute__numbers": ["mean"]}},
        "the transform 'impute' is listed twice; list it once to tune it"),
    "not listed": ({"transforms": ["impute"], "tune": {"principal_components__components": [2]}},
        "'principal_components' is not among the transforms of the method; list it there"),
    "misspelt": ({"transforms": ["principal_components"], "tune": {"principal_component__components": [2]}},
        "no transform of the method is called 'principal_component'; write principal_components__components"),
    "in full": ({"transforms": [PCA], "tune": {f"{PCA}__n_components": [2]}}, "write PCA__n_components"),
    "a feature": ({"features": ["powers"], "tune": {"powers__degree": [2, 3]}},
        "'powers' is a feature, which is computed before the folds; only options of transforms are tuned"),
    "a step of the classifier": (PIPELINE | {"transforms": [PCA], "tune": {"PCA__n_components": [2]}},
        "'PCA' is a transform and a step of the classifier; rename the step"),
    "no path": ({"classifier": "sklearn.neighbors.KNeighborsClassifier", "tune": {"n_neighbors": "path"}},
        "KNeighborsClassifier has no path of 'n_neighbors' (known are C of"),
    "no path of a transform": (
        {"transforms": ["principal_components"], "tune": {"principal_components__components": "path"}},
        "principal_components has no path of 'components'; list its values"),
}  # fmt: skip


@each("case", REFUSED)
def test_invalid_tuning_is_reported_in_one_line_before_anything_runs(case):
    own, words = REFUSED[case]
    (name,) = own["tune"]
    ((path, sentence),) = method_problems({"classifier": LDA} | own)
    assert path == ["tune", name]
    assert words in sentence
    assert "\n" not in sentence


@each("own", [
    {"transforms": [PCA], "tune": {"PCA__n_components": [2, 3], "shrinkage": [0.0, 0.1]}},
    {"transforms": ["impute"], "tune": {"impute__numbers": ["mean", "median"]}},
    PIPELINE | {"tune": {"PCA__n_components": [2, 3], "fit__C": [1, 2]}},
])  # fmt: skip
def test_valid_tuning_is_accepted(own):
    assert not [*method_problems({"classifier": LDA} | own)]


# Paths: the rows that determine their values, their extension, and what is recorded


def values(fitted, name="strength"):
    return np.array([candidate.params[name] for candidate in fitted.candidates])


def test_strengths_come_from_the_training_rows_after_the_transforms(rows):
    fitted = fit_method(tuned(LOGISTIC, {"strength": "path"}, ["standardize"]), *rows, TASK, 1)
    _, ready = fit_transforms([("standardize", {})], *rows)
    expected = LogisticRegression().strength_path(ready.X, rows[1])
    np.testing.assert_allclose(values(fitted)[:31], expected, rtol=1e-12)
    assert len(expected) >= 30
    assert expected[0] / expected[-1] >= 1e5


def test_an_extended_path_is_recorded_with_all_its_candidates(rows):
    """The weakest penalty is best by the log loss where a wide gap separates the classes."""
    table, y = rows
    table.X[:, 0] += 100 * y
    method = tuned(LOGISTIC, {"strength": "path"}, ["standardize"])
    tried = values(fit_method(method, table, y, BY_LOG_LOSS, 1))
    assert len(tried) > 31
    ratios = np.diff(np.log(tried))
    np.testing.assert_allclose(ratios, ratios[0])
    assert tried.min() >= tried[30] / 1001
    method = tuned(LOGISTIC, {"strength": tried[:31].tolist()}, ["standardize"])
    assert len(fit_method(method, table, y, BY_LOG_LOSS, 1).candidates) == 31


def test_each_option_of_a_transform_and_each_width_has_its_own_path(rows):
    steps = ["standardize", {"nystroem": {"columns": 20}}]
    nystroem = tuned(LOGISTIC, {"strength": "path", "nystroem__gamma": "path"}, steps)
    kernel = tuned("linclass.KernelSVM", {"strength": "path", "gamma": "path"}, ["standardize"])
    for method, width in ((nystroem, "nystroem__gamma"), (kernel, "gamma")):
        options = tuned_parameters.grid_of(method, *rows, 1).options
        first = {}
        for option in options:
            first.setdefault(option[width], option["strength"])
        assert len(first) == len({*first.values()}) >= 4
        assert len(options) == 31 * len(first)


def test_the_path_of_c_of_scikit_learn_is_that_of_the_strength(rows):
    """Along it both choose alike; a C holds for all sizes of a training set, a strength is per row."""
    ours = tuned(LOGISTIC, {"strength": "path"}, ["standardize"], tol=1e-8)
    params = {"tol": 1e-5, "max_iter": 3000}
    theirs = tuned(
        "sklearn.linear_model.LogisticRegression", {"C": "path"}, ["standardize"], **params
    )
    one, other = (fit_method(method, *rows, BY_LOG_LOSS, 1) for method in (ours, theirs))
    np.testing.assert_allclose(1 / (120 * values(other, "C")), values(one), rtol=1e-9)
    assert abs(np.log(other.chosen["C"] * 120 * one.chosen["strength"])) < 1.2


def test_the_ends_of_a_path_are_those_of_all_its_candidates(tmp_path):
    """At an end that was extended as far as it may, but not on a plateau, where nothing changes any more."""
    inside = [(0.1, 0.7, 0.1), (0.01, 0.9, 0.1), (0.001, 0.8, 0.1)]
    weak_end = [(0.1, 0.7, 0.1), (0.01, 0.8, 0.1), (0.001, 0.9, 0.1)]
    plateau = [(0.1, 0.9, 0.1), (0.05, 0.9, 0.1), (0.001, 0.8, 0.1)]
    chosen = [0.01, 0.001, 0.1]
    run = {"dataset": "d", "method": "m", "protocol": "cv", "repeat": 0}
    tuning = [
        run | {"fold": fold, "params": json.dumps({"strength": value}), "mean": mean, "error": error}
        | {"n": 3, "chosen": value == chosen[fold]}
        for fold, candidates in enumerate([inside, weak_end, plateau])
        for value, mean, error in candidates
    ]  # fmt: skip
    fits = [
        run | {"fold": fold, "status": "converged", "params": json.dumps({"strength": value})}
        for fold, value in enumerate(chosen)
    ]
    write_table(frame("tuning", tuning), "tuning", tmp_path / "runs" / "d" / "m" / "tuning.parquet")
    write_table(frame("fits", fits), "fits", tmp_path / "fits.parquet")
    entry = {"classifier": LOGISTIC, "tune": {"strength": "path"}}
    outcome = Outcome(tmp_path, {"d": {}}, {"m": entry}, {"protocols": ["cv"]})
    found = chosen_values(outcome).sort("fold")
    assert found["edge"].to_list() == [None, "lowest", None]
    assert [json.loads(value) for value in found["value"]] == chosen
