"""Time and size limits of downloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DownloadLimits:
    seconds: float = 3600  # for one file in total, retries and pauses included
    megabytes: float = 4000  # of one file, and of the decompressed content of one source
    connect_timeout: float = 5.0  # seconds, name resolution included
    read_timeout: float = 20.0  # seconds without a byte
    pauses: tuple[float, ...] = (1, 2, 4, 8, 16, 32)  # before each retry, in seconds
    unreachable: int = 2  # retries if no server answers: there may be no network

    @classmethod
    def of(cls, limits: Mapping[str, Any]) -> DownloadLimits:
        """From the `limits:` of a study."""
        return cls(limits["download_seconds"], limits["download_mb"])
