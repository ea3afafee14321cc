"""From rows to folds and predictions. A run is one method on one data set, with all folds and their tuning.

A job computes a bundle of runs: light runs share a job, a heavy one has its own (linclass_study/execution/job_plan.py). Its
output is a manifest of its runs; a missing file of a run or of the folds reruns the job, as if it were an output.

folds/{dataset}.parquet                       the fold in which each row is tested, the same for all methods
bundles/{bundle}.json                         the runs of a job with their inputs and files
runs/{dataset}/{method}/                      fits, predictions, … (listed in linclass_study/execution/run_files.py)
store/{dataset}/                              runs of earlier variants of the study (linclass_study/execution/fit_store.py)
"""


rule cross_validate:
    """Fit all folds of each run. A failed fit is a row with a reason, and the job succeeds."""
    input:
        INPUTS.rerun_if_runs_differ,
        features=INPUTS.features_of_bundle,
        about=INPUTS.about_of_bundle,
    output:
        "<results>/bundles/{bundle}.json",
    log:
        "<results>/logs/cross_validate/{bundle}.log",
    benchmark:
        "<results>/benchmarks/cross_validate/{bundle}.tsv"
    priority: INPUTS.longest_first
    conda:
        "../envs/linclass.yaml"
    resources:
        mem_mb=INPUTS.memory_mb,
        runtime=INPUTS.minutes,
    params:
        asked=INPUTS.spec_digest,
    script:
        "../scripts/cross_validate.py"


rule cross_validate_shard:
    """Compute some fits of a run that is divided among several jobs (`jobs: {shards: …}`)."""
    input:
        features=INPUTS.features_of_bundle,
        about=INPUTS.about_of_bundle,
    output:
        temp("<results>/shards/{bundle}/{shard}.npz"),
    log:
        "<results>/logs/cross_validate/{bundle}/{shard}.log",
    benchmark:
        "<results>/benchmarks/cross_validate/{bundle}/{shard}.tsv"
    wildcard_constraints:
        bundle=DIVIDED,
    priority: INPUTS.longest_first
    conda:
        "../envs/linclass.yaml"
    resources:
        mem_mb=INPUTS.memory_mb,
        runtime=INPUTS.minutes,
    params:
        asked=INPUTS.spec_digest,
        shards=INPUTS.number_of_shards,
        code=code_of("cross_validate_shard.py"),
    script:
        "../scripts/cross_validate_shard.py"


rule gather_shards:
    """Join the shards of a divided run; its files have the same bytes as those of an undivided run."""
    input:
        INPUTS.rerun_if_runs_differ,
        shards=INPUTS.files_of_shards,
        features=INPUTS.features_of_bundle,
        about=INPUTS.about_of_bundle,
    output:
        "<results>/bundles/{bundle}.json",
    log:
        "<results>/logs/cross_validate/{bundle}.log",
    wildcard_constraints:
        bundle=DIVIDED,
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        asked=INPUTS.spec_digest,
        code=code_of("gather_shards.py"),
    script:
        "../scripts/gather_shards.py"
