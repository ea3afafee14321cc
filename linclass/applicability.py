"""When a method cannot do the data: one exception, and the memory it would have needed.

A dense p × p array on the words of a library is not slow, it is impossible. To say so before the
allocation turns a killed process into one line: the thing, its size, the limit, the remedy.
"""

import os


class NotApplicable(ValueError):
    """This method cannot do this data; the message says why and what would help."""


def require_memory(n_bytes: int, what: str) -> None:
    """Raise NotApplicable when `n_bytes` more do not fit; `what` opens the sentence.

    >>> require_memory(8 * p * p, f"LinearDiscriminantAnalysis needs a dense {p} × {p} covariance")
    """
    limit, taken = _memory()
    if n_bytes <= limit - taken:
        return
    share = "" if n_bytes > limit else f", of which {_gigabytes(taken)} are taken"
    raise NotApplicable(
        f"{what}, {_gigabytes(n_bytes)}; the limit is {_gigabytes(limit)}{share}. "
        "Raise the limit, keep fewer features, or choose a method that keeps sparse rows sparse."
    )


def _memory() -> tuple[int, int]:
    """(limit, already taken) in bytes: the address space where that is limited, else the RAM."""
    try:
        import resource
    except ImportError:  # no such limits on this system
        return _physical_memory(), 0
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return _physical_memory(), 0
    return limit, _mapped()


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 62


def _mapped() -> int:
    """Bytes of address space that this process maps (what RLIMIT_AS counts)."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 5e7 else f"{n_bytes / 1e6:.1f} MB"
