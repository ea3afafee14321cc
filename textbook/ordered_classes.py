"""Ordered classes: one line, several thresholds.

Answers on a scale, from "very bad" to "very good", are ordered classes without distances. The proportional-odds model
has the same weights for every threshold of the scale,

    ln P(y ≤ k)/P(y > k) = θ_k − w·x.

Left: satisfaction of 1,681 tenants in Copenhagen by their influence on the management, the type of their flat and their
contact with other residents. Points are the log-odds that each of the 24 groups is above each threshold; the fitted
lines are parallel. Right: 208 tastings of cheese with four additives on a scale of nine; bars are observed shares,
steps are fitted ones. The fit has 11 parameters, unrestricted shares have 32. See McCullagh (1980), JRSS B 42;
McCullagh & Nelder (1989), §5.6; Venables & Ripley (2002), §7.3.
"""

import numpy as np
from scipy.special import xlogy

from linclass import OrdinalRegression
from linclass_study.textbook import CLASSES, INK, figure, save

TENANTS = np.array(
    [21, 21, 28, 34, 22, 36, 10, 11, 36, 61, 23, 17, 43, 35, 40, 26, 18, 54, 13, 9, 10, 8, 8, 12, 6, 7, 9, 18, 6, 7, 15,
     13, 13, 7, 5, 11, 14, 19, 37, 17, 23, 40, 3, 5, 23, 78, 46, 43, 48, 45, 86, 15, 25, 62, 20, 23, 20, 10, 22, 24, 7,
     10, 21, 57, 23, 13, 31, 21, 13, 5, 6, 13]
).reshape(2, 4, 3, 3)  # contact × type (tower, apartment, atrium, terrace) × influence × satisfaction  # fmt: skip
NAMES = "medium_influence", "high_influence", "apartment", "atrium", "terrace", "high_contact"
CHEESES = np.array([[0, 0, 1, 7, 8, 8, 19, 8, 1], [6, 9, 12, 11, 7, 6, 1, 0, 0],
                    [1, 1, 6, 8, 23, 7, 5, 1, 0], [0, 0, 0, 1, 3, 7, 14, 16, 11]])  # fmt: skip


def fit(X, counts):
    """Maximum likelihood of counts (groups, classes), with −2 ln L."""
    K = counts.shape[1]
    rows, y, weights = np.repeat(X, K, axis=0), np.tile(np.arange(K), len(X)), counts.ravel()
    model = OrdinalRegression(strength=0, tol=1e-10).fit(rows, y, weights)
    return model, -2 * np.sum(counts * np.log(model.predict_proba(X)))


contact, kind, influence = (a.ravel() for a in np.indices((2, 4, 3)))
housing = np.column_stack(
    [influence == 1, influence == 2, *(kind == k for k in (1, 2, 3)), contact]
)
tenants, deviance = fit(housing.astype(float), TENANTS.reshape(24, 3))
additives = -np.eye(4)[:, :3]  # less taste than the fourth
tasters, _ = fit(additives, CHEESES)

drawn, (left, right) = figure(1, 2, width=7.6, height=3.3)
score = housing @ tenants.coef_[0]
line = np.linspace(score.min() - 0.1, score.max() + 0.1, 2)
below = np.cumsum(TENANTS.reshape(24, 3), axis=1)
for k, name in enumerate(("medium or high", "high")):
    above = below[:, -1] - below[:, k]
    left.plot(score, np.log(above / below[:, k]), "os"[k], color=CLASSES[k], markersize=4)
    left.plot(line, line - tenants.thresholds_[k], color=CLASSES[k], label=name)
left.set(xlabel="score w·x of a group of tenants", ylabel="log-odds of satisfaction")
left.legend(frameon=False, fontsize=7.5, loc="upper left")
scale = np.arange(1, 10)
fitted = tasters.predict_proba(additives)
for k in range(4):
    base = 0.5 * (3 - k)
    right.bar(scale, CHEESES[k] / 52, 0.8, base, color=CLASSES[k], alpha=0.5)
    right.stairs(base + fitted[k], np.arange(0.5, 10), baseline=base, color=INK, linewidth=1)
right.set_yticks([1.5, 1, 0.5, 0], [f"additive {name}" for name in "ABCD"])
right.set_xticks(scale)
right.set(xlabel="from strong dislike to excellent taste")
numbers = {
    "tenants": {
        "weights": dict(zip(NAMES, tenants.coef_[0], strict=True)),
        "thresholds": tenants.thresholds_,
        "deviance": deviance,
    },
    "cheese": {
        "weights": dict(zip("ABC", tasters.coef_[0], strict=True)),
        "thresholds": tasters.thresholds_,
        "g_squared": 2 * np.sum(xlogy(CHEESES, CHEESES / (52 * fitted))),
    },
}
save(drawn, numbers)
