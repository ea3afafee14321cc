"""Over all models: data frames of both libraries, files of another version."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from models import MODULES, own_classes

import linclass
from linclass.base import estimator as estimators
from linclass.base.classifier import Classifier
from linclass.base.estimator import Estimator
from linclass_study.pipeline.preprocessor import Preprocessor

KINDS = [kind for module in MODULES for kind in own_classes(module) if issubclass(kind, Estimator)]
ALL = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
NAMES = ["age", "dose", "length"]
TWO = np.arange(40) % 2
X = np.random.default_rng(0).poisson(2.0, size=(40, 3)) + 2.0 * TWO[:, None] * [1, 0, 1]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def target(kind):
    return TWO if issubclass(kind, Classifier) else X[:, 0] - X[:, 2] + 0.1 * TWO


FRAMES = {
    "pandas": lambda columns=NAMES: pd.DataFrame(X, columns=NAMES)[list(columns)],
    "polars": lambda columns=NAMES: pl.DataFrame(X, schema=NAMES)[list(columns)],
}


@each("library", FRAMES, quick=1)
@ALL
def test_data_frames_are_arrays_with_names(kind, library):
    frame, y = FRAMES[library], target(kind)
    model = kind().fit(frame(), y)
    assert model.feature_names_in_.tolist() == NAMES
    plain = kind().fit(X, y)
    np.testing.assert_array_equal(model.predict(frame()), plain.predict(X))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame(reversed(NAMES)))
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    if library == "polars":
        labels = pl.Series(y)
        np.testing.assert_array_equal(kind().fit(frame(), labels).predict(X), plain.predict(X))


TRANSFORMING = [kind for kind in KINDS if hasattr(kind, "transform")]


@each("library", FRAMES)
@each("kind", TRANSFORMING, ids=lambda kind: kind.__name__)
def test_transforms_return_the_requested_type_of_frame(kind, library):
    expected = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    Z = kind().fit(X, TWO).transform(X)
    model = kind().set_output(transform=library).fit(FRAMES[library](), TWO)
    found = model.transform(FRAMES[library]())
    assert isinstance(found, expected)
    assert list(found.columns) == model.get_feature_names_out().tolist()
    np.testing.assert_allclose(found.to_numpy(), Z)


@ALL
def test_loading_a_model_of_another_version_warns(kind, monkeypatch):
    model = kind().fit(X, target(kind))
    with monkeypatch.context() as patch:
        patch.setattr(estimators, "linclass_version", lambda: "0.0.7")
        written = pickle.dumps(model)
    with pytest.warns(UserWarning, match=r"This \w+ was saved by linclass 0\.0\.7") as warned:
        again = pickle.loads(written)
    assert f"This {kind.__name__} was" in str(
        warned[-1].message
    )  # after those of estimators inside
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_loading_a_preprocessor_of_another_version_or_a_model_without_a_version_warns(
    monkeypatch,
):
    written = pickle.dumps(Preprocessor(transforms=["standardize"]).fit(X, TWO))
    monkeypatch.setattr(estimators, "linclass_version", lambda: "9.9")
    with pytest.warns(UserWarning, match=r"This Preprocessor .* is loaded by linclass 9\.9"):
        pickle.loads(written)
    with pytest.warns(UserWarning, match=r"was saved by linclass before 0\.1"):
        linclass.NearestMean().__setstate__({"means_": X})
