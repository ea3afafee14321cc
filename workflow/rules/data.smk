"""From a published source to the features of every row.

data/{dataset}.npz, .json           rows in canonical order, or the reason why the data set is unavailable
checks/{dataset}.json, .npz         facts about rows and columns, keys of the rows, proofs of separability
tables/datasets.csv                 one row of facts for each data set, and which data sets share rows
features/{dataset}/{features}.npz   features after row-wise maps of some methods; as_is without any map
"""


rule fetch:
    """Read the first source with the right content. The results of an unavailable data set say so; the job succeeds."""
    input:
        INPUTS.local_files,
    output:
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
        as_is=INPUTS.features_as_is(),
    log:
        "<results>/logs/fetch/{dataset}.log",
    priority: FIRST
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        entry=INPUTS.entry,
        content=INPUTS.content_of_local_files,
        attempt=INPUTS.fetch_attempt,
        code=INPUTS.code_of_dataset,
    script:
        "../scripts/fetch.py"


rule retry:
    """Retry a data set that was unavailable. If it is available now, the next run fetches it.

    No job depends on this one: all that depends on a data set would run again, whatever the outcome.
    """
    output:
        "<results>/state/{dataset}.retried",
    log:
        "<results>/logs/retry/{dataset}.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        entry=INPUTS.entry,
        always=time_ns(),  # a changed parameter reruns the job
    script:
        "../scripts/retry.py"


rule check_data:
    """Check for duplicates, identifiers, target leakage, rank and separability; no fit depends on the checks."""
    input:
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
    output:
        facts="<results>/checks/{dataset}.json",
        arrays="<results>/checks/{dataset}.npz",
    log:
        "<results>/logs/check_data/{dataset}.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        metadata=INPUTS.shown_metadata,
        code=code_of("check_data.py"),
    script:
        "../scripts/check_data.py"


rule compare_data:
    """Join the checks of all data sets in one table, and find data sets that share rows."""
    input:
        expand("<results>/checks/{dataset}.{form}", dataset=DATASETS, form=["json", "npz"]),
    output:
        "<results>/tables/datasets.csv",
    log:
        "<results>/logs/compare_data.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        datasets=DATASETS,
        related=INPUTS.shared_rows(),
        code=code_of("compare_data.py"),
    script:
        "../scripts/compare_data.py"


rule featurize:
    """Apply row-wise feature maps. They learn nothing from the data, so no test row leaks if they precede splitting."""
    input:
        data="<results>/data/{dataset}.npz",
        about="<results>/data/{dataset}.json",
    output:
        "<results>/features/{dataset}/{features}.npz",
    log:
        "<results>/logs/featurize/{dataset}/{features}.log",
    wildcard_constraints:
        features=rf"(?!{AS_IS}\.)[^/]+",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        steps=INPUTS.steps_of_features,
        code=INPUTS.code_of_features,
    script:
        "../scripts/featurize.py"
