"""`snakemake` in this folder runs workflow/Snakefile."""


include: "workflow/Snakefile"
