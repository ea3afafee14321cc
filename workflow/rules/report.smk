"""One self-contained page, and the figures of all data sets together that it shows.

report.html                             problems, answer, uncertainty and cost
tables/{table}[-{dataset}].csv, .md, .tex    the tables of the page
"""


rule report:
    """The figures of all data sets together, and the page; its tables in every format are written, too."""
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
        figures=FIGURES[False],
        study=INPUTS.digest,
        code=code_of(
            "report.py",
            *{part.module: None for part in contents.TABLES.values()},
            reads=contents.PAGE_FILES,
        ),
        code_of_figures=code_of_figures(FIGURES[False]),
    script:
        "../scripts/report.py"
