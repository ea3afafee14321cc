"""Read the available sources and build the data set from them.

Untrusted files are read here and nowhere else, in a guarded child (fetch_dataset.py): a file that hangs, exhausts
memory or crashes its reader makes its source unavailable and does not end the job.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from linclass_study.data.build_dataset import assemble, build_dataset
from linclass_study.data.content import Content
from linclass_study.data.dataset import Dataset, save_dataset
from linclass_study.data.entry_keys import dialect_of, format_of
from linclass_study.data.fetch_dataset import (
    AvailableSource,
    Failures,
    first_usable,
    offers,
    vocabulary_file,
)
from linclass_study.data.local_copies import SearchFolders
from linclass_study.entries import Entry
from linclass_study.errors import Unavailable, errors_as_unavailable, first_line
from linclass_study.files.unpack import at_most


class SourceReader:
    """Keeps the content that it has read and the data set that it has built."""

    def __init__(self, entry: Entry, folders: SearchFolders):
        self.entry, self.folders = entry, folders
        self.contents: dict[str, tuple[AvailableSource, Content]] = {}  # of 'source' and 'test'
        self.dataset: Dataset | None = None

    def __call__(self, method: str, *arguments: Any) -> str | None:
        """Call a method; why it failed, or None."""
        try:
            getattr(self, method)(*arguments)
        except Unavailable as reason:
            return str(reason)
        return None

    def read(self, part: str, source: AvailableSource) -> Content:
        """Content of the source or of the test set; the last one of each is kept."""
        last_read = self.contents.get(part)
        if last_read is None or last_read[0] != source:
            self.contents.pop(part, None)  # free its memory before the next one is read
            with errors_as_unavailable("it is unavailable"), at_most(self.folders.limits.megabytes):
                self.contents[part] = (source, self._content(source))
        return self.contents[part][1]

    def build(self, train: AvailableSource, test: AvailableSource | None = None) -> None:
        """Build the data set of training rows and test rows."""
        train_rows = self.read("source", train)
        test_rows = None if test is None else self.read("test", test)
        with errors_as_unavailable("it cannot be converted to a data set"):
            assembled = assemble(train_rows, test_rows, self.entry)
            if test is None:  # free the memory of columns that no other test set needs
                self.contents.clear()
                del train_rows
            self.dataset = build_dataset(assembled, self.entry)

    def save(self, label: str, failures: Failures, npz: str, json: str) -> None:
        save_dataset(self.finished(label, failures), npz, json)

    def finished(self, label: str, failures: Failures) -> Dataset:
        """The data set with its source and the failures before it."""
        assert self.dataset is not None
        self.dataset.source, self.dataset.attempts = label, failures
        return self.dataset

    def _content(self, available: AvailableSource) -> Content:
        if available.path is None:
            produced: Content = dict(offers(available.source, self.folders, available.is_last))[
                available.label
            ]()
            return produced
        entry, source, path = self.entry, available.source, available.path
        name = format_of(entry, source, path.name)
        if name is None:
            what = f"`format:` is missing and not known from the name {path.name}"
            raise Unavailable(f"{what}; add it")
        options = {**entry, **source, "csv": dialect_of(entry, source, path.name)}
        if "vocabulary" in source:  # some archives contain it
            options["vocabulary"] = lambda: vocabulary_file(
                source["vocabulary"], self.folders, available.is_last
            )
        with errors_as_unavailable(f"not readable as {name}"):
            parsed: Content = import_module(f"linclass_study.data.formats.{name}").read(
                path, options
            )
            return parsed


def obtain_dataset(entry: Entry, folders: SearchFolders) -> Dataset:
    """The data set from the first usable source, read in this process; its `attempts` hold the failures before it."""
    reader = SourceReader(entry, folders)

    def execute(*call: Any) -> str | None:
        try:
            return reader(*call)
        except MemoryError as error:  # in a guarded child the guard reports it
            return f"it needs more memory than is available ({first_line(error)})"

    return reader.finished(*first_usable(entry, folders, execute))
