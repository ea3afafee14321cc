"""ro-crate-metadata.json: the archive as a Workflow Run Crate for registries of research objects.

Workflow Run Crate 0.5, https://w3id.org/ro/wfrun/workflow/0.5: the Snakefile is the workflow (`mainEntity`), and one
CreateAction describes how it made the results from the configuration and the data sets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from linclass_study.command import archive
from linclass_study.command.archive import Citation, missing_parts, written_on
from linclass_study.command.results_folder import ResultsFolder
from linclass_study.errors import StudyError
from linclass_study.project import ROOT

NAME = "ro-crate-metadata.json"
WORKFLOW = "Snakefile"
CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    "https://w3id.org/ro/terms/workflow-run/context",
]
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
SPDX, OURS = "https://spdx.org/licenses/", "BSD-3-Clause"
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
FORMATS = {
    ".html": "text/html", ".json": "application/json", ".csv": "text/csv", ".txt": "text/plain",
    ".md": "text/markdown", ".yaml": "application/yaml", ".yml": "application/yaml",
    ".parquet": "application/vnd.apache.parquet", ".cff": "application/yaml",
}  # fmt: skip
PARAMETERS = (  # id, name, description, suffix
    ("#configfile", "configfile", "the data sets, methods and evaluation of the study", ".yaml"),
    ("#report", "report.html", "the answer with its tables and figures", ".html"),
)
RESULTS = {
    *("report.html", "answer.txt", "scores.csv", "scores.parquet", "fits.parquet"),
    *("runs/", "tables/", "exhibits/"),
}

Entity = dict[str, Any]


def crate_files(
    results: ResultsFolder, citation: Citation, published: Mapping[str, Path], scratch: Path
) -> dict[str, Path]:
    """The metadata and the files of the workflow, which are added to the published ones."""
    if not citation.license:
        raise StudyError("--crate requires --license, for example CC-BY-4.0")
    own = {WORKFLOW: ROOT / WORKFLOW}
    for pattern in ("Snakefile", "envs/*.yaml", "rules/*.smk", "scripts/*.py", "schemas/*.yaml"):
        for path in sorted((ROOT / "workflow").glob(pattern)):
            own[path.relative_to(ROOT).as_posix()] = path
    graph = list(entities(results, citation, {**published, **own}))
    text = json.dumps({"@context": CONTEXT, "@graph": graph}, indent=1, ensure_ascii=False) + "\n"
    path = scratch / NAME
    path.write_text(text, encoding="utf-8")
    return own | {NAME: path}


def entities(
    results: ResultsFolder, citation: Citation, published: Mapping[str, Path]
) -> Iterator[Entity]:
    """The graph: crate, workflow, inputs, outputs and authors."""
    parts, authors = list(_parts(published)), []
    for number, author in enumerate(citation.authors, 1):
        kind = "Person" if author.given else "Organization"
        place = author.orcid or f"#author-{number}"
        authors.append({"@id": place, "@type": kind, "name": author.name})
    yield from _crate(citation, parts, authors)
    yield from _workflow()
    yield _run(results, citation, parts, authors)
    for part in parts:
        realizes = "#report" if part["@id"] == "report.html" else ""
        if part["@id"].startswith("configuration/"):
            realizes = "#configfile"
        yield part | ({"exampleOfWork": {"@id": realizes}} if realizes else {})
    yield from authors
    for license_ in sorted({*citation.licenses, OURS}):
        place = _license_id(license_)
        yield {"@id": place, "@type": "CreativeWork", "name": license_, "identifier": place}


def _crate(citation: Citation, parts: list[Entity], authors: list[Entity]) -> Iterator[Entity]:
    """The archive, and the profiles that it conforms to."""
    yield {
        "@id": NAME,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": _ids(["https://w3id.org/ro/crate/1.1", WORKFLOW_CRATE]),
    }
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": citation.title,
        "description": "Results of a linclass study: linear classifiers compared by cross-validation.",
        "datePublished": citation.date,
        "license": _ids(map(_license_id, citation.licenses)),
        "author": _ids(author["@id"] for author in authors),
        "conformsTo": _ids(PROFILES),
        "mainEntity": {"@id": WORKFLOW},
        "mentions": {"@id": "#run"},
        "hasPart": _ids([WORKFLOW, *(part["@id"] for part in parts)]),
    }
    for profile, (name, number) in PROFILES.items():
        yield {"@id": profile, "@type": "CreativeWork", "name": name, "version": number}


def _license_id(license_: str) -> str:
    """Page of a license; of an expression, which has no page, an id in the crate."""
    return f"#{quote(license_)}" if " " in license_ else SPDX + license_


def _workflow() -> Iterator[Entity]:
    """The Snakefile with its language, input and output."""
    yield {
        "@id": WORKFLOW,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "linclass",
        "description": "Fetch data, cross-validate linear classifiers, score, tabulate, draw, report.",
        "version": version("linclass"),
        "license": {"@id": SPDX + OURS},
        "creator": {"@id": "#linclass-developers"},
        "programmingLanguage": {"@id": SNAKEMAKE},
        "input": {"@id": "#configfile"},
        "output": {"@id": "#report"},
        "encodingFormat": "text/plain",
        "conformsTo": {"@id": BIOSCHEMAS},
    }
    yield {
        "@id": SNAKEMAKE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": "https://snakemake.github.io",
        "url": "https://snakemake.github.io",
        "version": version("snakemake"),
    }
    yield {
        "@id": "#linclass-developers",
        "@type": "Organization",
        "name": "the linclass developers",
    }
    for parameter, name, what, kind in PARAMETERS:
        yield {
            "@id": parameter,
            "@type": "FormalParameter",
            "additionalType": "File",
            "name": name,
            "description": what,
            "encodingFormat": FORMATS[kind],
        }


def _run(
    results: ResultsFolder, citation: Citation, parts: list[Entity], authors: list[Entity]
) -> Entity:
    """The action: the workflow made the results from the configuration and the data sets."""
    places = [part["@id"] for part in parts]
    inputs = [place for place in places if place.startswith("configuration/")] or ["study.json"]
    machines = ", ".join(facts.get("Machine", "unknown") for facts in results.environments)
    runs = f"{len(results.runs):,} runs (data set × method)"
    status = "Active" if missing_parts(results) else "Completed"
    return {
        "@id": "#run",
        "@type": "CreateAction",
        "name": citation.title,
        "description": f"Predictions of {runs}, fitted on {machines or 'unknown'}.",
        "instrument": {"@id": WORKFLOW},
        "agent": _ids(author["@id"] for author in authors),
        "object": _ids([*inputs, *(place for place in places if place == "data/")]),
        "result": _ids(place for place in places if place in RESULTS),
        "endTime": written_on(results).isoformat(),
        "actionStatus": {"@id": f"http://schema.org/{status}ActionStatus"},
    }


def _parts(published: Mapping[str, Path]) -> Iterator[Entity]:
    """Each top-level file, each file of the configuration, and each folder as one entity."""
    descriptions = {part.place: part.what for part in archive.PARTS}
    descriptions |= {
        "configuration/": "the configuration as written",
        "workflow/": "the rules and scripts of the workflow",
        "CITATION.cff": "how to cite these results",
        "README.md": "what is what",
    }
    folders = {name.split("/")[0] + "/" for name in published if "/" in name}
    for place in sorted(folders - {"configuration/"}):
        yield {"@id": place, "@type": "Dataset", "name": place, "description": descriptions[place]}
    for name, path in sorted(published.items()):
        if name != WORKFLOW and ("/" not in name or name.startswith("configuration/")):
            what = descriptions.get(name) or descriptions["configuration/"]
            entity = {"@id": quote(name), "@type": "File", "name": name, "description": what}
            kind = FORMATS.get(path.suffix)
            size = {"contentSize": str(path.stat().st_size)}
            about = {"about": {"@id": "./"}} if name == "README.md" else {}
            yield entity | size | about | ({"encodingFormat": kind} if kind else {})


def _ids(ids: Iterable[str]) -> list[dict[str, str]] | dict[str, str]:
    """References; a single one is not a list, as RO-Crate recommends."""
    several = [{"@id": each} for each in ids]
    return several[0] if len(several) == 1 else several
