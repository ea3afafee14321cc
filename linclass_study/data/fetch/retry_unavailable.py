"""Retry unavailable data sets before the jobs that depend on them are planned.

A job that retried would trigger all jobs downstream, whatever its outcome. So the main process tries each unavailable
data set once, without pauses, in a subprocess of its own. Downloaded files stay in the downloads folder, and only data
sets that are available now get jobs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from linclass_study.data.fetch.fetch_dataset import reason_unavailable
from linclass_study.data.patience import Patience
from linclass_study.job import die_with_parent

AT_ONCE = 8


def available_now(entries: Mapping[str, Any], config: Mapping[str, Any]) -> list[str]:
    """Names of the entries whose data are available now."""
    place = {key: config[key] for key in ("mirrors", "downloads", "limits")}
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = threads.map(lambda name: _ask(name, entries[name], place), entries)
        return [name for name, had in zip(entries, answers, strict=True) if had]


def _ask(name: str, entry: Any, place: Mapping[str, Any]) -> bool:
    asked = [sys.executable, "-m", __spec__.name, json.dumps([name, entry, place], default=str)]
    try:
        seconds = place["limits"]["download_seconds"]
        return not subprocess.run(
            asked, capture_output=True, timeout=seconds, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return False


def main(name: str, entry: dict[str, Any], place: Mapping[str, Any]) -> None:
    die_with_parent()
    hasty = replace(Patience.of(place["limits"]), pauses=(), unreachable=0)
    sys.exit(reason_unavailable(name, entry, place, hasty, output=None) or 0)


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
