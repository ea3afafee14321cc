"""Compare the sha256 of a file with those of its entry."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from linclass_study.data.unavailable import Unavailable

# sha256 of the published versions of a file; None accepts any
Checksums = str | Sequence[str] | None


def with_checksum(path: Path, wanted: Checksums) -> Path:
    """Return the path if the file has one of the wanted sha256, or if none is given."""
    if wanted is None:
        return path
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    known = [wanted] if isinstance(wanted, str) else list(wanted)
    if found not in known:
        raise Unavailable(
            f"its sha256 is {found[:12]}…, not {' or '.join(k[:12] + '…' for k in known)}"
        )
    return path
