"""Where and when a page was written, and the environments of its fits."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from linclass_study.analysis import study_file
from linclass_study.analysis.mixed_environments import mixed_environments
from linclass_study.analysis.outcome import Outcome
from linclass_study.processes import environment


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


def mixture(outcome: Outcome) -> list[str]:
    """Sentences on a ranking that mixes environments; none if it does not."""
    known = environment.recorded_environments(outcome.results)
    mixed = mixed_environments(outcome.fits, known)
    return mixed.sentences(str(outcome.results)) if mixed else []


def commits(machines: list[dict[str, str]]) -> dict[str, bool]:
    """Commits at which fits were made → whether files differed from them."""
    recorded = [commit for one in machines for commit in one.get("Commit", "").split(" or ")]
    known = [commit for commit in recorded if commit and commit != environment.NO_COMMIT]
    return {commit.split(",")[0]: "," in commit for commit in sorted(set(known))}
