"""Open .npz files that an earlier job has written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from linclass_study.refusal import Refused


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Arrays of a file by name; a damaged file is refused with its name and the remedy."""
    try:
        with open(path, "rb") as file, np.load(file) as arrays:
            yield arrays
    except OSError:  # missing or unreadable: the system's message names the file
        raise
    except Exception as error:  # zipfile, zlib, NumPy and JSON raise different exceptions
        raise Refused(
            f"{os.fspath(path)} is damaged ({type(error).__name__}: {error}); "
            "delete it, and the next run will recreate it"
        ) from None
