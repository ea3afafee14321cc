"""Least angle regression, the lasso and forward stagewise.

Three paths from no features to least squares on the diabetes data of Efron et al.: ten measurements of 442 patients and
the progression of the disease a year later. Least angle regression moves the weights of all active features so that
their covariances with the residual stay equal in absolute value. The lasso path is the same until a weight reaches
zero, as that of HDL (feature 7) does: the feature then leaves the active set and returns later. Forward stagewise
regression changes one weight at a time by a small step. Its path is nearly the same, but smoother where weights turn.
Dots are knots, where features enter or leave. See Efron, Hastie, Johnstone & Tibshirani (2004), Annals of Statistics
32, figures 1 and 3; Hastie, Tibshirani & Friedman (2009), §3.4.4 and §3.8.
"""

import numpy as np
from sklearn.datasets import load_diabetes

from linclass import ForwardStagewise, LeastAngleRegression, LinearRegression
from linclass.plotting import PathDisplay
from linclass_study.textbook import CLASSES, figure, save

X, y = load_diabetes(return_X_y=True)  # columns of mean 0 and length 1
least_squares = LinearRegression().fit(X, y)
lasso = LeastAngleRegression(lasso=True).fit(X, y)
least_angle = LeastAngleRegression().fit(X, y)
stagewise = ForwardStagewise(learning_rate=0.0005).fit(X, y)
some = np.arange(0, stagewise.n_iter_ + 1, 20)
paths = {
    "lasso": lasso.coef_path_,
    "least angle": least_angle.coef_path_,
    "forward stagewise": np.array([stagewise.coef_after(k) for k in some]),
}

drawn, axes = figure(1, 3, width=7.6, height=3.0, sharey=True)
for panel, (name, path) in zip(axes, paths.items(), strict=True):
    shown = PathDisplay(np.abs(path).sum(axis=1), path, x_name="sum of |w|")
    marker = "." if name != "forward stagewise" else None
    shown.plot(
        panel, colors={6: CLASSES[0]}, others="0.6", legend=False, marker=marker, markersize=4
    )
    panel.set(title=name, ylabel="")
axes[0].set_ylabel("weight (HDL in colour)")
numbers = {
    "lasso": {
        "moves": [(feature + 1) * sign for feature, sign in lasso.moves_],
        "r_squared": lasso.score(X, y),
        "knots": len(y) * lasso.knots_[:-1],
    },
    "least_angle": {
        "order": [feature + 1 for feature, _ in least_angle.moves_],
        "off_least_squares": np.abs(least_angle.coef_ - least_squares.coef_).max(),
    },
    "stagewise": {"steps": stagewise.n_iter_},
}
save(drawn, numbers)
