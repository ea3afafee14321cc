"""Invalid input is refused in one line: name, value and remedy."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import linclass as L
from linclass import datasets as synthetic
from linclass.base.estimator import Estimator
from linclass.base.messages import NotApplicable, require_memory
from linclass.base.tables import Table
from linclass.evaluation import metrics
from linclass.evaluation.bayes_error import bayes_error
from linclass.linear.losses.regression import Huber
from linclass.preprocessing.features.columns import indicators
from linclass.preprocessing.features.expansions import radial
from linclass.preprocessing.transforms.principal_components import PrincipalComponents
from linclass.preprocessing.transforms.words import Vocabulary
from linclass.separation.separability import separability
from linclass.tuning.folds import hold_out, stratified_folds

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = (X[:, 0] + 0.7 * RNG.standard_normal(60) > 0).astype(int)
DAYS = np.arange("2020-01-01", "2020-03-01", dtype="datetime64[D]")


def loss(given):
    return L.LinearClassifier(loss=given)


def fused(**options):
    return L.LogisticRegression(penalty={"fused_lasso": options})


def refused(message):
    return pytest.raises(ValueError, match=re.escape(message))


@each("name", [
    name
    for name in L.__all__
    if isinstance(kind := getattr(L, name), type) and issubclass(kind, Estimator)
])  # fmt: skip
def test_every_model_refuses_non_numeric_weights_and_rows(name):
    model = getattr(L, name)()
    with refused("sample_weight is 'balanced'; it must be a number per row, or None"):
        model.fit(np.abs(X), Y, sample_weight="balanced")
    with refused("X is None; give a table of rows and features"):
        model.fit(None, Y)
    with refused("X is {'a': 1}; give a table of rows and features"):
        model.fit({"a": 1}, Y)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        getattr(L, name)(nonsense=1)
    with refused("the rows of X differ in length: [[1, 2], [3]]; give all the same features"):
        model.fit([[1, 2], [3]], [0, 1])


@each(("solver", "option", "value", "message"), [
    ("stochastic_gradient", "batch", 1.5, "batch is 1.5; it must be a whole number"),
    ("stochastic_gradient", "average", "no", "average is 'no'; it must be True or False"),
    ("stochastic_gradient", "random_state", -1, "random_state is -1; it must be a whole number"),
    ("stochastic_gradient", "learning_rate", np.inf, "learning_rate is inf; give the schedule a number"),
    ("gradient_descent", "learning_rate", {"unit": 1}, "no step rule 'unit'; use constant, backtracking"),
    ("gradient_descent", "learning_rate", np.inf, "learning_rate is inf; give the constant step a number"),
    ("quasi_newton", "memory", "x", "memory is 'x'; it must be a whole number"),
    ("newton_cg", "forcing", [1], "forcing is [1]; it must be a number"),
    ("newton_cg", "forcing", 1.0, "forcing is 1.0; it must be a number, at least 0 and below 1"),
    ("newton", "tol", "x", "tol is 'x'; it must be a number"),
    ("newton", "max_iter", True, "max_iter is True; it must be a number, not True or False"),
    ("newton", "tl", 5, "newton has no 'tl'; it has max_iter, tol."),
    ("newton", "takes", 5, "newton has no 'takes'; it has max_iter, tol."),  # a fact about the class
])  # fmt: skip
def test_options_of_solvers_are_checked(solver, option, value, message):
    with refused(message):
        L.LogisticRegression(solver={solver: {option: value}}).fit(X, Y)


@each(("kind", "name"), [
    (L.Perceptron, "learning_rate"),
    (L.Adaline, "learning_rate"),
    (L.BalancedWinnow, "learning_rate"),
    (L.Relaxation, "margin"),
    (L.SecondOrderPerceptron, "ridge"),
    (L.Winnow, "threshold"),
])  # fmt: skip
@each("value", [1e308, 1e-320, 10**400])
def test_a_number_whose_products_overflow_is_refused(kind, name, value):
    """Some ended `converged`, with coefficients that are infinite."""
    with refused("; it must be between 1e-110 and 1e+110."):
        kind(**{name: value}).fit(X, Y)


@each("kind", [L.FirthLogisticRegression, L.OrdinalRegression, L.MixtureDiscriminantAnalysis])
@each("value", [np.inf, np.nan, 0.0, -1.0])
def test_a_tolerance_of_zero_or_infinity_is_refused(kind, value):
    """With ∞ a fit was `converged` without any step."""
    with refused(f"tol is {value!r}; it must be a finite number above 0"):
        kind(tol=value).fit(X, Y)


@each(("model", "message"), [
    (L.LogisticRegression(class_weight={0: "a"}), "class_weight of 0 is 'a'; it must be a number"),
    (L.GaussianNB(priors=[0.5, "a"]), "priors is [0.5, 'a']; it must be a list of numbers"),
    (L.OrdinalRegression(order=3), "order is 3; it must be a list of the classes, or None"),
    (L.OrdinalRegression(order=np.ones((1, 2))), "it must be a list of the classes, or None"),
    (L.TunedClassifier(rule=np.ones(2)), "rule is array([1., 1.]); it must be one value"),
    (L.Calibrated(L.Lasso()), "estimator is Lasso(), which predicts numbers; give a classifier"),
    (L.TunedClassifier(L.Ridge()), "estimator is Ridge(), which predicts numbers; give a classifier"),
    (L.TunedRegressor(L.LogisticRegression()),
     "estimator is LogisticRegression(), which predicts classes; give a regressor"),
    (L.TunedRegressor(make_pipeline(LDA())), "which predicts classes; give a regressor"),
    *((kind(L.LinearSVM), "estimator is the class LinearSVM; pass an instance, as in LinearSVM().") for kind in (
        L.Calibrated, L.ErrorCorrectingOutputCodes, L.OneVsOne, L.OneVsRest, L.TunedClassifier, L.TunedRegressor)),
    (L.FlexibleDiscriminantAnalysis(L.Ridge), "regressor is the class Ridge; pass an instance, as in Ridge()."),
    (L.OneVsRest(3), "estimator is 3; pass an instance"),
    (L.Calibrated(object()), "pass an instance"),
    (L.OneVsRest(L.Ridge()), "estimator is Ridge(), which predicts numbers; give a classifier"),
    (L.OneVsOne(IsolationForest()), "which predicts outliers; give a classifier"),
    (L.FlexibleDiscriminantAnalysis(L.NearestMean()),
     "regressor is NearestMean(), which predicts classes; give a regressor"),
    (L.GaussianNB(var_smoothing=-1), "var_smoothing is -1; it must be"),
    (L.GaussianNB(priors="flat"), "priors is 'flat'; it must be 'uniform'"),
    (L.GaussianNB(priors=[0.5, 0.6]), "priors sum to 1.1"),
    (L.LinearDiscriminantAnalysis(priors=[1.2, -0.2]), "at least 0"),
    (L.LinearDiscriminantAnalysis(ddof=2), "ddof is 2; it must be"),
    (L.LinearDiscriminantAnalysis(covariance_type="round"), "'full', 'diag', 'spherical'"),
    (L.LinearDiscriminantAnalysis(shrinkage="much"), "from 0 to 1, or 'ledoit_wolf'"),
    (L.LinearDiscriminantAnalysis(covariance_type="diag", shrinkage="ledoit_wolf"), "use covariance_type='full'"),
    (L.LinearDiscriminantAnalysis(covariance_type="spherical", shrinkage="ledoit_wolf"), "use covariance_type='full'"),
    (L.QuadraticDiscriminantAnalysis(shrinkage=-1), "from 0 to 1"),
    (L.FisherDiscriminant(n_components=0), "at least 1, or None"),
    (L.BernoulliNB(smoothing=-1), "at least 0"),
    (L.ExponentialFamilyNB(families="gausian"), "did you mean 'gaussian'"),
    (L.ExponentialFamilyNB(smoothing={"gamma": "x"}), "smoothing of gamma is 'x'"),
    (L.ExponentialFamilyNB(families={9: "gamma"}), "there are 3"),
    (L.KernelSVM(kernel="polynomial", gamma=np.inf), "gamma is inf"),
    (L.KernelSVM(kernel="polynomial", gamma=True), "gamma is True"),
    (L.KernelSVM(kernel="polynomial", coef0=np.nan), "coef0 is nan"),
    (L.LeastAngleRegression(strength=-1), "strength is -1; it must be a number, at least 0"),
    (L.LeastAngleRegression(n_steps=1.5), "n_steps is 1.5; it must be a whole number, at least 0, or None"),
    (L.ForwardStagewise(learning_rate=0), "learning_rate is 0; it must be a number between 0 and 1"),
    (L.ForwardStagewise(learning_rate=1), "learning_rate is 1; it must be a number between 0 and 1"),
    (L.ForwardStagewise(n_steps=-1), "n_steps is -1; it must be a whole number, at least 0, or None"),
    (loss({"bi_tempered": {"t1": 1.5}}), "t1 is 1.5; it must be a number from 0 to 1"),
    (loss({"bi_tempered": {"t1": -0.1}}), "t1 is -0.1; it must be a number from 0 to 1"),
    (loss({"bi_tempered": {"t2": 0.5}}), "t2 is 0.5; it must be a number from 1 to 10"),
    (loss({"bi_tempered": {"t2": 11}}), "t2 is 11; it must be a number from 1 to 10"),
    (loss({"bi_tempered": {"t3": 1}}), "bi_tempered has no 't3'; it has t1, t2"),
    (loss({"huber": {"delta": 0}}), "delta is 0; it must be a finite number above 0"),
    (loss(Huber(-1.0)), "delta is -1.0; it must be"),
    (loss({"epsilon_insensitive": {"epsilon": -1}}), "epsilon is -1; it must be a number, at least 0"),
    (loss({"huber": {"gamma": 1}}), "huber has no 'gamma'; it has delta"),
    (loss({"crammer_singer": {"n_classes": 7}}), "a loss of K scores is given by its name alone"),
    (loss({"hinge": {"delta": 1}}), "hinge has no 'delta'; it has no options"),
    (loss({"huber": 1}), "none of the losses; give a name, or {name: {option: value}}"),
    (loss({"hubar": {}}), "there is no loss 'hubar'; did you mean 'huber'"),
    (loss(3), "3 is none of the losses"),
    (fused(fusion=-1), "fusion is -1; it must be a number, at least 0"),
    (fused(chains="abc"), "give the chain of each feature in a list"),
    (fused(chains=[None, "a"]), "all of one type"),
    (fused(chains=["a", "a"]), "chains has 2 entries for 3 features; give one for each"),
    (fused(chains=[1, 2, 1]), "chains has 1 again after another; order the columns by chain"),
    (fused(links=3), "fused_lasso has no 'links'; it has chains, fusion"),
    (L.LinearClassifier(loss="crammer_singer", solver="multipliers"),
     "multipliers does not minimize hinge, which crammer_singer is for two classes. Try solver='auto'"),
    (L.KernelSVM(kernel={"gaussian": {"gamma": 0.1}}), "write kernel='gaussian', gamma=0.1."),
    (L.LogisticRegression(penalty="L2"), "there is no penalty 'L2'; did you mean 'l2'?"),
    (L.LogisticRegression(penalty={"l1": {"factors": [1]}}), "factors has 1 number for 3 features"),
    (L.LogisticRegression(penalty={"adaptive_lasso": {"gamma": 0}}), "gamma is 0"),
    (L.LogisticRegression(penalty={"adaptive_lasso": {"initial_strength": -1}}), "at least 0"),
    (L.LogisticRegression(penalty="fused_lasso", solver="proximal_newton"), "Try solver='proximal_gradient'"),
    (L.LinearDiscriminantAnalysis(priors=[1.0]), "priors has 1 entry for 2 classes"),
    (L.ErrorCorrectingOutputCodes(code=[[1, -1]]), "code has 1 row for 2 classes"),
    (L.OrdinalRegression(order=[0, 1, 1]), "1 more than once"),
    (L.DantzigSelector(strength=-1), "strength is -1"),
    (L.Ridge(factors=[1, 2]), "factors has 2 numbers for 3 features; give one for each"),
    (L.Lasso(factors=[-1] * 3), "give one number, at least 0, for each feature"),
    (L.Lasso(factors=[1, 2, 3], solver="homotopy"), "Try solver='quadratic_program'"),
    (L.ElasticNet(l1_ratio=-0.1), "l1_ratio is -0.1"),
    (L.ElasticNet(l1_ratio=1.1), "l1_ratio is 1.1"),
    (L.PartialLeastSquares(0), "n_components is 0; it must be a whole number, at"),
    (L.FlexibleDiscriminantAnalysis(3), "pass an instance of a regressor"),
    (L.FlexibleDiscriminantAnalysis(n_components=0), "n_components is 0"),
    (L.RelevanceVectorMachine(kernel=3), "kernel is 3; give its name, a function, or None"),
    (L.Calibrated(cv=1), "cv is 1"),
    (L.ZeroOneClassifier(node_limit=-1), "node_limit is -1"),
    (L.LinearSVM(loss="logistic"), "loss is 'logistic'"),
    (L.LinearSVM(hard_margin=True, solver="stochastic_gradient"),
     "solver is 'stochastic_gradient'; the hard margin has its own solver: use solver='auto'."),
    (L.LinearSVM(strength=-1.0), "strength is -1.0"),
    (L.LinearSVM(solver="newton_cg"), "newton_cg"),
    (L.LinearClassifier(loss="hinge", penalty=None, solver="semismooth_newton"), "needs penalty='l2'"),
    (L.Calibrated(method="platt"), "method is 'platt'; choose from sigmoid, isotonic, temp"),
    (L.TunedClassifier(L.BayesianLogisticRegression(strength=1.0), rule="aic", strengths=[1.0]),
     "needs a likelihood: logistic, probit, ordinal or kernel"),
    (L.TunedRegressor(rule="aic", noise_variance=0), "; it must be a number above 0, or None"),
    (L.TunedRegressor(rule="aic", noise_variance="x"), "noise_variance is 'x'; it must be a number, or None"),
])  # fmt: skip
def test_a_wrong_value_is_reported_with_the_remedy(model, message):
    with refused(message) as caught:
        model.fit(X, Y)
    assert "\n" not in str(caught.value)


@each(("model", "message"), [
    (L.LogisticRegression(class_weight="equal"), "class_weight is 'equal'; it must be 'balanced'"),
    (L.LogisticRegression(class_weight={0: -1}), "class_weight of 0 is -1"),
    (L.LogisticRegression(class_weight={"spam": 2}), "class_weight names 'spam', but the classes are [0, 1, 2]"),
    (L.GaussianNB(priors=[0.5, 0.5]), "priors has 2 entries for 3 classes"),
    (L.LinearClassifier(loss="crammer_singer", solver="semismooth_newton"), "semismooth_newton needs"),
    (L.MixtureDiscriminantAnalysis(subclasses=0), "subclasses is 0; it must be a whole number"),
    (L.MixtureDiscriminantAnalysis(subclasses=[2, 0, 1]), "whole number, at least 1, or a list"),
    (L.MixtureDiscriminantAnalysis(subclasses=[2, 3]), "subclasses has 2 entries for 3 classes"),
    (L.MixtureDiscriminantAnalysis(shrinkage=2), "shrinkage is 2; it must be a number from 0 to 1"),
    (L.MixtureDiscriminantAnalysis(n_init=0), "n_init is 0"),
    (L.ErrorCorrectingOutputCodes(code="dense"), "code is 'dense'; it must be one of"),
    (L.ErrorCorrectingOutputCodes(code=[[1], [2], [-1]]), "matrix of −1, 0 and 1"),
    (L.ErrorCorrectingOutputCodes(code=[[1, 1], [-1, 1], [0, 1]]), "column 1 of code lacks"),
    (L.ErrorCorrectingOutputCodes(code=[[1, -1], [1, -1], [-1, 1]]), "two rows of code are equal"),
    (L.ErrorCorrectingOutputCodes(columns=0), "columns is 0; it must be"),
    (L.ErrorCorrectingOutputCodes(decoding="hing"), "decoding is 'hing'; it must be one of 'margin', 'hamming'"),
    (L.ErrorCorrectingOutputCodes(decoding="zero_one"), "decoding is 'zero_one'"),
    (L.ErrorCorrectingOutputCodes(columns=1), "columns is 1, too few for 3 classes: in 100 random codes two of them"),
])  # fmt: skip
def test_a_wrong_value_for_three_classes_is_reported_with_the_remedy(model, message):
    with refused(message):
        model.fit(X, np.arange(60) % 3)


def fitted(kind, *rows, **options):
    return kind(**options).fit(*rows)


def of_columns(*names):
    return L.LinearDiscriminantAnalysis().fit(pd.DataFrame(X[:, :2], columns=list(names)), Y)


WORDS = np.array(["a", "b"])[Y]
DISCRIMINANT = fitted(L.LinearDiscriminantAnalysis, X, Y)
BALANCED = fitted(L.BernoulliNB, X, Y, class_weight="balanced")
MIXED = "all labels as numbers or all as words"
COSTS = [[0, 1], [1, 0]]


@each(("call", "message"), [
    (lambda: L.Ridge().fit(X, X), "Ridge has one target: fit one for each column"),
    (lambda: L.Ridge().fit(X, WORDS), "targets of a regression are numbers"),
    (lambda: L.GaussianNB().fit(DAYS[:, None], Y), "X holds datetime64[D]"),
    (lambda: L.GaussianNB().fit(X, Y + 0.5), "Unknown label type: continuous; y holds 0.5"),
    (lambda: L.GaussianNB().fit(X, (Y + 0.5).astype(object)), "Unknown label type: continuous; y holds 0.5"),
    (lambda: L.GaussianNB().fit(X, np.array([1, "a"] * 30, dtype=object)), "y mixes int and str"),
    (lambda: L.GaussianNB().fit(X, Y, np.ones(59)), "sample_weight has shape (59,); it must be (60,)"),
    (lambda: L.GaussianNB().fit(pl.DataFrame({"a": [[1, 2]] * 60}), Y), "column 'a' holds a list: '[1 2]'"),
    (lambda: L.GaussianNB().fit(X, Y, -np.ones(60)), "sample_weight holds -1"),
    (lambda: L.GaussianNB().fit(X, Y, np.full(60, np.nan)), "sample_weight holds nan"),
    (lambda: L.GaussianNB().fit(X, Y, np.zeros(60)), "sample_weight is zero for every row"),
    (lambda: L.GaussianNB().fit(X, Y).signed_distance(X), "for a hyperplane use GaussianNB(tied=True)"),
    (lambda: L.LinearRegression().path(X, Y, [1.0]),
     "has no penalty, so no path. Use Ridge, Lasso or ElasticNet, which have one."),
    (lambda: L.LinearSVM(hard_margin=True).path(X, Y, [1.0]), "no path"),
    (lambda: L.Perceptron().path(X, Y, [1.0]), "so no path. Use LogisticRegression or LinearSVM, which have one."),
    (lambda: L.LeastSquaresClassifier().path(X, Y, [1.0]), "so no path. Set one, say penalty='l2'."),
    (lambda: L.decide(np.full((1, 2), 0.5), COSTS),
     "logarithms of probabilities are at most 0; give predict_log_proba(X)"),
    (lambda: L.decide([[np.nan, 0.0]], COSTS), "log_proba holds nan"),
    (lambda: L.decide([0.5, 0.5], COSTS), "log_proba has shape (2,); it must be (n, K)"),
    (lambda: L.LogisticRegression().fit(X, Y).score(X, [1]), "y has length 1, X has length 60"),
    (lambda: L.PartialLeastSquares().fit(X, Y).coef_after(4), "components is 4; it must be a whole number from 0 to"),
    *((lambda steps=steps: L.ForwardStagewise(n_steps=9).fit(X, Y).coef_after(steps),
       f"steps is {steps}; it must be a whole number from 0 to 9") for steps in (-1, 10, 2.5)),
    (lambda: L.PartialLeastSquares(2).fit(X, X).signed_distance(X), "3 targets have no boundary in common; fit one"),
    (lambda: L.FlexibleDiscriminantAnalysis(KNeighborsRegressor()).fit(X, Y, np.ones(60)),
     "KNeighborsRegressor takes no sample_weight"),
    (lambda: L.TunedRegressor(strengths=[1.0]).fit(X, Y, groups=[1, 2, 3]), "groups has shape (3,); it must be (60,)"),
    (lambda: L.largest_margin([[0.0], [1.0]], [0, 1], tol=-1), "tol is -1"),
    (lambda: separability(np.eye(2), [0, 1], intercept="yes"), "intercept is 'yes'"),
    (lambda: separability(np.eye(2), [0, 1], method="simplex"), "method is 'simplex'"),
    (lambda: separability(np.eye(2), [1, 1]), "y has 1 class"),
    (lambda: stratified_folds(Y, 1, seed=0), "folds is 1; cross-validation needs at least 2"),
    (lambda: metrics.find("f1_makro"), "'f1_makro'; did you mean 'f1_macro'"),
    (lambda: L.decide(np.log(np.full((2, 3), 1 / 3)), COSTS), "costs has shape (2, 2)"),
    (lambda: L.decide(np.log(np.full((2, 2), 1 / 2)), [[0, np.inf], [1, 0]]), "NaN or infinity"),
    (lambda: bayes_error([[0, 0], [1, 1]], [[1.0, 1.0], [1.0, 1.0]]), "singular"),
    (lambda: bayes_error([[0, np.nan], [1, 1]]), "not finite"),
    (lambda: bayes_error([[0, 0], [1, 1]], [[1.0, np.nan], [np.nan, 1.0]]), "not finite"),
    (lambda: bayes_error([[0, 0], [1, 1]], "identity", [1, 0]), "2 numbers above 0"),
    *((lambda wrong=wrong: L.LogisticRegression().path(X, Y, wrong), words) for wrong, words in (
        ([], "at least one"), (["a"], "at least one number"), ([1.0, 0.0], "above 0"), ([np.nan], "above 0"),
        (1.0, "at least one"))),
    (lambda: DISCRIMINANT.fit_many(X, Y, [[0]], [{"shrinkage": 2}]), "shrinkage is 2"),
    (lambda: L.LinearDiscriminantAnalysis().fit_blocks([]), "fewer than two classes"),
    (lambda: L.LinearDiscriminantAnalysis().fit_blocks([(X[:3], [0, 0, 0])]), "fewer than two"),
    (lambda: L.LinearDiscriminantAnalysis().fit_blocks([(X[:3], [0, 0, 0])], classes=[1, 2]), "not in"),
    (lambda: DISCRIMINANT.merge(fitted(L.LinearDiscriminantAnalysis, X, WORDS)), MIXED),
    (lambda: DISCRIMINANT.partial_fit(X, WORDS), MIXED),
    (lambda: DISCRIMINANT.merge(fitted(L.LinearDiscriminantAnalysis, X[:, :2], Y)), "same features"),
    (lambda: DISCRIMINANT.merge(L.LinearDiscriminantAnalysis()), "two fitted"),
    (lambda: DISCRIMINANT.merge(fitted(L.NearestMean, X, Y)), "adds the sums of NearestMean to those of LinearDisc"),
    (lambda: of_columns("a", "b").merge(of_columns("b", "a")), "must be in the same order"),
    (lambda: L.BernoulliNB(class_weight="balanced").partial_fit(X, Y), "all rows at once; give a dict"),
    (lambda: BALANCED.merge(BALANCED), "'balanced' depends on all the rows"),
    (lambda: L.LogisticRegression(solver="stochastic_gradient", class_weight="balanced").partial_fit(X, Y),
     "class_weight is 'balanced', which needs all rows"),
])  # fmt: skip
def test_a_wrong_call_is_reported_with_the_remedy(call, message):
    with refused(message):
        call()


@each(("call", "message"), [
    (lambda: require_memory(8 * 10**15, "this needs a table"), "this needs a table, 8000000.0 GB; the limit is"),
    (lambda: L.CategoricalNB().fit([[0.0], [1e12], [1.0]], [0, 1, 0]), "codes up to 1e+12 need counts"),
    (lambda: L.BayesianLogisticRegression(predictive="quadrature").fit(X, np.arange(60) % 3),
     "for two classes, and y has 3; use 'probit'"),
    (lambda: L.GaussianNB().fit(X, np.full(60, 7)), "at least two classes; y has 1 class: 7"),
    (lambda: L.FlexibleDiscriminantAnalysis().fit(X[:3], [0, 1, 2]), "so N − K is not positive"),
    (lambda: L.Calibrated().fit(X, np.arange(60) == 3), "has 1 row; Calibrated holds"),
    (lambda: L.TunedClassifier().fit(X, np.arange(60) == 3), "holds rows of every class out"),
    (lambda: L.TunedRegressor(strengths=[1.0]).fit(X, Y, groups=np.zeros(60)), "groups has 1 group"),
    (lambda: L.TunedClassifier(cv=2).fit(X, WORDS, groups=WORDS), "all rows of class 'a' are in one group"),
    (lambda: stratified_folds(np.arange(24) < 4, 5, seed=0), "has 4. Use at most 4 folds"),
    (lambda: hold_out(np.array([0, 0, 0, 1]), 0.5, 0, names=["a", "b"]), "class 'b' has 1"),
    (lambda: DISCRIMINANT.fit_many(X, Y, [np.flatnonzero(Y == 0)], [{}]), "fewer than two classes"),
    (lambda: fitted(L.LinearDiscriminantAnalysis, X, np.arange(60) % 3, priors=[0.2, 0.3, 0.5]).fit_many(
        X, np.arange(60) % 3, [np.arange(1, 60, 3)], [{}]), "3 entries for 2 classes"),
    (lambda: BALANCED.leave_one_out(X, Y), "'balanced' depends on all the rows"),
    (lambda: radial(Table(X, ("a", "b", "c")), [[0, 0]]), "centres have 2 coordinates and the data 3 columns"),
    (lambda: indicators(Table(X[:2], ("a", "b", "c")), {"a": [1, 2]}), "declare it, too"),
    (lambda: Vocabulary(min_rows=61).fit(Table(sparse.csr_array(X > 0), ("a", "b", "c"))),
     "none of the 3 columns occurs in 61 or more of the 60"),
    (lambda: PrincipalComponents().fit(Table(np.array([[1.0, np.nan], [2, 3]]), ("a", "b"))), "put impute before"),
])  # fmt: skip
def test_what_a_data_set_does_not_allow_is_not_applicable(call, message):
    with pytest.raises(NotApplicable, match=re.escape(message)):
        call()


@each("classes", [2, 3])
@each("pair", [(0, 3), (1, 1), (-1, 0), (0, 1, 2), (0.5, 1)])
def test_a_boundary_needs_a_valid_pair_of_classes(pair, classes):
    model = L.LogisticRegression().fit(X, np.arange(60) % classes)
    with refused(f"pair is {pair!r}; give the numbers of two classes, from 0 to {classes - 1}"):
        model.boundary(pair)
    forth, back = model.boundary((0, 1)), model.boundary((1, 0))
    assert (forth.normal == -back.normal).all()
    assert forth.offset == -back.offset


def test_a_fit_that_stops_states_the_tolerance_of_its_solver():
    model = L.LogisticRegression(tol=1e-3, solver={"newton": {"tol": 1e-30, "max_iter": 1}})
    with pytest.warns(ConvergenceWarning, match="tol is 1e-30"):
        model.fit(X, Y)


def test_log_probabilities_may_be_above_0_by_the_rounding_of_single_precision():
    assert L.decide(np.log(np.array([[1 + 2e-7, 1e-9]])), COSTS).tolist() == [0]


def test_a_boundary_needs_a_fit_and_a_common_covariance():
    assert L.GaussianNB(tied=True).fit(X, Y).signed_distance(X).shape == (60,)
    for model in (L.GaussianNB(), L.LogisticRegression(), L.Ridge()):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            model.boundary()


@each(("keys", "message"), [
    ({"rows": [1, -2]}, "rows: -2 must be a whole number, at least 1"),
    ({"rows": [0, 0]}, "rows: 0 must be a whole number, at least 1"),
    ({"rows": [5, 2.5]}, "rows: 2.5 must be a whole number"),
    ({"rows": "ab"}, "rows: 'ab' is no list"),
    ({"rows": 5}, "rows: 5 is no list"),
    ({"rows": [5]}, "rows: [5] has 1 entry; give at least 2"),
    ({"rows": [5, 5], "noise": -1.0}, "noise: -1.0 must be a number, at least 0"),
    ({"rows": [5, 5], "noise": True}, "noise: True must be a number"),
    ({"rows": [5, 5], "radii": [1, "a"]}, "radii: 'a' must be a number, above 0"),
    ({"rows": [5, 5], "features": 10**7}, "at least 1 and at most 1e+06"),
])  # fmt: skip
def test_keys_of_a_generator_are_those_of_its_schema(keys, message):
    with refused(message):
        synthetic.generate("circles", **keys)
    assert synthetic.generate("circles", rows=(np.int64(3), 2), radii=np.array([1, 2]))[1].size == 5


DATES = "holds .*days since"
TEXT = "holds text: 'Bern'. Convert it to numbers"
TABLES = [
    (pd.DataFrame({"a": X[:, 0], "born": DAYS}), "'born'", DATES),
    (pd.DataFrame({"born": pd.date_range("2020", periods=60, tz="UTC")}), "'born'", DATES),
    (pd.DataFrame({"a": X[:, 0], "born": DAYS - DAYS[0]}), "'born'", DATES),
    (pl.DataFrame({"a": X[:, 0], "born": DAYS}), "'born'", DATES),
    (pd.DataFrame({"a": 1.0, "city": ["Bern", "Genf"] * 30}), "'city'", TEXT),
    (pd.DataFrame({"city": pd.Categorical(["Bern", "Genf"] * 30)}), "'city'", TEXT),
    (pl.DataFrame({"a": X[:, 0], "city": ["Bern", "Genf"] * 30}), "'city'", TEXT),
    (np.array([["1.5", "1"], ["2", "Bern"]] * 30), "1", TEXT),
    ([[1.0, "Bern"], [2.0, None]] * 30, "1", TEXT),
]


@each(("table", "column", "message"), TABLES)
def test_dates_and_text_are_refused_and_named_with_their_column(table, column, message):
    words = f"LogisticRegression takes numbers, and column {column} {message}"
    with pytest.raises(ValueError, match=words):
        L.LogisticRegression().fit(table, Y)


@each("value", [np.nan, np.inf])
@each("form", [np.asarray, sparse.csr_array])
def test_a_cell_that_is_not_finite_is_named_by_row_and_column(form, value):
    bad, model = X.copy(), L.GaussianNB().fit(X, Y)
    bad[17, 2] = value
    for call in (lambda: L.GaussianNB().fit(form(bad), Y), lambda: model.predict(form(bad))):
        with pytest.raises(NotApplicable, match=r"contains (NaN|infinity).* row 17, column 2"):
            call()


def test_missing_numbers_of_pandas_are_named_with_row_and_column():
    columns = [pd.array([1, 2, None, 4], dtype="Int64"), pd.Series([1, 2, pd.NA, 4], dtype=object)]
    for column in columns:
        with refused("Input X contains NaN: 1 value(s), the first in row 2, column 0"):
            L.LogisticRegression().fit(pd.DataFrame({"a": column, "b": 1.0}), [0, 1, 0, 1])


@each("labels", [
    *(np.array([label, gap], dtype=object) for label in ("ill", 1.0)
      for gap in (None, np.nan, np.float32("nan"), pd.NA, pd.NaT)),
    pd.Series(["ill", None], dtype=object),
    np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    pd.Series(pd.to_datetime(["2020-01-01", None])),
], ids=repr)  # fmt: skip
def test_a_missing_label_is_reported_as_missing(labels):
    """NaN and NaT have an order in NumPy, or raise no error in comparisons."""
    with refused(f"Input y contains {Y.sum()} missing labels. Drop the rows without a target."):
        L.LogisticRegression().fit(X, labels[Y])


@each(("labels", "message"), [
    (np.where(Y, 1, np.nan), "Input y contains NaN"),
    (np.where(Y, 1, None), f"Input y contains {(1 - Y).sum()} missing labels"),
    (Y.astype(str), f"y holds '{Y[0]}', but the classifier was fitted on"),
    (Y + 0.5, "Unknown label type: continuous"),
], ids=["NaN", "None", "words", "fractions"])  # fmt: skip
def test_score_refuses_continuous_targets_like_scikit_learn(labels, message):
    fitted = L.LogisticRegression().fit(X, Y)
    with np.errstate(invalid="ignore"), pytest.raises((ValueError, TypeError)):
        accuracy_score(labels, fitted.predict(X))
    with refused(message):
        fitted.score(X, labels)
