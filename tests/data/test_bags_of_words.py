"""LIBSVM, bags of words, texts in folders and the inverted index: sparse rows, exactly."""

import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from cases import with_peak_memory

from linclass_study.data.content import from_triplets


def as_libsvm(rng, X, labels, shuffle=False, split_up=False):
    """Lines of the rows; pairs perhaps in another order, or a value as two that add up to it."""
    lines = []
    for row, label in zip(X, labels, strict=True):
        pairs = [(j + 1, v) for j, v in enumerate(row.tolist()) if v]
        if split_up:
            pairs = [(j, part) for j, v in pairs for part in (v / 2, v / 2)]
        if shuffle:
            pairs = [pairs[i] for i in rng.permutation(len(pairs))]
        lines.append(" ".join([label, *(f"{j}:{v!r}" for j, v in pairs)]))
    order = rng.permutation(len(lines)) if shuffle else range(len(lines))
    return "\n".join(lines[i] for i in order) + "\n"


@pytest.mark.parametrize("seed", range(8))
def test_libsvm_agrees_in_any_order(seed, obtain, tmp_path):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 8)) * (rng.random((30, 8)) < 0.3)
    X[0, -1] = 0.25
    labels = ["+1", "-1.0", *rng.choice(["+1", "-1.0"], 28).tolist()]
    (tmp_path / "a.svm").write_text(as_libsvm(rng, X, labels))
    (tmp_path / "b.svm").write_text("# mixed\n\n" + as_libsvm(rng, X, labels, True, True))
    first = obtain({"source": {"file": "a.svm"}, "dense": False})
    assert first.classes == ["-1", "1"]
    assert first.table.names == tuple(map(str, range(1, 9)))
    codes = np.array([label == "+1" for label in labels])
    for code in (0, 1):
        rows = first.table.X.toarray()[first.y == code]
        assert sorted(rows.tolist()) == sorted(X[codes == code].tolist())
    assert obtain({"source": {"file": "b.svm"}, "dense": False}).digest == first.digest


def test_indices_may_count_from_zero_and_rows_may_have_no_values(obtain, tmp_path):
    (tmp_path / "a.svm").write_text("a 0:1 2:5\nb 1:2\n")
    found = obtain({"source": {"file": "a.svm"}})
    assert found.table.names == ("0", "1", "2")
    assert found.table.X.tolist() == [[1, 0, 5], [0, 2, 0]]
    (tmp_path / "a.svm").write_text("a\nb 1:2\na 1:0\n")
    for dense in (False, True):
        found = obtain({"source": {"file": "a.svm"}, "dense": dense})
        assert found.table.shape == (3, 1)
        assert np.count_nonzero(found.table.X if dense else found.table.X.data) == 1
    (tmp_path / "a.svm").write_text("a 1:1\nb 2:2\n")
    (tmp_path / "t.svm").write_text("b 4:4\n")
    entry = {"source": {"file": "a.svm"}, "test": {"file": "t.svm"}}
    found = obtain(entry | {"dense": False})
    assert found.table.names == ("1", "2", "3", "4")
    assert found.split.tolist() == [0, 0, 1]
    assert found.table.X.toarray()[2].tolist() == [0, 0, 0, 4]
    assert obtain(entry).table.names == ("1", "2")


def test_sums_of_one_place_do_not_depend_on_their_order():
    rng = np.random.default_rng(0)
    value = rng.standard_normal(300) * 10.0 ** rng.integers(-8, 8, 300)
    place = rng.integers(0, 4, (2, 300))
    sums = set()
    for _ in range(20):
        order = rng.permutation(300)
        X = from_triplets(place[0][order], place[1][order], value[order], (4, 4))
        sums.add(X.toarray().tobytes())
    assert len(sums) == 1
    exact = np.zeros((4, 4))
    np.add.at(exact, tuple(place), value)
    np.testing.assert_allclose(X.toarray(), exact, rtol=1e-12)


def test_memory_follows_the_values_that_are_not_zero(tmp_path):
    """20,000 rows of 100 million columns: 16 TB if dense, 4 MB of values."""
    rng = np.random.default_rng(0)
    index = np.sort(rng.integers(1, 10**8, (20_000, 10)), axis=1)
    lines = ("1 " + " ".join(f"{j}:1" for j in row) for row in index.tolist())
    (tmp_path / "a.svm").write_text("\n".join(lines))
    rows, columns = np.repeat(np.arange(20_000), 10), index.ravel()
    X, peak = with_peak_memory(
        lambda: from_triplets(rows, columns, np.ones(200_000), (20_000, 10**8 + 1))
    )
    assert X.sum() == 200_000
    assert peak < 100 * 200_000


VOCABULARY = ["zebra", "apple", "moon", "never"]
BAGS = {  # part → [(class, {word: count})]
    "train": [("x", {1: 2, 3: 1}), ("y", {2: 1}), ("x", {}), ("z", {1: 1})],
    "test": [("y", {3: 4}), ("x", {1: 1})],
}


def bag_files(rng=None, vocabulary=True):
    """The files of the Matlab layout, lines shuffled if there is a generator."""
    files = {"vocabulary.txt": "\n".join(VOCABULARY) + "\n"} if vocabulary else {}
    numbers = {"x": 1, "y": 2, "z": 3}
    for part, documents in BAGS.items():
        order = range(len(documents)) if rng is None else rng.permutation(len(documents))
        documents = [documents[i] for i in order]
        lines = [f"{i} {w} {c}" for i, (_, bag) in enumerate(documents, 1) for w, c in bag.items()]
        if rng is not None:
            lines = [lines[i] for i in rng.permutation(len(lines))]
        files[f"{part}.data"] = "\n".join(lines) + "\n"
        files[f"{part}.label"] = "\n".join(str(numbers[c]) for c, _ in documents) + "\n"
        files[f"{part}.map"] = "".join(f"{name} {number}\n" for name, number in numbers.items())
    return files


def as_archive(path, files):
    with tarfile.open(path, "w:gz") as box:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"deep/{name}")
            entry.size = len(text)
            box.addfile(entry, io.BytesIO(text.encode("latin-1")))


def test_a_bag_of_words_is_read_in_any_order_as_counts_or_as_presence(obtain, tmp_path):
    entry = {"format": "bag_of_words", "classes": ["x", "y"]}
    as_archive(tmp_path / "a.tgz", bag_files())
    found = obtain(entry | {"source": {"file": "a.tgz"}})
    assert found.table.names == ("zebra", "apple", "moon")  # by number; 'never' occurs nowhere
    assert found.classes == ["x", "y"]
    rows = list(zip(found.split, found.y, found.table.X.toarray().tolist(), strict=True))
    assert sorted(rows) == [
        (0, 0, [0, 0, 0]), (0, 0, [2, 0, 1]), (0, 1, [0, 1, 0]), (1, 0, [1, 0, 0]), (1, 1, [0, 0, 4]),
    ]  # fmt: skip
    as_archive(tmp_path / "b.tgz", bag_files(np.random.default_rng(3)))
    assert obtain(entry | {"source": {"file": "b.tgz"}}).digest == found.digest
    as_archive(tmp_path / "a.tgz", bag_files())
    found = obtain({"source": {"file": "a.tgz"}, "format": "bag_of_words", "binary": True})
    assert set(found.table.X.data) == {1.0}


def test_words_of_excluded_classes_are_not_features(obtain, tmp_path):
    as_archive(tmp_path / "a.tgz", bag_files())
    found = obtain({"source": {"file": "a.tgz"}, "format": "bag_of_words", "classes": ["y", "z"]})
    assert found.table.names == ("zebra", "apple", "moon")
    merged = {
        "source": {"file": "a.tgz"},
        "format": "bag_of_words",
        "classes": {"b": "z", "a": ["x"]},
    }
    found = obtain(merged)
    assert found.table.names == ("zebra", "moon")
    assert found.classes == ["b", "a"]


def test_a_vocabulary_may_be_a_file_next_to_the_archive(obtain, reason, tmp_path):
    as_archive(tmp_path / "whole.tgz", bag_files())
    as_archive(tmp_path / "a.tgz", bag_files(vocabulary=False))
    (tmp_path / "vocabulary.txt").write_text("\n".join(VOCABULARY))
    entry = {"format": "bag_of_words"}
    beside = {"file": "a.tgz", "vocabulary": {"file": "vocabulary.txt"}}
    assert "vocabulary.txt is missing" in reason(entry | {"source": {"file": "a.tgz"}})
    whole = obtain(entry | {"source": {"file": "whole.tgz"}})
    assert obtain(entry | {"source": beside}).digest == whole.digest
    lost = {"file": "a.tgz", "vocabulary": {"file": "lost.txt"}}
    assert "its vocabulary is unavailable: lost.txt: there is no such file" in reason(
        entry | {"source": lost}
    )


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_a_folder_or_a_zip_file_is_accepted(kind, obtain, tmp_path):
    as_archive(tmp_path / "a.tgz", bag_files())
    if kind == "folder":
        (tmp_path / "box").mkdir()
        for name, text in bag_files().items():
            (tmp_path / "box" / name).write_text(text)
    else:
        with zipfile.ZipFile(tmp_path / "box", "w") as box:
            for name, text in bag_files().items():
                box.writestr(f"inside/{name}", text)
    entry = {"format": "bag_of_words"}
    packed = obtain(entry | {"source": {"file": "a.tgz"}})
    assert obtain(entry | {"source": {"file": "box"}}).digest == packed.digest


@pytest.mark.parametrize(("name", "text", "words"), [
    ("train.data", "1 1 2\n1 one 1\n", "train.data, line 2: '1 one 1' is not document word count"),
    ("train.data", "1 1 2\n1 1\n", "train.data, line 2: '1 1' is not document word count"),
    ("train.data", "9 1 2\n", "train.data names document 9, there are 4 of them"),
    ("train.data", "1 5 2\n", "train.data names word 5, there are 4 of them"),
    ("train.data", "1 0 2\n", "train.data names word 0"),
    ("train.label", "1\n2\n7\n1\n", "train.label has class 7, which train.map does not name"),
    ("test.label", "", "there is no test.label in it, or it is empty"),
    ("train.data", None, "train.data is missing"),
])  # fmt: skip
def test_a_wrong_bag_of_words_reports_where(name, text, words, reason, tmp_path):
    files = bag_files()
    if text is None:
        del files[name]
    else:
        files[name] = text
    as_archive(tmp_path / "a.tgz", files)
    assert words in reason({"source": {"file": "a.tgz"}, "format": "bag_of_words"})


def test_an_archive_cut_short_is_reported(reason, tmp_path):
    as_archive(tmp_path / "a.tgz", bag_files())
    (tmp_path / "b.tgz").write_bytes((tmp_path / "a.tgz").read_bytes()[:200])
    output = reason({"source": {"file": "b.tgz"}, "format": "bag_of_words"})
    assert "damaged or cut short" in output


def test_the_inverted_index_agrees_with_the_bag_of_words(obtain, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "resources"))
    from make_newsgroups import inverted_index_text

    from linclass_study.data.formats import bag_of_words

    as_archive(tmp_path / "a.tgz", bag_files())
    counts = bag_of_words.read(tmp_path / "a.tgz", {})
    (tmp_path / "index.txt").write_text(inverted_index_text(counts, [1, 2, 3, 4]))
    entry = {"binary": True, "classes": ["x", "y", "z"]}
    bags = obtain(entry | {"source": {"file": "a.tgz"}, "format": "bag_of_words"})
    index = obtain(entry | {"source": {"file": "index.txt"}, "format": "inverted_index"})
    assert index.digest == bags.digest


@pytest.mark.parametrize(("text", "words"), [
    ("", "the file is empty"),
    ("group train a 1\nword one 1\n", "line 2: 'word one 1' is not word number gaps"),
    ("group train a 1\nword 1 2\n", "a word names a document beyond the 1 of the groups"),
    ("group train a 1\nv 2 1\nw 1 1\n", "the words are not in the order of the vocabulary"),
])  # fmt: skip
def test_a_wrong_inverted_index_reports_where(text, words, reason, tmp_path):
    (tmp_path / "a.txt").write_text(text)
    assert words in reason({"source": {"file": "a.txt"}, "format": "inverted_index"})
