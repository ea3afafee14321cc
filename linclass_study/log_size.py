"""Keep the log of a job small, whatever its fits print: of each fit the beginning and the end."""

from __future__ import annotations

import contextlib
import os
import stat

LOG = 1  # the standard output of a job, which its children share
LARGEST = 1_000_000  # bytes that a fit may add


class LogSize:
    """What one fit adds to the log, from its beginning on."""

    def __init__(self) -> None:
        self.begin = _position()

    def limit(self) -> None:
        """Remove the middle of what was added since, if it is too long; call it from time to time."""
        if self.begin is None or (end := _position()) is None or end - self.begin <= LARGEST:
            return
        with contextlib.suppress(OSError):
            part = LARGEST // 4
            rest = os.pread(LOG, part, end - part)
            left_out = end - self.begin - 2 * part
            os.lseek(LOG, self.begin + part, os.SEEK_SET)
            os.write(LOG, f"\n… {left_out / 1e6:.1f} MB of output are left out …\n".encode() + rest)
            os.ftruncate(LOG, os.lseek(LOG, 0, os.SEEK_CUR))


def _position() -> int | None:
    """Place in the log at which the next line is written; None if it is not a file."""
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.fstat(LOG).st_mode):
            return os.lseek(LOG, 0, os.SEEK_CUR)
    return None
