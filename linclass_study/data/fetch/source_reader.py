"""Read the available sources and build the data set from them.

Untrusted files are read here and nowhere else, in a guarded child (fetch_dataset.py): a file that hangs, exhausts
memory or crashes its reader makes its source unavailable and does not end the job.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from linclass_study.data import dataset_file
from linclass_study.data.assembly.build_dataset import build_dataset
from linclass_study.data.content import Content
from linclass_study.data.dataset import Dataset
from linclass_study.data.entry.source_keys import format_of, kind_of
from linclass_study.data.fetch.available_sources import AvailableSource, companion_file
from linclass_study.data.fetch.failures import Failures
from linclass_study.data.places import Places
from linclass_study.data.readers import matrices
from linclass_study.data.unavailable import Unavailable, whatever_happens
from linclass_study.data.unpack.size_limit import at_most


class SourceReader:
    """Called with the name of a method and its arguments; returns why it failed, or ""."""

    def __init__(self, entry: Mapping[str, Any], places: Places):
        self.entry, self.places = entry, places
        self.held: dict[str, tuple[AvailableSource, Content]] = {}  # under 'source' and 'test'
        self.made: Dataset | None = None

    def __call__(self, order: str, *given: Any) -> str:
        try:
            getattr(self, order)(*given)
        except Unavailable as reason:
            return str(reason)
        return ""

    def read(self, part: str, found: AvailableSource) -> Content:
        """Content of the source or of the test set; the last one of each is kept."""
        held = self.held.get(part)
        if held is None or held[0] != found:
            self.held.pop(part, None)  # free its memory before the next one is read
            with whatever_happens("it is unavailable"), at_most(self.places.patience.megabytes):
                self.held[part] = (found, self._content(found))
        return self.held[part][1]

    def build(self, train: AvailableSource, test: AvailableSource | None) -> None:
        """Build the data set of a source and a test set, and keep it."""
        rows = self.read("source", train)
        others = None if test is None else self.read("test", test)
        with whatever_happens("no data set can be made of it"):
            self.made = build_dataset(rows, others, self.entry)

    def finish(self, label: str, failures: Failures) -> Dataset:
        """The data set with its source and the failures before it."""
        assert self.made is not None
        self.made.source, self.made.attempts = label, failures
        return self.made

    def save(self, label: str, failures: Failures, npz: str, json: str) -> None:
        """Save the data set in its two files."""
        dataset_file.save(self.finish(label, failures), npz, json)

    def _content(self, found: AvailableSource) -> Content:
        if found.path is None:
            module = import_module(f"linclass_study.data.sources.{kind_of(found.source)}")
            offers = dict(module.offers(found.source, self.places, found.is_last))
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
        options = {**entry, **source, "csv": {**entry.get("csv", {}), **source.get("csv", {})}}
        if "vocabulary" in source:  # some archives contain it
            options["vocabulary"] = lambda: companion_file(
                source["vocabulary"], "vocabulary", self.places, found.is_last
            )
        with whatever_happens(f"not readable as {name}"):
            return import_module(f"linclass_study.data.formats.{name}").read(found.path, options)
