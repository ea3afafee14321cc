"""Check the selected entries before any work: data sets have sources, methods can be constructed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from linclass_study.config.catalogues import at_their_origin
from linclass_study.config.column_check import column_problems
from linclass_study.config.kept_checks import problems_of_method
from linclass_study.config.source_lines import Problem, SourceLines
from linclass_study.config.yaml_file import read_yaml
from linclass_study.data.entry.entry_check import entry_problems
from linclass_study.data.search_folders import SearchFolders

Entry = Mapping[str, Any]


def check_entries(
    kind: str,
    selected: Mapping[str, Entry],
    own: Mapping[str, str],
    mirrors: Iterable[str],
    root: Path,
    written: SourceLines,
) -> None:
    """Refuse what is wrong with them, by its key in the study's files or, of an entry that is not `own`, in the
    catalogue.
    """
    problems = problems_of_method if kind == "methods" else _of_datasets(mirrors, root)
    found: dict[bool, list[Problem]] = {True: [], False: []}  # of own entries, of the catalogue's
    for name, entry in selected.items():
        found[name in own] += [([name, *keys], text) for keys, text in problems(entry)]
    path = root / "config" / f"{kind}.yaml"
    content = read_yaml(path)
    SourceLines(content, {path: content}).refuse(found[False])
    written.refuse(at_their_origin(found[True], own), ("define", kind))


def _of_datasets(mirrors: Iterable[str], root: Path) -> Callable[[Entry], Iterable[Problem]]:
    places = [Path(folder) for folder in mirrors]
    folders = SearchFolders(places, root=root)

    def problems(entry: Entry) -> Iterable[Problem]:
        found = list(entry_problems(entry, places, root))
        if any(path != ["costs"] for path, _ in found):
            return found
        in_file = list(
            column_problems(entry, folders)
        )  # it has the classes, which costs may misname
        return in_file if any(path == ["costs"] for path, _ in in_file) else [*found, *in_file]

    return problems
