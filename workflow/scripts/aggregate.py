"""Scores and fits of all runs → one table of each, their summaries and the answer."""

import sys
from pathlib import Path

from linclass_study import job
from linclass_study.refusal import Refused
from linclass_study.results import answer, study_file, summary, tuned
from linclass_study.results.outcome import Outcome

job.begin(snakemake.log[0])
outcome = Outcome.of(snakemake.params.study)
try:
    summary.write(outcome.results, snakemake.input.scores, snakemake.input.fits)
except Refused as refused:
    sys.exit(str(refused))
study_file.write(study_file.of_files(outcome, snakemake.params.files))
tuned.write(outcome)
report = str(outcome.results / "report.html")
Path(snakemake.output.answer).write_text(answer.answer(outcome, report), encoding="utf-8")
