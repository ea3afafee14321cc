"""A benchmark of linear classifiers: scores, uncertainty and cost of every method on every data set.

fetch → featurize → cross_validate → score → aggregate → report
fetch → check_data → compare_data → aggregate

A run is one data set × one method, with all folds and their tuning; light runs share a job.
"""

from snakemake.utils import min_version

from linclass_study.project import DEFAULT_STUDY

min_version("9.27")  # functions as priorities


configfile: str(DEFAULT_STUDY)


container: "docker://ghcr.io/linclass/linclass:0.1.0"  # for `--sdm apptainer`


include: "workflow/rules/study.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/learn.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/exhibits.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/textbook.smk"


OF_DATASET = ("fetch", "check_data", "score")
OVERALL = ("compare_data", "aggregate", "report")


rule all:
    """The report and all files of results: those that were deleted are made again."""
    default_target: True
    input:
        INPUTS.retries,
        [getattr(rules, name).output for name in OVERALL if hasattr(rules, name)],
        expand(
            [file for name in OF_DATASET for file in getattr(rules, name).output],
            dataset=DATASETS,
        ),
        expand("<results>/bundles/{bundle}.json", bundle=INPUTS.bundles),


onstart:
    HANDLERS.on_start()


onsuccess:
    HANDLERS.on_success()


onerror:
    HANDLERS.on_error(log)


# a workflow that imports this one (`module`) calls only its own handlers
HANDLERS.attach_to_importing_workflow()
