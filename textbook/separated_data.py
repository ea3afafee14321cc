"""Separated data: an infinite maximum-likelihood estimate, and Firth's penalty.

79 patients have endometrial cancer of low or high grade. All thirteen patients with new vessels (neovascularization)
have a high grade, so the likelihood always increases with this weight, and the status of the fit is separable. The
other weights tend to the estimates from the patients without new vessels. Firth's penalty, half the log determinant of
the information matrix, makes every weight finite. Left: the profile likelihood of the weight and its limit (dotted);
the dashed line is Firth's estimate. Right: the probability of a high grade by Firth's fit, at the median of the
pulsatility index. See Firth (1993), Biometrika 80; Heinze & Schemper (2002), Statistics in Medicine 21; Agresti (2015),
§5.7.
"""

import numpy as np

from linclass import FirthLogisticRegression, LogisticRegression
from linclass_study.textbook import CLASSES, INK, figure, save

# 49 of low grade, 17 of high grade without new vessels, 13 of high grade with them
INDEX = np.array(
    [13, 16, 8, 34, 20, 5, 17, 10, 26, 17, 8, 7, 20, 10, 18, 16, 18, 28, 11, 19, 10, 10, 18, 14, 21, 11, 17, 25, 16,
     19, 15, 33, 24, 29, 15, 12, 3, 20, 23, 12, 22, 42, 15, 13, 14, 19, 12, 13, 10, 8, 29, 12, 20, 7, 48, 12, 19, 2,
     21, 15, 12, 6, 5, 17, 5, 33, 38, 22, 7, 25, 15, 22, 40, 5, 0, 49, 11, 21, 19]
)  # pulsatility index  # fmt: skip
HEIGHT = np.array(
    [164, 226, 314, 268, 128, 231, 180, 168, 156, 231, 201, 189, 315, 123, 127, 176, 200, 150, 133, 237, 182, 313,
     131, 192, 164, 201, 188, 193, 211, 129, 172, 75, 192, 202, 229, 233, 290, 170, 141, 225, 154, 197, 175, 216,
     257, 137, 361, 204, 217, 264, 88, 127, 137, 97, 184, 111, 161, 118, 119, 106, 169, 184, 130, 96, 35, 85, 97,
     114, 88, 91, 58, 144, 118, 93, 117, 27, 101, 98, 102]
) / 100  # of the endometrium  # fmt: skip
VESSELS = np.repeat([0, 0, 1], [49, 17, 13])
y = np.repeat([0, 1, 1], [49, 17, 13])
X = np.column_stack([VESSELS, INDEX, HEIGHT])
NAMES = "vessels", "index", "height", "intercept"


def likelihood(model, X, y, offset=None):
    """Log-likelihood of a fit."""
    return float(np.log(model.predict_proba(X, offset=offset)[np.arange(len(y)), y]).sum())


def maximum(X, y, offset=None):
    return LogisticRegression(penalty=None, tol=1e-10).fit(X, y, offset=offset)


firth = FirthLogisticRegression(tol=1e-10).fit(X, y)
others = maximum(X[VESSELS == 0, 1:], y[VESSELS == 0])
limit = likelihood(others, X[VESSELS == 0, 1:], y[VESSELS == 0])
without = likelihood(maximum(X[:, 1:], y), X[:, 1:], y)
weights = np.linspace(-1, 9, 60)
profile = [likelihood(maximum(X[:, 1:], y, w * VESSELS), X[:, 1:], y, w * VESSELS) for w in weights]
numbers = {
    "firth": dict(zip(NAMES, np.append(firth.coef_[0], firth.intercept_), strict=True)),
    "firth_error": dict(zip(NAMES, firth.standard_errors_[0], strict=True)),
    "limit": {
        "index": others.coef_[0, 0],
        "height": others.coef_[0, 1],
        "intercept": others.intercept_[0],
    },
    "log_likelihood": limit,
    "likelihood_ratio_of_vessels": 2 * (limit - without),
}

drawn, (left, right) = figure(1, 2, width=7.2, height=3.0)
left.plot(weights, profile, color=CLASSES[2])
left.axhline(limit, color=INK, linestyle=":", linewidth=1)
left.axvline(numbers["firth"]["vessels"], color=INK, linestyle="--", linewidth=1)
left.set(xlabel="weight of new vessels", ylabel="log-likelihood")
grid = np.linspace(0.2, 3.7, 200)
for vessels, name in enumerate(("without new vessels", "with new vessels")):
    rows = np.column_stack([np.full(200, vessels), np.full(200, np.median(INDEX)), grid])
    right.plot(grid, firth.predict_proba(rows)[:, 1], color=CLASSES[vessels], label=name)
    own = vessels == VESSELS
    right.plot(
        HEIGHT[own], y[own] + 0.03 * vessels, "os"[vessels], color=CLASSES[vessels], markersize=3
    )
right.set(xlabel="height of the endometrium", ylabel="probability of a high grade")
right.legend(frameon=False, fontsize=7.5, loc="upper right", bbox_to_anchor=(1, 0.94))
save(drawn, numbers)
