"""Folders in which data files are searched: mirrors, downloads and the project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linclass_study.data.download_limits import DownloadLimits


@dataclass(frozen=True)
class SearchFolders:
    """Where data files are searched, and what a download may cost.

    mirrors     folders of local copies, searched by file name
    downloads   folder that keeps downloaded files
    root        folder of the project, for the paths in its catalogue
    limits      time and size limits of downloads
    """

    mirrors: list[Path] = field(default_factory=list)
    downloads: Path = Path("downloads")
    root: Path = Path()
    limits: DownloadLimits = field(default_factory=DownloadLimits)

    def local(self, name: str) -> Path | None:
        """The existing file of a path, relative to the working directory or else to the project."""
        return next(
            (path for path in (Path(name).expanduser(), self.root / name) if path.exists()), None
        )

    def found(self, name: str) -> list[Path]:
        """The file of a path; for a bare name that does not exist here, its copies in the mirrors."""
        here = self.local(name)
        return [here] if here else [] if "/" in name else self.mirrored(name)

    def mirrored(self, name: str) -> list[Path]:
        """Copies of a published file in the mirrors, compressed or not."""
        names = [name, *(name + end for end in (".bz2", ".gz", ".xz"))]
        copies = (folder / copy for folder in self.mirrors for copy in names)
        return [copy for copy in copies if copy.is_file()]


def mirrors(values: Mapping[str, Any]) -> list[str]:
    """Mirrors of the study, then those of LINCLASS_MIRRORS."""
    of_environment = filter(None, os.environ.get("LINCLASS_MIRRORS", "").split(os.pathsep))
    return [os.path.expanduser(folder) for folder in (*values["mirrors"], *of_environment)]
