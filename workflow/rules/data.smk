"""From a published source to the rows of every fold.

data/{dataset}.npz, .json           parsed, in canonical order; or why it is unavailable
checks/{dataset}.json, .npz         what its rows and columns are like, with keys of the rows and proofs of separability
tables/datasets.csv                 the same of all data sets, one row each, and which of them share rows
features/{dataset}/{features}.npz   after the row-by-row maps that some methods ask for
folds/{dataset}.parquet             the fold in which each row is tested; shared by all methods, so that they are paired
"""


rule fetch:
    """The first source with the right content. An unavailable data set is no error: its results say so."""
    input:
        local_files,
    output:
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
    log:
        "<results>/logs/fetch/{dataset}.log",
    params:
        entry=entry_of_dataset,
        content=content_of_local_files,
        attempt=attempt,
        code=code_of_dataset,
    script:
        "../scripts/fetch.py"


rule check_data:
    """Duplicates, identifiers, copies of the class, rank, separability: facts that nothing waits for but the report."""
    input:
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
    output:
        facts="<results>/checks/{dataset}.json",
        arrays="<results>/checks/{dataset}.npz",
    log:
        "<results>/logs/check_data/{dataset}.log",
    threads: 1
    params:
        told=told_of_dataset,
        code=code_of("check_data.py"),
    script:
        "../scripts/check_data.py"


rule compare_data:
    """All data sets beside each other: those with the same rows are one piece of evidence."""
    input:
        expand("<results>/checks/{dataset}.{form}", dataset=DATASETS, form=["json", "npz"]),
    output:
        "<results>/tables/datasets.csv",
    log:
        "<results>/logs/compare_data.log",
    params:
        results=folder_of_results,
        datasets=DATASETS,
        related=as_text(metadata.declared_shared_rows(STUDY.datasets)),
        code=code_of("compare_data.py"),
    script:
        "../scripts/compare_data.py"


rule featurize:
    """Maps of single rows: they learn nothing, so they run before the folds and cannot leak."""
    input:
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
    output:
        "<results>/features/{dataset}/{features}.npz",
    log:
        "<results>/logs/featurize/{dataset}/{features}.log",
    params:
        steps=steps_of_features,
        code=code_of_features,
    script:
        "../scripts/featurize.py"


rule split:
    """Stratified folds from the names and the seed alone; the official split where there is one."""
    input:
        again_if_folds_are_other,
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
    output:
        "<results>/folds/{dataset}.parquet",
    log:
        "<results>/logs/split/{dataset}.log",
    params:
        evaluation=evaluation_of_split,
        code=code_of("split.py"),
    script:
        "../scripts/split.py"
