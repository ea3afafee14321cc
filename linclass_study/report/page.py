"""results/report.html: one self-contained page without external resources.

It shows the problems first, then the sections of contents.py with their figures and tables. The template
(workflow/report) contains the layout and escapes every name and reason. The figures of hundreds of data sets are too
many for one file: the page contains the first figure of each data set, then the second, up to a limit of size, and the
paths of the others.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl
from jinja2 import Environment
from markupsafe import Markup

from linclass.base.messages import counted
from linclass_study.analysis.across_datasets import groups_sharing_rows
from linclass_study.analysis.aggregate import conclusions_path
from linclass_study.analysis.answer import mixture, shortened
from linclass_study.analysis.comparison_with_control import focus_of
from linclass_study.analysis.fit_problems import failed_candidates, fit_problems, planned_sentence
from linclass_study.analysis.headline import caution, headline
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.scoring import metric_problems
from linclass_study.analysis.sentences import (
    certainty,
    excluded_sentence,
    focus_sentences,
    not_ranked,
)
from linclass_study.analysis.verdict import labelled, study_verdict
from linclass_study.analysis.wording import (
    TITLES,
    metric_words,
    protocol_phrase,
    status_words,
    titled_phrase,
    units,
)
from linclass_study.files.reading import read_mapping
from linclass_study.protocols import CURVE, comparing_protocols, kind, selected_protocols
from linclass_study.report import data_card, figure_files
from linclass_study.report.cells import (
    SHOWN,
    TEMPLATES,
    PageCells,
    breakable_name,
    reason_words,
    templates,
    with_code,
)
from linclass_study.report.contents import (
    FIGURES,
    LIBRARIES,
    SCRIPTED,
    SCRIPTS,
    SECTIONS,
    TABLES,
    part_name,
)
from linclass_study.report.data_card import data_warnings
from linclass_study.report.drawing.svg import inline
from linclass_study.report.figure_files import planned_figures, read_record
from linclass_study.report.page_data import LARGE, as_json, leading_methods, study_data
from linclass_study.report.provenance import (
    commits,
    configuration,
    data_files,
    environments_of_machines,
    foreign_modules,
    hashed_modules,
    provenance,
    snakemake_command,
)
from linclass_study.report.table import Made, ReportTable, format_seconds, make_tables
from linclass_study.report.table_files import write_tables
from linclass_study.report.tables.across import RANKING_RULE
from linclass_study.statuses import FITTED, STATUSES

MAX_CLASSES = 30  # of a data set that are named; the others are counted
MOST_CHARACTERS = 4_000_000  # characters of embedded SVG

Figures = dict[tuple[str, str], dict[str, Any]]  # (figure, data set or "") → the template's item
Item = dict[str, Any]  # a figure or a table


def not_drawn(outcome: Outcome, section: str) -> list[str]:
    """Why figures of all data sets are not drawn in a section of the page, in its order."""
    reasons = read_record(outcome.results)["not_drawn"]
    return [
        reasons[name]
        for name, part in FIGURES.items()
        if name in reasons and part.section == section
    ]


def embedded_figures(outcome: Outcome) -> Figures:
    """All figures that the study asks for and that could be drawn, those of all data sets together first."""
    shown: Figures = {}
    remaining = MOST_CHARACTERS
    for stem, place in planned_figures(outcome).items():
        folder = outcome.results / "exhibits" / stem
        if not folder.is_dir():
            continue
        about = read_mapping(folder / "numbers.json")
        texts = {key: about[key] for key in ("title", "caption")}
        svg = (folder / "figure.svg").read_text(encoding="utf-8")
        remaining -= len(svg)
        drawing = Markup(inline(svg, stem, about["title"])) if remaining >= 0 else None
        shown[place] = {**texts, "name": stem, "svg": drawing, "files": figure_files.FILES}
    return shown


def items(tables: Made, figures: Figures, section: str, dataset: str = "") -> Iterator[Item]:
    """Figures, then tables of a section in the order of the page; of one data set, or of all together."""
    kinds: Any = ((FIGURES, figures), (TABLES, tables))
    for parts, made in kinds:
        for name, part in parts.items():
            item = made.get((name, dataset)) if part.section == section else None
            if isinstance(item, ReportTable):
                rows = item.rows[: item.shown]
                item = {"table": item, "name": part_name(name, dataset), "rows": rows}
            if item is not None:
                yield {**item, "open": part.open, "replaced": part.replaced}


def side_by_side(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Group consecutive figures, which are placed side by side; each table is a group of its own."""
    for is_figure, group in groupby(items, key=lambda item: "svg" in item):
        together = list(group)
        yield from [together] if is_figure else ([table] for table in together)


def write_page(outcome: Outcome, *studies: Sequence[str]) -> None:
    """Write report.html and the tables that it shows."""
    shown = make_tables(outcome)
    write_tables(shown, outcome)
    page = report(outcome, shown, provenance(), *studies)
    (outcome.results / "report.html").write_text(page, encoding="utf-8")


def report(
    outcome: Outcome, tables: Made, machine: Mapping[str, str], *studies: Sequence[str]
) -> str:
    """Render the page.

    tables    table.make_tables()
    machine   provenance.provenance()
    studies   file names of each study: one, or several after a merge
    """
    fitted_in = environments_of_machines(outcome.results, dict(machine))
    environment = template_environment(PageCells(outcome, leading_methods(outcome)))
    parts, figures = outcome.parts(), embedded_figures(outcome)
    verdict = study_verdict(outcome)
    shown = labelled(verdict, outcome.labels)
    overall = {name: list(items(tables, figures, name)) for name in SECTIONS}
    groups = groups_sharing_rows(outcome)
    of_datasets = [
        dataset_content(outcome, tables, figures, name, groups) | {"sure": certainty(one)}
        for name, one in zip(parts, shown.datasets, strict=True)
    ]
    scripts = page_scripts()
    return environment.get_template("template.html.j2").render(
        outcome=outcome,
        large=len(outcome.datasets) * len(outcome.methods) > LARGE,
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
        scripts=[Markup(script) for script in scripts],
        script_hashes=[script_hash(script) for script in scripts],
        data=Markup(as_json(study_data(outcome))),
        headline=headline(outcome, verdict, outcome.labels),
        caution=caution(outcome, verdict),
        metric=metric_words(outcome.metric),
        units=units(outcome.evaluation, *outcome.main_protocols),
        problems=fit_problems(outcome.fits),
        unscored=metric_problems(outcome),
        left_out=list(dict.fromkeys(one.methods[0] for one in failed_candidates(outcome))),
        totals=totals(outcome.fits),
        absent=not_ranked(shown) or excluded_sentence(shown),
        present=present(outcome, overall, of_datasets),
        overall=overall,
        of_datasets=of_datasets,
        shared=[group for group in groups if len(group) > 1],
        machines=fitted_in,
        commits=commits(fitted_in),
        commands=[snakemake_command(files) for files in studies],
    )


def summary_of_problems(outcome: Outcome) -> str:
    """What is wrong with the study's fits, in one line."""
    counts = totals(outcome.fits)
    failed = counts["fits"] - counts["fitted"] - counts["statuses"].get("not_applicable", 0)
    problems = {
        f"{counted(failed, 'fit')} of {outcome.fits.height:,} failed": failed,
        "results come from different environments": mixture(outcome),
        "metrics raised exceptions": metric_problems(outcome),
        "some candidates of the tuning failed": failed_candidates(outcome),
    }
    return f"Problems: {'; '.join(text for text, present in problems.items() if present)}"


def present(
    outcome: Outcome, overall: dict[str, list[Item]], of_datasets: list[dict[str, Any]]
) -> list[str]:
    """The sections of the page; some of them only if they have a figure or a table."""
    return [
        name
        for name in SECTIONS
        if name not in ("focus", "across", "cost")
        or overall[name]
        or any(one["items"][name] for one in of_datasets)
        or (name == "focus" and focus_of(outcome))
    ]


def template_environment(cells: PageCells) -> Environment:
    """The environment of the template, with its filters and functions."""
    environment = templates()
    environment.filters |= {
        "seconds": format_seconds,
        "source": data_card.source_of,
        "lower_first": lambda text: text[:1].lower() + text[1:],
        "short": lambda reason: shortened(reason, SHOWN),
        "breakable": breakable_name,
        "code": with_code,
        "reason": reason_words,
        "status": status_words,
        "dataset": cells.dataset,
        "side_by_side": side_by_side,
    }
    environment.globals |= {"cell": cells.cell, "head": cells.head, "title": cells.title}
    environment.globals |= {"shown_classes": MAX_CLASSES, "rule": RANKING_RULE, "count": counted}
    environment.globals |= {"titles": TITLES, "sections": SECTIONS, "scripted": SCRIPTED}
    environment.globals |= {function.__name__: function for function in CALLED}
    return environment


def main_protocol_phrase(outcome: Outcome) -> str:
    """The main protocol of the data sets; `official` is that of data sets with a test set only."""
    first, *others = [titled_phrase(outcome.evaluation, name) for name in outcome.main_protocols]
    phrases = [first, *(name[0].lower() + name[1:] for name in others)]
    return " where there is one, else ".join(phrases)


def folds_in_words(outcome: Outcome) -> str:
    """What folds are, for readers who do not know; empty without cross-validation."""
    options = selected_protocols(outcome.evaluation)
    folds = [options[name]["folds"] for name in outcome.main_protocols if kind(name) == "cv"]
    return f" (parts of the rows, each predicted from the other {folds[0] - 1})" if folds else ""


def protocols(outcome: Outcome) -> dict[str, str]:
    """Protocol → what its means are taken over, for the protocols that apply to any data set."""
    applied = {
        name
        for dataset in outcome.datasets
        for name in comparing_protocols(outcome.evaluation, outcome.about(dataset))
    }
    return {
        name: protocol_phrase(outcome.evaluation, name)
        for name in selected_protocols(outcome.evaluation)
        if name in applied
    }


def learning_curve_sizes(outcome: Outcome) -> str:
    """10 %, 50 % of each training set; empty without learning curves, which compare no methods."""
    protocols = selected_protocols(outcome.evaluation).items()
    sizes = [options["size"] for name, options in protocols if kind(name) == CURVE]
    shown = [f"{100 * size:g} %" if size <= 1 else f"{size:g} rows" for size in sizes]
    return f"{', '.join(shown)} of each training set" if shown else ""


def page_scripts() -> list[str]:
    """The script of the head, the libraries, and the page's other scripts as one."""
    libraries, own = (
        [(TEMPLATES / name).read_text(encoding="utf-8") for name in names]
        for names in (LIBRARIES, SCRIPTS)
    )
    return [*libraries, "\n".join(own)]


def script_hash(script: str) -> str:
    """Hash by which the page's content security policy allows a script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def dataset_content(
    outcome: Outcome, tables: Made, figures: Figures, dataset: str, groups: list[list[str]]
) -> dict[str, Any]:
    """Content of the page about one data set."""
    about, label = outcome.about(dataset), outcome.labels.datasets
    group = next(group for group in groups if dataset in group)
    return {
        "name": label[dataset],
        "about": about,
        "unavailable": about["status"] == "unavailable",
        "card": data_card.card(outcome.checks(dataset), [label[n] for n in group if n != dataset]),
        "items": {name: list(items(tables, figures, name, dataset)) for name in SECTIONS},
    }


def across_sentences(outcome: Outcome) -> list[str]:
    """Conclusions across data sets (tables/across.json); none for few data sets, or if they are missing."""
    path = conclusions_path(outcome)
    if len(outcome.datasets) < 2 or not path.exists():
        return []
    across = read_mapping(path)
    return [] if across.get("few") else across["sentences"]


def totals(fits: pl.DataFrame) -> dict[str, Any]:
    counts = dict(fits["status"].value_counts().iter_rows())
    return {
        "fits": fits.height,
        "fitted": sum(counts.get(status, 0) for status in FITTED),
        "statuses": {status: counts[status] for status in STATUSES if status in counts},
    }


def spent(times: pl.DataFrame) -> list[tuple[str, float, float | None]]:
    """(machine, total seconds of fits, peak memory of a process) for each machine."""
    seconds, memory = pl.col("fit_seconds").sum(), pl.col("peak_rss_mb").max()
    return times.group_by("machine").agg(seconds, memory).sort("machine").rows()


CALLED = (  # by the template
    *(across_sentences, configuration, data_files, data_warnings, focus_sentences, folds_in_words),
    *(
        foreign_modules,
        hashed_modules,
        learning_curve_sizes,
        main_protocol_phrase,
        mixture,
        not_drawn,
    ),
    *(planned_sentence, protocols, spent, summary_of_problems),
)
