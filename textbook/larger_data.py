"""Spam, zip codes and satellite images: data that the reader supplies.

Three data sets of the books are neither included in the project nor downloaded. Put the files into a folder and set
LINCLASS_MIRRORS to this folder. A missing data set is left out of the figure and counts as unavailable.

    spam         spam.data, spam.traintest    hastie.su.domains/ElemStatLearn
    zip codes    zip.train.gz, zip.test.gz    hastie.su.domains/ElemStatLearn
    satellite    sat.trn, sat.tst             UCI repository, Statlog (Landsat)

Logistic regression on the 4,601 emails; least squares on the digits 2 and 3, and LDA on all ten digits; LDA, QDA and
logistic regression on the pixels. Bars: training error (light) and test error. See Hastie, Tibshirani & Friedman
(2009), §9.1.2 and exercise 2.8; Michie, Spiegelhalter & Taylor (1994), §9.3.6.
"""

import numpy as np

import linclass
from linclass_study.errors import Unavailable
from linclass_study.textbook import CLASSES, figure, file, save


def errors(model, X, y, X_test, y_test):
    model.fit(X, y)
    wrong = model.predict(X) != y, model.predict(X_test) != y_test
    return {"training": wrong[0].mean(), "test": wrong[1].mean()}


def spam():
    rows, test = np.loadtxt(file("spam.data")), np.loadtxt(file("spam.traintest")) == 1
    X, y = rows[:, :-1], rows[:, -1]
    logistic = linclass.LogisticRegression(penalty=None, max_iter=200)
    return {"logistic": errors(logistic, X[~test], y[~test], X[test], y[test])}


def zip_codes():
    train, test = np.loadtxt(file("zip.train")), np.loadtxt(file("zip.test"))
    X, y, X_test, y_test = train[:, 1:], train[:, 0], test[:, 1:], test[:, 0]
    a, b = np.isin(y, (2, 3)), np.isin(y_test, (2, 3))
    two_or_three = X[a], y[a], X_test[b], y_test[b]
    return {
        "twos_and_threes": errors(linclass.LeastSquaresClassifier(), *two_or_three),
        "lda": errors(linclass.LinearDiscriminantAnalysis(), X, y, X_test, y_test),
    }


def satellite():
    train, test = np.loadtxt(file("sat.trn")), np.loadtxt(file("sat.tst"))
    split = train[:, :-1], train[:, -1], test[:, :-1], test[:, -1]
    models = {
        "lda": linclass.LinearDiscriminantAnalysis(),
        "qda": linclass.QuadraticDiscriminantAnalysis(),
        "logistic": linclass.LogisticRegression(penalty=None),
    }
    return {name: errors(model, *split) for name, model in models.items()}


numbers = {}
drawn, axes = figure(1, 3, width=7.6, height=2.2)
for panel, read in zip(axes, (spam, zip_codes, satellite), strict=True):
    panel.set(title=read.__name__.replace("_", " "), yticks=[])
    try:
        found = numbers[read.__name__] = read()
    except Unavailable as reason:
        numbers[read.__name__] = {"unavailable": str(reason)}
        panel.text(0.5, 0.5, "unavailable", ha="center", transform=panel.transAxes)
        panel.axis("off")
        continue
    at = np.arange(len(found))
    for k, rows in enumerate(("training", "test")):
        values = [error[rows] for error in found.values()]
        panel.barh(at + 0.4 * k, values, 0.36, color=CLASSES[0], alpha=(0.4, 1)[k])
    panel.set_yticks(at + 0.2, [name.replace("_", " ") for name in found])
    panel.set(xlabel="error")
if all("unavailable" in found for found in numbers.values()):
    raise Unavailable("; ".join(found["unavailable"] for found in numbers.values()))
save(drawn, numbers)
