"""Documented classifiers: examples of scikit-learn.

scikit-learn's documentation prints the output of its examples; here linclass runs the same examples. The objectives are
equivalent,

    C Σ loss + ½‖w‖²    and   mean loss + strength · ½‖w‖²,    strength = 1/(C n).

Our digits differ from the printed ones where the documented fit stopped before the minimum: on iris, scikit-learn's
solver warns that it did not converge in 100 iterations. The figure shows the largest difference between its
probabilities and ours against the iterations allowed; the documented fit is marked. See Pedregosa et al. (2011),
JMLR 12, and the docstrings and user guide of scikit-learn 1.9.
"""

import warnings

import numpy as np
from sklearn import datasets, linear_model, model_selection

from linclass import GaussianNB, LeastSquaresClassifier, LinearSVM, LogisticRegression, OneVsOne
from linclass_study.textbook import CLASSES, figure, save

warnings.simplefilter("ignore")  # scikit-learn's, of iterations that did not suffice
X, y = datasets.load_iris(return_X_y=True)
logistic = LogisticRegression(strength=1 / 150, tol=1e-12).fit(X, y)

Z, z = datasets.make_classification(n_features=4, random_state=0)
Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
with_one = np.column_stack([Z, np.ones(100)])  # LinearSVC penalizes the intercept
svc = LinearSVM(loss="squared_hinge", strength=1 / 100, fit_intercept=False).fit(with_one, z)

two = LinearSVM(loss="squared_hinge", strength=1 / 2, fit_intercept=False)
two.fit(np.array([[0.0, 1], [1, 1]]), [-1, 1])
scores = two.decision_function(np.array([[-2.0, 1], [3, 1], [0.5, 1]]))

D, t = datasets.load_breast_cancer(return_X_y=True)
ridge = LeastSquaresClassifier(penalty="l2", strength=1 / len(t)).fit(D, t)

half = model_selection.train_test_split(X, y, test_size=0.5, random_state=0)
mislabeled = np.sum(GaussianNB().fit(half[0], half[2]).predict(half[1]) != half[3])

machine, right = OneVsOne(LinearSVM(strength=1 / 80)), []  # C = 1 for 80 rows of two classes
for train, test in model_selection.StratifiedKFold(5).split(X, y):
    right.append(np.mean(machine.fit(X[train], y[train]).predict(X[test]) == y[test]))

numbers = {
    "logistic": {
        "probability": logistic.predict_proba(X[:2]),
        "score": np.mean(logistic.predict(X) == y),
    },
    "linear_svc": {"coefficients": svc.coef_.ravel()[:4], "intercept": svc.coef_.ravel()[4]},
    "hinge": {"scores": scores, "loss": np.maximum(0, 1 - [-1, 1, 1] * scores).mean()},
    "ridge_classifier": {"score": np.mean(ridge.predict(D) == t)},
    "naive_bayes": {"mislabeled": mislabeled},
    "five_folds": {"scores": right, "mean": np.mean(right), "sd": np.std(right)},
}

iterations = [10, 20, 50, 100, 200, 500, 1000, 2000]
apart = [
    np.abs(
        linear_model.LogisticRegression(max_iter=most, tol=1e-10).fit(X, y).predict_proba(X)
        - logistic.predict_proba(X)
    ).max()
    for most in iterations
]
drawn, axes = figure(width=5.2, height=2.6)
axes.loglog(iterations, apart, "o-", color=CLASSES[0])
axes.plot(100, apart[3], "D", color=CLASSES[1], markersize=8, label="as documented: 100 iterations")
axes.set(xlabel="iterations allowed", ylabel="largest difference from\nour probabilities")
axes.legend(frameon=False, loc="lower left")
save(drawn, numbers)
