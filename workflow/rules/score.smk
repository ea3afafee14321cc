"""From predictions to tables, without refitting: a new metric only reads the predictions again.

runs/{dataset}/{method}/scores.parquet      every metric on every fold of a run
scores, fits, tuned/{dataset}.parquet       scores, fits and tuned values of all runs on a data set
scores, fits, tuned.parquet, scores.csv     scores, fits and tuned values of all data sets
tables/summary.csv, tables/fits.csv         mean, sd and n of each metric; statuses of the fits of each run
tables/times.csv, tables/tuned.csv          cost of each run on each machine; chosen values of each fit
comparison.npz                              scores of all methods across data sets, with tests, ratings and intervals
tables/ranks, pairwise, sensitivity (.csv, .md, .tex), across.json    the comparison as tables and sentences
tables/strata_datasets, strata_ranks, strata_pairs (.csv)             comparisons within strata, if the study has any
tables/verdict.json                         the verdict as data; the answer and the page write sentences about it
study.json                                  the configuration of the study, so that the folder is complete
answer.txt                                  problems and the best method of each data set, as printed at the end
"""


rule score:
    """Score all methods on one data set, and draw its figures; unchanged predictions are not scored again."""
    input:
        INPUTS.draw_again_if_files_are_lost,
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
        manifests=INPUTS.manifests_of_dataset,
    output:
        scores="<results>/scores/{dataset}.parquet",
        fits="<results>/fits/{dataset}.parquet",
        tuned="<results>/tuned/{dataset}.parquet",
        drawn="<results>/exhibits/{dataset}.json",
    log:
        "<results>/logs/score/{dataset}.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        methods=list(STUDY.methods),
        study=INPUTS.digest_for_dataset,
        metrics=metrics_of(STUDY.evaluation),
        code=code_of("score.py", *INPUTS.metric_modules()),
        figures=FIGURES_OF_DATASET,
        code_of_figures=code_of_figures(FIGURES_OF_DATASET),
    script:
        "../scripts/score.py"


rule aggregate:
    """Join the scores, fits and tuned values of all data sets; summarize them, compare the methods, write the answer."""
    input:
        INPUTS.rerun_if_study_differs,
        scores=expand("<results>/scores/{dataset}.parquet", dataset=DATASETS),
        fits=expand("<results>/fits/{dataset}.parquet", dataset=DATASETS),
        tuned=expand("<results>/tuned/{dataset}.parquet", dataset=DATASETS),
        checks=expand("<results>/checks/{dataset}.json", dataset=DATASETS),
        datasets="<results>/tables/datasets.csv",
    output:
        scores="<results>/scores.parquet",
        csv="<results>/scores.csv",
        fits="<results>/fits.parquet",
        tuned="<results>/tuned.parquet",
        tables=expand(
            "<results>/tables/{table}.csv", table=["summary", "fits", "times", "tuned", *OF_STRATA]
        ),
        across=expand("<results>/tables/{t}.{form}", t=ACROSS, form=["csv", "md"]),
        conclusions="<results>/tables/across.json",
        verdict="<results>/tables/verdict.json",
        comparison="<results>/comparison.npz",
        asked="<results>/study.json",
        answer="<results>/answer.txt",
    log:
        "<results>/logs/aggregate.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        study=INPUTS.digest,
        code=code_of("aggregate.py", *INPUTS.metric_modules()),
    script:
        "../scripts/aggregate.py"
