"""Where and when a page was written, and the environments of its fits."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from linclass_study import environment


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


def commits(machines: list[dict[str, str]]) -> dict[str, bool]:
    """Commits at which fits were made → whether files differed from them."""
    recorded = [commit for one in machines for commit in one.get("Commit", "").split(" or ")]
    known = [commit for commit in recorded if commit and commit != environment.NO_COMMIT]
    return {commit.split(",")[0]: "," in commit for commit in sorted(set(known))}
