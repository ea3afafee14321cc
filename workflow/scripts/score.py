"""The predictions of all methods on one data set → every metric on every fold."""

import json
import sys
from pathlib import Path

import polars as pl

from linclass_study import job, tables
from linclass_study.refusal import Refused
from linclass_study.results import scoring
from linclass_study.results.reading import read

job.begin(snakemake.log[0])
about = json.loads(Path(snakemake.input.about).read_text(encoding="utf-8"))
classes = about.get("classes") or []
positive = classes.index(about["positive"]) if classes else 0
try:
    predictions = pl.concat([read(path) for path in snakemake.input.predictions])
except Refused as refused:
    sys.exit(str(refused))
tables.write(scoring.score(predictions, len(classes), positive), "scores", snakemake.output[0])
