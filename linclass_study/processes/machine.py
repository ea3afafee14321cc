"""A short, stable name of this machine that does not reveal its host name.

    amd-epyc-2c-8d21f0      processor, cores, and six digits of a keyed hash of the machine's id

Times are comparable within one machine only, so every fit records this name. Identical nodes of a cluster may share a
name: LINCLASS_MACHINE overrides it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import platform
import re
import uuid
from functools import cache
from pathlib import Path

NAME = "LINCLASS_MACHINE"
IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")
LONGEST = 60  # letters of a name
# of a processor's name
REDUNDANT = re.compile(r"\((r|tm)\)|\d+-core|\b(cpu|processor)\b|( with|@).*")


@cache
def machine() -> str:
    """The name of this machine."""
    given = _plain(os.environ.get(NAME, ""))
    if given:
        return given
    model = _plain(REDUNDANT.sub(" ", processor().lower())) or "unknown"
    key = hmac.new(_own_id(), b"linclass", hashlib.sha256).hexdigest()
    return f"{model[:40]}-{os.cpu_count() or 1}c-{key[:6]}"


def processor() -> str:
    """Model name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _own_id() -> bytes:
    """A unique id: the random id of the operating system, else the address of the network card.

    As systemd requires of programs, only a keyed hash of it is published.
    """
    for path in IDS:
        try:
            found = Path(path).read_bytes().strip()
        except OSError:
            continue
        if found:
            return found
    card = uuid.getnode()
    drawn = (
        card >> 40 & 1
    )  # no card: Python returned a random number, which differs between processes
    return platform.node().encode() if drawn else card.to_bytes(6, "big")


def _plain(text: str) -> str:
    """Keep lower-case letters, digits and . _ - only, so that the name is a valid file name."""
    return re.sub(r"[^a-z0-9._]+", "-", text.lower()).strip("-.")[:LONGEST]
