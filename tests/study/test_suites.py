"""Lists of entries in one: suites of data sets, and grids of methods."""

from cases import each

from linclass_study.config import catalogues
from linclass_study.config.catalogues import expand, suite_names
from linclass_study.config.schema import schema_problems
from linclass_study.config.yaml_file import read_yaml
from linclass_study.data.entry_keys import expected_size
from linclass_study.project import ROOT

# Published lists: as many sets as their authors say, each pinned by its numbers, each an entry that can be read

# the numbers of tasks that the publications state, and two sets of each with their sizes in UCI's descriptions
PUBLISHED = {
    "openml_cc18": (72, {"vowel.307": (990, 12), "adult.1590": (48_842, 14)}),
    "amlb_classification_2023": (71, {"covertype.1596": (581_012, 54), "yeast.181": (1484, 8)}),
}


def tasks(suite):
    return read_yaml(ROOT / "config" / "suites" / f"{suite}.yaml")["tasks"]


def test_suites_are_published_and_share_data_sets_once():
    assert suite_names(ROOT) == sorted(PUBLISHED)
    both = catalogues.suite_entries(PUBLISHED, ROOT)
    assert len(both) < 72 + 71
    first = {task["data"]: task for task in tasks("openml_cc18")}
    for task in tasks("amlb_classification_2023"):
        same = {"task": 0, "target": 0}
        assert first.get(task["data"], task) | same == task | same


@each("suite", PUBLISHED)
def test_a_suite_has_its_tasks_once_and_every_one_is_pinned(suite):
    number, known = PUBLISHED[suite]
    listed = tasks(suite)
    assert (
        len({task["task"] for task in listed}) == len({task["data"] for task in listed}) == number
    )
    for task in listed:
        assert {"task", "data", "name", "rows", "features", "classes"} <= set(task)
        assert set(task) <= {"task", "data", "name", "rows", "features", "classes", "target"}
        assert min(task["task"], task["data"], task["features"]) >= 1
        assert 2 <= task["classes"] < task["rows"]
    found = catalogues.suite_entries([suite], ROOT)
    assert len(found) == number
    assert not list(schema_problems("datasets", found))
    for name, (rows, features) in known.items():
        assert expected_size(found[name]) == (rows * features, rows)


# One entry with `grid:` is as many entries as its lists have combinations, each as if it were written out


def test_each_combination_is_an_entry_with_values_of_their_own_type():
    entries, written, wrong = expand({
        "m_{a}_{b}": {
            "grid": {"a": [0.01, 1], "b": {"few": [5, 5], "many": [50, 50]}},
            "params": {"strength": "{a}", "rows": ["{b}"], "text": "a is {a}, b is {b}"},
        },
        "plain": {"x": 1},
    })  # fmt: skip
    assert not wrong
    assert entries == {
        "m_0.01_few": {"params": {"strength": 0.01, "rows": [[5, 5]], "text": "a is 0.01, b is few"}},
        "m_0.01_many": {"params": {"strength": 0.01, "rows": [[50, 50]], "text": "a is 0.01, b is many"}},
        "m_1_few": {"params": {"strength": 1, "rows": [[5, 5]], "text": "a is 1, b is few"}},
        "m_1_many": {"params": {"strength": 1, "rows": [[50, 50]], "text": "a is 1, b is many"}},
        "plain": {"x": 1},
    }  # fmt: skip
    assert set(written.values()) == {"m_{a}_{b}", "plain"}


@each(
    ("name", "grid", "words"),
    [
        ("m_{a}", {"a": 3}, "3 is not a list"),
        ("m_{a}", [1, 2], "is not a mapping"),
        ("m", {"a": [1, 2]}, "without {a} in it"),
        ("m_{a}", {"a": [[1, 2], [3]]}, "a value that is a list needs a name"),
        ("m_{a}_{b}", {"a": list(range(200)), "b": list(range(200))}, "stands for 40000 entries"),
    ],
)
def test_an_invalid_grid_is_reported_in_one_line(name, grid, words):
    entries, _, wrong = expand({name: {"grid": grid}})
    assert not entries
    (sentence,) = [sentence for _, sentence in wrong]
    assert words in sentence


def test_grids_that_produce_equal_names_are_refused():
    _, _, wrong = expand({"m_{a}": {"grid": {"a": [1]}}, "m_1": {}})
    assert [path for path, _ in wrong] == [["m_1"]]
