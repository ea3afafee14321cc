"""Which linear method, on which data, how sure are we, and what did it cost?

fetch → featurize → split → cross_validate → score → aggregate → draw → report.
One job of the middle is one data set × one method, with all its folds and the tuning inside.
"""

from snakemake.utils import min_version

min_version("9.14")


configfile: f"{workflow.basedir}/config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/learn.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/exhibits.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/textbook.smk"


rule all:
    """The report, and every table behind it."""
    default_target: True
    input:
        all_results(),


# On a cluster only fits leave the host where `snakemake` runs: nodes have no internet, and tables take seconds.
workflow.localrules(
    *{rule.name for rule in workflow.rules} - {"cross_validate", "cross_validate_shard"}
)


onstart:
    take_results()
    withdraw_other_study()
    look_after_slurm_jobs()
    say_progress()


onsuccess:
    slurm_jobs.forget()
    say_answer_last()


onerror:
    slurm_jobs.forget()
    say_unfinished_last()
