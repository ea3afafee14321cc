"""A results folder → the exhibits of one data set, or of all data sets together."""

from pathlib import Path

from linclass_study.job import begin_job
from linclass_study.report.drawn_files import write_drawn_files
from linclass_study.report.exhibits import draw_exhibits
from linclass_study.results.outcome import Outcome

begin_job(snakemake.log[0])
outcome = Outcome.of(snakemake.params.study)
for figure in snakemake.params.figures:
    draw_exhibits(outcome, figure)
if drawn := snakemake.output.get("drawn"):  # of a data set
    write_drawn_files(Path(drawn), map(Path, snakemake.output.files))
