"""NotApplicable: a method cannot fit a data set; and the memory check that raises it.

A dense p × p array for the words of a corpus does not fit into memory. Checking before the allocation replaces a
killed process by one sentence: the thing, its size, the limit, the remedy.
"""

import os

_setting = ""  # that limits the address space of this process


class NotApplicable(ValueError):
    """A method cannot fit this data set; the message states the reason and the remedy."""


def require_memory(n_bytes: int, what: str) -> None:
    """Raise NotApplicable if `n_bytes` more do not fit; the message begins with `what`.

    >>> require_memory(8 * p * p, f"LinearDiscriminantAnalysis needs a dense {p} × {p} covariance")
    """
    limit, taken = _memory()
    if n_bytes <= limit - taken:
        return
    if _setting and taken:  # the user knows the setting, which may not count all that is taken
        stated, remedy = f"{_setting} leaves {_gigabytes(max(limit - taken, 0))}", "Raise it"
    else:
        share = "" if n_bytes > limit else f", of which {_gigabytes(taken)} are taken"
        stated, remedy = f"the limit is {_gigabytes(limit)}{share}", "Raise the limit"
    raise NotApplicable(
        f"{what}, {_gigabytes(n_bytes)}; {stated}. "
        f"{remedy}, keep fewer features, or choose a method that keeps sparse rows sparse."
    )


def name_limit(setting: str) -> None:
    """What the user set, such as 'limits.fit_memory_mb = 4000', for the messages of this process."""
    global _setting
    _setting = setting


def _memory() -> tuple[int, int]:
    """(limit, already used) in bytes: of the address space if that is limited, else of the RAM."""
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
