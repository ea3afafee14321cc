"""CITATION.cff of a published study: authors, title and software.

Citation File Format 1.2.0, https://doi.org/10.5281/zenodo.5171937
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from linclass_study.project import ROOT
from linclass_study.refusal import Refused

ORCID = re.compile(r"(?:https://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\Z")
LICENSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*\Z")
USUAL = (  # for data and results, and identifiers without a number
    *("CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0"),
    *("MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "GPL-3.0-or-later"),
    *("Beerware", "ISC", "NCSA", "PostgreSQL", "Unlicense", "WTFPL", "X11", "Zlib"),
)
SHOWN = 4  # of the usual ones, in a message


@dataclass(frozen=True)
class Author:
    """An author: `Family, Given` is a person, a name without a comma an organization or a pseudonym."""

    family: str
    given: str = ""
    orcid: str = ""

    @classmethod
    def of(cls, text: str) -> Author:
        """From `Family, Given`, `Family, Given, ORCID` or `Name`."""
        parts = [part.strip() for part in text.split(",")]
        orcid = ORCID.match(parts[-1])
        if orcid:
            parts.pop()
        named = all(any(map(str.isalpha, part)) and "@" not in part for part in parts)
        if not 1 <= len(parts) <= 2 or not named:
            form = "--author 'Family, Given' or 'Family, Given, 0000-0001-2345-6789'"
            raise Refused(f"--author {text!r} is no author; write {form}")
        family, given = [*parts, ""][:2]
        return cls(family, given, f"https://orcid.org/{orcid[1]}" if orcid else "")

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}".strip()

    def as_cff(self) -> dict[str, str]:
        orcid = {"orcid": self.orcid} if self.orcid else {}
        if not self.given:
            return {"name": self.family} | orcid
        return {"family-names": self.family, "given-names": self.given} | orcid


@dataclass(frozen=True)
class Citation:
    """A citation; `date` is that of the report, and `license` an SPDX identifier or empty."""

    title: str
    authors: Sequence[Author]
    date: str
    license: str = ""

    def __post_init__(self) -> None:
        if self.license:
            _check_license(self.license)

    def text(self) -> str:
        """Content of CITATION.cff."""
        software = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        kept = ("type", "title", "authors", "version", "license")
        about: dict[str, Any] = {
            "cff-version": "1.2.0",
            "message": "If you use these results, please cite them as below.",
            "type": "dataset",
            "title": self.title,
            "authors": [author.as_cff() for author in self.authors],
            "date-released": self.date,
            "keywords": ["linear classification", "benchmark"],
            "references": [{key: software[key] for key in kept}],
        }
        if self.license:
            about["license"] = self.license
        return yaml.safe_dump(about, sort_keys=False, allow_unicode=True, width=100)


def _check_license(given: str) -> None:
    """Raise Refused for what is no identifier of https://spdx.org/licenses: nearly all of them have a version."""
    alike = [name for name in USUAL if name.lower().startswith(given.lower())]
    has_version = LICENSE.match(given) and re.search(r"\d", given)
    if given in USUAL or (has_version and not alike):
        return
    meant = f"did you mean {alike[0]}? " if alike else ""
    raise Refused(
        f"--license {given!r} is no SPDX identifier; {meant}Write for example {', '.join(USUAL[:SHOWN])}, or another "
        "with its version (https://spdx.org/licenses)"
    )
