"""The scripts of the textbook as examples of the site, chapter by chapter, with their figures and notebooks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

from linclass_study.errors import Unavailable
from linclass_study.project import ROOT
from linclass_study.textbook import course
from linclass_study.textbook.course import Caption
from linclass_study.textbook.script import data_entries, file

BUNDLED = {"sklearn", "generate", "file"}  # kinds of sources that need no network


def settings(docs: Path) -> dict[str, Any]:
    """`sphinx_gallery_conf`, after the examples were written from the scripts.

    A script runs if its data are bundled, or if LINCLASS_MIRRORS is set, where other data are looked for and from
    where they are otherwise downloaded.
    """
    sources = docs / "_build" / "examples"
    os.environ.setdefault("LINCLASS_DOWNLOADS", str(ROOT / "downloads"))
    run = write_examples(sources)
    return {
        "examples_dirs": [str(sources)],
        "gallery_dirs": ["gallery"],
        "filename_pattern": rf"/\d+_({'|'.join(run)})\.py$",
        "within_subsection_order": "FileNameSortKey",
        "image_scrapers": (figure_of_script,),
        "capture_repr": (),
        "remove_config_comments": True,
        "min_reported_time": 1e9,
        "show_memory": False,
        "show_signature": False,
        "parallel": 2,
        "plot_gallery": "True",
    }


def write_examples(folder: Path) -> list[str]:
    """Write the scripts with docstrings in reStructuredText, a folder for each chapter; return those that can run."""
    wanted = {folder / "GALLERY_HEADER.rst": OVERVIEW}
    run = []
    for number, (chapter, names) in enumerate(course.chapters().items(), start=1):
        place = folder / f"{number}_{re.sub(r'[^a-z]+', '_', chapter.lower())}"
        wanted[place / "GALLERY_HEADER.rst"] = f"{chapter}\n{'-' * len(chapter)}\n"
        for position, name in enumerate(names, start=1):
            text = course.script(name).read_text(encoding="utf-8")
            code = text.split('"""', 2)[2]
            wanted[place / f"{position:02}_{name}.py"] = f'r"""\n{caption(name)}"""{code}'
            if can_run(text):
                run.append(name)
    for path in set(folder.rglob("*.*")) - {*wanted}:
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return run


OVERVIEW = """\
Gallery
=======

Figures of the textbooks, in the order of a course. Each page has its script and the same as a notebook; both need
``pip install 'linclass[study]'``. ``snakemake reproduce`` compares the numbers of all scripts with the published ones.
"""


def can_run(script: str) -> bool:
    entries = data_entries()
    sources = [entries[name]["source"] for name in re.findall(r'\bdata\("(\w+)"\)', script)]
    first = [source[0] if isinstance(source, list) else source for source in sources]
    try:
        for name in re.findall(r'\bfile\("([^"]+)"\)', script):
            file(name)
    except Unavailable:
        return False
    return all(BUNDLED & {*one} for one in first) or bool(os.environ.get("LINCLASS_MIRRORS"))


def caption(name: str) -> str:
    """The docstring of a script as reStructuredText."""
    found = Caption.of(course.script(name))
    lines = [found.title, "=" * len(found.title), ""]
    for kind, text in found.paragraphs:
        if kind == "equation":
            lines += ["::", "", *(f"    {line}" for line in text.split("\n")), ""]
        else:
            lines += [escaped(text), ""]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Plain text for reStructuredText: stars, bars, and underscores at the end of words mean themselves."""
    parts = re.split(r"(``.*?``|`[^`]*`)", text)
    plain = (re.sub(r"([*|]|(?<=\w)_(?!\w))", r"\\\1", part) for part in parts[::2])
    code = (part if part.startswith("``") else f"`{part}`" for part in parts[1::2])
    return "".join(a + b for a, b in zip(plain, [*code, ""], strict=True))


def figure_of_script(block: Any, variables: dict[str, Any], conf: dict[str, Any]) -> str:
    """A scraper of sphinx-gallery: the figure that the last block of a script saves."""
    drawn = variables["example_globals"].get("drawn")
    if drawn is None or "save(" not in block.content:
        return ""
    image = Path(next(variables["image_path_iterator"])).with_suffix(".svg")
    drawn.savefig(image)
    title = Caption.of(Path(variables["src_file"])).title
    return figure_rst([str(image)], conf["src_dir"], title)
