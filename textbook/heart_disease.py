"""South African heart disease.

A retrospective sample of 462 men from the Western Cape, 160 of them with coronary heart disease. The
maximum-likelihood fit of

    ln P(chd)/P(no chd) = b + w·x

has standard errors from the inverse Hessian and Z scores w/se. Systolic blood pressure and obesity are not significant
given the other terms. Dropping the least significant terms one by one leaves tobacco, ldl, family history and age, with
a deviance that is hardly larger. The scatter-plot matrix shows why single effects mislead: the risk factors are
correlated. The book's Z scores are those of the fourth step of iteratively reweighted least squares from 0, with
standard errors from the weights of the third step, and not those of the maximum: all thirteen printed scores agree with
that step, and five differ at the maximum. See Hastie, Tibshirani & Friedman (2009), §4.4, tables 4.2 and 4.3,
figure 4.12.
"""

import numpy as np

from linclass import LogisticRegression
from linclass_study.textbook import CLASSES, data, figure, save

heart = data("heart")
printed = ["sbp", "tobacco", "ldl", "famhist=Present", "obesity", "alcohol", "age"]
reduced = ["tobacco", "ldl", "famhist=Present", "age"]


def four_steps(X):
    """Z scores of the fourth step of iteratively reweighted least squares."""
    third, fourth = (
        LogisticRegression(penalty=None, solver="irls", max_iter=steps, tol=0).fit(X, heart.y)
        for steps in (3, 4)
    )
    A, p = np.column_stack([np.ones(len(X)), X]), third.predict_proba(X)[:, 1]
    covariance = np.linalg.inv((A.T * (p * (1 - p))) @ A)
    return np.append(fourth.intercept_, fourth.coef_) / np.sqrt(np.diag(covariance))


def table(names):
    """Estimates, standard errors and Z of each coefficient, and the deviance."""
    X = heart.columns(*names)
    found = LogisticRegression(penalty=None, tol=1e-10).fit(X, heart.y).summary()
    rows = ["intercept", *(name.removesuffix("=Present") for name in names)]
    parts = {
        "coefficient": found.table.estimate,
        "error": found.table.std_error,
        "z": found.table.z,
        "z_of_four_steps": four_steps(X),
    }
    columns = {name: dict(zip(rows, values, strict=True)) for name, values in parts.items()}
    deviance = {name: getattr(found, name) for name in ("null_deviance", "deviance", "aic")}
    return columns | deviance


numbers = {"full": table(printed), "reduced": table(reduced)}
p = len(printed)
drawn, axes = figure(p, p, width=7.4, height=7.4, sharex="col")
X, sick = heart.columns(*printed), heart.y == 1
rng = np.random.default_rng(0)
for i in range(p):
    for j in range(p):
        panel = axes[i, j]
        panel.tick_params(labelsize=6.5, length=2, labelleft=j == (i == 0))
        if i == j:
            for group, colour in [(~sick, CLASSES[0]), (sick, CLASSES[1])]:
                panel.hist(X[group, i], 12, color=colour, alpha=0.6)
            panel.set_title(printed[i].removesuffix("=Present"), fontsize=8)
            panel.set_yticks([])
            continue
        x1, x2 = X[:, j], X[:, i]
        jitter = 0.06 * rng.standard_normal(len(X))
        x1, x2 = x1 + jitter * ("famhist" in printed[j]), x2 + jitter * ("famhist" in printed[i])
        panel.plot(x1[~sick], x2[~sick], ".", color=CLASSES[0], markersize=1.5, rasterized=True)
        panel.plot(x1[sick], x2[sick], ".", color=CLASSES[1], markersize=1.5, rasterized=True)
for name, colour in (("no disease", CLASSES[0]), ("coronary heart disease", CLASSES[1])):
    axes[0, 0].plot([], [], "o", color=colour, label=name)
drawn.legend(loc="outside lower center", ncols=2, frameon=False)
save(drawn, numbers)
