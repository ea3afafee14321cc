"""The parts of an archive of results, and whether they are complete and consistent.

The rows of the data sets are never included. The files of a run belong together: its tables have the digests that its
fits record, and it predicts in each fold the rows that the folds hold out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from linclass_study.command.results_folder import DIGESTS, FOLDS_DIGEST, ResultsFolder, Run
from linclass_study.errors import StudyError
from linclass_study.execution.run_files import KEY, LAST, OTHERS
from linclass_study.files.digests import digest_of_file
from linclass_study.files.reading import read_metadata
from linclass_study.project import ROOT
from linclass_study.report.contents import TABLES, part_name
from linclass_study.report.figure_files import figure_names, lost_files


@dataclass(frozen=True)
class Part:
    """Files of the results folder that match `pattern`; `place` is their file or folder, and `what` describes it."""

    place: str
    pattern: str
    what: str
    private: bool = False  # may contain the author's home folder, which is replaced by ~


PARTS = (
    Part("report.html", "report.html", "the report: open it in a browser", True),
    Part("answer.txt", "answer.txt", "the answer in a few lines", True),
    Part("study.json", "study.json", "the configuration as resolved: every entry of the study", True),
    Part("environment/", "environment/*.json", "environments of the fits, one file each"),
    Part("data/", "data/*.json", "of each data set: sizes, classes, source and digest", True),
    Part("checks/", "checks/*.json", "what the checks of each data set found", True),
    Part("folds/", "folds/*.parquet", "which row is held out in which fold"),
    Part("runs/", "runs/{run}/*", "of each run: predictions, a row for each fit, coefficients …", True),
    Part("scores.csv", "scores.csv", "one metric on one fold"),
    Part("scores.parquet", "scores.parquet", "the same, as Parquet"),
    Part("fits.parquet", "fits.parquet", "every planned fit: status, reason, tuned values, seconds, machine", True),
    Part("tuned.parquet", "tuned.parquet", "the tuned values of every fit, and candidates that failed", True),
    Part(DIGESTS, DIGESTS, "of runs without predictions: a digest of their predicted classes"),
    Part("times.parquet", "times.parquet", "of merged results: seconds of the same fits on other machines"),
    Part("tables/", "tables/*", "the tables of the report", True),
    Part("exhibits.json", "exhibits.json", "digests of the figures over all data sets, and why others are not drawn"),
    Part("exhibits/", "exhibits/*/*", "the figures with their numbers", True),
)  # fmt: skip
REQUIRED_RUN_FILES = ("predictions.parquet", "fits.parquet")
REQUIRED_FILES = (
    *("report.html", "study.json", "answer.txt", "scores.parquet", "fits.parquet"),
    *("tables/summary.csv", "tables/datasets.csv", "tables/across.json", "exhibits.json"),
)


SMALL_TABLES = {
    *("across.json", "verdict.json", "datasets.csv", "compared.csv", "ranks.csv", "pairwise.csv"),
    *("control.csv", "sensitivity.csv", "strata_datasets.csv", "strata_ranks.csv"),
}


def archived_files(results: ResultsFolder) -> Iterator[tuple[str, Path, Part]]:
    """(name in the archive, path, part) of every file."""
    small, removed = is_small(results), _of_removed_datasets(results)
    for part in PARTS:
        if part.place == "runs/":
            paths = [results.path(run, name) for run in results.runs for name in (*OTHERS, LAST)]
        else:
            paths = sorted(results.folder.glob(part.pattern))
        for path in paths:
            name = path.relative_to(results.folder).as_posix()
            if (
                path.is_file()
                and not path.name.endswith(".partial")
                and (_stays(name) or not small)
                and not {name.rpartition(".")[0], name.rpartition("/")[0]} & removed
            ):
                yield name, path, part


def _of_removed_datasets(results: ResultsFolder) -> set[str]:
    """Folders of exhibits, and other files without their endings, of data sets that the study had before an edit."""
    if not (results.folder / "study.json").exists():
        return set()
    there = {file.stem for file in results.folder.glob("data/*.json")}
    tables = [name for name, part in TABLES.items() if part.per_dataset]
    return {
        place
        for dataset in there - {*results.study.outcome.datasets}
        for place in (
            *(f"{top}/{dataset}" for top in ("data", "checks", "folds")),
            *(f"tables/{part_name(name, dataset)}" for name in tables),
            *(f"exhibits/{part_name(name, dataset)}" for name in figure_names()[True]),
        )
    }


def is_small(results: ResultsFolder) -> bool:
    """Whether runs have no predictions; the archive then leaves out what `linclass merge` makes of the rest."""
    return not all(map(results.has_predictions, results.runs))


def _stays(name: str) -> bool:
    """Whether a file is in a small archive."""
    top, _, rest = name.partition("/")
    if top == "exhibits":
        return rest.split("/")[0] in figure_names()[False]
    return name != "scores.csv" and (top != "tables" or rest in SMALL_TABLES)


def missing_parts(results: ResultsFolder) -> str:
    """What is missing in an unfinished study, in a few words; '' if it is complete."""
    small = is_small(results)
    promised = [name for name in REQUIRED_FILES if not small or _stays(name)]
    for name in results.datasets:
        without_folds = FOLDS_DIGEST in (results.about(name) or {})
        promised += [f"data/{name}.json", *([] if without_folds else [f"folds/{name}.parquet"])]
    for name in ("", *results.datasets):
        promised += [f"exhibits/{file}" for file in lost_files(results.folder, name)]
    absent = [name for name in promised if not (results.folder / name).is_file()]
    lacks = [f"{absent[0]} is missing"] if absent else []
    if len(absent) > 1:
        lacks = [f"{len(absent):,} files are missing (first: {absent[0]})"]
    if "study.json" in absent:
        return lacks[0]
    study = results.study.outcome
    bare = {run for run in results.runs if not results.has_predictions(run)}
    planned = [(dataset, method) for dataset in study.datasets for method in study.methods]
    unmade = [
        run
        for run in planned
        if run not in bare
        and not all(results.path(run, file).is_file() for file in REQUIRED_RUN_FILES)
    ]
    if unmade and len(results.study.studies) < 2:  # merged studies need not have every run
        first = " × ".join(unmade[0])
        lacks.append(f"{len(unmade):,} of {len(planned):,} runs are missing (first: {first})")
    return " and ".join(lacks)


def written_on(results: ResultsFolder) -> datetime:
    """Time at which the report was written, or the current time."""
    report = results.folder / "report.html"
    moment = report.stat().st_mtime if report.exists() else datetime.now().timestamp()
    return datetime.fromtimestamp(int(moment), UTC)


ROW_OF_FOLD = ["protocol", "repeat", "fold", "row"]
REMEDY = "it was changed or damaged since; delete it and run the study again"


def require_consistent(results: ResultsFolder) -> None:
    """Refuse a folder with a file that is not what the fits were made of, or not what they gave."""
    for dataset in results.datasets:
        folds = results.folder / "folds" / f"{dataset}.parquet"
        held_out = None
        if folds.is_file():  # leave-one-out, which is one fit of all rows, has a single fold
            table = results.table("folds", folds).filter(pl.col("fold") >= 0)
            one = pl.when(protocol="leave_one_out").then(0).otherwise("fold")
            held_out = table.with_columns(fold=one.cast(table["fold"].dtype))
        for run in (run for run in results.runs if run[0] == dataset):
            last = results.path(run, LAST)
            kept = read_metadata(last, KEY) if last.is_file() else None
            recorded = kept["files"] if kept else {}  # none of fits that were merged
            for path in (results.path(run, name) for name in OTHERS if name in recorded):
                if path.is_file() and digest_of_file(path) != recorded[path.name]["digest"]:
                    name = _name(results, path)
                    raise StudyError(f"{name} does not match its checksum: {REMEDY}")
            if held_out is not None:
                _require_folds(results, run, held_out)


def _require_folds(results: ResultsFolder, run: Run, held_out: pl.DataFrame) -> None:
    """Refuse folds that hold out other rows than the run predicts; fits without predictions say nothing."""
    predicted = results.run_table("predictions", run).select(ROW_OF_FOLD)
    fold = ROW_OF_FOLD[:-1]
    asked = held_out.cast(predicted.schema).join(predicted, on=fold, how="semi")
    for one, other in ((predicted, asked), (asked, predicted)):
        differing = one.join(other, on=ROW_OF_FOLD, how="anti")
        if differing.height:
            protocol, repeat, number, row = differing.sort(ROW_OF_FOLD).row(0)
            folds = results.folder / "folds" / f"{run[0]}.parquet"
            raise StudyError(
                f"{_name(results, folds)} and the predictions of {run[0]} × {run[1]} have different held-out rows "
                f"({protocol}, repeat {repeat}, fold {number}: row {row}): {REMEDY}"
            )


def _name(results: ResultsFolder, path: Path) -> str:
    return f"{results.given}: {path.relative_to(results.folder).as_posix()}"


# CITATION.cff of a published study: authors, title and software.
#
# Citation File Format 1.2.0, https://doi.org/10.5281/zenodo.5171937

ORCID = re.compile(r"(?:https://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\Z")
USUAL = ("CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0", "ODC-By-1.0", "MIT")
SHOWN = 4  # of the usual ones, in a message


@dataclass(frozen=True)
class Author:
    """An author: `Family, Given` is a person, a name without a comma an organization or a pseudonym."""

    family: str
    given: str = ""
    orcid: str = ""

    @classmethod
    def of(cls, text: str) -> Author:
        """Author of `Family, Given`, `Family, Given, ORCID` or `Name`."""
        parts = [part.strip() for part in text.split(",")]
        orcid = ORCID.match(parts[-1])
        if orcid:
            parts.pop()
        named = all(any(map(str.isalpha, part)) and "@" not in part for part in parts)
        if not 1 <= len(parts) <= 2 or not named:
            form = "--author 'Family, Given' or 'Family, Given, 0000-0001-2345-6789'"
            raise StudyError(f"--author {text!r}: invalid author; write {form}")
        family, given = [*parts, ""][:2]
        return cls(family, given, f"https://orcid.org/{orcid[1]}" if orcid else "")

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}".strip()

    def as_cff(self) -> dict[str, str]:
        orcid = {"orcid": self.orcid} if self.orcid else {}
        if not self.given:
            return {"name": self.family} | orcid
        return {"family-names": self.family, "given-names": self.given} | orcid


@dataclass(frozen=True)
class Citation:
    """A citation; `date` is that of the report, and `license` an SPDX expression or empty."""

    title: str
    authors: Sequence[Author]
    date: str
    license: str = ""

    def __post_init__(self) -> None:
        if not self.license:
            return
        try:
            usual = canonicalize_license_expression(self.license)
        except InvalidLicenseExpression:
            alike = [name for name in USUAL if name.lower().startswith(self.license.lower())]
            meant = f"did you mean {alike[0]}? Write" if alike else "write"
            raise StudyError(
                f"--license {self.license!r} is not a valid SPDX expression; {meant} for example "
                f"{', '.join(USUAL[:SHOWN])}, or another identifier of https://spdx.org/licenses, or several, as "
                "'CC-BY-4.0 OR MIT'"
            ) from None
        object.__setattr__(self, "license", usual)

    @property
    def licenses(self) -> list[str]:
        """The licences among which a reader may choose."""
        return self.license.split(" OR ") if "(" not in self.license else [self.license]

    def text(self) -> str:
        software = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        kept = ("type", "title", "authors", "version", "license")
        about: dict[str, Any] = {
            "cff-version": "1.2.0",
            "message": "If you use these results, please cite them as below.",
            "type": "dataset",
            "title": self.title,
            "authors": [author.as_cff() for author in self.authors],
            "date-released": self.date,
            "keywords": ["linear classification", "benchmark"],
            "references": [{key: software[key] for key in kept}],
        }
        plain = all(re.fullmatch(r"[\w.+-]+", name) for name in self.licenses)
        if self.license and plain:  # all that the format has
            about["license"] = self.licenses[0] if len(self.licenses) == 1 else self.licenses
        elif self.license:
            about["message"] += f" Licence: {self.license}."
        return yaml.safe_dump(about, sort_keys=False, allow_unicode=True, width=100)
