"""Laws of every transform; then the properties of each."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from linclass.base.messages import NotApplicable
from linclass.base.parts import names
from linclass.base.tables import Table
from linclass_study.pipeline.transforming import transform_class

NAMES = names("transforms")


def table(n=60, *, sparse=False, missing=False, seed=0):
    """A category first, numbers of different scales with zeros, a category in between, a constant."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal([1, 500, -3], [1, 100, 1e-3], size=(n, 3)) * (rng.random((n, 3)) < 0.7)
    colour, size = rng.integers(0, 3, n), rng.integers(0, 2, n)
    X = np.column_stack([colour, numbers[:, :2], size, numbers[:, 2], np.full(n, 0.1)])
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    levels = {"colour": ("red", "green", "blue"), "size": ("small", "large")}
    names = ("colour", "a", "b", "size", "c", "constant")
    return Table(sp.csr_array(X) if sparse else X, names, levels)


def dense(t):
    return t.X.toarray() if t.is_sparse else t.X


def fitted(name, t, **options):
    return transform_class(name)(**options).fit(t)


def made(name, t, **options):
    return fitted(name, t, **options).transform(t)


@each("sparse", [False, True])
@each("name", NAMES)
def test_a_row_is_transformed_alone_whatever_the_test_rows(name, sparse):
    t, before = (table(sparse=sparse, missing=name == "impute") for _ in range(2))
    train = t.rows(np.arange(40))
    of_train, alone = fitted(name, train), dense(made(name, train))
    of_train.transform(t.rows(np.arange(40, 60)))
    assert np.array_equal(dense(of_train.transform(train)), alone)
    of_all = fitted(name, t)
    out = of_all.transform(t)
    alone = [dense(of_all.transform(t.rows(np.array([i]))))[0] for i in range(60)]
    assert_allclose(dense(out), alone, rtol=1e-12, atol=1e-12)
    assert_array_equal(dense(t), dense(before))
    assert (t.names, t.levels) == (before.names, before.levels)
    assert out.X.dtype == np.float64
    assert out.is_sparse == (sparse and not getattr(of_all, "makes_dense", False))
    if out.is_sparse:
        assert isinstance(out.X, sp.csr_array)
        assert out.X.indices.dtype == out.X.indptr.dtype == np.int32
    else:
        assert out.X.flags.c_contiguous


@each(("name", "taken"), [("principal_components", "component1"), ("nystroem", "nystroem1")])
def test_a_category_keeps_its_name_beside_new_columns(name, taken):
    t = table()
    t = Table(t.X[:, :4], (taken, "a", "b", "size"), {taken: ("x", "y", "z"), "size": ("s", "t")})
    out = made(name, t)
    assert out.names[:3] == (taken, "size", f"{taken} (2)")
    assert_array_equal(out.X[:, :2], t.X[:, [0, 3]])


@each("name", NAMES)
def test_columns_without_values_or_of_texts_are_transformed_like_others(name):
    X, levels = np.array([[0.0, 1], [1, 2], [2, 4]]), {"post": ("a b", "", "c")}
    t = Table(X, ("post", "x"), levels, frozenset({"post"}))
    if name == "one_hot":
        with pytest.raises(NotApplicable, match="'post' holds texts, not categories; count"):
            fitted(name, t)
    else:
        out = made(name, t)
        assert (out.texts, out.levels) == (t.texts, t.levels)
        assert np.array_equal(dense(out)[:, out.names.index("post")], [0, 1, 2])
    D, S = fitted(name, table()), fitted(name, table(sparse=True))
    for attribute, learned in vars(D).items():
        if isinstance(learned, np.ndarray):
            assert_allclose(vars(S)[attribute], learned, rtol=1e-12, atol=1e-12)
    assert S.transform(table(sparse=True)).names == D.transform(table()).names
    t = Table(np.column_stack([np.full(5, 0.1), np.zeros(5), np.full(5, 1e-300)]), ("a", "b", "c"))
    assert np.isfinite(made(name, t).X).all()


def test_missing_values_become_the_mean_median_or_commonest_of_training_rows():
    t = Table(np.array([[1.0], [2.0], [9.0], [np.nan]]), ("a",))
    assert made("impute", t).X[3, 0] == 4
    assert made("impute", t, numbers="median").X[3, 0] == 2
    t = Table(np.array([[0.0], [2.0], [2.0], [np.nan]]), ("a",), {"a": ("x", "y", "z")})
    assert made("impute", t).X[3, 0] == 2
    train, test = Table(np.array([[1.0], [3.0]]), ("a",)), Table(np.array([[np.nan]]), ("a",))
    assert fitted("impute", train).transform(test).X[0, 0] == 2
    t = Table(np.full((3, 1), np.nan), ("a",))
    for numbers in ("mean", "median"):
        assert not made("impute", t, numbers=numbers).X.any()


@each("numbers", ["mean", "median"])
def test_the_zeros_of_sparse_rows_are_values(numbers):
    D, S = table(missing=True), table(missing=True, sparse=True)
    on_dense, on_sparse = (fitted("impute", t, numbers=numbers) for t in (D, S))
    assert_allclose(on_sparse.fill_, on_dense.fill_, rtol=1e-13)
    assert_allclose(dense(on_sparse.transform(S)), on_dense.transform(D).X, rtol=1e-13)


@each("sparse", [False, True])
def test_levels_gaps_and_medians_are_transformed(sparse):
    t = table(sparse=sparse)
    out = made("one_hot", t, drop="none")
    columns = dict(zip(out.names, dense(out).T, strict=True))
    for name, values in zip(t.names, dense(t).T, strict=True):
        for code, level in enumerate(t.levels.get(name, ())):
            assert np.array_equal(columns[f"{name}={level}"], values == code)
        assert name in t.levels or np.array_equal(columns[name], values)
    assert not out.levels
    t = table(missing=True, sparse=sparse)
    standardize, numbers = fitted("standardize", t), [1, 2, 4]
    assert_allclose(standardize.mean_[numbers], np.nanmean(dense(t), axis=0)[numbers])
    assert_allclose(standardize.scale_[numbers], np.nanstd(dense(t), axis=0)[numbers])
    X = np.array([[1.0, 0, -3, 5], [2, 1, -1, 5], [3, 1, np.nan, 5], [9, 1, -2, 5]])
    t = Table(sp.csr_array(X) if sparse else X, ("a", "b", "c", "d"))
    binarize = fitted("binarize", t)
    assert np.array_equal(binarize.threshold_, [2.5, 0, -2, 5])
    above = [0, 0 if sparse else 1, np.nan, 0]  # zeros of sparse rows stay zeros
    expected = [[0, 0, 1, 1], [0, 1, 1, 1], above, [0, 0, 0, 0]]
    assert_array_equal(dense(binarize.transform(t)).T, expected)


def test_an_unseen_level_counts_as_the_first_and_gaps_are_refused():
    levels = {"a": ("x", "y", "z")}
    train = Table(np.array([[0.0], [1.0], [1.0]]), ("a",), levels)
    out = fitted("one_hot", train).transform(Table(np.array([[2.0], [0.0]]), ("a",), levels))
    assert out.names == ("a=y",)
    assert not out.X.any()
    t = Table(np.array([[0.0], [np.nan]]), ("famhist",), {"famhist": ("Absent", "Present")})
    with pytest.raises(NotApplicable, match="'famhist' has 1 missing value; put impute before"):
        fitted("one_hot", t)


def test_standardizing_keeps_categories_zeros_and_digits():
    t = table(sparse=True)
    out = made("standardize", t)
    assert np.array_equal(out.X.indices, t.X.indices)
    assert_allclose(out.X.toarray()[:, [1, 2, 4]].std(axis=0), 1, rtol=1e-12)
    x = np.array([[1.0], [2.0], [3.0]])
    near, far = (fitted("standardize", Table(x + c, ("a",))) for c in (0, 1e9))
    assert_allclose(far.scale_, near.scale_)
    for rows in (x, sp.csr_array(x)):
        near, far = (fitted("standardize", Table(rows * s, ("a",))) for s in (1, 2.0**1000))
        assert_allclose(far.scale_, near.scale_ * 2.0**1000)
        assert far.for_folds(Table(rows * 2.0**1000, ("a",)), [np.arange(2)]) is None
    assert np.array_equal(made("standardize", table()).X[:, [0, 3]], table().X[:, [0, 3]])


BAD = {
    "impute": [{"numbers": "mode"}],
    "one_hot": [{"drop": "last"}],
    "vocabulary": [{"min_rows": 0}, {"most": 1.5}, {"max_share": 0}],
    "idf": [{"counts": "ln"}, {"counts": ["log"]}, {"norm": "l3"}, {"smooth": "no"}],
    "principal_components": [{"whiten": "no"}, {"components": 0}, {"components": 1.5}],
    "nystroem": [{"kernel": ["gaussian"]}, {"kernel": "sigmoid"}, {"degree": "3"}, {"coef0": "1"}, {"seed": -1},
        {"columns": 0}, {"gamma": "auto"}],
}  # fmt: skip


@each(("name", "options"), [(name, one) for name, several in BAD.items() for one in several])
def test_a_bad_option_is_refused_by_name(name, options):
    with pytest.raises(ValueError, match=f"{name}: {next(iter(options))} is"):
        transform_class(name)(**options)


def test_folds_share_a_cut_only_where_it_is_the_same():
    folds = [np.arange(5), np.arange(5, 10)]
    words = Table(sp.csr_array(np.eye(10)), tuple("abcdefghij"))
    lengths = Table(np.arange(10.0)[:, None], ("a",))
    assert transform_class("binarize")().same_for(words, folds)
    assert not transform_class("binarize")().same_for(lengths, folds)


@each("sparse", [False, True])
@each("options", [{}, {"kernel": "polynomial"}, {"columns": 5}, {"seed": 1}])
def test_nystroem_of_the_same_rows_does_not_depend_on_earlier_kernels(options, sparse):
    nystroem, same = transform_class("nystroem"), table(sparse=sparse)
    for earlier in ({"gamma": 0.1}, {"gamma": 0.1, "kernel": "polynomial"}, {"columns": 7}):
        nystroem(**earlier).fit(same).transform(same)
    found = nystroem(gamma=1e-5, **options).fit_transform(same)
    alone = nystroem(gamma=1e-5, **options).fit_transform(table(sparse=sparse))
    assert np.array_equal(found.X, alone.X)


def test_nystroem_is_exact_with_all_rows_and_never_exceeds_the_kernel():
    """k − φφᵀ is a Schur complement: positive semidefinite, and less with each landmark."""
    t = Table(np.random.default_rng(0).standard_normal((40, 3)), ("a", "b", "c"))
    Phi = made("nystroem", t, columns=40, gamma=2.0).X
    assert_allclose(Phi @ Phi.T, rbf_kernel(t.X, gamma=2.0), atol=1e-7 * 40)
    Phi = made("nystroem", t, columns=40, kernel="polynomial", gamma=0.5, degree=2).X
    K = polynomial_kernel(t.X, degree=2, gamma=0.5, coef0=1)
    assert_allclose(Phi @ Phi.T, K, atol=1e-7 * np.trace(K))
    assert Phi.shape[1] == 10  # the monomials of three numbers up to degree 2
    K, traces = rbf_kernel(t.X[:, :2], gamma=1.0), []
    for columns in (5, 10, 20, 30):
        Phi = made("nystroem", t.columns(np.array([0, 1])), columns=columns, gamma=1.0).X
        left = K - Phi @ Phi.T
        assert np.linalg.eigvalsh(left).min() > -1e-7
        traces.append(np.trace(left))
    assert (np.diff(traces) < 0).all()


def test_landmarks_are_different_rows_chosen_by_seed_not_by_place():
    X = np.repeat(np.random.default_rng(2).standard_normal((10, 2)), 3, axis=0)
    t, turned = Table(X, ("a", "b")), Table(X[::-1].copy(), ("a", "b"))
    assert len(fitted("nystroem", t, columns=100).landmarks_) == 10
    first = fitted("nystroem", t, columns=4).landmarks_
    assert np.array_equal(first, fitted("nystroem", turned, columns=4).landmarks_)
    assert not np.array_equal(first, fitted("nystroem", t, columns=4, seed=1).landmarks_)
