"""The Dantzig selector and the lasso.

The Dantzig selector finds the weights with the smallest L1 norm whose residual has a covariance of at most s with every
feature,

    min ‖w‖₁   subject to   |xⱼ·(y − Xw)|/n ≤ s   for all j.

The lasso with strength s satisfies the same constraints, so its L1 norm is at least as large. On the diabetes data both
solutions agree in the grey range of s, as long as u = (X_LᵀX_L)⁻¹1 ≥ 0 and |XᵀX_L u| ≤ 1, where X_L are the lasso's
features times the signs of their weights. Beyond it different features enter. Right: at the same L1 norm the largest
covariance of the selector is smaller than that of the lasso. Where the curves separate, as many constraints are active
as weights are nonzero, but for different features. Both paths end at least squares. See Candès & Tao (2007), Annals of
Statistics 35; James, Radchenko & Lv (2009), JRSS B 71; Hastie, Tibshirani & Friedman (2009), §3.8.3.
"""

import numpy as np
from sklearn.datasets import load_diabetes

from linclass import DantzigSelector, Lasso, LinearRegression
from linclass.plotting import PathDisplay
from linclass_study.textbook import CLASSES, figure, save

X, y = load_diabetes(return_X_y=True)
n = len(y)
X *= np.sqrt(n)  # columns of mean 0 and deviation 1
y -= y.mean()
G, c = X.T @ X / n, X.T @ y / n
strengths = np.geomspace(0.999 * np.abs(c).max(), 0.02, 250)
models = {"lasso": Lasso(tol=1e-12), "Dantzig selector": DantzigSelector()}
paths = {
    name: np.array([fit.coef_ for fit in model.path(X, y, strengths)])
    for name, model in models.items()
}
lasso, selector = paths.values()
limits = {name: np.abs(c - path @ G) for name, path in paths.items()}
same = np.abs(lasso - selector).max(axis=1) < 1e-4


def fulfils(w):
    """The condition of theorem 1, for the lasso's weights."""
    own = np.flatnonzero(w)
    signs = np.sign(w[own])
    u = np.linalg.solve(G[np.ix_(own, own)] * np.outer(signs, signs), np.ones(len(own)))
    return bool((u >= 0).all() and (np.abs(G[:, own] @ (signs * u)) <= 1 + 1e-9).all())


weighted, own = np.abs(selector) > 1e-6, limits["Dantzig selector"]
tied = np.abs(own - strengths[:, None]) < 1e-6
outdone = [(a[~w] > a[w].min() + 1e-6).any() for a, w in zip(own, weighted, strict=True)]
Q = np.linalg.qr(X)[0] * np.sqrt(n)  # orthogonal columns
z = Q.T @ y / n
soft = DantzigSelector(strength=5).fit(Q, y).coef_
end = DantzigSelector(strength=1e-8).fit(X, y).coef_
sums = {name: np.abs(path).sum(axis=1) for name, path in paths.items()}
numbers = {
    "share_with_both_the_same": same.mean(),
    "strengths_that_contradict_the_condition": np.not_equal([*map(fulfils, lasso)], same).sum(),
    "sum_beyond_the_lassos": (sums["Dantzig selector"] - sums["lasso"]).max(),
    "strengths_with_other_than_a_tie_a_weight": (tied.sum(axis=1) != weighted.sum(axis=1)).sum(),
    "share_with_a_larger_covariance_left_out": np.mean(outdone),
    "off_least_squares": np.abs(end - LinearRegression().fit(X, y).coef_).max(),
    "off_soft_threshold": np.abs(soft - np.sign(z) * np.maximum(np.abs(z) - 5, 0)).max(),
}

drawn, (*panels, right) = figure(1, 3, width=7.8, height=2.9)
names = {4: "total cholesterol", 5: "LDL", 6: "HDL"}
colours = {j: CLASSES[j - 4] for j in names}
for panel, (name, path) in zip(panels, paths.items(), strict=True):
    panel.axvspan(strengths[0], strengths[same].min(), color="0.5", alpha=0.15, linewidth=0)
    PathDisplay(strengths, path).plot(panel, colors=colours, others="0.6", legend=False)
    panel.invert_xaxis()
    panel.set(title=name, xlabel="s", ylabel="", ylim=(-37, 37))
for j, name in names.items():
    panels[0].plot([], [], color=colours[j], label=name)
panels[0].legend(frameon=False, fontsize=7, loc="lower left")
panels[0].set_ylabel("weight")
for (name, own), colour in zip(limits.items(), CLASSES[3:], strict=False):
    right.semilogy(sums[name], own.max(axis=1), color=colour, label=name)
right.set(xlabel="sum of |w|", ylabel="largest covariance")
right.legend(frameon=False, fontsize=7.5)
save(drawn, numbers)
