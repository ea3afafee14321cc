"""Check the selected entries before any work: data sets have sources, methods can be constructed.

The checks of a method are cached for the next process, as importing scikit-learn takes a second. They are made again
when the entry, the code of linclass, Python or the installed libraries change; classes in modules of the study itself
are always checked.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.config import code, estimator_check, method_check
from linclass_study.config.catalogues import at_their_origin
from linclass_study.config.module_files import files_of
from linclass_study.data.build_dataset import assemble, build_dataset
from linclass_study.data.content import Columns
from linclass_study.data.content_to_table import Measurements, class_codes, column_named
from linclass_study.data.dataset import Dataset
from linclass_study.data.entry_check import entry_problems
from linclass_study.data.entry_keys import dialect_of, format_of, named_columns
from linclass_study.data.labels import cost_matrix, label_column, lookup
from linclass_study.data.local_copies import SearchFolders
from linclass_study.entries import Entry, Problem, Problems, as_list
from linclass_study.errors import Unavailable, errors_as_unavailable, one_line
from linclass_study.files.digests import short_digest
from linclass_study.files.disk_cache import computed_once, state_of_project
from linclass_study.files.yaml_file import SourceLines, read_yaml
from linclass_study.project import OURS, ROOT


def checked_method(entry: Entry) -> dict[str, Any]:
    """problems: of method_check.method_problems; idle: of estimator_check.without_effect; facts: of
    estimator_check.parameter_facts, {} of an entry that is wrong."""

    def check() -> dict[str, Any]:
        problems = [*method_check.method_problems(entry)]
        checked: dict[str, Any] = {"problems": problems, "idle": [], "facts": {}}
        if not problems:
            checked["idle"] = estimator_check.without_effect(entry)
            with suppress(Exception):  # of get_params of any library
                checked["facts"] = estimator_check.parameter_facts(entry)
        return checked

    try:
        state = [*_dependencies(entry)]
        text = json.dumps(entry, sort_keys=False)
    except (ValueError, TypeError, OSError, ImportError):  # a wrong entry
        return check()
    if not state:
        return check()
    return dict(computed_once(f"check {sys.prefix} {short_digest(text)}", state, check))


def _dependencies(entry: Entry) -> Iterator[Any]:
    """What the check depends on in addition to the entry; nothing if it must not be cached."""
    modules = {
        module for module in code.modules_named(entry) if module.partition(".")[0] not in OURS
    }
    places = {}
    for name in sorted({module.partition(".")[0] for module in modules}):
        spec = find_spec(name)
        if spec is None or not spec.has_location or files_of(name):
            return
        places[str(spec.origin)] = Path(str(spec.origin)).parent.parent  # site-packages
    for origin, folder in places.items():
        yield origin
        yield from (os.stat(path).st_mtime_ns for path in (origin, folder))
    yield state_of_project()


def check_entries(
    kind: str,
    selected: Mapping[str, Entry],
    own_names: Mapping[str, str],
    folders: SearchFolders,
    written: SourceLines,
) -> None:
    """Refuse invalid entries, with the line of the study's file or, if their names are not in `own_names`, of the
    catalogue.
    """
    problems_of: dict[bool, list[Problem]] = {
        True: [],
        False: [],
    }  # of own entries, of the catalogue's
    data = kind == "datasets"
    for name, entry in selected.items():
        problems = dataset_problems(entry, folders) if data else checked_method(entry)["problems"]
        problems_of[name in own_names] += [([name, *keys], text) for keys, text in problems]
    path = ROOT / "config" / f"{kind}.yaml"
    content = read_yaml(path)
    SourceLines(content, {path: content}).refuse(problems_of[False])
    written.refuse(at_their_origin(problems_of[True], own_names), ("define", kind))


def dataset_problems(entry: Entry, folders: SearchFolders) -> Iterable[Problem]:
    of_entry = list(entry_problems(entry, folders))
    if any(path != ["costs"] for path, _ in of_entry):
        return of_entry
    in_file = [*column_problems(entry, folders)]  # has the classes, which costs may misname
    return in_file if any(path == ["costs"] for path, _ in in_file) else [*of_entry, *in_file]


# Check the columns and classes that an entry names against its local file, before any work.

KEYS = ("target", "group", "drop", "categorical", "texts")
OF_CLASSES = ("classes", "positive", "costs")
MAX_CHECKED_BYTES = 2e7  # bytes of a file that is read for the names of its classes
LARGE = 5e6  # bytes of a file that is read although the entry names no class


@dataclass(frozen=True)
class LocalFile:
    """A single source that is a file and is there, in a format that begins with its columns."""

    path: Path
    name: str  # as the entry has it
    reader: Any  # the module of its format
    dialect: dict[str, Any]

    @classmethod
    def of(cls, entry: Entry, folders: SearchFolders) -> LocalFile | None:
        """The file of an entry; None if it does not exist, or if the entry has other sources to try."""
        (source, *others) = as_list(entry["source"])
        path = None if others or "file" not in source else folders.local(source["file"])
        kind = None if path is None else format_of(entry, source, source["file"])
        if path is None or kind is None:
            return None
        reader = import_module(f"linclass_study.data.formats.{kind}")
        dialect = dialect_of(entry, source, source["file"])
        is_table = hasattr(reader, "header_columns")
        return cls(path, source["file"], reader, dialect) if is_table else None

    def content(self, entry: Entry, largest: float = LARGE) -> Columns | None:
        """Columns of the file; None if its rows stay there or it is larger."""
        with errors_as_unavailable("it cannot be read"):
            if self.path.stat().st_size <= largest:
                content = self.reader.read(self.path, {**entry, "csv": self.dialect})
                return content if isinstance(content, Columns) else None
        return None


def column_problems(entry: Entry, folders: SearchFolders) -> Problems:
    """(path of keys, sentence) for a file whose columns cannot be read, or for each column that it does not have."""
    file = LocalFile.of(entry, folders)
    if file is None:
        return
    try:
        columns = file.reader.header_columns(file.path, file.dialect)
    except Unavailable as error:
        yield ["source"], f"'{file.name}': {error}"
        return
    misnamed = False
    for key in KEYS:
        named = entry.get(key)
        for i, name in enumerate(as_list(named)):
            try:
                column_named(name, columns, key)
            except Unavailable as error:
                misnamed = True
                yield (
                    [key, i] if isinstance(named, list) else [key],
                    str(error).partition(": ")[2],
                )
    if not misnamed and "target" in entry and "test" not in entry:
        yield from _class_problems(entry, file)


def small_dataset(
    entry: Entry, folders: SearchFolders
) -> tuple[Dataset | str, list[str], list[str]]:
    """(training rows of a small local file, columns of texts, columns of categories).

    In place of the rows is the reason if the fetch will refuse the file, and '' if there is no such file.
    """
    texts = [*map(str, as_list(entry.get("texts")))]
    categories = [*map(str, as_list(entry.get("categorical")))]
    file = LocalFile.of(entry, folders)
    try:
        if file is None or (content := file.content(entry)) is None:
            return "", texts, categories
        others = named_columns(entry, KEYS)
        texts_of_file = content.frame.select(pl.col(pl.String)).columns
        categories += [name for name in texts_of_file if name not in others]
        without_test = {key: value for key, value in entry.items() if key not in ("digest", "test")}
        assembled = assemble(content, None, without_test)
        return build_dataset(assembled, without_test), texts, categories
    except Exception as error:
        return one_line(error), texts, categories


def _class_problems(entry: Entry, file: LocalFile) -> Problems:
    """(path of keys, sentence) for a target of measurements, or for the first class that the file does not have,
    if the file is small.
    """
    try:
        content = file.content(entry, MAX_CHECKED_BYTES if {*OF_CLASSES} & {*entry} else LARGE)
        if content is None:
            return
        classes = class_codes(label_column([content.frame[str(entry["target"])]]), entry)[1]
        if "positive" in entry:
            lookup(entry["positive"], classes, "positive")
        cost_matrix(entry, classes)
    except Unavailable as error:
        key, _, sentence = str(error).partition(": ")
        if key in OF_CLASSES:
            yield [key], sentence
        elif isinstance(error, Measurements):  # else the data set will be unavailable
            yield ["target"], str(error)
