"""Laws of every feature map; then what each computes."""

import math
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each
from page_examples import shown_modules
from sklearn.metrics.pairwise import rbf_kernel

from linclass.base.messages import NotApplicable
from linclass.base.parts import find, names
from linclass.base.tables import Table
from linclass.preprocessing.features.columns import indicators, select
from linclass.preprocessing.features.expansions import random_fourier
from linclass.preprocessing.transforms.categories import OneHot

FUNCTIONS = {name: find("features", name) for name in names("features")}
FUNCTIONS |= {  # the example of the page
    name: getattr(module, name)
    for name, module in shown_modules("docs/features.md", "linclass/preprocessing/features").items()
}
NAMES = sorted(FUNCTIONS)
OF_CATEGORIES = ("count_words", "hash_words", "indicators", "select", "strip_posts")
BY_PRODUCTS = ("random_fourier",)  # of matrices, which BLAS sums in an order of its own
REPLACING = ("random_fourier", "signed_log")  # no column stays in them
PRODUCTS = ("interactions", "powers", "quadratic")
OPTIONS = {  # of those that need some
    "hash_words": {"columns": 16},
    "indicators": {"levels": {"size": [1, 2, 3, 4], "colour": ["green", "red", "blue", "white"]}},
    "radial": {"centres": [[0.0] * 5, [1, 0, 0, -1, 2]], "width": 2},
    "select": {"columns": ["d", "[ab]"]},
}
MAPS = {name: partial(FUNCTIONS[name], **OPTIONS.get(name, {})) for name in NAMES}
POSTS = (
    "", "From: a@b.c\n\nSigns and wonders, signs!\n--\nme", "a wonder of signs",
    "no words of it: \u03c9\u03b9 \u03c9\u03b9\n\nnone",
    "Subject: x\n\nIn article <1> b writes:\n> a wonder\nno wonder",
)  # fmt: skip


def table(sparse=False, n=25, d=5):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return Table(sp.csr_array(X) if sparse else X, tuple("abcdefgh"[:d]))


def texts(sparse=False):
    """A number, a text, a category; one text twice."""
    X = np.array([[3.0, 1, 0], [0, 0, 1], [2, 4, 1], [0, 2, 0], [-1, 3, 0], [0, 2, 1]])
    levels = {"body": POSTS, "colour": ("red", "green")}
    names = ("length", "body", "colour")
    return Table(sp.csr_array(X) if sparse else X, names, levels, frozenset({"body"}))


def categories(sparse=False):
    X = np.array([[0.5, 1, 0], [0, 2, 1], [0, 4, 1], [7, 2, 0]])
    levels = {"colour": ("red", "green")}
    return Table(sp.csr_array(X) if sparse else X, ("x", "size", "colour"), levels)


def subject(name, sparse=False):
    """The first of the tables that a feature can do."""
    for make in (table, texts, categories):
        try:
            MAPS[name](make())
        except NotApplicable:
            continue
        return make(sparse=sparse)
    raise AssertionError(f"no table of this file suits {name}; add one")


def dense(t):
    return t.X.toarray() if t.is_sparse else t.X


def by_name(t):
    """The columns that are not all 0: a word without occurrences may have a column or not."""
    return {n: x.tolist() for n, x in zip(t.names, dense(t).T, strict=True) if np.any(x)}


@each("sparse", [False, True])
@each("name", NAMES)
def test_a_row_has_the_same_features_alone_and_the_table_does_not_change(name, sparse):
    t, before = subject(name, sparse), subject(name, sparse)
    together = MAPS[name](t)
    for i in range(t.shape[0]):
        row = np.array([i])
        alone = MAPS[name](t.rows(row))
        if name in BY_PRODUCTS:
            np.testing.assert_allclose(dense(alone), dense(together.rows(row)), atol=1e-14)
        else:
            assert by_name(alone) == by_name(together.rows(row))
    assert np.array_equal(dense(t), dense(before))
    assert (t.names, t.levels, t.texts) == (before.names, before.levels, before.texts)


@each("name", NAMES)
def test_features_of_sparse_rows_are_those_of_dense_ones_and_keep_columns(name):
    t = subject(name)
    out, thin = MAPS[name](t), MAPS[name](subject(name, sparse=True))
    np.testing.assert_allclose(dense(thin), dense(out), rtol=1e-14, atol=1e-14)
    assert (thin.names, thin.levels) == (out.names, out.levels)
    assert isinstance(thin.X, sp.csr_array)
    assert thin.X.dtype == np.float64
    assert thin.X.indices.dtype == thin.X.indptr.dtype == np.int32
    assert thin.X.has_canonical_format
    kept = [column for column in out.names if column in t.names]
    assert kept == [column for column in t.names if column in kept]
    assert len(kept) < len(t.names) or list(out.names[: len(kept)]) == kept
    for column in kept:
        own, before = (dense(part)[:, part.names.index(column)] for part in (out, t))
        assert np.array_equal(own, before)
    assert len(set(out.names)) == len(out.names)


@each("sparse", [False, True])
@each("name", sorted({*NAMES} - {*REPLACING}))
def test_a_new_column_leaves_a_name_that_is_taken_to_its_column(name, sparse):
    t = subject(name)
    taken = [column for column in MAPS[name](t).names if column not in t.names]
    values = np.random.default_rng(1).normal(size=(t.shape[0], len(taken)))
    X = np.hstack([t.X, values])
    t = Table(sp.csr_array(X) if sparse else X, (*t.names, *taken), t.levels, t.texts)
    centres = {"centres": [[0.0] * len(t.names)] * 2} if name == "radial" else {}
    out = MAPS[name](t, **centres)
    assert len(set(out.names)) == len(out.names)
    if name != "select":  # which leaves them out
        np.testing.assert_array_equal(dense(out)[:, [out.names.index(c) for c in taken]], values)


@each("name", sorted({*NAMES} - {"indicators", "select"}))
def test_columns_of_another_kind_are_refused_and_named(name):
    t = Table(np.zeros((2, 1)), ("famhist",), {"famhist": ("Absent", "Present")})
    words = f"{name} needs numeric columns; 'famhist' is text"
    if name in OF_CATEGORIES:
        words = f"{name} needs a column of texts.*`texts:` in its ent"
    with pytest.raises(NotApplicable, match=words):
        MAPS[name](t)


@each("first", PRODUCTS)
@each("second", PRODUCTS)
def test_products_of_products_are_what_their_names_say(first, second):
    t = table(d=3)
    out = MAPS[second](MAPS[first](t))
    columns = dict(zip(t.names, t.X.T, strict=True))
    for name, values in zip(out.names, out.X.T, strict=True):
        formula = name.removesuffix(" (2)").replace("^", "**")
        np.testing.assert_allclose(values, eval(formula, {}, columns), rtol=1e-12)


def test_too_many_products_are_refused_before_they_are_made():
    words = Table(sp.csr_array((10, 1_000_000)), tuple(map(str, range(1_000_000))))
    with pytest.raises(NotApplicable, match="quadratic of 1000000 columns makes 500000500000"):
        MAPS["quadratic"](words)
    with pytest.raises(NotApplicable, match="powers of 1000000 columns makes"):
        MAPS["powers"](words, degree=2_000_000)


def test_radial_functions_are_columns_of_scikit_learns_kernel():
    t, options = table(), OPTIONS["radial"]
    kernel = rbf_kernel(t.X, options["centres"], gamma=1 / (2 * options["width"] ** 2))
    np.testing.assert_allclose(MAPS["radial"](t).X[:, 5:], kernel, rtol=1e-13)


def test_random_waves_have_the_gaussian_kernel_and_depend_on_the_seed_alone():
    """Hoeffding: a mean of m/2 numbers in [−1, 1] is off by 0.2 with probability < 2 exp(−0.01 m)."""
    t = table()
    K = rbf_kernel(t.X, gamma=0.3)
    off = []
    for columns in (2000, 20_000):
        Phi = random_fourier(t, columns, gamma=0.3).X
        np.testing.assert_allclose(np.einsum("ij,ij->i", Phi, Phi), 1, rtol=1e-12)
        off.append(np.abs(Phi @ Phi.T - K).max())
    assert off[0] < 0.2
    assert off[1] < 0.2 / math.sqrt(10)
    first, other = random_fourier(t, 20), random_fourier(t, 20, seed=1)
    assert np.array_equal(first.X, random_fourier(t, 20).X)
    assert not np.allclose(first.X, other.X)


@each("sparse", [False, True])
def test_declared_indicators_are_those_that_one_hot_finds_where_all_levels_occur(sparse):
    t = categories(sparse)
    found = OneHot(drop="none").fit(t).transform(t)
    declared = indicators(t, {"colour": ["red", "green"]}, drop="none")
    assert declared.names == found.names
    assert np.array_equal(dense(declared), dense(found))


def test_a_missing_value_is_missing_in_all_its_indicators():
    t = Table(np.array([[1.0], [np.nan]]), ("a",))
    assert np.isnan(indicators(t, {"a": [1, 2, 3]}).X[1]).all()


def test_select_keeps_what_matches_with_its_levels_and_texts():
    out = select(texts(), ["bo*", "length"])
    assert (out.names, out.texts, set(out.levels)) == (("length", "body"), {"body"}, {"body"})
    with pytest.raises(NotApplicable, match="no column is called 'minilm"):
        select(texts(), ["minilm.*"])


BAD = {
    "radial": [{"centres": [[0, 0], [1]]}, {"width": 0, "centres": [[0, 0]]}],
    "random_fourier": [{"columns": 7}, {"gamma": 0}, {"gamma": "scale"}, {"seed": -1}],
    "indicators": [{"levels": {"a": [1, 1]}}, {"levels": {"a": 1}}, {"drop": "last", "levels": {"a": [1, 2]}}],
    "select": [{"columns": "a"}, {"columns": 3}],
    "count_words": [{"words": 3}, {"words": ["a", "a"]}, {"words": []}, {"binary": "no"}, {"lower": "no"},
        {"pattern": "("}, {"pattern": "(a)"}, {"ngrams": 0}],
    "hash_words": [{"signed": 0}, {"columns": 0}],
    "strip_posts": [{"parts": 3}, {"parts": ["header"]}],
}  # fmt: skip


@each(("name", "options"), [(name, one) for name, several in BAD.items() for one in several])
def test_a_bad_option_is_refused_by_name_for_any_table(name, options):
    with pytest.raises(ValueError, match=f"{name}: {next(iter(options))} "):
        find("features", name)(table(d=2), **options)
