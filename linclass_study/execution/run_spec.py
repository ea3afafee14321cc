"""What a study specifies for the runs of a method, known before the data, and what its fits depend on.

A fit depends on its rows, its seed, and the *recipe* of its method: classifier, parameters, transforms, how it is
tuned, and the code that it uses. It depends neither on the names of data set and method (but for the seed, a function
of the data set's name), nor on other protocols, the number of repeats, or limits that it does not exceed.
"""

from __future__ import annotations

from collections.abc import Mapping
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
