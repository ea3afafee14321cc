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

from linclass_study.data.download_limits import DownloadLimits
from linclass_study.data.fetch.fetch_dataset import reason_unavailable
from linclass_study.job import die_with_parent

AT_ONCE = 8


def available_now(entries: Mapping[str, Any], config: Mapping[str, Any]) -> list[str]:
    """Names of the entries whose data are available now."""
    options = {key: config[key] for key in ("mirrors", "downloads", "limits")}
    with ThreadPoolExecutor(AT_ONCE) as threads:
        results = threads.map(lambda name: _is_available(name, entries[name], options), entries)
        return [name for name, is_available in zip(entries, results, strict=True) if is_available]


def _is_available(name: str, entry: Any, options: Mapping[str, Any]) -> bool:
    command = [sys.executable, "-m", __spec__.name, json.dumps([name, entry, options], default=str)]
    try:
        seconds = options["limits"]["download_seconds"]
        return not subprocess.run(
            command, capture_output=True, timeout=seconds, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return False


def main(name: str, entry: dict[str, Any], options: Mapping[str, Any]) -> None:
    die_with_parent()
    one_try = replace(DownloadLimits.of(options["limits"]), pauses=(), unreachable=0)
    sys.exit(reason_unavailable(name, entry, options, one_try, output=None) or 0)


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
