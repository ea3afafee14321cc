"""Keys of an entry on which no row depends: licence, citation, related data sets, expected size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

METADATA = ("licence", "citation", "shares_rows_with", "size")


def without_metadata(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry without metadata: a change of licence or citation fetches nothing again."""
    return {key: value for key, value in entry.items() if key not in METADATA}


def licence_and_citation(entry: Mapping[str, Any]) -> dict[str, str | None]:
    """Licence and citation, None where the entry has none."""
    return {key: entry.get(key) for key in ("licence", "citation")}


def declared_shared_rows(entries: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of data sets of a study whose entries declare that they share rows (`shares_rows_with:`)."""
    return [
        (name, other)
        for name, entry in entries.items()
        for other in entry.get("shares_rows_with", [])
        if other in entries
    ]
