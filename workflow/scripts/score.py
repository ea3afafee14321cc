"""The predictions of all methods on one data set → every metric on every fold."""

import json
from pathlib import Path

import polars as pl

from linclass_study import job, tables
from linclass_study.results import scoring

job.begin(snakemake.log[0])
about = json.loads(Path(snakemake.input.about).read_text(encoding="utf-8"))
classes = about.get("classes") or []
positive = classes.index(about["positive"]) if classes else 0
predictions = pl.read_parquet(list(snakemake.input.predictions))
tables.write(scoring.score(predictions, len(classes), positive), "scores", snakemake.output[0])
