"""Gradient descent for logistic regression, step by step.

Iris: setosa (class 0) against versicolor and virginica merged (class 1), by petal length and width. Starting from
w = 0, every step is

    w ← w − η ∇E(w),    E(w) = −(1/n) Σ [ y ln σ(w·x) + (1 − y) ln(1 − σ(w·x)) ].

The classes are separable, so E has no minimum: ‖w‖ grows like ln(steps), the boundary turns towards the maximum margin,
and the predicted probabilities tend to 0 and 1. All 500,000 steps are computed. See Bishop (2006), §4.3.2; Soudry et
al. (2018), JMLR 19, on the limit direction.
"""

import numpy as np

from linclass import LogisticRegression
from linclass.plotting import draw_rows
from linclass_study.textbook import CLASSES, data, figure, save

iris = data("iris_binary")
X, y = iris.columns("petal length (cm)", "petal width (cm)"), iris.y
steps = [5, 50, 500, 5_000, 50_000, 500_000]
fits, before = {}, 0
model = LogisticRegression(
    penalty=None, solver="gradient_descent", learning_rate=0.1, tol=0, warm_start=True, max_iter=1
)
for count in steps:
    model.set_params(max_iter=count - before).fit(X, y)
    fits[count], before = (model.coef_.ravel().copy(), float(model.intercept_[0])), count

drawn, axes = figure(2, 4, width=7.6, height=3.9, gridspec_kw={"width_ratios": [1.5, 1, 1, 1]})
for row in axes[:, 0]:
    row.remove()
plane = drawn.add_subplot(axes[0, 0].get_gridspec()[:, 0])
draw_rows(plane, X, y, iris.classes, markersize=3)
end = np.array([0.8, 7.0])
dashes = [":", "--", "-.", (0, (4, 1, 1, 1)), "-"]
for count, colour, style in zip(steps[1:], CLASSES[2:], dashes, strict=False):
    w, b = fits[count]
    line = -(w[0] * end + b) / w[1]
    plane.plot(end, line, color=colour, linestyle=style, linewidth=1.4, label=f"{count:,} steps")
plane.set(xlabel="petal length (cm)", ylabel="petal width (cm)", xlim=end, ylim=(0, 2.6))
plane.legend(loc="lower right", frameon=False, fontsize=6.5)
numbers = {"norm": {}, "training_error": {}}
for count, panel in zip(steps, axes[:, 1:].ravel(), strict=True):
    w, b = fits[count]
    z = X @ w + b
    probability = 1 / (1 + np.exp(-z))
    panel.hist(
        [probability[y == k] for k in (0, 1)],
        np.linspace(0, 1, 21),
        color=CLASSES[:2],
        stacked=True,
    )
    panel.set(title=f"{count:,} steps", xlim=(0, 1), ylim=(0, 105), xticks=[0, 0.5, 1])
    numbers["norm"][count] = np.linalg.norm(w)
    numbers["training_error"][count] = np.mean((z > 0) != y)
axes[1, 2].set_xlabel("predicted probability of class 1")
axes[0, 1].set_ylabel("rows")
axes[1, 1].set_ylabel("rows")
save(drawn, numbers)
