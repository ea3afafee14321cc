"""The job of the rule `fetch`: try the sources in order, and save the data set or save why it is unavailable.

This process finds and downloads files, but does not read them. A guarded child (source_reader.py) does, so that a file
that crashes its reader is a reason like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from linclass_study.data.entry_keys import FILES, source_kind
from linclass_study.data.local_copies import (
    DownloadLimits,
    SearchFolders,
    mirrors,
    name_in_mirror,
    place_of,
    with_checksum,
)
from linclass_study.entries import Entry, as_list
from linclass_study.errors import Unavailable, errors_as_unavailable
from linclass_study.processes.guard import Guard
from linclass_study.project import ROOT

# What a source offers, in the order in which it should be tried: (label, function). The function returns the path of a
# file, or the content that was produced, or raises Unavailable with the reason.
Offers = Iterator[tuple[str, Callable[[], Any]]]

PRODUCED = "linclass_study.data.produced_rows"  # imported only where it is needed


def offers(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    """`is_last` says that no other source remains, so that downloads are retried."""
    kind = source_kind(source)
    if kind not in FILES:
        return iter(import_module(PRODUCED).OFFERS[kind](source, folders, is_last))
    return (_of_file if kind == "file" else _of_url)(source, folders, is_last)


def _of_file(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    """A local file, relative to the study or to the project; a bare name is also searched in the mirrors."""
    name = source["file"]
    paths = folders.found(name)
    for path in paths:
        label = name if path == folders.local(name) else str(path)
        yield label, partial(with_checksum, path, source.get("sha256"))
    if not paths:
        yield name, partial(_refuse, "there is no such file")


def _of_url(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    """A published file: an earlier download, else a copy in a mirror, else from the network."""
    url, sha256 = source["url"], source.get("sha256")
    try:
        target, name = place_of(url, folders.downloads), name_in_mirror(url)
    except ValueError:
        yield url, partial(_refuse, "invalid URL")
        return
    copies = [copy for copy in (target, folders.downloads / name) if copy.is_file()]
    for path in [*copies, *folders.mirrored(name)]:
        yield f"{url} (copy in {path.parent})", partial(with_checksum, path, sha256)

    def downloaded() -> Path:
        from linclass_study.data.download import download  # slow to import

        return download(url, target, sha256, retry=is_last, limits=folders.limits)

    yield url, downloaded


def _refuse(reason: str) -> None:
    raise Unavailable(reason)


# Reasons why sources are unavailable, in the order in which they were tried.
Failures = list[dict[str, str]]

READER = "linclass_study.data.source_reader:SourceReader"

# A call of a SourceReader, here or in a guarded child: the name of its method, with arguments. It returns why the
# method failed, or None.
Execute = Callable[..., str | None]


@dataclass(frozen=True)
class AvailableSource:
    """What is needed to read one source: its file, or only its keys where the kind of source produces rows itself."""

    label: str  # its name in messages
    source: Mapping[str, Any]
    path: Path | None
    is_last: bool  # no other source is left, so downloads are retried


def available_sources(
    sources: Any, folders: SearchFolders, failures: Failures, is_last: bool = True, **options: Any
) -> Iterator[AvailableSource]:
    """Yield each available source, with `options`; append the reasons for the others to `failures`. `is_last` says that
    no other source is left after these."""
    sources = as_list(sources)
    for i, source in enumerate(sources, 1):
        last = is_last and i == len(sources)
        for label, get in offers(source, folders, last):
            try:
                with errors_as_unavailable("it is unavailable"):
                    path = get() if source_kind(source) in FILES else None
            except Unavailable as reason:
                add_failure(failures, label, reason)
            else:
                yield AvailableSource(label, {**source, **options}, path, last)


def vocabulary_file(sources: Any, folders: SearchFolders, is_last: bool) -> Path:
    """The file of the words of a source; `is_last` says that no other source is left."""
    failures: Failures = []
    for available in available_sources(sources, folders, failures, is_last):
        if available.path is not None:
            return available.path
        add_failure(failures, available.label, "it is not a file")
    raise Unavailable(f"its vocabulary is unavailable: {describe(failures)}")


def first_usable(entry: Entry, folders: SearchFolders, execute: Execute) -> tuple[str, Failures]:
    """(label of the first usable source, failures before it); the reader then holds the data set.

    Each source of a test set is tried with each source of the training set.
    """
    failures: Failures = []

    def succeeds(label: str, *call: Any) -> bool:
        reason = execute(*call)
        if reason is not None:
            add_failure(failures, label, reason)
        return reason is None

    # the part enters the seed of generated rows
    options = {"seed": entry.get("seed", 0)}
    for train in available_sources(entry["source"], folders, failures, part=0, **options):
        if "test" not in entry:
            if succeeds(train.label, "build", train):
                return train.label, failures
        elif succeeds(train.label, "read", "source", train):
            for test in available_sources(entry["test"], folders, failures, part=1, **options):
                both = f"{train.label} + {test.label}"
                if succeeds(test.label, "read", "test", test) and succeeds(
                    both, "build", train, test
                ):
                    return both, failures
    raise Unavailable(describe(failures))


def fetch_dataset(name: str, entry: dict[str, Any], config: Mapping[str, Any], output: Any) -> None:
    """Obtain a data set and save it, or save why it is unavailable."""
    if reason := reason_unavailable(name, entry, config, output):
        from linclass_study.data.dataset import save_unavailable

        print(f"unavailable: {reason}")
        save_unavailable(reason, output.data, output.about)


def is_available_now(name: str, entry: dict[str, Any], config: Mapping[str, Any]) -> bool:
    """Whether one try without pauses gets the data; the files that it downloads stay in the downloads folder."""
    reason = reason_unavailable(name, entry, config, pauses=(), unreachable=0)
    print(f"unavailable: {reason}" if reason else "available")
    return reason is None


def reason_unavailable(
    name: str, entry: dict[str, Any], config: Mapping[str, Any], output: Any = None, **retries: Any
) -> str | None:
    """Save the data set (if `output` is given) and return None, or return why it is unavailable. `retries` are fields
    of DownloadLimits."""
    limits, copies = config["limits"], [Path(folder) for folder in mirrors(config)]
    of_downloads = DownloadLimits(limits["download_seconds"], limits["download_mb"], **retries)
    folders = SearchFolders(copies, Path(config["downloads"]), ROOT, of_downloads)
    arguments = {"entry": entry, "folders": folders}
    guard = Guard(READER, arguments, limits["read_seconds"], limits["read_memory_mb"], work="read")

    def execute(*call: Any) -> str | None:
        answer = guard.call(*call)  # the reader's reason, or how its process ended
        return None if answer.value is None else str(answer.value)

    try:
        with guard, errors_as_unavailable("it cannot be fetched"):
            label, before = first_usable(entry, folders, execute)
            print(f"{name} from {label}", f"; before: {describe(before)}" if before else "")
            if output:
                return execute("save", label, before, output.data, output.about)
    except Unavailable as reason:
        return str(reason)
    return None


def add_failure(failures: Failures, source: str, reason: object) -> None:
    failure = {"source": source, "reason": str(reason)}
    if failure not in failures:
        failures.append(failure)


def describe(failures: Failures) -> str:
    """All reasons in one line."""
    reasons = {failure["reason"] for failure in failures}
    if len(failures) > 1 and len(reasons) == 1:
        return f"{reasons.pop()} (in each of {len(failures)} sources)"
    return "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures)
