"""The job of the rule `fetch`: obtain a data set and save it, or save why it is unavailable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from linclass_study.data.download_limits import DownloadLimits
from linclass_study.data.fetch.failures import describe
from linclass_study.data.fetch.reader_commands import Command, Result, Save
from linclass_study.data.fetch.try_sources import first_usable
from linclass_study.data.search_folders import SearchFolders, mirrors
from linclass_study.data.unavailable import Unavailable, errors_as_unavailable
from linclass_study.processes.guard import Guard
from linclass_study.project import ROOT

READER = "linclass_study.data.fetch.source_reader:SourceReader"


def fetch_dataset(name: str, entry: dict[str, Any], config: Mapping[str, Any], output: Any) -> None:
    """Obtain a data set and save it, or save why it is unavailable."""
    if reason := reason_unavailable(
        name, entry, config, DownloadLimits.of(config["limits"]), output
    ):
        from linclass_study.data.dataset_file import (
            save_unavailable,  # slow to import, rarely needed
        )

        print(f"unavailable: {reason}")
        save_unavailable(reason, output.data, output.about)


def is_available_now(name: str, entry: dict[str, Any], config: Mapping[str, Any]) -> bool:
    """Whether one try without pauses gets the data; the files that it downloads stay in the downloads folder."""
    one_try = replace(DownloadLimits.of(config["limits"]), pauses=(), unreachable=0)
    reason = reason_unavailable(name, entry, config, one_try, output=None)
    print(f"unavailable: {reason}" if reason else "available")
    return reason is None


def reason_unavailable(
    name: str,
    entry: dict[str, Any],
    config: Mapping[str, Any],
    download_limits: DownloadLimits,
    output: Any,
) -> str | None:
    """Save the data set (if `output` is given) and return None, or return why it is unavailable.

    This process finds and downloads files; a guarded child reads them, so a file that crashes its reader is a reason
    like any other.
    """
    limits, copies = config["limits"], [Path(folder) for folder in mirrors(config)]
    folders = SearchFolders(copies, Path(config["downloads"]), ROOT, download_limits)
    arguments = {"entry": entry, "folders": folders}
    guard = Guard(
        READER, arguments, limits["read_seconds"], limits["read_memory_mb"], work="read", fork=True
    )

    def execute(command: Command) -> Result:
        answer = guard.call(command)  # the reader's result, or how its process ended
        return answer.value if answer.kind == "ok" else Result(answer.value)

    try:
        with guard, errors_as_unavailable("it cannot be fetched"):
            label, before = first_usable(entry, folders, execute)
            print(f"{name} from {label}", f"; before: {describe(before)}" if before else "")
            save = Save(label, before, output.data, output.about) if output else None
            return execute(save).reason if save else None
    except Unavailable as reason:
        return str(reason)
