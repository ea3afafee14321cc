"""The README.md of a published archive."""

from __future__ import annotations

from collections.abc import Mapping

from linclass_study.analysis.export import markdown_text
from linclass_study.command import archive_parts
from linclass_study.command.citation import Citation
from linclass_study.command.open_results import SUMS
from linclass_study.command.results_folder import ResultsFolder
from linclass_study.report.provenance import snakemake_command


def text(results: ResultsFolder, citation: Citation, names: set[str]) -> str:
    """Text of the README: files, how to verify them, and the data sets."""
    tops = {name.split("/")[0] + "/" * ("/" in name) for name in names}
    parts = [
        f"| `{part.place}` | {part.what} |" for part in archive_parts.PARTS if part.place in tops
    ]
    if "configuration/" in tops:
        parts.append(
            "| `configuration/` | the configuration as written, and the study's own modules |"
        )
    parts += [
        "| `CITATION.cff` | how to cite these results |",
        f"| `{SUMS}` | a checksum of each file: `sha256sum -c {SUMS}` |",
    ]
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
            *_rerun(results),
            "",
            "The rows of the data sets are not here, but as points in figures of boundaries. Which data they were:",
            "",
            "| data set | rows | digest of the parsed content | licence | to cite |",
            "|---|---|---|---|---|",
            *(_data_line(results, dataset) for dataset in results.datasets),
            "",
        ]
    )


def _rerun(results: ResultsFolder) -> list[str]:
    """How to run the study again."""
    if not (results.folder / "study.json").exists() or len(results.study.studies) != 1:
        return []
    command = snakemake_command(results.study.studies[0])
    return [
        f"To run the study again, copy the files of `configuration/` into a clone of linclass: `{command}`."
    ]


def _data_line(results: ResultsFolder, dataset: str) -> str:
    about = results.about(dataset) or {}
    has_study = (results.folder / "study.json").exists()
    entry: Mapping[str, object] = results.study.outcome.datasets[dataset] if has_study else {}
    terms = (entry.get("licence"), entry.get("citation"))
    cells = [dataset, about.get("rows"), about.get("digest") or about.get("status"), *terms]
    return f"| {' | '.join(markdown_text(str(cell or '–')) for cell in cells)} |"
