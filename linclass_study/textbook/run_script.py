"""Run one script of the textbook; if its data are unavailable, the exhibit says so."""

from __future__ import annotations

import os
import runpy
from collections.abc import Sequence
from pathlib import Path

from linclass_study.data.unavailable import Unavailable
from linclass_study.report.figure_files import Exhibit
from linclass_study.textbook import course
from linclass_study.textbook.script import FOLDER


def run_script(
    name: str, folder: Path, mirrors: Sequence[str] = (), downloads: str = "downloads"
) -> None:
    """Write folder/name/figure.svg and numbers.json, with the mirrors and downloads of the study."""
    os.environ[FOLDER] = str(folder)
    os.environ["LINCLASS_MIRRORS"] = os.pathsep.join(mirrors)
    os.environ["LINCLASS_DOWNLOADS"] = downloads
    try:
        runpy.run_path(str(course.script(name)), run_name="__main__")
    except Unavailable as reason:
        Exhibit.nothing(f"unavailable: {reason}").save(folder / name)
