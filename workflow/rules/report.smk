"""One self-contained page, and its figures over all data sets.

report.html                                  problems, answer, uncertainty and cost
tables/{table}[-{dataset}].csv, .md, .tex    the tables of the page; a deleted one reruns the job, as if it were an output
"""


rule report:
    """Draw the figures over all data sets; write the page, and its tables in every format."""
    input:
        INPUTS.draw_again_if_files_are_lost,
        INPUTS.rerun_if_tables_are_missing,
        "<results>/scores.parquet",
        "<results>/fits.parquet",
        "<results>/tuned.parquet",
        "<results>/answer.txt",
        "<results>/tables/datasets.csv",
        "<results>/tables/across.json",
        "<results>/comparison.npz",
        expand("<results>/data/{dataset}.json", dataset=DATASETS),
        expand("<results>/checks/{dataset}.json", dataset=DATASETS),
        expand("<results>/exhibits/{dataset}.json", dataset=DATASETS),
    output:
        page=report(
            "<results>/report.html", caption="../report/captions/report.rst", category="Report"
        ),
        drawn="<results>/exhibits.json",
    log:
        "<results>/logs/report.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        figures=OVERALL_FIGURES,
        study=INPUTS.digest,
        code=code_of(
            "report.py",
            *{part.module: None for part in contents.TABLES.values()},
            reads=contents.PAGE_FILES,
        ),
        code_of_figures=code_of_figures(OVERALL_FIGURES),
    script:
        "../scripts/report.py"
