"""Software and hardware on which a study ran: versions, processor, linear algebra, operating system, commit.

environment/{id}.json    an environment in which fits were made; the column `environment` of the fits has its id

The id is {machine}-{digest of the properties}. They contain no host name, user name or path, so they can be published.
The name of a machine is short and stable:

    amd-epyc-2c-8d21f0      processor, cores, and six digits of a keyed hash of the machine's id

Times are comparable within one machine only, so every fit records this name. Identical nodes of a cluster may share a
name: LINCLASS_MACHINE overrides it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import platform
import re
import subprocess
import uuid
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from linclass_study.files.digests import short_digest
from linclass_study.files.reading import read_mapping
from linclass_study.files.writing import write_json
from linclass_study.project import ROOT

NAME = "LINCLASS_MACHINE"
IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")
LONGEST = 60  # letters of a name
# of a processor's name
REDUNDANT = re.compile(r"\((r|tm)\)|\d+-core|\b(cpu|processor)\b|( with|@).*")


@cache
def machine() -> str:
    chosen_name = _plain(os.environ.get(NAME, ""))
    if chosen_name:
        return chosen_name
    model = _plain(REDUNDANT.sub(" ", processor().lower())) or "unknown"
    key = hmac.new(_own_id(), b"linclass", hashlib.sha256).hexdigest()
    return f"{model[:40]}-{os.cpu_count() or 1}c-{key[:6]}"


def processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _own_id() -> bytes:
    """A unique id: the random id of the operating system, else the address of the network card.

    As systemd requires of programs, only a keyed hash of it is published.
    """
    for path in IDS:
        with suppress(OSError):
            if content := Path(path).read_bytes().strip():
                return content
    card = uuid.getnode()
    is_random = card >> 40 & 1  # Python found no card, and each process draws another number
    return platform.node().encode() if is_random else card.to_bytes(6, "big")


def _plain(text: str) -> str:
    """Keep lower-case letters, digits and . _ - only, so that the name is a valid file name."""
    return re.sub(r"[^a-z0-9._]+", "-", text.lower()).strip("-.")[:LONGEST]


PACKAGES = ("linclass", "numpy", "scipy", "scikit-learn", "polars", "matplotlib", "snakemake")
FOLDER = "environment"
OWN, OTHERS = "Packages", "Packages of methods"
NO_COMMIT = "not a git checkout"
# libraries of foreign methods, scikit-learn among them, are part of the digest of their code
NUMERICAL = ("Python", "linclass", "numpy", "scipy", "Linear algebra", "Processor")


def environment(libraries: Mapping[str, str] | None = None) -> dict[str, str]:
    """Properties of this environment, in reading order, with the `libraries` of a method."""
    others = {name: v for name, v in (libraries or {}).items() if name not in PACKAGES}
    listed_packages = (
        {OTHERS: ", ".join(f"{name} {v}" for name, v in others.items())} if others else {}
    )
    return _of_process() | listed_packages


def record(results: Path, libraries: Mapping[str, str] | None = None) -> str:
    """Save this environment in a results folder and return its id; concurrent jobs write the same file."""
    properties = environment(libraries)
    name = f"{properties['Machine']}-{short_digest(json.dumps(properties), size=4)}"
    path = results / FOLDER / f"{name}.json"
    if not path.exists():
        write_json(path, properties)
    return name


def recorded_environments(results: Path) -> dict[str, dict[str, str]]:
    """Id → properties of all environments of a results folder, sorted by machine."""
    files = sorted((results / FOLDER).glob("*.json"))
    return {file.stem: read_mapping(file) for file in files}


@cache
def _of_process() -> dict[str, str]:
    cores = os.cpu_count() or 1
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    memory = psutil.virtual_memory().total
    return {
        "Machine": machine(),
        "Commit": commit(ROOT),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        OWN: ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "Linear algebra": blas(),
        "Processor": processor(),
        "Cores": f"{cores} cores" if available == cores else f"{available} of {cores} cores",
        "Memory": f"{memory / 2**30:.1f} GiB",
        "System": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }


def numerical(properties: Mapping[str, str]) -> dict[str, str]:
    """What can change the numbers of a fit without changing the digest of its code."""
    versions = dict(part.rpartition(" ")[::2] for part in properties.get(OWN, "").split(", "))
    numerical_properties = {name: properties[name] for name in NUMERICAL if name in properties}
    return numerical_properties | {name: versions[name] for name in NUMERICAL if name in versions}


def of_machines(results: Path) -> list[dict[str, str]]:
    """One entry for each machine that fitted; a property with several values reads `this or that`, but packages of
    methods add up.
    """
    values: dict[str, dict[str, dict[str, None]]] = {}
    for properties in recorded_environments(results).values():
        of_machine = values.setdefault(properties["Machine"], {})
        for what, value in properties.items():
            each = value.split(", ") if what == OTHERS else [value]
            of_machine.setdefault(what, {}).update(dict.fromkeys(each))
    return [
        {
            what: ", ".join(sorted(distinct)) if what == OTHERS else " or ".join(distinct)
            for what, distinct in of_machine.items()
        }
        for of_machine in values.values()
    ]


def commit(root: Path) -> str:
    """Current commit, and whether files differ from it."""
    top = _git(root, "rev-parse", "--show-toplevel")
    head = _git(root, "rev-parse", "HEAD")
    if top is None or head is None or Path(top).resolve() != root.resolve():
        return NO_COMMIT
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{head[:12]}, with uncommitted changes" if changed else head[:12]


def blas() -> str:
    """BLAS libraries of NumPy and SciPy, with their threads per job."""
    import scipy.linalg  # noqa: F401  numpy's library and its own, if it has one, must be loaded
    from threadpoolctl import threadpool_info

    libraries: set[str] = set()
    for pool in threadpool_info():
        if pool["user_api"] == "blas":
            name = f"{pool['internal_api']} {pool.get('version') or ''}".strip()
            kernel = f" ({pool['architecture']})" if pool.get("architecture") else ""
            threads = "1 thread" if pool["num_threads"] == 1 else f"{pool['num_threads']} threads"
            libraries.add(f"{name}{kernel}, {threads} per job")
    unknown = "unknown: threadpoolctl does not recognize the BLAS in use"
    return "; ".join(sorted(libraries)) or unknown


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
