"""What an interrupted run has computed, so that it continues with the next fit and not from the beginning.

runs/{dataset}/{method}/unfinished.pickle    the inputs of the run, then its outcomes in batches; deleted when the
                                             run's tables are written

A batch is appended after ten seconds of work, so light runs never have this file, and a kill costs ten seconds and
the fit at which it comes. A batch that was cut short is left out.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from linclass_study.runs.run_files import RunInputs
from linclass_study.runs.slurm_memory import kills

FILE = "unfinished.pickle"
EVERY = 10.0  # seconds of work between two batches


class UnfinishedRun:
    """Outcomes by name; those of a run with other inputs are ignored. Only the process that holds the run's lock
    (run_lock.py) uses it."""

    def __init__(self, path: Path, inputs: RunInputs):
        self.path, self.inputs = path, inputs
        self.kept: dict[Hashable, Any] = {}
        self._new: dict[Hashable, Any] = {}
        self._whole = 0  # bytes of the file up to the last complete batch
        self._since, self._kills = time.monotonic(), kills()
        self._read()

    def get(self, name: Hashable) -> Any:
        """An outcome that was kept before; None if there is none."""
        return self.kept.get(name)

    def keep(self, name: Hashable, outcome: Any) -> None:
        """Keep an outcome, unless the memory of this Slurm job did not suffice (slurm_memory.py)."""
        self._new[name] = outcome
        if time.monotonic() - self._since >= EVERY and kills() == self._kills:
            self._append()

    def forget(self) -> None:
        """Delete the file, as the run is complete."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        try:
            with self.path.open("rb") as file:
                if pickle.load(file) == self.inputs:
                    while True:
                        self._whole = file.tell()
                        self.kept |= pickle.load(file)
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
            if not self._whole:
                pickle.dump(self.inputs, file)
            pickle.dump(self._new, file)
            self._whole = file.tell()
        self._new, self._since = {}, time.monotonic()
