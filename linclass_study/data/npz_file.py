"""Reading what an earlier job wrote as .npz."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from linclass_study.refusal import Refused


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The arrays of a file by name; a file that is not whole says which it is and what to do."""
    try:
        with open(path, "rb") as file, np.load(file) as arrays:
            yield arrays
    except OSError:  # not there, or not to be read: the sentence of the system names the file
        raise
    except Exception as error:  # zip, zlib, NumPy and JSON each have their own kinds
        raise Refused(
            f"{os.fspath(path)} is damaged ({type(error).__name__}: {error}); "
            "delete it, and the next run makes it again"
        ) from None
