"""The canonical order and the digest do not depend on the order of the source, but on all content."""

import numpy as np
import pytest
from cases import each

from linclass.base.tables import Table
from linclass_study.data import labels
from linclass_study.data.build_dataset import normalized
from linclass_study.data.labels import sorted_labels

CELLS = {"u": ["1", "2.5", "-3", "1e-7", "NA"], "t": ["red", "green", ""], "n": ["0", "-0.0", "7"]}


def random_table(seed):
    """A header and rows of text, with repeated rows, missing cells and a class at the end."""
    rng = np.random.default_rng(seed)
    names = [f"{kind}{j}" for j, kind in enumerate(rng.choice(list(CELLS), 6))]
    rows = [[str(rng.choice(CELLS[name[0]])) for name in names] for _ in range(40)]
    rows += rows[:10]
    classes = rng.choice(["no", "yes", "maybe"], len(rows))
    return [*names, "class"], [[*row, c] for row, c in zip(rows, classes, strict=True)]


def write(path, names, rows):
    path.write_text("\n".join(",".join(line) for line in [names, *rows]) + "\n")


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_rows_and_columns_leaves_no_trace(seed, obtain, tmp_path):
    rng = np.random.default_rng(seed)
    names, rows = random_table(seed)
    entry = {"target": "class", "source": {"file": "a.csv"}}
    write(tmp_path / "a.csv", names, rows)
    first = obtain(entry)
    for _ in range(4):
        columns = rng.permutation(len(names))
        mixed = [[rows[i][j] for j in columns] for i in rng.permutation(len(rows))]
        write(tmp_path / "a.csv", [names[j] for j in columns], mixed)
        again = obtain(entry)
        assert again.digest == first.digest
        assert again.table.names == first.table.names
        assert again.table.X.tobytes() == first.table.X.tobytes()
        assert again.y.tobytes() == first.y.tobytes()


@pytest.mark.parametrize("seed", range(10))
def test_another_cell_name_or_class_is_another_digest(seed, obtain, tmp_path):
    rng = np.random.default_rng(seed)
    names, rows = random_table(seed)
    i, j = rng.integers(len(rows)), rng.integers(6)
    cell, label, name = ([[*row] for row in rows] for _ in range(3))
    cell[i][j] = "blue" if names[j][0] == "t" else "12.5"
    label[i][-1] = "no" if rows[i][-1] == "yes" else "yes"
    for row in name:
        row[-1] = row[-1].replace("yes", "sure")
    edits = [(names, rows), (names, cell), (names, label), (names, name), (["u", *names[1:]], rows)]
    digests = set()
    for edit in edits:
        write(tmp_path / "a.csv", *edit)
        digests.add(obtain({"target": "class", "source": {"file": "a.csv"}}).digest)
    assert len(digests) == len(edits)


def test_rows_are_sorted_by_split_and_class_but_not_by_value(obtain, tmp_path):
    values = list(range(200))
    rows = [[str(v), "ab"[v % 2]] for v in values]
    write(tmp_path / "a.csv", ["x", "class"], rows)
    write(tmp_path / "t.csv", ["x", "class"], [["-1", "b"], ["-2", "a"]])
    found = obtain({"target": "class", "source": {"file": "a.csv"}, "test": {"file": "t.csv"}})
    assert found.split.tolist() == [0] * 200 + [1] * 2
    assert found.y.tolist() == [0] * 100 + [1] * 100 + [0, 1]
    zeros = found.table.X[:100, 0]
    assert sorted(zeros) == values[::2]
    # a shuffle of 100 numbers correlates with their order by about 1/√100
    assert abs(np.corrcoef(zeros, np.arange(100))[0, 1]) < 0.5


def test_dense_and_sparse_rows_are_normal_before_they_are_hashed():
    odd = np.array([[-0.0, np.float64("nan")], [0.0, -np.float64("nan")]])
    rows = normalized(Table(odd, ("a", "b"))).X
    assert rows[0].tobytes() == rows[1].tobytes()


@each(("names", "in_order"), [
    (["x10", "x2", "x1"], ["x1", "x2", "x10"]),
    (["b", "a2b10", "a2b9", "a10"], ["a2b9", "a2b10", "a10", "b"]),
    (["x01", "x1", "x"], ["x", "x01", "x1"]),
    (["10", "9", "a"], ["9", "10", "a"]),
])  # fmt: skip
def test_names_are_sorted_as_people_count(names, in_order):
    assert sorted(names, key=labels.natural) == in_order


@each(("values", "written"), [
    ([1.0, "1", "+1", " 1.0", None], ["1", "1", "1", "1", None]),
    (["0.5", "1e0", "-2"], ["0.5", "1", "-2"]),
    (["1.0", "one"], ["1.0", "one"]),
    (["nan", "1"], ["nan", "1"]),
    (["1_000", "1"], ["1_000", "1"]),
    ([1e15, 1e-300], ["1000000000000000", "1e-300"]),
])  # fmt: skip
def test_equal_numbers_are_normalized_to_one_label(values, written):
    assert labels.normalized_labels(values) == written


def test_labels_are_sorted_by_value_or_alphabetically():
    assert sorted_labels(["10", "9", "-1", "9"]) == ["-1", "9", "10"]
    assert sorted_labels(["10", "9", "b", "a"]) == ["10", "9", "a", "b"]


CLASSES = {
    "none": (None, ["no", "yes"], {"no": "no", "yes": "yes"}),
    "a list gives the order": (["yes", "no"], ["yes", "no"], {"no": "no", "yes": "yes"}),
    "a mapping merges": ({"A": ["yes"], "B": "no"}, ["A", "B"], {"yes": "A", "no": "B"}),
}


@pytest.mark.parametrize("case", CLASSES)
def test_classes_name_order_and_merge(case, obtain, tmp_path):
    classes, names, name_of = CLASSES[case]
    rows = [["1", "yes"], ["2", "no"], ["3", "yes"], ["4", "no"]]
    write(tmp_path / "a.csv", ["x", "class"], rows)
    entry = {"target": "class", "source": {"file": "a.csv"}}
    found = obtain(entry if classes is None else entry | {"classes": classes})
    assert found.classes == names
    of = {
        str(int(x)): found.classes[code]
        for x, code in zip(found.table.X[:, 0], found.y, strict=True)
    }
    assert of == {x: name_of[label] for x, label in rows}


def test_rows_and_levels_of_other_classes_are_left_out(obtain, tmp_path):
    rows = [["1", "a"], ["2", "b"], ["3", "c"], ["4", ""], ["5", "a"]]
    write(tmp_path / "a.csv", ["x", "class"], rows)
    found = obtain({"target": "class", "source": {"file": "a.csv"}, "classes": ["a", "c"]})
    assert sorted(found.table.X[:, 0]) == [1, 3, 5]
    rows = [["red", "a"], ["blue", "b"], ["green", "c"]]
    write(tmp_path / "a.csv", ["x", "class"], rows)
    found = obtain({"target": "class", "source": {"file": "a.csv"}, "classes": ["a", "b"]})
    assert found.table.levels == {"x": ("blue", "red")}


@each(("wanted", "names", "label"), [
    (1, ["0", "1"], "1"),
    (1.0, ["0", "1"], "1"),
    ("1.0", ["0", "1"], "1"),
    ("yes", ["no", "yes"], "yes"),
    (True, ["False", "True"], "True"),
    (True, ["false", "true"], "true"),
    ("01", ["01", "1"], "01"),
])  # fmt: skip
def test_a_label_of_the_configuration_is_found(wanted, names, label):
    assert labels.lookup(wanted, names, "positive") == label


@pytest.mark.parametrize("seed", range(3))
def test_each_row_keeps_its_number_in_the_training_or_test_file(seed, obtain, tmp_path):
    files = []
    for name in ("train.csv", "test.csv"):
        names, rows = random_table(seed)
        numbered = [[str(i), cells[-1]] for i, cells in enumerate(rows)]
        np.random.default_rng(seed + len(files)).shuffle(numbered)
        write(tmp_path / name, ["id", names[-1]], numbered)
        files.append(numbered)
    source = {"source": {"file": "train.csv"}, "test": {"file": "test.csv"}}
    found = obtain(source | {"target": "class", "classes": ["yes", "no"]})
    assert found.source_row.dtype == np.int64
    for (number,), code, part, row in zip(
        found.table.X, found.y, found.split, found.source_row, strict=True
    ):
        assert files[part][row] == [f"{number:g}", ["yes", "no"][code]]


def test_each_text_of_a_sparse_file_keeps_its_line_number(obtain, tmp_path):
    lines = [f"{label} 1:{i + 1}" for i, label in enumerate("abcabcbca")]
    (tmp_path / "a.svm").write_text("\n".join(lines) + "\n")
    found = obtain({"source": {"file": "a.svm"}, "classes": ["a", "c"]})
    values = found.table.X[:, 0]
    assert [lines[row].split(":")[1] for row in found.source_row] == [f"{v:g}" for v in values]
