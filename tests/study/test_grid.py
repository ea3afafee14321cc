"""One entry with `grid:` is as many entries as its lists have combinations, each as if it were written out."""

from __future__ import annotations

from cases import each

from linclass_study.config.catalogues import expand


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
def test_what_cannot_be_expanded_is_one_line(name, grid, words):
    entries, _, wrong = expand({name: {"grid": grid}})
    assert not entries
    (sentence,) = [sentence for _, sentence in wrong]
    assert words in sentence


def test_two_grids_that_make_one_name_are_refused():
    _, _, wrong = expand({"m_{a}": {"grid": {"a": [1]}}, "m_1": {}})
    assert [path for path, _ in wrong] == [["m_1"]]
