"""The figures and tables of the page by name, in the order of the page; functions are imported when they are called.

A figure is a function ``(outcome, dataset) -> ReportFigure`` of report/figures, a table one ``(outcome, dataset) ->
ReportTable | None`` of report/tables; those over all data sets take the outcome alone. Their files are
results/exhibits/{name}-{dataset}/ and results/tables/{name}-{dataset}.csv, .md and .tex, without `-{dataset}` over all
data sets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from linclass_study.protocols import CURVE, kind, selected_protocols

SECTIONS = {
    "focus": "The focus",
    "answer": "Leaderboard",
    "dataset": "Data sets",
    "methods": "Methods",
    "compare": "Compare two",
    "across": "Across data sets",
    "cost": "Runtime and memory",
    "trust": "Diagnostics",
}
SCRIPTED = ("methods", "compare")  # sections that need scripts

LIBRARIES = ("js/first.js", "vendor/d3.min.js", "vendor/plot.min.js")  # scripts of their own
SCRIPTS = tuple(  # one script, in this order
    f"js/{name}.js"
    for name in (
        *("core", "tables", "leaderboard", "datasets", "methods", "scores"),
        *("compare", "across", "main"),
    )
)
PAGE = ("template.html.j2", "style.css", *LIBRARIES, *SCRIPTS)
PAGE_FILES = tuple(f"workflow/report/{name}" for name in PAGE)


class Part(NamedTuple):
    """A figure or a table of the page.

    function      its module in report/figures or report/tables, and its name there
    per_dataset   whether there is one for each data set
    open          whether a table of a data set is not folded
    replaced      whether scripts draw it anew, so that the page shows it only without them and in print
    of_runs       whether it is drawn from predictions, coefficients, … of single runs
    written       whether the report job writes its files
    requested     whether a study of this evaluation and these methods asks for it
    """

    section: str
    function: str
    per_dataset: bool = False
    open: bool = False
    replaced: bool = False
    of_runs: bool = False
    written: bool = True
    requested: Callable[[Any, Any], bool] = lambda evaluation, methods: True

    @property
    def module(self) -> str:
        return f"linclass_study.report.{self.function.rpartition('.')[0]}"

    def __call__(self, *arguments: Any) -> Any:
        """Draw the figure or make the table."""
        return getattr(import_module(self.module), self.function.rpartition(".")[2])(*arguments)


def _keeps_traces(evaluation: Mapping[str, Any], methods: Mapping[str, Any]) -> bool:
    """Whether the study keeps traces, of all methods or by a parameter of one."""
    return evaluation.get("traces", False) or '"trace"' in json.dumps(methods, default=str)


def _has_curves(evaluation: Mapping[str, Any], methods: Mapping[str, Any]) -> bool:
    return any(kind(protocol) == CURVE for protocol in selected_protocols(evaluation))


def part_name(name: str, dataset: str = "") -> str:
    """The name of its files."""
    return f"{name}-{dataset}" if dataset else name


FIGURES = {
    "methods": Part("dataset", "figures.methods.methods", True),
    "ranks": Part("answer", "figures.rankings.ranks"),
    "boundaries": Part("dataset", "figures.boundaries.boundaries", True, of_runs=True),
    "pairwise": Part("across", "figures.matrices.pairwise", replaced=True),
    "convergence": Part(
        "dataset", "figures.convergence.convergence", True, of_runs=True, requested=_keeps_traces
    ),
    "ratings": Part("across", "figures.rankings.ratings", replaced=True),
    "roc": Part("dataset", "figures.curves.roc", True, of_runs=True),
    "heat": Part("across", "figures.matrices.heat"),
    "learning_curves": Part("dataset", "figures.cost.learning_curves", True, requested=_has_curves),
    "precision_recall": Part("dataset", "figures.curves.precision_recall", True, of_runs=True),
    "calibration": Part("dataset", "figures.probabilities.calibration", True, of_runs=True),
    "cost": Part("across", "figures.cost.cost_and_score", replaced=True),
    "probabilities": Part("dataset", "figures.probabilities.probabilities", True, of_runs=True),
    "confusion": Part("dataset", "figures.confusion.confusion", True, of_runs=True),
    "coefficients": Part("dataset", "figures.coefficients.coefficients", True, of_runs=True),
    "paths": Part("dataset", "figures.coefficients.paths", True, of_runs=True),
}

TABLES = {
    "focus": Part("focus", "tables.answer.focus"),
    "answer": Part("dataset", "tables.answer.best_methods"),
    "compared": Part("across", "tables.answer.all_methods", replaced=True),
    "control": Part("across", "tables.across.control"),
    "incomplete": Part("across", "tables.across.incomplete"),
    # whose files aggregate.py writes
    "sensitivity": Part("across", "tables.across.sensitivity", written=False, replaced=True),
    "strata": Part("across", "tables.across.strata"),
    "performance": Part("dataset", "tables.performance.performance", True, open=True),
    "other_protocols": Part("dataset", "tables.performance.other_protocols", True, open=True),
    "metrics": Part("dataset", "tables.performance.all_metrics", True),
    "differences": Part("dataset", "tables.performance.differences", True),
    "per_class": Part("dataset", "tables.models.per_class_scores", True),
    "confusion": Part("dataset", "tables.models.confusion", True),
    "tuned": Part("dataset", "tables.models.tuned", True),
    "coefficients": Part("dataset", "tables.models.coefficients", True),
    "cost": Part("cost", "tables.performance.cost"),
    "cost_of_dataset": Part("cost", "tables.performance.cost", True),
    "failures": Part("trust", "tables.diagnostics.failures"),
    "unscored": Part("trust", "tables.diagnostics.unscored"),
    "notes": Part("trust", "tables.diagnostics.unconverged_fits"),
    "at_the_edge": Part("trust", "tables.diagnostics.at_the_edge"),
    "failed_candidates": Part("trust", "tables.diagnostics.failed_candidates_table"),
    "statuses": Part("trust", "tables.diagnostics.statuses"),
    "endings": Part("trust", "tables.diagnostics.fit_status", True),
    "checks": Part("trust", "tables.diagnostics.checks"),
    "tuning_budget": Part("trust", "tables.diagnostics.tuning_budget"),
}
