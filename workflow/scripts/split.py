"""A data set → which rows train and which are held out, in each fold of each protocol."""

from linclass_study import job
from linclass_study.data import dataset
from linclass_study.runs import folds

job.begin(snakemake.log[0])
data = dataset.load(snakemake.input.data, snakemake.input.about)
evaluation = snakemake.params
table, undealt = folds.deal(
    data,
    snakemake.wildcards.dataset,
    evaluation.folds,
    evaluation.repeats,
    evaluation.seed,
)
folds.write(table, undealt, snakemake.output[0])
