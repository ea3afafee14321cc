"""The likelihoods of statsmodels and of published tables."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.linear_model import ARDRegression, BayesianRidge
from statsmodels.miscmodels.ordinal_model import OrderedModel

import linclass as L


def rows(n=300, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ np.linspace(1, -1, d) + rng.standard_normal(n)


def test_probit_estimates_and_standard_errors_are_statsmodels():
    X, z = rows()
    y = (z > 0.4).astype(int)
    theirs = sm.Probit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12)
    model = L.ProbitRegression(penalty=None).fit(X, y)
    table = model.summary("observed")
    assert_allclose(table.table.estimate, theirs.params, rtol=1e-7)
    assert_allclose(table.table.std_error, theirs.bse, rtol=1e-6)
    assert table.deviance == pytest.approx(-2 * theirs.llf)
    assert table.null_deviance == pytest.approx(-2 * theirs.llnull)
    family = sm.families.Binomial(sm.families.links.Probit())
    expected = sm.GLM(y, sm.add_constant(X), family=family).fit(tol=1e-12)
    errors = model.summary().table.std_error
    assert_allclose(errors, expected.bse, rtol=1e-6)
    assert np.abs(errors / table.table.std_error - 1).max() > 0.01


def test_probit_standard_errors_are_those_that_r_and_greene_publish():
    """R's glm(…, binomial("probit")) uses the expected information, Greene (2012), example 17.3, the observed."""
    data = sm.datasets.spector.load()
    model = L.ProbitRegression(penalty=None).fit(data.exog[["GPA", "TUCE", "PSI"]], data.endog)
    table = model.summary().table
    assert_allclose(table.estimate, [-7.45231, 1.62581, 0.05173, 1.42633], atol=2e-5)
    r = [2.57152, 0.68973, 0.08119, 0.58695]  # its errors lag one step behind its fit
    assert_allclose(table.std_error, r, atol=5e-5)
    greene = [2.542, 0.694, 0.084, 0.595]
    assert_allclose(model.summary("observed").table.std_error, greene, atol=5e-4)
    for kind in ("expected", "observed"):
        assert f"Standard errors: {kind} information" in str(model.summary(kind))
    assert "Fisher" not in str(model.summary())  # Newton's method fits it
    with pytest.raises(ValueError, match="information is 'fisher'; use 'expected' or 'observed'"):
        model.summary("fisher")


def test_probit_standard_errors_of_weighted_rows_are_those_of_r():
    """Bliss's beetles, two rows a dose: summary(glm(cbind(dead, alive) ~ dose, binomial("probit"))) of R."""
    dose = np.array([1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839])
    dead = np.array([6, 13, 18, 28, 52, 53, 61, 60])
    alive = np.array([59, 60, 62, 56, 63, 59, 62, 60]) - dead
    model = L.ProbitRegression(penalty=None, tol=1e-9)
    model.fit(np.tile(dose, 2)[:, None], np.repeat([1, 0], 8), np.r_[dead, alive])
    table = model.summary().table
    assert_allclose(table.estimate, [-34.935, 19.728], atol=5e-4)
    assert_allclose(table.std_error, [2.648, 1.487], atol=5e-4)


# The counts of the study of urinary tract infections of Foxman et al. (1997): the pattern of age, oc, vic, vicl, vis
# and dia, then how many women with that pattern are cases and how many are not.
INFECTIONS = """
000010:1/1 001000:14/2 001010:3/1 001100:10/8 001110:12/18 001111:1/0 010000:44/42
010001:3/0 010010:0/1 011000:15/1 011001:1/0 011010:2/0 011100:7/5 011110:3/6 101000:2/0
101010:1/0 101011:1/0 101100:1/2 101110:0/4 101111:1/0 110000:5/14 110010:0/1 111000:3/1
111110:0/2
"""


def infections():
    """Two rows for each pattern, cases and controls, weighted by their counts."""
    cells = [cell.split(":") for cell in INFECTIONS.split()]
    X = np.array([[float(c) for c in pattern] for pattern, _ in cells for _ in range(2)])
    weights = np.array([float(n) for _, counts in cells for n in counts.split("/")])
    return X, np.tile([1, 0], len(cells)), weights


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_firths_estimates_are_those_of_logistf():
    """Output of R's logistf for these data, as its documentation prints it."""
    X, y, weights = infections()
    model = L.FirthLogisticRegression(tol=1e-10).fit(X, y, weights)
    printed = [-1.10598131, -0.06881673, 2.26887464, -2.11140817, -0.78831694, 3.09601166]
    assert_allclose(model.coef_[0], printed, atol=2e-7)
    assert_allclose(model.intercept_, 0.12025405, atol=2e-8)
    errors = [0.42366, 0.443793, 0.548416, 0.543082, 0.417368, 1.67501, 0.485542]
    assert_allclose(model.standard_errors_[0], errors, rtol=2e-6)
    ones = np.column_stack([X, np.ones(len(y))])
    gram = np.linalg.slogdet((ones * weights[:, None]).T @ ones)[1]
    log_likelihood = -model.objective_ * weights.sum() + 0.5 * gram
    assert log_likelihood == pytest.approx(-132.5394, abs=1e-4)
    ordinary = L.LogisticRegression(penalty=None).fit(X, y, weights)
    assert ordinary.status_ == "separable"  # no control has dia = 1
    assert "FirthLogisticRegression" in ordinary.reason_


def test_ordinal_estimates_are_statsmodels():
    X, z = rows(200)
    y = np.digitize(z, [-1.5, 0.0, 1.0])
    theirs = OrderedModel(y, X, distr="logit")
    found = theirs.fit(method="newton", disp=0)
    ours = L.OrdinalRegression(strength=0, tol=1e-10).fit(X, y)
    assert_allclose(ours.coef_[0], found.params[:3], rtol=1e-6)
    thresholds = theirs.transform_threshold_params(found.params)[1:-1]
    assert_allclose(ours.thresholds_, thresholds, rtol=1e-6)
    assert -ours.objective_ * 200 == pytest.approx(found.llf)
    assert_allclose(ours.predict_proba(X), found.predict(X), rtol=1e-6)


def test_evidence_and_posterior_of_linear_regression_are_scikit_learns():
    X, y = rows(100, 5)
    flat = dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 0.0)
    theirs = BayesianRidge(
        fit_intercept=False, compute_score=True, tol=1e-12, max_iter=10**4, **flat
    ).fit(X, y)
    ours = L.BayesianLinearRegression(fit_intercept=False).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert ours.noise_precision_ == pytest.approx(theirs.alpha_, rel=1e-6)
    assert ours.weight_precision_ == pytest.approx(theirs.lambda_, rel=1e-5)
    assert ours.log_evidence_ == pytest.approx(theirs.scores_[-1], rel=1e-9)
    found, expected = ours.predict(X, return_std=True), theirs.predict(X, return_std=True)
    assert_allclose(found, expected, rtol=1e-6)


def test_the_evidence_is_at_least_that_of_scikit_learns_relevance_determination():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 12))
        y = X[:, :3] @ [2.0, -1.0, 0.5] + 0.5 * rng.normal(size=60)
        own = L.RelevanceVectorRegressor(kernel=None).fit(X, y)
        other = ARDRegression(tol=1e-8, max_iter=2000).fit(X, y)
        stays = other.coef_ != 0
        Z = (X - X.mean(axis=0))[:, stays]
        C = np.eye(60) / other.alpha_ + Z / other.lambda_[stays] @ Z.T
        height = multivariate_normal.logpdf(y - y.mean(), None, C)
        height += 0.5 * np.log(2 * np.pi / other.alpha_)  # the direction of the intercept
        assert own.log_evidence_ > height - 1e-3
        assert_allclose(own.predict(X), other.predict(X), atol=0.15)
