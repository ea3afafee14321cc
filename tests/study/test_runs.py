"""Whatever an estimator returns, its run has a row per fit, and fits do not affect each other."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import each, first
from run_alone import run_alone

from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset
from linclass_study.execution.feature_file import FeatureFile
from linclass_study.execution.features import compute_features
from linclass_study.execution.folds import Plan
from linclass_study.execution.run_files import RunInputs

TASK = {"n_classes": 2, "positive": 1, "inner_folds": 2}
LIMITS = {"fit_seconds": 8, "fit_memory_mb": 500}
N, FOLDS = 60, 3


@pytest.fixture(autouse=True)
def _path(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    rng = np.random.default_rng(3)
    y = (np.arange(N) % 2).astype(np.int32)
    X = rng.normal(size=(N, 2)) + 3 * y[:, None]
    nothing = Table(np.empty((0, 0)), ())
    path = tmp_path_factory.mktemp("features") / "as_is.npz"
    FeatureFile(Table(X, ("u", "v")), y, (np.empty(0), np.empty(0)), nothing).save(path)
    return str(path)


def records(features, name, tmp_path, **entry):
    fold = np.arange(N) // 2 % FOLDS
    entry = {"classifier": f"odd_estimators.{name}", **entry}
    kept = run_alone(LIMITS, "d", name, entry, features, Plan.of({("cv", 0): fold}), TASK, 1)
    kept.write(tmp_path, RunInputs("this entry", "these rows"))
    return tuple(pl.read_parquet(tmp_path / f"{part}.parquet") for part in ("fits", "predictions"))


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("name", "words"),
    first(
        3,
        [
            ("TooFewRows", "predict gave shape (19,) for 20 rows"),
            ("UnknownClass", "which is no class"),
            ("MinusOne", "-1"),
            ("Fractions", "0.9"),
            ("WideProbabilities", "predict_proba gave shape (20, 3)"),
            ("ProbabilitiesOfThree", "sum to 3"),
            ("NegativeProbabilities", "gave -0.5; a probability is at least 0"),
            ("NaNScores", "decision_function gave NaN"),
            ("UnprintableReason", "RuntimeError"),
        ],
    ),
)
def test_results_that_do_not_fit_the_table_are_failed_fits_with_a_one_line_reason(
    features, tmp_path, name, words
):
    fits, predictions = records(features, name, tmp_path)
    assert fits["status"].to_list() == ["failed"] * FOLDS
    assert all(words in reason and "\n" not in reason for reason in fits["reason"]), fits["reason"]
    assert predictions.is_empty()


@pytest.mark.usefixtures("in_process")
def test_a_memory_error_that_a_library_wrapped_is_out_of_memory(features, tmp_path):
    fits, _ = records(features, "WrappedMemoryError", tmp_path)
    assert set(fits["status"]) == {"out_of_memory"}


@pytest.mark.parametrize("name", first(1, ["ForksAndDies", "ForksAndReturns"]))
def test_a_forked_process_never_answers_for_its_fit(features, tmp_path, name):
    fits, predictions = records(features, name, tmp_path)
    assert fits["status"].to_list() == ["converged"] * FOLDS
    _, expected = records(features, "Fine", tmp_path)
    same = ["fold", "row", "y_true", "y_pred"]
    assert predictions.select(same).equals(expected.select(same))


def test_forked_processes_share_the_limit_of_their_fit(features, tmp_path):
    fits, _ = records(features, "ForksForMemory", tmp_path)
    assert set(fits["status"]) == {"out_of_memory"}
    assert "the processes that it started" in fits["reason"][0]


@pytest.mark.usefixtures("in_process")
def test_strange_attributes_and_spoilt_inputs_do_not_affect_other_fits(features, tmp_path):
    fits, _ = records(features, "OtherMeanings", tmp_path)
    assert fits["status"].to_list() == ["converged"] * FOLDS
    assert fits["reason"].to_list() == [""] * FOLDS
    assert fits["iterations"].null_count() == FOLDS
    fits, _ = records(features, "SpoilsItsInput", tmp_path, tune={"spoil": [1, 0]})
    assert fits["params"].to_list() == ['{"spoil": 0}'] * FOLDS
    first = records(features, "GlobalRandomState", tmp_path)[1]
    assert first.equals(records(features, "GlobalRandomState", tmp_path)[1])


def test_a_slow_import_is_a_timeout_of_the_start_and_not_of_the_fit(
    features, tmp_path, monkeypatch
):
    monkeypatch.setitem(LIMITS, "fit_start_seconds", 1)
    fits, _ = records(features, "Fine", tmp_path, classifier="slow_to_import.Fine")
    assert fits["status"].to_list() == ["timeout"] * FOLDS
    output = "importing slow_to_import.Fine and loading the data took longer than 1 s"
    assert fits["reason"].to_list() == [f"{output} (limits.fit_start_seconds)"] * FOLDS
    assert fits["fit_seconds"].null_count() == FOLDS


@pytest.mark.full
def test_a_fit_that_was_stopped_took_its_limit_without_the_start_of_its_process(
    features, tmp_path, monkeypatch
):
    """After each timeout a new child imports everything again, which took longer than this limit."""
    monkeypatch.setitem(LIMITS, "fit_seconds", 0.25)
    fits, _ = records(features, "Hangs", tmp_path)
    assert fits["status"].to_list() == ["timeout"] * FOLDS
    assert fits["fit_seconds"].to_list() == [0.25] * FOLDS


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(("name", "has_classes"), [("Fine", True), ("KnowsItsRowsOnly", False)])
def test_a_fit_of_more_than_two_features_is_evaluated_on_a_plane_if_possible(
    tmp_path, name, has_classes
):
    rng = np.random.default_rng(3)
    y = (np.arange(N) % 2).astype(np.int32)
    table = Table(rng.normal(size=(N, 4)) + 3 * y[:, None], ("a", "b", "c", "d"))
    path = tmp_path / "as_is.npz"
    compute_features(Dataset(table, y, np.zeros(N, np.int8), ["no", "yes"]), []).save(path)
    fits, predictions = records(str(path), name, tmp_path)
    assert fits["status"].to_list() == ["converged"] * FOLDS
    assert len(predictions) == N
    with np.load(tmp_path / "boundary.npz") as kept:
        assert kept["labels"].shape == (FOLDS, len(kept["y"]), len(kept["x"]))
        assert (kept["labels"] >= 0).all() == has_classes
        assert (kept["labels"] == -1).all() != has_classes


@pytest.mark.usefixtures("in_process")
def test_a_plane_can_have_more_than_256_classes(tmp_path):
    """Points on a line, a class each; those from 128 on were other classes, or none."""
    K = 200
    y = np.repeat(np.arange(K, dtype=np.int32), FOLDS)
    X = np.column_stack([y, np.tile([0.0, 0.1, 0.2], K)])
    path = tmp_path / "as_is.npz"
    names = [str(k) for k in range(K)]
    compute_features(Dataset(Table(X, ("u", "v")), y, np.zeros(len(y), np.int8), names), []).save(
        path
    )
    entry, plan = (
        {"classifier": "linclass.NearestMean"},
        Plan.of({("cv", 0): np.tile([0, 1, 2], K)}),
    )
    kept = run_alone(LIMITS, "d", "m", entry, str(path), plan, TASK | {"n_classes": K}, 1)
    kept.write(tmp_path, RunInputs("this entry", "these rows"))
    with np.load(tmp_path / "boundary.npz") as plane:
        nearest = np.clip(np.round(plane["x"]), 0, K - 1)
        assert (plane["labels"] == nearest).mean() > 0.99  # but for points halfway
        assert nearest.max() > 127


@pytest.mark.usefixtures("in_process")
def test_a_plane_has_the_margins_of_the_scores_beside_boundaries(tmp_path):
    """The boundary of the nearest of two means is where both are equally far."""
    y = (np.arange(N) % 2).astype(np.int32)
    X = np.random.default_rng(4).normal(size=(N, 2)) + 2.0 * y[:, None]
    path = tmp_path / "as_is.npz"
    compute_features(
        Dataset(Table(X, ("u", "v")), y, np.zeros(N, np.int8), ["no", "yes"]), []
    ).save(path)
    fold = np.arange(N) % FOLDS
    entry = {"classifier": "linclass.NearestMean"}
    kept = run_alone(LIMITS, "d", "m", entry, str(path), Plan.of({("cv", 0): fold}), TASK, 1)
    kept.write(tmp_path, RunInputs("this entry", "these rows"))
    with np.load(tmp_path / "boundary.npz") as plane:
        margins, labels, u, v = (plane[name] for name in ("margins", "labels", "x", "y"))
    assert margins.shape == (FOLDS, 2, len(v), len(u))
    for k in range(FOLDS):
        means = [X[(fold != k) & (y == code)].mean(axis=0) for code in (0, 1)]
        distances = [(u - mean[0]) ** 2 + (v[:, None] - mean[1]) ** 2 for mean in means]
        own, known = margins[k, 1], ~np.isnan(margins[k, 1])
        assert 0 < known.mean() < 0.1
        ahead = distances[0] - distances[1]
        ratio = own[known] / ahead[known]
        assert ratio == pytest.approx(np.full(len(ratio), np.median(ratio)), rel=1e-3)
        assert ((own > 0) == (labels[k] == 1))[known].all()


@pytest.mark.usefixtures("in_process")
@pytest.mark.full
@each("place", ["params", "tune", "inside"])
def test_class_weights_are_given_by_the_names_of_the_classes(features, place):
    """As by the codes that an estimator gets; the names are in the order of the codes, not of the alphabet."""
    fold = np.arange(N) // 2 % FOLDS

    def predicted(weights, classes=()):
        cls = "linclass.LogisticRegression"
        entry = {
            "params": {"classifier": cls, "params": {"class_weight": weights}},
            "tune": {"classifier": cls, "tune": {"class_weight": [weights]}},
            "inside": {
                "classifier": "linclass.OneVsRest",
                "params": {"estimator": {"classifier": cls}, "estimator__class_weight": weights},
            },
        }[place]
        plan = Plan.of({("cv", 0): fold})
        task = TASK | {"classes": classes}
        return run_alone(LIMITS, "d", "m", entry, features, plan, task, 1).added

    plain = predicted({0: 1.0, 1: 40.0})
    named = predicted({"well": 1.0, "ill": 40.0}, classes=["well", "ill"])
    for (row, _, found, _), (other, _, expected, _) in zip(named, plain, strict=True):
        assert row["status"] == other["status"] == "converged"
        np.testing.assert_array_equal(found["score"], expected["score"])
    for row, *_ in predicted({"sick": 40.0}, classes=["well", "ill"]):
        assert row["status"] == "not_applicable"
        assert row["reason"].startswith("class_weight: 'sick' is not a class")
