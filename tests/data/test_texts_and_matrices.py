"""Raw texts, and matrices in separate files: rows of both stay aligned."""

import io
import json
import pickle
import re
import tarfile

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from linclass_study.data import fetch_inputs
from linclass_study.data.dataset import load_dataset, save_dataset
from linclass_study.data.entry_check import entry_problems
from linclass_study.execution.feature_file import FeatureFile
from linclass_study.execution.features import compute_features

POSTS = {
    "news-train/cats/1": "Subject: x\r\n\r\nThe cat.\r\n", "news-train/dogs/2": "A dog, caf\xe9",
    "news-train/cats/7": "", "news-test/cats/3": "A dog, caf\xe9",
}  # fmt: skip
RAW = {"source": {"file": "a.tgz"}, "format": "text_folders", "texts": ["text"]}


@pytest.fixture
def archive(tmp_path):
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as box:
        for name, text in POSTS.items():
            entry = tarfile.TarInfo(name)
            content = text.encode("latin-1")
            entry.size = len(content)
            box.addfile(entry, io.BytesIO(content))


def texts_of(data):
    """(class, split, text) of every row."""
    column = data.table.names.index("text")
    codes = data.table.X[:, column].astype(int)
    texts = [data.table.levels["text"][code] for code in codes]
    classes = [data.classes[code] for code in data.y]
    return sorted(zip(classes, data.split.tolist(), texts, strict=True))


def test_texts_are_kept_unchanged_and_count_words_as_the_format_does(archive, obtain):
    found = obtain(RAW)
    assert found.table.texts == {"text"}
    assert texts_of(found) == [
        ("cats", 0, ""),
        ("cats", 0, "Subject: x\n\nThe cat.\n"),
        ("cats", 1, "A dog, caf\xe9"),
        ("dogs", 0, "A dog, caf\xe9"),
    ]
    counted = obtain({key: RAW[key] for key in ("source", "format")})
    raw = compute_features(obtain(RAW), [{"count_words": {"pattern": "[a-z]+"}}]).table
    assert raw.names == counted.table.names
    rows = (X.toarray().tolist() for X in (raw.X, counted.table.X))
    assert sorted(next(rows)) == sorted(next(rows))


def test_texts_come_back_from_the_files_that_jobs_pass_on(archive, obtain, tmp_path):
    found = obtain(RAW)
    save_dataset(found, tmp_path / "it.npz", tmp_path / "it.json")
    again = load_dataset(tmp_path / "it.npz")
    assert (again.table.texts, again.table.levels) == (found.table.texts, found.table.levels)
    compute_features(again, []).save(tmp_path / "as_is.npz")
    table = FeatureFile.load(tmp_path / "as_is.npz").table
    assert (table.texts, table.levels) == (found.table.texts, found.table.levels)
    about = json.loads((tmp_path / "it.json").read_text())
    assert about["texts"] == ["text"]
    assert not [name for name, kept in about.items() if kept == list(found.table.levels["text"])]


def test_a_text_column_may_have_missing_texts_which_contain_no_words(obtain, tmp_path):
    (tmp_path / "a.csv").write_text("y,body,n\na,good good day,1\nb,,2\nb,1994,3\n")
    entry = {"source": {"file": "a.csv"}, "target": "y", "texts": ["body"]}
    found = compute_features(obtain(entry), ["count_words"]).table
    assert found.names == ("n", "body:1994", "body:day", "body:good")
    assert sorted(found.X.toarray().tolist()) == [[1, 0, 1, 2], [2, 0, 0, 0], [3, 1, 0, 0]]


@pytest.mark.parametrize(("entry", "words"), [
    ({"source": {"file": "a.svm"}, "texts": ["text"]}, "is not supported for libsvm, which has no"),
    (RAW | {"binary": True}, "with `texts:` features count; give it to count_words"),
    ({"source": {"file": "a.csv"}, "target": "y", "texts": ["b"], "categorical": ["b"]},
     "'b' is also under `categorical:`"),
    ({"source": {"file": "a.csv", "matrices": {"m": {"file": "lost.npy"}}}, "target": "y"},
     "there is no file 'lost.npy'"),
    ({"source": {"file": "a.csv", "matrices": {"m": {"sklearn": "iris"}}}, "target": "y"}, "give one of file, url"),
])  # fmt: skip
def test_keys_that_cannot_work_are_refused_before_any_work(entry, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.tgz", "a.csv", "a.svm"):
        (tmp_path / name).touch()
    assert [text for _, text in entry_problems(entry) if words in text]


# matrices


@pytest.fixture
def table(tmp_path):
    """20 rows whose number `id` is the number of their row in a matrix."""
    rng = np.random.default_rng(0)
    lines = [f"{i},{'ab'[rng.integers(2)]}" for i in rng.permutation(20)]
    (tmp_path / "a.csv").write_text("\n".join(["id,y", *lines, ""]))
    ids = np.array([int(line.partition(",")[0]) for line in lines])
    return ids, rng.normal(size=(20, 3)).astype(np.float32)


def entry_of(matrix, **more):
    return {"source": {"file": "a.csv", "matrices": {"m": {"file": matrix}}}, "target": "y"} | more


def written(path, X):
    """The matrix in the format given by the file name."""
    match path.name.split("."):
        case [_, "npy"]:
            np.save(path, X)
        case ["named", "npz"]:
            np.savez_compressed(path, embedding=X)
        case ["sparse", "npz"]:
            sparse.save_npz(path, sparse.coo_array(X))
        case ["lists", "parquet"]:
            pl.DataFrame({"embedding": X.tolist()}).write_parquet(path)
        case [_, "parquet"]:
            pl.DataFrame(X, schema=["u", "v", "w"]).write_parquet(path)
    return path.name


FILES = ["a.npy", "named.npz", "sparse.npz", "lists.parquet", "columns.parquet"]


@pytest.mark.parametrize("name", FILES)
def test_each_row_keeps_its_row_of_the_matrix_through_the_canonical_order(
    name, table, obtain, tmp_path
):
    ids, X = table
    found = obtain(
        entry_of(written(tmp_path / name, X)) | ({"dense": False} if "sparse" in name else {})
    )
    ends = "uvw" if name == "columns.parquet" else "123"
    assert found.table.names == ("id", *(f"m.{end}" for end in ends))
    rows = found.table.X.toarray() if found.table.is_sparse else found.table.X
    assert found.table.is_sparse == (name == "sparse.npz")
    assert rows[:, 0].tolist() != ids.tolist()  # they were put into another order
    place = {int(i): k for k, i in enumerate(ids)}
    for row in rows:
        assert row[1:].tolist() == X[place[int(row[0])]].astype(float).tolist()


@pytest.mark.parametrize("name", FILES[1:])
def test_the_digest_is_of_the_numbers_and_not_of_their_file(name, table, obtain, tmp_path):
    _, X = table
    first = obtain(entry_of(written(tmp_path / "a.npy", X)))
    other = obtain(entry_of(written(tmp_path / name, X)))
    assert (first.digest == other.digest) == (first.table.names == other.table.names)
    changed = X.copy()
    changed[3, 1] += 1
    assert obtain(entry_of(written(tmp_path / "b.npy", changed))).digest != first.digest


def test_a_matrix_belongs_to_the_rows_that_remain(obtain, tmp_path):
    (tmp_path / "a.csv").write_text("y\na\nnone\nb\na\n")
    np.save(tmp_path / "m.npy", np.array([[1.0], [2], [3], [4]]))
    found = obtain(entry_of("m.npy", classes=["a", "b"]))
    assert found.table.names == ("m.1",)  # a table of nothing but classes will do
    assert sorted(zip(found.y.tolist(), found.table.X.ravel().tolist(), strict=True)) == [
        (0, 1), (0, 4), (1, 3),
    ]  # fmt: skip
    (tmp_path / "a.svm").write_text("a 1:1\nb 2:2\nb 1:3\n")
    np.save(tmp_path / "m.npy", np.array([[10.0], [0], [30]]))
    found = obtain({"source": {"file": "a.svm", "matrices": {"m": {"file": "m.npy"}}}})
    assert found.table.names == ("1", "2", "m.1")
    assert sorted(found.table.X.tolist()) == [[0, 2, 0], [1, 0, 10], [3, 0, 30]]


def test_posts_and_their_embedding_are_one_data_set_of_which_methods_choose(
    archive, obtain, tmp_path
):
    lengths = np.array([[len(text.replace("\r", ""))] for text in POSTS.values()], np.int16)
    np.save(tmp_path / "lengths.npy", lengths)
    source = {"file": "a.tgz", "matrices": {"lengths": {"file": "lengths.npy"}}}
    found = obtain(RAW | {"source": source})
    texts = [found.table.levels["text"][int(code)] for code in found.table.X[:, 0]]
    assert list(map(len, texts)) == found.table.X[:, 1].tolist()
    embedded = compute_features(found, [{"select": {"columns": ["lengths.*"]}}]).table
    assert embedded.names == ("lengths.1",)
    words = compute_features(found, [{"select": {"columns": ["text"]}}, "count_words"]).table
    assert "lengths.1" not in words.names
    assert "cat" in words.names
    assert "text:cat" in compute_features(found, ["count_words"]).table.names


def test_a_test_set_has_a_matrix_of_its_own(obtain, reason, tmp_path):
    for name, rows in (("a", "y\na\nb\n"), ("t", "y\nb\n")):
        (tmp_path / f"{name}.csv").write_text(rows)
    np.save(tmp_path / "m.npy", np.array([[1.0], [2]]))
    np.save(tmp_path / "t.npy", np.array([[3.0]]))
    np.save(tmp_path / "wide.npy", np.array([[3.0, 4]]))

    def test_set(**more):
        return {"test": {"file": "t.csv"} | more}

    found = obtain(entry_of("m.npy", **test_set(matrices={"m": {"file": "t.npy"}})))
    assert (found.split.tolist(), found.table.X.ravel().tolist()) == ([0, 0, 1], [1, 2, 3])
    for entry in (test_set(), test_set(matrices={"m": {"file": "wide.npy"}})):
        assert "both need the same `matrices:`" in reason(entry_of("m.npy", **entry))


def damaged(path, what):
    """A file that no matrix can be read from."""
    match what:
        case "rows":
            np.save(path, np.zeros((19, 3)))
        case "shape":
            np.save(path, np.zeros(20))
        case "text":
            np.save(path, np.full((20, 1), "a"))
        case "infinite":
            np.save(path, np.full((20, 1), np.inf))
        case "objects":
            np.save(path, np.full((20, 1), None), allow_pickle=True)
        case "pickle":
            path.write_bytes(pickle.dumps(np.zeros((20, 1))))
        case "nothing":
            path.touch()
        case "several":
            np.savez(path, a=np.zeros((20, 1)), b=np.zeros((20, 1)))
        case "names":
            pl.DataFrame({"u": ["a"] * 20}).write_parquet(path)
        case "ragged":
            pl.DataFrame({"u": [[1.0]] * 19 + [[1.0, 2.0]]}).write_parquet(path)


@pytest.mark.parametrize(("name", "what", "words"), [
    ("m.npy", "rows", "m.npy has 19 rows and its source 20; give a row for each row of the so"),
    ("m.npy", "shape", r"has the shape \(20,\), which is not rows × columns"),
    ("m.npy", "text", "holds <U1; save numbers"),
    ("m.npy", "infinite", "holds an infinite number"),
    ("m.npy", "objects", "holds pickled objects, which may run code when read"),
    ("m.npy", "pickle", "holds pickled objects, which may run code when read"),
    ("m.npy", "nothing", "cannot be read"),
    ("m.npz", "several", "holds a, b; keep one array in it"),
    ("m.npz", "nothing", "cannot be read"),
    ("m.parquet", "names", "has a column 'u' of String; keep only numbers"),
    ("m.parquet", "ragged", "lists of different lengths in 'u'"),
    ("m.parquet", "nothing", "cannot be read"),
    ("m.txt", "nothing", "m.txt is not one of .npy, .npz, .parquet"),
])  # fmt: skip
def test_a_wrong_matrix_is_refused_in_one_line(name, what, words, table, reason, tmp_path):
    damaged(tmp_path / name, what)
    output = reason(entry_of(name))
    assert "matrix 'm'" in output
    assert re.search(words, output), output


def test_an_edited_matrix_fetches_the_data_set_again(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, X = table
    entry = entry_of(written(tmp_path / "a.npy", X))
    assert fetch_inputs.local_files(entry, tmp_path) == ["a.csv", "a.npy"]
    before = fetch_inputs.content_of_local_files(entry, tmp_path)
    written(tmp_path / "a.npy", X + 1)
    assert fetch_inputs.content_of_local_files(entry, tmp_path) != before


@pytest.mark.slow
def test_the_words_of_the_real_posts_match_their_published_counts(mirrors, obtain):
    """Twenty newsgroups, raw and as the format counts them: the same words, the same counts."""
    entry = {
        "source": {"url": "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz"},
        "format": "text_folders",
        "classes": ["talk.religion.misc", "alt.atheism"],
    }
    if not any((folder / "20news-bydate.tar.gz").exists() for folder in mirrors):
        pytest.skip("no mirror has 20news-bydate.tar.gz")
    counted = obtain(entry, *mirrors)
    raw = obtain(entry | {"texts": ["text"]}, *mirrors)
    X = compute_features(raw, [{"count_words": {"pattern": "[a-z]+"}}]).table
    assert X.names == counted.table.names
    assert len(raw.y) == 377 + 251 + 480 + 319
    assert raw.split.sum() == 251 + 319
    for code in (0, 1):
        ours, theirs = X.X[raw.y == code], counted.table.X[counted.y == code]
        assert (ours.sum(axis=0) == theirs.sum(axis=0)).all()
        assert sorted(ours.sum(axis=1)) == sorted(theirs.sum(axis=1))
