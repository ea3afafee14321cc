"""Over all models: data frames of both libraries, files of another version, metadata routing."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from models import MODULES, own_classes

import linclass
from linclass.conventions import saved
from linclass.conventions.classifier import Classifier
from linclass.conventions.cloned import cloned
from linclass.conventions.estimator import Estimator
from linclass.pipeline.transforming import fit_transforms
from linclass.table import Table

KINDS = [kind for module in MODULES for kind in own_classes(module) if issubclass(kind, Estimator)]
ALL = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
META = ["OneVsRest", "OneVsOne", "ErrorCorrectingOutputCodes", "Calibrated", "TunedClassifier"]
NAMES = ["age", "dose", "length"]
TWO = np.arange(40) % 2
X = np.random.default_rng(0).poisson(2.0, size=(40, 3)) + 2.0 * TWO[:, None] * [1, 0, 1]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def target(kind: type) -> np.ndarray:
    return TWO if issubclass(kind, Classifier) else X[:, 0] - X[:, 2] + 0.1 * TWO


FRAMES = {
    "pandas": lambda columns=NAMES: pd.DataFrame(X, columns=NAMES)[list(columns)],
    "polars": lambda columns=NAMES: pl.DataFrame(X, schema=NAMES)[list(columns)],
}


@pytest.mark.parametrize("library", FRAMES)
@ALL
def test_data_frames_are_arrays_with_names(kind: Any, library: str) -> None:
    frame, y = FRAMES[library], target(kind)
    model = kind().fit(frame(), y)
    assert model.feature_names_in_.tolist() == NAMES
    plain = kind().fit(X, y)
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_array_equal(model.predict(frame()), plain.predict(X))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame(reversed(NAMES)))
    if library == "polars":
        labels = pl.Series(y)
        np.testing.assert_array_equal(kind().fit(frame(), labels).predict(X), plain.predict(X))


TRANSFORMING = [kind for kind in KINDS if hasattr(kind, "transform")]


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("kind", TRANSFORMING, ids=lambda kind: kind.__name__)
def test_transforms_return_the_frame_that_was_asked_for(kind: Any, library: str) -> None:
    expected = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    Z = kind().fit(X, TWO).transform(X)
    model = kind().set_output(transform=library).fit(FRAMES[library](), TWO)
    found = model.transform(FRAMES[library]())
    assert isinstance(found, expected)
    assert list(found.columns) == model.get_feature_names_out().tolist()
    np.testing.assert_allclose(found.to_numpy(), Z)


@ALL
def test_a_model_that_was_saved_is_the_model(kind: Any) -> None:
    y = target(kind)
    model = kind().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert vars(again).keys() == vars(model).keys()


@ALL
def test_a_model_of_another_version_is_refused(kind: Any, monkeypatch: Any) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(saved, "linclass_version", lambda: "0.0.7")
        written = pickle.dumps(kind())
    with pytest.raises(ValueError, match=r"saved by linclass 0\.0\.7.*fit it again") as error:
        pickle.loads(written)
    assert kind.__name__ in str(error.value)
    assert "\n" not in str(error.value)


def test_so_are_transforms_and_what_has_no_version(monkeypatch: Any) -> None:
    fitted, _ = fit_transforms([("standardize", {})], Table(X, tuple(NAMES)), TWO)
    (scaling,) = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(scaling.mean_, fitted[0].mean_)
    written = pickle.dumps(fitted[0])
    monkeypatch.setattr(saved, "linclass_version", lambda: "9.9")
    with pytest.raises(ValueError, match=r"Standardize was saved by .*, and this is linclass 9\.9"):
        pickle.loads(written)
    model = linclass.NearestMean()
    with pytest.raises(ValueError, match=r"saved by linclass before 0\.1"):
        model.__setstate__({"means_": X})


# metadata routing


@pytest.fixture
def routing() -> Any:
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_requests_need_routing_and_a_name_that_is_known(routing: Any) -> None:
    import sklearn

    with pytest.raises(TypeError, match="fit of NearestMean has no argument 'groups'"):
        linclass.NearestMean().set_fit_request(groups=True)
    off = sklearn.config_context(enable_metadata_routing=False)
    with off, pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        linclass.NearestMean().set_fit_request(sample_weight=True)


@ALL
def test_every_model_tells_scikit_learn_what_it_can_ask_for(kind: Any, routing: Any) -> None:
    from sklearn.utils.metadata_routing import get_routing_for_object

    model = kind()
    if "sample_weight" in inspect.signature(model.fit).parameters:
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    asked = get_routing_for_object(model)
    assert asked.consumes("fit", ["sample_weight", "strange"]) == {"sample_weight"}
    assert asked.consumes("score", ["sample_weight"]) == set()


def weights() -> np.ndarray:
    return np.where(TWO == 0, 1.0, 9.0) + np.arange(40) % 3


def test_a_search_of_scikit_learn_passes_weights_on(routing: Any) -> None:
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    grid = {"strength": [0.1]}
    inner = linclass.LogisticRegression().set_fit_request(sample_weight=True)
    inner.set_score_request(sample_weight=True)
    search = GridSearchCV(inner, grid, cv=2).fit(X, TWO, sample_weight=weights())
    alone = linclass.LogisticRegression(strength=0.1).fit(X, TWO, weights())
    np.testing.assert_allclose(search.best_estimator_.coef_, alone.coef_)
    scaled = StandardScaler().set_fit_request(sample_weight=False)
    chain = make_pipeline(scaled, inner).fit(X, TWO, sample_weight=weights())
    direct = linclass.LogisticRegression().fit(scaled.fit_transform(X), TWO, weights())
    np.testing.assert_allclose(chain[-1].coef_, direct.coef_)


@pytest.mark.parametrize("name", META)
def test_meta_estimators_pass_on_what_the_inner_one_asked_for(name: str, routing: Any) -> None:
    from sklearn.exceptions import UnsetMetadataPassedError

    kind, Inner = getattr(linclass, name), linclass.LogisticRegression
    with pytest.raises(UnsetMetadataPassedError, match="LogisticRegression does not say"):
        kind(Inner()).fit(X, TWO, sample_weight=weights())
    asked = kind(Inner().set_fit_request(sample_weight=True)).fit(X, TWO, sample_weight=weights())
    declined = kind(Inner().set_fit_request(sample_weight=False))
    declined.fit(X, TWO, sample_weight=weights())
    plain = kind(Inner()).fit(X, TWO)
    first = [
        model.estimator_ if hasattr(model, "estimator_") else model.estimators_[0]
        for model in (asked, declined, plain)
    ]
    if name == "TunedClassifier":  # whose choice of the strength is weighted, whatever the fits are
        first[2] = cloned(first[1]).fit(X, TWO)
    np.testing.assert_allclose(first[1].coef_, first[2].coef_, rtol=1e-3)
    assert np.abs(first[0].coef_ - first[2].coef_).max() > 1e-3


@pytest.mark.parametrize("name", META)
def test_and_scikit_learn_asks_them_for_it(name: str, routing: Any) -> None:
    from sklearn.model_selection import cross_validate

    inner = linclass.LogisticRegression().set_fit_request(sample_weight=True)
    model = getattr(linclass, name)(inner).set_fit_request(sample_weight=True)
    model.set_score_request(sample_weight=False)
    reported = cross_validate(
        model, X, TWO, cv=2, params={"sample_weight": weights()}, error_score="raise"
    )
    assert len(reported["test_score"]) == 2


@pytest.mark.parametrize("name", META)
def test_the_default_estimator_asks_for_weights(name: str, routing: Any) -> None:
    kind = getattr(linclass, name)
    kind().fit(X, TWO, sample_weight=weights())
