"""Entries of data sets: their schema, their remedies, and their expected size."""

import pkgutil

from cases import each
from sklearn import datasets

from linclass import datasets as synthetic
from linclass_study.config.schema import load_schema, schema_problems
from linclass_study.data import entry_keys, formats, produced_rows
from linclass_study.data.entry_check import entry_problems
from linclass_study.data.expected_size import BUNDLED, Size, expected_size
from linclass_study.data.local_copies import SearchFolders
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT

CATALOGUE = read_yaml(ROOT / "config" / "datasets.yaml")
GAUSSIANS = {"generate": "gaussians", "means": [[0], [1]], "rows": [5, 5]}
CSV = {"url": "http://example.org/a.csv"}
POSTS = {"source": {"url": "http://example.org/a.tgz"}, "format": "text_folders"}


def test_the_catalogue_is_valid_pins_its_contents_and_draws_from_every_generator():
    assert not list(schema_problems("datasets", CATALOGUE))
    drawn = set()
    for name, entry in CATALOGUE.items():
        assert not list(entry_problems(entry)), name
        if "generate" in entry["source"]:
            drawn.add(entry["source"]["generate"])
        else:
            assert "digest" in entry, name
    assert drawn == {*synthetic.names()}


def test_the_schema_describes_every_key_and_knows_every_format_and_source():
    known = load_schema("datasets")["$defs"]
    assert known["format"]["enum"] == sorted(m.name for m in pkgutil.iter_modules(formats.__path__))
    kinds = {*entry_keys.FILES, *produced_rows.OFFERS}
    assert set(entry_keys.KINDS) == kinds
    assert kinds <= {*known["stored"]["properties"], *known["drawn"]["properties"]}

    def keys_of(node, path):
        if isinstance(node, dict):
            for key, value in node.get("properties", {}).items():
                yield [*path, key], value
            for key, value in node.items():
                yield from keys_of(value, [*path, key])

    for path, value in keys_of(known, []):
        referred = known[value["$ref"].split("/")[-1]] if "$ref" in value else {}
        assert "description" in value or "description" in referred, path


WRONG = {  # name: (entry, path, sentence)
    "unknown key": ({"source": CSV, "targt": "y"}, ["targt"], "unknown key; did you mean 'target'?"),
    "weights of rows": ({"source": CSV, "weight": "w"}, ["weight"],
        "unknown key; a study has no weights of rows: leave the column out with `drop:`"),
    "unknown key of a source": ({"source": {"url": "http://a.org/b", "sha": "x"}}, ["source", "sha"], "unknown key"),
    "no source": ({"target": "y"}, [], "the key 'source' is missing"),
    "unknown format": ({"source": CSV, "format": "arf"}, ["format"], "did you mean 'arff'?"),
    "source as text": ({"source": "a.csv"}, ["source"], "is not"),
    "not an address": ({"source": {"url": "ftp://a.org/b"}}, ["source", "url"], "http://"),
    "short digest": ({"source": CSV, "digest": "sha256:12"}, ["digest"], "64 hexadecimal digits"),
    "one class": ({"source": CSV, "classes": ["a"]}, ["classes"], "too short"),
    "negative rows": ({"source": {**GAUSSIANS, "rows": [-1, 2]}}, ["source", "rows", 0], "too small"),
    "text among costs": ({"source": CSV, "costs": [[0, "a"], [1, 0]]}, ["costs", 0, 1], "is not a number"),
    "seed of a generator": ({"source": {**GAUSSIANS, "seed": 1}}, ["source", "seed"],
        "it stands beside `source`, not inside it"),
    "no such generator": ({"source": {"generate": "gausians"}}, ["source", "generate"],
        "'gausians' is not known; did you mean 'gaussians'?"),
    "unknown parameter": ({"source": {**GAUSSIANS, "mean": [0]}}, ["source", "mean"],
        "unknown key; did you mean 'means'?"),
    "missing parameter": ({"source": {"generate": "gaussians", "means": [[0], [1]]}}, ["source"],
        "the key 'rows' is missing"),
    "a key of another generator": ({"source": {**GAUSSIANS, "margin": 1}}, ["source", "margin"],
        "unknown key; there are: covariances, generate,"),
    "a drawn file": ({"source": {**GAUSSIANS, "file": "a.csv"}}, ["source", "file"], "unknown key"),
    "text for a number": ({"source": {"generate": "circles", "rows": [5, 5], "noise": "low"}}, ["source", "noise"],
        "'low' is not a number (σ, the standard deviation of the distance from the centre)"),
    "three classes for two": ({"source": {"generate": "separable", "rows": [5, 5, 5]}}, ["source", "rows"],
        "is too long; give at most 2"),
    "noise without signal": ({"source": {**GAUSSIANS, "label_noise": 1}}, ["source", "label_noise"],
        "1 is too large; give less than 1"),
    "misspelt generator": ({"source": {"gnerate": "iris"}}, ["source", "gnerate"],
        "unknown key; did you mean 'generate'?"),
    "more lines than a file has": ({"source": CSV, "csv": {"skip": 10**30}}, ["csv", "skip"], "is too large"),
    "long separator": ({"source": CSV, "csv": {"separator": "::"}}, ["csv", "separator"], "one character"),
}  # fmt: skip


@each("case", WRONG)
def test_the_schema_refuses(case):
    entry, path, words = WRONG[case]
    found = [(p[1:], text) for p, text in schema_problems("datasets", {"it": entry})]
    assert [text for p, text in found if p == path and words in text], found


TOGETHER = {
    "two kinds": ({"source": {"url": "http://a.org/b", "file": "b"}}, ["source"], "two sources"),
    "no kind": ({"source": [{"format": "csv"}]}, ["source", 0], "the source has no location"),
    "meaningless key": ({"source": {"sklearn": "iris", "sha256": "0" * 64}}, ["source", "sha256"],
        "is not supported for sklearn; leave it out"),
    "unknown form": ({"source": {"url": "http://a.org/b.data"}, "target": "y"}, ["source"],
        "`format:` is missing and not known from the name 'http://a.org/b.data'; add it, such as `format: csv`"),
    "a spreadsheet": ({"source": {"url": "http://a.org/b.xlsx"}, "target": "y"}, ["source"], "save the file as CSV"),
    "no target": ({"source": CSV}, [], "the key 'target' is missing"),
    "target of sparse rows": ({"source": {"url": "http://a.org/b.svm.bz2"}, "target": "y"}, ["target"],
        "is not supported for libsvm"),
    "binary columns": ({"source": CSV, "target": "y", "binary": True}, ["binary"], "not for csv"),
    "csv of ARFF": ({"source": {"url": "http://a.org/b.arff"}, "target": "y", "csv": {"skip": 1}}, ["csv"],
        "is not supported for arff"),
    "header and names": ({"source": CSV, "target": "y", "csv": {"header": True, "names": ["x", "y"]}},
        ["source", "csv"], "`skip: 1`"),
    "a label in two classes": ({"source": {"sklearn": "iris"}, "classes": {"a": [1, 2], "b": 2}}, ["classes", "b"],
        "'2' is in 'a' already"),
    "positive left out": (
        {"source": {"sklearn": "iris"}, "classes": ["setosa", "virginica"], "positive": "versicolor"}, ["positive"],
        "'versicolor' is not a class; there are: setosa, virginica"),
    "costs of an unknown class": (
        {"source": {"sklearn": "iris"}, "classes": ["setosa", "virginica"], "costs": {"setosa": {"virginca": 1}}},
        ["costs"], "'virginca' is not a class; did you mean 'virginica'?"),
    "costs of one direction": ({"source": CSV, "target": "y", "costs": {"ill": {"well": 5}}}, ["costs"],
        "no cost of predicting 'ill' where 'well' is true; add well: {ill: …}"),
    "costs for other classes": (
        {"source": {"sklearn": "iris"}, "classes": ["a", "b", "c"], "costs": [[0, 1], [1, 0]]}, ["costs"],
        "2 × 2 numbers for 3 classes; give 3 × 3"),
    "a cost that is no number": ({"source": CSV, "target": "y", "costs": [[0, float("nan")], [1, 0]]},
        ["costs", 0, 1], "nan is not a finite number"),
    "a cost beyond all numbers": ({"source": CSV, "target": "y", "costs": [[0, 10**400], [1, 0]]}, ["costs", 0, 1],
        "is too large; give at most 1e308"),
    "an infinite mean": ({"source": {**GAUSSIANS, "means": [[0], [float("inf")]]}}, ["source", "means", 1, 0],
        "inf is not a finite number"),
    "parameters at odds": ({"source": {**GAUSSIANS, "rows": [5]}}, ["source"], "is for 1 class"),
    "texts of sparse rows": ({"source": {"url": "http://a.org/b.svm"}, "texts": ["text"]}, ["texts"],
        "is not supported for libsvm, which has no"),
    "words of texts": ({**POSTS, "texts": ["text"], "binary": True}, ["binary"],
        "is for counts of words, not for text_folders; leave it out"),
    "texts without a column": (POSTS, [], "add `texts: [text]`, and count words by a feature"),
    "texts that are categories": ({"source": CSV, "target": "y", "texts": ["b"], "categorical": ["b"]}, ["texts"],
        "'b' is also under `categorical:`"),
    "groups that are the target": ({"source": CSV, "target": "y", "group": "y"}, ["group"], "'y' is also the target"),
    "groups of sparse rows": ({"source": {"url": "http://a.org/b.svm"}, "group": "g"}, ["group"],
        "is not supported for libsvm"),
    "missing file": ({"source": {"file": "resources/SAhaert.csv"}, "target": "chd"}, ["source", "file"],
        "there is no file 'resources/SAhaert.csv'"),
    "missing files": ({"source": [{"file": "my/a.csv"}, {"file": "my/b.csv"}], "target": "y"}, ["source", 0, "file"],
        "there is no file 'my/a.csv'"),
    "missing test file": ({"source": CSV, "test": {"file": "t.csv"}, "target": "y"}, ["test", "file"],
        "there is no file 't.csv'"),
}  # fmt: skip


@each("case", TOGETHER)
def test_keys_that_do_not_go_together_are_refused(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry, path, words = TOGETHER[case]
    found = list(entry_problems(entry))
    assert [text for p, text in found if p == path and words in text], found
    assert all("\n" not in text for _, text in found)


def test_a_file_that_is_not_there_is_a_problem_unless_a_mirror_or_another_source_has_it(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "a.csv").touch()
    lost = {"source": {"file": "a.csv"}, "target": "y"}
    (problem,) = entry_problems(lost, SearchFolders(root=tmp_path))
    assert problem == (["source", "file"], "there is no file 'a.csv'")
    assert not list(entry_problems({"source": [{"file": "a.csv"}, CSV], "target": "y"}))
    assert not list(entry_problems(lost, SearchFolders([tmp_path / "mirror"])))


def test_the_expected_size_is_that_of_the_drawn_bundled_local_or_stated_data(tmp_path, monkeypatch):
    drawn = {"source": {"generate": "simplex", "rows": [300, 200, 100], "features": 7}}
    assert expected_size(drawn) == Size(600 * 7, 600)
    assert expected_size(CATALOGUE["gaussians"]) == Size(800, 400)
    for name, shape in BUNDLED.items():
        assert getattr(datasets, f"load_{name}")().data.shape == shape
        assert expected_size({"source": {"sklearn": name}}) == Size(shape[0] * shape[1], shape[0])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x,y\n" * 100)
    assert expected_size({"source": {"file": "a.csv"}}) == Size(100)
    assert expected_size({"source": {"file": "missing.csv"}}) is None
    entry = {"source": {"url": "http://example.org/a.csv"}}
    assert expected_size(entry) is None
    assert expected_size(entry | {"size": {"rows": 50, "features": 3}}) == Size(150, 50)
    sparse = {"rows": 50, "features": 3, "nonzero": 20}
    assert expected_size(entry | {"size": sparse}) == Size(20, 50)
