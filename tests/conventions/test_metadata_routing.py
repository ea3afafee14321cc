"""scikit-learn's metadata routing, over all models: what they request and what they receive."""

import inspect

import numpy as np
import pytest
import sklearn
from cases import each
from models import ESTIMATORS
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

import linclass

ALL = each("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
META = ["OneVsRest", "OneVsOne", "ErrorCorrectingOutputCodes", "Calibrated", "TunedClassifier"]
PREDICTIONS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
TWO = np.arange(40) % 2
X = np.random.default_rng(0).poisson(2.0, size=(40, 3)) + 2.0 * TWO[:, None] * [1, 0, 1]
WEIGHTS = np.where(TWO == 0, 1.0, 9.0) + np.arange(40) % 3
OFFSET = np.random.default_rng(1).normal(size=40)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_metadata_requests_need_routing_and_a_known_name(routing):
    with pytest.raises(TypeError, match=r"Unexpected args: \{'groups'\} in fit"):
        linclass.NearestMean().set_fit_request(groups=True)
    off = sklearn.config_context(enable_metadata_routing=False)
    with off, pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        linclass.NearestMean().set_fit_request(sample_weight=True)


@each("name", META)
def test_meta_estimators_pass_on_metadata_requested_by_the_inner_estimator(name, routing):
    kind, Inner = getattr(linclass, name), linclass.LogisticRegression
    with pytest.raises(UnsetMetadataPassedError, match="LogisticRegression does not say"):
        kind(Inner()).fit(X, TWO, sample_weight=WEIGHTS)
    asked = kind(Inner().set_fit_request(sample_weight=True)).fit(X, TWO, sample_weight=WEIGHTS)
    declined = kind(Inner().set_fit_request(sample_weight=False))
    declined.fit(X, TWO, sample_weight=WEIGHTS)
    plain = kind(Inner()).fit(X, TWO)
    first = [
        model.estimator_ if hasattr(model, "estimator_") else model.estimators_[0]
        for model in (asked, declined, plain)
    ]
    if name == "TunedClassifier":  # whose choice of the strength is weighted, whatever the fits are
        first[2] = clone(first[1]).fit(X, TWO)
    np.testing.assert_allclose(first[1].coef_, first[2].coef_, rtol=1e-3)
    assert np.abs(first[0].coef_ - first[2].coef_).max() > 1e-3


@each("is_on", [False, True])
@each("form", ["search", "pipeline"])
def test_weights_reach_the_estimator_inside_a_search_and_with_routing_a_pipeline(form, is_on):
    with sklearn.config_context(enable_metadata_routing=is_on):
        inner, scaler = linclass.LinearSVM(), StandardScaler()
        if is_on:
            inner.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
            scaler.set_fit_request(sample_weight=True)
        chain = make_pipeline(scaler, inner)
        foreign = GridSearchCV(inner, {"strength": [0.1]}) if form == "search" else chain
        model = linclass.Calibrated(foreign)
        if form == "pipeline" and not is_on:
            with pytest.raises(ValueError, match="Pipeline takes no sample_weight"):
                model.fit(X, TWO, WEIGHTS)
            return
        found = model.fit(X, TWO, WEIGHTS).estimator_.decision_function(X)
        expected = clone(foreign).fit(X, TWO, sample_weight=WEIGHTS).decision_function(X)
        np.testing.assert_allclose(found, expected)
        if is_on:
            inner.set_fit_request(sample_weight=None)
            with pytest.raises(UnsetMetadataPassedError, match="set_fit_request"):
                model.fit(X, TWO, WEIGHTS)


def asking_for_offsets(model):
    model.set_fit_request(offset=True).set_score_request(offset=True)
    for method in PREDICTIONS:
        getattr(model, f"set_{method}_request")(offset=True)
    return model


def test_a_pipeline_of_scikit_learn_passes_offsets_on(routing):
    model = asking_for_offsets(linclass.LogisticRegression())
    chain = make_pipeline(StandardScaler(), model).fit(X, TWO, offset=OFFSET)
    Z = StandardScaler().fit_transform(X)
    direct = linclass.LogisticRegression().fit(Z, TWO, offset=OFFSET)
    np.testing.assert_allclose(chain[-1].coef_, direct.coef_)
    for method in PREDICTIONS:
        found = getattr(chain, method)(X, offset=OFFSET)
        np.testing.assert_allclose(found, getattr(direct, method)(Z, offset=OFFSET))
    model.set_score_request(sample_weight=True)
    assert chain.score(X, TWO, offset=OFFSET) == direct.score(Z, TWO, offset=OFFSET)
    model.set_predict_request(offset=None)
    with pytest.raises(UnsetMetadataPassedError, match="set_predict_request"):
        chain.predict(X, offset=OFFSET)
    model.set_predict_request(offset=False)
    with pytest.raises(TypeError, match="not routed to any object"):
        chain.predict(X, offset=OFFSET)


@ALL
def test_metadata_request_methods_exist_where_scikit_learn_defines_them(kind, routing):
    """For each method that takes more than X and y; classes are asked for as of SGDClassifier."""
    model = kind()
    for method in ("fit", "partial_fit", *PREDICTIONS, "score"):
        called = getattr(model, method, None)
        given = list(inspect.signature(called).parameters)[1:] if called is not None else []
        extra = [name for name in given if name != "y"]
        if called is not None:
            assert hasattr(model, f"set_{method}_request") == bool(extra), method
        if extra:
            getattr(model, f"set_{method}_request")(**dict.fromkeys(extra, True))
            own = model._get_metadata_request()
            assert getattr(own, method).requests == dict.fromkeys(extra, True)
    model = kind()
    if "sample_weight" in inspect.signature(model.fit).parameters:
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    asked = get_routing_for_object(model)
    assert asked.consumes("fit", ["sample_weight", "strange"]) == {"sample_weight"}
    assert asked.consumes("score", ["sample_weight"]) == set()


def test_metadata_is_routed_to_a_wrapped_regressor(routing):
    inner = linclass.Ridge().set_fit_request(sample_weight=True)
    model = linclass.FlexibleDiscriminantAnalysis(inner)
    assert get_routing_for_object(model).consumes("fit", ["sample_weight"]) == {"sample_weight"}
    model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    weighted = {"sample_weight": WEIGHTS}
    assert len(cross_validate(model, X, TWO, cv=2, params=weighted)["test_score"]) == 2
    linclass.FlexibleDiscriminantAnalysis().fit(X, TWO, sample_weight=WEIGHTS)
