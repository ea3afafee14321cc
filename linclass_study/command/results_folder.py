"""An untrusted results folder: every file is checked when it is read.

Unreadable files are refused in one line with the name that the user gave.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from reprlib import repr as brief
from typing import IO, Any

import polars as pl

from linclass.evaluation import metrics
from linclass_study.analysis import study_file
from linclass_study.analysis.fit_problems import mixed_environments
from linclass_study.analysis.outcome import class_digests, run_digests
from linclass_study.analysis.study_file import StudyDescription, read_study
from linclass_study.analysis.tuned_values import tuning_found
from linclass_study.config.schema import load_schema, schema_problems
from linclass_study.errors import StudyError, Unavailable, suggest_name
from linclass_study.files import reading
from linclass_study.files import tables as table_files
from linclass_study.files.digests import sha256_of_file
from linclass_study.files.environment import of_machines, recorded_environments
from linclass_study.files.tables import AND, table_schema
from linclass_study.files.unpack import at_most, binary
from linclass_study.statuses import STATUSES

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*\Z")  # of a data set or a method
FACTS = {"by_default": list, "fixed": dict, "limits": dict, "by_fit": dict}  # of parameters


def study_problems(study: StudyDescription) -> Iterator[tuple[str, str]]:
    """(key, sentence) of everything that is wrong."""
    outcome = study.outcome
    for kind in ("datasets", "methods"):
        entries = getattr(outcome, kind)
        if not entries:
            yield kind, "it is empty"
        for name, entry in entries.items():
            if not (isinstance(name, str) and NAME.match(name)):
                yield kind, f"{name!r} is not a valid name"
            if not isinstance(entry, dict):
                yield f"{kind}.{name}", f"{brief(entry)} is not a mapping"
    for name, facts in outcome.parameters.items():
        sound = isinstance(facts, dict) and all(
            isinstance(facts.get(key, kind()), kind) for key, kind in FACTS.items()
        )
        if not sound or not all(isinstance(v, list) for v in facts.get("limits", {}).values()):
            yield f"parameters.{name}", f"{brief(facts)} are not facts about parameters"
    for name, text in study.files.items():
        if not (isinstance(name, str) and isinstance(text, str)):
            yield f"files.{name}", "it is not text"
    for name in (name for names in study.studies for name in names):
        if not (isinstance(name, str) and name in study.files):
            yield "studies", f"there is no file {brief(name)}"
    # what the schema of a study says of the evaluation, but for keys that other versions of linclass have
    known = load_schema("config")["properties"]["evaluation"]["properties"]
    own = {key: value for key, value in outcome.evaluation.items() if key in known}
    for path, sentence in schema_problems("config", {"evaluation": own}):
        if path:  # else another part of a study is missing
            yield ".".join(map(str, path)), sentence
    metric = outcome.evaluation.get("tune_metric", "")
    if "." not in metric and metric not in metrics.names():
        there = suggest_name(metric, metrics.names())
        yield "evaluation.tune_metric", f"no metric '{metric}'; {there}"


Run = tuple[str, str]  # data set, method
RUN = ("dataset", "method")
DIGESTS = "digests.parquet"
FOLDS_DIGEST = "folds_digest"  # key of data/{dataset}.json where the folds are not with the results

SIZES = ("status", "rows", "classes", "sparse")
KEYS = {  # of available data, by folder
    "data": (*SIZES, "digest", "class_counts", "n_features", "positive", "source"),
    "checks": (*SIZES, "numeric", "categorical", "texts", "unchecked"),
}
CHECKED = ("folds", "fits", "predictions", "digests", "tuned")  # tables whose columns are


def _read_whole(path: Path) -> None:
    """Read a file, of a table its columns alone, or raise an error."""
    match path.suffix:
        case ".parquet":
            has = reading.scan_parquet(path).collect_schema()
            name = "folds" if path.parent.name == "folds" else path.stem
            wanted = table_schema(name) if name in CHECKED else pl.Schema()
            if lacks := [column for column in wanted if column not in has]:
                raise ValueError(f"it has no column '{lacks[0]}'")
            for column, kind in wanted.items():
                if not _suits(has[column], kind):
                    raise ValueError(f"its column '{column}' is of type {has[column]}, not {kind}")
        case ".npz":
            with reading.opened_npz(path) as arrays:
                for name in arrays:
                    arrays[name]
        case ".json":
            value = reading.read_mapping(path)
            of_data = value.get("status") != "unavailable"
            keys = KEYS.get(path.parent.name, ()) if of_data else ()
            if missing := [key for key in keys if key not in value]:
                raise ValueError(f"it has no key '{missing[0]}'")
        case ".png" | ".pdf":
            path.read_bytes()
        case _:
            path.read_text(encoding="utf-8")


def _suits(kind: Any, wanted: Any) -> bool:
    """Whether values of a type can be those of another one; other programs write wider numbers."""
    if isinstance(kind, pl.List) and isinstance(wanted, pl.List):
        return _suits(kind.inner, wanted.inner)
    return kind in (wanted, pl.Null) or (kind.is_numeric() and wanted.is_numeric())


@dataclass(frozen=True)
class ResultsFolder:
    """Results in `folder`; `given` is the user's name for it, or for the archive that was unpacked there.

    A run has its files in runs/, or it is without predictions: digests.parquet lists it, and its rows are in the tables
    of the whole study (fits.parquet, scores.parquet, tuned.parquet). With `predictions` False, all runs are taken as
    such.
    """

    given: str
    folder: Path
    predictions: bool = True
    _scores: dict[str, dict[Any, pl.DataFrame]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @cached_property
    def _with_files(self) -> set[Run]:
        """The runs in runs/ that have fits or predictions."""
        files = [*self.folder.glob("runs/*/*/fits.parquet")]
        files += self.folder.glob("runs/*/*/predictions.parquet")
        return {(file.parent.parent.name, file.parent.name) for file in files}

    @cached_property
    def _listed(self) -> dict[Run, dict[str, str | None]]:
        """The runs without files → protocol → digest of their predicted classes."""
        path = self.folder / DIGESTS
        listed = run_digests(self.table("digests", path)) if path.exists() else {}
        return {run: own for run, own in listed.items() if run not in self._with_files}

    def has_predictions(self, run: Run) -> bool:
        """Whether the predictions of a run are used; all its fits may have failed."""
        return self.predictions and run in self._with_files

    def predicted(self, run: Run) -> dict[str, str | None]:
        """Protocol → digest of the predicted classes; None if it is unknown."""
        if run in self._listed:
            return self._listed[run]
        return {**class_digests(self._read_run("predictions", run))}

    @cached_property
    def runs(self) -> list[Run]:
        """All runs of the study that have fits or predictions, or are listed as runs without, sorted by name."""
        found = sorted({*self._with_files, *self._listed})
        for name in {name for run in found for name in run}:
            if not (isinstance(name, str) and NAME.match(name)):
                where = "runs/" if self._with_files else DIGESTS
                raise StudyError(
                    f"{self.given}: {where} has {name!r}, which is not a valid run name"
                )
        if not (self.folder / study_file.NAME).exists():
            return found
        study = self.study.outcome  # the folder may contain runs of an earlier study
        return [(d, m) for d, m in found if d in study.datasets and m in study.methods]

    @cached_property
    def datasets(self) -> list[str]:
        """All data sets with runs."""
        return list(dict.fromkeys(dataset for dataset, _ in self.runs))

    @cached_property
    def study(self) -> study_file.StudyDescription:
        try:
            found = read_study(self.folder)
        except StudyError as refused:
            raise StudyError(str(refused).replace(str(self.folder), self.given)) from None
        for key, problem in study_problems(found):
            why = f"is not a valid study.json ({key}: {problem}): {study_file.REMEDY}"
            raise StudyError(f"{self.given}/{study_file.NAME} {why}")
        return found

    @cached_property
    def environments(self) -> list[dict[str, str]]:
        with self.naming("environment/"):
            return of_machines(self.folder)

    @property
    def mixed_environments(self) -> list[str]:
        """Differences of the environments of the fits that may give different numbers."""
        columns = ("dataset", "method", "status", "environment")
        fits = [table_files.frame("fits"), *(self.run_table("fits", run) for run in self.runs)]
        _ = self.environments  # refuses unreadable files
        ranked = pl.concat([table.select(columns) for table in fits])
        return mixed_environments(ranked, recorded_environments(self.folder), self.given)

    @cached_property
    def other_times(self) -> pl.DataFrame:
        """Times of the fits of merged results on other machines."""
        path = self.folder / "times.parquet"
        return self.table("times", path) if path.exists() else table_files.frame("times")

    def path(self, run: Run, file: str) -> Path:
        return self.folder / "runs" / run[0] / run[1] / file

    def run_table(self, table: str, run: Run) -> pl.DataFrame:
        """The table `predictions`, `fits`, `coefficients`, … of a run; empty if there is none."""
        if table == "fits" and run in self._listed:
            return self._fits.get(run, table_files.frame("fits"))
        if table != "fits" and not self.has_predictions(run):
            return table_files.frame(table)
        return self._read_run(table, run)

    @cached_property
    def _fits(self) -> dict[Any, pl.DataFrame]:
        """The fits of all runs in fits.parquet."""
        path = self.folder / "fits.parquet"
        return self.table("fits", path).partition_by(RUN, as_dict=True)

    @cached_property
    def _tuned(self) -> dict[Any, pl.DataFrame]:
        path = self.folder / "tuned.parquet"
        there = path.exists()
        found = self.table("tuned", path) if there else tuning_found(self.study.outcome)
        return found.partition_by(RUN, as_dict=True)

    @cached_property
    def metrics(self) -> set[str]:
        path = self.folder / "scores.parquet"
        with self.naming(path):
            return {*reading.scan_parquet(path).select("metric").unique().collect()["metric"]}

    def study_table(self, table: str, run: Run) -> pl.DataFrame:
        """Rows of a run in `scores` or `tuned`, the tables of the whole study; memory holds the scores of one data
        set."""
        if table == "tuned":
            return self._tuned.get(run, table_files.frame(table))
        path, dataset = self.folder / "scores.parquet", run[0]
        if dataset not in self._scores:
            self._scores.clear()
            columns = table_schema(table)
            with self.naming(path):
                own = reading.scan_parquet(path).select(list(columns)).filter(dataset=dataset)
                self._scores[dataset] = own.cast(columns).collect().partition_by(RUN, as_dict=True)
        return self._scores[dataset].get(run, table_files.frame(table))

    def _read_run(self, table: str, run: Run) -> pl.DataFrame:
        path = self.path(run, f"{table}.parquet")
        if not path.exists():
            return table_files.frame(table)
        data = self.table(table, path)
        for column, name in zip(("dataset", "method"), run, strict=True):
            if (data[column] != name).fill_null(True).any():
                raise self.unreadable(path, f"column '{column}' is not '{name}' in every row")
        return data

    def table(self, name: str, path: Path) -> pl.DataFrame:
        """A Parquet file with the columns and types of the table `name`."""
        columns = table_schema(name)
        with self.naming(path):
            found = reading.read_parquet(path).select(list(columns)).cast(columns)
        if name == "fits" and (odd := {*found["status"]} - {*STATUSES}):
            raise self.unreadable(path, f"{odd.pop()!r} is not a status of a fit")
        return found

    def about(self, dataset: str) -> dict[str, Any] | None:
        """data/{dataset}.json, or None if it is missing."""
        path = self.folder / "data" / f"{dataset}.json"
        if not path.exists():
            return None
        with self.naming(path):
            about = reading.read_about(path)
            about["status"], about["digest"]  # a KeyError if one is missing
            return about

    @property
    def shared_rows(self) -> list[tuple[str, str]]:
        """Pairs of data sets with common rows, as tables/datasets.csv says; archives have no rows to compare."""
        path = self.folder / "tables" / "datasets.csv"
        if not path.exists():
            return []
        with self.naming(path):
            table = pl.read_csv(path, columns=["dataset", "shares_rows_with"], infer_schema=False)
            each = table.with_columns(pl.col("shares_rows_with").str.split(AND))
            return each.explode("shares_rows_with").drop_nulls().rows()

    def folds_digest(self, dataset: str) -> str | None:
        """Digest of the folds; without them the one in data/{dataset}.json; None if it is unknown."""
        path = self.folder / "folds" / f"{dataset}.parquet"
        if not path.exists():
            return (self.about(dataset) or {}).get(FOLDS_DIGEST)
        content = self.table("folds", path).sort(pl.all()).write_csv()
        return hashlib.sha256(content.encode()).hexdigest()[:32]

    def require_whole(self, path: Path) -> None:
        """Refuse a file that is cut short, or not what its name says; the values of tables are not read."""
        with self.naming(path):
            _read_whole(path)

    @contextmanager
    def naming(self, path: Path | str) -> Iterator[None]:
        """Context for reading a file of the folder, which adds the user's name for it to errors."""
        try:
            yield
        except Exception as error:
            raise self.unreadable(path, error) from None

    def unreadable(self, path: Path | str, error: BaseException | str) -> StudyError:
        name = path if isinstance(path, str) else path.relative_to(self.folder).as_posix()
        error = getattr(error, "error", error)
        kind = "" if isinstance(error, str) else f"{type(error).__name__}: "
        message = " ".join((str(error).strip().splitlines() or ["no reason was given"])[0].split())
        return StudyError(f"{self.given}: {name} cannot be read ({kind}{message[:200]})")


# Open a results folder or an archive of one, which is unpacked safely.
#
# Archives are untrusted: files are written below a temporary folder whatever their names, and links, devices and
# archives of excessive size are refused. The files of an archive by `linclass publish` are compared with its checksums.

SUMS = "sha256sums.txt"
# limits of the unpacked size: a multiple of the archive's, or bytes
MAX_EXPANSION, AT_LEAST = 100, 10**8
BLOCK = 4096  # bytes of an empty file on a disk

Member = tuple[str, int, IO[bytes] | None]  # name, size, content; None is a link or a device


@contextmanager
def open_results(given: str) -> Iterator[ResultsFolder]:
    """The results at `given`: a folder, a .zip, or a .tar of any compression."""
    path = Path(given).expanduser()
    if path.is_dir():
        root = _root(given, path)
        reading.require_plain(root, given)
        yield ResultsFolder(given, root)
    elif path.is_file():
        with tempfile.TemporaryDirectory(prefix="linclass-") as folder:
            unpack(given, path, Path(folder))
            root = _root(given, Path(folder))
            _check(given, root)
            yield ResultsFolder(given, root)
    else:
        raise StudyError(f"{given}: no such folder or archive")


def unpack(given: str, archive: Path, folder: Path) -> None:
    """Unpack all files of the archive below the folder."""
    remaining = most = max(MAX_EXPANSION * archive.stat().st_size, AT_LEAST)
    too_large = f"{given}: unpacks to more than {MAX_EXPANSION} times its size; not unpacked"
    try:
        with at_most(most / 1e6):  # of a .tar, with what is between its files
            for name, size, source in _members(given, archive):
                remaining -= size + BLOCK
                if remaining < 0:
                    raise StudyError(too_large)
                target = folder.joinpath(*_parts(given, name))
                target.parent.mkdir(parents=True, exist_ok=True)
                if source is None:
                    what = f"{given}: '{name}' is a link or a device"
                    raise StudyError(f"{what}; results are plain files")
                with source, target.open("xb") as file:
                    shutil.copyfileobj(source, file)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, RuntimeError,
            Unavailable) as error:  # fmt: skip
        # RuntimeError: an unknown compression or a password
        is_bomb = "unpacks to more than" in str(error)
        why = too_large if is_bomb else f"{given}: cannot be unpacked ({error})"
        raise StudyError(why) from None


def _members(given: str, archive: Path) -> Iterator[Member]:
    with binary(archive) as raw:
        try:  # before .zip, as a .tar may end with a .zip
            tar: Any = tarfile.open(fileobj=raw, mode="r|")  # noqa: SIM115 – it holds nothing but `raw`
        except tarfile.ReadError:
            tar = None
        for entry in tar or ():
            tar.members.clear()  # else all of them stay in memory
            if not entry.isdir():
                yield entry.name, entry.size, tar.extractfile(entry) if entry.isreg() else None
    if tar:
        return
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as box:
            for member in box.infolist():
                if not member.is_dir():
                    link = stat.S_ISLNK(member.external_attr >> 16)
                    yield member.filename, member.file_size, None if link else box.open(member)
    else:
        raise StudyError(f"{given}: is neither a folder nor a .zip or .tar archive")


def _parts(given: str, name: str) -> tuple[str, ...]:
    """Parts of a member's name, which must stay below the folder."""
    path = PurePosixPath(name)
    outside = path.is_absolute() or ".." in path.parts or not path.parts
    if outside or "\\" in name or ":" in path.parts[0] or "\0" in name:
        raise StudyError(f"{given}: {name!r} would be written outside the archive's own folder")
    return path.parts


def _root(given: str, folder: Path) -> Path:
    """The folder with runs/ or digests.parquet: this one, or its only subfolder."""
    inside = [entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink()]
    for place in (folder, *(inside if len(inside) == 1 else [])):
        if _has_runs(place):
            return place
    studies = sorted(place.name for place in inside if _has_runs(place))
    several = ""
    if studies:
        several = f"; it holds those of {', '.join(studies)}: give one, as {given}/{studies[0]}"
    raise StudyError(f"{given}: it has no runs/, so it is not a results folder{several}")


def _has_runs(place: Path) -> bool:
    return (place / "runs").is_dir() or (place / DIGESTS).is_file()


def _check(given: str, root: Path) -> None:
    """Check that the files are the published ones."""
    sums = root / SUMS
    if not sums.exists():
        return
    lines = [line.split("  ", 1) for line in sums.read_text(encoding="utf-8").splitlines()]
    published = {line[1]: line[0] for line in lines if len(line) == 2}
    there = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    for name in sorted(there - {SUMS} | set(published)):
        same = (
            name in there and name in published and published[name] == sha256_of_file(root / name)
        )
        if not same:
            problem = "differs from what was published" if name in there else "is missing"
            raise StudyError(f"{given}: {name} {problem} ({SUMS}); get the archive again")
