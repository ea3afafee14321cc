"""The number of a fetch, a parameter of the rule `fetch`: when it grows, Snakemake fetches again."""

from __future__ import annotations

import json
from pathlib import Path

from linclass_study.files.reading import read_json, read_mapping


def current_attempt(results: str, name: str) -> int:
    """The current number, 1 before any is stored."""
    try:
        return read_json(_state(results, name))["attempt"]
    except (OSError, ValueError, KeyError, TypeError):
        return 1


def increment(results: str, name: str) -> None:
    """Called when an unavailable data set has become available."""
    state = _state(results, name)
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps({"attempt": current_attempt(results, name) + 1}))


def was_unavailable(results: str, name: str) -> bool:
    """Whether its last fetch ended without data."""
    try:
        about = read_mapping(Path(results, "data", f"{name}.json"))
        return bool(about["status"] == "unavailable")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def became_available(results: str, name: str) -> bool:
    """Whether an unavailable data set has become available since its last fetch."""
    try:
        about = Path(results, "data", f"{name}.json").stat()
        return (
            was_unavailable(results, name)
            and _state(results, name).stat().st_mtime_ns > about.st_mtime_ns
        )
    except OSError:
        return False


def may_be_retried(results: str, name: str) -> bool:
    return was_unavailable(results, name) and not became_available(results, name)


def _state(results: str, name: str) -> Path:
    return Path(results) / "state" / f"{name}.json"
