"""Published lists: as many sets as their authors say, each pinned by its numbers, each an entry that can be read."""

from __future__ import annotations

from cases import each

from linclass_study.config import catalogues
from linclass_study.config.catalogues import suite_names
from linclass_study.config.schema import schema_problems
from linclass_study.config.yaml_file import read_yaml
from linclass_study.data.entry.expected_size import expected_size
from linclass_study.project import ROOT

# the numbers of tasks that the publications state, and two sets of each with their sizes in UCI's descriptions
PUBLISHED = {
    "openml_cc18": (72, {"vowel.307": (990, 12), "adult.1590": (48_842, 14)}),
    "amlb_classification_2023": (71, {"covertype.1596": (581_012, 54), "yeast.181": (1484, 8)}),
}


def tasks(suite):
    return read_yaml(ROOT / "config" / "suites" / f"{suite}.yaml")["tasks"]


def test_every_list_is_one_that_was_published():
    assert suite_names(ROOT) == sorted(PUBLISHED)


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


def test_a_set_of_two_suites_is_one():
    both = catalogues.suite_entries(PUBLISHED, ROOT)
    assert len(both) < 72 + 71
    first = {task["data"]: task for task in tasks("openml_cc18")}
    for task in tasks("amlb_classification_2023"):
        same = {"task": 0, "target": 0}
        assert first.get(task["data"], task) | same == task | same
