"""Exit code 1 if a published number is outside its tolerance; the last lines of the terminal say which."""

import sys
from pathlib import Path

from linclass_study.textbook.published import ending, read_published

file = Path(snakemake.input[0])
checks = read_published(file)
text = ending(checks, file.with_name("textbook.html"))
Path(snakemake.log[0]).write_text(text + "\n", encoding="utf-8")
if any(check.status == "differs" for check in checks):
    sys.exit("a published number is outside its tolerance")
