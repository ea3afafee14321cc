"""Keep the log of a job small, whatever its fits print: of each fit the beginning and the end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat

LOG = 1  # the standard output of a job, which its children share
LARGEST = 1_000_000  # bytes that a fit may add


class LogSize:
    """What one fit adds to the log, from its beginning on.

    Every line is appended: a child that prints while the log is made shorter would otherwise write beyond its end.
    """

    def __init__(self) -> None:
        self.begin = bytes_in_log()
        if self.begin is not None:
            fcntl.fcntl(LOG, fcntl.F_SETFL, fcntl.fcntl(LOG, fcntl.F_GETFL) | os.O_APPEND)

    def limit(self) -> None:
        """Remove the middle of what was added since, if it is too long; call it from time to time.

        Of a child that prints meanwhile, the lines of that moment may be removed, too.
        """
        if self.begin is None or (end := bytes_in_log()) is None or end - self.begin <= LARGEST:
            return
        with contextlib.suppress(OSError):
            part = LARGEST // 4
            rest = os.pread(LOG, LARGEST, end - part)  # also what was printed meanwhile
            left_out = end - self.begin - 2 * part
            os.ftruncate(LOG, self.begin + part)
            os.write(LOG, f"\n… {left_out / 1e6:.1f} MB of output are left out …\n".encode() + rest)


def bytes_in_log() -> int | None:
    """Bytes in the log; None if it is not a file."""
    with contextlib.suppress(OSError):
        if stat.S_ISREG((status := os.fstat(LOG)).st_mode):
            return status.st_size
    return None
