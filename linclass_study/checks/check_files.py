"""Files of the checks of a data set: facts as .json, keys of rows and proofs as .npz."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from linclass_study.checks.cell_words import Words
from linclass_study.checks.check_dataset import check_dataset
from linclass_study.checks.row_keys import KINDS
from linclass_study.data.dataset_file import load_dataset
from linclass_study.files.reading import opened_npz, read_about, read_mapping
from linclass_study.files.writing import atomic_write


def write_checks(
    data: str, about: str, metadata: Mapping[str, Any], facts: str, arrays: str
) -> None:
    """Check the data set in `data` (.npz) and `about` (.json); `metadata` is that of its entry."""
    known = read_about(about)
    found, kept = check_dataset(load_dataset(data))
    named: dict[str, Any] = dict(kept)
    whole = {"status": known["status"], "reason": known["reason"], **found, **metadata}
    text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
    with atomic_write(facts) as partial:
        partial.write_text(text + "\n", encoding="utf-8")
    with atomic_write(arrays) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **named)


def read_facts(facts: str | os.PathLike[str]) -> dict[str, Any]:
    return read_mapping(facts)


def read_keys(arrays: str | os.PathLike[str]) -> dict[str, Words]:
    """Keys of the rows and columns by kind; empty for an unavailable data set."""
    with opened_npz(arrays) as found:
        return {kind: found[kind] for kind in KINDS if kind in found}
