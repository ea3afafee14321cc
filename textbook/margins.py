"""The widest margin, and soft margins.

Many lines separate two separable classes. The support vector machine chooses the line with the largest distance to the
nearest rows,

    min ½‖w‖² + C Σ ξᵢ    with  yᵢ (w·xᵢ + b) ≥ 1 − ξᵢ,  ξᵢ ≥ 0,

where the distance between the dashed lines is 2/‖w‖. Only the support vectors, the rows on or inside the margin,
determine the line. Left: separable classes; the thin grey lines separate them too. Others: overlapping classes with
decreasing C, with rows on the margin (ξ = 0), inside it (0 < ξ ≤ 1, correctly classified) and beyond the boundary (ξ >
1, misclassified). A smaller C gives a wider margin and more slack. See Bishop (2006), §7.1; Hastie, Tibshirani &
Friedman (2009), §12.2.
"""

import numpy as np

from linclass import LinearSVM, Perceptron
from linclass.datasets import generate
from linclass.plotting import BoundaryDisplay, draw_rows
from linclass_study.textbook import CLASSES, figure, save

apart = generate(
    "gaussians", 6, means=[[-2, -2], [2, 2]], covariances=[[0.9, 0], [0, 0.9]], rows=[40, 40]
)
overlap = generate("gaussians", 2, means=[[-1, -1], [1, 1]], covariances="identity", rows=[40, 40])
end = np.array([-5.0, 5.0])


def draw(panel, X, y, model, title):
    w, b = model.coef_.ravel(), model.intercept_[0]
    look = {"levels": (0, -1, 1), "regions": False, "linewidth": 1}
    BoundaryDisplay.from_estimator(model, X, limits=(-4.5, 4.5) * 2, ax=panel, **look)
    draw_rows(panel, X, y, markersize=3, alpha=0.6)
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ w + b))
    held = np.zeros(len(X), bool)
    held[model.support_] = True
    groups = {
        "on": held & (slack < 1e-3),
        "inside": (slack >= 1e-3) & (slack <= 1),
        "beyond": slack > 1,
    }
    for (_, rows), colour in zip(groups.items(), (CLASSES[2], CLASSES[4], CLASSES[6]), strict=True):
        panel.plot(*X[rows].T, "o", markersize=7, markerfacecolor="none", markeredgecolor=colour)
    panel.set(title=title, ylabel="", aspect="equal")
    return {name: int(rows.sum()) for name, rows in groups.items()} | {
        "width": 2 / np.linalg.norm(w), "slack": slack.sum()
    }  # fmt: skip


drawn, axes = figure(1, 4, width=7.8, height=2.7, sharey=True)
for seed in range(15):
    other = Perceptron(random_state=seed).fit(*apart)
    w, b = other.coef_.ravel(), other.intercept_[0]
    axes[0].plot(end, -(w[0] * end + b) / w[1], color="0.75", linewidth=0.5)
numbers = {"hard": draw(axes[0], *apart, LinearSVM(hard_margin=True).fit(*apart), "hard margin")}
for panel, C in zip(axes[1:], (100, 1, 0.01), strict=True):
    model = LinearSVM(strength=1 / (C * len(overlap[1]))).fit(*overlap)  # strength = 1/(C n)
    numbers[f"C={C:g}"] = draw(panel, *overlap, model, f"C = {C:g}")
axes[0].set_ylabel("x₂")
for name, colour in [
    ("on the margin", CLASSES[2]),
    ("inside", CLASSES[4]),
    ("wrong side", CLASSES[6]),
]:
    axes[0].plot(
        [], [], "o", markersize=6, markerfacecolor="none", markeredgecolor=colour, label=name
    )
drawn.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=7.5)
save(drawn, numbers)
