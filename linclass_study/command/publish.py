"""`linclass publish DIR`: write a reproducible archive of a study, which verify and merge can read.

It contains configuration, environments, digests of the data sets, folds, predictions, fits, scores, tables, figures,
report, CITATION.cff and README, but not the rows of the data sets. The author's home folder is replaced by `~`,
and the folders of mirrors are left out.

Without predictions, it has no files of single runs, but a digest of the predicted classes of each run, and the tables,
figures and the report that are made from fits and scores alone.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

import polars as pl

from linclass_study.analysis.export import markdown_text
from linclass_study.command import archive
from linclass_study.command.results_folder import DIGESTS, SUMS, ResultsFolder
from linclass_study.errors import StudyError
from linclass_study.files import tables as table_files
from linclass_study.files.digests import sha256_of_file
from linclass_study.files.reading import read_parquet
from linclass_study.files.tables import FIT
from linclass_study.files.writing import atomic_write
from linclass_study.report.data_card import without_mirrors
from linclass_study.report.provenance import snakemake_command


def readme(results: ResultsFolder, citation: archive.Citation, names: set[str]) -> str:
    """Text of the README: files, how to verify them, and the data sets."""
    tops = {name.split("/")[0] + "/" * ("/" in name) for name in names}
    parts = [f"| `{part.place}` | {part.what} |" for part in archive.PARTS if part.place in tops]
    if "configuration/" in tops:
        what = "the configuration as written, and the study's own modules"
        parts.append(f"| `configuration/` | {what} |")
    parts += [
        "| `CITATION.cff` | how to cite these results |",
        f"| `{SUMS}` | a checksum of each file: `sha256sum -c {SUMS}` |",
    ]
    has_study = (results.folder / "study.json").exists()
    studies = results.study.studies if has_study else []
    again = "To run the study again, copy the files of `configuration/` into a clone of linclass"
    rerun = [f"{again}: `{snakemake_command(studies[0])}`."] if len(studies) == 1 else []
    datasets = results.study.outcome.datasets if has_study else {}
    absent = "The rows of the data sets are not here, but as points in figures of boundaries."
    if DIGESTS in names:
        absent = (
            "Predictions of runs that are not in `runs/`, and the rows of the data sets, are not here. Links of the "
            "report to other tables and figures work after `linclass merge ARCHIVE.zip --into folder`."
        )
    return "\n".join(
        [
            f"# {markdown_text(citation.title)}",
            "",
            f"Results of a linclass study, by {markdown_text(', '.join(author.name for author in citation.authors))}, "
            f"{citation.date}" + (f", {citation.license}." if citation.license else "."),
            "",
            "| file | what it is |",
            "|---|---|",
            *parts,
            "",
            "Do your results agree with these? `linclass verify ARCHIVE.zip results` says so.",
            "`linclass merge ARCHIVE.zip results --into both` makes one folder of both, with its report.",
            *rerun,
            "",
            f"{absent} Which data they were:",
            "",
            "| data set | rows | digest of the parsed content | licence | to cite |",
            "|---|---|---|---|---|",
            *(_data_line(results, name, datasets.get(name, {})) for name in results.datasets),
            "",
        ]
    )


def _data_line(results: ResultsFolder, dataset: str, entry: Mapping[str, object]) -> str:
    about = results.about(dataset) or {}
    terms = (entry.get("licence"), entry.get("citation"))
    cells = [dataset, about.get("rows"), about.get("digest") or about.get("status"), *terms]
    return f"| {' | '.join(markdown_text(str(cell or '–')) for cell in cells)} |"


LONG_AGO = (1980, 1, 1, 0, 0, 0)  # earliest time in a .zip
STORED = {".parquet", ".png", ".npz"}  # already compressed
TEXTS = {".html", ".json", ".csv", ".txt", ".md", ".tex", ".svg", ".yaml"}
REPLACED = ("reason", "params", "failure")  # columns that may contain a path
END_OF_NAME = r"($|[^\w.-])"  # /home/ada is not the beginning of /home/adam


def publish(
    results: ResultsFolder,
    citation: archive.Citation,
    into: Path | None = None,
    crate: bool = False,
    partial: bool = False,
    without_predictions: bool = False,
    trusted: Collection[str] = (),
) -> Path:
    """Write the archive and return its path, by default beside the folder with a digest in its name; `trusted` modules
    may be imported for metrics, without predictions alone."""
    lacks = archive.missing_parts(results)
    if lacks and not partial:
        remedy = "run the study to its end, or publish what there is with --partial"
        raise StudyError(f"{results.given} is not finished: {lacks}; {remedy}")
    with tempfile.TemporaryDirectory(prefix="linclass-") as scratch:
        folder = results.folder.resolve()
        if without_predictions:
            archive.require_consistent(results)
            results = _without_predictions(results, Path(scratch) / "bare", trusted)
        files = collected(results, citation, Path(scratch))
        archive.require_consistent(results)
        if crate:
            from linclass_study.command.crate import crate_files

            files |= crate_files(results, citation, files, Path(scratch))
        sums = "".join(f"{sha256_of_file(files[name])}  {name}\n" for name in sorted(files))
        digest = hashlib.sha256(sums.encode()).hexdigest()[:8]
        files[SUMS] = _written(Path(scratch) / SUMS, sums)
        top = f"{folder.name}-{digest}"
        return _zipped(files, top, into or folder.with_name(f"{top}.zip"))


def _without_predictions(
    results: ResultsFolder, into: Path, trusted: Collection[str]
) -> ResultsFolder:
    """The results in the folder `into`, without predictions."""
    from linclass_study.command.merge import merge  # slow to import

    path = results.folder / "fits.parquet"
    fits = pl.concat(
        [table_files.frame("fits"), *(results.run_table("fits", run) for run in results.runs)]
    )
    if not results.table("fits", path).sort(FIT).equals(fits.sort(FIT)):
        raise StudyError(
            f"{results.given}: fits.parquet does not match the fits in runs/; run the study to its end"
        )
    bare = replace(results, predictions=False)
    merge([bare], into, trusted=trusted, place=results.folder)
    return ResultsFolder(results.given, into)


def collected(results: ResultsFolder, citation: archive.Citation, scratch: Path) -> dict[str, Path]:
    """Name in the archive → file; modified files are written to `scratch`."""
    files: dict[str, Path] = {}
    for name, path, part in archive.archived_files(results):
        results.require_whole(path)
        files[name] = _unspecific(path, scratch / "changed" / name) if part.private else path
    if archive.is_small(results) and "scores.parquet" in files:  # a tenth smaller, by metric
        ordered = read_parquet(files["scores.parquet"]).sort("dataset", "metric", *FIT)
        files["scores.parquet"] = scratch / "scores.parquet"
        ordered.write_parquet(files["scores.parquet"], compression_level=22)
    if (results.folder / "study.json").exists():
        for name, text in results.study.files.items():
            own = [step for step in PurePosixPath(name).parts if step not in ("/", "..")]
            place = PurePosixPath("configuration", *own)
            files[str(place)] = _written(scratch / place, without_home(text))
    files["CITATION.cff"] = _written(scratch / "CITATION.cff", citation.text())
    files["README.md"] = _written(scratch / "README.md", readme(results, citation, set(files)))
    return files


def without_home(text: str) -> str:
    """Replace the author's home folder by ~."""
    home = str(Path.home())
    return re.sub(re.escape(home) + END_OF_NAME, r"~\1", text) if len(home) > 1 else text


def _unspecific(path: Path, changed: Path) -> Path:
    """The file, or a copy without the author's home folder and folders of mirrors."""
    if path.suffix in TEXTS:
        text = path.read_text(encoding="utf-8")
        public = without_mirrors(without_home(text))
        return path if public == text else _written(changed, public)
    home = str(Path.home())
    if path.suffix == ".parquet" and len(home) > 1:
        texts = [name for name in pl.read_parquet_schema(path) if name in REPLACED]
        named = pl.col(texts).str.contains(home, literal=True).any()
        if texts and any(pl.scan_parquet(path).select(named).collect().row(0)):
            pattern = pl.escape_regex(home) + END_OF_NAME
            changed.parent.mkdir(parents=True, exist_ok=True)
            shortened = pl.col(texts).str.replace_all(pattern, "~${1}")
            pl.read_parquet(path).with_columns(shortened).write_parquet(changed)
            return changed
    return path


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _zipped(files: Mapping[str, Path], top: str, into: Path) -> Path:
    """Write a .zip with sorted names and without times and owners, so that equal content has equal bytes."""
    with atomic_write(into) as partial, zipfile.ZipFile(partial, "w") as box:
        for name, path in sorted(files.items()):
            member = zipfile.ZipInfo(f"{top}/{name}", LONG_AGO)
            deflated = path.suffix not in STORED
            member.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
            member.external_attr, member.create_system = 0o644 << 16, 3
            large = path.stat().st_size >= 2**31 - 1
            with path.open("rb") as file, box.open(member, "w", force_zip64=large) as target:
                shutil.copyfileobj(file, target, 1 << 20)
    return into
