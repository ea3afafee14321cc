"""`linclass figures DIR`: figure.png and figure.pdf of exhibits, drawn again from the results."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from linclass.base.messages import counted
from linclass_study.command.results_folder import ResultsFolder
from linclass_study.errors import StudyError, suggest_name
from linclass_study.pipeline.own_metrics import require_trusted
from linclass_study.report.figure_files import drawn_exhibits, write_pictures


def write_figures(
    results: ResultsFolder,
    names: Sequence[str],
    forms: Sequence[str],
    trusted: Collection[str] = (),
) -> str:
    """Write the files and return what was done; without names, of every exhibit that has a figure.

    A name is that of an exhibit (`roc-iris`) or of a figure (`roc`, on every data set).
    """
    outcome = results.study.outcome
    require_trusted(outcome.evaluation, trusted)
    drawn = drawn_exhibits(outcome)
    if not drawn:
        raise StudyError(
            f"{results.given} has no figures; run snakemake to its end, which draws them"
        )
    known = {*drawn, *(figure for figure, _ in drawn.values())}
    for name in names:
        if name not in known:
            raise StudyError(
                f"'{name}' is not a figure of {results.given}; {suggest_name(name, sorted(known))}"
            )
    asked = [name for name in drawn if not names or {name, drawn[name][0]} & {*names}]
    written = write_pictures(outcome, asked, forms)
    there = len(asked) * len(forms) - len(written)
    return f"wrote {counted(len(written), 'file')} in {results.folder / 'exhibits'}" + (
        f"; {counted(there, 'file')} had been written before" * bool(there)
    )
