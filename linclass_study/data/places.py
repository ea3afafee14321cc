"""Folders in which data files are searched: mirrors, downloads and the project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linclass_study.data.patience import Patience


@dataclass(frozen=True)
class Places:
    """Folders that are searched for files, and the limits of downloads.

    mirrors     folders of local copies, searched by file name
    downloads   folder that keeps downloaded files
    root        folder of the project, for the paths in its catalogue
    """

    mirrors: list[Path] = field(default_factory=list)
    downloads: Path = Path("downloads")
    root: Path = Path()
    patience: Patience = field(default_factory=Patience)

    def local(self, name: str) -> Path | None:
        """The existing file of a path, relative to the working directory or else to the project."""
        return next(
            (path for path in (Path(at_home(name)), self.root / name) if path.exists()), None
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
    return [at_home(folder) for folder in (*values["mirrors"], *of_environment)]


def at_home(path: str) -> str:
    """Expand ~ to the home folder."""
    return os.path.expanduser(path)
