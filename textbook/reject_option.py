"""The reject option: no answer where the classes are almost equally likely.

Suppose an error costs 1 and no answer costs c < ½. No answer is then a third action, which is optimal (Chow, 1970) if

    max_k P(k | x) < 1 − c,    for two classes  |log-odds| < ln((1 − c)/c).

Left: two Gaussians, the boundary of LDA, and the rejection bands at c = 0.25 and c = 0.1, whose edges are parallel to
the boundary. Right: the share of errors against the share of rows without an answer as c decreases from ½: LDA on
100,000 new rows with the closed form for Bayes' rule (dotted), and logistic regression on the heart-disease data by
ten-fold cross-validation. The slope of Bayes' curve is −c: rejecting one more row avoids c errors, at first one half.
See Bishop (2006), §1.5.3 and figure 1.26; Duda, Hart & Stork (2001), problem 13 of chapter 2; Chow (1970).
"""

import numpy as np
from scipy.stats import norm

from linclass import LinearDiscriminantAnalysis, LogisticRegression, decide
from linclass.datasets import generate
from linclass.plotting import draw_rows
from linclass.tuning.folds import stratified_folds
from linclass_study.textbook import INK, METHODS, data, figure, save

gaussians = {"means": [[0, 0], [1.5, 1.5]], "covariances": "identity"}
X, y = generate("gaussians", 1, rows=[200, 200], **gaussians)
X_new, y_new = generate("gaussians", 2, rows=[50_000, 50_000], **gaussians)
lda, NO_ANSWER = LinearDiscriminantAnalysis().fit(X, y), 2
costs = np.linspace(0.5, 0.004, 63)


def rates(log_proba, truth, c):
    """Shares of rows without an answer and of rows with a wrong one."""
    action = decide(log_proba, [[0, 1], [1, 0], [c, c]])
    return np.mean(action == NO_ANSWER), np.mean((action != NO_ANSWER) & (action != truth))


def closed_form(c, distance):
    """The shares for Bayes' rule with two unit Gaussians, whose log-odds are normal with mean ±Δ²/2 and variance Δ²."""
    edge = np.log((1 - c) / c)
    wrong, answered = (norm.cdf((side * edge - distance**2 / 2) / distance) for side in (-1, 1))
    return answered - wrong, wrong


heart = data("heart")
held_out, folds = np.empty((len(heart.y), 2)), stratified_folds(heart.y, 10, 0)
for k in range(10):
    model = LogisticRegression(penalty=None).fit(heart.X[folds != k], heart.y[folds != k])
    held_out[folds == k] = model.predict_log_proba(heart.X[folds == k])

exact = np.array([closed_form(c, np.hypot(1.5, 1.5)) for c in costs])
truth = X_new @ [1.5, 1.5] - 2.25  # log-odds of the two Gaussians
bayes = np.column_stack([-np.logaddexp(0, truth), -np.logaddexp(0, -truth)])
curves = {
    "LDA, two Gaussians": (lda.predict_log_proba(X_new), y_new, METHODS["lda"], "-"),
    "logistic, heart disease": (held_out, heart.y, METHODS["logistic"], "--"),
}
numbers = {}
drawn, (left, right) = figure(1, 2, width=7.4, height=3.3)
for name, (log_proba, labels, colour, dashes) in curves.items():
    path = np.array([rates(log_proba, labels, c) for c in costs])
    right.plot(*path.T, dashes, color=colour, label=name)
    numbers[name] = {"error": path[0, 1], "at_c_0.1": rates(log_proba, labels, 0.1)}
right.plot(*exact.T, ":", color=INK, label="Bayes, closed form")
of_bayes = np.array([rates(bayes, y_new, c) for c in costs])
numbers["bayes_less_the_closed_form"] = np.abs(of_bayes - exact).max()

draw_rows(left, X, y, markersize=3, alpha=0.5)
end, w = np.array([-4.0, 6.0]), lda.coef_.ravel()
for c, shade in ((0.5, 0), (0.25, 0.3), (0.1, 0.15)):
    edge = np.log((1 - c) / c)
    low, high = (-(w[0] * end + lda.intercept_ + side * edge) / w[1] for side in (-1, 1))
    left.fill_between(end, low, high, color=METHODS["lda"], alpha=shade, linewidth=0)
    left.plot(end, low, color=METHODS["lda"], linewidth=2 if c == 0.5 else 0.8)
    left.plot(end, high, color=METHODS["lda"], linewidth=2 if c == 0.5 else 0.8)
left.set(xlabel="x₁", ylabel="x₂", xlim=(-3, 4.5), ylim=(-3, 4.5))
right.set(xlabel="share without an answer", ylabel="share with a wrong answer")
right.set(xlim=(0, 1), ylim=(0, None))
right.legend(frameon=False, fontsize=7.5)
save(drawn, numbers)
