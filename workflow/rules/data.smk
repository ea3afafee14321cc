"""From a published source to the features of every row.

data/{dataset}.npz, .json           rows in canonical order, or the reason why the data set is unavailable
checks/{dataset}.json, .npz         facts about rows and columns, keys of the rows, proofs of separability
tables/datasets.csv                 the facts of all data sets, one row each, and which of them share rows
features/{dataset}/{features}.npz   features after the row-wise maps of some methods; as_is without any
"""


rule fetch:
    """The first source with the right content. An unavailable data set is no error: its results say so."""
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
    """Try a data set again that was unavailable. If it is available now, the next run fetches it.

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
        plan=time_ns(),  # a parameter that has changed is due again
    script:
        "../scripts/retry.py"


rule check_data:
    """Duplicates, identifiers, target leakage, rank and separability; only the report depends on them."""
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
    """The checks of all data sets in one table, with the data sets that share rows."""
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
    """Row-wise feature maps. They learn nothing from the data, so they are applied before splitting without leakage."""
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
