"""CITATION.cff of a published study: authors, title and software.

Citation File Format 1.2.0, https://doi.org/10.5281/zenodo.5171937
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from linclass_study.errors import StudyError
from linclass_study.project import ROOT

ORCID = re.compile(r"(?:https://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\Z")
USUAL = ("CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0", "ODC-By-1.0", "MIT")
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
            raise StudyError(f"--author {text!r}: invalid author; write {form}")
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
    """A citation; `date` is that of the report, and `license` an SPDX expression or empty."""

    title: str
    authors: Sequence[Author]
    date: str
    license: str = ""

    def __post_init__(self) -> None:
        if self.license:
            object.__setattr__(self, "license", _canonical(self.license))

    @property
    def licenses(self) -> list[str]:
        """The licences among which a reader may choose."""
        return self.license.split(" OR ") if "(" not in self.license else [self.license]

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
        if self.license and all(
            re.fullmatch(r"[\w.+-]+", name) for name in self.licenses
        ):  # all that the format has
            about["license"] = self.licenses[0] if len(self.licenses) == 1 else self.licenses
        elif self.license:
            about["message"] += f" Licence: {self.license}."
        return yaml.safe_dump(about, sort_keys=False, allow_unicode=True, width=100)


def _canonical(given: str) -> str:
    """The SPDX expression in its usual spelling; StudyError if it has another identifier than https://spdx.org/licenses."""
    try:
        return canonicalize_license_expression(given)
    except InvalidLicenseExpression:
        alike = [name for name in USUAL if name.lower().startswith(given.lower())]
        meant = f"did you mean {alike[0]}? " if alike else ""
        raise StudyError(
            f"--license {given!r} is not a valid SPDX expression; {meant}Write for example {', '.join(USUAL[:SHOWN])}, "
            "or another identifier of https://spdx.org/licenses, or several, as 'CC-BY-4.0 OR MIT'"
        ) from None
