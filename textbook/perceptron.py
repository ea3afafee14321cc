"""The perceptron on iris: mistakes and the bound.

The perceptron rule passes through the rows and sets w ← w + y x at each mistake. If it starts from w = 0 and a
hyperplane through the origin separates the rows with margin γ, it makes at most

    mistakes ≤ (R/γ)²,    R = max ‖x‖

(Novikoff, 1962). A line through the origin separates setosa from the other two species by (sepal width, petal width).
The ratios (sepal width/length, petal width/length) are not separable in this way, so the rule never stops. With a
constant feature 1 they are separable with a small margin. The bound holds for any order of the rows and is far above
the actual number: the histograms show the mistakes for 1,000 random orders, the dashed lines those for the order of the
file. Different orders end at different separating lines. See Bishop (2006), §4.1.7; Hastie, Tibshirani & Friedman
(2009), §4.5.1.
"""

import numpy as np
from sklearn.datasets import load_iris

from linclass import Perceptron, largest_margin, separability
from linclass_study.textbook import CLASSES, INK, figure, save

iris = load_iris()  # its order of rows decides the mistakes of the cyclic rule
length, width, petal_length, petal_width = iris.data.T
y = np.where(iris.target == 0, -1, 1)
widths = np.column_stack([width, petal_width])
ratios = np.column_stack([width / length, petal_width / petal_length])
ratios_and_one = np.column_stack([ratios, np.ones(len(y))])


def rule(X, y, passes=1000):
    """Weights and number of mistakes (None if the rule does not stop) on rows in turn; class 1 where w·x > 0."""
    w, mistakes, before = np.zeros(X.shape[1]), 0, -1
    for _ in range(passes):
        if mistakes == before:
            return w, mistakes
        before = mistakes
        for x, sign in zip(X, y, strict=True):
            if (w @ x > 0) != (sign > 0):
                w, mistakes = w + sign * x, mistakes + 1
    return w, None


apart = separability(ratios, y, intercept="none").kind == "complete"
numbers = {"ratios": {"mistakes": rule(ratios, y)[1], "separable_through_the_origin": apart}}
fits = {}
for name, X in {"widths": widths, "ratios_and_one": ratios_and_one}.items():
    margin = largest_margin(X, y, intercept="none").margin
    bound = (np.linalg.norm(X, axis=1).max() / margin) ** 2
    fits[name] = [Perceptron(random_state=r, fit_intercept=False).fit(X, y) for r in range(1000)]
    orders = np.array([fit.n_mistakes_ for fit in fits[name]])
    numbers[name] = {"margin": margin, "bound": bound, "mistakes": rule(X, y)[1]}
    numbers[name]["random_orders"] = {"mean": orders.mean(), "most": orders.max()}
    numbers[name]["share_within_the_bound"] = np.mean(orders <= bound)

drawn, (left, *panels) = figure(
    1, 3, width=7.6, height=3.2, gridspec_kw={"width_ratios": [4, 3, 3]}
)
for sign, name, marker, colour in [(-1, "setosa", "o", CLASSES[0]), (1, "others", "s", CLASSES[1])]:
    left.plot(*widths[y == sign].T, marker, color=colour, markersize=3.5, alpha=0.6, label=name)
end = np.array([1.8, 4.6])
for fit in fits["widths"][:25]:
    w = fit.coef_.ravel()
    left.plot(end, -w[0] / w[1] * end, color="0.65", linewidth=0.5, zorder=0)
w = rule(widths, y)[0]
left.plot(end, -w[0] / w[1] * end, "-", color=INK, label="file order")
left.plot([], [], color="0.65", linewidth=0.8, label="25 random orders")
left.set(xlabel="sepal width (cm)", ylabel="petal width (cm)", xlim=end, ylim=(0, 3.9))
left.legend(loc="upper right", ncols=2, frameon=False, fontsize=7)
titles = {"widths": "widths", "ratios_and_one": "ratios and 1"}
for panel, (name, title) in zip(panels, titles.items(), strict=True):
    orders = np.array([fit.n_mistakes_ for fit in fits[name]])
    panel.hist(
        orders, np.arange(0.5, orders.max() + 1, 1 + 3 * (orders.max() > 40)), color=CLASSES[2]
    )
    panel.axvline(numbers[name]["mistakes"], color=INK, linestyle="--", linewidth=1)
    panel.set(title=title, xlabel=f"mistakes (bound: {numbers[name]['bound']:,.0f})")
panels[0].set_ylabel("random orders (of 1,000)")
save(drawn, numbers)
