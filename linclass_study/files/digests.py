"""Digests of texts and files: short names of contents, equal on any machine."""

from __future__ import annotations

import hashlib
from pathlib import Path


def short_digest(content: str | bytes, size: int = 16) -> str:
    """BLAKE2b of a text or of bytes, in 2 · `size` hexadecimal digits."""
    content = content.encode() if isinstance(content, str) else content
    return hashlib.blake2b(content, digest_size=size).hexdigest()


def digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def sha256_of_file(path: Path) -> str:
    """As `sha256sum` prints it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
