"""A data set → the fold in which each row is tested, in each repeat of each protocol."""

import json

from linclass_study.data.dataset_file import load_dataset
from linclass_study.job import begin_job
from linclass_study.runs import folds
from linclass_study.runs.folds import write_folds

begin_job(snakemake.log[0])
data = load_dataset(snakemake.input.data)
test_folds, reasons = folds.make_folds(
    data, snakemake.wildcards.dataset, json.loads(snakemake.params.evaluation)
)
write_folds(test_folds, reasons, snakemake.output[0])
