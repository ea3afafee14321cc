"""What an interrupted run has computed, so that it continues with the next fit and not from the beginning.

runs/{dataset}/{method}/unfinished.pickle    outcomes in batches; deleted when the run's tables are written

A batch is appended after ten seconds of work, so light runs never have this file, and a kill costs ten seconds and
the fit at which it comes. A batch that was cut short is left out.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.runs.slurm_memory import kills

FILE = "unfinished.pickle"
EVERY = 10.0  # seconds of work between two batches


class UnfinishedRun:
    """Outcomes by the keys of fits, which identify them. Only the process that holds the run's lock (run_lock.py) uses
    it."""

    def __init__(self, path: Path):
        self.path = path
        self.kept: dict[str, Any] = {}
        self._new: dict[str, Any] = {}
        self._whole = 0  # bytes of the file up to the last complete batch
        self._since, self._kills = time.monotonic(), kills()
        self._read()

    def get(self, key: str) -> Any:
        """An outcome that was kept before; None if there is none."""
        return self.kept.get(key)

    def keep(self, outcomes: Mapping[str, Any]) -> None:
        """Keep outcomes, unless the memory of this Slurm job did not suffice (slurm_memory.py)."""
        self._new |= outcomes
        if time.monotonic() - self._since >= EVERY and kills() == self._kills:
            self._append()

    def forget(self) -> None:
        """Delete the file, as the run is complete."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        try:
            with self.path.open("rb") as file:
                while True:
                    self.kept |= pickle.load(file)
                    self._whole = file.tell()
        except FileNotFoundError:
            return
        except (
            EOFError,
            pickle.UnpicklingError,
            ValueError,
            TypeError,
            AttributeError,
            ImportError,
        ):
            return  # the end of the file, or of what is complete

    def _append(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
            file.truncate(self._whole)
            file.seek(self._whole)
            pickle.dump(self._new, file)
            self._whole = file.tell()
        self._new, self._since = {}, time.monotonic()
