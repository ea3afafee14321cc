"""Transforms and features of the user or of another library, by their import paths."""

import numpy as np
import pytest
from cases import each

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.config import code
from linclass_study.config.method_check import method_problems
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_folds, fit_method
from linclass_study.pipeline.foreign_steps import apply_own_feature
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import fit_transforms
from linclass_study.project import ROOT

SCRIPT = ROOT / "workflow" / "scripts" / "featurize.py"
TASK = Task(2, 1)
MODULE = """
import numpy as np

from linclass.base.tables import Table
import helper

class Clip:
    def __init__(self, low=0.0):
        if low > 9:
            raise ValueError(f"low is {low}; give at most 9.")
        self.low = low
    def fit(self, X, y=None):
        return self
    def transform(self, X):
        return np.maximum(X, self.low)

class Short(Clip):
    def transform(self, X):
        return X[:-1]

class Words(Clip):
    def transform(self, X):
        return [["a"]] * len(X)

class InPlace(Clip):
    def transform(self, X):
        X *= 2
        return X

class Noise(Clip):
    def __init__(self, random_state=None):
        self.random_state = random_state
    def transform(self, X):
        return X + self.random_state

def in_parts(X):
    parts = np.stack([X.data / 3, 2 * X.data / 3], axis=1).ravel()
    return type(X)((parts, X.indices.repeat(2), 2 * X.indptr), shape=X.shape)

def doubled(X, times=2):
    return np.hstack([X, times * X])

def first(table):
    return table.columns(np.array([0]))

class Needs(Clip):
    def __init__(self, width):
        self.low = width

def scaled(X, by):
    return X * by

def centred(X):
    return X - X.mean(axis=0)

number = 3
"""


@pytest.fixture
def mine(write_modules):
    """The module `mine` beside the study."""
    return write_modules({"mine.py": MODULE, "helper.py": "x = 1\n"})


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 3)) * [1, 10, 100], rng.integers(0, 3, 60)])
    return Table(X, ("a", "b", "c", "colour"), {"colour": ("red", "green", "blue")})


Y = (np.arange(60) % 2).astype(np.int32)


def transformed(table, *steps, y=Y, seed=0):
    named = [(step, {}) if isinstance(step, str) else step for step in steps]
    return fit_transforms(named, table, y, seed)


def test_scikit_learns_scaler_is_standardize(table):
    _, theirs = transformed(table, "sklearn.preprocessing.StandardScaler", "one_hot")
    _, ours = transformed(table, "standardize", "one_hot")
    columns = [theirs.names.index(name) for name in ("colour=green", "colour=blue")]
    assert np.allclose(theirs.X[:, columns], ours.X[:, 3:])
    assert np.allclose(np.delete(theirs.X, columns, axis=1), ours.X[:, :3])


def test_a_fit_with_a_transform_of_another_library_is_that_of_its_pipeline(table):
    entry = {
        "classifier": "linclass.LogisticRegression",
        "params": {"strength": 0.1},
        "transforms": ["one_hot", {"sklearn.decomposition.PCA": {"n_components": 2}}],
    }
    train = table.rows(np.arange(40))
    fitted = fit_method(Method.from_entry(entry), train, Y[:40], TASK, 1)
    predicted = fitted.predict(table.rows(np.arange(40, 60)))
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline

    from linclass import LogisticRegression

    _, X = transformed(table, "one_hot")
    pipeline = make_pipeline(PCA(2), LogisticRegression(strength=0.1)).fit(X.X[:40], Y[:40])
    assert np.allclose(predicted[2], pipeline.predict_log_proba(X.X[40:]), atol=1e-6)


def test_training_rows_are_those_of_fit_transform(table):
    """TargetEncoder encodes a training row without its own class, and a new one with all classes."""
    from sklearn.preprocessing import TargetEncoder

    codes = Table(table.X[:, 3:].copy(), ("colour",))
    np.random.seed(3)  # noqa: NPY002 – which its folds are drawn with
    (transform,), ready = transformed(codes, "sklearn.preprocessing.TargetEncoder")
    np.random.seed(3)  # noqa: NPY002
    encoder = TargetEncoder()
    assert np.array_equal(ready.X, encoder.fit_transform(codes.X, Y.astype(np.int64)))
    assert np.array_equal(transform.transform(codes).X, encoder.transform(codes.X))


def test_categories_stay_beside_and_names_are_the_transformers(mine, table):
    _, ready = transformed(table, "sklearn.preprocessing.StandardScaler")
    assert ready.names == ("colour", "StandardScaler(a)", "StandardScaler(b)", "StandardScaler(c)")
    assert ready.levels == table.levels
    assert np.array_equal(ready.X[:, 0], table.X[:, 3])
    _, ready = transformed(table, ("sklearn.feature_selection.SelectKBest", {"k": 2}))
    assert {*ready.names} < {"colour", "a", "b", "c"}
    _, ready = transformed(table, "mine.Clip")
    assert ready.names == ("colour", "Clip.1", "Clip.2", "Clip.3")
    only = table.columns(np.array([3]))
    assert transformed(only, "sklearn.preprocessing.StandardScaler")[1] is only


def test_a_transformer_of_sparse_rows_gives_sparse_rows(table):
    import scipy.sparse as sp

    rows = Table(sp.csr_array(np.maximum(table.X[:, :3], 0)), ("a", "b", "c"))
    _, ready = transformed(rows, "sklearn.preprocessing.MaxAbsScaler")
    assert ready.is_sparse
    assert ready.X.indices.dtype == np.int32
    assert ready.X.max() == 1


def test_missing_values_are_refused_unless_the_transformer_takes_them(table):
    X = table.X.copy()
    X[3, 1] = np.nan
    gappy = Table(X, table.names, table.levels)
    with pytest.raises(NotApplicable, match=r"'b' has 1 missing value in .* before PCA"):
        transformed(gappy, "sklearn.decomposition.PCA")
    _, ready = transformed(gappy, "sklearn.impute.KNNImputer")
    assert not np.isnan(ready.X).any()
    assert ready.names == ("colour", "a", "b", "c")


@each(("step", "words"), [
    ("mine.Short", "Short returned 59 × 3 values for 60 rows; it must return one row for each"),
    ("mine.Words", "Words must return a matrix of numbers"),
])  # fmt: skip
def test_output_of_another_form_is_one_sentence(mine, table, step, words):
    with pytest.raises(ValueError, match=words):
        transformed(table, step)


def test_transformers_keep_the_rows_and_get_the_seed_of_the_fit(mine, table):
    before = table.X.copy()
    (transform,), _ = transformed(table, "mine.InPlace")
    transform.transform(table)
    assert np.array_equal(table.X, before)
    assert np.allclose(transformed(table, "mine.Noise", seed=5)[1].X[:, 1:], table.X[:, :3] + 5)
    given = ("mine.Noise", {"random_state": 7})
    assert np.allclose(transformed(table, given, seed=5)[1].X[:, 1:], table.X[:, :3] + 7)


def test_a_wrapped_estimator_can_be_given_as_an_entry(table):
    params = {"penalty": "l1", "strength": 1.0}
    inner = {"classifier": "linclass.LogisticRegression", "params": params}
    step = ("sklearn.feature_selection.SelectFromModel", {"estimator": inner, "max_features": 1})
    y = (table.X[:, 2] > 0).astype(np.int32)
    assert transformed(table, step, y=y)[1].names == ("colour", "c")


def test_folds_are_not_fitted_together_with_a_transform_of_their_own(mine, table):
    lda = "linclass.LinearDiscriminantAnalysis"
    entry = {"classifier": lda, "transforms": ["mine.Clip", "one_hot"]}
    folds = np.split(np.arange(60), 3)
    with pytest.raises(NotApplicable, match="not the same in every fold"):
        fit_folds(Method.from_entry(entry), table, Y, folds, TASK)


# --- what a job depends on

METHOD = {"classifier": "linclass.NearestMean"}


def test_the_digest_counts_edited_steps_features_libraries_and_inner_estimators(
    mine, write_modules
):
    def digests():
        for step in ({"mine.Clip": {"low": 1}}, "standardize"):
            modules = code.modules_of_method(METHOD | {"transforms": [step]}, "accuracy")
            yield code.code_digest([], modules)
        features = code.modules_of_features([{"mine.doubled": {"times": 3}}])
        yield code.code_digest([SCRIPT], features)

    before = [*digests()]
    write_modules({"helper.py": "x = 2\n"})
    assert [a == b for a, b in zip(before, digests(), strict=True)] == [False, True, False]
    step = {"sklearn.feature_selection.SelectFromModel": {"estimator": {"classifier": "mine.Clip"}}}
    modules = code.modules_of_method(METHOD | {"transforms": [step]}, "accuracy")
    files, libraries = code.closure([], modules)
    assert libraries == {"sklearn", "numpy"}  # named, and imported by the module
    assert {mine / "mine.py", mine / "helper.py"} <= files
    assert code.modules_of_features([{"powers": {"degree": 3}}]) == [
        "linclass.preprocessing.features.expansions"
    ]


# --- what is refused before anything runs

REFUSED = {
    "no module": ("transforms", "nowhere.Clip", "there is no module 'nowhere'; install it, or correct the path"),
    "no class": ("transforms", "mine.Clipp", "'mine' has no 'Clipp'; did you mean 'Clip'?"),
    "a function": ("transforms", "mine.doubled",
        "is not a class; list a map of single rows under `features:`"),
    "a transform without a value": ("transforms", "mine.Needs",
        "Needs needs width; list it as `mine.Needs: {width: …}`"),
    "a feature without a value": ("features", "mine.scaled",
        "'mine.scaled' needs by; list it as `mine.scaled: {by: …}`"),
    "no transform": ("transforms", "sklearn.linear_model.LogisticRegression",
        "has no transform(); give a class with fit and transform"),
    "an option": ("transforms", {"mine.Clip": {"loww": 1}}, "Clip has no parameter 'loww'; did you mean 'low'?"),
    "a value": ("transforms", {"mine.Clip": {"low": 10}}, "low is 10; give at most 9."),
    "a value of scikit-learn": ("transforms", {"sklearn.preprocessing.QuantileTransformer": {"n_quantiles": -1}},
        "The 'n_quantiles' parameter of QuantileTransformer must be"),
    "a fitted feature": ("features", "sklearn.preprocessing.StandardScaler",
        "needs a fit; list it under `transforms:`"),
    "no function": ("features", "mine.number", "'mine.number' is not a function"),
    "no feature": ("features", "mine.double", "'mine' has no 'double'; did you mean 'doubled'?"),
    "an option of a feature": ("features", {"mine.doubled": {"time": 1}},
        "'mine.doubled' has no parameter 'time'; did you mean 'times'?"),
}  # fmt: skip


@each("case", REFUSED)
def test_an_unusable_step_is_reported_in_one_line_before_anything_runs(mine, case):
    key, step, words = REFUSED[case]
    ((path, sentence),) = method_problems(METHOD | {key: [step]})
    assert path == [key, 0]
    assert words in sentence
    assert "\n" not in sentence


@each(("key", "step"), [
    ("transforms", {"mine.Clip": {"low": 1}}),
    ("transforms", "sklearn.decomposition.PCA"),
    ("transforms", "linclass.preprocessing.transforms.scaling.Standardize"),
    ("features", {"mine.doubled": {"times": 3}}),
    ("features", "mine.first"),
])  # fmt: skip
def test_usable_steps_are_accepted(mine, key, step):
    assert not [*method_problems(METHOD | {key: [step]})]


# --- features


def test_a_function_gets_numeric_columns_and_options_or_a_table_and_may_not_mix_rows(mine, table):
    made = apply_own_feature("mine.doubled", table, times=3)
    assert made.names == ("colour", *(f"doubled.{j}" for j in range(1, 7)))
    assert np.array_equal(made.X[:, 1:], np.hstack([table.X[:, :3], 3 * table.X[:, :3]]))
    assert apply_own_feature("mine.first", table).names == ("a",)
    words = r"'mine\.centred' gives a row different features when other rows change"
    with pytest.raises(NotApplicable, match=words):
        apply_own_feature("mine.centred", table)


def test_entries_that_a_function_stores_twice_are_their_sum(mine):
    """Sparse rows may store 1 + 2 in place of 3; a transform would square each of them."""
    import scipy.sparse as sp

    made = apply_own_feature("mine.in_parts", Table(sp.csr_array([[0.0], [3.0], [6.0]]), ("a",)))
    assert made.X.data.tolist() == [3, 6]
    scaled, _ = fit_transforms([("standardize", {})], made, None)
    assert scaled[-1].scale_ == pytest.approx(np.std([0, 3, 6]))
