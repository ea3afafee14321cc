"""Predictions of all methods on one data set → every metric on every fold, its fits, what was tuned, and figures."""

import gc
from pathlib import Path

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.scoring import Classes, prediction_digests, write_scores
from linclass_study.analysis.tuned_values import write_tuned
from linclass_study.execution.run_files import read_manifest
from linclass_study.files.reading import read_about
from linclass_study.processes.job import begin_job
from linclass_study.report.figure_files import draw_figures

begin_job(snakemake.log[0])
about = read_about(snakemake.input.about)
dataset = snakemake.wildcards.dataset
manifests = [read_manifest(Path(path)) for path in snakemake.input.manifests]
write_scores(
    Path(snakemake.config["results"]),
    dataset,
    prediction_digests(manifests, dataset, snakemake.params.methods),
    Classes.of(about),
    snakemake.params.code,
    snakemake.params.metrics,
)
outcome = Outcome.of(snakemake.config["results"], dataset)
write_tuned(outcome, dataset)
gc.disable()  # a tenth of the time of drawing; the process ends with its few figures
draw_figures(outcome, snakemake.params.figures, dataset)
