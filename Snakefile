"""`snakemake` in this folder runs workflow/Snakefile."""


include: "workflow/Snakefile"


workflow.default_target = "all"  # an included file does not set it
