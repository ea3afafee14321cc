"""What an interrupted run has computed, so that it continues with the next fit and not from the beginning.

runs/{dataset}/{method}/unfinished.npz    outcomes in batches; deleted when the run's tables are written

A batch is appended after ten seconds of work, so light runs never have this file, and a kill costs ten seconds and
the fit at which it comes. The file is a sequence of .npz files (outcomes_file.py), each after its length in 8 bytes.
A batch that was cut short is left out, and so is all that is not of this form.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from linclass_study.errors import StudyError
from linclass_study.execution.outcomes_file import outcomes_from_bytes, outcomes_to_bytes
from linclass_study.execution.records import Added
from linclass_study.execution.slurm_memory import kills

FILE = "unfinished.npz"
LENGTH = 8  # bytes of the length of a batch
EVERY = 10.0  # seconds of work between two batches


class UnfinishedRun:
    """Outcomes by the keys of fits, which identify them. Only the process that holds the run's lock (run_lock.py) uses
    it."""

    def __init__(self, path: Path):
        self.path = path
        self.kept: dict[str, Added] = {}
        self._new: dict[str, Added] = {}
        self._whole = 0  # bytes of the file up to the last complete batch
        self._since, self._kills = time.monotonic(), kills()
        self._read()

    def get(self, key: str) -> Added | None:
        """An outcome that was kept before; None if there is none."""
        return self.kept.get(key)

    def keep(self, outcomes: Mapping[str, Added]) -> None:
        """Keep outcomes, unless the memory of this Slurm job did not suffice (slurm_memory.py)."""
        self._new |= outcomes
        if time.monotonic() - self._since >= EVERY and kills() == self._kills:
            self._append()

    def forget(self) -> None:
        """Delete the file, as the run is complete."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb") as file, suppress(StudyError, IndexError, TypeError):
            size = os.fstat(file.fileno()).st_size
            while 0 < (length := int.from_bytes(file.read(LENGTH))) <= size:
                batch = outcomes_from_bytes(self.path, file.read(length)) or []
                self.kept |= {added[-1].key: added for added in batch}
                self._whole = file.tell()

    def _append(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
            file.truncate(self._whole)
            file.seek(self._whole)
            batch = outcomes_to_bytes(self._new.values())
            file.write(len(batch).to_bytes(LENGTH) + batch)
            self._whole = file.tell()
        self._new, self._since = {}, time.monotonic()
