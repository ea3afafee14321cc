"""What fits must be where the answer is known in closed form, or by another way to compute it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import norm

from linclass import LinearClassifier, LogisticRegression, ProbitRegression
from linclass.conventions import NotApplicable

LINKS: dict[str, Any] = {  # the score that minimizes the mean loss where a share p is positive
    "logistic": logit,
    "probit": norm.ppf,
    "exponential": lambda p: 0.5 * logit(p),
    "squared": lambda p: 2 * p - 1,
    "squared_hinge": lambda p: 2 * p - 1,
    "modified_huber": lambda p: 2 * p - 1,
}


def rows(n: int = 200, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X @ np.linspace(1, -1, d) + rng.standard_normal(n) > 0.3).astype(int)


@pytest.mark.parametrize("loss", LINKS)
def test_scores_of_two_groups_are_the_link_of_their_shares(loss: str) -> None:
    """A feature that tells two groups apart leaves each its own score."""
    group, y = np.repeat([0.0, 1.0], 50), np.zeros(100, int)
    y[:10], y[50:80] = 1, 1  # shares 1/5 and 3/5
    model = LinearClassifier(loss=loss, penalty=None, tol=1e-10).fit(group[:, None], y)
    found = model.decision_function([[0.0], [1.0]])
    np.testing.assert_allclose(found, LINKS[loss](np.array([0.2, 0.6])), atol=1e-6)


def test_losses_of_straight_tails_forgive_a_row_far_off() -> None:
    """The steeper the loss of a wrong row, the more that row moves the weights."""
    X, y = rows()
    far, wrong = np.vstack([X, [[6.0, -6.0, 0.0]]]), np.append(y, 0)

    def moved(loss: str) -> float:
        model = LinearClassifier(loss=loss, strength=1e-2)
        before = model.fit(X, y).coef_[0].copy()
        return float(
            np.linalg.norm(model.fit(far, wrong).coef_[0] - before) / np.linalg.norm(before)
        )

    assert moved("huber") < 0.6 * moved("squared")
    assert moved("modified_huber") < 0.8 * moved("squared_hinge")
    assert moved("logistic") < 0.7 * moved("probit") < 0.7 * moved("exponential")


# probit


def test_probit_probabilities_are_those_of_a_normal_threshold() -> None:
    X, y = rows()
    model = ProbitRegression().fit(X, y)
    z = model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X), np.column_stack([norm.cdf(-z), norm.cdf(z)]))
    far = model.predict_log_proba(1e3 * X)
    np.testing.assert_allclose(far[:, 1], norm.logcdf(model.decision_function(1e3 * X)))
    assert np.isfinite(far).all()


@pytest.mark.parametrize("kind", ["complete", "quasi-complete"])
def test_probit_says_that_its_likelihood_has_no_maximum(kind: str) -> None:
    X, y = rows()
    if kind == "complete":
        X[:, 0] += 10 * (2 * y - 1)
    else:
        X = np.column_stack([X, (np.arange(200) % 5 == 0) * y])
    model = ProbitRegression(penalty=None).fit(X, y)
    assert model.status_ == "separable"
    m = (2 * y - 1) * (X @ model.separating_direction_ + model.separating_intercept_)
    assert m.min() >= -1e-9
    assert m.max() > 0


def test_probit_is_of_two_classes() -> None:
    X, y = rows()
    with pytest.raises(NotApplicable, match=r"3 classes. Use OneVsRest\(ProbitRegression\(\)\)"):
        ProbitRegression().fit(X, y + (X[:, 0] > 1))
    several = LinearClassifier(loss="probit").fit(X, y + (X[:, 0] > 1))
    assert several.decision_function(X).shape == (200, 3)
    assert not hasattr(several, "predict_proba")


def test_probit_is_nearly_logistic_of_another_scale() -> None:
    X, y = rows(2000)
    a = ProbitRegression(penalty=None).fit(X, y).predict_proba(X)[:, 1]
    b = LogisticRegression(penalty=None).fit(X, y).predict_proba(X)[:, 1]
    assert np.abs(a - b).max() < 0.03
