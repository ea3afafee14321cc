"""What every feature map must keep, found by file; then what each computes."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import linclass.features
from linclass.conventions import NotApplicable
from linclass.table import Table

NAMES = sorted(file.stem for file in Path(linclass.features.__path__[0]).glob("[!_]*.py"))
MAPS = {name: import_module(f"linclass.features.{name}").apply for name in NAMES}


def table(sparse: bool = False, n: int = 25, d: int = 5) -> Table:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return Table(sp.csr_array(X) if sparse else X, tuple("abcdefgh"[:d]))


@pytest.mark.parametrize("name", NAMES)
def test_a_row_has_the_same_features_alone_as_among_others(name: str) -> None:
    t = table()
    alone = [MAPS[name](t.rows(np.array([i]))).X[0] for i in range(t.shape[0])]
    assert np.array_equal(MAPS[name](t).X, alone)


@pytest.mark.parametrize("name", NAMES)
def test_sparse_rows_have_the_features_of_dense_rows_and_stay_sparse(name: str) -> None:
    on_dense, on_sparse = MAPS[name](table()), MAPS[name](table(sparse=True))
    assert np.array_equal(on_sparse.X.toarray(), on_dense.X)
    assert on_sparse.names == on_dense.names
    assert isinstance(on_sparse.X, sp.csr_array)
    assert on_sparse.X.indices.dtype == on_sparse.X.indptr.dtype == np.int32
    assert on_sparse.X.has_canonical_format


@pytest.mark.parametrize("name", NAMES)
def test_the_columns_themselves_come_first(name: str) -> None:
    t, out = table(), MAPS[name](table())
    assert np.array_equal(out.X[:, :5], t.X)
    assert out.names[:5] == t.names
    assert len(set(out.names)) == len(out.names)


@pytest.mark.parametrize("name", NAMES)
def test_text_is_refused_by_the_name_of_its_column(name: str) -> None:
    t = Table(np.zeros((2, 1)), ("famhist",), {"famhist": ("Absent", "Present")})
    with pytest.raises(NotApplicable, match=f"{name} needs numeric columns; 'famhist' is text"):
        MAPS[name](t)


def evaluated(t: Table, name: str) -> np.ndarray:
    """The column that a name such as a*b or c^3 speaks of."""
    columns = dict(zip(t.names, t.X.T, strict=True))
    base, _, power = name.partition("^")
    return np.prod([columns[factor] for factor in base.split("*")], axis=0) ** int(power or 1)


@pytest.mark.parametrize("name", NAMES)
def test_each_column_is_what_its_name_says(name: str) -> None:
    t = table()
    out = MAPS[name](t)
    for column, values in zip(out.names, out.X.T, strict=True):
        np.testing.assert_allclose(values, evaluated(t, column), rtol=1e-14)


def test_quadratic_has_every_product_once() -> None:
    names = MAPS["quadratic"](table(d=3)).names
    assert names == ("a", "b", "c", "a^2", "a*b", "a*c", "b^2", "b*c", "c^2")


def test_interactions_are_the_quadratic_without_squares() -> None:
    quadratic, interactions = MAPS["quadratic"](table()), MAPS["interactions"](table())
    assert interactions.names == tuple(name for name in quadratic.names if "^" not in name)


def test_powers_go_up_to_the_degree() -> None:
    assert MAPS["powers"](table(d=2), degree=3).names == ("a", "b", "a^2", "b^2", "a^3", "b^3")
    assert MAPS["powers"](table(), degree=1).names == table().names
    with pytest.raises(ValueError, match="degree is 0"):
        MAPS["powers"](table(), degree=0)


def test_too_many_products_are_refused_before_they_are_made() -> None:
    words = Table(sp.csr_array((10, 1_000_000)), tuple(map(str, range(1_000_000))))
    with pytest.raises(NotApplicable, match="quadratic of 1000000 columns makes 500000500000"):
        MAPS["quadratic"](words)
