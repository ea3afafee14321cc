"""The files of a study's own modules: what its estimators, transforms, features and metrics by import path are made of.

They are recorded with the study, so that others can run it again. Installed libraries are not among them, editable ones
neither.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from linclass.evaluation import metrics
from linclass_study.config import code
from linclass_study.config.module_files import OURS
from linclass_study.pipeline.own_metrics import own_metrics
from linclass_study.project import ROOT

if TYPE_CHECKING:
    from linclass_study.config.config import Study

# Its name below the folder of the study, its path, and the digest of its content.
OwnModule = tuple[str, str, str]


def own_modules(study: Study) -> list[OwnModule]:
    """All Python files below the working directory or PYTHONPATH that the study imports, without linclass; by name."""
    files, _ = code.closure([], dict.fromkeys(_named(study)))
    ours = [ROOT / name for name in OURS]
    own = [path for path in files if not any(path.is_relative_to(folder) for folder in ours)]
    places = {path: place for path in own if path.suffix == ".py" and (place := _place(path))}
    return sorted((place, str(path), _digest(path)) for path, place in places.items())


def _named(study: Study) -> Iterator[str]:
    """Modules that the entries and the evaluation name."""
    for entry in study.methods.values():
        yield from code.modules_of_method(entry, study.evaluation["tune_metric"])
        yield from code.modules_of_features(entry.get("features") or [])
    for metric in own_metrics(study.evaluation):
        yield from metrics.modules_of(metric)


def _place(path: Path) -> str:
    """The path below the working directory or a folder of PYTHONPATH; empty for an editable install."""
    folders = [Path(), *map(Path, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
    roots = [folder.absolute() for folder in folders]
    found = (path.relative_to(root) for root in roots if path.is_relative_to(root))
    return next((place.as_posix() for place in found), "")


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
