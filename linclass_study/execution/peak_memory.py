"""The largest resident memory of this process, which can be reset where the kernel allows it (Linux)."""

from __future__ import annotations

import resource
import sys


def reset_peak_memory() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("5")
    except OSError:
        pass


def peak_memory_mb() -> float:
    """Largest resident set since the reset, or of the whole process where it cannot be reset."""
    try:
        with open("/proc/self/status") as status:
            return next(int(s.split()[1]) for s in status if s.startswith("VmHWM")) / 1000
    except (OSError, StopIteration):
        scale = 1e6 if sys.platform == "darwin" else 1e3
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
