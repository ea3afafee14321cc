"""Asymmetric risk: the cost of a mistake moves the boundary.

The best action minimizes the expected cost. With cost a for a missed positive and cost 1 for a false alarm, predict the
positive class if

    a · P(positive | x) > P(negative | x),    that is, if the log-odds exceed −ln a.

The boundary of a linear model is shifted parallel to itself by ln a/‖w‖. Left: two Gaussians and the boundaries for
several cost ratios. Right: the expected cost of three decision rules on new rows against the cost ratio: the usual
rule, which ignores costs, the minimum-risk rule, which is never worse, and Bayes' rule. See Duda, Hart & Stork (2001),
§2.2; Bishop (2006), §1.5.2.
"""

import numpy as np

from linclass import LogisticRegression, decide
from linclass.datasets import generate
from linclass.plotting import draw_rows
from linclass_study.textbook import CLASSES, INK, figure, save

gaussians = {"means": [[0, 0], [2, 2]], "covariances": "identity"}
X, y = generate("gaussians", 1, rows=[200, 200], **gaussians)
X_new, y_new = generate("gaussians", 2, rows=[20_000, 20_000], **gaussians)
model = LogisticRegression(penalty=None).fit(X, y)
w, b = model.coef_.ravel(), model.intercept_[0]
ratios = np.logspace(-2, 2, 41)


def cost(predicted, ratio):
    """Mean over new rows, in units of the cost of a false alarm."""
    return np.mean(np.where(y_new == 1, ratio * (predicted == 0), predicted == 1))


log_proba = model.predict_log_proba(X_new)
truth = X_new.sum(axis=1) * 2 - 4  # log-odds of the two unit Gaussians
curves = {
    "ignoring costs": [cost(model.predict(X_new), a) for a in ratios],
    "least expected cost": [cost(decide(log_proba, [[0, a], [1, 0]]), a) for a in ratios],
    "Bayes": [cost((truth > -np.log(a)).astype(int), a) for a in ratios],
}
drawn, (left, right) = figure(1, 2, width=7.2, height=3.2)
draw_rows(left, X, y, markersize=3, alpha=0.5)
end = np.array([-3.0, 5.0])
for a, dashes in [(0.05, ":"), (1, "-"), (20, "--")]:
    left.plot(end, -(w[0] * end + b + np.log(a)) / w[1], dashes, color=INK, label=f"a = {a:g}")
left.set(xlabel="x₁", ylabel="x₂", xlim=(-3.2, 5.2), ylim=(-3.2, 5.2), aspect="equal")
left.legend(loc="lower left", framealpha=0.9, edgecolor="none", fontsize=7.5)
for (name, values), colour, dashes in zip(
    curves.items(), (CLASSES[3], CLASSES[2], INK), ("-", "-", ":"), strict=True
):
    right.loglog(ratios, values, dashes, color=colour, label=name)
right.set(xlabel="cost ratio a", ylabel="expected cost per row")
right.legend(frameon=False, fontsize=7.5)
shift = np.log(20) / np.linalg.norm(w)
decided = decide(log_proba, [[0, 20], [1, 0]])
numbers = {
    "shift_at_20": shift,
    "boundary_is_the_shifted_line": np.mean(decided == (X_new @ w + b > -np.log(20))),
    "cost_at_100": {name: values[-1] for name, values in curves.items()},
}
save(drawn, numbers)
