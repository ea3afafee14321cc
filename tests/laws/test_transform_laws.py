"""Laws of every transform; then the properties of each."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each

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


@each("sparse", [False, True])
@each("name", NAMES)
def test_a_row_is_transformed_alone_whatever_the_test_rows(name, sparse):
    all_rows = table(sparse=sparse)
    train = all_rows.rows(np.arange(40))
    alone = dense(transform_class(name)().fit(train).transform(train))
    fitted = transform_class(name)().fit(train)
    fitted.transform(all_rows.rows(np.arange(40, 60)))
    assert np.array_equal(dense(fitted.transform(train)), alone)
    t = table(sparse=sparse)
    fitted = transform_class(name)().fit(t)
    together = dense(fitted.transform(t))
    alone = [dense(fitted.transform(t.rows(np.array([i]))))[0] for i in range(len(together))]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-12)
    t, before = (
        table(sparse=sparse, missing=name == "impute"),
        table(sparse=sparse, missing=name == "impute"),
    )
    transform_class(name)().fit(t).transform(t)
    np.testing.assert_array_equal(dense(t), dense(before))
    assert (t.names, t.levels) == (before.names, before.levels)
    t = table(sparse=sparse)
    out = transform_class(name)().fit(t).transform(t)
    assert out.X.dtype == np.float64
    is_dense = getattr(transform_class(name), "makes_dense", False)
    assert out.is_sparse == (sparse and not is_dense)
    if out.is_sparse:
        assert isinstance(out.X, sp.csr_array)
        assert out.X.indices.dtype == out.X.indptr.dtype == np.int32
    else:
        assert out.X.flags.c_contiguous


@each(("name", "taken"), [("principal_components", "component1"), ("nystroem", "nystroem1")])
def test_a_category_keeps_its_name_beside_new_columns(name, taken):
    t = table()
    t = Table(t.X[:, :4], (taken, "a", "b", "size"), {taken: ("x", "y", "z"), "size": ("s", "t")})
    out = transform_class(name)().fit(t).transform(t)
    assert out.names[:3] == (taken, "size", f"{taken} (2)")
    np.testing.assert_array_equal(out.X[:, :2], t.X[:, [0, 3]])


@each("name", NAMES)
def test_columns_without_values_or_of_texts_are_transformed_like_others(name):
    t = Table(
        np.array([[0.0, 1], [1, 2], [2, 4]]),
        ("post", "x"),
        {"post": ("a b", "", "c")},
        frozenset({"post"}),
    )
    if name == "one_hot":
        with pytest.raises(NotApplicable, match="'post' holds texts, not categories; count"):
            transform_class(name)().fit(t)
    else:
        out = transform_class(name)().fit(t).transform(t)
        assert (out.texts, out.levels) == (t.texts, t.levels)
        assert np.array_equal(dense(out)[:, out.names.index("post")], [0, 1, 2])
    on_dense, on_sparse = transform_class(name)(), transform_class(name)()
    D, S = on_dense.fit(table()), on_sparse.fit(table(sparse=True))
    for attribute, learned in vars(D).items():
        other = vars(S)[attribute]
        if isinstance(learned, np.ndarray):
            np.testing.assert_allclose(other, learned, rtol=1e-12, atol=1e-12)
    assert S.transform(table(sparse=True)).names == D.transform(table()).names
    t = Table(np.column_stack([np.full(5, 0.1), np.zeros(5), np.full(5, 1e-300)]), ("a", "b", "c"))
    assert np.isfinite(transform_class(name)().fit(t).transform(t).X).all()


# impute


def test_missing_values_become_the_mean_median_or_commonest_of_training_rows():
    t = Table(np.array([[1.0], [2.0], [9.0], [np.nan]]), ("a",))
    impute = transform_class("impute")
    assert impute().fit(t).transform(t).X[3, 0] == 4
    assert impute(numbers="median").fit(t).transform(t).X[3, 0] == 2
    t = Table(np.array([[0.0], [2.0], [2.0], [np.nan]]), ("a",), {"a": ("x", "y", "z")})
    assert transform_class("impute")().fit(t).transform(t).X[3, 0] == 2
    train, test = Table(np.array([[1.0], [3.0]]), ("a",)), Table(np.array([[np.nan]]), ("a",))
    assert transform_class("impute")().fit(train).transform(test).X[0, 0] == 2
    t = Table(np.full((3, 1), np.nan), ("a",))
    for numbers in ("mean", "median"):
        assert not transform_class("impute")(numbers=numbers).fit(t).transform(t).X.any()


@each("numbers", ["mean", "median"])
def test_the_zeros_of_sparse_rows_are_values(numbers):
    D, S = table(missing=True), table(missing=True, sparse=True)
    impute = transform_class("impute")
    on_dense, on_sparse = impute(numbers=numbers).fit(D), impute(numbers=numbers).fit(S)
    np.testing.assert_allclose(on_sparse.fill_, on_dense.fill_, rtol=1e-13)
    np.testing.assert_allclose(dense(on_sparse.transform(S)), on_dense.transform(D).X, rtol=1e-13)


# one_hot


@each("sparse", [False, True])
def test_levels_gaps_and_medians_are_transformed(sparse):
    t = table(sparse=sparse)
    out = transform_class("one_hot")(drop="none").fit(t).transform(t)
    columns = dict(zip(out.names, dense(out).T, strict=True))
    colour, size = dense(t)[:, 0], dense(t)[:, 3]
    for code, level in enumerate(t.levels["colour"]):
        assert np.array_equal(columns[f"colour={level}"], colour == code)
    for code, level in enumerate(t.levels["size"]):
        assert np.array_equal(columns[f"size={level}"], size == code)
    for j, name in enumerate(t.names):
        if name not in t.levels:
            assert np.array_equal(columns[name], dense(t)[:, j])
    assert not out.levels
    t = table(missing=True, sparse=sparse)
    fitted = transform_class("standardize")().fit(t)
    numbers = [1, 2, 4]
    np.testing.assert_allclose(fitted.mean_[numbers], np.nanmean(dense(t), axis=0)[numbers])
    np.testing.assert_allclose(fitted.scale_[numbers], np.nanstd(dense(t), axis=0)[numbers])
    X = np.array([[1.0, 0, -3, 5], [2, 1, -1, 5], [3, 1, np.nan, 5], [9, 1, -2, 5]])
    t = Table(sp.csr_array(X) if sparse else X, ("a", "b", "c", "d"))
    fitted = transform_class("binarize")().fit(t)
    out = dense(fitted.transform(t))
    assert np.array_equal(fitted.threshold_, [2.5, 0, -2, 5])
    above = (
        [0, 1, np.nan, 0] if not sparse else [0, 0, np.nan, 0]
    )  # zeros of sparse rows stay zeros
    assert np.array_equal(out.T, [[0, 0, 1, 1], [0, 1, 1, 1], above, [0, 0, 0, 0]], equal_nan=True)


def test_an_unseen_level_counts_as_the_first_and_gaps_are_refused():
    levels = {"a": ("x", "y", "z")}
    train = Table(np.array([[0.0], [1.0], [1.0]]), ("a",), levels)
    test = Table(np.array([[2.0], [0.0]]), ("a",), levels)
    out = transform_class("one_hot")().fit(train).transform(test)
    assert out.names == ("a=y",)
    assert not out.X.any()
    t = Table(np.array([[0.0], [np.nan]]), ("famhist",), {"famhist": ("Absent", "Present")})
    with pytest.raises(NotApplicable, match="'famhist' has 1 missing value; put impute before"):
        transform_class("one_hot")().fit(t)


# standardize


def test_standardizing_keeps_categories_zeros_and_digits():
    t = table(sparse=True)
    out = transform_class("standardize")().fit(t).transform(t)
    assert np.array_equal(out.X.indices, t.X.indices)
    deviation = out.X.toarray()[:, [1, 2, 4]].std(axis=0)
    np.testing.assert_allclose(deviation, 1, rtol=1e-12)
    x = np.array([1.0, 2.0, 3.0])
    near, far = Table(x[:, None], ("a",)), Table(x[:, None] + 1e9, ("a",))
    standardize = transform_class("standardize")
    np.testing.assert_allclose(standardize().fit(far).scale_, standardize().fit(near).scale_)
    t = table()
    out = transform_class("standardize")().fit(t).transform(t)
    assert np.array_equal(out.X[:, [0, 3]], t.X[:, [0, 3]])


@each(("name", "options"), [
    ("impute", {"numbers": "mode"}),
    ("one_hot", {"drop": "last"}),
    ("vocabulary", {"min_rows": 0}),
    ("vocabulary", {"most": 1.5}),
    ("vocabulary", {"max_share": 0}),
    ("idf", {"counts": "ln"}),
    ("idf", {"norm": "l3"}),
    ("idf", {"counts": ["log"]}),
    ("idf", {"smooth": "no"}),
    ("principal_components", {"whiten": "no"}),
    ("nystroem", {"kernel": ["gaussian"]}),
    ("nystroem", {"degree": "3"}),
    ("nystroem", {"coef0": "1"}),
    ("nystroem", {"seed": -1}),
    ("nystroem", {"columns": 0}),
    ("nystroem", {"kernel": "sigmoid"}),
    ("nystroem", {"gamma": "auto"}),
    ("principal_components", {"components": 0}),
    ("principal_components", {"components": 1.5}),
])  # fmt: skip
def test_a_bad_option_is_refused_by_name(name, options):
    with pytest.raises(ValueError, match=f"{name}: {next(iter(options))} is"):
        transform_class(name)(**options)


# nystroem


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
    from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

    t = Table(np.random.default_rng(0).standard_normal((40, 3)), ("a", "b", "c"))
    nystroem = transform_class("nystroem")
    Phi = nystroem(40, gamma=2.0).fit(t).transform(t).X
    np.testing.assert_allclose(Phi @ Phi.T, rbf_kernel(t.X, gamma=2.0), atol=1e-7 * 40)
    Phi = nystroem(40, kernel="polynomial", gamma=0.5, degree=2).fit(t).transform(t).X
    K = polynomial_kernel(t.X, degree=2, gamma=0.5, coef0=1)
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-7 * np.trace(K))
    assert Phi.shape[1] == 10  # the monomials of three numbers up to degree 2
    from sklearn.metrics.pairwise import rbf_kernel

    t = Table(np.random.default_rng(1).standard_normal((80, 2)), ("a", "b"))
    K, traces = rbf_kernel(t.X, gamma=1.0), []
    for columns in (5, 10, 20, 40):
        Phi = transform_class("nystroem")(columns, gamma=1.0).fit(t).transform(t).X
        left = K - Phi @ Phi.T
        assert np.linalg.eigvalsh(left).min() > -1e-7
        traces.append(np.trace(left))
    assert (np.diff(traces) < 0).all()


def test_landmarks_are_different_rows_chosen_by_seed_not_by_place():
    X = np.repeat(np.random.default_rng(2).standard_normal((10, 2)), 3, axis=0)
    t, nystroem = Table(X, ("a", "b")), transform_class("nystroem")
    assert len(nystroem(100).fit(t).landmarks_) == 10
    first = nystroem(4).fit(t).landmarks_
    assert np.array_equal(first, nystroem(4).fit(Table(X[::-1].copy(), ("a", "b"))).landmarks_)
    assert not np.array_equal(first, nystroem(4, seed=1).fit(t).landmarks_)
