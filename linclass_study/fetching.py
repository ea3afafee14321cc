"""What the rule `fetch` asks of a data set's entry, and what it writes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study import config as studies
from linclass_study import dataset
from linclass_study.code import ROOT


def fetch(
    name: str, entry: dict[str, Any], attempt: int, config: Mapping[str, Any], output: Any
) -> None:
    """Obtain a data set and save it, or save why it cannot be had; and say whether to try again."""
    mirrors = [Path(folder) for folder in studies.mirrors(config)]
    try:
        data = dataset.obtain(name, entry, mirrors, Path(config["downloads"]), ROOT)
        dataset.save(data, output.data, output.about)
        available = True
    except dataset.Unavailable as reason:
        print(f"unavailable: {reason}")
        dataset.save_unavailable(str(reason), output.data, output.about)
        available = False
    state = _state(config["results"], name)
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps({"next": attempt + (0 if available else 1)}))


def attempt(results: str, name: str) -> int:
    """A parameter of the rule: it moves on after a failure, which makes Snakemake fetch again."""
    try:
        return json.loads(_state(results, name).read_text())["next"]
    except (OSError, ValueError):
        return 1


def _state(results: str, name: str) -> Path:
    return Path(results) / "state" / f"{name}.json"


def local_files(entry: Mapping[str, Any], root: Path) -> list[str]:
    """The files that an entry names and that are there, beside the study or in the project."""
    found = []
    for source in [*_sources(entry.get("source")), *_sources(entry.get("test"))]:
        for folder in (Path(), root) if "file" in source else ():
            path = folder / source["file"]
            if path.is_file():
                found.append(os.path.relpath(path))
                break
    return found


def _sources(value: Any) -> list[dict[str, Any]]:
    return [s for s in (value if isinstance(value, list) else [value]) if isinstance(s, dict)]


def modules(entry: Mapping[str, Any]) -> list[str]:
    """The modules that an entry names: the kinds of its sources, and their formats."""
    sources = [*_sources(entry.get("source")), *_sources(entry.get("test"))]
    kinds = {kind for source in sources for kind in source if _is_part("sources", kind)}
    formats = {str(source.get("format", entry.get("format"))) for source in sources}
    return sorted(
        [f"linclass_study.sources.{kind}" for kind in kinds]
        + [f"linclass_study.formats.{name}" for name in formats if _is_part("formats", name)]
    )


def _is_part(folder: str, name: str) -> bool:
    return (Path(__file__).parent / folder / f"{name}.py").is_file()
