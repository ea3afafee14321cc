"""From rows and folds to predictions: one job is one method on one data set, all folds and the tuning inside.

runs/{dataset}/{method}/fits.parquet          a row for each planned fit, also when it failed
runs/{dataset}/{method}/predictions.parquet   a row for each held-out row
runs/{dataset}/{method}/traces.parquet        a row for each step of a solver that was asked to tell
runs/{dataset}/{method}/boundary.npz          the class of each point of the plane, for two-feature data
"""


rule cross_validate:
    """Every fold of one method on one data set. A fit that fails is a row; the job succeeds."""
    input:
        features=features_of_run,
        about="<results>/data/{dataset}.json",
        folds="<results>/folds/{dataset}.parquet",
    output:
        predictions="<results>/runs/{dataset}/{method}/predictions.parquet",
        fits="<results>/runs/{dataset}/{method}/fits.parquet",
        traces="<results>/runs/{dataset}/{method}/traces.parquet",
        boundary="<results>/runs/{dataset}/{method}/boundary.npz",
    log:
        "<results>/logs/cross_validate/{dataset}/{method}.log",
    threads: 1
    params:
        entry=entry_of_method,
        evaluation=as_text(STUDY.evaluation),
        limits=as_text(STUDY.limits),
        code=code_of_method,
    script:
        "../scripts/cross_validate.py"
