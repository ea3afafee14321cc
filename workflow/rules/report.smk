"""One self-contained page.

report.html                             problems, answer, uncertainty and cost
tables/{table}[-{dataset}].csv, .md, .tex    the tables of the page
"""


rule report:
    """The page; its tables in every format are written, too."""
    input:
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
        "<results>/exhibits.json",
    output:
        report("<results>/report.html", caption="../report/captions/report.rst", category="Report"),
    log:
        "<results>/logs/report.log",
    localrule: True
    params:
        results=INPUTS.results_folder,
        study=INPUTS.digest,
        code=code_of(
            "report.py",
            *{part.module: None for part in contents.TABLES.values()},
            reads=(
                "workflow/report/template.html.j2",
                "workflow/report/style.css",
                "workflow/report/page.js",
            ),
        ),
    script:
        "../scripts/report.py"
