"""Print the comparison with published numbers; exit code 1 if one is outside its tolerance."""

import sys
from pathlib import Path

from linclass_study.textbook import published
from linclass_study.textbook.published import read_published

checks = read_published(Path(snakemake.input[0]))
table = published.published_table(checks)
print(table, flush=True)
Path(snakemake.log[0]).write_text(table + "\n", encoding="utf-8")
if any(check.status == "differs" for check in checks):
    sys.exit("a published number is outside its tolerance")
