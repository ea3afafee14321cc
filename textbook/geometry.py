"""The geometry of a hyperplane.

The set where w·x + b = 0 is a hyperplane with normal w, at the signed distance −b/‖w‖ from the origin. For any point

    distance = (w·x + b)/‖w‖,    projection  x − distance · w/‖w‖,

where the distance is positive on the side that w points to. The score of a linear classifier is therefore a signed
distance in units of 1/‖w‖. The figure shows a line in the plane, the distances of five points and their projections.
See Bishop (2006), §4.1.1 and figure 4.1; Hastie, Tibshirani & Friedman (2009), §4.5 and figure 4.15.
"""

import numpy as np

from linclass import LinearSVM
from linclass_study.textbook import CLASSES, INK, figure, save

X = np.array([[0.0, 0.0], [1.0, -0.6], [4.0, 1.2], [3.2, 3.4], [0.8, 2.9]])
y = np.array([0, 0, 1, 1, 1])
model = LinearSVM(hard_margin=True).fit(X, y)
w, b = model.coef_.ravel(), model.intercept_[0]
distance, foot = model.signed_distance(X), model.project(X)
by_hand = (X @ w + b) / np.linalg.norm(w)
numbers = {
    "distances": distance,
    "largest_difference_from_the_formula": np.abs(distance - by_hand).max(),
    "projections_lie_on_the_plane": np.abs(foot @ w + b).max(),
    "projections_are_orthogonal": np.abs((X - foot) @ np.array([w[1], -w[0]])).max(),
    "distance_of_the_origin": b / np.linalg.norm(w),
}

drawn, axes = figure(width=4.6, height=3.8)
end = np.array([-1.2, 4.6])
axes.plot(end, -(w[0] * end + b) / w[1], color=INK, label="w·x + b = 0")
for x, on, d, k in zip(X, foot, distance, y, strict=True):
    axes.plot(*np.array([x, on]).T, ":", color=INK, linewidth=1)
    axes.plot(*on, "|", color=INK, markersize=4)
    axes.plot(*x, "os"[k], color=CLASSES[k], markersize=6)
    axes.annotate(
        f"{d:+.2f}".replace("-", "−"), x, xytext=(6, 5), textcoords="offset points", fontsize=8
    )
middle = foot.mean(axis=0)
unit = w / np.linalg.norm(w)
axes.annotate(
    "",
    middle + unit,
    middle,
    arrowprops={"arrowstyle": "->", "color": CLASSES[2], "linewidth": 1.6},
)
axes.annotate(
    "w/‖w‖", middle + unit, xytext=(-6, 0), textcoords="offset points", color=CLASSES[2], ha="right"
)
axes.set(xlabel="x₁", ylabel="x₂", xlim=(-1.2, 5), ylim=(-1.4, 4.2), aspect="equal")
axes.legend(loc="lower right", frameon=False)
save(drawn, numbers)
