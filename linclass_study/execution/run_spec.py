"""What a study specifies for the runs of a method, known before the data, and what its fits depend on.

A fit depends on its rows, its seed, and the *recipe* of its method: classifier, parameters, transforms, how it is
tuned, and the code that it uses. It depends neither on the names of data set and method (but for the seed, a function
of the data set's name), nor on other protocols, the number of repeats, or limits that it does not exceed.

The first fit of the first protocol that has folds also records details: its regularization path and the steps of its
solver. They are computed in a separate call after the fit, so they do not count towards its times, and a failure does
not affect its row or its predictions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from linclass_study.execution.run_files import digest_of
from linclass_study.pipeline.protocols import selected_protocols

OF_FOLDS = {"protocols", "cv_rows", "folds", "repeats", "seed"}  # keys that select rows and seeds
OF_TUNING = {"inner_folds", "tune_metric", "tune_rule"}


@dataclass(frozen=True)
class RunSpec:
    """What the study specifies.

    entry        of the method
    code         digest of the code that its fits use
    evaluation   without keys on which no fit depends
    limits       of time and memory of a fit
    tables       digest of the code that writes the tables of a run
    """

    entry: Mapping[str, Any]
    code: str
    evaluation: Mapping[str, Any]
    limits: Mapping[str, float] = field(default_factory=dict)
    tables: str = ""

    @cached_property
    def asked(self) -> str:
        """Digest of everything. If nothing is tuned, only traces of solvers have the metric of the tuning."""
        unused = set() if self._tuned else OF_TUNING
        if self.evaluation.get("traces"):
            unused = unused - {"tune_metric"}
        used = {key: value for key, value in self.evaluation.items() if key not in unused}
        return digest_of(self.entry, self.code, used, self.limits, self.tables)

    @cached_property
    def parts(self) -> dict[str, str]:
        """Digest of each part of the recipe, to say which has changed."""
        beside = {"traces"} | OF_FOLDS | (set() if self._tuned else OF_TUNING)
        tuning = {key: value for key, value in self.evaluation.items() if key not in beside}
        return {"entry": digest_of(self.entry), "code": self.code, "evaluation": digest_of(tuning)}

    @cached_property
    def recipe(self) -> str:
        return digest_of(self.parts)

    @cached_property
    def protocols(self) -> dict[str, str]:
        """Protocol → digest of what determines the rows and seeds of its fits, but for the data."""
        drawn = [self.evaluation.get(key) for key in ("seed", "cv_rows")]
        selected = selected_protocols(self.evaluation)
        return {
            name: digest_of({k: v for k, v in options.items() if k != "repeats"}, *drawn)
            for name, options in selected.items()
        }

    @property
    def _tuned(self) -> bool:
        return bool(self.entry.get("tune"))


GRID = "grid "  # begins the extra of a fit that predicts the points of the plane


def extras_of(
    entry: Mapping[str, Any], traced: str, on_plane: str, fit: tuple[str, int, int], grid: str
) -> tuple[str, ...]:
    """What is computed beside a fit (protocol, repeat, fold) of the first repeat of the protocol `on_plane`.

    These are predictions on the plane, whose points have the digest `grid` ('' without a plane), and of the first fold
    the details that the method has; only linclass's own classifiers have any. `traced` is the metric of traces; ''
    without traces.
    """
    protocol, repeat, fold = fit
    if repeat or protocol != on_plane:
        return ()
    found = [f"{GRID}{grid}"] if grid else []
    if not fold and entry["classifier"].startswith("linclass."):
        found += ["paths"] if "strength" in (entry.get("tune") or {}) else []
        found += [f"traces {traced}"] if traced else []
    return tuple(found)


def without(
    kept: Mapping[str, Any],
    made: Collection[str],
    needed: Collection[str],
    entry: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Tables of a fit without the details that are not needed; None if they cannot be had from what was made.

    A trace with the metric of the held-out rows has taken the place of one that the method records itself.
    """
    more = {extra.partition(" ")[0] for extra in {*made} - {*needed}}
    if {*needed} - {*made} or ("traces" in more and (entry.get("params") or {}).get("trace")):
        return None
    return {name: columns for name, columns in kept.items() if name not in more}
