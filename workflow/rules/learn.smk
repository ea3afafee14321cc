"""From rows and folds to predictions. A run is one method on one data set, all folds and the tuning inside.

A job computes a bundle of runs: light ones share it, a heavy one is alone (linclass_study/jobs/bundles.py).
Its output is a manifest of the runs' own files; a run whose files are up to date is left as it is.

bundles/{bundle}.json                         the runs of a job, what they were made of, and their files
runs/{dataset}/{method}/fits.parquet          a row for each planned fit, also when it failed
runs/{dataset}/{method}/predictions.parquet   a row for each held-out row
runs/{dataset}/{method}/coefficients.parquet  of each fit of a linear classifier: what each feature weighs; else absent
runs/{dataset}/{method}/tuning.parquet        of each tuned fit: every candidate with its inner score; else absent
runs/{dataset}/{method}/paths.parquet         of the first fit: coefficients along the strengths; else absent
runs/{dataset}/{method}/traces.parquet        a row for each step of a solver that was asked to tell; else absent
runs/{dataset}/{method}/boundary.npz          the class of each point of the plane, for two-feature data; else absent
"""


rule cross_validate:
    """Every fold of each run. A fit that fails is a row; the job succeeds."""
    input:
        again_if_runs_are_other,
        features=features_of_bundle,
        about=about_of_bundle,
        folds=folds_of_bundle,
    output:
        "<results>/bundles/{bundle}.json",
    log:
        "<results>/logs/cross_validate/{bundle}.log",
    threads: 1
    resources:
        mem_mb=memory_of_bundle,
        runtime=minutes_of_bundle,
    params:
        results=folder_of_results,
        runs=runs_of_bundle,
        evaluation=evaluation_of_fits(),
        limits=as_text(limits_of_fits()),
    message:
        "cross_validate {FITS:{wildcards.bundle}.}"
    script:
        "../scripts/cross_validate.py"


rule cross_validate_shard:
    """Some fits of a run that is too heavy for one job: study key `jobs: {shards: …}`."""
    input:
        features=features_of_bundle,
        about=about_of_bundle,
        folds=folds_of_bundle,
    output:
        temp("<results>/shards/{bundle}/{shard}.pickle"),
    log:
        "<results>/logs/cross_validate/{bundle}/{shard}.log",
    wildcard_constraints:
        bundle=DIVIDED,
    threads: 1
    resources:
        mem_mb=memory_of_bundle,
        runtime=minutes_of_bundle,
    params:
        results=folder_of_results,
        runs=runs_of_bundle,
        evaluation=evaluation_of_fits(),
        limits=as_text(limits_of_fits()),
        shards=shards_of_bundle,
        code=code_of("cross_validate_shard.py"),
    script:
        "../scripts/cross_validate_shard.py"


rule gather_shards:
    """The files of a run, from its shards: the same bytes as of the undivided run."""
    input:
        again_if_runs_are_other,
        shards=files_of_shards,
        features=features_of_bundle,
        about=about_of_bundle,
        folds=folds_of_bundle,
    output:
        "<results>/bundles/{bundle}.json",
    log:
        "<results>/logs/cross_validate/{bundle}.log",
    wildcard_constraints:
        bundle=DIVIDED,
    params:
        results=folder_of_results,
        runs=runs_of_bundle,
        evaluation=evaluation_of_fits(),
        limits=as_text(limits_of_fits()),
        code=code_of("gather_shards.py"),
    script:
        "../scripts/gather_shards.py"
