"""Where and when a page was written, the environments of its fits, and the configuration to run the study again."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from linclass_study.analysis import study_file
from linclass_study.analysis.outcome import Outcome
from linclass_study.entries import leaves, named_steps
from linclass_study.files import environment
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import DEFAULT_STUDY, ROOT
from linclass_study.protocols import own_metrics


def provenance() -> dict[str, str]:
    """Time and environment of this process."""
    written = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    return {"Written": written, **environment.environment()}


def environments_of_machines(results: Path, here: dict[str, str]) -> list[dict[str, str]]:
    """Environment of each machine that fitted; `here` if the results do not record it."""
    found = environment.of_machines(results)
    if not found:
        return [here]
    return [{"Written": here["Written"], **found[0]}, *found[1:]]


def hashed_modules(results: Path) -> dict[str, str]:
    """Name of each of the study's own modules → SHA-256 of its text, as `sha256sum` prints it."""
    if not (results / study_file.NAME).exists():
        return {}
    study = study_file.read_study(results)
    own = study.files.keys() - {name for names in study.studies for name in names}
    return {name: hashlib.sha256(study.files[name].encode()).hexdigest() for name in sorted(own)}


def commits(machines: list[dict[str, str]]) -> dict[str, bool]:
    """Commits at which fits were made → whether files differed from them."""
    recorded = [commit for one in machines for commit in one.get("Commit", "").split(" or ")]
    known = [commit for commit in recorded if commit and commit != environment.NO_COMMIT]
    return {commit.split(",")[0]: "," in commit for commit in sorted(set(known))}


def configuration(outcome: Outcome) -> str:
    """The study with all its entries, as YAML that can be run again: those that are not the catalogue's are defined."""
    kinds = {"datasets": outcome.datasets, "methods": outcome.methods}
    own = {kind: _not_in_catalogue(kind, entries) for kind, entries in kinds.items()}
    own = {kind: entries for kind, entries in own.items() if entries}
    plain: dict[str, Any] = {kind: list(entries) for kind, entries in kinds.items()}
    plain |= {"evaluation": outcome.evaluation, "limits": outcome.limits}
    plain |= {"figure_style": outcome.figure_style} if outcome.figure_style else {}
    plain |= {"define": own} if own else {}
    plain = json.loads(json.dumps(plain))
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=96)


def data_files(outcome: Outcome) -> list[str]:
    """Files of the data sets that are not in the catalogue."""
    entries = _not_in_catalogue("datasets", outcome.datasets).values()
    found = (value for entry in entries for path, value in leaves(entry) if path[-1] == "file")
    return list(dict.fromkeys(map(str, found)))


def foreign_modules(outcome: Outcome) -> list[str]:
    """Modules and packages, beyond linclass and scikit-learn, that metrics and methods beside the catalogue name."""
    paths = own_metrics(outcome.evaluation)
    for entry in _not_in_catalogue("methods", outcome.methods).values():
        steps = [*(entry.get("transforms") or []), *(entry.get("features") or [])]
        paths += [name for name, _ in named_steps(steps)]
        paths += [str(value) for path, value in leaves(entry) if path[-1] == "classifier"]
    modules = (path.partition(".")[0] for path in paths if "." in path)
    return [name for name in dict.fromkeys(modules) if name not in ("linclass", "sklearn")]


def _not_in_catalogue(kind: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    """A study cannot define a name of the catalogue again, so names tell."""
    return {name: entry for name, entry in entries.items() if name not in _catalogue(kind)}


@cache
def _catalogue(kind: str) -> Mapping[str, Any]:
    return read_yaml(ROOT / "config" / f"{kind}.yaml")


def snakemake_command(files: Iterable[str]) -> str:
    """The command that runs a study of these YAML files; the default one needs no name."""
    names = [file for file in files if Path(file).resolve() != DEFAULT_STUDY]
    return shlex.join(["snakemake", *(["--configfile", *names] if names else [])])
