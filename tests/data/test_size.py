"""The expected size of a data set, from its entry alone."""

from __future__ import annotations

from pathlib import Path

import yaml

from linclass_study.data.entry.expected_size import BUNDLED, Size, expected_size

ROOT = Path(__file__).parents[2]
CATALOGUE = yaml.safe_load((ROOT / "config" / "datasets.yaml").read_text())


def test_drawn_rows_are_counted_and_drawn_features_seen():
    drawn = {"source": {"generate": "simplex", "rows": [300, 200, 100], "features": 7}}
    assert expected_size(drawn) == Size(600 * 7, 600)
    assert expected_size(CATALOGUE["gaussians"]) == Size(800, 400)


def test_bundled_sets_have_the_size_that_scikit_learn_gives_them():
    from sklearn import datasets

    for name, shape in BUNDLED.items():
        assert getattr(datasets, f"load_{name}")().data.shape == shape
        assert expected_size({"source": {"sklearn": name}}) == Size(shape[0] * shape[1], shape[0])


def test_a_file_is_as_large_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x,y\n" * 100)
    assert expected_size({"source": {"file": "a.csv"}}) == Size(100)
    assert expected_size({"source": {"file": "missing.csv"}}) is None


def test_an_entry_may_state_its_size_which_is_else_unknown_for_an_address():
    entry = {"source": {"url": "http://example.org/a.csv"}}
    assert expected_size(entry) is None
    assert expected_size(entry | {"size": {"rows": 50, "features": 3}}) == Size(150, 50)
    sparse = {"rows": 50, "features": 3, "nonzero": 20}
    assert expected_size(entry | {"size": sparse}) == Size(20, 50)
