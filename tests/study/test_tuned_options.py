"""Options of transforms under `tune:`, as principal_components__components, chosen by inner folds."""

import numpy as np
import pytest
from cases import each

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass.tuning.folds import seed_of, stratified_folds
from linclass_study.config.method_check import method_problems
from linclass_study.pipeline import tuned_parameters
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_folds, fit_method
from linclass_study.pipeline.method import Method

SEED = 3
TASK = Task(2, 1, inner_folds=4)
LDA, PCA = "linclass.LinearDiscriminantAnalysis", "sklearn.decomposition.PCA"


@pytest.fixture
def rows():
    rng = np.random.default_rng(5)
    y = (np.arange(120) % 2).astype(np.int32)
    X = rng.normal(size=(120, 6)) * [9, 6, 4, 2, 1, 0.5]
    X[:, 3] += 3 * y
    return Table(X, tuple("abcdef")), y


def tuned(classifier, tune, transforms):
    return Method.from_entry({"classifier": classifier, "tune": tune, "transforms": transforms})


def grid_search(X, y, steps, grid):
    """The grid search of scikit-learn on the same inner folds."""
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.pipeline import Pipeline

    fold = stratified_folds(y, TASK.inner_folds, seed_of("tuning", SEED))
    return GridSearchCV(Pipeline(steps), grid, cv=PredefinedSplit(fold)).fit(X, y)


def test_a_class_too_small_for_the_inner_folds_is_called_by_its_label(rows):
    table, y = rows
    few = np.flatnonzero((y == 0) | (np.arange(len(y)) < 4))
    method = tuned(LDA, {"shrinkage": [0.1, 0.5]}, [])
    task = Task(2, 1, inner_folds=4, classes=("ill", "well"))
    with pytest.raises(NotApplicable, match=r"4 rows of every class; class 'well' has 2"):
        fit_method(method, table.rows(few), y[few], task, SEED)


def test_the_choice_is_that_of_a_grid_search_over_the_pipeline(rows):
    from sklearn.decomposition import PCA as TheirPCA
    from sklearn.svm import LinearSVC

    table, y = rows
    grid = {"PCA__n_components": [1, 2, 4, 5], "C": [1e-4, 1.0]}
    entry = {"classifier": "sklearn.svm.LinearSVC", "params": {"random_state": 0, "dual": False}}
    method = Method.from_entry(entry | {"tune": grid, "transforms": [PCA]})
    fitted = fit_method(method, table, y, TASK, SEED)
    steps = [("PCA", TheirPCA(random_state=SEED)), ("fit", LinearSVC(random_state=0, dual=False))]
    search = grid_search(
        table.X, y, steps, {"PCA__n_components": grid["PCA__n_components"], "fit__C": grid["C"]}
    )
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
    from sklearn.linear_model import LogisticRegression

    table, y = rows
    grid = {"strength": [0.01, 1.0], "principal_components__components": [1, 3, 5]}
    method = tuned("linclass.LogisticRegression", grid, ["impute", "principal_components"])
    fitted = fit_method(method, table, y, TASK, SEED)
    means = {tuple(sorted(one.params.items())): one.mean for one in fitted.candidates}
    for strength in grid["strength"]:  # C depends on the number of rows, 90 in each inner fold
        model = LogisticRegression(C=1 / (90 * strength), tol=1e-10, max_iter=1000)
        steps = [("pca", TheirPCA()), ("fit", model)]
        search = grid_search(table.X, y, steps, {"pca__n_components": [1, 3, 5]})
        names = ("principal_components__components", "strength")
        ours = [means[(names[0], k), (names[1], strength)] for k in (1, 3, 5)]
        assert ours == pytest.approx(search.cv_results_["mean_test_score"].tolist(), abs=1e-12)


def test_candidates_fitted_at_once_are_those_fitted_one_by_one(rows, monkeypatch):
    table, y = rows
    method = tuned(
        "linclass.LogisticRegression",
        {"strength": [0.01, 1.0], "impute__numbers": ["mean", "median"]},
        ["impute", "standardize"],
    )
    at_once = fit_method(method, table, y, TASK, SEED)

    def none(*arguments):
        raise NotApplicable("one by one")

    monkeypatch.setattr(tuned_parameters, "fits_together", none)
    alone = fit_method(method, table, y, TASK, SEED)
    assert [one.params for one in at_once.candidates] == [one.params for one in alone.candidates]
    assert [one.mean for one in at_once.candidates] == [one.mean for one in alone.candidates]
    assert len(alone.candidates) == 4


def test_options_that_fail_are_left_out_unless_all_fail(rows):
    table, y = rows
    table = Table((table.X > 0).astype(float), table.names)
    method = tuned(LDA, {"vocabulary__min_rows": [1, 1000]}, ["vocabulary"])
    fitted = fit_method(method, table, y, TASK, SEED)
    assert fitted.chosen == {"vocabulary__min_rows": 1}
    assert [one.mean is None for one in fitted.candidates] == [False, True]
    table, y = rows
    method = tuned(LDA, {"vocabulary__min_rows": [1000, 2000]}, ["vocabulary"])
    with pytest.raises(ValueError, match="occurs in 1000 or more"):
        fit_method(method, table, y, TASK, SEED)


def test_transforms_are_fitted_once_for_each_option_of_theirs_and_of_those_before(
    rows, monkeypatch
):
    table, y = rows
    calls = []
    for name in ("fit_transforms", "fit_steps"):
        plain = getattr(tuned_parameters, name)

        def counted(steps, *rest, fit=plain):
            calls.extend(dict(steps))
            return fit(steps, *rest)

        monkeypatch.setattr(tuned_parameters, name, counted)
    method = tuned(
        "sklearn.svm.LinearSVC", {"C": [0.1, 1, 10], "PCA__n_components": [2, 3]}, ["impute", PCA]
    )
    fit_method(method, table, y, TASK, SEED)
    assert calls.count("impute") == TASK.inner_folds
    assert calls.count(PCA) == TASK.inner_folds * 2


def test_a_method_with_a_tuned_option_needs_tuning(rows):
    table, y = rows
    method = tuned(LDA, {"principal_components__components": [1, 2]}, ["principal_components"])
    with pytest.raises(ValueError, match="each fold has its own tuning"):
        fit_folds(method, table, y, [np.arange(60)], TASK)


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
}  # fmt: skip


@each("case", REFUSED)
def test_invalid_tuning_is_reported_in_one_line_before_anything_runs(case):
    own, words = REFUSED[case]
    (name,) = own["tune"]
    found = [*method_problems({"classifier": LDA} | own)]
    assert [path for path, _ in found] == [["tune", name]]
    assert words in found[0][1]
    assert "\n" not in found[0][1]


@each("own", [
    {"transforms": [PCA], "tune": {"PCA__n_components": [2, 3], "shrinkage": [0.0, 0.1]}},
    {"transforms": ["impute"], "tune": {"impute__numbers": ["mean", "median"]}},
    PIPELINE | {"tune": {"PCA__n_components": [2, 3], "fit__C": [1, 2]}},
])  # fmt: skip
def test_valid_tuning_is_accepted(own):
    assert not [*method_problems({"classifier": LDA} | own)]
