"""Principal components and partial least squares: components without and with the target.

The target depends on the direction in which two correlated features vary least. The first principal component is the
direction of largest variance. It contains no information about the target, and regression on it predicts new rows worse
than the mean does. The first component of partial least squares has the largest covariance with the target and is
nearly as good as both features. All variables are standardized first. With two components both methods are least
squares. The data and the printed numbers are those of scikit-learn's example "Principal Component Regression vs Partial
Least Squares Regression". See Hastie, Tibshirani & Friedman (2009), §3.5; Pedregosa et al. (2011), JMLR 12.
"""

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from linclass import LinearRegression, PartialLeastSquares
from linclass_study.pipeline.preprocessor import Preprocessor
from linclass_study.textbook import CLASSES, INK, figure, save

rng = np.random.RandomState(0)
X = rng.multivariate_normal([0, 0], [[3, 3], [3, 4]], 500)
least = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][1]
y = X @ (least * np.sign(least[0])) + rng.normal(size=500) / 2
X, new, y, y_new = train_test_split(X, y, random_state=rng)


def by(model, *more):
    """A regression on standardized features, or on components computed from them."""
    return make_pipeline(Preprocessor(transforms=["standardize", *more]), model).fit(X, y)


def principal(components):
    return {"principal_components": {"components": components}}


one = by(LinearRegression(), principal(1))
partial = by(PartialLeastSquares(1))
least_squares = by(LinearRegression()).predict(new)
both = [by(LinearRegression(), principal(2)), by(PartialLeastSquares(2))]

drawn, axes = figure(1, 2, width=6.4, height=3.0, sharey=True)
scores = {
    "first principal component": (one, one[0].transform(new)[:, 0]),
    "first component of partial least squares": (partial, partial.transform(new)[:, 0]),
}
for panel, (name, (model, score)) in zip(axes, scores.items(), strict=True):
    panel.plot(score, y_new, ".", color=CLASSES[0], markersize=3)
    order = np.argsort(score)
    panel.plot(score[order], model.predict(new)[order], color=INK)
    r_squared = f"{model.score(new, y_new):.2f}".replace("-", "−")
    panel.set(xlabel=name, title=f"R² = {r_squared} on new rows")
axes[0].set_ylabel("target")
numbers = {
    "r_squared": {
        "principal": one.score(new, y_new),
        "partial": partial.score(new, y_new),
        "two_principal": both[0].score(new, y_new),
    },
    "off_least_squares": max(np.abs(m.predict(new) - least_squares).max() for m in both),
}
save(drawn, numbers)
