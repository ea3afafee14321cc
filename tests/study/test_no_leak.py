"""A held-out row's label or features, changed in the source file, change no other row's prediction.

Rows are taken in the order of their file, and the folds are given: an edited row has another place in the
canonical order, so folds dealt anew would be other folds, with other training sets. Within a fold nothing
of its held-out rows may matter: neither their values, nor a level, a word or a scale that is only theirs.
"""

import warnings
from importlib import import_module

import numpy as np
import polars as pl
import pytest
from cases import each

from linclass.base import parts
from linclass_study.data.build_dataset import assemble, normalized
from linclass_study.data.dataset import Dataset
from linclass_study.entries import named_steps
from linclass_study.execution.features import compute_features
from linclass_study.files.yaml_file import parse_numbers, read_yaml
from linclass_study.pipeline import fitting
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method
from linclass_study.project import ROOT

CATALOGUE = parse_numbers(read_yaml(ROOT / "config" / "methods.yaml"))
N, FOLDS = 48, 3
EDITED = 5  # held out in fold 2, with every third row


def labels(changed):
    y = [("ham", "spam")[i // 2 % 2] for i in range(N)]
    y[EDITED] = "spam" if changed and y[EDITED] == "ham" else "ham" if changed else y[EDITED]
    return y


WORDS = ["ape", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]


def texts(label, changed):
    rng = np.random.default_rng(2)
    found = []
    for kind in labels(label):
        chance = np.where(np.arange(8) < 4, 1, 3 if kind == "spam" else 0.5)
        found.append(" ".join(rng.choice(WORDS, 12, p=chance / chance.sum())))
    found[EDITED] = "cow cow auk yak ape" if changed else "bee ant bee"
    return found


def csv(folder, label, changed, gaps=True):
    """Two numbers, one with gaps, and a category; the edited row alone has a level, and a value far off."""
    rng = np.random.default_rng(1)
    y = labels(label)
    u = rng.gamma(3, 1, N) + (np.array(labels(False)) == "spam")
    v = np.where(gaps & (rng.random(N) < 0.2), np.nan, rng.gamma(2, 10, N))
    kind = rng.choice(["b", "d", "f"], N)
    u[EDITED], v[EDITED], kind[EDITED] = (40, 5e3, "c" if gaps else "d") if changed else (0, 1, "b")
    rows = [
        f"{a:.6g},{'' if np.isnan(b) else f'{b:.6g}'},{c},{d}"
        for a, b, c, d in zip(u, v, kind, y, strict=True)
    ]
    (folder / "own.csv").write_text("\n".join(["u,v,kind,target", *rows]) + "\n")
    return {"source": {"file": "own.csv"}, "format": "csv", "target": "target"}


def whole(folder, label, changed):
    """Nothing is missing, and no fold has a level of its own: folds can be fitted together."""
    return csv(folder, label, changed, gaps=False)


def bag(folder, label, changed):
    posts = texts(label, changed)
    words = sorted({word for post in posts for word in post.split()})
    counts = [
        f"{i + 1} {words.index(word) + 1} {post.split().count(word)}"
        for i, post in enumerate(posts)
        for word in sorted(set(post.split()))
    ]
    kinds = {"ham": "1", "spam": "2"}
    files = {
        "train.data": counts,
        "train.label": [kinds[kind] for kind in labels(label)],
        "train.map": ["ham 1", "spam 2"],
        "vocabulary.txt": words,
    }
    (folder / "bag").mkdir()
    for name, lines in files.items():
        (folder / "bag" / name).write_text("\n".join(lines) + "\n")
    return {"source": {"file": "bag"}, "format": "bag_of_words"}


def posts(folder, label, changed):
    """With a header, for the feature that strips it."""
    own = [f"Subject: zoo\n\n{post}" for post in texts(label, changed)]
    pl.DataFrame({"target": labels(label), "text": own}).write_csv(folder / "own.csv")
    return {"source": {"file": "own.csv"}, "format": "csv", "target": "target", "texts": ["text"]}


SOURCES = {"table": csv, "whole table": whole, "bag of words": bag, "texts": posts}


def obtained(folder, source, label, changed):
    """The data set in the order of its file."""
    folder.mkdir()
    entry = SOURCES[source](folder, label, changed)
    reader = import_module(f"linclass_study.data.formats.{entry['format']}")
    content = reader.read(folder / entry["source"]["file"], entry)
    table, y, split, classes, *_ = assemble(content, None, entry)
    assert [classes[code] for code in y] == labels(label)
    return Dataset(normalized(table), y, split, classes)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """source → the data as they are, with another label, and with other features of one row."""
    edits = {"as it is": (False, False), "label": (True, False), "features": (False, True)}
    folder = tmp_path_factory.mktemp
    return {
        source: {
            name: obtained(folder("own") / "data", source, *edit) for name, edit in edits.items()
        }
        for source in SOURCES
    }


FOLD = np.arange(N) % FOLDS
HELD_OUT = [np.flatnonzero(np.equal(FOLD, k)) for k in range(FOLDS)]
PLACE = FOLD[EDITED]
TASK = Task(n_classes=2, positive=1, inner_folds=2)


def output(file, method, together):
    """Predictions of the other rows of the fold of the edited row; the error, if it cannot be fitted."""
    test = HELD_OUT[PLACE]
    train = np.flatnonzero(FOLD != PLACE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as a run does, which writes them into its log
        try:
            if together:
                fitted = fitting.fit_folds(method, file.table, file.y, HELD_OUT, TASK)[PLACE]
            else:
                fitted = fit_method(method, file.table.rows(train), file.y[train], TASK, 1)
            found = fitted.predict(file.table.rows(test))
        except Exception as error:
            return str(error)
    return [None if part is None else part[test != EDITED] for part in found]


def hold(data, source, entry):
    """Assert it for one method, fitted alone and jointly with other folds; returns why a fit was not possible."""
    method = Method.from_entry(entry)
    files = {
        edit: compute_features(own, entry.get("features", [])) for edit, own in data[source].items()
    }
    refusals = {}
    for together in (False, True):
        plain = output(files["as it is"], method, together)
        refusals[together] = plain if isinstance(plain, str) else ""
        for edit in ("label", "features"):
            found = output(files[edit], method, together)
            if isinstance(plain, str) or isinstance(found, str):
                assert together or plain == found, (edit, plain, found)
                continue
            assert plain[0].tobytes() == found[0].tobytes(), edit
            for mine, theirs in zip(plain[1:], found[1:], strict=True):
                if mine is None or not together:
                    same = mine is None if theirs is None else mine.tobytes() == theirs.tobytes()
                    assert same, (edit, mine, theirs)
                else:  # sums of all rows minus the fold's keep the rounding of what was taken off
                    np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-8)
    return refusals


@each("name", CATALOGUE, quick=8)
def test_no_method_of_the_catalogue_uses_held_out_rows(data, name):
    refusals = [hold(data, source, CATALOGUE[name])[False] for source in SOURCES]
    assert "" in refusals, refusals  # else nothing was held to anything


@each("name", ["lda", "gaussian_nb", "least_squares"])
def test_jointly_fitted_folds_do_not_use_held_out_rows(data, name):
    assert hold(data, "whole table", CATALOGUE[name])[True] == ""


STEPS = {
    "median": [{"impute": {"numbers": "median"}}, "one_hot"],
    "codes": ["impute", "codes", "standardize"],
    "all levels": ["impute", {"one_hot": {"drop": "none"}}],
    "idf": ["impute", "one_hot", "idf"],
    "counts in idf": ["impute", "one_hot", {"idf": {"counts": "log"}}],
    "common words": ["impute", "one_hot", {"vocabulary": {"min_rows": 3, "most": 5}}],
    "components": ["impute", "one_hot", "standardize", {"principal_components": {"components": 2}}],
    "kernel columns": ["impute", "one_hot", "standardize", {"nystroem": {"columns": 6}}],
}


@each("classifier", ["NearestMean", "LogisticRegression", "GaussianNB"], quick=1)
@each("steps", STEPS)
def test_no_transform_uses_held_out_rows(data, steps, classifier):
    entry = {"classifier": f"linclass.{classifier}", "transforms": STEPS[steps]}
    cases = {"table": {}, "bag of words": {}, "texts": {"features": ["count_words"]}}
    refusals = [hold(data, source, entry | extra)[False] for source, extra in cases.items()]
    assert refusals.count("") >= 2, refusals


TUNED = {
    "impute__numbers": ["mean", "median"], "principal_components__components": [1, 2],
    "vocabulary__min_rows": [1, 3], "SelectKBest__k": [1, 3],
}  # fmt: skip


@each("option", TUNED)
def test_no_tuned_option_of_a_transform_is_chosen_by_held_out_rows(data, option):
    step = option.partition("__")[0]
    own = {"SelectKBest": "sklearn.feature_selection.SelectKBest"}.get(step, step)
    steps = ["impute", "one_hot", own] if step != "impute" else ["impute", "one_hot"]
    tune = {"strength": [0.01, 1.0], option: TUNED[option]}
    entry = {"classifier": "linclass.LogisticRegression", "tune": tune, "transforms": steps}
    assert hold(data, "table", entry)[False] == ""


def test_every_transform_is_tested_for_leaks():
    named = {name for method in CATALOGUE.values() for name, _ in named_steps(method["transforms"])}
    named |= {name for steps in STEPS.values() for name, _ in named_steps(steps)}
    assert named == set(parts.names("transforms"))
