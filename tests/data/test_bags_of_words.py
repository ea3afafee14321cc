"""LIBSVM, bags of words and the inverted index: sparse rows, exactly."""

import io
import tarfile
import zipfile

import numpy as np
from cases import each, with_peak_memory

from linclass_study.data.content import from_triplets
from linclass_study.data.formats import bag_of_words
from linclass_study.project import ROOT


def as_libsvm(rng, X, labels, mixed=False):
    """Lines of the rows; perhaps with lines and pairs in another order, and each value as two that add up to it."""
    lines = []
    for row, label in zip(X, labels, strict=True):
        pairs = [(j + 1, v) for j, v in enumerate(row.tolist()) if v]
        if mixed:
            halves = [(j, v / 2) for j, v in pairs] * 2
            pairs = [halves[i] for i in rng.permutation(len(halves))]
        lines.append(" ".join([label, *(f"{j}:{v!r}" for j, v in pairs)]))
    order = rng.permutation(len(lines)) if mixed else range(len(lines))
    return "\n".join(lines[i] for i in order) + "\n"


@each("seed", range(8))
def test_libsvm_agrees_in_any_order(seed, read):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 8)) * (rng.random((30, 8)) < 0.3)
    X[0, -1] = 0.25
    labels = ["+1", "-1.0", *rng.choice(["+1", "-1.0"], 28).tolist()]
    first = read("a.svm", as_libsvm(rng, X, labels), dense=False)
    assert first.classes == ["-1", "1"]
    assert first.table.names == tuple(map(str, range(1, 9)))
    codes = np.array([label == "+1" for label in labels])
    for code in (0, 1):
        rows = first.table.X.toarray()[first.y == code]
        assert sorted(rows.tolist()) == sorted(X[codes == code].tolist())
    mixed = "# mixed\n\n" + as_libsvm(rng, X, labels, mixed=True)
    assert read("b.svm", mixed, dense=False).digest == first.digest


def test_indices_may_count_from_zero_and_rows_may_have_no_values(read, tmp_path):
    found = read("a.svm", "a 0:1 2:5\nb 1:2\n")
    assert found.table.names == ("0", "1", "2")
    assert found.table.X.tolist() == [[1, 0, 5], [0, 2, 0]]
    for dense in (False, True):
        found = read("a.svm", "a\nb 1:2\na 1:0\n", dense=dense)
        assert found.table.shape == (3, 1)
        assert np.count_nonzero(found.table.X if dense else found.table.X.data) == 1
    (tmp_path / "t.svm").write_text("b 4:4\n")
    found = read("a.svm", "a 1:1\nb 2:2\n", test={"file": "t.svm"}, dense=False)
    assert found.table.names == ("1", "2", "3", "4")
    assert found.split.tolist() == [0, 0, 1]
    assert found.table.X.toarray()[2].tolist() == [0, 0, 0, 4]
    found = read("a.svm", "a 1:1\nb 2:2\n", test={"file": "t.svm"})
    assert found.table.names == ("1", "2")


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


def test_memory_follows_the_values_that_are_not_zero():
    """20,000 rows of 100 million columns: 16 TB if dense, 4 MB of values."""
    rng = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(20_000), 10), rng.integers(1, 10**8, 200_000)
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
BAG = {"format": "bag_of_words"}


def bag_files(rng=None):
    """The files of the Matlab layout, lines shuffled if there is a generator."""
    files = {"vocabulary.txt": "\n".join(VOCABULARY) + "\n"}
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


def packed(files):
    """An archive of these files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as box:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"deep/{name}")
            entry.size = len(text)
            box.addfile(entry, io.BytesIO(text.encode("latin-1")))
    return content.getvalue()


def test_a_bag_of_words_is_read_in_any_order_and_from_any_box_as_counts_or_as_presence(
    read, obtain, tmp_path
):
    classes = {"classes": ["x", "y"]}
    found = read("a.tgz", packed(bag_files()), **BAG, **classes)
    assert found.table.names == ("zebra", "apple", "moon")  # by number; 'never' occurs nowhere
    assert found.classes == ["x", "y"]
    rows = list(zip(found.split, found.y, found.table.X.toarray().tolist(), strict=True))
    assert sorted(rows) == [
        (0, 0, [0, 0, 0]), (0, 0, [2, 0, 1]), (0, 1, [0, 1, 0]), (1, 0, [1, 0, 0]), (1, 1, [0, 0, 4]),
    ]  # fmt: skip
    mixed = packed(bag_files(np.random.default_rng(3)))
    assert read("b.tgz", mixed, **BAG, **classes).digest == found.digest
    (tmp_path / "folder").mkdir()
    with zipfile.ZipFile(tmp_path / "zip", "w") as box:
        for name, text in bag_files().items():
            (tmp_path / "folder" / name).write_text(text)
            box.writestr(f"inside/{name}", text)
    for kind in ("folder", "zip"):
        assert obtain(BAG | classes | {"source": {"file": kind}}).digest == found.digest
    found = read("a.tgz", packed(bag_files()), **BAG, binary=True)
    assert set(found.table.X.data) == {1.0}


def test_words_of_excluded_classes_are_not_features(read):
    found = read("a.tgz", packed(bag_files()), **BAG, classes=["y", "z"])
    assert found.table.names == ("zebra", "apple", "moon")
    found = read("a.tgz", packed(bag_files()), **BAG, classes={"b": "z", "a": ["x"]})
    assert found.table.names == ("zebra", "moon")
    assert found.classes == ["b", "a"]


def test_a_vocabulary_may_be_a_file_next_to_the_archive(read, obtain, reason, tmp_path):
    whole = read("whole.tgz", packed(bag_files()), **BAG)
    files = bag_files()
    (tmp_path / "words.txt").write_text(files.pop("vocabulary.txt"))
    (tmp_path / "a.tgz").write_bytes(packed(files))
    assert "vocabulary.txt is missing" in reason(BAG | {"source": {"file": "a.tgz"}})
    beside = {"file": "a.tgz", "vocabulary": {"file": "words.txt"}}
    assert obtain(BAG | {"source": beside}).digest == whole.digest
    lost = BAG | {"source": {"file": "a.tgz", "vocabulary": {"file": "lost.txt"}}}
    assert "its vocabulary is unavailable: lost.txt: there is no such file" in reason(lost)


@each(("name", "text", "words"), [
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
    files = bag_files() | {name: text}
    (tmp_path / "a.tgz").write_bytes(packed({k: v for k, v in files.items() if v is not None}))
    assert words in reason(BAG | {"source": {"file": "a.tgz"}})


def test_an_archive_cut_short_is_reported(reason, tmp_path):
    (tmp_path / "b.tgz").write_bytes(packed(bag_files())[:200])
    assert "damaged or cut short" in reason(BAG | {"source": {"file": "b.tgz"}})


def test_the_inverted_index_agrees_with_the_bag_of_words(read, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "resources"))
    from make_newsgroups import inverted_index_text

    keys = {"binary": True, "classes": ["x", "y", "z"]}
    bags = read("a.tgz", packed(bag_files()), **BAG, **keys)
    index = inverted_index_text(bag_of_words.read(tmp_path / "a.tgz", {}), [1, 2, 3, 4])
    assert read("index.txt", index, format="inverted_index", **keys).digest == bags.digest


@each(("text", "words"), [
    ("", "the file is empty"),
    ("group train a 1\nword one 1\n", "line 2: 'word one 1' is not word number gaps"),
    ("group train a 1\nword 1 2\n", "a word names a document beyond the 1 of the groups"),
    ("group train a 1\nv 2 1\nw 1 1\n", "the words are not in the order of the vocabulary"),
])  # fmt: skip
def test_a_wrong_inverted_index_reports_where(text, words, reason, tmp_path):
    (tmp_path / "a.txt").write_text(text)
    assert words in reason({"source": {"file": "a.txt"}, "format": "inverted_index"})
