"""exhibits/{dataset}.json: the files of all figures of a data set with their digests.

It stands for them as an input of the page, since Snakemake records every input for each of the page's hundreds of
files: with forty files a data set, twenty data sets took a minute after the page was written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from linclass_study.unfinished_file import unfinished_file


def write_drawn_files(path: Path, files: Iterable[Path]) -> None:
    """Write name → digest; names are relative to the folder of `path`."""
    digests = {
        file.relative_to(path.parent).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(files)
    }
    with unfinished_file(path) as partial:
        partial.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
