"""From predictions to tables. Nothing is refitted here: a new metric reads the predictions again.

runs/{dataset}/{method}/scores.parquet      every metric on every fold of a run, kept while its predictions are the same
scores/{dataset}.parquet, fits/{dataset}.parquet    those of all runs on a data set, and every planned fit
scores.parquet, scores.csv, fits.parquet            all of them
tables/summary.csv, tables/fits.csv mean, sd and n of each metric; how the fits of each run ended
tables/times.csv                    what each run cost, each machine for itself
tables/methods, ranks, pairwise, sensitivity (.csv, .md, .tex), across.json    methods compared across data sets
study.json                          what the study asked for: the folder can be read without the project
answer.txt                          what did not work, and the best method per data set: the terminal's last lines
"""


rule score:
    """All methods on one data set; a run whose predictions are the same is not scored again."""
    input:
        about="<results>/data/{dataset}.json",
        manifests=manifests_of_dataset,
    output:
        scores="<results>/scores/{dataset}.parquet",
        fits="<results>/fits/{dataset}.parquet",
    log:
        "<results>/logs/score/{dataset}.log",
    params:
        results=folder_of_results,
        methods=METHODS,
        code=code_of("score.py", *metric_modules()),
    script:
        "../scripts/score.py"


rule aggregate:
    """All runs as one table of scores, one of fits, and what they come to."""
    input:
        again_if_study_is_other,
        scores=expand("<results>/scores/{dataset}.parquet", dataset=DATASETS),
        fits=expand("<results>/fits/{dataset}.parquet", dataset=DATASETS),
        checks=expand("<results>/checks/{dataset}.json", dataset=DATASETS),
        datasets="<results>/tables/datasets.csv",
    output:
        scores="<results>/scores.parquet",
        csv="<results>/scores.csv",
        fits="<results>/fits.parquet",
        summary="<results>/tables/summary.csv",
        endings="<results>/tables/fits.csv",
        times="<results>/tables/times.csv",
        tuned="<results>/tables/tuned.csv",
        asked="<results>/study.json",
        answer="<results>/answer.txt",
    log:
        "<results>/logs/aggregate.log",
    params:
        study=study_as_text(),
        files=files_of_study(),
        code=code_of("aggregate.py"),
    script:
        "../scripts/aggregate.py"


rule compare_methods:
    """Methods across data sets: ranks, pairs, ratings, and what would change the conclusion."""
    input:
        "<results>/scores.parquet",
        "<results>/fits.parquet",
        "<results>/tables/datasets.csv",
    output:
        expand(
            "<results>/tables/{table}.{ending}",
            table=across_tables.NAMES,
            ending=["csv", "md", "tex"],
        ),
        "<results>/tables/across.json",
    log:
        "<results>/logs/compare_methods.log",
    params:
        study=study_as_text(),
        code=code_of("compare_methods.py", *metric_modules()),
    script:
        "../scripts/compare_methods.py"
