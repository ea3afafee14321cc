"""Digests of the rows that a fit sees: equal for equal training and test rows, whatever other rows there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from linclass_study.execution.feature_file import digest_of_bytes
from linclass_study.execution.folds import Planned
from linclass_study.files.reading import opened_npz, parsed_json


class RowDigests:
    """Of the fits on one file of features.

    shared    what the fits depend on beside rows, such as costs
    content   digest of the data set, which stands for rows that stay in their file
    """

    def __init__(self, features: Path, shared: Any, content: str):
        with opened_npz(features) as arrays:
            about = parsed_json(arrays["keys_about"].tobytes())
            columns = [arrays["row_keys"], arrays["y"]]
            columns += [arrays["groups"]] if "groups" in arrays else []
        self.grid = str(about["grid"])
        self.rows = np.column_stack([np.asarray(column).astype(np.uint64) for column in columns])
        kind = about["columns"], self.rows.shape[1], content if about["in_file"] else ""
        self._shared = json.dumps([shared, kind], default=str).encode()
        self._known: dict[tuple[str, int, int], str] = {}

    def of_fit(self, planned: Planned) -> str:
        """Digest of the rows of a planned fit."""
        name = planned.protocol, planned.repeat, planned.fold
        if name not in self._known:
            used = planned.used
            if planned.is_leave_one_out:
                parts = [self.rows[used], planned.fold_of_row[used].astype(np.int64)]
            else:
                parts = [self.rows[planned.train], self.rows[planned.test]]
            self._known[name] = digest_of_bytes(self._shared, *(part.tobytes() for part in parts))
        return self._known[name]
