"""The data sets of the catalogue: sizes, contents, and the page that describes them."""

import inspect
import io
import lzma
import re
import tarfile
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import each, first

from linclass import datasets as synthetic
from linclass.datasets.keys import keys_schema
from linclass_study.config.catalogues import suite_entries, suite_names
from linclass_study.config.schema import load_schema
from linclass_study.data import download
from linclass_study.data.expected_size import expected_size
from linclass_study.errors import Unavailable
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT

CATALOGUE = read_yaml(ROOT / "config" / "datasets.yaml")
LOCAL = ["heart", "vowel", "german"]  # files of the project, which are as large as they are
# name: (rows, features, classes, test rows), from the descriptions that come with the data
SIZES = {
    "iris": (150, 4, 3, 0), "iris_binary": (150, 4, 2, 0), "wine": (178, 13, 3, 0),
    "breast_cancer": (569, 30, 2, 0), "digits": (1797, 64, 10, 0), "gaussians": (400, 2, 2, 0),
    "masking": (600, 2, 3, 0), "unequal_covariances": (600, 2, 2, 0), "correlated_groups": (300, 50, 2, 0),
    "high_dimensional_sparse": (600, 10_000, 3, 0), "circles": (400, 2, 2, 0), "separable": (200, 5, 2, 0),
    "heavy_tailed": (400, 5, 2, 0), "simplex": (400, 10, 4, 0), "label_noise": (400, 2, 2, 0),
    "heart": (462, 9, 2, 0), "newsgroups": (5045, 34250, 2, 2017), "newsgroups_posts": (5049, 1, 2, 2018),
    "twenty_newsgroups_posts": (18_846, 1, 20, 7532), "vowel": (990, 10, 11, 462), "german": (1000, 20, 2, 0),
    "credit_default": (30_000, 23, 2, 0), "adult": (48_842, 14, 2, 16_281), "a9a": (32_561, 123, 2, 0),
    "w8a": (49_749, 300, 2, 0), "letter": (20_000, 16, 26, 0), "segment": (2310, 19, 7, 0),
    "vehicle": (846, 18, 4, 0), "waveform": (5000, 40, 3, 0),
}  # fmt: skip


@pytest.fixture
def offline(monkeypatch):
    """No connection leaves this test."""

    def refuse(*_):
        raise Unavailable("no network")

    monkeypatch.setattr(download, "_transfer", refuse)


def check(name, found):
    rows, features, classes, test_rows = SIZES[name]
    assert found.table.shape == (rows, features)
    assert len(found.classes) == classes
    assert found.split.sum() == test_rows
    assert found.digest == CATALOGUE[name].get("digest", found.digest)


def test_sizes_stated_in_the_catalogue_are_correct():
    assert list(CATALOGUE) == list(SIZES)
    for name, entry in CATALOGUE.items():
        known = expected_size(entry)
        if known and known.rows:
            values = entry["size"].get("nonzero") if "size" in entry else None
            assert known == (values or SIZES[name][0] * SIZES[name][1], SIZES[name][0])
    assert [n for n, e in CATALOGUE.items() if not (expected_size(e) or (0, 0))[1]] == LOCAL


def test_bundled_data_sets_are_complete_without_mirror_and_network(obtain, offline):
    kinds = ("generate", "sklearn")
    made = [name for name, e in CATALOGUE.items() if any(kind in e["source"] for kind in kinds)]
    assert len(made) > 10
    for name in [*made, *LOCAL, "newsgroups"]:
        check(name, obtain(CATALOGUE[name]))


PUBLISHED = [name for name, entry in CATALOGUE.items() if "format" in entry or name == "newsgroups"]


@pytest.fixture
def published(obtain, offline, mirrors):
    """published(name): the data set from the copies of its published files, never from resources."""

    def run(name):
        entry = dict(CATALOGUE[name])
        sources = entry["source"] if isinstance(entry["source"], list) else [entry["source"]]
        entry["source"] = [s for s in sources if "resources" not in s.get("file", "")]
        try:
            return obtain(entry, *mirrors)
        except Unavailable as why:
            if "no network" not in str(why) or "digest" in str(why):
                raise
            pytest.skip(f"no folder of LINCLASS_MIRRORS has it: {why}")

    return run


@pytest.mark.parametrize("name", first(3, PUBLISHED))
def test_published_files_agree_with_the_catalogue(name, published):
    check(name, published(name))


def test_heart_has_the_men_of_the_book(obtain, offline):
    """Hastie et al. (2009), §4.4.2: 160 cases and 302 controls; famhist is text."""
    found = obtain(CATALOGUE["heart"])
    assert np.bincount(found.y).tolist() == [302, 160]
    assert found.classes == ["no chd", "chd"]
    assert found.classes[found.positive] == "chd"
    assert found.table.levels == {"famhist": ("Absent", "Present")}
    assert "row.names" not in found.table.names
    cases = pl.read_csv(ROOT / "resources" / "SAheart.data").filter(chd=1)
    ages = found.table.X[found.y == 1, found.table.names.index("age")]
    assert sorted(ages) == cases["age"].sort().to_list()


def test_adult_has_its_official_test_set(published):
    found = published("adult")
    train, test = (np.bincount(found.y[found.split == part]).tolist() for part in (0, 1))
    assert train == [24_720, 7841]  # its description: 75.9 % and 24.1 % of 32,561
    assert sum(test) == 16_281
    assert len(found.table.levels) == 8
    assert np.isnan(found.table.X).any()


GROUPS = {
    "religion": ["alt.atheism", "soc.religion.christian", "talk.religion.misc"],
    "politics": ["talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"],
}


@pytest.fixture(scope="module")
def archive(mirrors):
    name = "20news-bydate-matlab.tgz"
    found = [folder / name for folder in mirrors if (folder / name).exists()]
    return found[0] if found else pytest.skip(f"no folder of LINCLASS_MIRRORS has {name}")


@pytest.mark.slow
def test_the_newsgroups_are_those_of_the_archive(obtain, offline, archive):
    """Counted again from the archive's lines by nothing but dictionaries and sets."""
    with tarfile.open(archive) as box:
        files = [member for member in box.getmembers() if member.isfile()]
        text = {Path(m.name).name: box.extractfile(m).read().decode("latin-1") for m in files}
    words = text["vocabulary.txt"].split()
    posts = []  # (part, class, the numbers of its words)
    for part, name in enumerate(("train", "test")):
        groups = dict(reversed(line.split()) for line in text[f"{name}.map"].splitlines())
        labels = [groups[number] for number in text[f"{name}.label"].split()]
        bags = [set() for _ in labels]
        for line in text[f"{name}.data"].splitlines():
            document, word, _ = map(int, line.split())
            bags[document - 1].add(word)
        posts += [
            (part, code, bag)
            for label, bag in zip(labels, bags, strict=True)
            for code, members in enumerate(GROUPS.values())
            if label in members
        ]
    parts = [part for part, _, _ in posts]
    occurring = sorted(set().union(*(bag for _, _, bag in posts)))
    assert (parts.count(0), parts.count(1), len(occurring)) == (3028, 2017, 34_250)

    found = obtain(CATALOGUE["newsgroups"])
    assert found.classes == ["religion", "politics"]
    assert found.table.names == tuple(words[number - 1] for number in occurring)
    assert set(found.table.X.data) == {1.0}
    assert found.table.X.nnz == CATALOGUE["newsgroups"]["size"]["nonzero"]
    bags = np.split(np.array(occurring)[found.table.X.indices], found.table.X.indptr[1:-1])
    rows = zip(found.split.tolist(), found.y.tolist(), map(np.ndarray.tolist, bags), strict=True)
    assert sorted(rows) == sorted((part, code, sorted(bag)) for part, code, bag in posts)


@pytest.mark.slow
def test_archive_web_server_and_compact_copy_agree(obtain, offline, server, archive, monkeypatch):
    """Also as Jason Rennie publishes the archive: it holds no vocabulary.txt, the same folder does."""
    entry = dict(CATALOGUE["newsgroups"])
    packed, compact = entry["source"]
    obtain(entry | {"source": compact})
    url = "http://example.org/20news-bydate-matlab.tgz"
    obtain(entry | {"source": {**packed, "url": url}}, archive.parent)
    monkeypatch.undo()  # the network again, which is this machine
    monkeypatch.setenv("NO_PROXY", "*")
    url = server.page("/20Newsgroups/20news-bydate-matlab.tgz", archive.read_bytes())
    assert obtain(entry | {"source": {**packed, "url": url}}).source == url
    published = io.BytesIO()
    with (
        tarfile.open(archive) as whole,
        tarfile.open(fileobj=published, mode="w:gz", compresslevel=1) as box,
    ):
        for member in whole.getmembers():
            content = whole.extractfile(member) if member.isfile() else None
            if member.name.endswith("vocabulary.txt"):
                words = server.page("/vocabulary.txt", content.read())
            else:
                box.addfile(member, content)
    url = server.page("/20news-bydate-matlab.tgz", published.getvalue())
    beside = {"url": url, "format": "bag_of_words", "vocabulary": {"url": words}}
    assert obtain(entry | {"source": beside}).source == url


@pytest.mark.slow
def test_the_compact_copy_is_the_output_of_its_script(archive, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "resources"))
    import make_newsgroups

    text = lzma.decompress((ROOT / "resources" / "newsgroups.xz").read_bytes()).decode()
    assert make_newsgroups.index(archive) == text


def test_bundled_files_are_small_and_state_their_origin():
    reported = (ROOT / "resources" / "README.md").read_text()
    for path in (ROOT / "resources").iterdir():
        if path.is_file() and path.name != "README.md":
            assert path.stat().st_size < 1_000_000
            assert path.name in reported


PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
GENERATORS = (ROOT / "docs" / "generators.md").read_text(encoding="utf-8")


def section(name):
    """The description of a generator on the page, from its signature and docstring."""
    function = synthetic.generator(name)
    about, model = inspect.cleandoc(function.__doc__).split("\n\n")[:2]
    parameters = inspect.signature(function).parameters
    rows = []
    for key, kind in keys_schema(function)["properties"].items():
        default = parameters[key].default
        shown = "needed" if default is inspect.Parameter.empty else default
        shown = list(shown) if isinstance(shown, tuple) else shown
        rows.append(f"| `{key}` | {shown} | {kind['description']} |")
    table = "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])
    return f"## {name}\n\n{about}\n\n    {model.rstrip('.')}\n\n{table}\n"


@each("name", synthetic.names())
def test_the_description_of_every_generator_matches_its_code(name):
    assert section(name) in GENERATORS, f"docs/generators.md needs:\n{section(name)}"


def test_the_page_on_data_names_every_key_every_source_and_every_suite():
    known = load_schema("datasets")["$defs"]
    keys = [known[part]["properties"] for part in ("dataset", "stored", "csv")]
    names = {*chain(*keys), *known["format"]["enum"], "generate", "label_noise"}
    pages = PAGE + GENERATORS
    assert not [name for name in sorted(names) if not re.search(rf"`{{?{name}\b", pages)]
    for name in suite_names():
        number = len(suite_entries([name]))
        assert re.search(rf"`{name}` \| {number} \|", PAGE)
