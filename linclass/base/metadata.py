"""scikit-learn's metadata routing: which of `sample_weight`, `offset`, `groups`, … a method asks for.

With `sklearn.set_config(enable_metadata_routing=True)` searches, pipelines and meta-estimators of both libraries pass
on what `set_fit_request(sample_weight=True)` asked for, and nothing else. Without it they pass weights on where they
are taken.   scikit-learn user guide, "Metadata Routing"
"""

from __future__ import annotations

import inspect
import sys
from types import MethodType
from typing import Any, Self

from linclass.base.arrays import Array, EstimatorLike

METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
)
KNOWN = ("X", "y")  # arguments that are no metadata
INSIDE = ("estimator", "regressor")  # parameters that are another estimator


class RequestOf(property):
    """A method `set_{method}_request`, of estimators whose method takes metadata; of others it does not exist."""

    def __init__(self, method: str):
        name = f"set_{method}_request"

        def found(model: Any) -> Any:
            if not _metadata(model, method):
                kind = type(model).__name__
                raise AttributeError(f"{kind} has no {name}, because {method} takes no metadata")

            def request(**requests: bool | str | None) -> Any:
                return model._request(method, requests)

            request.__name__ = name
            return request

        text = f"Ask for metadata in `{method}`, as `set_fit_request` does for `fit`, where it takes any: as a method"
        super().__init__(found, doc=f"{text} `{name}(**requests)`.")


class RequestsMetadata:
    """Mixin of estimators; one with a parameter `estimator` or `regressor` routes to it."""

    _metadata_request: Any

    set_partial_fit_request = RequestOf("partial_fit")
    set_predict_request = RequestOf("predict")
    set_predict_proba_request = RequestOf("predict_proba")
    set_predict_log_proba_request = RequestOf("predict_log_proba")
    set_decision_function_request = RequestOf("decision_function")
    set_score_request = RequestOf("score")

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Ask for metadata in `fit`, for scikit-learn's metadata routing.

        Parameters
        ----------
        **requests : bool, str or None
            Name of an argument of `fit`, such as `sample_weight`: True asks for it, False declines it, a
            string asks for it by another name, None leaves it open, and then passing it is an error.

        Returns
        -------
        self
        """
        return self._request("fit", requests)

    def get_metadata_routing(self) -> Any:
        """What this estimator asks for, and the one inside it.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest or MetadataRouter
        """
        inside = [name for name in INSIDE if name in arguments(type(self))]
        if not inside:
            return self._get_metadata_request()
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        router = MetadataRouter(owner=self).add_self_request(self)
        for name in inside:
            inner: EstimatorLike = getattr(self, name)
            if inner is not None:
                mapping = MethodMapping().add(caller="fit", callee="fit")
                router.add(method_mapping=mapping, **{name: inner})
        return router

    def _get_metadata_request(self) -> Any:
        """The requests of this estimator for scikit-learn, without those of the inner one."""
        from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

        if hasattr(self, "_metadata_request"):
            return get_routing_for_object(self._metadata_request)
        requests = MetadataRequest(owner=self)
        for method in METHODS:
            for name in _metadata(self, method):
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def _request(self, method: str, given: dict[str, Any]) -> Self:
        if not is_routing():
            raise RuntimeError(
                f"set_{method}_request needs metadata routing; call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        known = _metadata(self, method)
        if unknown := sorted(set(given) - set(known)):
            raise TypeError(
                f"{method} of {type(self).__name__} has no argument {unknown[0]!r}; it has "
                f"{', '.join(known) or 'none besides X and y'}."
            )
        requests = self._get_metadata_request()
        for name, alias in given.items():
            getattr(requests, method).add_request(param=name, alias=alias)
        self._metadata_request = requests
        return self


def is_routing() -> bool:
    """Whether scikit-learn's metadata routing is on."""
    if "sklearn" not in sys.modules:
        return False
    from sklearn import get_config

    return bool(get_config()["enable_metadata_routing"])


def takes_metadata(model: EstimatorLike, name: str) -> bool:
    """Whether a meta-estimator passes weights or offsets on to `model.fit`; one without the argument will say so."""
    if not is_routing() or name not in arguments(model.fit):
        return True
    from sklearn.exceptions import UnsetMetadataPassedError
    from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

    routing = get_routing_for_object(model)
    if isinstance(routing, MetadataRouter) or routing.consumes("fit", [name]):
        return True
    if routing.fit.requests.get(name) is None:
        kind = type(model).__name__
        raise UnsetMetadataPassedError(
            message=f"{name} is passed, but {kind} does not say whether it asks for it; call "
            f"{kind}.set_fit_request({name}=True) or set_fit_request({name}=False).",
            unrequested_params={name: None},
            routed_params={},
        )
    return False


def weights_for(fit: MethodType, weights: Array) -> dict[str, Array]:
    """The argument `sample_weight` of an estimator's method, or ValueError if it has none."""
    if "sample_weight" not in inspect.signature(fit).parameters:
        name = type(fit.__self__).__name__
        raise ValueError(
            f"{name} takes no sample_weight; leave sample_weight and class_weight out, or choose another."
        )
    return {"sample_weight": weights}


def asks_for(model: EstimatorLike, method: str, name: str) -> bool:
    """Whether an estimator or a splitter asks for metadata, by scikit-learn's routing."""
    ask = getattr(model, "get_metadata_routing", None)
    return ask is not None and bool(ask().consumes(method, [name]))


def asking_for_all(model: EstimatorLike) -> Any:
    """The default estimator of a meta-estimator, with the requests that users cannot set on it."""
    if not is_routing():
        return model
    return model.set_fit_request(**dict.fromkeys(_metadata(model, "fit"), True))


def arguments(function: Any) -> list[str]:
    """Their names; none of what cannot be called or has no signature, as some compiled functions."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _metadata(model: EstimatorLike, method: str) -> list[str]:
    called = getattr(model, method, None)
    return [name for name in arguments(called) if name not in KNOWN] if callable(called) else []
