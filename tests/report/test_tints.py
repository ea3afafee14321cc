"""Cells of matrices are tints of the page: numbers in them are legible in both themes."""

from __future__ import annotations

import re

import numpy as np
from cases import each
from matplotlib.colors import to_rgb

from linclass_study.report import page
from linclass_study.report.drawing import style


def themed(variable: str) -> list[np.ndarray]:
    """RGB of a variable of the page's CSS in the light and in the dark theme."""
    css = (page.TEMPLATES / "style.css").read_text(encoding="utf-8")
    both = re.search(rf"--{variable}: light-dark\((#\w+), (#\w+)\)", css)
    return [np.array(to_rgb(colour)) for colour in both.groups()]


def luminance(rgb: np.ndarray) -> float:
    """Relative luminance.   WCAG 2.1"""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@each("theme", [0, 1], ids=["light", "dark"])
@each("colour", style.COLOURS[:2])
def test_numbers_are_legible_on_every_tint(colour, theme):
    ink, paper = themed("ink")[theme], themed("paper")[theme]
    cells = style.tinted(colour, np.linspace(0, 1, 11))
    seen = cells[:, 3:] * cells[:, :3] + (1 - cells[:, 3:]) * paper
    assert np.array_equal(seen[0], paper)
    for cell in map(luminance, seen):
        low, high = sorted([cell, luminance(ink)])
        assert (high + 0.05) / (low + 0.05) >= 4.5  # WCAG 2.1, criterion 1.4.3


def test_shares_outside_0_and_1_have_the_tint_of_the_nearer_one():
    assert np.array_equal(*(style.tinted(style.COLOURS[0], np.array(s)) for s in ([-2, 3], [0, 1])))
