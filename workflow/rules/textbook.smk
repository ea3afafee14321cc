"""Figures and numbers of the textbooks: `snakemake reproduce`.

textbook/{exhibit}/figure.svg, numbers.json    output of textbook/{exhibit}.py
textbook/published.json                        comparison with every published number
textbook/textbook.html                         one page in the order of a course
"""


rule exhibit:
    """Run one script of the textbook. If its data are unavailable, its numbers say so."""
    input:
        INPUTS.draw_again_if_figure_is_lost,
    output:
        numbers="<results>/textbook/{exhibit}/numbers.json",
    log:
        "<results>/logs/textbook/{exhibit}.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        code=code_of_exhibit,
        mirrors=STUDY.mirrors,
        copies=INPUTS.names_in_mirrors(),
    script:
        "../scripts/exhibit.py"


rule compare_published:
    """Compare the numbers with the published ones; write the table and the page."""
    input:
        expand("<results>/textbook/{exhibit}/numbers.json", exhibit=TEXTBOOK),
    output:
        checks="<results>/textbook/published.json",
        page="<results>/textbook/textbook.html",
    log:
        "<results>/logs/textbook.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        code=code_of(
            "compare_published.py",
            reads=(
                "config/published.yaml",
                "textbook/course.yaml",
                "workflow/report/textbook.html.j2",
                "workflow/report/style.css",
                *(f"textbook/{name}.py" for name in TEXTBOOK),
            ),
        ),
    script:
        "../scripts/compare_published.py"


rule reproduce:
    """Print the comparison; fail if a number is outside its tolerance."""
    input:
        "<results>/textbook/published.json",
    log:
        "<results>/logs/reproduce.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    script:
        "../scripts/reproduce.py"
