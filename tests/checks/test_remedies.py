"""Remedies of the checks can be copied into a study, whatever columns and classes are called."""

from __future__ import annotations

import re

import yaml
from cases import each

from linclass_study.checks.findings import serious

NAMES = ["", "age", "row names", "yes", "12", "a, b", "x: y", "größe", "#", "null", 'a "b"', "- c"]


@each("name", NAMES)
def test_the_key_that_drops_a_column_names_it(name: str) -> None:
    for facts in (
        {"identifier_columns": {name: [40, 40]}},
        {"date_columns": {name: [40, "2024-03-01"]}},
        {"one_rule_columns": {name: [1.0, 0.5]}},
        {"target_like_columns": {name: "copy"}},
    ):
        (sentence,) = serious(facts)
        remedies = re.findall("`([^`]*)`", sentence)
        assert yaml.safe_load(remedies[0]) == {"drop": [name]}
        if "group" in sentence:
            assert yaml.safe_load(remedies[1]) == {"group": name}


def test_classes_that_differ_only_by_capitals_or_blanks_are_named_with_the_mapping() -> None:
    (sentence,) = serious({"classes": {"No": 5, "Yes": 4, "yes": 3, "yes ": 1}})
    assert sentence.startswith("the classes 'Yes', 'yes', 'yes ' differ only by case or blanks")
    (remedy,) = re.findall("`([^`]*)`", sentence)
    merged = {"No": ["No"], "Yes": ["Yes", "yes", "yes "]}
    assert yaml.safe_load(remedy) == {"classes": merged}
    many = {"classes": {"Yes": 4, "yes": 3} | {f"class {k}": 9 for k in range(30)}}
    for facts in (
        many,
        {"classes": {"Yes": 4, "yes": 3}},
    ):  # no mapping that leaves classes out, or one alone
        (sentence,) = serious(facts)
        assert sentence.endswith("merge them by `classes:`")
    assert not serious({"classes": {"a": 3, "b": 2, "ab": 3, "a-b": 1}})
