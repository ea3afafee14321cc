"""Read the available sources and build the data set from them.

Untrusted files are read here and nowhere else, in a guarded child (fetch_dataset.py): a file that hangs, exhausts
memory or crashes its reader makes its source unavailable and does not end the job.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from linclass_study.data import matrices
from linclass_study.data.build_dataset import build_dataset
from linclass_study.data.content import Content
from linclass_study.data.dataset import Dataset, save_dataset
from linclass_study.data.entry_keys import dialect_of, format_of, source_kind
from linclass_study.data.fetch_dataset import (
    AvailableSource,
    Build,
    Command,
    Read,
    Result,
    Save,
    companion_file,
    first_usable,
)
from linclass_study.data.search_folders import DownloadLimits, SearchFolders
from linclass_study.data.unavailable import Failures, Unavailable, errors_as_unavailable, first_line
from linclass_study.data.unpack import at_most


class SourceReader:
    """Executes commands; keeps the content that it has read and the data set that it has built."""

    def __init__(self, entry: Mapping[str, Any], folders: SearchFolders):
        self.entry, self.folders = entry, folders
        self.contents: dict[str, tuple[AvailableSource, Content]] = {}  # of 'source' and 'test'
        self.dataset: Dataset | None = None

    def __call__(self, command: Command) -> Result:
        try:
            match command:
                case Read(part, source):
                    self._read(part, source)
                case Build(train, test):
                    self._build(train, test)
                case Save(label, failures, npz, json):
                    save_dataset(self.finished(label, failures), npz, json)
        except Unavailable as reason:
            return Result(str(reason))
        return Result()

    def finished(self, label: str, failures: Failures) -> Dataset:
        """The data set with its source and the failures before it."""
        assert self.dataset is not None
        self.dataset.source, self.dataset.attempts = label, failures
        return self.dataset

    def _read(self, part: str, found: AvailableSource) -> Content:
        """Content of the source or of the test set; the last one of each is kept."""
        kept = self.contents.get(part)
        if kept is None or kept[0] != found:
            self.contents.pop(part, None)  # free its memory before the next one is read
            with errors_as_unavailable("it is unavailable"), at_most(self.folders.limits.megabytes):
                self.contents[part] = (found, self._content(found))
        return self.contents[part][1]

    def _build(self, train: AvailableSource, test: AvailableSource | None) -> None:
        train_rows = self._read("source", train)
        test_rows = None if test is None else self._read("test", test)
        with errors_as_unavailable("it cannot be converted to a data set"):
            self.dataset = build_dataset(train_rows, test_rows, self.entry)

    def _content(self, found: AvailableSource) -> Content:
        if found.path is None:
            module = import_module(f"linclass_study.data.sources.{source_kind(found.source)}")
            offers = dict(module.offers(found.source, self.folders, found.is_last))
            content = offers[found.label]()
        else:
            content = self._parsed(found)
        return matrices.with_matrices(content, found.matrices) if found.matrices else content

    def _parsed(self, found: AvailableSource) -> Content:
        assert found.path is not None
        entry, source = self.entry, found.source
        name = format_of(entry, source, found.path.name)
        if name is None:
            raise Unavailable(
                f"`format:` is missing and not known from the name {found.path.name}; add it"
            )
        options = {**entry, **source, "csv": dialect_of(entry, source, found.path.name)}
        if "vocabulary" in source:  # some archives contain it
            options["vocabulary"] = lambda: companion_file(
                source["vocabulary"], "vocabulary", self.folders, found.is_last
            )
        with errors_as_unavailable(f"not readable as {name}"):
            return import_module(f"linclass_study.data.formats.{name}").read(found.path, options)


# A data set in this process, for scripts and tests; a study fetches it in a guarded child (fetch_dataset.py).


def obtain_dataset(
    entry: Mapping[str, Any],
    mirrors: list[Path],
    downloads: Path,
    root: Path,
    limits: DownloadLimits = DownloadLimits(),  # noqa: B008 – it is frozen
) -> Dataset:
    """The data set from the first usable source; its `attempts` hold the failures before it.

    A test set has sources of its own; the digest covers both sets.
    """
    folders = SearchFolders(mirrors, Path(downloads), Path(root), limits)
    reader = SourceReader(entry, folders)

    def execute(command: Command) -> Result:
        try:
            return reader(command)
        except MemoryError as error:  # in a guarded child the guard reports it
            return Result(f"it needs more memory than is available ({first_line(error)})")

    return reader.finished(*first_usable(entry, folders, execute))
