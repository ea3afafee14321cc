"""docs/data.md documents every key of an entry, format, source, generator and suite."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from cases import each

from linclass import datasets as synthetic
from linclass.datasets.keys import keys_schema
from linclass_study.config.catalogues import suite_names
from linclass_study.config.schema import load_schema
from linclass_study.config.yaml_file import read_yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    """What the page says of a generator, as its signature and docstring say it."""
    function = synthetic.generator(name)
    about = inspect.getmodule(function).__doc__.strip()
    parameters = inspect.signature(function).parameters
    rows = []
    for key, kind in keys_schema(function)["properties"].items():
        default = parameters[key].default
        shown = "needed" if default is inspect.Parameter.empty else default
        rows.append(
            f"| `{key}` | {list(shown) if isinstance(shown, tuple) else shown} | {kind['description']} |"
        )
    model = inspect.cleandoc(function.__doc__).splitlines()[0].rstrip(".")
    table = "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])
    return f"### {name}\n\n{about}\n\n    {model}\n\n{table}\n"


@each("name", synthetic.names())
def test_every_generator_is_described_as_its_code_says(name):
    assert section(name) in PAGE, f"docs/data.md needs:\n{section(name)}"


def test_every_key_of_an_entry_every_format_and_every_source_is_there():
    known = load_schema("datasets")["$defs"]
    names = {
        *known["dataset"]["properties"],
        *known["stored"]["properties"],
        *known["format"]["enum"],
    }
    names |= {*known["csv"]["properties"], "generate", "label_noise"}
    assert not [name for name in sorted(names) if not re.search(rf"`{{?{name}\b", PAGE)]


def test_every_suite_is_there_with_its_number_of_sets():
    for name in suite_names(ROOT):
        number = len(read_yaml(ROOT / "config" / "suites" / f"{name}.yaml")["tasks"])
        assert re.search(rf"`{name}` \| {number} \|", PAGE)
