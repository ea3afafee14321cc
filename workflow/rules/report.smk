"""One self-contained page.

report.html                             problems, answer, uncertainty and cost
tables/{table}[-{dataset}].csv, .md, .tex    the tables of the page; each file in linclass_study/report/tables is one
"""


rule report:
    """The page, and its tables in every format."""
    input:
        "<results>/scores.parquet",
        "<results>/fits.parquet",
        "<results>/answer.txt",
        "<results>/tables/datasets.csv",
        "<results>/tables/across.json",
        "<results>/tables/sensitivity.csv",
        expand("<results>/data/{dataset}.json", dataset=DATASETS),
        expand("<results>/checks/{dataset}.json", dataset=DATASETS),
        expand("<results>/exhibits/{dataset}.json", dataset=DATASETS),
        "<results>/exhibits.json",
    output:
        reported("<results>/report.html", "report", "Report"),
        page_files(),
    log:
        "<results>/logs/report.log",
    params:
        study=whole_study,
        files=files_of_study,
        code=code_of(
            "report.py",
            *(f"linclass_study.report.tables.{name}" for name in page_tables.table_modules()),
            reads=(
                "workflow/report/template.html.j2",
                "workflow/report/style.css",
                "workflow/report/page.js",
            ),
        ),
    script:
        "../scripts/report.py"
