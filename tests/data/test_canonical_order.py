"""The canonical order and the digest do not depend on the order of the source, but on all content."""

import numpy as np
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


def written(names, rows):
    return "\n".join(",".join(line) for line in [names, *rows]) + "\n"


@each("seed", range(10))
def test_the_order_of_rows_and_columns_leaves_no_trace(seed, read):
    rng = np.random.default_rng(seed)
    names, rows = random_table(seed)
    first = read("a.csv", written(names, rows), target="class")
    for _ in range(4):
        columns = rng.permutation(len(names))
        mixed = [[rows[i][j] for j in columns] for i in rng.permutation(len(rows))]
        again = read("a.csv", written([names[j] for j in columns], mixed), target="class")
        assert again.digest == first.digest
        assert again.table.names == first.table.names
        assert again.table.X.tobytes() == first.table.X.tobytes()
        assert again.y.tobytes() == first.y.tobytes()


@each("seed", range(10))
def test_another_cell_name_or_class_is_another_digest(seed, read):
    rng = np.random.default_rng(seed)
    names, rows = random_table(seed)
    i, j = rng.integers(len(rows)), rng.integers(6)
    cell, label, name = ([[*row] for row in rows] for _ in range(3))
    cell[i][j] = "blue" if names[j][0] == "t" else "12.5"
    label[i][-1] = "no" if rows[i][-1] == "yes" else "yes"
    for row in name:
        row[-1] = row[-1].replace("yes", "sure")
    edits = [(names, rows), (names, cell), (names, label), (names, name), (["u", *names[1:]], rows)]
    assert len({read("a.csv", written(*edit), target="class").digest for edit in edits}) == 5


def test_rows_are_sorted_by_split_and_class_but_not_by_value(read, tmp_path):
    rows = [[str(v), "ab"[v % 2]] for v in range(200)]
    (tmp_path / "t.csv").write_text("x,class\n-1,b\n-2,a\n")
    test = {"file": "t.csv"}
    found = read("a.csv", written(["x", "class"], rows), target="class", test=test)
    assert found.split.tolist() == [0] * 200 + [1] * 2
    assert found.y.tolist() == [0] * 100 + [1] * 100 + [0, 1]
    zeros = found.table.X[:100, 0]
    assert sorted(zeros) == [*range(0, 200, 2)]
    # a shuffle of 100 numbers correlates with their order by about 1/√100
    assert abs(np.corrcoef(zeros, np.arange(100))[0, 1]) < 0.5


def test_dense_and_sparse_rows_are_normal_before_they_are_hashed():
    odd = np.array([[-0.0, np.float64("nan")], [0.0, -np.float64("nan")]])
    rows = normalized(Table(odd, ("a", "b"))).X
    assert rows[0].tobytes() == rows[1].tobytes()


def test_names_are_sorted_as_people_count_and_labels_by_value_or_alphabetically():
    for in_order in (
        ["x1", "x2", "x10"], ["a2b9", "a2b10", "a10", "b"], ["x", "x01", "x1"], ["9", "10", "a"],
    ):  # fmt: skip
        assert sorted(in_order[1:] + in_order[:1], key=labels.natural) == in_order
    assert sorted_labels(["10", "9", "-1", "9"]) == ["-1", "9", "10"]
    assert sorted_labels(["10", "9", "b", "a"]) == ["10", "9", "a", "b"]


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


@each(("keys", "names", "class_of"), [
    ({}, ["no", "yes"], {1: "yes", 2: "no"}),
    ({"classes": ["yes", "no"]}, ["yes", "no"], {1: "yes", 2: "no"}),
    ({"classes": {"A": ["yes"], "B": "no"}}, ["A", "B"], {1: "A", 2: "B"}),
])  # fmt: skip
def test_classes_name_order_and_merge(keys, names, class_of, read):
    found = read("a.csv", "x,class\n1,yes\n2,no\n1,yes\n2,no\n", target="class", **keys)
    assert found.classes == names
    codes = zip(found.table.X[:, 0], found.y, strict=True)
    assert {x: found.classes[code] for x, code in codes} == class_of


def test_rows_and_levels_of_other_classes_are_left_out(read):
    text = "x,t,class\n1,red,a\n2,blue,b\n3,green,c\n4,grey,\n5,red,a\n"
    found = read("a.csv", text, target="class", classes=["a", "c"])
    assert found.table.names == ("t", "x")
    assert sorted(found.table.X[:, 1]) == [1, 3, 5]
    assert found.table.levels == {"t": ("green", "red")}


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


@each("seed", range(3))
def test_each_row_keeps_its_number_in_the_training_or_test_file(seed, read, tmp_path):
    rng, files = np.random.default_rng(seed), []
    for name in ("train.csv", "test.csv"):
        numbered = [[str(i), cells[-1]] for i, cells in enumerate(random_table(seed)[1])]
        rng.shuffle(numbered)
        (tmp_path / name).write_text(written(["id", "class"], numbered))
        files.append(numbered)
    text = (tmp_path / "train.csv").read_text()
    entry = {"test": {"file": "test.csv"}, "target": "class", "classes": ["yes", "no"]}
    found = read("train.csv", text, **entry)
    assert found.source_row.dtype == np.int64
    for (number,), code, part, row in zip(
        found.table.X, found.y, found.split, found.source_row, strict=True
    ):
        assert files[part][row] == [f"{number:g}", ["yes", "no"][code]]


def test_each_text_of_a_sparse_file_keeps_its_line_number(read):
    lines = [f"{label} 1:{i + 1}" for i, label in enumerate("abcabcbca")]
    found = read("a.svm", "\n".join(lines) + "\n", classes=["a", "c"])
    values = found.table.X[:, 0]
    assert [lines[row].split(":")[1] for row in found.source_row] == [f"{v:g}" for v in values]
