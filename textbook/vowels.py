"""Vowel recognition: training and test errors.

Fifteen speakers say eleven steady-state vowels, with ten features. Eight speakers form the training set and the other
seven the test set. More flexible methods have smaller training errors; the test error shows how well they generalize to
other speakers. Regression on class indicators masks classes, LDA and logistic regression do not. QDA has almost no
training errors but is only a little better than LDA on the test speakers. Right: LDA on the leading discriminant
coordinates. Its test error decreases up to two coordinates and then increases again. See Hastie, Tibshirani & Friedman
(2009), table 4.1 and figure 4.10; Deterding (1989).
"""

import numpy as np

from linclass import (
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
)
from linclass_study.textbook import CLASSES, data, figure, save

vowel = data("vowel")
X, y = vowel.X[~vowel.test], vowel.y[~vowel.test]
X_test, y_test = vowel.X[vowel.test], vowel.y[vowel.test]
models = {
    "linear_regression": LeastSquaresClassifier(),
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "logistic": LogisticRegression(penalty=None),
}


def errors(model):
    model.fit(X, y)
    return {
        "training": np.mean(model.predict(X) != y),
        "test": np.mean(model.predict(X_test) != y_test),
    }


numbers = {name: errors(model) for name, model in models.items()}
coordinates = range(1, 11)
reduced = {d: errors(FisherDiscriminant(n_components=d)) for d in coordinates}
numbers["by_coordinates"] = reduced

drawn, (left, right) = figure(1, 2, width=7.4, height=2.9)
places = np.arange(len(models))
for k, rows in enumerate(("training", "test")):
    left.barh(
        places + 0.2 - 0.4 * k, [numbers[name][rows] for name in models], 0.38, color=CLASSES[k]
    )
    right.plot(
        coordinates,
        [reduced[d][rows] for d in coordinates],
        "os"[k] + "-",
        color=CLASSES[k],
        markersize=4,
    )
left.set_yticks(places, ["indicator regression", "LDA", "QDA", "logistic regression"])
left.invert_yaxis()
left.set(xlabel="misclassification rate")
right.legend(
    ["training speakers", "test speakers"], frameon=False, fontsize=7.5, loc="center right"
)
right.set(
    xlabel="discriminant coordinates",
    ylabel="misclassification rate",
    ylim=(0.25, 0.75),
    xticks=coordinates,
)
save(drawn, numbers)
