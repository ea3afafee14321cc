"""The files of a run. They record the dependencies of the run and of each fit, so that only what changed is computed.

runs/{dataset}/{method}/predictions.parquet   one row for each held-out row
                        coefficients.parquet  coefficients of each fit of a linear classifier (optional)
                        tuning.parquet        candidates of each tuned fit with their inner scores (optional)
                        paths.parquet         coefficients of the first fit along the strengths (optional)
                        traces.parquet        one row for each recorded step of a solver (optional)
                        boundary.npz          predicted classes of a plane, and margins at boundaries (optional)
                        fits.parquet          one row for each planned fit; written last; its metadata record the inputs
bundles/{bundle}.json                         manifest: the runs of a job and their files

predictions.parquet has no metadata, so equal predictions are equal bytes. The manifest is the only output of a job,
whatever the number of its runs; if it does not agree with the files, the job runs again.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from linclass_study.entries import Entry
from linclass_study.files import tables as table_files
from linclass_study.files.digests import digest_of_file, short_digest
from linclass_study.files.reading import json_of, opened_npz, read_json, read_metadata
from linclass_study.files.tables import FIT, table_schema, write_table
from linclass_study.files.writing import json_array, write_json, write_npz
from linclass_study.processes.guard import START_SECONDS
from linclass_study.protocols import selected_protocols

# What a study specifies for the runs of a method, and what its fits depend on.
#
# A fit depends on its rows, its seed, and the *recipe* of its method: classifier, parameters, transforms, how it is
# tuned, and the code that it uses. It depends neither on the names of data set and method (but for the seed, a
# function of the data set's name), nor on other protocols, the number of repeats, or limits that it does not exceed.
#
# The first fit of the first protocol that has folds also records details: its regularization path and the steps of its
# solver. They are computed in a separate call after the fit, so they do not count towards its times, and a failure
# does not affect its row or its predictions.

OF_FOLDS = {"protocols", "cv_rows", "folds", "repeats", "seed"}  # keys that select rows and seeds
OF_TUNING = {"inner_folds", "tune_metric", "tune_rule"}

RunInputs = Mapping[str, Any]  # what a run depends on, as fits.parquet records it: RunSpec.inputs


@dataclass(frozen=True)
class RunSpec:
    """What the study specifies.

    entry        of the method
    code         digest of the code that its fits use
    evaluation   without keys on which no fit depends
    limits       of time and memory of a fit
    tables       digest of the code that writes the tables of a run
    """

    entry: Entry
    code: str
    evaluation: Mapping[str, Any]
    limits: Mapping[str, float] = field(default_factory=dict)
    tables: str = ""

    @cached_property
    def asked(self) -> str:
        """Digest of everything. If nothing is tuned, only traces of solvers have the metric of the tuning."""
        unused = set() if self.entry.get("tune") else OF_TUNING
        if self.evaluation.get("traces"):
            unused = unused - {"tune_metric"}
        used = {key: value for key, value in self.evaluation.items() if key not in unused}
        return digest_of(self.entry, self.code, used, self.limits, self.tables)

    @cached_property
    def parts(self) -> dict[str, str]:
        """Digest of each part of the recipe, to say which has changed."""
        beside = {"traces"} | OF_FOLDS | (set() if self.entry.get("tune") else OF_TUNING)
        tuning = {key: value for key, value in self.evaluation.items() if key not in beside}
        return {"entry": digest_of(self.entry), "code": self.code, "evaluation": digest_of(tuning)}

    @cached_property
    def recipe(self) -> str:
        return digest_of(self.parts)

    @cached_property
    def protocols(self) -> dict[str, str]:
        """Protocol → digest of what determines the rows and seeds of its fits, but for the data."""
        drawn = [self.evaluation.get(key) for key in ("seed", "cv_rows")]
        selected = selected_protocols(self.evaluation)
        return {
            name: digest_of({k: v for k, v in options.items() if k != "repeats"}, *drawn)
            for name, options in selected.items()
        }

    def inputs(self, rows: str) -> RunInputs:
        """Everything that a run depends on; `rows` is the digest of features, folds and classes."""
        recipe = {"recipe": self.recipe, "parts": self.parts, "protocols": self.protocols}
        return {"asked": self.asked, "rows": rows, **recipe}


GRID = "grid "  # begins the extra of a fit that predicts the points of the plane


def extras_of(
    entry: Entry, traced: str, on_plane: str, fit: tuple[str, int, int], grid: str
) -> tuple[str, ...]:
    """Additional results of a fit (protocol, repeat, fold) in the first repeat of the protocol `on_plane`.

    Each fold predicts the plane, whose points have the digest `grid` ('' without a plane). The first fold also has
    details if the classifier is of linclass. `traced` is the metric of traces, '' without traces.
    """
    protocol, repeat, fold = fit
    if repeat or protocol != on_plane:
        return ()
    extras = [f"{GRID}{grid}"] if grid else []
    if not fold and entry["classifier"].startswith("linclass."):
        extras += ["paths"] if "strength" in (entry.get("tune") or {}) else []
        extras += [f"traces {traced}"] if traced else []
    return tuple(extras)


def without(
    tables: Mapping[str, Any], made: Collection[str], needed: Collection[str], entry: Entry
) -> dict[str, Any] | None:
    """Tables of a fit without the details that are not `needed`; None if the fit lacks some that are.

    A trace with the metric of the held-out rows replaces one that the method records itself.
    """
    more = {extra.partition(" ")[0] for extra in {*made} - {*needed}}
    if {*needed} - {*made} or ("traces" in more and (entry.get("params") or {}).get("trace")):
        return None
    return {name: columns for name, columns in tables.items() if name not in more}


KEY = "linclass.run"  # key in the metadata of fits.parquet
LAST = "fits.parquet"
TABLES = ("coefficients", "tuning", "paths", "traces")  # optional: absent rather than empty
BOUNDARY = "boundary.npz"
DIGEST = re.compile("[0-9a-f]*")  # a recipe is the name of a folder, too
OTHERS = ("predictions.parquet", *(f"{table}.parquet" for table in TABLES), BOUNDARY)


class Limits(NamedTuple):
    """Limits of a fit."""

    seconds: float = 0.0
    memory_mb: float = 0.0
    start_seconds: float = 0.0

    @classmethod
    def of(cls, limits: Mapping[str, float]) -> Limits:
        """Limits of a fit from the `limits:` of a study."""
        start = limits.get("fit_start_seconds", START_SECONDS)
        return cls(limits["fit_seconds"], limits["fit_memory_mb"], start)


UNKNOWN = Limits()


@dataclass(frozen=True)
class Made:
    """How an outcome came about.

    key      digest of everything on which the fit depends; '' for a planned fit without rows
    limits   of the study at that time
    extras   additional results of the fit: predictions on the plane, details
    """

    key: str = ""
    limits: Limits = UNKNOWN
    extras: tuple[str, ...] = ()

    @property
    def on_plane(self) -> bool:
        return any(extra.startswith(GRID) for extra in self.extras)


def digest_of(*values: Any) -> str:
    """Short digest of JSON-serializable values. The order of lists matters, that of keys does not."""

    def ordered(value: Any) -> Any:  # `sort_keys` of json cannot compare keys of several types
        if isinstance(value, dict):
            return {key: ordered(value[key]) for key in sorted(value, key=repr)}
        return [*map(ordered, value)] if isinstance(value, list | tuple) else value

    text = json.dumps(ordered(values), default=str)
    return short_digest(text)


def described(folder: Path, inputs: RunInputs, made: Sequence[Made] = ()) -> dict[str, str]:
    """Metadata of fits.parquet, after the other files are written; `made` has its rows in order."""
    paths = (folder / name for name in OTHERS)
    files = {path.name: _about(path) for path in paths if path.exists()}
    fits = [astuple(one) for one in made]
    return {KEY: json.dumps({**inputs, "files": files, "made": fits})}


def fits_made(record: Mapping[str, Any]) -> list[Made]:
    """How the fits of a run came about, in the order of the rows of fits.parquet."""
    return [Made(key, Limits(*limits), tuple(extras)) for key, limits, extras in record["made"]]


def recorded_run(folder: Path) -> dict[str, Any] | None:
    """The inputs of a run (RunSpec), `made` and `files`; None if it is incomplete, or not of this form."""
    last = folder / LAST
    try:
        record = read_metadata(last, KEY)
        record["files"] |= {LAST: _about(last)}
        digests = all(
            DIGEST.fullmatch(record.get(name, "")) for name in ("asked", "rows", "recipe")
        )
        made = all(len(one) == 3 == len(one[1]) for one in record["made"])
        if not (digests and made and record["files"].keys() <= {LAST, *OTHERS}):
            return None
        return record if are_there(folder, record["files"]) else None
    except (OSError, LookupError, ValueError, TypeError):
        return None


def current_run(folder: Path, inputs: RunInputs) -> dict[str, Any] | None:
    """recorded_run, if it was made of these inputs; else None."""
    record = recorded_run(folder)
    same = record and all(record[name] == inputs[name] for name in ("asked", "rows"))
    return record if same else None


def are_there(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether all files exist with their recorded sizes."""
    try:
        return all(
            (folder / name).stat().st_size == about["bytes"] for name, about in files.items()
        )
    except OSError:
        return False


def _about(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "digest": digest_of_file(path)}


FOLDER = "bundles"
LISTED = ("asked", "rows", "files")  # of a recorded run


def manifest_path(results: Path, bundle: str) -> Path:
    return results / FOLDER / f"{bundle}.json"


def write_manifest(path: Path, runs: Mapping[str, Mapping[str, Any]]) -> None:
    """`runs` maps dataset/method to recorded_run."""
    manifest = {run: {part: about[part] for part in LISTED} for run, about in runs.items()}
    write_json(path, manifest)


def read_manifest(path: Path) -> dict[str, dict[str, Any]]:
    """The runs of a manifest; empty if the file is missing or invalid."""
    try:
        runs = dict(read_json(path))
        for about in runs.values():
            _ = [(file["bytes"], file["digest"]) for file in about["files"].values()]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
    return runs


def is_current(results: Path, bundle: str, wanted: Mapping[str, str]) -> bool:
    """Whether the manifest lists exactly the wanted runs (run → digest of its specification) and their files exist.

    Snakemake detects changed parameters only while it has its own records; results that were moved, or whose
    .snakemake was deleted, are checked here.
    """
    runs = read_manifest(manifest_path(results, bundle))
    are_complete = (are_there(results / "runs" / run, runs[run]["files"]) for run in runs)
    return {run: about.get("asked") for run, about in runs.items()} == wanted and all(are_complete)


# The tables that a run writes (run_files.py lists them), and outcomes of fits as .npz files.
#
# An .npz file of outcomes has arrays, and all else as JSON: reading it runs no code.

NOT_FITTED = Made()
# columns of a fit's row, its test rows, its results, how they came about: the arguments of Records.add
Added = tuple[dict[str, Any], np.ndarray, dict[str, Any] | None, Made]


class Records:
    """The outcomes of the fits of a run, and the tables made from them."""

    def __init__(self, axes: tuple[np.ndarray, np.ndarray], on_plane: str):
        self.axes, self.on_plane = axes, on_plane
        self.added: list[Added] = []

    def add(
        self,
        fit: dict[str, Any],
        test: np.ndarray,
        results: dict[str, Any] | None = None,
        made: Made = NOT_FITTED,
    ) -> None:
        """Add a planned fit with its test rows and its results, if it has any."""
        if results is not None:
            results = results | _checked(results, len(test))
        self.added.append((fit, test, results, made))

    @property
    def fits(self) -> list[dict[str, Any]]:
        """The row of each planned fit."""
        columns = table_schema("fits")
        return [{column: fit.get(column) for column in columns} for fit, *_ in self.added]

    def kept(self, table: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """(fit, columns) of each fit with rows of an optional table."""
        parts = ((fit, results["kept"].get(table)) for fit, _, results, _ in self.added if results)
        return [(fit, columns) for fit, columns in parts if columns]

    def reasons(self) -> list[str]:
        """Reasons of failed fits."""
        return [str(fit["reason"]) for fit, *_ in self.added if fit["status"] == "failed"]

    def table(self) -> pl.DataFrame:
        """Predictions of all folds, in one frame: a frame for each fold would cost more than most fits."""
        parts = [(fit, results | {"row": test}) for fit, test, results, _ in self.added if results]
        if not parts:
            return table_files.frame("predictions")
        folds = [results for _, results in parts]
        has_proba = [np.full(len(fold["row"]), fold["log_proba"] is not None) for fold in folds]
        log_proba = [fold["score" if fold["log_proba"] is None else "log_proba"] for fold in folds]
        columns = ("row", "y_true", "y_pred")
        table = _repeated((fit for fit, _ in parts), map(len, has_proba)).with_columns(
            **{name: pl.Series(np.concatenate([fold[name] for fold in folds])) for name in columns},
            score=_lists([fold["score"] for fold in folds]),
            log_proba=pl.when(pl.Series(np.concatenate(has_proba))).then(_lists(log_proba)),
        )
        return table.cast(table_schema("predictions"))

    def write(self, folder: Path, inputs: RunInputs) -> None:
        """Write the run's files. Empty tables are omitted, except for predictions. fits.parquet is deleted first and
        written last: it marks the run as complete."""
        (folder / LAST).unlink(missing_ok=True)
        write_table(self.table(), "predictions", folder / "predictions.parquet")
        for name in TABLES:
            if parts := self.kept(name):
                write_table(_joined(name, parts), name, folder / f"{name}.parquet")
            else:
                (folder / f"{name}.parquet").unlink(missing_ok=True)
        self._write_boundary(folder / BOUNDARY)
        about = described(folder, inputs, [made for *_, made in self.added])
        write_table(table_files.frame("fits", self.fits), "fits", folder / LAST, metadata=about)

    def _write_boundary(self, path: Path) -> None:
        """Write boundary.npz of the fits on the plane; classes without predictions are −1, unknown margins NaN."""
        empty: dict[str, Any] = {
            "grid": np.full((len(self.axes[1]), len(self.axes[0])), -1),
            "margins": None,
        }
        drawn = [
            results or empty
            for fit, _, results, _ in self.added
            if fit["protocol"] == self.on_plane and not fit["repeat"] and len(self.axes[0])
        ]
        if not drawn:
            path.unlink(missing_ok=True)
            return
        labels = np.stack([results["grid"] for results in drawn]).astype(np.int16)
        arrays: dict[str, Any] = {"x": self.axes[0], "y": self.axes[1], "labels": labels}
        margins = [results["margins"] for results in drawn]
        if with_margins := [fields for fields in margins if fields is not None]:
            unknown = np.full_like(with_margins[0], np.nan)
            arrays["margins"] = np.stack([unknown if m is None else m for m in margins])
        write_npz(path, arrays, compressed=True)


def _checked(results: Mapping[str, Any], n: int) -> dict[str, Any]:
    """The arrays of predictions of n rows; ValueError if their shapes differ."""
    codes = {name: np.asarray(results[name], np.int32) for name in ("y_true", "y_pred")}
    score, log_proba = np.asarray(results["score"], float), results["log_proba"]
    log_proba = None if log_proba is None else np.asarray(log_proba, float)
    alike = log_proba is None or log_proba.shape == score.shape
    if not alike or any(array.shape != (n,) for array in codes.values()):
        raise ValueError(f"arrays of other shapes than {n} rows have")
    if score.ndim != 2 or len(score) != n:
        raise ValueError(f"scores of shape {score.shape} for {n} rows")
    return codes | {"score": score, "log_proba": log_proba}


def _lists(matrices: list[np.ndarray]) -> pl.Series:
    return pl.Series(np.concatenate(matrices)).cast(pl.List(pl.Float64))


def _repeated(fits: Iterable[Mapping[str, Any]], rows: Iterable[int]) -> pl.DataFrame:
    """The columns that identify each fit, as often as it has rows."""
    identity = pl.DataFrame([{name: fit[name] for name in FIT} for fit in fits])
    return identity[np.repeat(np.arange(identity.height), [*rows])]


def _joined(name: str, parts: list[tuple[dict[str, Any], dict[str, Any]]]) -> pl.DataFrame:
    """One table from the parts of all fits."""
    tables, schema = [table for _, table in parts], table_schema(name)
    rows = [len(next(iter(table.values()))) for table in tables]
    columns = {
        column: pl.concat([pl.Series(table[column], dtype=schema[column]) for table in tables])
        for column in schema
        if column not in FIT
    }
    return _repeated((fit for fit, _ in parts), rows).with_columns(**columns)


ARRAYS = ("y_true", "y_pred", "score", "log_proba", "grid", "margins")


def outcomes_to_bytes(outcomes: Iterable[Added] | None) -> bytes:
    """Outcomes as bytes; None, in place of outcomes that were not needed, stays None."""
    arrays: dict[str, np.ndarray] = {}
    about: list[Any] = []
    for number, (fit, test, results, made) in enumerate(outcomes or ()):
        arrays[f"{number}.test"] = test
        for name in ARRAYS:
            if results is not None and results[name] is not None:
                arrays[f"{number}.{name}"] = np.asarray(results[name])
        row = {column: fit.get(column) for column in table_schema("fits")}
        about.append([row, None if results is None else results["kept"], astuple(made)])
    arrays["about"] = json_array(None if outcomes is None else about, default=_plain)
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def outcomes_from_bytes(path: Path, content: bytes) -> list[Added] | None:
    """The outcomes of `content`, which was read from `path`."""
    with opened_npz(path, io.BytesIO(content)) as arrays:
        about = json_of(arrays["about"])
        if about is None:
            return None
        outcomes: list[Added] = []
        for number, (row, tables, made) in enumerate(about):
            results = {name: arrays.get(f"{number}.{name}") for name in ARRAYS} | {"kept": tables}
            test, origin = arrays[f"{number}.test"], fits_made({"made": [made]})
            outcomes.append((row, test, None if tables is None else results, *origin))
        return outcomes


def _plain(value: Any) -> Any:
    """An array, a column or a number of NumPy as JSON has it."""
    return value.to_list() if isinstance(value, pl.Series) else value.tolist()
