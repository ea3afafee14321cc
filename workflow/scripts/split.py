"""A data set → the fold in which each row is tested, in each repeat of each protocol."""

import json

from linclass_study import job
from linclass_study.data import dataset_file
from linclass_study.runs import folds

job.begin(snakemake.log[0])
data = dataset_file.load(snakemake.input.data, snakemake.input.about)
test_folds, reasons = folds.make_folds(
    data, snakemake.wildcards.dataset, json.loads(snakemake.params.evaluation)
)
folds.write(test_folds, reasons, snakemake.output[0])
