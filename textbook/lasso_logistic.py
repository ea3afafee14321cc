"""The lasso for logistic regression: heart disease, feature by feature.

Logistic regression with an L1 penalty on standardized features,

    min −(1/n) log-likelihood + λ ‖w‖₁,

sets some weights to 0. Left: the weights against their L1 norm as λ decreases. They enter one after another (grey
lines). Between two entries the paths are slightly curved, whereas the lasso paths for squared loss are straight. The
paths end at the maximum-likelihood estimate; the last features to enter, sbp, obesity and alcohol, are not significant
there. Right: why features enter. At the optimum all features with nonzero weight have the same absolute covariance with
the residual y − p,

    x_j·(y − p)/n = λ sign w_j  if w_j ≠ 0,    and between −λ and λ  if w_j = 0,

so a feature enters when its covariance, in units of λ, reaches 1 or −1. See Hastie, Tibshirani & Friedman (2009),
§4.4.4, (4.32) and figure 4.13; Park & Hastie (2007).
"""

import numpy as np

from linclass import LogisticRegression
from linclass.plotting import PathDisplay
from linclass_study.textbook import CLASSES, data, figure, save

heart = data("heart")
X, y = (
    heart.columns("age", "famhist=Present", "ldl", "tobacco", "sbp", "obesity", "alcohol"),
    heart.y,
)
X = (X - X.mean(axis=0)) / X.std(axis=0)
names = ["age", "famhist", "ldl", "tobacco", "sbp", "obesity", "alcohol"]
largest = np.abs(X.T @ (y - y.mean())).max() / len(y)  # from this λ on all weights are 0
strengths = largest * np.append(np.logspace(0, -3, 400), 1e-9)
fits = LogisticRegression(penalty="l1", tol=1e-10).path(X, y, strengths)
W = np.array([fit.coef_.ravel() for fit in fits])
tied = np.array([X.T @ (y - fit.predict_proba(X)[:, 1]) / len(y) for fit in fits])
norm, active = np.abs(W).sum(axis=1), W != 0
maximum = LogisticRegression(penalty=None, tol=1e-12).fit(X, y).coef_.ravel()
last_zero = active.argmax(axis=0) - 1  # of the strengths, for each feature
numbers = {
    "order": [names[j] for j in np.argsort(last_zero, kind="stable")],
    "enters_below": {name: strengths[at] for name, at in zip(names, last_zero, strict=True)},
    "norm_at_the_end": norm[-1],
    "end_less_the_maximum": np.abs(W[-1] - maximum).max(),
    "covariance_less_the_strength": np.abs(tied - strengths[:, None] * np.sign(W))[active].max(),
    "others_beyond_the_strength": (np.abs(tied) - strengths[:, None])[~active].max(initial=0),
}

drawn, (left, right) = figure(1, 2, width=7.8, height=3.4)
beside = {"ldl": 1, "tobacco": -6}  # points up; the two ends are close
colours = dict(enumerate(CLASSES[: len(names)]))
PathDisplay(norm, W, x_name="L1 norm").plot(left, colors=colours, legend=False)
for j, name in enumerate(names):
    label = {"xytext": (4, beside.get(name, -3)), "textcoords": "offset points", "fontsize": 7.5}
    left.annotate(name, (norm[-1], W[-1, j]), color=CLASSES[j], **label)
    left.axvline(norm[last_zero[j]], color="0.8", linewidth=0.6, zorder=0)
    right.semilogx(strengths[:-1], (tied / strengths[:, None])[:-1, j], color=CLASSES[j])
left.set(xlabel="L1 norm of the weights", ylabel="weight", xlim=(0, 1.22 * norm[-1]))
right.invert_xaxis()
right.set(xlabel="strength λ", ylabel="covariance with the residual, in units of λ")
save(drawn, numbers)
