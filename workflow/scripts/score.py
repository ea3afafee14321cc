"""Predictions of all methods on one data set → every metric on every fold, and all fits in one table."""

import json
import sys
from pathlib import Path

from linclass_study import job
from linclass_study.refusal import Refused
from linclass_study.results import scored_runs
from linclass_study.results.scoring import Classes
from linclass_study.runs import manifest

job.begin(snakemake.log[0])
about = json.loads(Path(snakemake.input.about).read_text(encoding="utf-8"))
dataset = snakemake.wildcards.dataset
manifests = [manifest.read(Path(path)) for path in snakemake.input.manifests]
try:
    scored_runs.write(
        Path(snakemake.params.results),
        dataset,
        scored_runs.predictions_of(manifests, dataset, snakemake.params.methods),
        Classes.of(about),
        snakemake.params.code,
    )
except Refused as refused:
    sys.exit(str(refused))
