"""An official test set stays unseen: only the protocol `official` depends on its rows."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from run_alone import EVALUATION, STEPS, planned, run_on

from linclass_study.data.local_copies import SearchFolders
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.processes.guard import Guard

pytestmark = pytest.mark.usefixtures("in_process")

ALL = EVALUATION | {
    "protocols": [
        "cv", "official", {"hold_out": {"repeats": 2}}, "leave_one_out", {"learning_curve": {"sizes": [0.5]}}
    ],
    "repeats": 2,
}  # fmt: skip
METHODS = {
    "table": [{"classifier": "linclass.LinearDiscriminantAnalysis", "transforms": STEPS},
        {"classifier": "linclass.LogisticRegression", "transforms": STEPS, "tune": {"strength": [0.01, 1]}},
        {"classifier": "sklearn.linear_model.RidgeClassifier", "transforms": STEPS}],
    "words": [{"classifier": "linclass.MultinomialNB"},
        {"classifier": "linclass.LogisticRegression", "params": {"strength": 0.1}, "transforms": ["idf"]}],
    "texts": [{"classifier": "linclass.MultinomialNB", "features": ["count_words"]}],
}  # fmt: skip


def lines(rng, source, labels, edit):
    """Rows of a file; edited ones have other or missing values, and levels, columns or words of their own."""
    for label in labels:
        mean = 1 + (label == "yes")
        if source == "words":
            pairs = [f"{j}:{1 + rng.poisson(mean)}" for j in range(2, 80) if rng.random() < 0.1]
            yield " ".join([label, *(["1:4"] if edit else []), "3:1", *pairs[1:]])
        elif source == "texts":
            own = rng.choice(
                ["bee", "cat", "dog", "elk"], 6, p=[0.4 * mean - 0.3, 0.1, 0.1, 1.1 - 0.4 * mean]
            )
            yield f"{label},{'ape ' * edit}{' '.join(own)}"
        else:
            kind = "a" if edit else rng.choice(["b", "c"])
            u = "" if edit else f"{rng.normal(mean):.3f}"
            yield f"{label},{u},{1000 * edit + rng.gamma(mean):.3f},{kind}"


def obtained(folder, source, edit):
    form = "libsvm" if source == "words" else "csv"
    header = {"table": "y,u,v,kind", "texts": "y,text", "words": "# a comment"}[source]
    rng, labels = np.random.default_rng(3), np.array(["no", "yes"] * 24)
    for part, rows in (("train", labels), ("test", labels[12:])):
        rows = rng.permutation(rows) if edit and part == "test" else rows
        written = lines(rng, source, rows, edit and part == "test")
        (folder / f"{part}.{form}").write_text("\n".join([header, *written]) + "\n")
    entry = {"source": {"file": f"train.{form}"}, "test": {"file": f"test.{form}"}, "format": form}
    keys = {"libsvm": {}, "csv": {"target": "y"}}[form] | (
        {"texts": ["text"]} if source == "texts" else {}
    )
    return obtain_dataset(entry | keys, SearchFolders(root=folder))


def predictions(data, folder, entry):
    found = run_on(data, folder, entry, ALL)
    assert {fit["status"] for fit in found.fits} == {"converged"}, found.reasons()
    return found.table()


def test_only_predictions_of_official_depend_on_official_test_rows(tmp_path):
    for source, methods in METHODS.items():
        folds, tables = [], []
        for edit in (False, True):
            folder = tmp_path / f"{source} {edit}"
            folder.mkdir()
            data = obtained(folder, source, edit)
            plan, _ = planned(data, folder, ALL)
            folds.append([fit.fold_of_row[data.split == 0].tolist() for fit in plan.fits])
            tables.append([predictions(data, folder, entry) for entry in methods])
        assert folds[0] == folds[1]
        for before, after in zip(*tables, strict=True):
            unseen = pl.col("protocol") != "official"
            assert_frame_equal(before.filter(unseen), after.filter(unseen), check_exact=True)
            assert not before.filter(~unseen).equals(after.filter(~unseen))


def test_protocols_test_the_rows_of_cv_rows_and_official_the_official_ones(tmp_path):
    data = obtained(tmp_path, "table", False)
    for rows, n in (("train", 48), ("all", 84)):
        plan, _ = planned(data, tmp_path, ALL | {"cv_rows": rows})
        tested = {"cv": [], "official": [], "leave_one_out": []}
        for fit in plan.fits:
            tested.get(fit.protocol, []).extend(fit.test.tolist() if fit.repeat == 0 else [])
            expected = (n - 1, n) if fit.is_leave_one_out else (len(fit.train), len(fit.test))
            assert (fit.n_train, fit.n_test) == expected
        assert sorted(tested["cv"]) == sorted(tested["leave_one_out"]) == list(range(n))
        assert tested["official"] == list(range(48, 84))


def test_folds_of_training_rows_are_fitted_jointly_beside_an_official_test_set(
    tmp_path, monkeypatch
):
    data, calls, call = obtained(tmp_path, "table", False), [], Guard.call
    monkeypatch.setattr(Guard, "call", lambda *asked: calls.append(asked[1:]) or call(*asked))
    predictions(data, tmp_path, METHODS["table"][0])
    joint = [folds for name, *folds in calls if name == "folds" and len(folds) > 1]
    assert [*map(len, joint)] == [3, 3]  # each repeat of cv
    for folds in joint:
        assert folds[0][0].tolist() == np.flatnonzero(data.split == 0).tolist()
