"""Every feature and every transform is a step of scikit-learn's pipelines, for frames of pandas and Polars."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

import linclass
from linclass.base import parts
from linclass.base.messages import NotApplicable
from linclass.base.parts import find
from linclass.base.tables import Table
from linclass_study.pipeline.preprocessor import Preprocessor
from linclass_study.pipeline.transforming import transform_class

N = 30
CITIES = ("Bern", "Oslo", "Rome")
RNG = np.random.default_rng(0)
CODES = np.arange(N) % 3
NUMBERS = np.round(RNG.gamma(2.0, size=(N, 2)), 3)
TEXTS = [f"{CITIES[c].lower()} is {'warm' if c == 2 else 'cold'} and dry" for c in CODES]
Y = (CODES == 2).astype(int)
COLUMNS = {"age": NUMBERS[:, 0], "dose": NUMBERS[:, 1]}
MIXED = {"age": NUMBERS[:, 0], "city": [CITIES[c] for c in CODES], "dose": NUMBERS[:, 1]}
TABLE = Table(NUMBERS, ("age", "dose"))
MIXED_TABLE = Table(
    np.column_stack([NUMBERS[:, 0], CODES, NUMBERS[:, 1]]), tuple(MIXED), {"city": CITIES}
)
OF_CATEGORIES = {"one_hot", "codes"}
OF_TEXTS = {"count_words", "hash_words", "strip_posts"}
OPTIONS = {
    "indicators": {"levels": {"city": list(CITIES)}},
    "radial": {"centres": [[0, 0], [1, 2]]},
    "hash_words": {"columns": 2},
    "strip_posts": {"parts": ["quotes"]},
    "nystroem": {"columns": 5},
    "principal_components": {"components": 2},
    "random_fourier": {"columns": 6},
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
STEPS = [(package, name) for package in ("features", "transforms") for name in parts.names(package)]


def entry(name):
    return {name: OPTIONS[name]} if name in OPTIONS else name


def given(name):
    """(columns of a frame, the same table, names of texts)"""
    if name in OF_TEXTS:
        levels = tuple(sorted({*TEXTS}))
        codes = np.array([[levels.index(text)] for text in TEXTS], float)
        return (
            {"post": TEXTS},
            Table(codes, ("post",), {"post": levels}, frozenset({"post"})),
            ("post",),
        )
    if name in OF_CATEGORIES or name == "indicators":
        return MIXED, MIXED_TABLE, ()
    return COLUMNS, TABLE, ()


@each("library", LIBRARIES)
@each(("package", "name"), STEPS)
def test_a_step_transforms_frames_and_tables_equally(package, name, library):
    columns, table, texts = given(name)
    if package == "features":
        expected = find("features", name)(table, **OPTIONS.get(name, {}))
    else:
        expected = transform_class(name)(**OPTIONS.get(name, {})).fit(table).transform(table)
    frame = LIBRARIES[library](columns)
    step = Preprocessor(**{package: [entry(name)]}, texts=texts)
    found = step.fit_transform(frame)
    assert step.feature_names_in_.tolist() == list(columns)
    assert step.get_feature_names_out().tolist() == list(expected.names)
    if expected.levels:
        assert [row[0] for row in found] == TEXTS
        return
    X = expected.X.toarray() if expected.is_sparse else expected.X
    np.testing.assert_array_equal(found.toarray() if sparse.issparse(found) else found, X)
    alone = step.transform(frame[:1])
    np.testing.assert_allclose(
        alone.toarray() if sparse.issparse(alone) else alone, X[:1], atol=1e-12
    )
    if not expected.is_sparse:
        shown = step.set_output(transform=library).transform(frame)
        assert isinstance(shown, LIBRARIES[library])
        assert list(shown.columns) == list(expected.names)
        np.testing.assert_allclose(shown.to_numpy().astype(float), X)


@each("library", LIBRARIES)
def test_frames_keep_categories_between_steps(library):
    frame = LIBRARIES[library](MIXED)
    first = Preprocessor(transforms=["impute"]).set_output(transform=library)
    between = first.fit_transform(frame)
    assert list(between["city"]) == MIXED["city"]
    assert between["age"].to_numpy().dtype == np.float64
    apart = make_pipeline(first, Preprocessor(transforms=["one_hot", "standardize"]))
    together = Preprocessor(transforms=["impute", "one_hot", "standardize"])
    np.testing.assert_array_equal(apart.fit_transform(frame), together.fit_transform(frame))
    arrays = make_pipeline(clone(first).set_output(transform="default"), clone(apart[-1]))
    np.testing.assert_array_equal(arrays.fit_transform(frame), together.transform(frame))
    assert apart.get_feature_names_out().tolist() == ["age", "city=Oslo", "city=Rome", "dose"]


@each("library", LIBRARIES)
def test_a_column_transformer_with_a_preprocessor_names_all_columns(library):
    frame = LIBRARIES[library](MIXED)
    of_columns = ColumnTransformer(
        [
            ("numbers", Preprocessor(features=["quadratic"]), ["age", "dose"]),
            ("cities", Preprocessor(transforms=["one_hot"]), ["city"]),
        ],
        verbose_feature_names_out=False,
    ).set_output(transform=library)
    model = make_pipeline(of_columns, linclass.LogisticRegression()).fit(frame, Y)
    names = ["age", "dose", "age^2", "age*dose", "dose^2", "city=Oslo", "city=Rome"]
    assert model[-1].feature_names_in_.tolist() == names
    assert model.score(frame, Y) == 1


def test_new_rows_have_the_columns_of_the_training_rows():
    train = pd.DataFrame({"city": ["Rome", "Oslo", "Rome"], "age": [1.0, 2.0, 3.0]})
    new = pd.DataFrame({"city": ["Bern", "Oslo", None], "age": [np.nan, 5.0, None]})
    step = Preprocessor(transforms=["impute", {"one_hot": {"drop": "none"}}]).fit(train)
    assert step.get_feature_names_out().tolist() == ["city=Oslo", "city=Rome", "age"]
    expected = [[0, 0, 2], [1, 0, 5], [0, 1, 2]]  # an unknown city has no column
    np.testing.assert_array_equal(step.transform(new), expected)
    words = Preprocessor(["count_words"], texts=["x0"]).fit([["red red apple"], ["green apple"]])
    assert words.get_feature_names_out().tolist() == ["apple", "green", "red"]
    np.testing.assert_array_equal(words.transform([["red blue"]]).toarray(), [[0, 0, 1]])


def test_categories_keep_their_order_and_numbers_of_every_kind_are_numbers():
    size = pd.Categorical(["mid", "low", "mid"], categories=["low", "mid", "high"])
    count = pd.array([1, None, 3], dtype="Int64")
    price = [Decimal("1.5"), None, Decimal("2.5")]
    frame = pd.DataFrame({"size": size, "count": count, "on": [True, False, True], "price": price})
    found = Preprocessor(transforms=["impute", "codes"]).fit_transform(frame)
    np.testing.assert_array_equal(found, [[1, 1, 1, 1.5], [0, 2, 0, 2], [1, 3, 1, 2.5]])


@each(("params", "columns", "words"), [
    ({"features": ["quadratik"]}, COLUMNS, "there is no feature 'quadratik'; did you mean 'quadratic'"),
    ({"transforms": [{"one_hot": {"dropp": 1}}]}, MIXED, "one_hot has no option 'dropp'; it has drop"),
    ({"transforms": ["nowhere.Clip"]}, COLUMNS, "'nowhere.Clip' cannot be imported: there is no module"),
    ({"features": ["numpy.linalg.Norm"]}, COLUMNS, "has no 'Norm'; did you mean 'norm'"),
    ({"transforms": [{"sklearn.decomposition.PCA": {"q": 1}}]}, COLUMNS, "PCA has no option 'q'; it has n_comp"),
    ({"transforms": [3]}, COLUMNS, "transforms has 3; give a name, or {name: {option: value}}"),
    ({"features": ["radial"]}, COLUMNS, "radial needs centres; give {radial: {centres: …}}."),
    ({"transforms": [{"nystroem": {"gamma": [1]}}]}, COLUMNS, "nystroem: gamma is [1]; it must be one value"),
    ({"transforms": [{"idf": {"norm": np.ones(2)}}]}, COLUMNS, "idf: norm is array([1., 1.]); it must be one"),
    ({"transforms": [{"vocabulary": {"max_share": "x"}}]}, COLUMNS, "max_share is 'x'; it must be a number."),
    ({"texts": ["post"]}, COLUMNS, "texts names 'post', which is not a column"),
    ({}, {"a": [1, "b"]}, "column 'a' mixes int and str; convert it to numbers or text"),
    ({}, {"a": pd.date_range("2020", periods=2)}, "column 'a' holds datetime64"),
    ({}, {"a": [[1, 2], [3]]}, "column 'a' holds [1, 2]; give each of its entries a column"),
    ({}, pl.DataFrame({"a": [[1, 2], [3]]}), "column 'a' holds array([1, 2]); give each"),
    ({}, pl.DataFrame({"a": [{"b": 1}]}), "column 'a' holds array([1]); give each"),
    ({"transforms": ["standardize"]}, {"a": [1.0, -np.inf]}, "column 'a' holds -inf; clip it"),
    ({}, sparse.csr_array([[0, 0, 1], [0, 2, np.inf]]), "column 'x2' holds inf; clip it"),
    ({"features": ["quadratic"]}, MIXED, "quadratic needs numeric columns; 'city' is text"),
    ({"transforms": ["principal_components"]}, {"a": [1e300, 2e300]}, "entries of size 2e+300 in column 0"),
    ({"transforms": ["one_hot"]}, {"c": ["a", None]}, "'c' has 1 missing value; put impute before"),
])  # fmt: skip
def test_an_invalid_preprocessor_is_reported_in_one_line(params, columns, words):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        Preprocessor(**params).fit(pd.DataFrame(columns) if isinstance(columns, dict) else columns)
    assert "\n" not in str(caught.value)


@each(("package", "name", "option", "value"), [
    ("transforms", "nystroem", "columns", np.int64(2)),
    ("transforms", "nystroem", "gamma", np.float32(0.5)),
    ("transforms", "principal_components", "components", np.int64(2)),
    ("transforms", "vocabulary", "most", np.int64(2)),
    ("features", "random_fourier", "gamma", np.float32(0.5)),
    ("features", "random_fourier", "columns", np.int64(8)),
    ("features", "random_fourier", "seed", np.int64(3)),
    ("features", "powers", "degree", np.int64(3)),
])  # fmt: skip
def test_numbers_of_numpy_are_numbers(package, name, option, value):
    """They were refused as 'np.int64(2); give a whole number, at least 1'."""
    made, plain = (
        Preprocessor(**{package: [{name: {option: one}}]}).fit_transform(NUMBERS)
        for one in (value, value.item())
    )
    np.testing.assert_array_equal(made, plain)


def test_steps_by_import_path_are_those_of_the_library(tmp_path, monkeypatch):
    (tmp_path / "maps_of_mine.py").write_text(
        "def ratio(X, over=0, under=1):\n    return X[:, [over]] / X[:, [under]]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    step = Preprocessor(
        features=[{"maps_of_mine.ratio": {"over": 1, "under": 0}}],
        transforms=["sklearn.preprocessing.MinMaxScaler"],
    )
    X = np.abs(NUMBERS) + 1
    expected = MinMaxScaler().fit_transform(X[:, [1]] / X[:, [0]])
    np.testing.assert_allclose(step.fit_transform(X), expected, rtol=1e-14)
    np.testing.assert_allclose(step.transform(X), expected, rtol=1e-14)
    chosen = Preprocessor(transforms=[{"sklearn.feature_selection.SelectKBest": {"k": 1}}])
    expected = SelectKBest(k=1).fit_transform(NUMBERS, Y)
    np.testing.assert_array_equal(chosen.fit_transform(NUMBERS, Y), expected)
    np.testing.assert_array_equal(clone(chosen).fit(NUMBERS, Y).transform(NUMBERS), expected)


def test_columns_of_another_kind_or_name_are_refused():
    step = Preprocessor().fit(pd.DataFrame(COLUMNS))
    with pytest.raises(
        NotApplicable, match="column 'age' holds text; in the training rows it held num"
    ):
        step.transform(pd.DataFrame({"age": ["old"], "dose": [1.0]}))
    with pytest.raises(ValueError, match="must be in the same order"):
        step.transform(pd.DataFrame(COLUMNS)[["dose", "age"]])
    with pytest.raises(ValueError, match="two columns are called 'a'; rename one of them"):
        step.fit(pd.DataFrame(NUMBERS, columns=["a", "a"]))


@each("step", [
    Preprocessor(),
    Preprocessor(transforms=["impute", "standardize"]),
    Preprocessor(features=["quadratic"], transforms=["binarize"]),
], ids=repr)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Estimator Preprocessor does not inherit:UserWarning")
def test_scikit_learns_own_checks(step):
    outcomes = check_estimator(step, on_skip=None)
    assert len(outcomes) > 30


def test_names_of_arrays_may_be_given():
    step = Preprocessor(["quadratic"]).fit(NUMBERS)
    assert step.get_feature_names_out().tolist()[:3] == ["x0", "x1", "x0^2"]
    assert step.get_feature_names_out(["a", "b"]).tolist() == ["a", "b", "a^2", "a*b", "b^2"]
