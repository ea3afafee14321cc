"""The job of the rule `fetch`: obtain a data set and save it, or save why it is unavailable."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.data.fetch import failures
from linclass_study.data.fetch.try_sources import first_usable
from linclass_study.data.patience import Patience
from linclass_study.data.places import Places, mirrors
from linclass_study.data.unavailable import Unavailable, whatever_happens
from linclass_study.guard import Guard
from linclass_study.project import ROOT

READER = "linclass_study.data.fetch.source_reader:SourceReader"


def fetch_dataset(name: str, entry: dict[str, Any], config: Mapping[str, Any], output: Any) -> None:
    """Obtain a data set and save it, or save why it is unavailable."""
    if reason := reason_unavailable(name, entry, config, Patience.of(config["limits"]), output):
        from linclass_study.data.dataset_file import (
            save_unavailable,  # slow to import, rarely needed
        )

        print(f"unavailable: {reason}")
        save_unavailable(reason, output.data, output.about)


def reason_unavailable(
    name: str, entry: dict[str, Any], config: Mapping[str, Any], patience: Patience, output: Any
) -> str:
    """Save the data set (if `output` is given) and return "", or return why it is unavailable.

    This process finds and downloads files; a guarded child reads them, so a file that crashes its reader is a reason
    like any other.
    """
    limits, copies = config["limits"], [Path(folder) for folder in mirrors(config)]
    places = Places(copies, Path(config["downloads"]), ROOT, patience)
    given = {"entry": entry, "places": places}
    guard = Guard(READER, given, limits["read_seconds"], limits["read_memory_mb"], work="read")

    def ask(*order: Any) -> str:
        return guard.call(*order).value  # the reader's answer, or how it ended

    try:
        with guard, whatever_happens("it cannot be fetched"):
            label, before = first_usable(entry, places, ask)
            print(
                f"{name} from {label}", f"; before: {failures.one_line(before)}" if before else ""
            )
            return ask("save", label, before, output.data, output.about) if output else ""
    except Unavailable as reason:
        return str(reason)
