"""On what a study ran: versions, processor, linear algebra, operating system, commit."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from linclass_study.project import ROOT

PACKAGES = ("linclass", "numpy", "scipy", "scikit-learn", "polars", "matplotlib", "snakemake")


def provenance() -> dict[str, str]:
    """What there is to know → its value, in the order in which it is read."""
    return {
        "Written": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        "Commit": commit(ROOT),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "Packages": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "Processor": f"{_processor()}, {_cores()}",
        "Memory": _memory(),
        "Linear algebra": blas(),
        "System": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }


def commit(root: Path) -> str:
    """The commit that the program is at, and whether its files differ from it."""
    top = _git(root, "rev-parse", "--show-toplevel")
    head = _git(root, "rev-parse", "HEAD")
    if top is None or head is None or Path(top).resolve() != root.resolve():
        return "not a git checkout"
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{head[:12]}, with uncommitted changes" if changed else head[:12]


def blas() -> str:
    """The libraries that numpy and scipy multiply with, and the threads that a job gives them."""
    import scipy.linalg  # noqa: F401  numpy's library and its own, if it has one, must be loaded
    from threadpoolctl import threadpool_info

    libraries: dict[str, None] = {}
    for pool in threadpool_info():
        if pool["user_api"] == "blas":
            name = f"{pool['internal_api']} {pool.get('version') or ''}".strip()
            kernel = f" ({pool['architecture']})" if pool.get("architecture") else ""
            threads = "1 thread" if pool["num_threads"] == 1 else f"{pool['num_threads']} threads"
            libraries[f"{name}{kernel}, {threads} per job"] = None
    return "; ".join(libraries) or "unknown: threadpoolctl does not recognize the BLAS in use"


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _cores() -> str:
    there = os.cpu_count() or 1
    ours = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else there
    return f"{there} cores" if ours == there else f"{ours} of {there} cores"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    return f"{size / 2**30:.1f} GiB"
