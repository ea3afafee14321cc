"""Six losses as functions of the margin.

A linear classifier with score z is wrong where the margin m = y z, y = ±1, is negative. The 0–1 loss counts these
errors, but its derivative is zero almost everywhere. The other losses are convex surrogates:

    logistic  ln(1 + e⁻ᵐ)/ln 2    hinge  max(0, 1 − m)    squared hinge  max(0, 1 − m)²
    perceptron  max(0, −m)        squared  (1 − m)²

The squared loss also penalizes rows far on the right side, the hinge losses and the perceptron loss are zero for them,
and the logistic loss is small but never zero. Divided by ln 2, the logistic loss passes through (0, 1) and is an upper
bound of the 0–1 loss. See Hastie, Tibshirani & Friedman (2009), §10.6 and figure 12.4; Bishop (2006), figure 7.5.
"""

import numpy as np

from linclass.base.parts import find
from linclass_study.textbook import INK, METHODS, figure, save

m = np.linspace(-2.2, 3, 500)
plus = np.ones_like(m)  # y = 1: the margin is the score
names = ["logistic", "hinge", "squared_hinge", "perceptron"]
curves = {name.replace("_", " "): find("losses", name)().values(plus, m) for name in names}
curves["logistic"] = curves["logistic"] / np.log(2)
curves["squared"] = (1 - m) ** 2

drawn, axes = figure(width=5.4, height=3.4)
axes.step(m, (m < 0).astype(float), where="mid", color=INK, linewidth=1.8, label="0–1")
styles = ["-", "--", "-", ":", (0, (4, 1, 1, 1))]
kinds = ["logistic", "svm", "svm", "perceptron", "least_squares"]
for (name, values), kind, dashes in zip(curves.items(), kinds, styles, strict=True):
    wide = {"linewidth": 5, "alpha": 0.4} if name == "squared hinge" else {"linewidth": 1.5}
    # the squared hinge lies under the squared loss
    axes.plot(m, values, color=METHODS[kind], linestyle=dashes, label=name, **wide)
axes.set(xlabel="margin y z", ylabel="loss", ylim=(-0.1, 4), xlim=(-2.2, 3))
axes.legend(frameon=False)
bound = {name: bool((values >= (m < 0) - 1e-12).all()) for name, values in curves.items()}
at_zero = {name: np.interp(0, m, values) for name, values in curves.items()}
save(drawn, {"bounds_zero_one": bound, "at_zero": at_zero})
