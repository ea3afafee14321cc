"""Paths of ridge, the lasso and the elastic net.

The same least-squares problem with three penalties, each from strong to weak:

    ridge ½‖w‖²    lasso ‖w‖₁    elastic net  ½‖w‖₁ + ½·½‖w‖².

Ridge shrinks all coefficients but sets none to zero. The lasso path is piecewise linear, and coefficients enter one
after another. The data have two groups of three nearly equal relevant features (green, blue) and four irrelevant
features (grey). The lasso first selects one feature of each group and shrinks it again when others of the group enter.
With the elastic net the features of a group enter and grow together: the grouping effect. See Hastie, Tibshirani &
Friedman (2009), §3.4 and §18.4; Zou & Hastie (2005).
"""

import numpy as np

from linclass import ElasticNet, Lasso, Ridge
from linclass.plotting import PathDisplay
from linclass_study.textbook import CLASSES, figure, save

rng = np.random.default_rng(3)
n = 100
groups = rng.standard_normal((n, 2))
X = np.column_stack(
    [*(groups[:, [0]] + 0.15 * rng.standard_normal((n, 3))).T, *(groups[:, [1]] + 0.15 * rng.standard_normal((n, 3))).T]
    + [rng.standard_normal(n) for _ in range(4)]
)  # fmt: skip
X = (X - X.mean(axis=0)) / X.std(axis=0)
y = 3 * groups[:, 0] - 2 * groups[:, 1] + rng.standard_normal(n)
colours = dict(enumerate([CLASSES[2]] * 3 + [CLASSES[0]] * 3))
models = {"ridge": Ridge(), "lasso": Lasso(), "elastic net": ElasticNet(l1_ratio=0.5)}
strengths = np.logspace(1.2, -3, 80)

drawn, axes = figure(1, 3, width=7.6, height=2.9, sharey=True)
numbers = {}
for panel, (name, model) in zip(axes, models.items(), strict=True):
    fits = model.path(X, y, strengths)
    path = np.array([fit.coef_.ravel() for fit in fits])
    PathDisplay.from_estimator(fits, ax=panel, colors=colours, others="0.65", legend=False)
    panel.invert_xaxis()
    panel.set(title=name, ylabel="")
    first = np.argmax((path != 0).any(axis=1))
    spread = [np.ptp(path[40, g]) for g in (slice(0, 3), slice(3, 6))]
    numbers[name] = {
        "zeros_at_strength_0.1": int((path[np.argmin(np.abs(strengths - 0.1))] == 0).sum()),
        "enters_at": strengths[first],
        "spread_within_groups_halfway": spread,
    }
# the strength from which on the lasso is 0 (squared loss halved)
slopes = np.abs(X.T @ (y - y.mean())).max() / n
numbers["lasso"]["largest_slope"] = slopes
axes[0].set_ylabel("coefficient")
save(drawn, numbers)
